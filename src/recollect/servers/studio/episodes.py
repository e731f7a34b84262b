"""Episodes: what came in, how far it was learned from, and what was learned.

The rule: an episode stays as it was told. The facts of one are found by the ids that the pipeline
gives them, so finding them costs the same in a memory of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from recollect.errors import RESOURCE_NOT_FOUND
from recollect.faces.operations.episodes import newest_episodes
from recollect.faces.operations.naming import fact_uuid
from recollect.faces.operations.outputs import Item
from recollect.faces.operations.records import is_episode
from recollect.kernel import Nexus
from recollect.model import AsOf, Dated, Link, WorkItem
from recollect.node import dataclass
from recollect.servers.studio.shown import Shown, shown_of
from recollect.servers.studio.visit import (
    Answered,
    Away,
    Route,
    StudioPage,
    Visit,
    absent,
    required,
)

_NEWEST: Final = 50
_MOST_FACTS: Final = 200  # of one episode
_NO_WORK: Final = "kept"  # of an episode that was never to be learned from


@dataclass(frozen=True, slots=True)
class EpisodeLine:
    """An episode as a line."""

    shown: Shown
    state: str
    item: WorkItem | None


@dataclass(frozen=True, slots=True)
class EpisodePart:
    """A part of a text; one that a fact speaks of has its id."""

    text: str
    fact: str | None = None


def episodes_page(visit: Visit) -> Answered:
    """Show the newest episodes, and what is parked."""
    nexus = visit.nexus
    count = visit.number("last", _NEWEST, 500)
    found = newest_episodes(nexus, count, visit.moment or AsOf())
    told = [_episode_line(nexus, one) for one in reversed(shown_of(nexus, found, visit.then))]
    envelope = visit.operations.list_parked(group_id=nexus.group_name)
    parked = cast("Sequence[Item]", envelope.get("output", {}).get("items", ()))
    shows = {"told": told, "parked": parked, "counts": nexus.queue.counts(), "count": count}
    return StudioPage("episodes.html", "Episodes", shows)


def episode_page(visit: Visit) -> Answered:
    """Show an episode with what was learned from it, marked in its text."""
    nexus, identifier = visit.nexus, required(visit.query, "id")
    dated = nexus.elements.look_up([identifier], closed=True).get(identifier)
    if dated is None:
        raise absent(identifier)
    if not is_episode(dated.element):
        raise RESOURCE_NOT_FOUND.error("this is no episode", "open /episodes")
    (shown,) = shown_of(nexus, [dated])
    facts = learned_from(nexus, identifier)
    lines = shown_of(nexus, facts)
    body = str(dated.element.attributes.get("body", ""))
    shows = {
        "told": _episode_line(nexus, shown),
        "attributes": dated.element.attributes,
        "facts": lines,
        "parts": marked(body, [(one.id, words) for one in lines for words in _words(nexus, one)]),
    }
    return StudioPage("episode.html", shown.name, shows)


def retry(visit: Visit) -> Answered:
    """Let a parked item be tried again, or all of them."""
    chosen = visit.form.get("id", "")
    given = {"episode_uuids": [chosen]} if chosen else {}
    visit.operations.call("RetryParked", {"group_id": visit.nexus.group_name, **given})
    return Away(visit.to("/episodes"))


def learned_from(nexus: Nexus, episode: str) -> list[Dated]:
    """Return the facts that the pipeline made of an episode, also those that ended since."""
    ids = [fact_uuid(episode, at) for at in range(_MOST_FACTS)]
    found = nexus.elements.look_up(ids, closed=True)
    return [found[one] for one in ids if one in found]


def marked(body: str, words: Sequence[tuple[str, str]]) -> tuple[EpisodePart, ...]:
    """Return a text in parts, those that facts speak of marked; the first to match a place wins.

    >>> [(one.text, one.fact) for one in marked("Ann works at Acme.", [("f", "Acme")])]
    [('Ann works at ', None), ('Acme', 'f'), ('.', None)]
    """
    low, places = body.casefold(), list[tuple[int, int, str]]()
    if len(low) != len(body):
        low = body
    for fact, word in words:
        at = low.find(word.casefold()) if word else -1
        end = at + len(word)
        if at >= 0 and all(end <= start or at >= stop for start, stop, _ in places):
            places.append((at, end, fact))
    parts, done = list[EpisodePart](), 0
    for start, stop, fact in sorted(places):
        parts += [EpisodePart(body[done:start])] if start > done else []
        parts.append(EpisodePart(body[start:stop], fact))
        done = stop
    return (*parts, *([EpisodePart(body[done:])] if done < len(body) else []))


def _words(nexus: Nexus, fact: Shown) -> list[str]:
    """Return what of a fact may stand in the text: its words, else the names of its ends."""
    element = fact.dated.element
    if not isinstance(element, Link):
        return [fact.line]
    keys = nexus.elements.keys([element.subject, element.object], closed=True)
    return [fact.line, *(one.name for one in keys.values())]


def _episode_line(nexus: Nexus, shown: Shown) -> EpisodeLine:
    item = nexus.queue.find(shown.id)
    return EpisodeLine(shown, _NO_WORK if item is None else item.state, item)


ROUTES: Final = (
    Route("/episodes", episodes_page),
    Route("/episodes/one", episode_page),
    Route("/episodes/retry", retry, "POST", writes=True),
)
