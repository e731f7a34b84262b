"""MERGE: two concepts become one, and every link of the source goes on at the target.

A link never changes its ends: one that moves is closed, and another carries on under its id
and key; the links about it follow. Of links that come to say the same, the target's stays.
KIP 1.0-RC11, section 4.4.

A merge is taken back, too: the source lives again under its id, and has its links and its say. All
is as before, but for what was said since. A link that went on at the target goes back to the ends
it had, with what it says by now; one that had become another's is made anew; the target loses what
it had of the source alone. What was told of the target since stays there.
"""

from __future__ import annotations

from recollect.errors import (
    CONFLICT,
    CONSTRAINT_VIOLATION,
    DUPLICATE_EXISTS,
    NOT_FOUND,
    RecollectError,
)
from recollect.kernel.read.moment import lives_by_id
from recollect.kernel.search.tokens import ALIASES
from recollect.kernel.store.cells import SqlValue, members, public_id, text, whole
from recollect.kernel.store.port import SqlRow
from recollect.kernel.store.statements.merges import (
    CHANGED_CONCEPTS,
    LOST_CONCEPT,
    LOST_LINKS,
    SUPERSEDED,
)
from recollect.kernel.write.element import (
    ConceptElement,
    Element,
    ElementContent,
    LinkElement,
    canonical,
    listed,
)
from recollect.kernel.write.unit import Unit
from recollect.kernel.write.validation import refuse_merge
from recollect.model import (
    CONCEPT_BIT,
    LINK_BIT,
    MERGED_FROM,
    MOVED_FROM,
    Attributes,
    Instant,
    MergeReport,
    Value,
)
from recollect.node import dataclass


def merge_concepts(unit: Unit, source: ConceptElement, target: ConceptElement) -> MergeReport:
    """Close the source; give the target its links, the attributes it lacks, and its names.

    What a plain name made may become one with a concept of another type. KIP_2002 for concepts of
    two types else, KIP_3004 for a protected one. Cost: every link of the source, and every link
    about those.
    """
    refuse_merge(unit.terms, unit.directory, (source, target), None)
    if unit.terms.text(source.type) != unit.session.kinds.made:
        _refuse_types(unit, source, target)
    moving = _Moving(unit, source, target.id)
    unit.close([source, *moving.links])
    repointed, deduplicated = moving.carry_on()
    attributes, filled = _attributes(source, target)
    trail = _trail(unit, source, target)
    metadata = {**target.content.metadata, MERGED_FROM: trail}
    unit.set_content(target, target.content._replace(attributes=attributes, metadata=metadata))
    return MergeReport(repointed, deduplicated, filled)


def bear_anew(unit: Unit, concept: ConceptElement, type_: str) -> ConceptElement:
    """Close a concept and let one of another type go on under its id; return that one.

    It says the same and has all its links. KIP_3003 when a living concept has that type and name,
    KIP_3004 for a protected one. Cost: as for a merge.
    """
    refuse_merge(unit.terms, unit.directory, (concept,), None)
    code = unit.terms.code(type_)
    there = None if code is None else unit.directory.concept((code, concept.name))
    if there is not None:
        raise DUPLICATE_EXISTS.error(
            f'{{type: "{type_}", name: "{concept.name}"}} is there already',
            "merge the two",
            known=(unit.public_id(there),),
        )
    links = unit.directory.links_about([concept.id])
    unit.close([concept, *links])
    born = unit.bear_anew(concept, type_)
    unit.set_content(born, concept.content)
    moving = _Moving(unit, concept, born.id, links)
    moving.renamed.clear()  # its id is what it was
    moving.carry_on()
    return born


def with_trail(
    unit: Unit, link: LinkElement, content: ElementContent, concept: str
) -> ElementContent:
    """Return what a moved link says, with the trail of where it comes from: its versions go on."""
    trail: Value = {"concept": concept, "version": unit.version(link)}
    return content._replace(metadata={**content.metadata, MOVED_FROM: trail})


@dataclass(slots=True, eq=False)
class _Place:
    """Where links come to be that will say the same, so that one of them remains."""

    subject: int | _Place  # a place is an end that is still to be made
    predicate: int
    object: int | _Place
    key: str
    links: list[LinkElement]
    made: LinkElement | None = None


_Ends = tuple["int | _Place", int, "int | _Place", str]


