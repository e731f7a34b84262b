"""What an element was, step by step: from its row, its past contents and the log.

A content stands from the transaction that wrote it to the one that wrote the next, or that
closed the element.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import orjson

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.read.changes import transactions
from recollect.kernel.read.moment import Moment, identities, public_ids
from recollect.kernel.store.cells import members, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.log import CURRENT, SUPERSEDED_CONTENTS
from recollect.kernel.store.terms import Terms
from recollect.model import (
    BEGINNING,
    FOREVER,
    LIVING,
    Content,
    Instant,
    Life,
    Operation,
    Transaction,
    Version,
)
from recollect.node import dataclass


@dataclass(frozen=True, slots=True)
class _Written:
    """One content and the two transactions it stood between."""

    number: int
    since: int
    until: int  # LIVING: it still stands
    content: Content


@dataclass(frozen=True, slots=True)
class _Step:
    """One version before its transactions are looked up."""

    number: int
    operation: Operation
    since: int
    until: int | None
    before: Content | None
    after: Content | None


def lives(
    session: Session, group: Group, terms: Terms, ids: Sequence[int], moment: Moment
) -> tuple[Life, ...]:
    """Return the lives of elements, in the order of `ids`.

    A known moment ends each life there, and leaves out lives that had not begun. A valid moment
    keeps the steps whose content was true then (for a close: the content it ended). A life without
    any step left is left out. Cost: four statements, and the contents.
    """
    written = _written(session, group, ids)
    steps = {one: [*_steps(written[one], moment)] for one in ids}
    numbers = {
        number
        for story in steps.values()
        for step in story
        for number in (step.since, step.until)
        if number is not None
    }
    log = transactions(session, group, numbers)
    names, what = public_ids(session, group, ids), identities(session, group, terms, ids)
    return tuple(
        Life(names[one], what[one], tuple(_version(step, log) for step in steps[one]))
        for one in ids
        if steps[one]
    )


def _written(session: Session, group: Group, ids: Sequence[int]) -> dict[int, list[_Written]]:
    """Return the contents of each element, oldest first."""
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "ids": orjson.dumps(list(ids)).decode(),
    }
    found: defaultdict[int, list[_Written]] = defaultdict(list)
    for row in session.rows(SUPERSEDED_CONTENTS, parameters) + session.rows(CURRENT, parameters):
        found[whole(row[0])].append(_content(row))
    for contents in found.values():
        contents.sort(key=lambda one: one.since)
    return found


def _content(row: SqlRow) -> _Written:
    _, until, since, number, attributes, metadata, valid_at, invalid_at = row
    start, end = whole(valid_at), whole(invalid_at)
    content = Content(
        members(attributes),
        members(metadata),
        None if start == BEGINNING else Instant(start),
        None if end == FOREVER else Instant(end),
    )
    return _Written(whole(number), whole(since), whole(until), content)


def _steps(contents: Sequence[_Written], moment: Moment) -> Iterator[_Step]:
    known = LIVING if moment.known is None else moment.known
    before: Content | None = None
    for one in contents:
        if one.since <= known and _is_valid(one.content, moment.valid):
            operation = Operation.CREATE if before is None else Operation.UPDATE
            until = one.until if one.until <= known and one.until < LIVING else None
            yield _Step(one.number, operation, one.since, until, before, one.content)
        before = one.content
    last = contents[-1]
    if last.until <= known and last.until < LIVING and _is_valid(last.content, moment.valid):
        yield _Step(last.number, Operation.CLOSE, last.until, None, last.content, None)


def _is_valid(content: Content, at: Instant | None) -> bool:
    if at is None:
        return True
    has_begun = content.valid_at is None or content.valid_at <= at
    return has_begun and (content.invalid_at is None or at < content.invalid_at)


def _version(step: _Step, log: dict[int, Transaction]) -> Version:
    try:
        until = None if step.until is None else log[step.until]
        since = log[step.since]
    except KeyError as error:
        raise RecollectError(
            STORE_CORRUPT,
            "a content belongs to no transaction of the log",
            hint="run recollect doctor",
        ) from error
    return Version(step.number, step.operation, since, until, step.before, step.after)
