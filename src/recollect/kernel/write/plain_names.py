"""A plain name in a batch: the one concept that it means, else one that is made for it.

The rule: a name means one thing. What a plain name made becomes what it is said to be, and two of
one name come about only where both types are said; that is told.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.errors import DUPLICATE_EXISTS, Notice, RecollectError
from recollect.kernel.search.document import ALIASES
from recollect.kernel.search.meant import By, best_of, how_called, ids_meant
from recollect.kernel.write.element import ConceptElement, Tracker
from recollect.kernel.write.identity import (
    ConceptName,
    find_concept,
    match_or_create,
    missing_concept,
)
from recollect.kernel.write.merge_concepts import bear_anew
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import identifier
from recollect.model import Named

_SHOWN = 10  # candidates in an error


class PlainNames:
    """The concepts that the plain names of one batch mean."""

    def __init__(self, unit: Unit, tracker: Tracker) -> None:
        self._unit = unit
        self._tracker = tracker
        self._known: dict[tuple[str, str | None], ConceptElement] = {}

    def concept(self, named: Named) -> ConceptElement:
        """Return the concept that a plain name means, made or born anew if need be.

        KIP_3003 where several are meant, KIP_3002 where none is and none can be made.
        """
        name = identifier(named.name, "name")
        type_ = None if named.type is None else identifier(named.type, "type")
        known = self._known.get((name, type_))
        if known is not None and known.is_living:
            return known
        found = self._one(name) if type_ is None else self._of_type(name, type_)
        self._known[name, type_] = found
        return found

    def _one(self, name: str) -> ConceptElement:
        unit, found = self._unit, self._meant(name, None)
        if len(found) > 1:
            raise self._ambiguous(name, found)
        if found:
            return found[0]
        made = unit.session.kinds.made
        if made is None:
            raise missing_concept(unit, ConceptName(name=name))
        return self._made(ConceptName(made, name))

    def _of_type(self, name: str, type_: str) -> ConceptElement:
        unit, wanted = self._unit, ConceptName(type_, name)
        kinds = unit.session.kinds
        there = find_concept(unit, wanted)
        if there is not None:
            return there
        if not kinds.is_free(type_):
            if type_ in kinds.owned:
                raise missing_concept(unit, wanted)
            return self._made(wanted)
        found = self._meant(name, type_)
        if len(found) > 1:
            raise self._ambiguous(name, found)
        if found:
            return found[0]
        others = self._meant(name, None)
        if len(others) == 1 and self._type(others[0]) == kinds.made:
            return self._become(others[0], type_)
        concept = self._made(wanted)
        if others:
            message = f"{wanted} is new beside {self._told(others)}, which has that name too"
            hint = f'if they are one, merge them, or name it: {{"id": "{self._id(others[0])}"}}'
            unit.notices.append(Notice("name_of_two", message, hint=hint))
        return concept

    def _become(self, concept: ConceptElement, type_: str) -> ConceptElement:
        unit, was = self._unit, self._type(concept)
        born = bear_anew(unit, concept, type_)
        self._tracker.meet(born, is_new=False)
        message = f'"{born.name}" was of the type "{was}" and is of the type "{type_}" from now on'
        unit.notices.append(Notice("kind_known", message))
        return born

    def _made(self, wanted: ConceptName) -> ConceptElement:
        concept, is_new = match_or_create(self._unit, wanted, in_any_spelling=True)
        self._tracker.meet(concept, is_new)
        return concept

    def _meant(self, name: str, type_: str | None) -> list[ConceptElement]:
        """Return what a name means, what this transaction made and closed included."""
        unit = self._unit
        found: dict[int, By] = {}
        for one, by in ids_meant(unit.session, unit.group, name, type_).items():
            element = unit.directory.by_id(one)
            if isinstance(element, ConceptElement) and element.is_living:
                found[one] = by
        found |= dict(self._touched(name, type_))
        elements = map(unit.directory.by_id, best_of(found.items()))
        return [one for one in elements if isinstance(one, ConceptElement)]

    def _touched(self, name: str, type_: str | None) -> Iterator[tuple[int, By]]:
        kinds = self._unit.session.kinds
        for one in self._unit.changed():
            if isinstance(one, ConceptElement) and one.is_living:
                type = self._type(one)
                aliases = one.content.attributes.get(ALIASES)
                listed = aliases if isinstance(aliases, list) else [aliases]
                by = how_called(name, one.name, listed)
                if by is not None and kinds.is_free(type) and type_ in (None, type):
                    yield one.id, by

    def _ambiguous(self, name: str, found: list[ConceptElement]) -> RecollectError:
        first = {"type": self._type(found[0]), "name": found[0].name}
        return RecollectError(
            DUPLICATE_EXISTS,
            f'the name "{name}" means {len(found)} concepts: {self._told(found)}',
            hint=f'say which: {{"type": "{first["type"]}", "name": "{first["name"]}"}}',
            known=tuple(self._id(one) for one in found[:_SHOWN]),
            details={
                "candidates": [
                    {"id": self._id(one), "type": self._type(one), "name": one.name}
                    for one in found[:_SHOWN]
                ]
            },
        )

    def _told(self, found: list[ConceptElement]) -> str:
        return ", ".join(
            str(ConceptName(self._type(one), one.name, self._id(one))) for one in found[:_SHOWN]
        )

    def _type(self, concept: ConceptElement) -> str:
        return self._unit.terms.text(concept.type)

    def _id(self, concept: ConceptElement) -> str:
        return self._unit.public_id(concept)
