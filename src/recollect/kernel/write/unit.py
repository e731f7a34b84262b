"""One write transaction on one group: elements in memory, their net effect on disk.

Nothing is written before `flush`; nothing is logged before `commit`. Who opened the store's
transaction ends it: an exception anywhere leaves no trace.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO

from recollect.errors import CONSTRAINT_VIOLATION, Notice
from recollect.kernel.read.catalogs import Last
from recollect.kernel.search.index import TextIndex
from recollect.kernel.search.tokens import concept_text, link_text
from recollect.kernel.store.cells import (
    Identity,
    Logged,
    Record,
    content_digest,
    element_id,
    next_chain,
    public_id,
)
from recollect.kernel.store.group import Group, Interning, Terms
from recollect.kernel.store.insertion import Insertion, add_counts
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.counts import COUNT_IDS
from recollect.kernel.store.statements.rows import ADVANCE, LOG
from recollect.kernel.vectors.embedder import link_meaning
from recollect.kernel.vectors.meanings import Preparation
from recollect.kernel.vectors.rows import VectorRows
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import (
    NOTHING,
    ConceptElement,
    Element,
    ElementContent,
    LinkElement,
    State,
    Triple,
    advance_clock,
    merge,
    moves_clock,
)
from recollect.kernel.write.own_types import meaning_of, name_key
from recollect.kernel.write.rows import Move, RowBatch, counts_of, first_version
from recollect.kernel.write.validation import identifier
from recollect.model import CONCEPT_BIT, LINK_BIT, Attributes, Instant, Operation

_SALT_BYTES = 16
_FEWEST_SALTS, _MOST_SALTS = 8, 256
"""How many are asked for at once: for each alone it takes longer than to make its element."""

_CHANGES = Insertion("change", "bigint bigint bigint text bytea")


class Unit:
    """A unit of work inside `session`, a store's write transaction.

    `last` is where it begins. `now` is the caller's clock; the transaction's instant is later
    than the last one's.
    `preparation` has the vectors of what will be said; `is_waiting` tells after `commit` that
    it lacks some, so that the transaction is to be undone and run again.
    """

    def __init__(
        self,
        session: Session,
        group: Group,
        terms: Terms,
        last: Last,
        now: Instant,
        preparation: Preparation | None = None,
    ) -> None:
        self.session = session
        self.group = group
        self.terms = Interning(terms, session)
        self.notices: list[Notice] = []
        self.number = last.number + 1
        self.at = Instant(max(now, last.at + 1))
        self._chain = last.chain
        self._last_n = self._counted = last.n
        self.directory = Directory(session, group, self.terms, 2 * self._last_n + LINK_BIT)
        self._texts = TextIndex(session, group.group_id)
        self._preparation = preparation
        self.is_waiting = False
        self._salts = BytesIO()  # to be given to new elements
        self._dirty: dict[int, Element] = {}  # touched since the last flush
        self._touched: dict[int, Element] = {}  # touched at all
        self._reworded: set[int] = set()  # of those, what has had another text

    def public_id(self, element: Element) -> str:
        """Return the id by which callers know an element."""
        return element.public_id or public_id(self.group.id_bits, element.id)

    def version(self, element: Element, content: ElementContent | None = None) -> int:
        """Return the version of a living element, as this transaction would read it.

        With a `content` it is the version that the element has, or had, with that one.
        """
        before = element.before
        if before is None:
            return first_version(element)
        return before.version + (not (content or element.content).equals(before.content))

    def create_concept(self, kind: str, name: str, given_id: str | None = None) -> ConceptElement:
        """Create a concept; that no living one has its key or id is the caller's care."""
        self._refuse_computed(given_id)
        return self._new_concept(kind, name, given_id)

    def bear_anew(self, concept: ConceptElement, kind: str) -> ConceptElement:
        """Create the concept of another type that a closed one is from now on, under its id."""
        born = self._new_concept(kind, concept.name, self.public_id(concept))
        concept.successor = born
        return born

    def _new_concept(self, kind: str, name: str, given_id: str | None) -> ConceptElement:
        own = self.terms.intern(kind), name, name_key(self.session.kinds, kind, name)
        concept = ConceptElement(*self._unborn(CONCEPT_BIT, given_id), *own)
        self.directory.add_concept(concept)
        self._dirty[concept.id] = concept
        return concept

    def create_link(
        self, triple: Triple, key: str = "", given_id: str | None = None
    ) -> LinkElement:
        """Create a link; that no living one has its identity or id is the caller's care."""
        if given_id is not None:
            self._refuse_computed(given_id)
        return self._new_link(triple, key, given_id)

    def carry_on(self, link: LinkElement, triple: Triple) -> LinkElement:
        """Create the link that carries on a closed one between other ends, under its key and id.

        What it says is the caller's care. An id that was computed for the closed one is kept
        by being given to the new one, which hides it; the versions go on.
        """
        carrier = self._new_link(triple, link.key, self.public_id(link))
        carrier.first_version = self.version(link) + 1
        link.successor, carrier.carries = carrier, link
        return carrier

    def _new_link(self, triple: Triple, key: str, given_id: str | None) -> LinkElement:
        link = LinkElement(*self._unborn(LINK_BIT, given_id), *triple, key)
        self.directory.add_link(link)
        self._dirty[link.id] = link
        return link

    def put(
        self,
        element: Element,
        attributes: Attributes,
        metadata: Attributes,
        clock_metadata: Attributes,
    ) -> None:
        """Merge checked members into an element; `clock_metadata` moves its fact clock."""
        content, clock = element.content, None
        if clock_metadata and moves_clock(clock_metadata):
            clock = advance_clock(content.valid_at, content.invalid_at, clock_metadata)
            self.notices.extend(clock.notices)
        self.set_content(element, merge(content, attributes, metadata, clock))

    def set_content(self, element: Element, content: ElementContent) -> None:
        """Give an element another content; the same object changes nothing."""
        if content is not element.content:
            element.content = content
            self._dirty[element.id] = element

    def close(self, elements: Iterable[Element]) -> list[Element]:
        """Close living elements and every link that ends in them, and theirs; return all."""
        closed: list[Element] = []
        wave = [element for element in elements if element.is_living]
        while wave:
            for element in wave:
                element.is_living = False
                self._dirty[element.id] = element
            closed.extend(wave)
            wave = list(self.directory.links_at([element.id for element in wave]))
        return closed

    def supersede(self, element: Element, content: ElementContent) -> list[Element]:
        """Close an element, and what ends in it, giving it its last content in the same change."""
        element.last = content
        return self.close([element])

    def changed(self) -> Iterator[Element]:
        """Yield the elements this transaction has changed so far, some of them twice."""
        yield from self._touched.values()
        yield from self._dirty.values()

    def flush(self) -> None:
        """Write what has changed since the last flush, so that this transaction can read it."""
        self.terms.flush()
        made: list[Element] = []
        moves: list[Move] = []
        for element in self._dirty.values():
            old = element.on_disk
            if old is None:
                if element.is_living:
                    made.append(element)
            elif (new := element.target()) is None or new.differs(old):
                moves.append((element, old, new))
        self._dirty.clear()
        if not made and not moves:
            return
        batch = RowBatch(self.group.group_id, self.number)
        batch.insert(made)
        for element in made:
            content = element.content
            self._texts.put(element.id, True, self._text(element, content))
            element.on_disk = State(content, True)
            self._touched[element.id] = element
        for element, old, new in moves:
            batch.move(element, old, new)
            self._move_text(element, old, new)
            element.on_disk = new
            self._touched[element.id] = element
        batch.write(self.session)
        counts = counts_of(made, moves)
        counts.update(self._texts.write())
        add_counts(self.session, self.group.group_id, counts)

    def commit(self, actor: str | None = None, request_id: str | None = None) -> int | None:
        """Flush, log the net effect, and return the transaction's number; None if there is none.

        The store's transaction is still open afterwards: its end makes all of it durable.
        """
        actor = None if actor is None else identifier(actor, "actor")
        request_id = None if request_id is None else identifier(request_id, "request id")
        self.flush()
        changes: list[Logged] = []
        vectors, says_more = self._vectors(), self._preparation is not None
        for number in sorted(self._touched):
            element = self._touched[number]
            operation = _operation(element)
            if operation is None:
                continue
            changes.append((number, operation, self._digest(element)))
            if operation is not Operation.CLOSE and (says_more or element.before is not None):
                self._put_meaning(vectors, element)
            if operation is not Operation.CREATE and number in self._reworded:
                self._keep_superseded_text(element)
        if not changes:
            return None
        self._texts.flush()
        lacking = vectors.flush()
        if self._preparation is not None and self._preparation.want(lacking):
            self.is_waiting = True
            return None
        return self.record(changes, actor, request_id)

    def record(self, changes: Sequence[Logged], actor: str | None, request_id: str | None) -> int:
        """Log changes, in the order of their elements, as this transaction; return its number."""
        group_id, number = self.group.group_id, self.number
        record = Record(number, self.at, 2 * self._last_n + LINK_BIT, actor, request_id)
        chain = next_chain(self._chain, self.group.id_bits, record, changes)
        _CHANGES.run(self.session, [(group_id, number, *one) for one in changes])
        logged = {**record._asdict(), "group": group_id, "chain": chain}
        self.session.execute_many(LOG, [logged])
        self.session.execute_many(ADVANCE, [logged])
        if self._last_n != self._counted:
            counted = {"group": group_id, "last_n": self._last_n}
            self.session.execute_many(COUNT_IDS, [counted])
        return number

    def next_place(self) -> int:
        """Return the place of the next element in the order of birth."""
        return self._last_n + 1

    def _next_id(self, bit: int) -> int:
        self._last_n += 1
        return 2 * self._last_n + bit

    def _unborn(
        self, bit: int, given_id: str | None
    ) -> tuple[int, str | None, bytes, None, ElementContent, bool, None]:
        """Return what every new element begins with: nothing before, nothing on disk."""
        return self._next_id(bit), given_id, self._next_salt(), None, NOTHING, True, None

    def _next_salt(self) -> bytes:
        salt = self._salts.read(_SALT_BYTES)
        if salt:
            return salt
        made = self._last_n - self._counted
        many = min(max(made, _FEWEST_SALTS), _MOST_SALTS)  # as many as were needed so far
        self._salts = BytesIO(os.urandom(_SALT_BYTES * many))
        return self._salts.read(_SALT_BYTES)

    def adopted(self, new_id: str | None) -> str | None:
        """Return the id, unless the memory may one day compute it for another element."""
        return None if new_id is None or self._is_computed(new_id) else new_id

    def _is_computed(self, given_id: str) -> bool:
        computed = element_id(self.group.id_bits, given_id)
        return computed is not None and computed >> 1 > self._counted

    def _refuse_computed(self, given_id: str | None) -> None:
        """Refuse to adopt an id that the memory may one day compute for another element."""
        if given_id is not None and self._is_computed(given_id):
            raise CONSTRAINT_VIOLATION.error(
                f'the id "{given_id}" is one the memory gives out itself',
                "leave the id out, or give one of your own",
            )

    def _move_text(self, element: Element, old: State, new: State | None) -> None:
        """Let the text index say what an element's row says; it may say so already."""
        before = self._text(element, old.content)
        if new is None:
            self._texts.take_back(element.id, before)
            return
        text = before if new.content is old.content else self._text(element, new.content)
        if old.is_living != new.is_living or text != before:
            self._reworded.add(element.id)
            self._texts.put(element.id, new.is_living, text, before)

    def _text(self, element: Element, content: ElementContent) -> str:
        """Return what the text index holds of an element."""
        attributes, metadata = content.attributes, content.metadata
        if isinstance(element, LinkElement):
            return link_text(self.terms.text(element.predicate), attributes, metadata)
        assert isinstance(element, ConceptElement)
        return concept_text(element.name, element.public_id, attributes, metadata)

    def _keep_superseded_text(self, element: Element) -> None:
        assert element.before is not None
        assert element.on_disk is not None
        content = element.on_disk.content
        if content is element.before.content:
            return
        old = self._text(element, element.before.content)
        if old != self._text(element, content):
            self._texts.supersede(element.id, self.number, old)

    def _vectors(self) -> VectorRows:
        session, group_id, prepared = self.session, self.group.group_id, self._preparation
        if prepared is None:
            return VectorRows(session, group_id)
        return VectorRows(session, group_id, prepared.embedder, prepared.vector)

    def _put_meaning(self, vectors: VectorRows, element: Element) -> None:
        """Let an element that is new, or says something else than before, have another vector."""
        before = element.before
        text = self._meaning(element, element.content)
        if before is None:
            if text is not None:
                vectors.put(element.id, text)
        elif text != self._meaning(element, before.content):
            vectors.put(element.id, text)

    def _meaning(self, element: Element, content: ElementContent) -> str | None:
        if isinstance(element, ConceptElement):
            type_ = self.terms.text(element.type)
            return meaning_of(self.session.kinds, type_, element.name, content.attributes)
        return link_meaning(content.attributes)

    def _digest(self, element: Element) -> bytes:
        content = element.content if element.on_disk is None else element.on_disk.content
        return content_digest(element.salt, self._identity(element), content)

    def _identity(self, element: Element) -> Identity:
        number, given_id, text = element.id, element.public_id, self.terms.text
        if isinstance(element, LinkElement):
            predicate = text(element.predicate)
            return number, element.subject, predicate, element.object, element.key, given_id
        assert isinstance(element, ConceptElement)
        return number, text(element.type), element.name, given_id


def _operation(element: Element) -> Operation | None:
    """Return what the transaction did to an element in the end, if anything."""
    before, on_disk = element.before, element.on_disk
    if before is None:
        return None if on_disk is None else Operation.CREATE
    if on_disk is None or not on_disk.is_living:
        return Operation.CLOSE
    return None if on_disk.content is before.content else Operation.UPDATE
