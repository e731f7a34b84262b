"""Contents of a group as memories: of which kind each is, what it says, who said it and when.

The rule: everything here is derived from one content and the names of a link's ends, which never
change, so it stands and falls with that content, and comes with the transactions between which it
stood: one copy in memory answers for every moment. What only carries others is no memory: evidence,
tags, numbers, the definitions of a group, and the links by which such concepts hang together. A
memory says one text, in which its passage stands; a fact without words of its own says its ends
and its predicate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, NamedTuple

import orjson

from recollect.kernel.recall.spans import Span, day_of, spoken_of
from recollect.kernel.recall.words import telling_words
from recollect.kernel.schema.definitions import SELF, SERVES
from recollect.kernel.search.tokens import called, folded, is_wordless, tokens
from recollect.kernel.store.cells import SqlValue, text, whole
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements import remembered
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    LINK_BIT,
    LIVING,
    SEARCH_ATTRIBUTES,
    SOURCES,
    Attributes,
    Instant,
    Kind,
    Kinds,
    Value,
    instant_text,
)


class Standing(NamedTuple):
    """A content of an element, and when it stood."""

    element: int
    term: int  # code of its type or predicate
    name: str  # of a concept
    subject: int  # of a link
    object: int
    attributes: str  # JSON
    metadata: str
    valid_at: int
    invalid_at: int
    since: int  # the transaction that wrote it
    until: int  # that superseded or closed it, or LIVING


def standings(session: Session, group_id: int, after: int, until: int) -> Iterator[Standing]:
    """Yield the contents of what was touched after one transaction and by another.

    With `after` 0 they are all that there are. Concepts come first. Cost: every content of the
    elements touched; of those, the superseded ones after that transaction.
    """
    parameters: dict[str, SqlValue] = {"group": group_id, "after": after}
    if after:
        touched = session.rows(remembered.TOUCHED, {**parameters, "until": until})
        parameters["ids"] = orjson.dumps([whole(one) for (one,) in touched]).decode()
    bare = {key: one for key, one in parameters.items() if key != "after"}
    is_some = after > 0
    past: dict[int, list[SqlRow]] = {}
    for row in session.rows(remembered.PAST[is_some], parameters):
        past.setdefault(whole(row[0]), []).append(row[1:])
    for now in (remembered.CONCEPTS, remembered.LINKS):
        for row in session.rows(now[is_some], bare):
            element, term, first, last = whole(row[0]), whole(row[1]), row[2], whole(row[3])
            name, subject = (first, 0) if isinstance(first, str) else ("", whole(first))
            for content in (*past.get(element, ()), row[4:]):
                yield Standing(element, term, name, subject, last, *_content(content))


def _content(row: SqlRow) -> tuple[str, str, int, int, int, int]:
    begin, end, since, until = map(whole, row[2:])
    return text(row[0]), text(row[1]), begin, end, since, min(until, LIVING)


def actors(session: Session, group_id: int, after: int) -> dict[int, str]:
    """Return who wrote each transaction of a group after one, where that is known."""
    rows = session.rows(remembered.ACTORS, {"group": group_id, "after": after})
    return {whole(number): text(actor) for number, actor in rows}


FACTS, CONCEPTS = 0, 1
"""Where the two general kinds stand among the names of all kinds, which columns hold."""

EPISODE: Final = "episode"
"""What memories are called that are turns of a conversation."""

_ABOUT: Final = ("summary", "description")
_UNSAID: Final = frozenset(
    {"claim_status", "scope", "created_at", "event", "session", "role", "role_type", "source"}
)


@lru_cache(8)
def codes_of(kinds: Kinds) -> dict[str, int]:
    """Return where the kinds of memory stand among their names."""
    return {name: at for at, name in enumerate(kinds.names())}


def kind_of_concept(kinds: Kinds, type_: str) -> Kind | None:
    """Return the kind of the concepts of a type; None where they are no memories.

    >>> from recollect.faces.kinds import KINDS
    >>> kinds = Kinds(KINDS)
    >>> kind_of_concept(kinds, "Episode").name, kind_of_concept(kinds, "$ConceptType")
    ('episode', None)
    """
    kind = kinds.of(type_)
    is_thing = kind.is_meant or kind.is_owned or bool(kind.text)
    return kind if kind.is_memory and kind.is_known and is_thing else None


def said_by_concept(kind: Kind, name: str, attributes: Attributes) -> str:
    """Return what a concept says: its text after its title, or its name and what is told of it.

    >>> said_by_concept(Kind("Person"), "Ann", {"summary": "paints", "age": 31})
    'Ann: paints'
    """
    said = attributes.get(kind.text) if kind.text else None
    if kind.names_are_ids and isinstance(said, str):
        title = title_of(kind, attributes)
        return said if title is None or title in said else f"{title}: {said}"
    told = _told(attributes, first=(kind.text, *_ABOUT) if kind.text else _ABOUT)
    is_silent = kind.names_are_ids or is_wordless(name)
    return ": ".join(filter(None, ("" if is_silent else name, "; ".join(told))))


def title_of(kind: Kind, attributes: Attributes) -> str | None:
    """Return what a text is called, whose element is named by an id; None where it has no title."""
    title = attributes.get("name") if kind.names_are_ids else None
    return title.strip() or None if isinstance(title, str) else None


def said_by_link(subject: str, predicate: str, object_: str, attributes: Attributes) -> str:
    """Return what a link says: its words, or its ends and its predicate.

    >>> said_by_link("Ann", "works_at", "Acme", {})
    'Ann works_at Acme'
    """
    fact = attributes.get(FACT)
    if isinstance(fact, str) and fact:
        return fact
    told = _told({key: one for key, one in attributes.items() if key != "qualifiers"})
    return "; ".join([f"{subject} {predicate} {object_}", *told])


def _told(attributes: Attributes, first: Collection[str] = ()) -> list[str]:
    """Return the texts among attributes, those of some keys first."""
    if not attributes:
        return []
    order = [*first, *(one for one in attributes if one not in first)]
    found: list[str] = []
    for key in order:
        if key in attributes and key not in _UNSAID:
            _add(attributes[key], found.append)
    return [one for one in found if not is_wordless(one)]


def _add(value: Value, add: Callable[[str], None]) -> None:
    match value:
        case str():
            add(value)
        case list():
            for one in value:
                _add(one, add)
        case dict():
            for one in value.values():
                _add(one, add)
        case _:
            return


_LINE: Final = re.compile(r"(\w+)\(([^()\n]*)\): ", re.ASCII)
NAME: Final = r"[A-Z\u00c0-\u00de][\w'-]*(?:\s+(?:[a-z]{1,3}\s+){0,2}[A-Z\u00c0-\u00de][\w'-]*)*"
"""Words written large, one after the other, with short ones between."""

_TOPIC: Final = re.compile(
    rf"({NAME})(?:\s*\(|\s*:|\s(?:is|was|are|were|ist|war|sind|waren|es|fue|era)\s)(?!.*\?)"
)
_OF_FACTS: Final = 0.95  # trust in what one source has told
_ASKS: Final = re.compile("[?\uff1f]" r"\s*(?:\[[^\]]*\]\s*)?$")  # before a note in brackets, too
_NAMES: Final = ("aliases", "nicknames")
_SAID: Final = Standing._fields.index("metadata")  # before it stands what makes the words
_OF_SOURCES: Final = 0.1  # of trust, for more sources than one ...
_MOST_SOURCES: Final = 4  # ... up to this many


class MemoryContent(NamedTuple):
    """One content as a memory."""

    standing: Standing
    kind: int
    text: str  # what it says, without who says it
    words: list[str]  # of the text, folded, in order
    names: tuple[str, ...]  # of a concept or a title, folded; of a fact's ends as they are called
    said_at: int  # milliseconds; BEGINNING where that is not told
    spans: tuple[Span, ...]
    trust: float  # 0 to 1
    told: tuple[Span, ...] = ()  # those of the spans that the words of a fact name
    author: str | None = None  # whom it rests on, where it is only inferred or observed
    stands: bool = True  # whether it counts: not disputed or superseded
    tells: bool = True  # more than a name, and does not end a turn in a question
    stream: str | None = None  # the conversation it belongs to
    has_session: bool = False  # whether the stream is one session, however long it pauses
    speaker: str | None = None
    is_assistant: bool = False
    is_turn: bool = False  # of a conversation, whose day is among its spans
    topic: str | None = None  # what a text begins with and is about, folded
    is_service: bool = False  # a fact that tells whom the agent serves


class Called(NamedTuple):
    """A concept as links know it: its type, and what it is called."""

    type: str
    name: str


class _Known(NamedTuple):
    """What is known beside the contents that are read."""

    concepts: Mapping[int, Called]
    actors: Mapping[int, str]  # who wrote a transaction
    kinds: Kinds


def memories(
    standings: Iterable[Standing],
    terms: Mapping[int, str],
    actors: Mapping[int, str],
    concepts: dict[int, Called],
    kinds: Kinds,
) -> Iterator[MemoryContent]:
    """Yield the memories among contents, and keep what the concepts met are called.

    `concepts` has those that links may end in and that are not among the contents. A fact that says
    what it said in the content before, as one does that ended, has the same list of words.
    """
    known = _Known(concepts, actors, kinds)
    before: MemoryContent | None = None
    for one in standings:
        attributes, metadata = _members(one.attributes), _members(one.metadata)
        term = terms[one.term]
        if one.element & 1 == LINK_BIT:
            memory = before = _fact(one, term, attributes, metadata, known, before)
        else:
            memory = _concept(one, term, attributes, metadata, known)
            concepts[one.element] = Called(term, called(one.name, attributes, metadata))
        if memory is not None:
            yield memory


def _concept(
    one: Standing, type_: str, attributes: Attributes, metadata: Attributes, known: _Known
) -> MemoryContent | None:
    kind = kind_of_concept(known.kinds, type_)
    if kind is None or metadata.get(SEARCH_ATTRIBUTES) is False:
        return None
    text, code = said_by_concept(kind, one.name, attributes), codes_of(known.kinds)[kind.name]
    if kind.name == EPISODE:
        return _episode(one, code, text, title_of(kind, attributes), attributes)
    trust = kind.active.get(_text(attributes.get(kind.status)) or "") if kind.status else None
    words = tokens(text)
    said_at = _instant(attributes.get("created_at"), one.valid_at)
    names = (one.name, *_listed(attributes, _NAMES)) if code == CONCEPTS else ()
    author = attributes.get("agent_id") or attributes.get("session_id") or metadata.get("source")
    return MemoryContent(
        one,
        code,
        text,
        words,
        tuple(filter(None, map(folded, names))),
        stands=kind.counts(attributes),
        said_at=said_at,
        tells=code != CONCEPTS or text != one.name,
        spans=_with_own_time(one, spoken_of(text, words, _said_at(said_at))),
        author=None if trust == 1.0 else _text(author) or known.actors.get(one.since),
        trust=1.0 if trust is None else trust,
        topic=None if code == CONCEPTS else _topic(text),
    )


def _episode(
    one: Standing, code: int, body: str, title: str | None, attributes: Attributes
) -> MemoryContent:
    """Return an episode; who speaks stands in attributes, or in the body of an older one."""
    said_at = _instant(attributes.get("reference_time"), BEGINNING)
    role_type, speaker = _text(attributes.get("role_type")), _text(attributes.get("role"))
    line = _LINE.match(body) if attributes.get("source") == "message" else None
    if line is not None:
        role_type, speaker = role_type or line[1], speaker or line[2]
        body = body[line.end() :]
    session = _text(attributes.get("session"))
    described = _text(attributes.get("source_description"))
    stream = session or described or ("" if line is not None else None)
    words, topic = tokens(body), _topic(body)
    told = spoken_of(body, words, _said_at(said_at))
    return MemoryContent(
        one,
        code,
        body,
        words,
        (folded(title),) if title else (topic,) if topic and " " in topic else (),
        topic=topic,
        stream=None if stream is None else f"{bool(session)}{stream}",
        has_session=bool(session),
        said_at=said_at,
        speaker=folded(speaker) or None if speaker else None,
        is_assistant=role_type in {"assistant", "system", "tool"},
        tells=_ASKS.search(body) is None,
        is_turn=said_at != BEGINNING,
        spans=told if said_at == BEGINNING else (day_of(said_at), *told),
        trust=1.0,
    )


def _topic(text: str) -> str | None:
    """Return the name that a text begins with and tells something of.

    >>> _topic("The Silent Harbor is a film"), _topic("Linz (Austria) grew"), _topic("It is late")
    ('the silent harbor', 'linz', None)
    """
    found = _TOPIC.match(text)
    return folded(found[1]) if found and telling_words(tokens(found[1])) else None


def _fact(
    one: Standing,
    predicate: str,
    attributes: Attributes,
    metadata: Attributes,
    known: _Known,
    before: MemoryContent | None,
) -> MemoryContent | None:
    start, end = known.concepts.get(one.subject), known.concepts.get(one.object)
    if start is not None and known.kinds.is_structure(start.type, predicate):
        return None
    ends = tuple("" if at is None else at.name for at in (start, end))
    if before is not None and _says_the_same(before.standing, one):
        text, words, told = before.text, before.words, before.told
    else:
        text = said_by_link(ends[0], predicate, ends[1], attributes)
        if FACT in attributes:
            text = f"{text}\n{predicate}"
        words = tokens(text)
        told = spoken_of(text, words, _said_at(one.valid_at))
    sources = metadata.get(SOURCES)
    count = len(sources) if isinstance(sources, list) else 0
    first = sources[0] if isinstance(sources, list) and sources else metadata.get("source")
    more = min(count, _MOST_SOURCES) / _MOST_SOURCES
    return MemoryContent(
        one,
        FACTS,
        text,
        words,
        ends,
        said_at=one.valid_at,
        spans=_with_own_time(one, told),
        told=told,
        author=_text(first) or known.actors.get(one.since),
        trust=min(1.0, _OF_FACTS * (1 - _OF_SOURCES) + _OF_SOURCES * more),
        is_service=predicate == SERVES and start is not None and start.name == SELF,
    )


def _says_the_same(before: Standing, one: Standing) -> bool:
    """Whether a content of a fact says what the one before it said, of the same day."""
    return before[:_SAID] == one[:_SAID] and before.valid_at == one.valid_at


def _said_at(instant: int) -> int | None:
    return None if instant == BEGINNING else instant


def _with_own_time(one: Standing, told: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return the times that something told speaks of, and the time it is true, if that has one."""
    if one.valid_at == BEGINNING and one.invalid_at == FOREVER:
        return told
    return ((one.valid_at, one.invalid_at), *told)


def _members(written: str) -> Attributes:
    if written == "{}":
        return {}
    held: Attributes = orjson.loads(written)
    return held


def _listed(attributes: Attributes, keys: Iterable[str]) -> Iterator[str]:
    for key in keys:
        listed = attributes.get(key)
        if isinstance(listed, list):
            yield from (one for one in listed if isinstance(one, str))


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) and value else None


def _instant(value: Value, otherwise: int) -> int:
    if not isinstance(value, str):
        return otherwise
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return otherwise
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


def since_text(instant: int) -> str:
    """Return the day of an instant, as people write it."""
    return instant_text(Instant(instant))[:10]
