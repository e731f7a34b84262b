"""Living elements with everything needed to make equal ones elsewhere, oldest first.

Concepts come before links, and links after their ends, so each can be written as it is read. The
moment is pinned by its transaction, so several short snapshots see one state; a purge, which erases
from the past too, ends the reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import orjson

from recollect.errors import STORE_BUSY, STORE_CORRUPT
from recollect.kernel.read.cells import compare
from recollect.kernel.read.moment import Moment, resolve_moment
from recollect.kernel.read.reader import Catalog
from recollect.kernel.sql.hydration import record_sql
from recollect.kernel.store.cells import members, public_id, text, whole
from recollect.kernel.store.group import Group, Terms, last_transaction, purges
from recollect.kernel.store.port import Parameters, Session, SqlRow, SqlValue, Store
from recollect.kernel.store.statements.records import ENDS, IS_PURGED, PAGE
from recollect.kernel.write.element import BOUNDS, VALID_FROM, VALID_UNTIL, advance_clock
from recollect.model import (
    BEGINNING,
    FOREVER,
    LINK_BIT,
    AsOf,
    Attributes,
    Concept,
    ConceptRecord,
    ElementKind,
    Instant,
    Link,
    LinkRecord,
    Operation,
    Record,
)
from recollect.node import dataclass, replace

_AT_ONCE = 1_000  # elements read together
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Reads records in one session, as of one moment."""

    session: Session
    group: Group
    terms: Terms
    moment: Moment

    def read(self, ids: Iterable[int]) -> dict[int, Record]:
        """Return elements by integer id, and those they depend on; the purged are left out."""
        reached = self.with_ends(set(ids))
        concepts = sorted(one for one in reached if one & 1 != LINK_BIT)
        links = sorted(one for one in reached if one & 1 == LINK_BIT)
        found: dict[int, Record] = {}
        for row in self.rows(ElementKind.CONCEPT, concepts):
            found[whole(row[0])] = self._concept(row)
        for row in sorted(self.rows(ElementKind.LINK, links)):
            found[whole(row[0])] = self._link(row, found)
        return found

    def with_ends(self, ids: set[int]) -> set[int]:
        """Return ids with those of the ends of links, and theirs."""
        reached, wave = set(ids), [one for one in ids if one & 1 == LINK_BIT]
        while wave:
            parameters: Parameters = {"ids": _array(wave), "group": self.group.group_id}
            rows = self.session.rows(ENDS, parameters)
            ends = {whole(end) for row in rows for end in row} - reached
            reached |= ends
            wave = [one for one in ends if one & 1 == LINK_BIT]
        return reached

    def rows(self, kind: ElementKind, ids: list[int]) -> list[SqlRow]:
        """Return the columns of `record_sql` for elements of one kind."""
        parameters: dict[str, SqlValue] = {
            "group": self.group.group_id,
            "ids": _array(ids),
            **self.moment.parameters,
        }
        if not ids:
            return []
        is_past = self.moment.clock.has_known
        compare(self.session, self.group, ids, is_past=is_past)
        return self.session.rows(
            record_sql(kind, self.moment.clock, self.session.dialect), parameters
        )

    def _concept(self, row: SqlRow) -> ConceptRecord:
        id_, given, type_, name, attributes, metadata, valid_at, invalid_at = row
        concept = Concept(
            self._public_id(id_, given),
            self.terms.text(self.session, whole(type_)),
            text(name),
            members(attributes),
            members(metadata),
        )
        clock = _Clock(whole(valid_at), whole(invalid_at), concept.metadata)
        return ConceptRecord(concept, given is not None, clock.inherited(), clock.earlier())

    def _link(self, row: SqlRow, found: Mapping[int, Record]) -> LinkRecord:
        id_, given, predicate, subject, object_, key, *content = row
        attributes, metadata, valid_at, invalid_at = content
        source, target = found.get(whole(subject)), found.get(whole(object_))
        if source is None or target is None:
            raise STORE_CORRUPT.error(
                "a link is not newer than both of its ends", "run recollect doctor"
            )
        link = Link(
            self._public_id(id_, given),
            _id_of(source),
            self.terms.text(self.session, whole(predicate)),
            _id_of(target),
            members(attributes),
            members(metadata),
        )
        clock = _Clock(whole(valid_at), whole(invalid_at), link.metadata)
        own_key = text(key)
        is_keyed = own_key != "" or _is_keyed(source) or _is_keyed(target)
        return LinkRecord(link, source, target, whole(id_), is_keyed, own_key, clock.earlier())

    def _public_id(self, id_: SqlValue, given: SqlValue) -> str:
        if given is not None:
            return text(given)
        return public_id(self.group.id_bits, whole(id_))


