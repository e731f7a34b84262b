"""Random sequences of UPSERT and DELETE over the same few words."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.reference.graphs import object_literal
from tests.reference.queries import ELEMENTS, wheres
from tests.reference.vocabulary import KEYS, NAMES, PREDICATES, TYPES, objects, text

from recollect.kernel.lang import ast

HANDLES = ("h0", "h1", "h2", "h3")

types = st.sampled_from(TYPES).map(text)
names = st.sampled_from(NAMES).map(text)
predicates = st.sampled_from(PREDICATES).map(text)
ids = st.sampled_from(("id-0", "id-1")).map(text)
maybe_object = st.one_of(st.none(), objects.map(object_literal))

exact = st.builds(ast.ConceptPattern, types, names)
vague = st.one_of(
    st.builds(ast.ConceptPattern, types, names, ids),
    st.builds(ast.ConceptPattern, name=names),
    st.builds(ast.ConceptPattern, type=types),
    st.builds(ast.ConceptPattern, id=ids),
)
patterns = st.sampled_from([exact] * 6 + [vague]).flatmap(lambda chosen: chosen)


def ends(handles: tuple[str, ...]) -> st.SearchStrategy[ast.KmlEnd]:
    known = st.sampled_from(handles).map(ast.Handle)
    inline = st.one_of(exact, exact, exact, st.builds(ast.ConceptPattern, name=names))
    simple = st.sampled_from([known] * 3 + [inline]).flatmap(lambda chosen: chosen)
    triples = st.builds(ast.LinkTarget, simple, predicates, simple)
    return st.sampled_from([simple] * 4 + [triples]).flatmap(lambda chosen: chosen)


@st.composite
def upserts(draw: st.DrawFn) -> ast.Upsert:
    """Draw an UPSERT in which most handles are defined, and any may be used by any block."""
    handles = HANDLES[: draw(st.integers(1, 4))]
    end = ends(handles)
    items = st.lists(st.builds(ast.SetLink, predicates, end, maybe_object), max_size=2)
    blocks: list[ast.ConceptBlock | ast.LinkBlock] = []
    for name in handles:
        handle = ast.Handle(name) if draw(st.integers(0, 19)) else None
        if draw(st.integers(0, 2)) or not blocks:
            links = tuple(draw(items))
            attributes, metadata = draw(maybe_object), draw(maybe_object)
            pattern = draw(patterns)
            blocks.append(ast.ConceptBlock(handle, pattern, attributes, links, metadata))
        else:
            older = ends(tuple(one for one in handles if one < name))
            target = ast.LinkTarget(draw(older), draw(predicates), draw(older | end))
            blocks.append(ast.LinkBlock(handle, target, draw(maybe_object), draw(maybe_object)))
    return ast.Upsert(tuple(draw(st.permutations(blocks))), draw(maybe_object))


targets = st.one_of(st.none(), st.sampled_from(ELEMENTS[:2]).map(ast.Variable))
key_sets = st.sets(st.sampled_from(KEYS), min_size=1).map(
    lambda keys: tuple(map(text, sorted(keys)))
)
deletes: st.SearchStrategy[ast.Mutation] = st.one_of(
    st.builds(ast.DeleteKeys, st.sampled_from(ast.Section), key_sets, targets, wheres()),
    st.builds(ast.DeleteLinks, targets, wheres()),
    st.builds(ast.DeleteConcept, patterns),
)
mutations = st.one_of(upserts(), upserts(), deletes)
