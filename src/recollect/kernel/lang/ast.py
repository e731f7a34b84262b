"""The tree of a KIP text: what was written, before names are resolved.

Every node is frozen and knows its `span` in the source. Spans, and spellings that mean the
same (the four ways to quote a path, `@h` and `?h`, `$p` and `:p`), take no part in equality,
so `parse(print_text(tree)) == tree`. KIP 1.0-draft3, sections KQL, KML and META.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum

from recollect.errors import Notice, Span
from recollect.model import ElementKind
from recollect.node import node

NOWHERE = Span(0, 0)


@node(frozen=True, slots=True)
class Node:
    """Anything with a place in the text."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True, repr=False)


# Values


@node(frozen=True, slots=True)
class Literal(Node):
    """A JSON value without a placeholder in it: `"text"`, `3`, `3.0`, `true`, `null`, `[1]`.

    Equality is by the canonical JSON text, so that `1`, `1.0` and `true` stay three values.
    """

    value: object = field(compare=False)
    json: str = field(default="", repr=False)  # canonical text; the parser always sets it


@node(frozen=True, slots=True)
class Parameter(Node):
    """A placeholder, `$name` or `:name`, bound by value when the text runs."""

    name: str


@node(frozen=True, slots=True)
class ArrayValue(Node):
    """An array with at least one placeholder somewhere in it."""

    items: tuple[ValueNode, ...]


@node(frozen=True, slots=True)
class ObjectValue(Node):
    """An object with at least one placeholder somewhere in it; the last of equal keys wins."""

    members: tuple[tuple[str, ValueNode], ...]


ValueNode = Literal | Parameter | ArrayValue | ObjectValue
Text = Literal | Parameter  # where the grammar wants a string: the literal holds a str


@node(frozen=True, slots=True)
class Variable(Node):
    """`?name`; the name is held without its question mark."""

    name: str


@node(frozen=True, slots=True)
class Field(Node):
    """`?n.name`, `?n.attributes`, `?n.attributes.k`: a part of an element, read where it stands.

    The path is one field (`name`, `type`, `id`, `subject`, `predicate`, `object`), one section
    (`attributes`, `metadata`), or a section and a key of it. KIP 1.0-RC11, section 3.2.
    """

    variable: Variable
    path: tuple[str, ...]

    @property
    def name(self) -> str:
        """The column's name: `n.attributes.k`."""
        return ".".join((self.variable.name, *self.path))


# Graph patterns


@node(frozen=True, slots=True)
class ConceptPattern(Node):
    """`{type: ..., name: ..., id: ...}`: at least one of the three is given."""

    type: Text | None = None
    name: Text | None = None
    id: Text | None = None


@node(frozen=True, slots=True)
class Step(Node):
    """One alternative of a path: `predicate{minimum,maximum}`; no maximum means unbounded."""

    predicate: Text
    minimum: int = 1
    maximum: int | None = 1


@node(frozen=True, slots=True)
class Path(Node):
    """`"a" | "b"{1,3}`: at least one step. A plain predicate is one step of exactly 1."""

    steps: tuple[Step, ...]

    @property
    def is_plain(self) -> bool:
        """Whether every alternative is exactly one link long, so a link can be bound."""
        return all(step.minimum == step.maximum == 1 for step in self.steps)


@node(frozen=True, slots=True)
class LinkPattern(Node):
    """`(subject, predicate, object)`; a nested pattern may stand at either end."""

    subject: End
    predicate: Path | Variable
    object: End


@node(frozen=True, slots=True)
class LinkId(Node):
    """`(id: "...")`: the one link that is called so."""

    id: Text


End = Variable | ConceptPattern | LinkPattern | LinkId
Target = Variable | ConceptPattern | LinkPattern | LinkId  # what ATTR and META read from


# WHERE clauses


@node(frozen=True, slots=True)
class ConceptClause(Node):
    """`?variable {type: ...}`; without a variable it tests existence."""

    variable: Variable | None
    pattern: ConceptPattern


