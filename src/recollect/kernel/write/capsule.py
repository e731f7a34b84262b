"""EXPORT, and the KIP text that it makes: elements to be made again in another memory.

Every block carries its own metadata and inherits none. Elements in the capsule are named by handle,
other concepts by type and name, other links by subject, predicate and object. Keyed links, which
KIP cannot express, and elements that only a call of their own writes are counted and left out, with
the links about them. Concepts come before links and links after their ends, so a page of an export
stands only on those before it. KIP 1.0-RC11, section 5.3.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from typing import assert_never

from recollect.errors import Notice
from recollect.kernel.lang import ast, print_text
from recollect.kernel.lang.print_inline import visible
from recollect.kernel.plan.bind import Bindings, bind_values
from recollect.kernel.read.cells import Page, PagePlace, question_of, write_cursor
from recollect.kernel.read.reader import Reader
from recollect.kernel.store.group import last_transaction
from recollect.kernel.write.records import RecordReader
from recollect.model import (
    LINK_BIT,
    Attributes,
    ConceptRecord,
    Exported,
    Kinds,
    LinkRecord,
    Record,
    Value,
)
from recollect.node import dataclass, field

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
