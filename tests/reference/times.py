"""Random transactions that give facts a time and change their minds, and moments to ask about."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from tests.reference.facts import FROM, INSTANTS, UNTIL
from tests.reference.graphs import keys, object_literal
from tests.reference.vocabulary import NAMES, PREDICATES, TYPES, objects, text
from tests.reference.writes import deletes, merges, updates

from recollect.kernel.lang import ast
from recollect.model import AsOf, Instant, Key, Value

WORDS = ("zulu", "quark", "maple")
"""Words that only notes hold, so that a search finds exactly what says them."""

TOLD = (*INSTANTS, None, "one day", 5)
CLOCKS = (
    *("k", "_version", "_created_at", "_updated_at", "_expired_at", "_valid_at", "_invalid_at"),
    "_merged_from",
)
"""What META is asked for: a key that writers set, and those the memory keeps itself."""

facts = st.one_of(
    st.just({}),
    st.dictionaries(st.sampled_from((FROM, UNTIL)), st.sampled_from(TOLD), max_size=2),
)
notes = st.one_of(st.just({}), st.just({}), st.sampled_from([{"note": word} for word in WORDS]))
contents = st.builds(lambda one, other: {**one, **other}, objects, notes)
metadata = st.builds(lambda one, other: {**one, **other}, objects, facts)


@st.composite
def upserts(
    draw: st.DrawFn,
    keys: st.SearchStrategy[tuple[str, str]] = keys,
    contents: st.SearchStrategy[dict[str, Value]] = contents,
) -> ast.Upsert:
    """Draw an UPSERT whose elements are made in the order of its blocks."""
    named = draw(st.lists(keys, min_size=1, max_size=3, unique=True))
    blocks: list[ast.ConceptBlock | ast.LinkBlock] = [
        ast.ConceptBlock(
            ast.Handle(f"c{place}"),
            ast.ConceptPattern(text(type), text(name)),
            object_literal(draw(contents)),
            (),
            object_literal(draw(metadata)),
        )
        for place, (type, name) in enumerate(named)
    ]
    ends = [f"c{place}" for place in range(len(named))]
    for place in range(draw(st.integers(0, 3))):
        subject, target = draw(st.sampled_from(ends)), draw(st.sampled_from(ends))
        triple = ast.LinkTarget(
            ast.Handle(subject), text(draw(st.sampled_from(PREDICATES))), ast.Handle(target)
        )
        handle = ast.Handle(f"l{place}")
        content, known = object_literal(draw(contents)), object_literal(draw(metadata))
        blocks.append(ast.LinkBlock(handle, triple, content, known))
        ends.append(handle.name)
    return ast.Upsert(tuple(blocks), object_literal(draw(st.one_of(st.just({}), metadata))))


forgotten = st.builds(
    ast.DeleteKeys,
    st.just(ast.Section.METADATA),
    st.sampled_from([(text(FROM),), (text(UNTIL),), (text(FROM), text(UNTIL))]),
    st.none(),
    st.sampled_from(PREDICATES).map(
        lambda predicate: (
            ast.LinkClause(
                None,
                ast.LinkPattern(
                    ast.Variable("s"), ast.Path((ast.Step(text(predicate)),)), ast.Variable("o")
                ),
            ),
        )
    ),
)
retold = updates((FROM, UNTIL, "k"), st.sampled_from(TOLD))
statements = st.one_of(upserts(), upserts(), upserts(), deletes, forgotten, retold)


@dataclass(frozen=True, slots=True)
class Transaction:
    """Statements, and what the clock shows; it may stand still or go back."""

    statements: list[ast.Mutation]
    at: int


at = st.integers(1_000, 1_012)
# A merge comes first in its transaction: what it leaves names ids, which are known when it ends.
told = st.one_of(
    st.lists(statements, min_size=1, max_size=3),
    st.lists(statements, min_size=1, max_size=3),
    st.builds(lambda one, others: [one, *others], merges(), st.lists(statements, max_size=2)),
)
transactions = st.lists(
    st.builds(Transaction, told, at),
    min_size=2,
    max_size=7,
)


@dataclass(frozen=True, slots=True)
class Purge:
    """Every life of a key is erased, for all times, and what hangs on it."""

    key: Key
    at: int


stories = st.lists(
    st.one_of(
        st.builds(Transaction, told, at),
        st.builds(Transaction, told, at),
        st.builds(Purge, keys.map(lambda key: Key(*key)), at),
    ),
    min_size=2,
    max_size=8,
)


few = st.tuples(st.just(TYPES[0]), st.sampled_from(NAMES[:3]))
said = st.sampled_from([{"note": word} for word in (*WORDS, "plain")])
reworded = st.lists(
    st.one_of(upserts(few, said), upserts(few, said), deletes), min_size=1, max_size=2
)
rewordings = st.lists(
    st.one_of(
        *[st.builds(Transaction, reworded, at)] * 5,
        st.builds(Purge, few.map(lambda key: Key(*key)), at),
    ),
    min_size=3,
    max_size=8,
)
"""Stories in which the same few say one word, then another, so that most of what was is past."""


@st.composite
def moments(draw: st.DrawFn) -> AsOf:
    """Draw a point of both clocks, near where something happens."""
    valid = draw(st.none() | st.sampled_from(sorted(INSTANTS.values())))
    if valid is not None:
        valid += draw(st.sampled_from((-1, 0, 1)))
    at = None if valid is None else Instant(valid)
    match draw(st.sampled_from(("now", "number", "number", "instant"))):
        case "now":
            return AsOf(at)
        case "number":
            return AsOf(at, transaction=draw(st.integers(0, 8)))
        case _:
            return AsOf(at, Instant(draw(st.integers(998, 1_020))))