@node(frozen=True, slots=True)
class LinkClause(Node):
    """`?variable (subject, predicate, object)`, or `(id: "...")`; the variable binds the link."""

    variable: Variable | None
    pattern: LinkPattern | LinkId


class Section(StrEnum):
    """Which part of an element a value is read from."""

    ATTRIBUTES = "attributes"
    METADATA = "metadata"


@node(frozen=True, slots=True)
class ReadClause(Node):
    """`ATTR(target, "key", ?value)` or `META(target, "key", ?value)`."""

    section: Section
    target: Target
    key: Text
    value: Variable


class Comparison(StrEnum):
    """The comparison operators of FILTER."""

    EQ = "=="
    NE = "!="
    LT = "<"
    GT = ">"
    LE = "<="
    GE = ">="


Operand = Variable | Field | Literal | Parameter
READS = (Variable, Field)  # the operands that differ from row to row; faster than their union


@node(frozen=True, slots=True)
class Compare(Node):
    """`left operator right`."""

    operator: Comparison
    left: Operand
    right: Operand


@node(frozen=True, slots=True)
class TestText(Node):
    """`CONTAINS(text, part)` and its kind: false on anything but strings."""

    function: str  # one of `words.TEXT_TESTS`
    text: Operand
    part: Operand


@node(frozen=True, slots=True)
class TestIn(Node):
    """`IN(?value, [a, b])`; the list may be one placeholder bound to an array."""

    value: Operand
    choices: Literal | Parameter | ArrayValue


@node(frozen=True, slots=True)
class TestNull(Node):
    """`IS_NULL(?value)`, or `IS_NOT_NULL(?value)` when negated."""

    value: Operand
    negated: bool = False


@node(frozen=True, slots=True)
class Not(Node):
    """`!operand` inside a FILTER."""

    operand: Expression


@node(frozen=True, slots=True)
class And(Node):
    """`a && b && ...`, at least two operands."""

    operands: tuple[Expression, ...]


@node(frozen=True, slots=True)
class Or(Node):
    """`a || b || ...`, at least two operands; binds weaker than `&&`."""

    operands: tuple[Expression, ...]


Expression = Compare | TestText | TestIn | TestNull | Not | And | Or


@node(frozen=True, slots=True)
class FilterClause(Node):
    """`FILTER(expression)`."""

    expression: Expression


@node(frozen=True, slots=True)
class NotClause(Node):
    """`NOT { ... }`."""

    clauses: tuple[Clause, ...]


@node(frozen=True, slots=True)
class OptionalClause(Node):
    """`OPTIONAL { ... }`."""

    clauses: tuple[Clause, ...]


@node(frozen=True, slots=True)
class UnionClause(Node):
    """`UNION { ... }`: a branch beside everything before it in the same block."""

    clauses: tuple[Clause, ...]


Clause = (
    ConceptClause
    | LinkClause
    | ReadClause
    | FilterClause
    | NotClause
    | OptionalClause
    | UnionClause
)


# KQL


class Function(StrEnum):
    """The aggregate functions of FIND."""

    COUNT = "COUNT"
    COLLECT = "COLLECT"
    SUM = "SUM"
    AVG = "AVG"
    MIN = "MIN"
    MAX = "MAX"


@node(frozen=True, slots=True)
class Aggregate(Node):
    """`COUNT(DISTINCT ?variable) AS ?alias`; the alias may be left out."""

    function: Function
    variable: Variable | Field
    distinct: bool = False
    alias: Variable | None = None

    @property
    def name(self) -> str:
        """The column's name: the alias, else `count_d` or `count_distinct_d`."""
        if self.alias is not None:
            return self.alias.name
        middle = "_distinct_" if self.distinct else "_"
        return f"{self.function.lower()}{middle}{self.variable.name}"