class _Moving:
    """The links that a merge moves, found while they live, and made anew when they are closed."""

    def __init__(
        self,
        unit: Unit,
        source: ConceptElement,
        target: int,
        links: list[LinkElement] | None = None,
    ) -> None:
        self._unit = unit
        self._source = source
        self.links = unit.directory.links_about([source.id]) if links is None else links
        self._places: dict[_Ends, _Place] = {}
        self._moved: dict[int, int | _Place] = {source.id: target}
        self._lost: dict[int, list[LinkElement]] = {}  # links that become one that stays, by its id
        self.renamed = {source.id}  # ends that are known by another id from now on
        for link in self.links:  # an end is older than its link, so it has its place by then
            self._find_place(link)

    def _find_place(self, link: LinkElement) -> None:
        subject = self._moved.get(link.subject, link.subject)
        target = self._moved.get(link.object, link.object)
        if isinstance(subject, int) and isinstance(target, int):
            stays = self._unit.directory.link((subject, link.predicate, target), link.key)
            if stays is not None:
                self._lost.setdefault(stays.id, []).append(link)
                self._moved[link.id] = stays.id
                return
        ends = subject, link.predicate, target, link.key
        place = self._places.setdefault(ends, _Place(*ends, links=[]))
        place.links.append(link)
        self._moved[link.id] = place

    def carry_on(self) -> tuple[int, int]:
        """Make what the closed links become; count those with another end, and the lost ones."""
        unit, deduplicated = self._unit, 0
        for stays, links in self._lost.items():
            survivor = unit.directory.by_id(stays)
            assert survivor is not None
            for link in links:
                _fill(unit, survivor, link)
            self.renamed.update(link.id for link in links)
            deduplicated += len(links)
        repointed = 0
        for place in self._places.values():
            kept = next((one for one in place.links if self._has_its_ends(one)), place.links[0])
            triple = _made(place.subject), place.predicate, _made(place.object)
            place.made = unit.carry_on(kept, triple)
            source = unit.public_id(self._source)
            unit.set_content(place.made, with_trail(unit, kept, kept.content, source))
            for link in place.links:
                if link is not kept:
                    _fill(unit, place.made, link)
                    self.renamed.add(link.id)
            deduplicated += len(place.links) - 1
            repointed += not self._has_its_ends(kept)
        return repointed, deduplicated

    def _has_its_ends(self, link: LinkElement) -> bool:
        """Whether a link is between the same elements as before, as callers know them."""
        return self.renamed.isdisjoint((link.subject, link.object))


def _made(end: int | _Place) -> int:
    if isinstance(end, int):
        return end
    assert end.made is not None  # places are made in the order in which they were found
    return end.made.id


def _fill(unit: Unit, link: Element, lost: LinkElement) -> None:
    """Give a link the keys it lacks of one that becomes it; its fact clock follows them."""
    attributes = _lacking(link.content.attributes, lost.content.attributes)
    metadata = _lacking(link.content.metadata, lost.content.metadata)
    unit.put(link, attributes, metadata, metadata)


def _lacking(held: Attributes, other: Attributes) -> Attributes:
    return {key: other[key] for key in other if key not in held and not key.startswith("_")}


def _attributes(source: ConceptElement, target: ConceptElement) -> tuple[Attributes, int]:
    """Return the attributes of the target with what it lacked, and how many were filled."""
    held, other = target.content.attributes, source.content.attributes
    filled = {key: other[key] for key in other if key not in held}
    aliases = [*listed(held.get(ALIASES)), *listed(other.get(ALIASES)), source.name]
    return {**held, **filled, ALIASES: _distinct(aliases)}, len(filled)


def _trail(unit: Unit, source: ConceptElement, target: ConceptElement) -> list[Value]:
    """Return the names of all that the target was made of: its own first, the source last."""
    known = (listed(one.content.metadata.get(MERGED_FROM)) for one in (target, source))
    name = f"{unit.terms.text(source.type)}:{source.name}"
    return _distinct([*(entry for entries in known for entry in entries), name])


def _distinct(values: list[Value]) -> list[Value]:
    return list({canonical(value): value for value in values}.values())


def _refuse_types(unit: Unit, source: ConceptElement, target: ConceptElement) -> None:
    """Raise KIP_2002 for two concepts that are not of one type."""
    if source.type == target.type:
        return
    types = [unit.terms.text(one.type) for one in (source, target)]
    raise CONSTRAINT_VIOLATION.error(
        f'the concepts are of two types: "{types[0]}" and "{types[1]}"',
        "merge concepts of one type",
    )


