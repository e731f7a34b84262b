"""What may enter the graph: names and values are checked here, once, before anything changes.

A value of a KML tree is read here too, after its placeholders have been replaced by literals.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from recollect.errors import (
    CONSTRAINT_VIOLATION,
    INVALID_IDENTIFIER,
    INVALID_SYNTAX,
    INVALID_VALUE,
    REFERENCE_ERROR,
    Notice,
    RecollectError,
    Span,
)
from recollect.kernel.lang.ast import ConceptPattern, Literal, Size, Text, ValueNode
from recollect.kernel.lang.cursor import MAX_DEPTH
from recollect.kernel.plan.bind import Bindings, fault, unfit
from recollect.kernel.plan.scope import LONGEST_NAME, canonical_name
from recollect.model import Attributes, Meant

_DEEPEST = MAX_DEPTH - 1
"""How many levels a value may have: with the object around it, as many as a text may write."""

_PATH_SIGNS = re.compile(r"[{}|]")

_MOST_KEYS, _LONGEST_KEY = 4_096, 64
_known_keys: set[str] = set()
"""Keys that were checked in this process: the words of a schema come again and again."""


def identifier(text: object, what: str, span: Span | None = None) -> str:
    r"""Return a type, name, predicate, id or key as it is stored: non-empty, NFC.

    `what` names it in the error: KIP_2003 when it is not a text the store can hold, KIP_1002
    when it is empty or too long.

    >>> identifier("Cafe\u0301", "name") == "Caf\u00e9"
    True
    """
    if type(text) is str and 0 < len(text) <= LONGEST_NAME and text.isascii() and "\0" not in text:
        return text  # as nearly all are
    if not isinstance(text, str):
        raise INVALID_VALUE.error(f"the {what} is not a string", "write it in quotes", span=span)
    if not text:
        raise INVALID_IDENTIFIER.error(f"the {what} is empty", f"give the {what}", span=span)
    normal = canonical_name(text, span)
    if "\0" in normal:
        raise INVALID_VALUE.error(f"the {what} holds a NUL character", span=span)
    return normal


def plain_predicate(text: object, span: Span | None = None) -> str:
    """Return a predicate that may be written: one without path operators, else KIP_1001."""
    predicate = identifier(text, "predicate", span)
    if _PATH_SIGNS.search(predicate):
        raise INVALID_SYNTAX.error(
            f'the predicate "{predicate}" holds a path operator',
            "write one plain predicate, without { } and |",
            span=span,
        )
    return predicate


def removable_key(key: str, section: str, span: Span | None = None) -> str:
    """Return a key that may be deleted; KIP_2002 for one of metadata that begins with `_`."""
    if section == "metadata" and key.startswith("_"):
        raise CONSTRAINT_VIOLATION.error(
            f'the key "{key}" of metadata begins with _: only the memory itself deletes it',
            f'leave "{key}" out',
            span=span,
        )
    return key


def members(
    values: object, section: str, span: Span | None = None, reserved: Container[str] = ()
) -> Attributes:
    """Return attributes or metadata that may be stored.

    KIP_2003 for values that JSON or 64 bits cannot carry, KIP_4002 for values that nest too deep,
    KIP_2002 for a key that begins with `_` and is not one of the `reserved` ones.
    """
    if type(values) is not dict:  # nearly all are one
        if not isinstance(values, Mapping):
            raise INVALID_VALUE.error(
                f"{section} is not an object", "write { key: value }", span=span
            )
        values = dict(values)
    if not values:
        return values
    for key, value in values.items():
        if type(key) is not str or key not in _known_keys:
            _check_key(key, section, span, reserved)
        if type(value) is str and value.isascii() and "\0" not in value:
            continue  # as nearly all are
        if reason := fault(value, _DEEPEST):
            raise _unfit_value(key, reason, section, span)
    return values


def _check_key(key: object, section: str, span: Span | None, reserved: Container[str]) -> None:
    if not isinstance(key, str) or not key or (key[0] == "_" and key not in reserved):
        raise _unfit_key(key, section, span)
    if reason := fault(key, _DEEPEST):
        raise _unfit_value(key, reason, section, span)
    is_word = type(key) is str and key[0] != "_" and len(key) <= _LONGEST_KEY
    if is_word and len(_known_keys) < _MOST_KEYS:
        _known_keys.add(key)


def _unfit_value(key: str, reason: str, section: str, span: Span | None) -> RecollectError:
    shown = key.encode("utf-8", "replace").decode()
    return unfit(f'the value of "{shown}" in {section}', reason, _DEEPEST, span)


def _unfit_key(key: object, section: str, span: Span | None) -> RecollectError:
    if not isinstance(key, str):
        return INVALID_VALUE.error(f"a key of {section} is not a string", span=span)
    if not key:
        return INVALID_VALUE.error(f"a key of {section} is empty", "give it a name", span=span)
    return CONSTRAINT_VIOLATION.error(
        f'the key "{key}" of {section} begins with _, which is reserved',
        f'use "{key.lstrip("_") or "key"}"',
        span=span,
    )


_FIELDS = frozenset({"id", "type", "name"})


def text_value(node: Text, what: str) -> str:
    """Return the checked text of a node; `what` names it in errors."""
    return identifier(constant(node), what, node.span)


def members_value(node: ValueNode | None, section: str) -> Attributes:
    """Return the checked attributes or metadata of a node; none when it is left out."""
    return {} if node is None else members(constant(node), section, node.span)


def version_value(node: Size | None) -> int | None:
    """Return the version a block expects; None when it expects none."""
    return None if node is None else Bindings({}).whole(node, "EXPECT VERSION")


def concept_meant(pattern: ConceptPattern) -> Meant:
    """Return the parts a pattern gives."""
    if pattern.type is None and pattern.name is None and pattern.id is None:
        raise INVALID_IDENTIFIER.error(
            "the concept has no type, name or id",
            "write {type: ..., name: ...} or {id: ...}",
            span=pattern.span,
        )
    return Meant(
        type=None if pattern.type is None else text_value(pattern.type, "type"),
        name=None if pattern.name is None else text_value(pattern.name, "name"),
        id=None if pattern.id is None else text_value(pattern.id, "id"),
        span=pattern.span,
    )


def hidden_attributes(keys: Iterable[str], span: Span | None) -> Iterator[Notice]:
    """Yield a notice for each attribute of a concept that ATTR does not read: fields hide it."""
    for key in sorted(_FIELDS.intersection(keys)):
        yield Notice(
            "hidden_attribute",
            f'ATTR(?x, "{key}", ?v) reads the field {key}, not the attribute of that name',
            hint=f"read it as ?x.attributes.{key}",
            span=span,
        )


def constant(node: ValueNode) -> object:
    """Return the value of a node, unchecked."""
    if isinstance(node, Literal):
        return node.value
    raise REFERENCE_ERROR.error(
        "a placeholder has no value", "give a value for it in parameters", span=node.span
    )
