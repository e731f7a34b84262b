"""What an element was, step by step: from its row, its past contents and the log.

A content stands from the transaction that wrote it to the one that wrote the next, or that
closed the element.

The change log of a group, read forward: what each transaction did, element by element.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import orjson

from recollect.errors import STORE_CORRUPT, refused
from recollect.kernel.read.moment import Moment, identities, public_ids
from recollect.kernel.store.cells import SqlValue, members, text, whole
from recollect.kernel.store.group import Group, Terms
from recollect.kernel.store.port import Parameters, Session, SqlRow
from recollect.kernel.store.statements.log import (
    AFTER,
    BY_NUMBER,
    CONTENTS,
    FIRST_OF_TRANSACTION,
    OF_TRANSACTIONS,
)
from recollect.model import (
    BEGINNING,
    FOREVER,
    LINK_BIT,
    LIVING,
    Content,
    ElementKind,
    Instant,
    Life,
    LoggedChange,
    LoggedTransaction,
    Operation,
    Transaction,
    Version,
)
from recollect.node import dataclass


def transactions(session: Session, group: Group, numbers: Iterable[int]) -> dict[int, Transaction]:
    """Return transactions by number; one that the log does not hold is left out."""
    parameters: Parameters = {
        "group": group.group_id,
        "numbers": orjson.dumps(list(numbers)).decode(),
    }
    found = map(_transaction, session.rows(BY_NUMBER, parameters))
    return {one.number: one for one in found}


def transactions_after(session: Session, group: Group, since: int, limit: int) -> list[Transaction]:
    """Return the transactions after a number, in order, at most `limit`."""
    parameters = {"group": group.group_id, "since": since, "limit": limit}
    return [_transaction(row) for row in session.rows(AFTER, parameters)]


def _transaction(row: SqlRow) -> Transaction:
    number, at, actor, request = row
    return Transaction(
        whole(number),
        Instant(whole(at)),
        None if actor is None else text(actor),
        None if request is None else text(request),
    )


DEFAULT_LIMIT = 100
"""Transactions read when no limit is given."""


def changes_after(
    session: Session, group: Group, terms: Terms, since: int, limit: int, most: int | None = None
) -> tuple[LoggedTransaction, ...]:
    """Return the transactions after number `since`, oldest first, at most `limit`.

    With `most` only so many changes of each are there. Cost: four statements (with `most` one more
    for each transaction), and every change that is returned. INVALID_ARGUMENT for anything but
    whole numbers from 0.
    """
    if not (_is_count(since) and _is_count(limit) and (most is None or _is_count(most))):
        raise refused(
            "since, limit or most is not a whole number from 0",
            "pass the number of the last transaction you have seen, or 0",
        )
    log = transactions_after(session, group, since, limit)
    if not log:
        return ()
    rows = _rows(session, group, log, most)
    elements = dict.fromkeys(whole(element) for _, element, _ in rows)
    names = public_ids(session, group, elements)
    what = identities(session, group, terms, elements)
    by_transaction: defaultdict[int, list[LoggedChange]] = defaultdict(list)
    for number, element, operation in rows:
        one = whole(element)
        kind = ElementKind.LINK if one & 1 == LINK_BIT else ElementKind.CONCEPT
        change = LoggedChange(names[one], kind, _operation(operation), what.get(one))
        by_transaction[whole(number)].append(change)
    return tuple(LoggedTransaction(one, tuple(by_transaction[one.number])) for one in log)


def _rows(
    session: Session, group: Group, log: Sequence[Transaction], most: int | None
) -> list[SqlRow]:
    """Return the changes of transactions, all or the first of each."""
    if most is None:
        span = {"group": group.group_id, "first": log[0].number, "last": log[-1].number}
        return list(session.rows(OF_TRANSACTIONS, span))
    return [
        row
        for one in log
        for row in session.rows(
            FIRST_OF_TRANSACTION, {"group": group.group_id, "number": one.number, "most": most}
        )
    ]


def _operation(cell: SqlValue) -> Operation:
    try:
        return Operation(text(cell))
    except ValueError as error:
        raise STORE_CORRUPT.error(
            "the log holds an operation that is not known", "run recollect doctor"
        ) from error


def _is_count(number: object) -> bool:
    return type(number) is int and 0 <= number < LIVING  # whatever the caller's types say


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
    for row in session.rows(CONTENTS, parameters):
        found[whole(row[0])].append(_content(row))
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
        raise STORE_CORRUPT.error(
            "a content belongs to no transaction of the log", "run recollect doctor"
        ) from error
    return Version(step.number, step.operation, since, until, step.before, step.after)
