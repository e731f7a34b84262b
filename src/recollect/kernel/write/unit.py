"""One write transaction on one group: elements in memory, their net effect as rows on disk.

Nothing is written before `flush`; nothing is logged before `commit`. Who opened the store's
transaction ends it: an exception anywhere leaves no trace. A flush collects rows, then writes each
table once: rows that leave a name first, rows that take one last, so that no unique index is ever
in the way. The counts that DESCRIBE and the planner read are kept by difference: every flush adds
what it changes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO

import orjson

from recollect.errors import CONSTRAINT_VIOLATION, RESOURCE_EXHAUSTED, Notice
from recollect.kernel.read.catalogs import Last
from recollect.kernel.search.tokens import TextIndex, concept_text, link_text
from recollect.kernel.store.cells import (
    TALLY_BOUNDED_CONCEPTS,
    TALLY_BOUNDED_LINKS,
    TALLY_CONCEPTS,
    TALLY_KEYED,
    TALLY_LINK_OBJECTS,
    TALLY_LINK_SUBJECTS,
    TALLY_LINKS,
    Identity,
    Logged,
    Record,
    content_digest,
    element_id,
    next_chain,
    public_id,
)
from recollect.kernel.store.group import Group, Interning, Terms, add_counts
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.statement import Insertion, Statement
from recollect.kernel.store.statements.counts import COUNT_IDS
from recollect.kernel.store.statements.rows import (
    ADVANCE,
    CLOSE,
    DELETE,
    DELETE_PAST,
    INSERT_PAST,
    LOG,
    UPDATE,
)
from recollect.kernel.vectors.embedder import link_meaning
from recollect.kernel.vectors.meanings import Preparation, VectorRows
from recollect.kernel.write.element import (
    NOTHING,
    Before,
    ConceptElement,
    Directory,
    Element,
    ElementContent,
    LinkElement,
    State,
    Triple,
    advance_clock,
    merge,
    moves_clock,
)
from recollect.kernel.write.validation import identifier, meaning_of, name_key
from recollect.model import (
    BEGINNING,
    CONCEPT_BIT,
    FOREVER,
    LINK_BIT,
    LIVING,
    SOURCES,
    Attributes,
    Instant,
    Operation,
    Value,
)
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
    DELETE_PAST,
    CLOSE["link"],
    CLOSE["concept"],
    UPDATE["link"],
    UPDATE["concept"],
    INSERT_PAST,
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
        number = self.number
        for element in elements:
            said = element.public_id, *_content_columns(element.content), first_version(element)
            life = number, number, LIVING, element.salt
            if isinstance(element, LinkElement):
                row = (element.id, self.group_id, *element.triple, element.key, *said, *life)
                self._links.append(row)
            elif isinstance(element, ConceptElement):
                own = element.id, self.group_id, element.type, element.name
                self._concepts.append((*own, *said, *life, element.name_key))

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
        session.put(_CONCEPTS, self._concepts)
        session.put(_LINKS, self._links)

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
            self._moves[INSERT_PAST].append(row)
        elif had and not has:
            self._moves[DELETE_PAST].append(key)

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

    def add_source(self, element: Element, source: str | None) -> None:
        """Let an element keep what it was learnt from beside what it was learnt from before."""
        if source is None:
            return
        normal, held = identifier(source, "source"), element.content.metadata.get(SOURCES)
        sources: list[Value] = list(held) if isinstance(held, list) else []
        if normal not in sources:
            self.put(element, {}, {SOURCES: [*sources, normal]}, {})

    def set_content(self, element: Element, content: ElementContent) -> None:
        """Give an element another content; the same object changes nothing."""
        if content is not element.content:
            element.content = content
            self._dirty[element.id] = element

    def close(self, elements: Iterable[Element]) -> list[Element]:
        """Close living elements and every link that ends in them, and theirs; return all."""
        living = [element for element in elements if element.is_living]
        links = self.directory.links_about(element.id for element in living)
        closed = list(dict.fromkeys([*living, *links]))
        for element in closed:
            element.is_living = False
            self._dirty[element.id] = element
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
        said: dict[int, str | None] = {}
        says_more = self._preparation is not None
        for number in sorted(self._touched):
            element = self._touched[number]
            operation = _operation(element)
            if operation is None:
                continue
            changes.append((number, operation, self._digest(element)))
            if operation is not Operation.CLOSE and (says_more or element.before is not None):
                self._put_meaning(said, element)
            if operation is not Operation.CREATE and number in self._reworded:
                self._keep_superseded_text(element)
        if not changes:
            return None
        self._texts.flush()
        lacking = self._vectors().write(said) if said else {}
        if self._preparation is not None and self._preparation.want(lacking):
            self.is_waiting = True
            return None
        return self.record(changes, actor, request_id)

    def record(self, changes: Sequence[Logged], actor: str | None, request_id: str | None) -> int:
        """Log changes, in the order of their elements, as this transaction; return its number."""
        group_id, number = self.group.group_id, self.number
        record = Record(number, self.at, 2 * self._last_n + LINK_BIT, actor, request_id)
        chain = next_chain(self._chain, self.group.id_bits, record, changes)
        self.session.put(_CHANGES, [(group_id, number, *one) for one in changes])
        logged = {**record._asdict(), "group": group_id, "chain": chain}
        self.session.execute_many(LOG, [logged])
        self.session.execute_many(ADVANCE, [logged])
        if self._last_n != self._counted:
            self.session.execute_many(COUNT_IDS, [{"group": group_id, "last_n": self._last_n}])
        return number

    def next_place(self) -> int:
        """Return the place of the next element in the order of birth."""
        return self._last_n + 1

    def _unborn(
        self, bit: int, given_id: str | None
    ) -> tuple[int, str | None, bytes, None, ElementContent, bool, None]:
        """Return what every new element begins with: nothing before, nothing on disk."""
        self._last_n += 1
        id = 2 * self._last_n + bit
        return id, given_id, self._next_salt(), None, NOTHING, True, None

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

    def _put_meaning(self, said: dict[int, str | None], element: Element) -> None:
        """Let an element that is new, or says something else than before, have another vector."""
        before = element.before
        text = self._meaning(element, element.content)
        if before is None:
            if text is not None:
                said[element.id] = text
        elif text != self._meaning(element, before.content):
            said[element.id] = text

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