@node(frozen=True, slots=True)
class SortKey(Node):
    """One key of ORDER BY: a variable, alias or field, or an aggregate written out again."""

    key: Variable | Field | Aggregate
    is_descending: bool = False


Size = Literal | Parameter  # LIMIT and OFFSET: a whole number, zero or more


@node(frozen=True, slots=True)
class Find(Node):
    """`FIND(...) WHERE {...} ORDER BY ... LIMIT n OFFSET m CURSOR "token"`."""

    columns: tuple[Variable | Field | Aggregate, ...]
    where: tuple[Clause, ...]
    order_by: tuple[SortKey, ...] = ()
    limit: Size | None = None
    offset: Size | None = None
    cursor: Text | None = None


# KML


@node(frozen=True, slots=True)
class Handle(Node):
    """`@name` or `?name`: a concept or proposition of the same UPSERT."""

    name: str


@node(frozen=True, slots=True)
class LinkTarget(Node):
    """`(subject, "predicate", object)` in KML: every part is given, none is matched."""

    subject: KmlEnd
    predicate: Text
    object: KmlEnd


KmlEnd = Handle | ConceptPattern | LinkTarget | LinkId


@node(frozen=True, slots=True)
class SetLink(Node):
    """One item of SET PROPOSITIONS: `("predicate", target) WITH METADATA {...}`."""

    predicate: Text
    target: KmlEnd
    metadata: ValueNode | None = None  # an object, or a placeholder bound to one


@node(frozen=True, slots=True)
class ConceptBlock(Node):
    """`CONCEPT @handle { {type, name, id} SET ATTRIBUTES {...} SET PROPOSITIONS {...} }`."""

    handle: Handle | None
    pattern: ConceptPattern
    attributes: ValueNode | None = None
    links: tuple[SetLink, ...] = ()
    metadata: ValueNode | None = None
    expect_version: Size | None = None  # 0: it must not be there yet


@node(frozen=True, slots=True)
class LinkBlock(Node):
    """`PROPOSITION @handle { (subject, "predicate", object) SET ATTRIBUTES {...} }`."""

    handle: Handle | None
    target: LinkTarget | LinkId
    attributes: ValueNode | None = None
    metadata: ValueNode | None = None
    expect_version: Size | None = None


@node(frozen=True, slots=True)
class Upsert(Node):
    """`UPSERT { blocks } WITH METADATA {...}`."""

    blocks: tuple[ConceptBlock | LinkBlock, ...]
    metadata: ValueNode | None = None


@node(frozen=True, slots=True)
class DeleteKeys(Node):
    """`DELETE ATTRIBUTES {"key", ...} FROM ?target WHERE {...}`, and DELETE METADATA."""

    section: Section
    keys: tuple[Text, ...]
    target: Variable | None
    where: tuple[Clause, ...]


@node(frozen=True, slots=True)
class DeleteLinks(Node):
    """`DELETE PROPOSITIONS ?target WHERE {...}`."""

    target: Variable | None
    where: tuple[Clause, ...]


@node(frozen=True, slots=True)
class DeleteConcept(Node):
    """`DELETE CONCEPT {...} DETACH`."""

    pattern: ConceptPattern


@node(frozen=True, slots=True)
class DeleteConcepts(Node):
    """`DELETE CONCEPT ?target DETACH WHERE {...}`: every concept that WHERE finds."""

    target: Variable
    where: tuple[Clause, ...]


class Arithmetic(StrEnum):
    """The functions of UPDATE."""

    ADD = "ADD"
    MUL = "MUL"
    CLAMP = "CLAMP"
    COALESCE = "COALESCE"


@node(frozen=True, slots=True)
class Computed(Node):
    """`ADD(a, b)`, `MUL(a, b)`, `CLAMP(x, low, high)`, `COALESCE(x, default)`.

    The fields among its operands are of the target itself.
    """

    function: Arithmetic
    operands: tuple[Term, ...]


Term = Literal | Parameter | Field | Computed


