"""Values read from elements, and FILTER expressions over them.

A value is a field, an attribute or of the metadata. An expression has two truth values, and its
comparisons know the types of values: in SQL `'a' > 1` is true and a JSON `true` is 1, so every
comparison carries a type guard. KIP 1.0-draft3, "FILTER"; docs/kip/decisions.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from recollect.errors import INVALID_SYNTAX
from recollect.kernel.lang import ast
from recollect.kernel.lang.words import REGEX
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import class_of
from recollect.kernel.sql import nodes
from recollect.kernel.sql.rows import (
    GROUP,
    BoundElement,
    HeldValue,
    JoinedTables,
    JsonValue,
    Nothing,
    PredicateName,
    ReadFrom,
    TextValue,
    Value,
    are_same,
    bare,
    comparable,
    given_id,
    json_of,
    number_of,
    of_group,
    text_of,
)
from recollect.kernel.store.port import JsonPart
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


def owner_id(rows: JoinedTables, var: ir.Var) -> nodes.Expr:
    """Return the id of the element a value was read from, or NULL."""
    match rows.bindings[var]:
        case ReadFrom() as read:
            return rows.element(read.owner).id
        case HeldValue() as held:
            return held.owner
    return nodes.Null("bigint")


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
            return _clock_value(rows, alias, read.key)
        case ir.ElementPart.METADATA:
            section = ast.Section.METADATA
        case ir.ElementPart.FIELDS:
            return TextValue(nodes.Null("text"))
        case _:
            assert_never(read.part)
    return JsonValue(rows.content(alias, section.value), read.key)


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


def _clock_value(rows: JoinedTables, alias: str, key: str) -> Value:
    """Return a reserved metadata value: the version, or an instant of either clock."""
    if key == "_version":
        return JsonValue(nodes.SqlCall("json_number", (rows.content(alias, "version"),)))
    if key in _FACT_TIMES:
        at = rows.content(alias, _FACT_TIMES[key])
        bound = nodes.InList(at, (nodes.Number(BEGINNING), nodes.Number(FOREVER)))
        return TextValue(nodes.Case(((bound, nodes.Null()),), nodes.SqlCall("instant", (at,))))
    if key not in _TIMES:  # `_expired_at` too: what a read shows has not expired by then
        return TextValue(nodes.Null("text"))
    number: nodes.Expr = nodes.Column(alias, _TIMES[key])
    if key == "_updated_at":
        number = rows.content(alias, "changed_at")
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


_NEVER = nodes.Any(())
_ALWAYS = nodes.All(())
_SCALARS = {"string": "text", "number": "number"}
_TYPES = {"number": "numeric", "boolean": "bigint"}
_GUARDS = {"string": "is_json_text", "number": "is_json_number", "boolean": "is_json_boolean"}


class FilterCompiler:
    """Compiles the expressions of one FILTER over rows."""

    def __init__(self, rows: JoinedTables, scope: Mapping[str, ir.Var]) -> None:
        self._rows = rows
        self._scope = scope

    def compile(self, expression: ast.Expression) -> nodes.Expr:
        """Return the condition; NULL counts as false."""
        match expression:
            case ast.Compare():
                return self._compare(expression)
            case ast.And():
                return nodes.All(tuple([self.compile(one) for one in expression.operands]))
            case ast.Or():
                return nodes.Any(tuple([self.compile(one) for one in expression.operands]))
            case ast.Not():
                return nodes.Negate(self.compile(expression.operand))
            case ast.TestNull():
                condition = self._is_null(expression.value)
                return nodes.Negate(condition) if expression.negated else condition
            case ast.TestIn():
                choices = expression.choices
                assert isinstance(choices, ast.ArrayValue)
                same = (self._is_one_of(expression.value, one) for one in choices.items)
                return nodes.Any(tuple(same))
            case ast.TestText():
                return self._test_text(expression)
            case _:
                assert_never(expression)

    def _compare(self, compare: ast.Compare) -> nodes.Expr:
        match compare.operator:
            case ast.Comparison.EQ:
                return self._equal(compare.left, compare.right)
            case ast.Comparison.NE:
                return nodes.Negate(self._equal(compare.left, compare.right))
            case operator:
                return self._ordered(operator.value, compare.left, compare.right)

    def _equal(self, left: ast.Operand, right: ast.Operand) -> nodes.Expr:
        if _is_null(left):
            return self._is_null(right)
        if _is_null(right):
            return self._is_null(left)
        one, other = self._element(left), self._element(right)
        if one is not None and other is not None:
            return nodes.SqlCall("same", (one.id, other.id))
        if one is not None or other is not None:  # an element never equals a value
            return nodes.All((self._is_null(left), self._is_null(right)))
        if isinstance(left, ast.Parameter):
            left, right = right, left
        if isinstance(left, ast.READS) and isinstance(right, ast.Parameter):
            return _equals_parameter(self._value(left), right)
        return nodes.SqlCall("same", are_same(self._value(left), self._value(right)))

    def _is_one_of(self, operand: ast.Operand, choice: ast.ValueNode) -> nodes.Expr:
        """Compare with one value, or with a list of strings or of numbers."""
        assert isinstance(choice, ast.Literal | ast.Parameter)
        class_ = _class(choice)
        if isinstance(choice, ast.Literal) or class_ not in ("strings", "numbers"):
            return self._equal(operand, choice)
        if not self._is_value(operand):
            return _NEVER
        value = self._value(operand)
        if class_ == "strings":
            return nodes.InSelect(bare(text_of(value)), items_of(choice.name, "each_text"))
        return nodes.InSelect(number_of(value), items_of(choice.name, "each_value"))

    def _ordered(self, operator: str, left: ast.Operand, right: ast.Operand) -> nodes.Expr:
        """Numbers compare with numbers, strings with strings, and nothing else."""
        if not self._is_value(left) or not self._is_value(right):
            return _NEVER
        one = self._value(left)
        if isinstance(one, JsonValue) and isinstance(right, ast.Parameter):
            return _beyond_parameter(operator, one, right)
        other = self._value(right)
        classes = {_class(left), _class(right)} - {""}
        as_text = nodes.Binary(operator, text_of(one), text_of(other))
        as_number = nodes.Binary(operator, number_of(one), number_of(other))
        if not classes and not any(isinstance(each, TextValue) for each in (one, other)):
            return nodes.Any((as_number, as_text))
        if classes == {"number"}:
            return as_number
        if classes <= {"string"}:
            return as_text
        return _NEVER

    def _test_text(self, test: ast.TestText) -> nodes.Expr:
        if not self._is_value(test.text) or not self._is_value(test.part):
            return _NEVER
        text, part = text_of(self._value(test.text)), text_of(self._value(test.part))
        if test.function == REGEX and self._rows.context.dialect.pattern is not None:
            part = self._pattern(test.part)
        return nodes.SqlCall(test.function.lower(), (text, part))

    def _pattern(self, operand: ast.Operand) -> nodes.Expr:
        """Return a regular expression in the engine's own form, which only a constant has."""
        if not isinstance(operand, ast.Parameter):
            raise INVALID_SYNTAX.error(
                "the regular expression is read from the graph, which a server cannot do",
                'write it as a string or a parameter: REGEX(?name, "^a")',
                span=operand.span,
            )
        if _class(operand) != "string":
            return nodes.Null("text")
        self._rows.context.patterns.add(operand.name)
        return nodes.Param(pattern_name(operand.name), "text")

    def _is_null(self, operand: ast.Operand) -> nodes.Expr:
        if not isinstance(operand, ast.READS):
            return _ALWAYS if _is_null(operand) else _NEVER
        element = self._element(operand)
        if element is not None:
            return nodes.IsNull(element.id)
        return nodes.IsNull(comparable(self._value(operand)))

    def _is_value(self, operand: ast.Operand) -> bool:
        """Whether the operand is neither null as it stands nor an element."""
        return not _is_null(operand) and self._element(operand) is None

    def _element(self, operand: ast.Operand) -> BoundElement | None:
        if not isinstance(operand, ast.READS):
            return None
        binding = self._rows.bindings[self._scope[operand.name]]
        return binding if isinstance(binding, BoundElement) else None

    def _value(self, operand: ast.Operand) -> Value:
        if isinstance(operand, ast.READS):
            return value_of(self._rows, self._scope[operand.name])
        assert isinstance(operand, ast.Parameter)
        parameter = _parameter(operand)
        match _class(operand):
            case "string":
                return TextValue(parameter, is_nullable=False)
            case "boolean":
                return JsonValue(nodes.SqlCall("json_boolean", (parameter,)))
            case "number":
                return JsonValue(nodes.SqlCall("json_given", (parameter,)))
        return JsonValue(parameter)


