"""The durable queue: the work that is still to be done on elements of a group, step by step.

The rule: an item is in the queue once, for as long as its element is in the memory; one worker at a
time works on a group, and a worker without the lease cannot settle anything. States and payloads
mean something to the worker only; the queue knows just when an item is due. Finished items stay in
it, so every statement about a few items begins at those or at the leased ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile

import orjson

from recollect.kernel.store.cells import SqlValue, members, text, whole
from recollect.kernel.store.group import create_group, load_group
from recollect.kernel.store.port import Session, SqlRow, Store
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.queue import (
    AGAIN,
    COUNTS,
    DUE_GROUPS,
    FORGET,
    GIVE,
    HELD,
    IN_STATE,
    LEASE,
    LOST,
    NEXT,
    OF_RECEIPT,
    ONE,
    PUT,
    RENEW,
    RETURN,
    SETTLE,
)
from recollect.kernel.write.validation import identifier, members as checked_members
from recollect.model import BEGINNING, FOREVER, Attributes, Instant, WorkItem

Values = dict[str, SqlValue]


def _nothing() -> None:
    """Do nothing."""


class Queue:
    """The queue of one group; safe to share between threads and processes.

    Every call is one transaction of the store, or a part of `Nexus.transaction`. Instants are the
    caller's, and are kept by the clock of a server, where there is one. Even if the clocks of two
    workers differ by more than a lease, nothing is done twice, because only the holder of a lease
    can settle an item.
    """

    def __init__(self, store: Store, group: str) -> None:
        self._store = store
        self._name = group

    def put(
        self, items: Sequence[str], state: str, receipt: str, then: Callable[[], None] = _nothing
    ) -> None:
        """Put items into the queue, each once and due at once, under one receipt for all of them.

        An item is the id that was given to a concept. Items that are already in the queue stay as
        they are. `then` is called once others can see them. Cost: two statements for each item.
        """
        state, receipt = identifier(state, "state"), identifier(receipt, "receipt")
        with self._store.writing(group=self._name) as session:
            group_id = create_group(session, self._name).group_id
            for position, one in enumerate(items):
                entry: Values = {"group": group_id, "item": identifier(one, "item")}
                put = entry | {"state": state, "due_at": BEGINNING}
                session.execute_many(PUT, [put])
                given = entry | {"receipt": receipt, "position": position}
                session.execute_many(GIVE, [given])
            session.expect_work(group_id)
            session.on_commit(then)

    def receipt(self, receipt: str) -> tuple[WorkItem, ...]:
        """Return the items of a receipt in the order they were given; none of an unknown one."""
        return self._items(OF_RECEIPT, receipt=receipt)

    def in_state(self, state: str) -> tuple[WorkItem, ...]:
        """Return the items in a state, in the order they were accepted."""
        return self._items(IN_STATE, state=state)

    def find(self, item: str) -> WorkItem | None:
        """Return an item, if it is in the queue."""
        return next(iter(self._items(ONE, item=item)), None)

    def counts(self) -> Mapping[str, int]:
        """Return how many items are in each state. Cost: every item of the group."""
        with self._store.reading() as session:
            group = load_group(session, self._name)
            if group is None:
                return {}
            rows = session.rows(COUNTS, {"group": group.group_id})
            return {text(state): whole(count) for state, count in rows}

    def claim(
        self, owner: str, now: Instant, until: Instant, most: int = 1
    ) -> tuple[WorkItem, ...]:
        """Take the next items that are due, in the order of acceptance, and leases on them.

        All are in one state, and there are at most `most`. There are none if nothing is due, or if
        another owner holds a lease in the group. STORE_BUSY when somebody writes the group: on a
        server nobody is waited for.
        """
        owner = identifier(owner, "owner")
        with self._store.writing(group=self._name, waits=False) as session:
            group = load_group(session, self._name)
            if group is None:
                return ()
            now, until = Instant(now + session.skew), Instant(until + session.skew)
            asked: Values = {"group": group.group_id, "now": now, "owner": owner}
            due = [_item(row) for row in session.rows(NEXT, asked | {"most": most})]
            items = tuple(takewhile(lambda one: one.state == due[0].state, due))
            if items:
                session.execute_many(LEASE, [asked | {"until": until, "items": _names(items)}])
            else:
                session.expect_work(group.group_id)
            return items

    def held(self, owner: str, items: Iterable[WorkItem]) -> frozenset[str]:
        """Return those of the items whose lease is the owner's; in a transaction it stays so."""
        with self._store.reading() as session:
            group = load_group(session, self._name)
            if group is None:
                return frozenset()
            asked: Values = {"group": group.group_id, "owner": owner, "items": _names(items)}
            return frozenset(text(item) for (item,) in session.rows(HELD, asked))

    def settle(self, owner: str, items: Sequence[WorkItem], until: Instant) -> tuple[WorkItem, ...]:
        """Store items as they are given, and return those that were stored.

        The others no longer belong to the owner: they were taken over or are gone. The lease on an
        item that is due at once continues until an instant; the lease on any other ends. Cost: two
        statements.
        """
        with self._store.writing(group=self._name) as session:
            group = load_group(session, self._name)
            if group is None:
                return ()
            asked: Values = {"group": group.group_id, "owner": owner, "until": until + session.skew}
            written = orjson.dumps([_written(one, session.skew) for one in items]).decode()
            settled = {item for (item,) in session.rows(SETTLE, asked | {"items": written})}
            session.expect_work(group.group_id)
            return tuple(one for one in items if one.item in settled)

    def give_back(self, owner: str, items: Iterable[WorkItem]) -> None:
        """End the leases that an owner has on items: they are there for others, as they are."""
        with self._store.writing(group=self._name) as session:
            group = load_group(session, self._name)
            if group is not None:
                asked: Values = {"group": group.group_id, "owner": owner, "items": _names(items)}
                session.execute_many(RETURN, [asked])

    def again(self, items: Iterable[WorkItem], then: Callable[[], None] = _nothing) -> None:
        """Let items that are at rest be due as they are given, their attempts forgotten.

        `then` is called once others can see it.
        """
        with self._store.writing(group=self._name) as session:
            group = load_group(session, self._name)
            if group is not None:
                for one in items:
                    entry = _written(one, session.skew) | {"group": group.group_id}
                    del entry["attempts"]
                    session.execute_many(AGAIN, [entry])
                session.expect_work(group.group_id)
                session.on_commit(then)

    def due_groups(self, owner: str, now: Instant) -> list[str]:
        """Return the groups of the store in which an owner can claim what is due.

        Behind the wall of a server it is this one alone. Cost: two look-ups for each group.
        """
        with self._store.reading() as session:
            session.stay_in(self._name)
            rows = session.rows(DUE_GROUPS, {"owner": owner, "now": now + session.skew})
            return [text(name) for (name,) in rows]

    def renew(self, owner: str, until: Instant) -> None:
        """Let the leases that an owner has in the group run until an instant."""
        with self._store.writing(group=self._name) as session:
            group = load_group(session, self._name)
            if group is not None:
                asked: Values = {"group": group.group_id, "owner": owner}
                session.execute_many(RENEW, [asked | {"until": until + session.skew}])

    def before_close(self, then: Callable[[], None]) -> None:
        """Call `then` once, as the store is about to be closed: for what works on it till then."""
        self._store.before_close(then)

    def _items(self, statement: Statement, **asked: str) -> tuple[WorkItem, ...]:
        with self._store.reading() as session:
            group = load_group(session, self._name)
            if group is None:
                return ()
            rows = session.rows(statement, {"group": group.group_id, **asked})
            return tuple(_item(row) for row in rows)


