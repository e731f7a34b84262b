"""A recall from its question to its memories.

The rules: it is answered as of one moment of both clocks, which its cursor keeps; the order is that
of scores, then of age, and every page is a part of that one order. A question is never refused for
the embedder that is configured: where its model is away, or another one than that of the vectors
that are kept, the rest of recall answers, and a notice says so. A content that has ended has no
vector any more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, get_args

import numpy as np

from recollect.errors import (
    EMBEDDER_CHANGED,
    EMBEDDER_UNAVAILABLE,
    Notice,
    RecollectError,
    may_be_one,
    not_among,
    refused,
)
from recollect.kernel.read.catalogs import Forgetful
from recollect.kernel.read.joints import End, dated_by_number, joints_at
from recollect.kernel.read.moment import NOW, resolve_moment
from recollect.kernel.read.reader import Reader
from recollect.kernel.recall.asking import UnderstoodQuestion, in_plain_words, understood
from recollect.kernel.recall.choosing import Choice, Look, chosen, led_on, told
from recollect.kernel.recall.columns import Columns, Floats, HeldColumns
from recollect.kernel.recall.recollection import Recalled, RecallQuestion, Recollection, compared_by
from recollect.kernel.recall.remembering import FACTS, said_by_concept, said_by_link
from recollect.kernel.recall.scoring import Point, Ranking, ranked
from recollect.kernel.recall.spans import held_once
from recollect.kernel.search.tokens import storable, tokens
from recollect.kernel.store.group import last_instant, last_transaction
from recollect.model import (
    FOREVER,
    LIVING,
    AsOf,
    Concept,
    Dated,
    Element,
    Instant,
    Kinds,
    Link,
    Progress,
)
from recollect.node import dataclass, replace


class Compared(NamedTuple):
    """What a model says of the rows of a group."""

    near: Floats | None = None  # the cosine of each with the question; NaN for one without a vector
    model: str | None = None
    notices: tuple[Notice, ...] = ()


def compared(reader: Reader, columns: Columns, question: str) -> Compared:
    """Return how near each row is to a question. Cost: the model, and all vectors of the group."""
    meanings = reader.meanings
    if meanings is None:
        return Compared()
    try:
        spaces = meanings.spaces(reader.session, reader.group.group_id)
        vector = b"" if spaces is None else meanings.question(question)
    except RecollectError as error:
        if error.code not in (EMBEDDER_UNAVAILABLE, EMBEDDER_CHANGED):
            raise
        message = f"{error.message}, so recall compared without the model"
        return Compared(notices=(Notice("compared_without_model", message, error.hint),))
    near = np.full(columns.size, np.nan)
    for space in spaces or ():
        elements, cosines = space.compared(vector)
        if len(elements):
            at = np.minimum(np.searchsorted(elements, columns.element), len(elements) - 1)
            is_its = (elements[at] == columns.element) & (columns.until == LIVING)
            near[is_its] = cosines[at][is_its]
    return Compared(near, meanings.embedder.name) if spaces is not None else Compared()


_BYTES_OF_TOKEN: Final = 3  # about: four of English, three of Chinese
_CURSOR: Final = re.compile(r"r1\.(-?\d{1,19})\.(\d{1,19})\.(\d{1,9})")
_BESIDE: Final = 60  # bytes of a memory beside its passage, about


@dataclass(frozen=True, slots=True)
class _Call:
    """A call that is checked."""

    question: str
    kinds: frozenset[int] | None  # None: all
    limit: int
    moment: Point
    skipped: int  # memories of the pages before
    is_latest: bool
    notices: tuple[Notice, ...]


def is_held(reader: Reader, kept: Forgetful) -> bool:
    """Whether the group of a reader is in memory, if not up to its last transaction."""
    assert isinstance(kept, HeldColumns)
    return kept.holds(reader.session, reader.group.group_id)


def hold(reader: Reader, kept: Forgetful, progress: Progress) -> None:
    """Bring the group of a reader into memory."""
    assert isinstance(kept, HeldColumns)
    kept.of(reader.session, reader.group.group_id, reader.terms, progress)


def answer_recall(
    reader: Reader, kept: Forgetful, question: RecallQuestion, now: Instant
) -> Recollection:
    """Return what a question recalls of the group of a reader."""
    assert isinstance(kept, HeldColumns)
    asked = _check_question(reader, question, now)
    columns = kept.of(reader.session, reader.group.group_id, reader.terms)
    at, asker = asked.moment, question.asker
    askers = (asker,) if isinstance(asker, str) else asker or ()
    meant = understood(asked.question, columns, at.valid, at.known, askers)
    sense = columns.known.meant.of_words(tokens(asked.question))
    by_model = compared(reader, columns, asked.question)
    near = by_model.near
    wanted = asked.skipped + asked.limit + 1
    look = _look(reader, columns, asked)
    namesakes = dict(_may_be_one(reader, meant.namesakes))
    concepts = meant.concepts.difference(one for one, _ in namesakes).union(
        whole for _, whole in namesakes
    )
    unlike = meant.unlike.difference(*namesakes)
    meant = replace(meant, namesakes=(*namesakes,), concepts=concepts, unlike=unlike)

    def choose(meant: UnderstoodQuestion) -> tuple[Ranking, Choice]:
        best = ranked(
            columns, meant, at, asked.kinds, with_past=question.past, meant=sense, compared=near
        )
        ranking = led_on(look, best)
        return ranking, chosen(look, ranking, wanted, question.threshold or 0.0)

    ranking, choice = choose(meant)
    timed = question.past or meant.times.held or meant.beside
    is_told = bool(choice.places) and not (meant.times.did and meant.names)
    is_told |= any(columns.kind[one.row] == FACTS for one in choice.places[:1])
    is_sought = (
        is_told or timed or not (columns.invalid_at[columns.kind == FACTS] <= at.valid).any()
    )
    if not is_sought:  # what was so comes nearer than others
        over = replace(meant, times=replace(meant.times, held=(held_once(at.valid),)))
        before, found = choose(over)
        if found.places and not (choice.places and before.standing.now[found.places[0].row]):
            past = found if meant.times.did else Choice((), found.places[0])
            ranking, choice, meant = before, past, over
    page = choice.places[asked.skipped : asked.skipped + asked.limit]
    names = reader.session.kinds.names()
    memories = told(ranking, asked.question, meant, page, names, partial(_after, look, ranking))
    kept_memories = _within(memories, question.max_tokens)
    skipped = asked.skipped + len(kept_memories)
    missed = None
    if not choice.places and choice.missed is not None:
        (missed,) = told(ranking, asked.question, meant, [choice.missed], names)
    return Recollection(
        memories=tuple(kept_memories),
        as_of=AsOf(valid=Instant(at.valid), transaction=at.known),
        nearest=missed,
        cursor=f"r1.{at.valid}.{at.known}.{skipped}" if len(choice.places) > skipped else None,
        mode=compared_by(by_model.model),
        notices=(*asked.notices, *namesakes.values(), *by_model.notices),
    )


def _may_be_one(
    reader: Reader, pairs: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], Notice]]:
    """Yield the pairs of a first name and whose it may be that no link keeps apart."""
    kinds = "Person", reader.session.kinds.made
    for pair in pairs:
        found = dated_by_number(reader, pair, closed=False)
        elements = (found[one].element for one in pair if one in found)
        ends = [one for one in elements if isinstance(one, Concept) and one.type in kinds]
        if len(ends) < len(pair):
            continue
        one, other = ends
        links = [joints_at(reader, [one.id], end, None, closed=False) for end in get_args(End)]
        if not any(other.id in (of.link.subject, of.link.object) for at in links for of in at):
            yield pair, may_be_one(one.name, one.id, other.name, other.id)


def _after(look: Look, ranking: Ranking, row: int) -> str:
    """Return the words of the fact that began where one ended, about the same; else nothing."""
    columns = ranking.columns
    ends = columns.invalid_at[row]
    now = ranking.standing.now
    if now[row] or columns.kind[row] != FACTS or ends == FOREVER:
        return ""
    begins = (columns.subject == columns.subject[row]) & (columns.valid_at == ends) & columns.stands
    rows = [row, *(one for one in np.flatnonzero(begins).tolist() if now[one])]
    predicate = None
    for dated, text in look(rows).values():  # the one that ended first
        if isinstance(dated.element, Link):
            if dated.element.predicate == predicate:
                return text
            predicate = predicate or dated.element.predicate
    return ""


def _check_question(reader: Reader, question: RecallQuestion, now: Instant) -> _Call:
    """Return a question as it is meant; INVALID_ARGUMENT for none, whatever its types say."""
    text: object = question.text
    limit: object = question.limit
    if not isinstance(text, str) or not text.strip():
        raise refused("question is blank", "ask in plain words: Where does Ann work?")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise refused(f"limit is {limit!r}, not a whole number from 1", "pass limit=10")
    as_of = question.as_of or AsOf()
    session, group = reader.session, reader.group
    latest = last_transaction(session, group.group_id)
    skipped, notices = 0, tuple[Notice, ...]()
    if question.cursor is not None:
        moment, skipped = _of_cursor(question.cursor)
        if as_of != AsOf():
            raise refused(
                "as_of is given with a cursor, which keeps the time of its first page",
                "leave as_of out",
            )
    else:
        resolved = resolve_moment(session, group, as_of)
        valid = max(now, last_instant(session, group.group_id))
        known = latest if resolved.known is None else resolved.known
        moment = Point(valid if resolved.valid is None else resolved.valid, known)
        notices = resolved.notices
    words, kinds = in_plain_words(storable(text)), _kinds(session.kinds.names(), question.kinds)
    return _Call(words, kinds, limit, moment, skipped, moment.known >= latest, notices)


def _kinds(known: tuple[str, ...], given: Sequence[str] | None) -> frozenset[int] | None:
    for one in given or ():
        if one not in known:
            message = f'no kind of memory is called "{one}"; there are {", ".join(known)}'
            raise not_among(message, one, known, 'use "{}"')
    return frozenset(map(known.index, given)) if given else None


def _of_cursor(cursor: object) -> tuple[Point, int]:
    match = _CURSOR.fullmatch(cursor) if isinstance(cursor, str) else None
    if match is None:
        raise refused(
            "cursor is not one that a recall gave",
            "pass the cursor of the answer before, or leave it out",
        )
    valid, known, skipped = map(int, match.groups())
    return Point(valid, known), skipped


def _look(reader: Reader, columns: Columns, asked: _Call) -> Look:
    """Return what fetches rows as they stood at the moment asked about."""
    at = AsOf(transaction=asked.moment.known)
    reader.moment = NOW if asked.is_latest else resolve_moment(reader.session, reader.group, at)
    seen: dict[int, tuple[Dated, str]] = {}
    kinds = reader.session.kinds

    def look(rows: Collection[int]) -> dict[int, tuple[Dated, str]]:
        new = {row: int(columns.element[row]) for row in rows if row not in seen}
        found = dated_by_number(reader, [*new.values()], closed=True) if new else {}
        for row, one in new.items():
            if one in found:
                seen[row] = found[one], _text(kinds, found[one].element, columns, row)
        return {row: seen[row] for row in rows if row in seen}

    return look


def _text(kinds: Kinds, element: Element, columns: Columns, row: int) -> str:
    """Return what an element says."""
    if isinstance(element, Concept):
        return said_by_concept(kinds.of(element.type), element.name, element.attributes)
    known = columns.known.concepts
    ends = (known.get(int(one)) for one in (columns.subject[row], columns.object[row]))
    subject, object_ = ("" if one is None else one.name for one in ends)
    return said_by_link(subject, element.predicate, object_, element.attributes)


def _within(memories: list[Recalled], max_tokens: int | None) -> list[Recalled]:
    """Return as many of the best as there is room for, and one at least."""
    if max_tokens is None:
        return memories
    room, kept = max_tokens * _BYTES_OF_TOKEN, list[Recalled]()
    for one in memories:
        room -= len(one.passage.encode()) + _BESIDE
        if room < 0 and kept:
            break
        kept.append(one)
    return kept
