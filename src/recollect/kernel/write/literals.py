"""Reads values out of a KML tree whose placeholders have been replaced by literals."""

from __future__ import annotations

from recollect.errors import INVALID_IDENTIFIER, REFERENCE_ERROR, RecollectError
from recollect.kernel.lang.ast import ConceptPattern, Literal, Size, Text, ValueNode
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.write.identity import ConceptName
from recollect.kernel.write.validation import identifier, members
from recollect.model import Attributes


def text_value(node: Text, what: str) -> str:
    """Return the checked text of a node; `what` names it in errors."""
    return identifier(constant(node), what, node.span)


def members_value(node: ValueNode | None, section: str) -> Attributes:
    """Return the checked attributes or metadata of a node; none when it is left out."""
    return {} if node is None else members(constant(node), section, node.span)


def version_value(node: Size | None) -> int | None:
    """Return the version a block expects; None when it expects none."""
    return None if node is None else Bindings({}).whole(node, "EXPECT VERSION")


def concept_name(pattern: ConceptPattern) -> ConceptName:
    """Return the parts a pattern gives."""
    if pattern.type is None and pattern.name is None and pattern.id is None:
        raise RecollectError(
            INVALID_IDENTIFIER,
            "the concept has no type, name or id",
            hint="write {type: ..., name: ...} or {id: ...}",
            span=pattern.span,
        )
    return ConceptName(
        type=None if pattern.type is None else text_value(pattern.type, "type"),
        name=None if pattern.name is None else text_value(pattern.name, "name"),
        id=None if pattern.id is None else text_value(pattern.id, "id"),
        span=pattern.span,
    )


class ConceptNames:
    """The parts that the patterns of one tree give, each read once; the tree outlives it."""

    def __init__(self) -> None:
        self._read: dict[int, ConceptName] = {}  # by the identity of the pattern

    def of(self, pattern: ConceptPattern) -> ConceptName:
        """Return the parts a pattern gives."""
        found = self._read.get(id(pattern))
        if found is None:
            found = self._read[id(pattern)] = concept_name(pattern)
        return found


def constant(node: ValueNode) -> object:
    """Return the value of a node, unchecked."""
    if isinstance(node, Literal):
        return node.value
    raise RecollectError(
        REFERENCE_ERROR,
        "a placeholder has no value",
        hint="give a value for it in parameters",
        span=node.span,
    )
