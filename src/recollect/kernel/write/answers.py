"""Answers kept under idempotency keys, so that a repeated call does not run again.

The rule: a key belongs to one operation of one group; its answer is kept for a time, and removed at
once when an element that it names is erased.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from recollect.errors import CONFLICT, RecollectError
from recollect.kernel.store.cells import json_value, octets
from recollect.kernel.store.group import load_group
from recollect.kernel.store.protocol import Session, SqlValue
from recollect.kernel.store.sqlite import SqliteStore
from recollect.kernel.write.validation import identifier
from recollect.model import Instant, Value

_FIND = """
SELECT k.payload, k.answer FROM kept_answer AS k
WHERE k.group_id = :group AND k.operation = :operation AND k.key = :key AND k.until > :now
"""
_KEEP = """
INSERT INTO kept_answer (group_id, operation, key, payload, answer, until)
VALUES (:group, :operation, :key, :payload, :answer, :until)
"""
_EXPIRE = "DELETE FROM kept_answer WHERE group_id = :group AND until <= :now"
_FORGET = """
DELETE FROM kept_answer WHERE group_id = :group AND EXISTS (
  SELECT 1 FROM json_each(:ids) AS w WHERE instr(kept_answer.answer, w.value) > 0)
"""


Values = dict[str, SqlValue]


@dataclass(frozen=True, slots=True)
class Kept:
    """What the first call under a key was answered."""

    answer: Value


class Answers:
    """The kept answers of one group; every call is a transaction, or a part of one."""

    def __init__(self, store: SqliteStore, group: str) -> None:
        self._store = store
        self._name = group

    def find(self, operation: str, key: str, payload: bytes, now: Instant) -> Kept | None:
        """Return what was kept; CONFLICT when it was for another payload."""
        with self._store.reading() as session:
            group = load_group(session, self._name)
            if group is None:
                return None
            asked: Values = {"group": group.group_id, "operation": operation, "key": key}
            row = session.row(_FIND, asked | {"now": now})
        if row is None:
            return None
        held, answer = row
        if octets(held) != payload:
            raise RecollectError(
                CONFLICT,
                f'the idempotency key "{key}" was used for another input of {operation}',
                hint="send it under another key",
            )
        return Kept(json_value(answer))

    def keep(
        self,
        operation: str,
        key: str,
        payload: bytes,
        answer: Value,
        *,
        now: Instant,
        until: Instant,
    ) -> None:
        """Keep an answer until an instant, and drop those whose time has passed.

        Nothing is kept for a group that was never written to: a call that did nothing may run
        again.
        """
        with self._store.writing() as session:
            group = load_group(session, self._name)
            if group is None:
                return
            group_id = group.group_id
            session.execute_many(_EXPIRE, [{"group": group_id, "now": now}])
            entry: Values = {
                "group": group_id,
                "operation": identifier(operation, "operation"),
                "key": key,
                "payload": payload,
                "answer": orjson.dumps(answer).decode(),
                "until": until,
            }
            session.execute_many(_KEEP, [entry])


def forget_answers(session: Session, group_id: int, ids: Iterable[str]) -> None:
    """Drop the kept answers that name an element, so that none holds what is erased."""
    spelled = [orjson.dumps(one).decode() for one in ids]
    wanted = orjson.dumps(spelled).decode()
    session.execute_many(_FORGET, [{"group": group_id, "ids": wanted}])
