"""EXPORT: living elements with everything needed to make equal ones elsewhere, and the KIP of it.

Concepts come before links and links after their ends, oldest first, so each can be written as it is
read, and a page of an export stands only on those before it. The moment is pinned by its
transaction, so several short snapshots see one state; a purge, which erases from the past too, ends
the reading.

In a capsule every block carries its own metadata and inherits none. Elements are named by handle,
other concepts by type and name, other links by subject, predicate and object. Keyed links, which
KIP cannot express, and elements that only a call of their own writes are counted and left out, with
the links about them. KIP 1.0-RC11, section 5.3.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import assert_never

import orjson

from recollect.errors import STORE_BUSY, STORE_CORRUPT, Notice
from recollect.kernel.lang import ast, print_text
from recollect.kernel.lang.print_inline import visible
from recollect.kernel.plan.bind import Bindings, bind_values
from recollect.kernel.read.cells import Page, PagePlace, question_of, write_cursor
from recollect.kernel.read.moment import Moment, compare, resolve_moment
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.sql.hydration import record_sql
from recollect.kernel.store.cells import SqlValue, members, public_id, text, whole
from recollect.kernel.store.group import Group, Terms, last_transaction, purges
from recollect.kernel.store.port import Parameters, Session, SqlRow, Store
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
    Exported,
    Instant,
    Kinds,
    Link,
    LinkRecord,
    Operation,
    Record,
    Value,
)
from recollect.node import dataclass, field, replace

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


_NESTED = 4  # levels of a link that is written in place; deeper ones get blocks of their own
_DUMP = "copy them with a dump: recollect dump"


@dataclass(slots=True)
class Capsule:
    """One capsule as it grows; `with_ids` gives concepts the ids that were given to them."""

    kinds: Kinds
    with_ids: bool
    concepts: int = 0
    links: int = 0
    keyed: int = 0  # links that were left out: KIP cannot say a key
    owned: int = 0  # elements left out: KML does not write them, or what they depend on
    characters: int = 0
    _blocks: list[str] = field(default_factory=list)
    _inherited: dict[str, list[str]] = field(default_factory=dict)  # blocks by outer metadata
    _handles: dict[str, str] = field(default_factory=dict)  # by id

    @property
    def elements(self) -> int:
        """How many elements were added and not left out."""
        return self.concepts + self.links

    def add(self, record: Record) -> None:
        """Add an element, after everything it depends on."""
        if _is_owned(self.kinds, record):
            self.owned += 1
            return
        match record:
            case ConceptRecord():
                self._add_concept(record)
            case LinkRecord(is_keyed=True):
                self.keyed += 1
            case LinkRecord():
                self._add_link(record)
            case _:
                assert_never(record)

    def text(self) -> str:
        """Return the capsule: an UPSERT, and one for each metadata that sets no fact time."""
        texts = [_upsert(self._blocks)]
        texts += [_upsert(blocks, outer) for outer, blocks in self._inherited.items()]
        return "".join(texts)

    def left_out(self, keyed_hint: str = _DUMP) -> list[Notice]:
        """Return the warnings of what was left out."""
        found: list[Notice] = []
        if self.keyed:
            message = f"links with a key, which KIP cannot say, are left out: {self.keyed}"
            found.append(Notice("links_left_out", message, hint=keyed_hint))
        if self.owned:
            message = f"what KML does not write, as episodes and claims, is left out: {self.owned}"
            found.append(Notice("owned_left_out", message, hint=_DUMP))
        return found

    def _add_concept(self, record: ConceptRecord) -> None:
        concept, told = record.concept, _written_metadata(record.concept.metadata)
        self.concepts += 1
        handle = self._handles[concept.id] = f"?c{self.concepts}"
        pattern = _pattern(record, with_id=self.with_ids)
        said = _section(concept.attributes)
        own = {key: told[key] for key in told if key not in record.inherited}
        if record.earlier:
            self._put(f"CONCEPT {{ {pattern} }}{_metadata(record.earlier)}")
        if not record.inherited:
            self._put(f"CONCEPT {handle} {{ {pattern}{said} }}{_metadata(own)}")
            return
        # Metadata of the UPSERT sets no fact time of a concept; the concept is born in its place.
        self._put(f"CONCEPT {handle} {{ {pattern}{said} }}")
        outer = {key: told[key] for key in sorted(record.inherited)}
        block = f"CONCEPT {{ {_pattern(record)} }}{_metadata(own)}"
        self._inherited.setdefault(_json(outer), []).append(block)
        self.characters += len(block)

    def _add_link(self, record: LinkRecord) -> None:
        for end in (record.subject, record.object):
            if self._is_deep(end, _NESTED):
                for link in self._unnamed(end):
                    self._put_link(link, "", {})
        if record.earlier:
            self._put(f"PROPOSITION {{ {self._triple(record)} }}{_metadata(record.earlier)}")
        self.links += 1
        self._put_link(
            record, _section(record.link.attributes), _written_metadata(record.link.metadata)
        )

    def _put_link(self, record: LinkRecord, said: str, metadata: Attributes) -> None:
        triple, handle = self._triple(record), f"?l{len(self._handles) - self.concepts + 1}"
        self._handles[record.link.id] = handle
        self._put(f"PROPOSITION {handle} {{ {triple}{said} }}{_metadata(metadata)}")

    def _triple(self, record: LinkRecord) -> str:
        subject, target = self._end(record.subject), self._end(record.object)
        return f"({subject}, {_json(record.link.predicate)}, {target})"

    def _end(self, record: Record) -> str:
        """Return how a link of this capsule names an end."""
        match record:
            case ConceptRecord():
                return self._handles.get(record.concept.id) or _pattern(record)
            case LinkRecord():
                return self._handles.get(record.link.id) or self._triple(record)
            case _:
                assert_never(record)

    def _is_deep(self, record: Record, levels: int) -> bool:
        """Whether an end outside the capsule takes more levels to write in place."""
        if isinstance(record, ConceptRecord) or record.link.id in self._handles:
            return False
        return levels == 0 or any(
            self._is_deep(end, levels - 1) for end in (record.subject, record.object)
        )

    def _unnamed(self, record: Record) -> list[LinkRecord]:
        """Return the links that only earlier capsules made and this one must name, oldest first."""
        found: dict[str, LinkRecord] = {}
        wave: list[Record] = [record]
        while wave:
            one = wave.pop()
            if isinstance(one, LinkRecord) and not {one.link.id} & (self._handles.keys() | found):
                found[one.link.id] = one
                wave += [one.subject, one.object]
        return sorted(found.values(), key=lambda one: one.place)

    def _put(self, block: str) -> None:
        self._blocks.append(block)
        self.characters += len(block)


def _is_owned(kinds: Kinds, record: Record) -> bool:
    """Whether an element, or one that it depends on, is of a type that KML does not write."""
    seen: set[str] = set()
    wave: list[Record] = [record]
    while wave:
        match wave.pop():
            case ConceptRecord(concept):
                if concept.type in kinds.owned:
                    return True
            case LinkRecord(link, subject, target):
                if link.id not in seen:
                    seen.add(link.id)
                    wave += [subject, target]
    return False


def _upsert(blocks: list[str], outer: str = "") -> str:
    lines = "".join(f"    {block}\n" for block in blocks)
    return f"UPSERT {{\n{lines}}}{f' WITH METADATA {outer}' if outer else ''}\n"


def _pattern(record: ConceptRecord, *, with_id: bool = False) -> str:
    concept = record.concept
    given = f", id: {_json(concept.id)}" if with_id and record.given_id else ""
    return f"{{type: {_json(concept.type)}, name: {_json(concept.name)}{given}}}"


def _section(attributes: Attributes) -> str:
    return f" SET ATTRIBUTES {_json(attributes)}" if attributes else ""


def _written_metadata(metadata: Attributes) -> Attributes:
    """Return the metadata that people wrote, without what the memory itself keeps there."""
    return {key: metadata[key] for key in metadata if not key.startswith("_")}


def _metadata(metadata: Attributes) -> str:
    """Return it in the order of its keys, which may come to a memory in several steps."""
    return f" WITH METADATA {_json(dict(sorted(metadata.items())))}" if metadata else ""


def _json(value: Value | Attributes) -> str:
    return visible(json.dumps(value, ensure_ascii=False))


def export(reader: Reader, bindings: Bindings, query: ast.Export) -> Exported:
    """Return a page of the capsule. KIP_4002 for more elements than an answer has rows."""
    find = ast.Find((query.target,), query.where, limit=query.limit, cursor=query.cursor)
    page = Page.of(find, bindings)
    with reader.at_page(page):
        ids = sorted(reader.named(query.where, query.target, bindings, "EXPORT"), key=_order)
        question = _question(reader, bindings, query)
        start = _start(page, question, ids)
        chosen = ids[start:] if page.limit is None else ids[start : start + page.limit]
        capsule = _capsule(reader, chosen)
        cursor = None
        if chosen and start + len(chosen) < len(ids) and not reader.session.is_writing:
            cursor = write_cursor(question, _place(reader, start + len(chosen), chosen[-1]))
    return Exported(capsule.text(), capsule.concepts, capsule.links, cursor)


def _order(element: int) -> tuple[int, int]:
    return element & LINK_BIT, element


def _question(reader: Reader, bindings: Bindings, query: ast.Export) -> str:
    asked = bind_values(ast.Export(query.target, query.where), bindings)
    return question_of(reader.group, "EXPORT", print_text(asked))


def _start(page: Page, question: str, ids: list[int]) -> int:
    """Return where a page begins: after the last element of the page before it."""
    if page.cursor is None:
        return 0
    match page.cursor.place(question).after:
        case (int() as last,):
            return bisect_right(ids, _order(last), key=_order)
        case _:
            return page.offset


def _place(reader: Reader, position: int, last: int) -> PagePlace:
    known = reader.moment.known
    if known is None:
        known = last_transaction(reader.session, reader.group.group_id)
    return PagePlace(known, reader.moment.valid, position, (last,))


def _capsule(reader: Reader, ids: list[int]) -> Capsule:
    capsule = Capsule(reader.session.kinds, with_ids=False)
    records = RecordReader(reader.session, reader.group, reader.terms, reader.moment).read(ids)
    for one in ids:
        if one in records:
            capsule.add(records[one])
    reader.notices.extend(capsule.left_out())
    return capsule