@dataclass(frozen=True, slots=True)
class Records:
    """Reads the records of a group as of a moment whose `known` is a transaction's number.

    STORE_BUSY when something of the group is purged meanwhile.
    """

    store: Store
    catalog: Catalog
    as_of: AsOf
    purges: int  # of the store, when it began
    last: int  # transaction of the group, when it began

    @classmethod
    def begin(cls, store: Store, session: Session, catalog: Catalog, as_of: AsOf | None) -> Records:
        """Return what reads as of a moment; now is the last transaction."""
        moment, group = as_of or AsOf(), catalog.group
        last = last_transaction(session, group.group_id)
        number = resolve_moment(session, group, moment).known
        pinned = replace(moment, known=None, transaction=last if number is None else number)
        return cls(store, catalog, pinned, purges(session), last)

    def all(self) -> Iterator[Record]:
        """Yield every element that is true at the moment, and those it depends on."""
        if self.as_of.valid is not None:
            yield from self.of(self._valid(self.as_of.valid))
            return
        for kind in ElementKind:
            for ids in self._pages(kind):
                yield from self._records_of(ids)

    def of(self, wanted: Iterable[int]) -> Iterator[Record]:
        """Yield some elements and those they depend on: the ends of links, and theirs."""
        with self.store.reading() as session:
            whole_set = self._in(session).with_ends(set(wanted))
        ids = sorted(whole_set, key=lambda one: (one & 1, one))
        for start in range(0, len(ids), _AT_ONCE):
            yield from self._records_of(ids[start : start + _AT_ONCE])

    def _valid(self, valid: Instant) -> Iterator[int]:
        """Yield the ids of what is true at an instant."""
        for kind in ElementKind:
            for ids in self._pages(kind):
                with self.store.reading() as session:
                    rows = self._in(session).rows(kind, ids)
                for row in rows:
                    if whole(row[-2]) <= valid < whole(row[-1]):
                        yield whole(row[0])

    def _pages(self, kind: ElementKind) -> Iterator[list[int]]:
        """Yield the ids of all elements of a kind, ascending."""
        after = -1
        while True:
            with self.store.reading() as session:
                parameters: dict[str, SqlValue] = {
                    **self._in(session).moment.parameters,
                    "group": self.catalog.group.group_id,
                    "after": after,
                    "most": _AT_ONCE,
                }
                ids = [whole(one) for (one,) in session.rows(PAGE[kind], parameters)]
            yield ids
            if len(ids) < _AT_ONCE:
                return
            after = ids[-1]

    def _records_of(self, ids: list[int]) -> Iterator[Record]:
        """Yield the elements of those ids."""
        with self.store.reading() as session:
            found = self._in(session).read(ids)
        yield from (found[one] for one in ids if one in found)

    def _in(self, session: Session) -> RecordReader:
        group = self.catalog.group
        session.stay_in(group.name)
        self._refuse_purged(session)
        moment = resolve_moment(session, group, self.as_of)
        return RecordReader(session, group, self.catalog.terms, moment)

    def _refuse_purged(self, session: Session) -> None:
        if not self.last or purges(session) == self.purges:
            return
        parameters: Parameters = {
            "group": self.catalog.group.group_id,
            "last": self.last,
            "purge": Operation.PURGE,
        }
        ((is_purged,),) = session.rows(IS_PURGED, parameters)
        if is_purged:  # else it was in another group
            raise STORE_BUSY.error(
                "something of the group was purged while it was read", "send the same request again"
            )


@dataclass(frozen=True, slots=True)
class _Clock:
    """An element's fact time beside the one that its metadata would set."""

    valid_at: int
    invalid_at: int
    metadata: Attributes

    def inherited(self) -> frozenset[str]:
        """Return the keys whose value is a time, or null, but did not set the fact time."""
        return frozenset(key for key, value in self._astray() if value is None or _is_time(value))

    def earlier(self) -> Attributes:
        """Return the metadata that brings about a fact time that the metadata does not tell."""
        bounds = {VALID_FROM: self.valid_at, VALID_UNTIL: self.invalid_at}
        told = {key: _iso(bounds[key]) for key, _ in self._astray()}
        return {key: text for key, text in told.items() if text is not None}

    def _astray(self) -> Iterator[tuple[str, object]]:
        told = advance_clock(BEGINNING, FOREVER, self.metadata)
        if told.valid_at != self.valid_at:
            yield VALID_FROM, self.metadata.get(VALID_FROM)
        if told.invalid_at != self.invalid_at:
            yield VALID_UNTIL, self.metadata.get(VALID_UNTIL)


def _is_time(value: object) -> bool:
    return (
        isinstance(value, str)
        and not advance_clock(BEGINNING, FOREVER, {VALID_FROM: value}).notices
    )


def _iso(bound: int) -> str | None:
    """Return a bound in ISO 8601; None if there is none, or if it cannot be written."""
    try:
        return (_EPOCH + timedelta(milliseconds=bound)).isoformat(timespec="milliseconds")
    except OverflowError as error:
        if bound in BOUNDS or abs(bound) >= FOREVER:
            return None
        raise STORE_CORRUPT.error(
            "a fact time is beyond the years 1 to 9999", "run recollect doctor"
        ) from error


def _is_keyed(record: Record) -> bool:
    return isinstance(record, LinkRecord) and record.is_keyed


def _id_of(record: Record) -> str:
    return record.concept.id if isinstance(record, ConceptRecord) else record.link.id


def _array(ids: Iterable[int]) -> str:
    return orjson.dumps(list(ids)).decode()