def forget_work(session: Session, group_id: int, items: Iterable[str]) -> None:
    """Take items out of the queue and off their receipts; what waits for them is never done."""
    doomed = list(items)
    for statement in FORGET:
        session.execute_many(statement, [{"group": group_id, "item": one} for one in doomed])


def lost_work(session: Session, group_id: int) -> list[str]:
    """Return the items whose element is not there, and those of receipts that no work is for."""
    return [text(one) for (one,) in session.rows(LOST, {"group": group_id})]


def _names(items: Iterable[WorkItem]) -> str:
    return orjson.dumps([one.item for one in items]).decode()


def _written(item: WorkItem, skew: int) -> Values:
    payload: Attributes = checked_members(item.payload, "payload")
    return {
        "item": item.item,
        "state": identifier(item.state, "state"),
        "attempts": item.attempts,
        "due_at": item.due_at + skew * (BEGINNING < item.due_at < FOREVER),
        "payload": orjson.dumps(payload).decode(),
    }


def _item(row: SqlRow) -> WorkItem:
    number, item, state, attempts, due_at, payload = row
    return WorkItem(
        number=whole(number),
        item=text(item),
        state=text(state),
        attempts=whole(attempts),
        due_at=Instant(min(whole(due_at), FOREVER)),
        payload=members(payload),
    )