@dataclass(frozen=True, slots=True)
class _Lost:
    """A link as it was when the merge closed it."""

    id: int
    name: str  # its public id
    subject: int
    predicate: int
    object: int
    key: str
    content: ElementContent


def take_back(unit: Unit, identifier: str) -> ConceptElement:
    """Let a concept that was merged into another live again; return it.

    KIP_3002 for an id of no concept that a merge closed. CONFLICT where another lives under its
    name, or what it was merged into, or was linked with, is no longer there: what was done after
    the merge is to be taken back first. Cost: what the merge's transaction changed.
    """
    source = _source(unit, identifier)
    row = unit.session.row(LOST_CONCEPT, _asked(unit, element=source))
    assert row is not None
    tx, name, type_ = whole(row[0]), text(row[1]), text(row[2])
    content = _content(row[3:])
    target = _target(unit, tx, f"{type_}:{name}", identifier)
    code = unit.terms.intern(type_)
    if unit.directory.concept((code, name)) is not None:
        raise _conflict(f'another concept is {{type: "{type_}", name: "{name}"}} by now')
    lost = _lost_links(unit, tx, source)
    _restore_target(unit, target, tx, f"{type_}:{name}", (name, content))
    unit.flush()
    born = unit.create_concept(type_, name, identifier)
    unit.set_content(born, content)
    _Returning(unit, tx, lost, {source: born.id}, unit.public_id(target)).go_back()
    return born


def _source(unit: Unit, identifier: str) -> int:
    """Return the concept of that id, closed: the last one."""
    lives = lives_by_id(unit.session, unit.group, [identifier]).get(identifier, [])
    if not lives or lives[-1] & LINK_BIT != CONCEPT_BIT or unit.directory.by_public_id(identifier):
        raise NOT_FOUND.error(
            f'no concept with the id "{identifier}" was merged into another',
            "name the id that it had before the merge",
        )
    return lives[-1]


def _target(unit: Unit, tx: int, entry: str, identifier: str) -> ConceptElement:
    """Return what a concept was merged into: what that transaction gave its name to."""
    rows = unit.session.rows(CHANGED_CONCEPTS, _asked(unit, tx=tx))
    for element in map(unit.directory.by_id, (whole(one) for (one,) in rows)):
        if isinstance(element, ConceptElement):
            trail = element.content.metadata.get(MERGED_FROM)
            if isinstance(trail, list) and entry in trail:
                return element
    raise _conflict(f'what the concept "{identifier}" was merged into is not there any more')


def _lost_links(unit: Unit, tx: int, source: int) -> list[_Lost]:
    """Return the links that the merge closed: of the source, and about those, oldest first."""
    found: list[_Lost] = []
    ends = {source}
    for row in unit.session.rows(LOST_LINKS, _asked(unit, tx=tx)):
        id_, given, subject, predicate, object_, key = row[:6]
        if {whole(subject), whole(object_)} & ends:
            ends.add(whole(id_))
            name = public_id(unit.group.id_bits, whole(id_)) if given is None else text(given)
            triple = whole(subject), whole(predicate), whole(object_)
            found.append(_Lost(whole(id_), name, *triple, text(key), _content(row[6:])))
    return found


def _restore_target(
    unit: Unit, target: ConceptElement, tx: int, entry: str, source: tuple[str, ElementContent]
) -> None:
    """Take from the target what the merge gave it, as far as it still says so."""
    before = _superseded(unit, tx).get(target.id)
    held, metadata = dict(target.content.attributes), dict(target.content.metadata)
    old = {} if before is None else before.attributes
    name, given = source
    for key, value in given.attributes.items():
        is_given = key not in old and key != ALIASES
        if is_given and key in held and canonical(held[key]) == canonical(value):
            del held[key]
    known = listed(old.get(ALIASES))
    gone = [name, *listed(given.attributes.get(ALIASES))]
    aliases = _without(listed(held.get(ALIASES)), gone, known)
    _put(held, ALIASES, aliases, old)
    trails = {} if before is None else before.metadata
    taken = [entry, *listed(given.metadata.get(MERGED_FROM))]
    trail = _without(listed(metadata.get(MERGED_FROM)), taken, listed(trails.get(MERGED_FROM)))
    _put(metadata, MERGED_FROM, trail, trails)
    unit.set_content(target, target.content._replace(attributes=held, metadata=metadata))


