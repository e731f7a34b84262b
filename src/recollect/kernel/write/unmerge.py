"""A merge taken back: the source lives again under its id, and has its links and its say.

The rule: all is as before the merge, but for what was said since. A link that went on at the target
goes back to the ends it had, with what it says by now; one that had become another's is made anew;
the target loses what it had of the source alone. What was told of the target since stays there.
"""

from __future__ import annotations

from recollect.errors import CONFLICT, NOT_FOUND, RecollectError
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
    ElementContent,
    LinkElement,
    canonical,
    listed,
)
from recollect.kernel.write.merge_concepts import with_trail
from recollect.kernel.write.unit import Unit
from recollect.model import CONCEPT_BIT, LINK_BIT, MERGED_FROM, Attributes, Instant, Value
from recollect.node import dataclass


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
