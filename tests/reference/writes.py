"""Random sequences of UPSERT, UPDATE, MERGE and DELETE over the same few words."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.reference.graphs import object_literal
from tests.reference.queries import ELEMENTS, wheres
from tests.reference.vocabulary import KEYS, NAMES, PREDICATES, TYPES, objects, text, values

from recollect.kernel.lang import ast, literal
from recollect.model import Value

HANDLES = ("h0", "h1", "h2", "h3")

types = st.sampled_from(TYPES).map(text)
names = st.sampled_from(NAMES).map(text)
predicates = st.sampled_from(PREDICATES).map(text)
ids = st.sampled_from(("id-0", "id-1")).map(text)
versions = st.sampled_from([None] * 12 + [0, 1, 1, 2]).map(
    lambda number: None if number is None else literal(number)
)
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
def upserts(draw: st.DrawFn, *, expects: bool = False) -> ast.Upsert:
    """Draw an UPSERT in which most handles are defined, and any may be used by any block.

    One that expects versions is not one that can be run again.
    """
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
            block = ast.ConceptBlock(
                handle, pattern, attributes, links, metadata, draw(versions) if expects else None
            )
            blocks.append(block)
        else:
            older = ends(tuple(one for one in handles if one < name))
            target = ast.LinkTarget(draw(older), draw(predicates), draw(older | end))
            version = draw(versions) if expects else None
            said = draw(maybe_object), draw(maybe_object)
            blocks.append(ast.LinkBlock(handle, target, *said, version))
    return ast.Upsert(tuple(draw(st.permutations(blocks))), draw(maybe_object))


targets = st.one_of(st.none(), st.sampled_from(ELEMENTS[:2]).map(ast.Variable))
key_sets = st.sets(st.sampled_from(KEYS), min_size=1).map(
    lambda keys: tuple(map(text, sorted(keys)))
)
some_variable = st.sampled_from(ELEMENTS[:2]).map(ast.Variable)
deletes: st.SearchStrategy[ast.Mutation] = st.one_of(
    st.builds(ast.DeleteKeys, st.sampled_from(ast.Section), key_sets, targets, wheres()),
    st.builds(ast.DeleteLinks, targets, wheres()),
    st.builds(ast.DeleteConcept, patterns),
    st.builds(ast.DeleteConcepts, some_variable, wheres()),
)

numbers = st.sampled_from((-1, 0, 1, 2, 0.5, 2.5, -1.0, 2**62, 1e300)).map(literal)
paths = st.sampled_from(
    [(section, key) for section in ("attributes", "metadata") for key in KEYS]
    + [("metadata", "_version"), ("id",)]
)


def terms(target: ast.Variable, depth: int) -> st.SearchStrategy[ast.Term]:
    fields = paths.map(lambda path: ast.Field(target, path))
    plain = st.one_of(fields, fields, numbers)
    return st.one_of(plain, computed(target, depth - 1)) if depth else plain


def computed(target: ast.Variable, depth: int) -> st.SearchStrategy[ast.Computed]:
    term = terms(target, depth)
    pairs = st.sampled_from(
        (ast.Arithmetic.ADD, ast.Arithmetic.MUL, ast.Arithmetic.COALESCE, ast.Arithmetic.COALESCE)
    )
    return st.one_of(
        st.builds(ast.Computed, pairs, st.tuples(term, term)),
        st.builds(ast.Computed, st.just(ast.Arithmetic.CLAMP), st.tuples(term, numbers, numbers)),
    )


@st.composite
def updates(
    draw: st.DrawFn, metadata: tuple[str, ...] = KEYS, told: st.SearchStrategy[Value] = values
) -> ast.Update:
    """Draw an UPDATE of some keys; those of metadata may be `metadata`, with `told` as values."""
    target = draw(some_variable)

    def assignments(keys: tuple[str, ...]) -> tuple[ast.Assignment, ...]:
        chosen = draw(st.lists(st.sampled_from(keys), max_size=2, unique=True))
        value = st.one_of(told.map(literal), computed(target, 1), computed(target, 1))
        return tuple(ast.Assignment(key, draw(value)) for key in chosen)

    attributes, known = assignments(KEYS), assignments(metadata)
    if not (attributes or known):
        attributes = (ast.Assignment("k", draw(computed(target, 1))),)
    limit = draw(st.sampled_from([None, None, None, 0, 1, 2]))
    size = None if limit is None else literal(limit)
    where = draw(st.one_of(simple_wheres(target), wheres()))
    return ast.Update(target, attributes, known, where, size)


def simple_wheres(variable: ast.Variable) -> st.SearchStrategy[tuple[ast.Clause, ...]]:
    """Draw a WHERE that finds all elements of a type, or of a predicate."""
    ends = ast.Variable("s"), ast.Variable("o")
    links = predicates.map(
        lambda one: ast.LinkClause(
            variable, ast.LinkPattern(ends[0], ast.Path((ast.Step(one),)), ends[1])
        )
    )
    concepts = types.map(lambda one: ast.ConceptClause(variable, ast.ConceptPattern(one)))
    return st.one_of(links, concepts).map(lambda clause: (clause,))


@st.composite
def merges(draw: st.DrawFn) -> ast.MergeConcepts:
    """Draw a MERGE; most name two concepts of one type, and some of those are there."""
    source, target = ast.Variable("a"), ast.Variable("b")
    if draw(st.integers(0, 9)) == 0:
        return ast.MergeConcepts(source, target, draw(wheres()))
    type = draw(types)
    first = draw(st.permutations(NAMES))
    other = draw(types) if draw(st.integers(0, 9)) == 0 else type
    clauses = (
        ast.ConceptClause(source, ast.ConceptPattern(type, text(first[0]))),
        ast.ConceptClause(target, ast.ConceptPattern(other, text(first[1]))),
    )
    return ast.MergeConcepts(source, target, clauses)


mutations = st.one_of(
    upserts(expects=True), upserts(expects=True), deletes, updates(), merges(), merges()
)