def _put(held: dict[str, Value], key: str, left: list[Value], before: Attributes) -> None:
    """Keep what is left of a list, in the form it had before where it says no more."""
    if key in before and canonical(listed(before[key])) == canonical(left):
        held[key] = before[key]
    elif left:
        held[key] = left
    else:
        held.pop(key, None)


def _without(held: list[Value], gone: list[Value], kept: list[Value]) -> list[Value]:
    stay = {canonical(one) for one in kept}
    leave = {canonical(one) for one in gone} - stay
    return [one for one in held if canonical(one) not in leave]


class _Returning:
    """The links that go back to their ends, and those about them that follow."""

    def __init__(
        self, unit: Unit, tx: int, lost: list[_Lost], moved: dict[int, int], target: str
    ) -> None:
        self._unit = unit
        self._target = target
        self._tx = tx
        self._lost = {one.id: one for one in lost}
        self._moved = moved  # by the id of an end, what it is from now on
        self._carriers: dict[int, LinkElement] = {}  # by the lost link that they carry on
        for one in lost:
            carrier = unit.directory.by_public_id(one.name)
            if isinstance(carrier, LinkElement):
                self._carriers[one.id] = carrier

    def go_back(self) -> None:
        """Close what carries the lost links on, and make them and all about them again."""
        unit = self._unit
        self._restore_survivors()
        carried = {one.id: lost for lost, one in self._carriers.items()}
        about = unit.directory.links_about(carried)
        followers = [one for one in about if one.id not in carried]
        unit.close([*self._carriers.values(), *followers])
        for lost in self._lost.values():
            self._make(lost)
        for carrier, was in carried.items():
            self._moved[carrier] = self._moved[was]
        for link in followers:
            triple = self._end(link.subject), link.predicate, self._end(link.object)
            made = unit.carry_on(link, triple)
            unit.set_content(made, with_trail(unit, link, link.content, self._target))
            self._moved[link.id] = made.id

    def _make(self, lost: _Lost) -> None:
        unit, carrier = self._unit, self._carriers.get(lost.id)
        triple = self._end(lost.subject), lost.predicate, self._end(lost.object)
        if unit.directory.link(triple, lost.key) is not None:
            raise _conflict("a link that the merge moved was told again since")
        if carrier is None:
            made = unit.create_link(triple, lost.key, lost.name)
            content = lost.content
        else:
            made = unit.carry_on(carrier, triple)
            content = self._content_now(carrier, lost)
            content = with_trail(unit, carrier, content, self._target)
        unit.set_content(made, content)
        self._moved[lost.id] = made.id

    def _content_now(self, carrier: LinkElement, lost: _Lost) -> ElementContent:
        """Return what a link says: as before the merge, unless it was changed since."""
        before = carrier.before
        if before is not None and before.changed_at == self._tx:
            return lost.content
        return carrier.content

    def _restore_survivors(self) -> None:
        """Let links that others became say what they did before, unless they were changed since."""
        carriers = {one.id for one in self._carriers.values()}
        for id_, content in _superseded(self._unit, self._tx).items():
            link = self._unit.directory.by_id(id_)
            if isinstance(link, LinkElement) and link.id not in carriers and self._is_filled(link):
                self._unit.set_content(link, content)

    def _is_filled(self, link: LinkElement) -> bool:
        """Whether a link was changed by that transaction last, and a lost one became it."""
        before = link.before
        return (
            before is not None
            and before.changed_at == self._tx
            and any(
                one.id not in self._carriers
                and (one.predicate, one.key) == (link.predicate, link.key)
                for one in self._lost.values()
            )
        )

    def _end(self, end: int) -> int:
        """Return what an end is from now on; it must live."""
        moved = self._moved.get(end, end)
        if self._unit.directory.by_id(moved) is not None:
            return moved
        raise _conflict("an end of a link that the merge moved is not there any more")


def _asked(unit: Unit, **given: int) -> dict[str, SqlValue]:
    return {"group": unit.group.group_id, **given}


def _superseded(unit: Unit, tx: int) -> dict[int, ElementContent]:
    """Return what elements said until that transaction."""
    rows = unit.session.rows(SUPERSEDED, _asked(unit, tx=tx))
    return {whole(row[0]): _content(row[1:]) for row in rows}


def _content(row: SqlRow) -> ElementContent:
    attributes, metadata, valid_at, invalid_at = row
    clock = Instant(whole(valid_at)), Instant(whole(invalid_at))
    return ElementContent(members(attributes), members(metadata), *clock)


def _conflict(message: str) -> RecollectError:
    return CONFLICT.error(message, "take back what was done after the merge first")
