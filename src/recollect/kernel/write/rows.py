"""The statements that put elements on disk, and the order in which one flush runs them.

A flush collects rows, then writes each table once: rows that leave a name first, rows that
take one last, so that no unique index is ever in the way. The counts that DESCRIBE and the planner
read are kept by difference: every flush adds what it changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import orjson

from recollect.errors import RESOURCE_EXHAUSTED
from recollect.kernel.store.cells import (
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
)
from recollect.kernel.store.insertion import Insertion
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.rows import CLOSE, DELETE, DELETE_PAST, INSERT_PAST, UPDATE
from recollect.kernel.write.element import (
    Before,
    ConceptElement,
    Element,
    ElementContent,
    LinkElement,
    State,
)
from recollect.model import BEGINNING, FOREVER, LINK_BIT, LIVING, Attributes
from recollect.node import dataclass, field

LARGEST = 24 * 2**20
"""Bytes of attributes, and of metadata: what a line of a dump holds with room to spare."""

# All columns in the order of the schema: the driver reads the text anew for every row.
_CONTENT = "text text" + 6 * " bigint" + " bytea"  # up to the salt
_CONCEPTS = Insertion("concept", f"bigint bigint bigint text text {_CONTENT} text")
_LINKS = Insertion("link", f"bigint bigint bigint bigint bigint text text {_CONTENT}")
_MOVES_IN_ORDER = (
    DELETE["link"],
    DELETE["concept"],
    DELETE_PAST["link"],
    DELETE_PAST["concept"],
    CLOSE["link"],
    CLOSE["concept"],
    UPDATE["link"],
    UPDATE["concept"],
    INSERT_PAST["concept"],
    INSERT_PAST["link"],
)


@dataclass(slots=True)
class RowBatch:
    """The rows one flush of a transaction writes; `number` is the transaction's."""

    group_id: int
    number: int
    _moves: dict[Statement, list[Parameters]] = field(
        default_factory=lambda: {one: [] for one in _MOVES_IN_ORDER}
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
            self._add(element, DELETE, (element.id, self.group_id))
        else:
            self._update(element, old, new)
        if element.before is not None:
            self._move_past(element, element.before, old, new)

    def write(self, session: Session) -> None:
        """Write everything collected."""
        for statement, rows in self._moves.items():
            if rows:
                session.execute_many(statement, rows)
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
            self._add(element, UPDATE, (*said, *place))
        else:
            ends = LIVING if target.is_living else self.number
            self._add(element, CLOSE, (*said, ends, *place))

    def _move_past(self, element: Element, before: Before, old: State, new: State | None) -> None:
        """Keep the content the transaction found, exactly when the row has another one now."""
        had = old.content is not before.content
        has = new is not None and new.content is not before.content
        key = (self.group_id, element.id, self.number)
        if has and not had:
            row = (*key, *_content_columns(before.content), before.version, before.changed_at)
            self._add(element, INSERT_PAST, row)
        elif had and not has:
            self._add(element, DELETE_PAST, key)

    def _add(self, element: Element, does: Mapping[str, Statement], row: Parameters) -> None:
        table = "concept" if isinstance(element, ConceptElement) else "link"
        self._moves[does[table]].append(row)


def first_version(element: Element) -> int:
    """Return the version that an element is born with."""
    return element.first_version if isinstance(element, LinkElement) else 1


def _content_columns(content: ElementContent) -> tuple[str, str, int, int]:
    attributes, metadata = _json(content.attributes), _json(content.metadata)
    return attributes, metadata, content.valid_at, content.invalid_at


def _json(value: Attributes) -> str:
    if not value:
        return "{}"
    spelled = orjson.dumps(value)
    if len(spelled) > LARGEST:
        raise RESOURCE_EXHAUSTED.error(
            f"the attributes or the metadata of an element take more than {LARGEST} bytes",
            "store parts of them as concepts of their own",
        )
    return spelled.decode()


Move = tuple[Element, State, State | None]
"""An element, what its row says, and what it is about to say."""


Counts = Counter[tuple[str, int]]
"""Differences by kind of tally and term."""


def counts_of(made: Iterable[Element], moves: Iterable[Move]) -> Counts:
    """Return the difference that one flush makes."""
    counts = Counts()
    for element in made:
        _count(counts, element, 1, 1, _is_bounded(element.content))
    for element, old, new in moves:
        living = (new is not None and new.is_living) - old.is_living
        is_bounded = new is not None and _is_bounded(new.content)
        bounded = is_bounded - _is_bounded(old.content)
        _count(counts, element, living, -1 if new is None else 0, bounded)
    return counts


def _is_bounded(content: ElementContent) -> bool:
    """Whether there is a time at which what an element says is not true."""
    return content.valid_at != BEGINNING or content.invalid_at != FOREVER


def _count(counts: Counts, element: Element, living: int, rows: int, bounded: int) -> None:
    """Count an element that lives, and its row, of its type or predicate; a minus takes it away.

    Of all links that were ever there the planner must know which have keys, or links for ends.
    """
    if isinstance(element, ConceptElement):
        counts[TALLY_CONCEPTS, element.type] += living
        if bounded:
            counts[TALLY_BOUNDED_CONCEPTS, element.type] += bounded
        return
    assert isinstance(element, LinkElement)
    predicate = element.predicate
    counts[TALLY_LINKS, predicate] += living
    if bounded:
        counts[TALLY_BOUNDED_LINKS, predicate] += bounded
    if rows and element.key:
        counts[TALLY_KEYED, predicate] += rows
    if rows and element.subject & LINK_BIT:
        counts[TALLY_LINK_SUBJECTS, predicate] += rows
    if rows and element.object & LINK_BIT:
        counts[TALLY_LINK_OBJECTS, predicate] += rows