@node(frozen=True, slots=True)
class Assignment(Node):
    """One `key: value` of UPDATE; the value may be computed from the element's own state."""

    key: str
    value: ValueNode | Computed


@node(frozen=True, slots=True)
class Update(Node):
    """`UPDATE ?target SET ATTRIBUTES {...} SET METADATA {...} WHERE {...} LIMIT n`.

    At least one assignment. KIP 1.0-RC11, section 4.3.
    """

    target: Variable
    attributes: tuple[Assignment, ...]
    metadata: tuple[Assignment, ...]
    where: tuple[Clause, ...]
    limit: Size | None = None


@node(frozen=True, slots=True)
class MergeConcepts(Node):
    """`MERGE CONCEPT ?source INTO ?target WHERE {...}`. KIP 1.0-RC11, section 4.4."""

    source: Variable
    target: Variable
    where: tuple[Clause, ...]


# META


@node(frozen=True, slots=True)
class DescribePrimer(Node):
    """`DESCRIBE PRIMER`."""


@node(frozen=True, slots=True)
class DescribeDomains(Node):
    """`DESCRIBE DOMAINS LIMIT n CURSOR "token"`."""

    limit: Size | None = None
    cursor: Text | None = None


@node(frozen=True, slots=True)
class DescribeConceptTypes(Node):
    """`DESCRIBE CONCEPT TYPES LIMIT n CURSOR "token"`."""

    limit: Size | None = None
    cursor: Text | None = None


@node(frozen=True, slots=True)
class DescribeConceptType(Node):
    """`DESCRIBE CONCEPT TYPE "Drug"`."""

    type: Text


@node(frozen=True, slots=True)
class DescribePropositionTypes(Node):
    """`DESCRIBE PROPOSITION TYPES LIMIT n CURSOR "token"`."""

    limit: Size | None = None
    cursor: Text | None = None


@node(frozen=True, slots=True)
class DescribePropositionType(Node):
    """`DESCRIBE PROPOSITION TYPE "treats"`."""

    predicate: Text


@node(frozen=True, slots=True)
class Search(Node):
    """`SEARCH [CONCEPT|PROPOSITION] "term" WITH TYPE "Drug" MODE "keyword" THRESHOLD 0.5 LIMIT n`.

    No kind means both. `mode` is `keyword`, `semantic` or `hybrid`. KIP 1.0-RC11, section 5.2.
    """

    kind: ElementKind | None
    term: Text
    type: Text | None = None
    limit: Size | None = None
    mode: Text | None = None
    threshold: Size | None = None  # a number from 0 to 1
    cursor: Text | None = None


@node(frozen=True, slots=True)
class Export(Node):
    """`EXPORT ?target WHERE {...} LIMIT n CURSOR "token"`: a capsule of what WHERE finds.

    KIP 1.0-RC11, section 5.3.
    """

    target: Variable
    where: tuple[Clause, ...]
    limit: Size | None = None
    cursor: Text | None = None


Describe = (
    DescribePrimer
    | DescribeDomains
    | DescribeConceptTypes
    | DescribeConceptType
    | DescribePropositionTypes
    | DescribePropositionType
)


@node(frozen=True, slots=True)
class Explain(Node):
    """`EXPLAIN query`: how the query is answered, instead of its answer."""

    query: Find | Search | Describe


Query = Find | Search | Describe | Export | Explain
Mutation = (
    Upsert | Update | MergeConcepts | DeleteKeys | DeleteLinks | DeleteConcept | DeleteConcepts
)
Statement = Query | Mutation


@node(frozen=True, slots=True)
class Script(Node):
    """A whole text: one statement or several, run as one transaction."""

    statements: tuple[Statement, ...]
    notices: tuple[Notice, ...] = field(default=(), compare=False)
    source: str = field(default="", compare=False, repr=False)

    @property
    def is_read_only(self) -> bool:
        """Whether no statement of the text changes the graph."""
        return all(isinstance(one, Query) for one in self.statements)
