"""Hypothesis strategies for the trees of the language: every construct, nested in each other.

Each strategy makes only trees that some text parses to. Start from `scripts`, or from the part
you need: `values`, `concept_patterns`, `link_patterns`, `clauses`, `expressions`, `finds`,
`upserts`, `updates`, `merges`, `deletes`, `metas`, `exports`. Names come from small pools, so that variables and handles meet.
"""

from __future__ import annotations

from hypothesis import strategies as st

from recollect.kernel.lang import literal
from recollect.kernel.lang.ast import (
    Aggregate,
    And,
    Arithmetic,
    ArrayValue,
    Assignment,
    Clause,
    Compare,
    Comparison,
    Computed,
    ConceptBlock,
    ConceptClause,
    ConceptPattern,
    DeleteConcept,
    DeleteConcepts,
    DeleteKeys,
    DeleteLinks,
    DescribeConceptType,
    DescribeConceptTypes,
    DescribeDomains,
    DescribePrimer,
    DescribePropositionType,
    DescribePropositionTypes,
    Explain,
    Export,
    Expression,
    Field,
    FilterClause,
    Find,
    Function,
    Handle,
    LinkBlock,
    LinkClause,
    LinkId,
    LinkPattern,
    LinkTarget,
    Literal,
    MergeConcepts,
    Not,
    NotClause,
    ObjectValue,
    OptionalClause,
    Or,
    Parameter,
    Path,
    ReadClause,
    Script,
    Search,
    Section,
    SetLink,
    SortKey,
    Statement,
    Step,
    TestIn,
    TestNull,
    TestText,
    UnionClause,
    Update,
    Upsert,
    Variable,
)
from recollect.kernel.lang.words import TEXT_TESTS
from recollect.model import ElementKind

NAMES = ("x", "drug", "symptom", "link", "value", "_", "名", "FIND", "type2")

# Values

characters = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
strings = st.sampled_from(("", "Drug", "treats", "阿司匹林", '"', "\\", "$x", "// no", "a\nb")) | (
    st.text(characters, max_size=6)
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | strings
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(strings | st.just("key"), inner, max_size=3)
    ),
    max_leaves=5,
)
names = st.sampled_from(NAMES)
variables = st.builds(Variable, names)
parts = st.sampled_from(("id", "type", "name", "subject", "predicate", "object")).map(
    lambda one: (one,)
)
keys = st.sampled_from(("risk", "LIMIT", "_version", "名", "half life", "a.b", "")) | strings
sections = st.sampled_from(Section).map(str)
fields = st.builds(Field, variables, parts | st.tuples(sections, keys))
whole_fields = st.builds(Field, variables, st.tuples(sections))
handles = st.builds(Handle, names)
parameters = st.builds(Parameter, names)
texts = st.builds(literal, strings) | parameters
sizes = st.builds(literal, st.integers(0, 2**63 - 1)) | parameters


def _array(before: list[object], inside: Parameter) -> ArrayValue:
    return ArrayValue((*map(_node, before), inside))


def _object(before: dict[str, object], key: str, inside: Parameter) -> ObjectValue:
    members = {key: _node(one) for key, one in before.items()} | {key: inside}
    return ObjectValue(tuple(members.items()))


def _node(value: object) -> Literal | ArrayValue | ObjectValue:
    return value if isinstance(value, ArrayValue | ObjectValue) else literal(value)


def _with_placeholders(inner):
    few = st.lists(inner, max_size=2)
    members = st.dictionaries(strings, inner, max_size=2)
    return st.builds(_array, few, parameters) | st.builds(_object, members, strings, parameters)


placeholder_values = st.recursive(
    _with_placeholders(scalars), lambda inner: _with_placeholders(scalars | inner), max_leaves=3
)
arrays = placeholder_values.filter(lambda value: isinstance(value, ArrayValue))
objects = (
    st.builds(literal, st.dictionaries(strings, json_values, max_size=3))
    | parameters
    | placeholder_values.filter(lambda value: isinstance(value, ObjectValue))
)
values = st.builds(literal, json_values) | parameters | placeholder_values

# Patterns

concept_patterns = st.builds(
    ConceptPattern, st.none() | texts, st.none() | texts, st.none() | texts
).filter(lambda pattern: (pattern.type, pattern.name, pattern.id) != (None, None, None))
predicates = (
    st.builds(
        literal, strings.map(lambda text: text.translate({123: None, 124: None, 125: None}))
    ).filter(lambda predicate: predicate.value != "")
    | parameters
)


def _step(predicate: Literal | Parameter, minimum: int, more: int | None) -> Step:
    return Step(predicate, minimum, None if more is None else minimum + more)


steps = st.builds(Step, predicates) | (
    st.builds(_step, predicates, st.integers(0, 3), st.none() | st.integers(0, 2))
)
paths = st.builds(Path, st.lists(steps, min_size=1, max_size=3).map(tuple))


link_ids = st.builds(LinkId, texts)


def _links(ends):
    return st.builds(LinkPattern, ends, paths | variables, ends)


link_patterns = _links(
    st.recursive(variables | concept_patterns | link_ids, _links, max_leaves=3),
)
targets = variables | concept_patterns | link_patterns | link_ids

# Clauses

operands = variables | fields | st.builds(literal, json_values) | parameters
comparisons = st.builds(Compare, st.sampled_from(Comparison), operands, operands)
tests = (
    comparisons
    | st.builds(TestText, st.sampled_from(TEXT_TESTS), operands, operands)
    | st.builds(TestIn, operands, st.builds(literal, st.lists(scalars, max_size=2)) | arrays)
    | st.builds(TestIn, operands, parameters)
    | st.builds(TestNull, operands, st.booleans())
)


