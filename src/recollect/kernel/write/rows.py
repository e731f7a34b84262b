"""The statements that put elements on disk, and the order in which one flush runs them.

A flush collects rows, then writes each table once: rows that leave a name first, rows that
take one last, so that no unique index is ever in the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from recollect.errors import RESOURCE_EXHAUSTED, RecollectError
from recollect.kernel.store.insertion import Insertion
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.schema import LIVING
from recollect.kernel.write.element import (
    Before,
    ConceptElement,
    Content,
    Element,
    LinkElement,
    State,
)
from recollect.model import Attributes

LARGEST = 24 * 2**20
"""Bytes of attributes, and of metadata: what a line of a dump holds with room to spare."""

_ELEMENT_COLUMNS = (
    "e.id, e.public_id, e.salt, e.attributes, e.metadata, e.valid_at, e.invalid_at, "
    "e.version, e.born_at, e.changed_at"
)
CONCEPT_COLUMNS = f"{_ELEMENT_COLUMNS}, e.type, e.name, e.name_key"
LINK_COLUMNS = f"{_ELEMENT_COLUMNS}, e.subject, e.predicate, e.object, e.key"

# All columns in the order of the schema: the driver reads the text anew for every row.
_CONCEPTS = Insertion("concept", 15, blob=13)
_LINKS = Insertion("link", 16, blob=15)
_UPDATE = """
UPDATE {} SET attributes = ?, metadata = ?, valid_at = ?, invalid_at = ?, version = ?,
    changed_at = ?
WHERE id = ? AND group_id = ?
"""
_CLOSE = """
UPDATE {} SET attributes = ?, metadata = ?, valid_at = ?, invalid_at = ?, version = ?,
    changed_at = ?, expired_at = ?
WHERE id = ? AND group_id = ?
"""  # every index holds `expired_at`, and whoever sets it writes all of them anew
_UPDATE_CONCEPT, _UPDATE_LINK = _UPDATE.format("concept"), _UPDATE.format("link")
_CLOSE_CONCEPT, _CLOSE_LINK = _CLOSE.format("concept"), _CLOSE.format("link")
_DELETE_CONCEPT = "DELETE FROM concept WHERE id = ? AND group_id = ?"
_DELETE_LINK = "DELETE FROM link WHERE id = ? AND group_id = ?"
_INSERT_CONCEPT_PAST = """
INSERT INTO concept_past (group_id, id, until, attributes, metadata, valid_at, invalid_at, version,
    changed_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_LINK_PAST = """
INSERT INTO link_past (group_id, id, until, attributes, metadata, valid_at, invalid_at, version,
    changed_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
_DELETE_CONCEPT_PAST = "DELETE FROM concept_past WHERE group_id = ? AND id = ? AND until = ?"
_DELETE_LINK_PAST = "DELETE FROM link_past WHERE group_id = ? AND id = ? AND until = ?"


_MOVES_IN_ORDER = (
    _DELETE_LINK,
    _DELETE_CONCEPT,
    _DELETE_LINK_PAST,
    _DELETE_CONCEPT_PAST,
    _CLOSE_LINK,
    _CLOSE_CONCEPT,
    _UPDATE_LINK,
    _UPDATE_CONCEPT,
    _INSERT_CONCEPT_PAST,
    _INSERT_LINK_PAST,
)


@dataclass(slots=True)
class RowBatch:
    """The rows one flush of a transaction writes; `number` is the transaction's."""

    group_id: int
    number: int
    _moves: dict[str, list[Parameters]] = field(
        default_factory=lambda: {sql: [] for sql in _MOVES_IN_ORDER}
    )
    _links: list[SqlRow] = field(default_factory=list)
    _concepts: list[SqlRow] = field(default_factory=list)

    def insert(self, elements: Iterable[Element]) -> None:
        """Collect the rows of living elements that have none."""
        group_id, number = self.group_id, self.number
        links, concepts = self._links, self._concepts
        for element in elements:
            attributes, metadata, valid_at, invalid_at = element.content
            if isinstance(element, LinkElement):
                link = (
                    element.id,
                    group_id,
                    element.subject,
                    element.predicate,
                    element.object,
                    element.key,
                    element.public_id,
                    _json(attributes),
                    _json(metadata),
                    valid_at,
                    invalid_at,
                    element.first_version,
                    number,
                    number,
                    LIVING,
                    element.salt,
                )
                links.append(link)
            elif isinstance(element, ConceptElement):
                concept = (
                    element.id,
                    group_id,
                    element.type,
                    element.name,
                    element.public_id,
                    _json(attributes),
                    _json(metadata),
                    valid_at,
                    invalid_at,
                    1,  # version
                    number,
                    number,
                    LIVING,
                    element.salt,
                    element.name_key,
                )
                concepts.append(concept)

    def move(self, element: Element, old: State, new: State | None) -> None:
        """Collect what takes an element's row from what is on disk to another state, or away."""
        if new is None:
            self._add(element, _DELETE_CONCEPT, _DELETE_LINK, (element.id, self.group_id))
        else:
            self._update(element, old, new)
        if element.before is not None:
            self._move_past(element, element.before, old, new)

    def write(self, session: Session) -> None:
        """Write everything collected."""
        for sql, rows in self._moves.items():
            if rows:
                session.execute_many(sql, rows)
        _CONCEPTS.run(session, self._concepts)
        _LINKS.run(session, self._links)

    def _update(self, element: Element, old: State, target: State) -> None:
        before, content = element.before, target.content
        if before is None:
            version, changed_at = first_version(element), self.number
        elif content is before.content:
            version, changed_at = before.version, before.changed_at
        else:
            version, changed_at = before.version + 1, self.number
        said = (*_content_columns(content), version, changed_at)
        place = element.id, self.group_id
        if target.is_living == old.is_living:
            self._add(element, _UPDATE_CONCEPT, _UPDATE_LINK, (*said, *place))
        else:
            ends = LIVING if target.is_living else self.number
            self._add(element, _CLOSE_CONCEPT, _CLOSE_LINK, (*said, ends, *place))

    def _move_past(self, element: Element, before: Before, old: State, new: State | None) -> None:
        """Keep the content the transaction found, exactly when the row has another one now."""
        had = old.content is not before.content
        has = new is not None and new.content is not before.content
        key = (self.group_id, element.id, self.number)
        if has and not had:
            row = (*key, *_content_columns(before.content), before.version, before.changed_at)
            self._add(element, _INSERT_CONCEPT_PAST, _INSERT_LINK_PAST, row)
        elif had and not has:
            self._add(element, _DELETE_CONCEPT_PAST, _DELETE_LINK_PAST, key)

    def _add(self, element: Element, concept_sql: str, link_sql: str, row: Parameters) -> None:
        self._moves[concept_sql if isinstance(element, ConceptElement) else link_sql].append(row)


def first_version(element: Element) -> int:
    """Return the version that an element is born with."""
    return element.first_version if isinstance(element, LinkElement) else 1


def _content_columns(content: Content) -> tuple[str, str, int, int]:
    attributes, metadata = _json(content.attributes), _json(content.metadata)
    return attributes, metadata, content.valid_at, content.invalid_at


def _json(value: Attributes) -> str:
    if not value:
        return "{}"
    spelled = orjson.dumps(value)
    if len(spelled) > LARGEST:
        raise RecollectError(
            RESOURCE_EXHAUSTED,
            f"the attributes or the metadata of an element take more than {LARGEST} bytes",
            hint="store parts of them as concepts of their own",
        )
    return spelled.decode()
