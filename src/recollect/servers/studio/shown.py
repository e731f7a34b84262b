"""How elements are named and told on every page, with the clocks that say whether they hold.

The rule: a person reads names, never ids where there is a name; what has ended or was corrected
says so wherever it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, assert_never

from recollect.kernel import Nexus, called
from recollect.model import FACT, AsOf, Concept, Dated, Element, Instant, Kinds, Link, bound_text
from recollect.node import dataclass, replace

_LONGEST_NAME: Final = 120


@dataclass(frozen=True, slots=True)
class Shown:
    """One element as a line of a page."""

    id: str
    kind: str  # concept, fact, link, claim, episode, piece, entity, ...
    type: str  # of a concept; the predicate of a link
    name: str
    line: str  # what it says
    standing: str  # "until 2026-11-01"; empty where it holds
    since: Instant | None
    until: Instant | None
    dated: Dated


def shown_of(
    nexus: Nexus, elements: Iterable[Dated], as_of: AsOf | None = None
) -> tuple[Shown, ...]:
    """Return elements as lines, in their order. Cost: one look-up for the ends of links."""
    held = list(elements)
    ends = ends_of(nexus, [one.element for one in held], as_of)
    now = nexus.now()
    return tuple(_shown(one, ends, now, nexus.kinds) for one in held)


def shown_ids(nexus: Nexus, ids: Sequence[str], as_of: AsOf | None = None) -> tuple[Shown, ...]:
    """Return the elements of some ids as lines, closed or not; what is gone is left out."""
    found = nexus.elements.look_up(ids, as_of=as_of, closed=True)
    return shown_of(nexus, [found[one] for one in ids if one in found], as_of)


def ends_of(
    nexus: Nexus, elements: Iterable[Element], as_of: AsOf | None = None
) -> Mapping[str, Dated]:
    """Return what links end in, closed or not, and the ends of links among those."""
    known = None if as_of is None else replace(as_of, valid=None)
    wanted = {end for one in elements if isinstance(one, Link) for end in (one.subject, one.object)}
    found = nexus.elements.look_up(wanted, as_of=known, closed=True) if wanted else {}
    deeper = {
        end
        for one in found.values()
        if isinstance(one.element, Link)
        for end in (one.element.subject, one.element.object)
    } - set(found)
    return found | (nexus.elements.look_up(deeper, as_of=known, closed=True) if deeper else {})


def kind_of(element: Element, kinds: Kinds) -> str:
    """Return which kind of memory an element is, in a word; a link without words is a link."""
    match element:
        case Link():
            return "fact" if FACT in element.attributes else "link"
        case Concept():
            return kinds.of(element.type).name
        case _:
            assert_never(element)


def name_of(element: Element, ends: Mapping[str, Dated], kinds: Kinds) -> str:
    """Return what an element is called: of a link, its ends and predicate."""
    match element:
        case Link():
            start, end = (_end(one, ends, kinds) for one in (element.subject, element.object))
            return f"{start} {element.predicate} {end}"
        case Concept():
            attribute = kinds.of(element.type).text
            said = element.attributes.get(attribute) if attribute else None
            if isinstance(said, str) and said:
                return _short(said)
            return _short(called(element.name, element.attributes, element.metadata))
        case _:
            assert_never(element)


def line_of(element: Element, ends: Mapping[str, Dated], kinds: Kinds) -> str:
    """Return what an element says, in a line."""
    match element:
        case Link():
            words = element.attributes.get(FACT)
            return words if isinstance(words, str) else name_of(element, ends, kinds)
        case Concept():
            named = called(element.name, element.attributes, element.metadata)
            return kinds.of(element.type).line(replace(element, name=named))
        case _:
            assert_never(element)


def standing_of(dated: Dated, now: Instant) -> str:
    """Return whether an element has ended, not begun or is gone; empty where it holds."""
    if dated.expired_at is not None:
        return f"no longer held since {_day(dated.expired_at)}"
    if dated.invalid_at is not None and dated.invalid_at <= now:
        return f"until {_day(dated.invalid_at)}"
    if dated.valid_at is not None and dated.valid_at > now:
        return f"from {_day(dated.valid_at)}"
    return ""


def _shown(dated: Dated, ends: Mapping[str, Dated], now: Instant, kinds: Kinds) -> Shown:
    element = dated.element
    return Shown(
        id=element.id,
        kind=kind_of(element, kinds),
        type=element.type if isinstance(element, Concept) else element.predicate,
        name=name_of(element, ends, kinds),
        line=line_of(element, ends, kinds),
        standing=standing_of(dated, now),
        since=dated.valid_at,
        until=dated.invalid_at,
        dated=dated,
    )


def _end(identifier: str, ends: Mapping[str, Dated], kinds: Kinds) -> str:
    dated = ends.get(identifier)
    if dated is None:
        return identifier
    element = dated.element
    if isinstance(element, Concept):
        return name_of(element, ends, kinds)
    start, end = (
        _short(known.element.name)
        if (known := ends.get(one)) is not None and isinstance(known.element, Concept)
        else "…"
        for one in (element.subject, element.object)
    )
    return f"({start} {element.predicate} {end})"


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST_NAME].split())
    return line if len(line) <= _LONGEST_NAME else f"{line[:_LONGEST_NAME]}…"


def _day(instant: Instant) -> str:
    told = bound_text(instant)
    return "the end of time" if told is None else told[:10]
