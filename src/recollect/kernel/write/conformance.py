"""Strict groups: what a transaction leaves behind conforms to what the group declares.

The rule: the state at the end counts, so the blocks and statements of one text may complete one
another. Only elements that the transaction wrote are checked; all others may stay as they are. KIP
1.0-RC11, section 2.9.1. `instance_schema` is written by people and models, so any part of it that
is not understood demands nothing: `{"dose": {"type": "number", "is_required": true}}`.

Each group has its mode, open or strict, which is kept in the store and carried by a dump. Turning
strict changes nothing that is stored, and tells what in the group it would refuse.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import get_args

from recollect.errors import (
    CONSTRAINT_VIOLATION,
    INVALID_VALUE,
    TYPE_MISMATCH,
    Code,
    Hint,
    RecollectError,
    ToDo,
    not_among,
)
from recollect.kernel.lang import ast
from recollect.kernel.read.known_keys import META_TYPES
from recollect.kernel.read.moment import parse_instant
from recollect.kernel.schema.definitions import (
    NOUNS,
    Definition,
    definitions,
    given,
    place_of_concept,
    undeclared,
)
from recollect.kernel.search.known_terms import inventory, living_count, term_code
from recollect.kernel.store.cells import STRICT, members, text, whole
from recollect.kernel.store.group import Group, create_group, load_group, make_stale
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.declared import MAKE_OPEN, MAKE_STRICT
from recollect.kernel.store.statements.records import BY_TYPE
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.kernel.write.unit import Unit
from recollect.model import LIVING, Attributes, ElementKind, Misfit, Schema, SchemaMode, Value
from recollect.model.arguments import json_kind
from recollect.node import dataclass

CONCEPT, LINK = ElementKind.CONCEPT, ElementKind.LINK


def refuse_nonconforming(unit: Unit, changed: Iterable[Element], tree: ast.Script) -> None:
    """Raise for the first element that the flushed transaction wrote and that does not conform.

    KIP_2001 for an undeclared type or predicate, KIP_2002 for a missing attribute and for a
    definition that goes while it is in use, KIP_2003 for a value of the wrong type. A closed
    element conforms, and so does one whose metadata alone changed. `tree` is the text that wrote,
    to point into. Cost: the definitions.
    """
    declared = {kind: definitions(unit.session, unit.group, kind) for kind in ElementKind}
    written: list[ConceptElement] = []
    for element in changed:
        if not element.is_living:
            _refuse_lost(unit, element, declared, tree)
        elif _says_something_new(element):
            _refuse_undeclared(unit, element, declared)
            if isinstance(element, ConceptElement):
                written.append(element)
    for concept in written:
        _refuse_short(unit, concept, declared[CONCEPT], tree)


def _says_something_new(element: Element) -> bool:
    before = element.before
    return before is None or element.content.attributes is not before.content.attributes


def _refuse_undeclared(
    unit: Unit, element: Element, declared: Mapping[ElementKind, Mapping[str, Definition]]
) -> None:
    if isinstance(element, ConceptElement):
        kind, name = CONCEPT, unit.terms.text(element.type)
    else:
        assert isinstance(element, LinkElement)
        kind, name = LINK, unit.terms.text(element.predicate)
    if name not in declared[kind] and name not in given(unit.session.kinds, kind):
        raise undeclared(unit.session, unit.group, kind, name)


def _refuse_short(
    unit: Unit, concept: ConceptElement, declared: Mapping[str, Definition], tree: ast.Script
) -> None:
    type_ = unit.terms.text(concept.type)
    definition = declared.get(type_)
    if definition is None:
        return
    for one in shortfalls(demands(definition.attributes), concept.content.attributes):
        raise RecollectError(
            one.code,
            f'{{type: "{type_}", name: "{concept.name}"}} {one.message}',
            hint=one.hint,
            span=place_of_concept(tree, type_, concept.name),
            details={"type": type_, "name": concept.name, "attribute": one.attribute},
        )


def _refuse_lost(
    unit: Unit,
    element: Element,
    declared: Mapping[ElementKind, Mapping[str, Definition]],
    tree: ast.Script,
) -> None:
    """Refuse that a definition goes while something alive is of it."""
    if not isinstance(element, ConceptElement):
        return
    type_ = unit.terms.text(element.type)
    for kind, meta in META_TYPES.items():
        code = unit.terms.code(element.name)
        is_needed = type_ == meta and element.name not in given(unit.session.kinds, kind)
        if not is_needed or element.name in declared[kind] or code is None:
            continue
        count = living_count(unit.session, unit.group.group_id, kind, code)
        if count:
            users = f"{count} {kind.value}{'' if count == 1 else 's'}"
            raise CONSTRAINT_VIOLATION.error(
                f'the {NOUNS[kind]} "{element.name}" is in use by {users}',
                "delete those first",
                span=place_of_concept(tree, type_, element.name),
            )


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Value) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def _is_datetime(value: Value) -> bool:
    return isinstance(value, str) and parse_instant(value) is not None


_TESTS: Mapping[str, Callable[[Value], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "datetime": _is_datetime,
}
"""What a value of each type of `instance_schema` is; other types take any value."""

_WORDS = {
    "string": "a string",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "a boolean",
    "array": "an array",
    "object": "an object",
    "datetime": "an ISO 8601 time",
}


@dataclass(frozen=True, slots=True)
class Demand:
    """What a definition says of one attribute."""

    attribute: str
    types: tuple[str, ...]  # one of these; none: any value
    is_required: bool

    def takes(self, value: Value) -> bool:
        """Whether the attribute may have a value; null counts as no value and is allowed."""
        return value is None or not self.types or any(_TESTS[one](value) for one in self.types)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """One attribute that is not as its definition demands."""

    code: Code
    attribute: str
    message: str  # a fact, to follow the words for the concept
    hint: str


def demands(definition: Attributes) -> tuple[Demand, ...]:
    """Return what the attributes of a definition demand, as far as it is understood.

    >>> demands({"instance_schema": {"dose": {"type": "number"}, "form": {"type": "Form"}}})
    (Demand(attribute='dose', types=('number',), is_required=False),)
    """
    schema = definition.get("instance_schema")
    if not isinstance(schema, dict):
        return ()
    found = (_demand(attribute, said) for attribute, said in schema.items())
    return tuple(one for one in found if one.types or one.is_required)


def shortfalls(demanded: Iterable[Demand], attributes: Attributes) -> Iterator[Shortfall]:
    """Yield what attributes fall short of; a required one that is null is missing."""
    for one in demanded:
        value = attributes.get(one.attribute)
        wanted = " or ".join(_WORDS[type_] for type_ in one.types) or "a value"
        if value is None and one.is_required:
            message = f'lacks the required attribute "{one.attribute}"'
            hint = f'set "{one.attribute}" to {wanted}'
            yield Shortfall(CONSTRAINT_VIOLATION, one.attribute, message, hint)
        elif not one.takes(value):
            message = f'has {json_kind(value)} as "{one.attribute}", where {wanted} is declared'
            hint = f'set "{one.attribute}" to {wanted}'
            yield Shortfall(INVALID_VALUE, one.attribute, message, hint)


def _demand(attribute: str, said: Value) -> Demand:
    if not isinstance(said, dict):
        return Demand(attribute, (), is_required=False)
    written = said.get("type")
    listed = written if isinstance(written, list) else [written]
    types = tuple(one.casefold() for one in listed if isinstance(one, str))
    is_known = len(types) == len(listed) and all(one in _TESTS for one in types)
    return Demand(attribute, types if is_known else (), said.get("is_required") is True)


_AT_ONCE = 2_000  # concepts read together
_EXAMPLES = 3  # names of a misfit


def schema_of(session: Session, group: Group) -> Schema:
    """Return the mode of a group, how much it declares, and what a strict one would refuse.

    Cost: every concept of a type whose definition demands something.
    """
    declared = {kind: definitions(session, group, kind) for kind in ElementKind}
    return Schema(
        mode="strict" if group.is_strict else "open",
        concept_types=len(declared[ElementKind.CONCEPT]),
        proposition_types=len(declared[ElementKind.LINK]),
        misfits=tuple(_misfits(session, group, declared)),
    )


def set_schema_mode(session: Session, name: str, mode: SchemaMode, *, force: bool) -> None:
    """Make a group strict or open, inside a write transaction.

    KIP_2002 for a group that would not conform, unless forced: then elements that do not conform
    stay until they are written again. INVALID_ARGUMENT for any other mode. Cost: see `schema_of`.
    """
    _check_mode(mode)
    group = load_group(session, name) if mode == "open" else create_group(session, name)
    if group is None or group.is_strict == (mode == STRICT):
        return
    if mode == STRICT:
        if not force:
            _refuse_misfits(schema_of(session, group).misfits)
        session.execute_many(MAKE_STRICT, [{"group": group.group_id, "mode": STRICT}])
    else:
        session.execute_many(MAKE_OPEN, [{"group": group.group_id}])
    make_stale(session, group.group_id)  # who has the group in mind reads it again


def _check_mode(mode: str) -> None:
    modes = get_args(SchemaMode)
    if mode not in modes:
        raise not_among(f"{mode!r} is not a mode of a schema", mode, modes, 'use "{}"')


def _refuse_misfits(misfits: tuple[Misfit, ...]) -> None:
    if not misfits:
        return
    others = f", and {len(misfits) - 1} more such things" if len(misfits) > 1 else ""
    raise CONSTRAINT_VIOLATION.error(
        f"the group does not conform to its schema: {misfits[0].message}{others}",
        Hint("declare or mend it, or pass force=True", ToDo.DECLARE_OR_FORCE),
        details={"misfits": [asdict(one) for one in misfits]},
    )


def _misfits(
    session: Session, group: Group, declared: Mapping[ElementKind, Mapping[str, Definition]]
) -> Iterator[Misfit]:
    for kind, known in declared.items():
        known_names = given(session.kinds, kind) | known.keys()
        for entry in inventory(session, group, kind):
            if entry.count and entry.name not in known_names:
                message = f'the {NOUNS[kind]} "{entry.name}" is not declared'
                yield Misfit(TYPE_MISMATCH.code, message, entry.count)
    for name, definition in declared[ElementKind.CONCEPT].items():
        yield from _short(session, group, name, definition)


def _short(session: Session, group: Group, name: str, definition: Definition) -> Iterator[Misfit]:
    """Yield what concepts of a type fall short of, each thing once."""
    demanded = demands(definition.attributes)
    code = term_code(session, group.group_id, ElementKind.CONCEPT, name) if demanded else None
    if code is None:
        return
    found: defaultdict[tuple[str, str], list[tuple[str, Shortfall]]] = defaultdict(list)
    for concept, attributes in _concepts(session, group, code):
        for one in shortfalls(demanded, members(attributes)):
            found[one.code.code, one.attribute].append((concept, one))
    for (wire, _), fallen in found.items():
        names = tuple(concept for concept, _ in fallen)[:_EXAMPLES]
        message = f'{{type: "{name}", name: "{names[0]}"}} {fallen[0][1].message}'
        yield Misfit(wire, message, len(fallen), names)


def _concepts(session: Session, group: Group, type_: int) -> Iterator[tuple[str, str]]:
    after, asked = -1, {"group": group.group_id, "type": type_, "living": LIVING}
    while True:
        rows = session.rows(BY_TYPE, {**asked, "after": after, "most": _AT_ONCE})
        for _, name, attributes in rows:
            yield text(name), text(attributes)
        if len(rows) < _AT_ONCE:
            return
        after = whole(rows[-1][0])
