"""What a block was answered, so that a session asks once in each state that the block sees.

The rule: what writes, undoes, or lets others write before it goes on, forgets all of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.kernel.store.port import Parameters, Sql, SqlRow, SqlValue
from recollect.kernel.store.statement import Statement

Asked = tuple[Statement | SqlValue, ...]
"""A statement, and the parameters that it was asked with."""

_MOST: Final = 64


class BlockAnswers(ABC):
    """The part of a session that keeps what its block asked once."""

    def __init__(self) -> None:
        self.depth = 0  # blocks of this thread that are open on it
        self._answered: dict[Asked, Sequence[SqlRow]] = {}

    @abstractmethod
    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[SqlRow]:
        """Run one statement and return all its rows."""

    def once(self, sql: Statement, parameters: Mapping[str, SqlValue]) -> Sequence[SqlRow]:
        """Return what `rows` does, asked once in each state that a block sees."""
        if not self.depth:
            return self.rows(sql, parameters)
        key = sql, *parameters.values()
        found = self._answered.get(key)
        if found is None:
            if len(self._answered) >= _MOST:
                self._answered.clear()
            found = self._answered[key] = self.rows(sql, parameters)
        return found

    def ask_anew(self) -> None:
        """Forget what was asked once: the state is another one."""
        self._answered.clear()
