"""Where a SELECT under construction has the variables of a plan, and the ids of a link's ends."""

from __future__ import annotations

from recollect.kernel.plan import ir
from recollect.kernel.sql import nodes
from recollect.kernel.sql.clock import of_group
from recollect.kernel.store.dialect import JsonPart
from recollect.model import ElementKind
from recollect.node import node


def given_id(end: nodes.Expr, alias: str, otherwise: nodes.Expr) -> nodes.Expr:
    """Return the public id an end was given, else `otherwise`; `alias` begins its tables' names."""
    given = otherwise
    for table in ("link", "concept"):
        name = f"{alias}_{table}"
        select = nodes.Select(
            ((nodes.Column(name, "public_id"), ""),),
            (nodes.From(table, name),),
            (of_group(name), nodes.equal(nodes.Column(name, "id"), end)),
        )
        given = nodes.SqlCall("coalesce", (nodes.Scalar(select), given))
    return given


@node(frozen=True, slots=True)
class BoundElement:
    """An element by its integer id, and the aliases its row can be read from, if any.

    An element of unknown kind has two aliases; the one that does not apply reads as NULL.
    """

    id: nodes.Expr
    kind: ElementKind | None = None
    concept: str | None = None
    link: str | None = None
    is_nullable: bool = False

    @property
    def has_row(self) -> bool:
        """Whether the element's columns can be read."""
        return self.concept is not None or self.link is not None

    def or_null(self) -> BoundElement:
        """Return the same where there may be none."""
        return BoundElement(self.id, self.kind, self.concept, self.link, is_nullable=True)


@node(frozen=True, slots=True)
class ReadFrom:
    """A value that is read from an element wherever it is needed."""

    owner: ir.Var
    part: ir.ElementPart
    key: str | None  # None: all of the part


@node(frozen=True, slots=True)
class PredicateName:
    """The name of a link's predicate, by its code."""

    code: nodes.Expr
    is_nullable: bool = False


@node(frozen=True, slots=True)
class HeldValue:
    """A value held as JSON text in a column, or as a string, beside the id of its owner."""

    expr: nodes.Expr
    owner: nodes.Expr
    is_text: bool = False
    is_of_owner: bool = False  # whether the owner alone tells it, in every branch


@node(frozen=True, slots=True)
class Nothing:
    """A value that is null throughout."""


Binding = BoundElement | ReadFrom | PredicateName | HeldValue | Nothing


@node(frozen=True, slots=True)
class TextValue:
    """A value known to be a string or null."""

    expr: nodes.Expr
    is_nullable: bool = True


@node(frozen=True, slots=True)
class JsonValue:
    """A value of any JSON type: a key of a JSON document, or the whole of a JSON text."""

    document: nodes.Expr
    key: str | None = None

    def part(self, part: JsonPart) -> nodes.Expr:
        """Return one part of the value: its type's name, its JSON text, its SQL value."""
        if self.key is None and part is JsonPart.JSON:
            return self.document
        return nodes.Json(part, self.document, self.key)


Value = TextValue | JsonValue


def comparable(value: Value) -> nodes.Expr:
    """Return an expression equal for equal values and NULL for null: text, number or blob."""
    if isinstance(value, TextValue):
        return value.expr
    return nodes.SqlCall("comparable", _parts(value))


def are_same(left: Value, right: Value) -> tuple[nodes.Expr, nodes.Expr]:
    """Return what two values have in common if they are equal, and only then."""
    if isinstance(left, TextValue) and isinstance(right, TextValue):
        return bare(left.expr), bare(right.expr)
    return _as_value(left), _as_value(right)


def _as_value(value: Value) -> nodes.Expr:
    found = bare(comparable(value))
    return nodes.SqlCall("as_value", (found,)) if isinstance(value, TextValue) else found


def _parts(value: JsonValue) -> tuple[nodes.Expr, ...]:
    return tuple(map(value.part, (JsonPart.TYPE, JsonPart.VALUE, JsonPart.JSON)))


def bare(expr: nodes.Expr) -> nodes.Expr:
    """Return the expression without a column's affinity, which would turn 5 into "5"."""
    return nodes.SqlCall("bare", (expr,)) if isinstance(expr, nodes.Column | nodes.Scalar) else expr


def text_of(value: Value) -> nodes.Expr:
    """Return the string, or NULL for what is not one."""
    if isinstance(value, TextValue):
        return value.expr
    return nodes.SqlCall("text_of", (value.part(JsonPart.TYPE), value.part(JsonPart.VALUE)))


def number_of(value: Value) -> nodes.Expr:
    """Return the number, or NULL for what is not one."""
    if isinstance(value, TextValue):
        return nodes.Null("numeric")
    return nodes.SqlCall("number_of", (value.part(JsonPart.TYPE), value.part(JsonPart.VALUE)))


def number_said(value: Value) -> nodes.Expr:
    """Return the number as it was said, whole or real, or NULL for what is not one."""
    return (
        nodes.Null("text") if isinstance(value, TextValue) else nodes.SqlCall("said", _parts(value))
    )


def json_of(value: Value) -> nodes.Expr:
    """Return the JSON text; NULL or `null` for null."""
    if isinstance(value, TextValue):
        return nodes.SqlCall("json_quote", (value.expr,))
    return value.part(JsonPart.JSON)