def pattern_name(parameter: str) -> str:
    """Return the parameter that holds a regular expression in the engine's own form."""
    return f"{parameter}_pattern"


def items_of(parameter: str, each: str) -> nodes.Select:
    """Return what gives the items of a list that a parameter holds: `each_text`, `each_value`."""
    items = (nodes.From(nodes.SqlCall(each, (nodes.Param(parameter, "text"),)), "item"),)
    return nodes.Select(((nodes.Column("item", "value"), ""),), items)


def _parameter(operand: ast.Parameter) -> nodes.Param:
    return nodes.Param(operand.name, _TYPES.get(_class(operand), "text"))


def _equals_parameter(value: Value, operand: ast.Parameter) -> nodes.Expr:
    """Compare with a constant, with the SQL value bare so that an index can serve it."""
    parameter = _parameter(operand)
    class_ = _class(operand)
    if isinstance(value, TextValue):
        return nodes.equal(value.expr, parameter) if class_ == "string" else _NEVER
    if class_ == "container":
        return nodes.equal(comparable(value), comparable(JsonValue(parameter)))
    type_, sql_value = value.part(JsonPart.TYPE), value.part(JsonPart.VALUE)
    given = nodes.SqlCall("as_boolean" if class_ == "boolean" else "as_value", (parameter,))
    is_equal = nodes.SqlCall("equals_given", (sql_value, given))
    return nodes.All((is_equal, nodes.SqlCall(_GUARDS[class_], (type_,))))


def _beyond_parameter(operator: str, value: JsonValue, operand: ast.Parameter) -> nodes.Expr:
    """Order against a constant, with the SQL value bare so that an index can serve it."""
    if (class_ := _class(operand)) not in ("string", "number"):
        return _NEVER
    type_ = value.part(JsonPart.TYPE)
    given = (type_, value.part(JsonPart.VALUE), _parameter(operand))
    beyond = nodes.SqlCall(f"{_SCALARS[class_]} {operator}", given)
    return nodes.All((beyond, nodes.SqlCall(_GUARDS[class_], (type_,))))


def _class(operand: ast.Operand) -> str:
    """Return the type class of a constant; empty for a variable."""
    return class_of(operand) if isinstance(operand, ast.Parameter) else ""


def _is_null(operand: ast.Operand) -> bool:
    return isinstance(operand, ast.Literal)  # lifting leaves null alone in the tree
