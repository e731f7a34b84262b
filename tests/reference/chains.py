"""Random chains of blocks: each OPTIONAL goes on from what the one before it may have found.

The engine writes such chains in another way once they are long, so many of these are.
"""

from __future__ import annotations

from hypothesis import strategies as st

from recollect.kernel.lang import ast, parse

FIRST = ('?v0 {type: "T"}', '?v0 {name: "a"}', '(?v0, "p", ?other)', '?v0 (?other, "q", ?o)')
STEPS = (
    '(?v{at}, "p", ?v{next})',
    '(?v{at}, "p", ?v{next}) ATTR(?v{next}, "k", ?w{next}) FILTER(?w{next} != 1)',
    '(?v{at}, "p", ?x{at}) (?x{at}, "q", ?v{next})',
    '(?v{next}, "q", ?v{at}) META(?v{next}, "k", ?w{next})',
    '?v{next} (?v{at}, ?w{next}, ?x{at}) FILTER(?w{next} != "q")',
    '(?v{at}, "p"{{0,2}}, ?v{next}) FILTER(?v{next}.name != "a")',
    '(?v{next}, "p"{{1,}} | "q", ?v{at})',
    '(?v{at}, "p", ?v{next}) OPTIONAL {{ (?v{next}, "q"{{1,2}}, ?x{at}) }}',
    '(?v{at}, "q", ?v{next}) NOT {{ (?v{next}, "p"{{1,2}}, {{name: "a"}}) }}',
    '(?v{at}, "p", ?v{next}) UNION {{ (?v{next}, "q", ?x{at}) ATTR(?x{at}, "m", ?w{next}) }}',
    'ATTR(?v{at}, "k", ?w{next}) (?v{at}, "p", ?v{next}) FILTER(IS_NOT_NULL(?w{next}))',
    '?v0 {{type: "T"}} (?v0, "p", ?v{next})',
)
TESTS = (
    'NOT {{ (?v{at}, "q", {{name: "b"}}) }}',
    'NOT {{ (?v{at}, "p"{{1,2}}, ?y) ATTR(?y, "k", ?z) FILTER(?z == 1) }}',
    'NOT {{ (?v{at}, "q", ?y) OPTIONAL {{ (?y, "p", ?t) (?t, "p", ?u) }} FILTER(IS_NULL(?u)) }}',
    'UNION {{ ?v0 {{type: "U"}} }}',
)


@st.composite
def chains(draw: st.DrawFn) -> ast.Find:
    """Draw a FIND of twelve to twenty blocks that shows some of its variables."""
    clauses = [draw(st.sampled_from(FIRST))]
    at = 0
    for _ in range(draw(st.integers(12, 20))):
        if at and draw(st.integers(1, 100)) > 85:
            clauses.append(draw(st.sampled_from(TESTS)).format(at=at))
        else:
            step = draw(st.sampled_from(STEPS)).format(at=at, next=at + 1)
            clauses.append(f"OPTIONAL {{ {step} }}")
            at += 1
    places = draw(st.lists(st.integers(0, at), min_size=1, max_size=3, unique=True))
    columns = [draw(st.sampled_from((f"?v{place}", f"?v{place}.name"))) for place in places]
    if draw(st.booleans()):
        columns.append(f"COUNT(?v{at}) AS ?n")
    (find,) = parse(f"FIND({', '.join(columns)}) WHERE {{ {' '.join(clauses)} }}").statements
    assert isinstance(find, ast.Find)
    return find