def _joined(inner):
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.builds(Not, inner) | st.builds(And, several) | st.builds(Or, several)


expressions: st.SearchStrategy[Expression] = st.recursive(tests, _joined, max_leaves=4)
plain_clauses = (
    st.builds(ConceptClause, st.none() | variables, concept_patterns)
    | st.builds(LinkClause, st.none() | variables, link_patterns | link_ids)
    | st.builds(ReadClause, st.sampled_from(Section), targets, texts, variables)
    | st.builds(FilterClause, expressions)
)


def _nested(inner):
    block = st.lists(inner, max_size=3).map(tuple)
    return (
        st.builds(NotClause, block)
        | st.builds(OptionalClause, block)
        | st.builds(UnionClause, block)
    )


clauses: st.SearchStrategy[Clause] = st.recursive(plain_clauses, _nested, max_leaves=4)
wheres = st.lists(clauses, max_size=3).map(tuple)

# Statements

functions = st.sampled_from(Function)
counted = variables | fields | whole_fields
aggregates = st.builds(Aggregate, functions, counted, st.booleans(), st.none() | variables)
unnamed_aggregates = st.builds(Aggregate, functions, counted, st.booleans())
columns = st.lists(counted | aggregates, min_size=1, max_size=3).map(tuple)
sort_keys = st.builds(SortKey, variables | fields | unnamed_aggregates, st.booleans())
finds = st.builds(
    Find,
    columns,
    wheres,
    st.lists(sort_keys, max_size=2).map(tuple),
    st.none() | sizes,
    st.none() | sizes,
    st.none() | texts,
)

kml_predicates = predicates


def _targets(ends):
    return st.builds(LinkTarget, ends, kml_predicates, ends)


kml_ends = st.recursive(handles | concept_patterns | link_ids, _targets, max_leaves=3)
link_targets = _targets(kml_ends) | link_ids
set_links = st.builds(SetLink, kml_predicates, kml_ends, st.none() | objects)
concept_blocks = st.builds(
    ConceptBlock,
    st.none() | handles,
    concept_patterns,
    st.none() | objects,
    st.lists(set_links, max_size=2).map(tuple),
    st.none() | objects,
    st.none() | sizes,
)
link_blocks = st.builds(
    LinkBlock,
    st.none() | handles,
    link_targets,
    st.none() | objects,
    st.none() | objects,
    st.none() | sizes,
)
upserts = st.builds(
    Upsert, st.lists(concept_blocks | link_blocks, max_size=3).map(tuple), st.none() | objects
)
deletes = (
    st.builds(
        DeleteKeys,
        st.sampled_from(Section),
        st.lists(texts, min_size=1, max_size=2).map(tuple),
        st.none() | variables,
        wheres,
    )
    | st.builds(DeleteLinks, st.none() | variables, wheres)
    | st.builds(DeleteConcept, concept_patterns)
    | st.builds(DeleteConcepts, variables, wheres)
)


@st.composite
def updates(draw):
    """Draw an UPDATE; the fields that it computes with are of its target."""
    target = draw(variables)
    own_fields = fields.map(lambda field: Field(target, field.path))
    numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    terms = st.builds(literal, numbers) | parameters | own_fields
    computed = st.recursive(_computed(terms), lambda inner: _computed(terms | inner), max_leaves=3)
    given_values = st.dictionaries(strings, values | computed, max_size=3)
    assignments = given_values.map(
        lambda given: tuple(Assignment(key, one) for key, one in given.items())
    )
    attributes, metadata = draw(
        st.tuples(assignments, assignments).filter(lambda both: both != ((), ()))
    )
    return Update(target, attributes, metadata, draw(wheres), draw(st.none() | sizes))


def _computed(terms):
    two = st.tuples(terms, terms)
    return st.builds(
        Computed, st.sampled_from([one for one in Arithmetic if one != Arithmetic.CLAMP]), two
    ) | st.builds(Computed, st.just(Arithmetic.CLAMP), st.tuples(terms, terms, terms))


merges = st.builds(MergeConcepts, variables, variables, wheres)
pages = st.tuples(st.none() | sizes, st.none() | texts)
metas = (
    st.just(DescribePrimer())
    | st.builds(lambda page: DescribeDomains(*page), pages)
    | st.builds(lambda page: DescribeConceptTypes(*page), pages)
    | st.builds(lambda page: DescribePropositionTypes(*page), pages)
    | st.builds(DescribeConceptType, texts)
    | st.builds(DescribePropositionType, texts)
    | st.builds(
        Search,
        st.sampled_from((None, *ElementKind)),
        texts,
        st.none() | texts,
        st.none() | sizes,
        st.none() | st.sampled_from(("keyword", "semantic", "hybrid")).map(literal) | parameters,
        st.none() | st.builds(literal, st.floats(0, 1) | st.integers(0, 1)) | parameters,
        st.none() | texts,
    )
)
exports = st.builds(Export, variables, wheres, st.none() | sizes, st.none() | texts)
explains = st.builds(Explain, finds | metas)
statements: st.SearchStrategy[Statement] = (
    finds | upserts | updates() | merges | deletes | metas | exports | explains
)
scripts = st.builds(Script, st.lists(statements, min_size=1, max_size=3).map(tuple))
