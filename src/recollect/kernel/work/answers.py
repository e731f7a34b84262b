"""Answers kept under idempotency keys, so that a repeated call does not run again.

The rule: a key belongs to one operation of one group; its answer is kept for a time, and removed at
once when an element that it names, or that the call wrote, is erased. What the call was given is
kept as a digest whose key is the salts of what it wrote, so that it tells nothing without them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

import orjson

from recollect.errors import CONFLICT
from recollect.kernel.store.cells import SqlValue, json_value, octets, text, whole
from recollect.kernel.store.group import last_transaction, load_group
from recollect.kernel.store.port import Session, Store
from recollect.kernel.store.statements.answers import (
    EXPIRE,
    FIND,
    FORGET,
    KEEP,
    RECEIPTS,
    SALTS,
    WRITTEN,
)
from recollect.kernel.write.validation import identifier
from recollect.model import Instant, Operation, Value
from recollect.node import dataclass

Values = dict[str, SqlValue]


@dataclass(frozen=True, slots=True)
class Kept:
    """What the first call under a key was answered."""

    answer: Value


class Answers:
    """The kept answers of one group; every call is a transaction, or a part of one."""

    def __init__(self, store: Store, group: str) -> None:
        self._store = store
        self._name = group

    def find(self, operation: str, key: str, payload: bytes, now: Instant) -> Kept | None:
        """Return what was kept; CONFLICT when it was for another payload."""
        with self._store.reading() as session:
            group = load_group(session, self._name)
            if group is None:
                return None
            asked: Values = {"group": group.group_id, "operation": operation, "key": key}
            row = session.row(FIND, asked | {"now": now})
            if row is None:
                return None
            held, answer, about = row
            digest = _digest(session, group.group_id, text(about), payload)
        if digest is None:
            return None
        if not hmac.compare_digest(octets(held), digest):
            raise CONFLICT.error(
                f'the idempotency key "{key}" was used for another input of {operation}',
                "send it under another key",
            )
        return Kept(json_value(answer))

    def standing(self) -> int:
        """Return the number of the group's last transaction, to be given to `keep` as `after`."""
        with self._store.reading() as session:
            group = load_group(session, self._name)
            return 0 if group is None else last_transaction(session, group.group_id)

    def keep(
        self,
        operation: str,
        key: str,
        payload: bytes,
        answer: Value,
        *,
        now: Instant,
        until: Instant,
        after: int | None = None,
    ) -> None:
        """Keep an answer until an instant, and drop those whose time has passed.

        The call wrote the transactions after number `after`, if any. Nothing is kept for a group
        that was never written to, nor of a call that erased: both may run again.
        """
        with self._store.writing(group=self._name) as session:
            group = load_group(session, self._name)
            if group is None:
                return
            group_id = group.group_id
            session.execute_many(EXPIRE, [{"group": group_id, "now": now}])
            about = _written(session, group_id, after)
            digest = None if about is None else _digest(session, group_id, about, payload)
            if digest is None:
                return
            entry: Values = {
                "group": group_id,
                "operation": identifier(operation, "operation"),
                "key": key,
                "payload": digest,
                "answer": orjson.dumps(answer).decode(),
                "about": about,
                "until": until,
            }
            session.execute_many(KEEP, [entry])


def forget_answers(
    session: Session, group_id: int, ids: Sequence[str], elements: Sequence[int]
) -> None:
    """Drop the kept answers about elements, so that none holds what is erased.

    Those are the answers that name one, or a receipt that it is on, and those of calls that wrote
    one. To be called before the elements leave the queue.
    """
    asked: Values = {"group": group_id, "ids": orjson.dumps(ids).decode()}
    receipts = [text(one) for (one,) in session.rows(RECEIPTS, asked)]
    spelled = [orjson.dumps(one).decode() for one in (*ids, *receipts)]
    doomed: Values = {
        "group": group_id,
        "ids": orjson.dumps(spelled).decode(),
        "elements": orjson.dumps(elements).decode(),
    }
    session.execute_many(FORGET, [doomed])


def _written(session: Session, group_id: int, after: int | None) -> str | None:
    """Return the elements that transactions after a number wrote, as JSON; None: they erased."""
    if after is None:
        return "[]"
    rows = session.rows(WRITTEN, {"group": group_id, "after": after})
    if any(operation == Operation.PURGE for _, operation in rows):
        return None
    return orjson.dumps(list(dict.fromkeys(whole(one) for one, _ in rows))).decode()


def _digest(session: Session, group_id: int, about: str, payload: bytes) -> bytes | None:
    """Return the digest of what a call was given; None: a part of its key is erased."""
    rows = session.rows(SALTS, {"group": group_id, "about": about})
    if len(rows) < len(orjson.loads(about)):
        return None
    key = hashlib.sha256(b"".join(octets(salt) for _, salt in rows)).digest()
    return hmac.digest(key, payload, "sha256")
