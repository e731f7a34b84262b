"""Contents of a group as memories: what each says, who said it and when, whom it rests on.

The rule: everything here is derived from one content and the names of a link's ends, which never
change, so it stands and falls with that content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import orjson

from recollect.kernel.recall.kinds import (
    CONCEPTS,
    EPISODE,
    FACTS,
    codes_of,
    kind_of_concept,
    said_by_concept,
    said_by_link,
    title_of,
)
from recollect.kernel.recall.spans import Span, day_of, spoken_of
from recollect.kernel.schema.definitions import SELF, SERVES
from recollect.kernel.search.document import called
from recollect.kernel.search.tokens import folded, tokens
from recollect.kernel.store.remembered import Standing
from recollect.model import (
    BEGINNING,
    FACT,
    FOREVER,
    LINK_BIT,
    SEARCH_ATTRIBUTES,
    SOURCES,
    Attributes,
    Instant,
    Kinds,
    Value,
    instant_text,
)

_LINE: Final = re.compile(r"(\w+)\(([^()\n]*)\): ", re.ASCII)
_STATUS: Final = {"verified": 1.0, "observed": 0.95, "inferred": 0.85}
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
    one: Standing,
    type_: str,
    attributes: Attributes,
    metadata: Attributes,
    known: _Known,
) -> MemoryContent | None:
    kind = kind_of_concept(known.kinds, type_)
    if kind is None or metadata.get(SEARCH_ATTRIBUTES) is False:
        return None
    text, code = said_by_concept(kind, one.name, attributes), codes_of(known.kinds)[kind.name]
    if kind.name == EPISODE:
        return _episode(one, code, text, title_of(kind, attributes), attributes)
    status = _text(attributes.get(kind.status)) if kind.status else None
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
        author=None if status == "verified" else _text(author) or known.actors.get(one.since),
        trust=_STATUS.get(status or "", 1.0),
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
    words = tokens(body)
    told = spoken_of(body, words, _said_at(said_at))
    return MemoryContent(
        one,
        code,
        body,
        words,
        () if title is None else (folded(title),),
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
        trust=min(1.0, _STATUS["observed"] * (1 - _OF_SOURCES) + _OF_SOURCES * more),
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
