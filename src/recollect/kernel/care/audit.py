"""The audit: a group's log is computed again from its rows and compared with the stored one.

Every content that is there, current or past, must have the digest that was logged when it was
written; every digest must be in the chain; a content that is gone must have been purged. What
it cannot see is a log rewritten as a whole: that is why its head is kept elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import orjson

from recollect.errors import refused
from recollect.kernel.read.moment import part
from recollect.kernel.store.cells import (
    Identity,
    Logged,
    Record,
    SqlValue,
    digest_of_cells,
    next_chain,
    octets,
    public_id,
    purge_digest,
    text,
    whole,
)
from recollect.kernel.store.group import NO_CHAIN, Group, last_transaction
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.log import (
    AT_CHANGE,
    CHANGES,
    CONCEPTS,
    LINKS,
    MISNUMBERED_PAST,
    PAST,
    PURGED,
    STANDING,
    STOOD,
    TRANSACTIONS,
    UNLOGGED_CONTENTS,
    UNLOGGED_PAST,
)
from recollect.model import LIVING, Audit, Breach, Instant, Operation, Progress, silent
from recollect.node import dataclass

_OPERATIONS = tuple(Operation)
_ABSENT = "the transaction is not in the log"
_CHUNK = 5_000  # changes checked together
_HEAD = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Head:
    """A transaction and its chain hash, as they were kept elsewhere."""

    number: int
    chain: str

    def __str__(self) -> str:
        return f"{self.number}:{self.chain}"


def parse_head(written: object) -> Head:
    """Return the head a text names, or INVALID_ARGUMENT.

    >>> str(parse_head("0:" + 64 * "0")) == "0:" + 64 * "0"
    True
    """
    found = _HEAD.fullmatch(written.strip()) if isinstance(written, str) else None
    if found is None:
        raise refused(
            "the head is not a number, a colon and 64 hexadecimal digits",
            "pass it as an earlier audit printed it",
        )
    return Head(int(found[1]), found[2])


def audit(
    session: Session, group: Group, kept: Head | None = None, progress: Progress = silent
) -> Audit:
    """Compare a group's log with its rows, and with a head kept from earlier.

    Stops at the first breach. Cost: every content of the group, current and past.
    """
    return _Auditing(session, group, progress).run(kept)


def audit_newest(session: Session, group: Group, most: int) -> Breach | None:
    """Return the first breach in a group's newest transactions, of so many changes or fewer.

    What they wrote and how they are chained is looked at, not what they left alone. Cost: those
    changes.
    """
    auditing = _Auditing(session, group, silent)
    auditing.begin_with_newest(most)
    return auditing.chain_breach()


@dataclass(frozen=True, slots=True)
class _Row:
    """One element as its row has it, and the contents that were written before."""

    id: int
    salt: bytes
    born_at: int
    changed_at: int
    expired_at: int
    content: tuple[SqlValue, ...]  # attributes, metadata, valid_at, invalid_at
    identity: Identity
    past: Mapping[int, tuple[SqlValue, ...]]  # by the transaction that wrote it

    def written_by(self, number: int) -> tuple[SqlValue, ...] | None:
        """Return the content a transaction wrote."""
        return self.content if self.changed_at == number else self.past.get(number)


@dataclass(frozen=True, slots=True)
class _Change:
    """One row of the log, and what is wrong with it, if anything."""

    number: int
    logged: Logged
    problem: str


class _Auditing:
    """One audit as it runs."""

    def __init__(self, session: Session, group: Group, progress: Progress) -> None:
        self._session = session
        self._group = group
        self._progress = progress
        self._total = last_transaction(session, group.group_id)
        self._number, self._at, self._chain = 0, 0, NO_CHAIN  # as far as the log holds
        self._contents = self._erased = 0
        rows = self._rows(PURGED, purge=Operation.PURGE)
        self._purged = {whole(element): whole(number) for element, number in rows}

    def begin_with_newest(self, most: int) -> None:
        """Take the log as it stands up to the transactions that the newest changes are of."""
        for (number,) in self._rows(AT_CHANGE, most=most):
            for *standing, chain in self._rows(STOOD, number=number):
                self._number, self._at, self._chain = *map(whole, standing), octets(chain)

    def chain_breach(self) -> Breach | None:
        """Return the first breach in the transactions that follow."""
        return self._broken_chain(None)

    def run(self, kept: Head | None) -> Audit:
        breach = self._broken_chain(kept)
        self._progress("transactions", self._number, self._total)
        breach = breach or self._unlogged()
        head = Head(self._number, self._chain.hex())
        return Audit(
            self._group.name, str(head), self._number, self._contents, self._erased, breach
        )

    def _broken_chain(self, kept: Head | None) -> Breach | None:
        """Follow the log as far as it holds, and return what is wrong with what comes next."""
        changes = self._changes()
        change = next(changes, None)
        for record, written in self._logged():
            number, at = record.number, record.at
            if number != self._number + 1:
                return Breach(self._number + 1, _ABSENT)
            logged, problem = [], ""
            while change is not None and change.number <= number:
                problem = problem or change.problem
                logged.append(change.logged)
                change = next(changes, None)
            chain = next_chain(self._chain, self._group.id_bits, record, logged)
            if chain != written:
                problem = problem or "its record or its changes are not those that were chained"
            if number > 1 and at <= self._at:
                problem = problem or "its instant is not later than that of the one before"
            if kept is not None and kept.number == number and kept.chain != chain.hex():
                problem = problem or "its chain hash is not the one that was kept"
            if problem:
                return Breach(number, problem)
            self._number, self._at, self._chain = number, at, chain
        return self._ending(change, kept)

    def _ending(self, change: _Change | None, kept: Head | None) -> Breach | None:
        """Return what is wrong after the last transaction that the log has."""
        last = self._number
        standing = self._rows(STANDING)
        if change is not None or any(whole(number) > last for number, _, _ in standing):
            return Breach(last + 1, _ABSENT)
        if kept is not None and kept.number > last:
            return Breach(last + 1, "the log ends before the head that was kept")
        if standing and standing[0] != (last, self._at, self._chain):
            return Breach(last, "the group's record has another head than the log")
        return None

    def _logged(self) -> Iterator[tuple[Record, bytes]]:
        after = self._number or -1
        while rows := self._rows(TRANSACTIONS, after=after, most=_CHUNK):
            for number, at, last_id, actor, request, chain in rows:
                after = whole(number)
                who = _text_or_none(actor), _text_or_none(request)
                yield Record(after, Instant(whole(at)), whole(last_id), *who), octets(chain)

    def _changes(self) -> Iterator[_Change]:
        number, element = (self._number, LIVING) if self._number else (-1, -1)
        while rows := self._rows(CHANGES, tx=number, element=element, most=_CHUNK):
            self._progress("transactions", self._number, self._total)
            elements = self._elements(dict.fromkeys(whole(one) for _, one, _, _ in rows))
            for tx, one, operation, digest in rows:
                number, element = whole(tx), whole(one)
                logged = element, text(operation), octets(digest)
                yield _Change(number, logged, self._problem(number, logged, elements.get(element)))

    def _problem(self, number: int, logged: Logged, row: _Row | None) -> str:
        """Return what is wrong with one change, or nothing."""
        element, operation, digest = logged
        name = public_id(self._group.id_bits, element)
        if operation not in _OPERATIONS:
            return f"its operation on {name} is not known"
        if row is None:
            if operation == Operation.PURGE:
                is_right = digest == purge_digest(element)
                return "" if is_right else f"the digest of the purge of {name} does not match"
            self._erased += operation != Operation.CLOSE
            is_purged = self._purged.get(element, 0) > number
            return "" if is_purged else f"the element {name} is gone, and no purge erased it"
        if operation == Operation.PURGE:
            return f"the element {name} was purged, yet it exists"
        expected: dict[str, int] = {
            Operation.CREATE: row.born_at,
            Operation.UPDATE: number,
            Operation.CLOSE: row.expired_at,
        }
        if expected[operation] != number:
            return f"the element {name} does not say that this transaction is its {operation}"
        content = row.content if operation == Operation.CLOSE else row.written_by(number)
        if content is None:
            return f"the content that {name} was given is gone, and no purge erased it"
        self._contents += operation != Operation.CLOSE
        is_right = digest_of_cells(row.salt, row.identity, content) == digest
        return "" if is_right else f"the content of {name} is not the one that was logged"

    def _elements(self, ids: Mapping[int, None]) -> dict[int, _Row]:
        wanted = orjson.dumps(list(ids)).decode()
        past: dict[int, dict[int, tuple[SqlValue, ...]]] = {}
        for one, number, *content in self._rows(PAST, ids=wanted):
            past.setdefault(whole(one), {})[whole(number)] = tuple(content)
        rows = [*self._rows(CONCEPTS, ids=wanted), *self._rows(LINKS, ids=wanted)]
        return {whole(row[0]): _row(row, past.get(whole(row[0]), {})) for row in rows}

    def _unlogged(self) -> Breach | None:
        """Return the first content that no transaction of the log wrote, or left like that."""
        for sql in (UNLOGGED_CONTENTS, UNLOGGED_PAST, MISNUMBERED_PAST):
            for element, number in self._rows(sql):
                name = public_id(self._group.id_bits, whole(element))
                return Breach(whole(number), f"no transaction wrote {name} as it is")
        return None

    def _rows(self, sql: Statement, **parameters: SqlValue) -> Sequence[SqlRow]:
        return self._session.rows(sql, {"group": self._group.group_id, **parameters})


def _row(row: SqlRow, past: Mapping[int, tuple[SqlValue, ...]]) -> _Row:
    one, salt, born_at, changed_at, expired_at = row[:5]
    return _Row(
        id=whole(one),
        salt=octets(salt),
        born_at=whole(born_at),
        changed_at=whole(changed_at),
        expired_at=whole(expired_at),
        content=row[5:9],
        identity=(whole(one), *map(part, row[9:])),
        past=past,
    )


def _text_or_none(cell: SqlValue) -> str | None:
    return None if cell is None else text(cell)
