"""Values read from elements: fields, attributes and metadata."""

from __future__ import annotations

from typing import assert_never

from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import (
    BoundElement,
    HeldValue,
    JsonValue,
    Nothing,
    PredicateName,
    ReadFrom,
    TextValue,
    Value,
    given_id,
    json_of,
)
from recollect.kernel.sql.clock import GROUP, of_group
from recollect.kernel.sql.rows import JoinedTables
from recollect.model import BEGINNING, FOREVER, ElementKind

_CONCEPT_FIELDS = frozenset({"id", "type", "name"})
_LINK_FIELDS = frozenset({"id", "subject", "predicate", "object"})
_PARTS_WITH_FIELDS = (ir.ElementPart.NAMED, ir.ElementPart.FIELDS)
_TIMES = {"_created_at": "born_at", "_updated_at": "changed_at"}
_FACT_TIMES = {"_valid_at": "valid_at", "_invalid_at": "invalid_at"}
CLOCK_KEYS = frozenset({*_TIMES, *_FACT_TIMES, "_expired_at", "_version"})
"""Keys of metadata that are read from the columns of an element; others are stored."""
ID_BITS = nodes.Param("id_bits", "bytea")


def value_of(rows: JoinedTables, var: ir.Var) -> Value:
    """Return the value of a variable that is not an element."""
    binding = rows.bindings[var]
    match binding:
        case ReadFrom():
            return _read(rows, binding)
        case PredicateName():
            return TextValue(term_text(rows, binding.code), binding.is_nullable)
        case HeldValue():
            return TextValue(binding.expr) if binding.is_text else JsonValue(binding.expr)
        case Nothing():
            return TextValue(nodes.Null("text"))
    raise AssertionError("an element is not a value")


def term_text(rows: JoinedTables, code: nodes.Expr) -> nodes.Expr:
    """Return the text of a type or predicate, by its code."""
    alias = rows.context.fresh("t")
    is_it = nodes.equal(nodes.Column(alias, "code"), code)
    select = nodes.Select(
        ((nodes.Column(alias, "text"), ""),), (nodes.From("term", alias),), (of_group(alias), is_it)
    )
    return nodes.Scalar(select)


def _read(rows: JoinedTables, read: ReadFrom) -> Value:
    element = rows.readable(read.owner)
    values = []
    if element.concept is not None:
        values.append(_read_row(rows, element, element.concept, ElementKind.CONCEPT, read))
    if element.link is not None:
        values.append(_read_row(rows, element, element.link, ElementKind.LINK, read))
    match values:
        case []:
            return TextValue(nodes.Null("text"))
        case [value]:
            return value
    concept, link = values
    if isinstance(concept, JsonValue) and isinstance(link, JsonValue):
        document = nodes.SqlCall("coalesce", (concept.document, link.document))
        return JsonValue(document, concept.key)
    assert element.concept is not None
    is_concept = nodes.IsNull(nodes.Column(element.concept, "id"), is_negated=True)
    return JsonValue(nodes.Case(((is_concept, json_of(concept)),), json_of(link)))


def _read_row(
    rows: JoinedTables, element: BoundElement, alias: str, kind: ElementKind, read: ReadFrom
) -> Value:
    fields = _CONCEPT_FIELDS if kind is ElementKind.CONCEPT else _LINK_FIELDS
    if read.key in fields and read.part in _PARTS_WITH_FIELDS:
        return TextValue(_field(rows, alias, read.key), element.is_nullable)
    match read.part:
        case ir.ElementPart.NAMED | ir.ElementPart.ATTRIBUTES:
            section = ast.Section.ATTRIBUTES
        case ir.ElementPart.METADATA if read.key in CLOCK_KEYS:
            return _clock_value(rows, alias, kind, read.key)
        case ir.ElementPart.METADATA:
            section = ast.Section.METADATA
        case ir.ElementPart.FIELDS:
            return TextValue(nodes.Null("text"))
        case _:
            assert_never(read.part)
    return JsonValue(rows.content(alias, kind.value, section.value), read.key)


def _field(rows: JoinedTables, alias: str, key: str) -> nodes.Expr:
    match key:
        case "id":
            own = nodes.Column(alias, "public_id")
            return nodes.SqlCall("coalesce", (own, _computed_id(nodes.Column(alias, "id"))))
        case "name":
            return nodes.Column(alias, "name")
        case "type" | "predicate":
            return term_text(rows, nodes.Column(alias, key))
    end = nodes.Column(alias, key)
    return given_id(end, rows.context.fresh("e"), _computed_id(end))


def _computed_id(element: nodes.Expr) -> nodes.Expr:
    return nodes.SqlCall("public_id", (ID_BITS, element))


def _clock_value(rows: JoinedTables, alias: str, kind: ElementKind, key: str) -> Value:
    """Return a reserved metadata value: the version, or an instant of either clock."""
    if key == "_version":
        return JsonValue(
            nodes.SqlCall("json_number", (rows.content(alias, kind.value, "version"),))
        )
    if key in _FACT_TIMES:
        at = rows.content(alias, kind.value, _FACT_TIMES[key])
        bound = nodes.InList(at, (nodes.Number(BEGINNING), nodes.Number(FOREVER)))
        return TextValue(nodes.Case(((bound, nodes.Null()),), nodes.SqlCall("instant", (at,))))
    if key not in _TIMES:  # `_expired_at` too: what a read shows has not expired by then
        return TextValue(nodes.Null("text"))
    number: nodes.Expr = nodes.Column(alias, _TIMES[key])
    if key == "_updated_at":
        number = rows.content(alias, kind.value, "changed_at")
    tx = rows.context.fresh("x")
    at_column = nodes.Column(tx, "at")
    select = nodes.Select(
        ((nodes.SqlCall("instant", (at_column,)), ""),),
        (nodes.From("tx", tx),),
        (
            nodes.equal(nodes.Column(tx, "group_id"), GROUP),
            nodes.equal(nodes.Column(tx, "number"), number),
        ),
    )
    return TextValue(nodes.Scalar(select))
