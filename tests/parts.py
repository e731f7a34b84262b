"""No statement reads two groups' rows: on tables in parts by group, each stays within one part.

The rule: what a run says to a server is heard, each text once with its values. At the end the
server plans it for empty tables of the same columns and indexes, in eight parts by a hash of the
group: as on machines that share the groups. What may span groups is named here, with why. What a
test says by itself begins with a comment, and is not planned.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import psycopg
import pytest

from recollect.kernel.store.port import Parameters, Sql
from recollect.kernel.store.postgres import round_trip, session as engine
from recollect.kernel.store.postgres.binding import adapt, bound
from recollect.kernel.store.postgres.round_trip import Query
from recollect.kernel.store.postgres.session import PostgresSession
from recollect.kernel.store.postgres.store import PostgresStore

PARTS: Final = 8
SPANNING: Final[Mapping[str, str]] = {
    r"EXISTS \(SELECT 1 FROM schema_mode AS m": "all groups are listed",
    r"SELECT g.name FROM grp AS g ORDER BY": "their names are listed",
    r"FROM grp AS g WHERE length\(g.id_bits\)": "doctor looks at the ids of all groups",
    r"FROM attribute_index AS a ORDER BY": "an index of an attribute serves every group",
    r"FROM attribute_index AS a\s+WHERE a.group_id IN": "some stand under a name for all groups",
    r"FROM grp AS g\s+WHERE EXISTS \(\s+SELECT 1 FROM work": "a worker asks which groups are due",
    r"FROM grp AS g WHERE g.due_at <= \$1 AND NOT EXISTS": "and which of them nobody works on",
    r"UPDATE grp SET last_n = greatest": "a mend sets the counters of all groups",
    r"EXCEPT SELECT g.group_id FROM grp": "doctor looks for rows of no group",
    r"bool_and\(n.last_n >= n.given\)": "doctor looks at the counters of all groups",
    r"FROM text_block AS b WHERE b.term = ''": "doctor counts the texts of all groups",
    r"HAVING count\(\*\) > 1 ORDER BY b.group_id": "a mend joins the blocks of all groups",
    r"DELETE FROM text_(block|past)\s*$": "a mend makes the words of all groups anew",
    r"\(SELECT count\(\*\) FROM concept\) \+ \(SELECT count\(\*\) FROM link\)": "doctor counts all",
    r"EXISTS \(SELECT 1 FROM concept\)\s+FROM pg_class": "an index of an attribute serves every group",
    r"SELECT count\(\*\) FROM concept\s*$": "doctor and stats count all",
}
"""What is said in the texts that may span groups, and why they do."""

Heard = dict[str, Sequence[Any]]

_NUMBERS: Final = itertools.count(1)
_PLANNED: Final = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b", re.IGNORECASE)
_PART: Final = re.compile(r"\b(\w+)_part(\d)")  # from the beginning of a word: some are long
_TENANTS: Final = """
SELECT table_name::text FROM information_schema.columns
WHERE table_schema = $1 AND column_name = 'group_id' AND table_name != 'group_name'
"""


@contextmanager
def heard() -> Iterator[Heard]:
    """Give what the sessions of a block say to their servers."""
    found: Heard = {}
    sent, each, many = round_trip.sent, PostgresSession.each, PostgresSession.execute_many

    def hear_sent(connection: Any, queries: Sequence[Query]) -> Any:
        for text, values in queries:
            found.setdefault(text, values)
        return sent(connection, queries)

    def hear_each(session: PostgresSession, sql: Sql, parameters: Parameters = ()) -> Any:
        found.setdefault(*bound(engine._text(sql), parameters))
        return each(session, sql, parameters)

    def hear_many(session: PostgresSession, sql: Sql, parameters: Iterable[Parameters]) -> None:
        sets = list(parameters)
        if sets:
            found.setdefault(*bound(engine._text(sql), sets[0]))
        many(session, sql, sets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(round_trip, "sent", hear_sent)
        patch.setattr(PostgresSession, "each", hear_each)
        patch.setattr(PostgresSession, "execute_many", hear_many)
        yield found


class Parted:
    """Empty tables of a store, in parts by a hash of the group."""

    def __init__(self, database: str, name: str) -> None:
        plain = f"{name}_plain"
        PostgresStore(f"{database}{'&' if '?' in database else '?'}schema={plain}").close()
        self._connection = psycopg.connect(
            database, autocommit=True, cursor_factory=psycopg.RawCursor
        )
        adapt(self._connection)
        self._run(f'CREATE SCHEMA "{name}"')
        self._run(f'SET search_path = "{name}", "{plain}"')
        self._run("SET plan_cache_mode = force_custom_plan")
        for (table,) in self._connection.execute(_TENANTS, [plain]).fetchall():
            like = f'(LIKE "{plain}".{table} INCLUDING ALL) PARTITION BY HASH (group_id)'
            self._run(f"CREATE TABLE {table} {like}")
            for part in range(PARTS):
                of = f"FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})"
                self._run(f"CREATE TABLE {table}_part{part} PARTITION OF {table} {of}")

    def close(self) -> None:
        self._connection.close()

    def touched(self, text: str, values: Sequence[Any]) -> dict[str, int]:
        """Return how many parts of each table the plan of a statement has."""
        planned = self._connection.execute(f"EXPLAIN {text}", values)  # type: ignore[arg-type]
        lines = "\n".join(str(line) for (line,) in planned.fetchall())
        parts: dict[str, set[str]] = {}
        for table, part in _PART.findall(lines):
            parts.setdefault(table, set()).add(part)
        return {table: len(found) for table, found in parts.items()}

    def _run(self, sql: str) -> None:
        self._connection.execute(sql)  # type: ignore[call-overload]


def check(database: str, found: Heard) -> None:
    """Fail for the statements that touch more than one part of a table."""
    parted = Parted(database, f"parted_{next(_NUMBERS)}")
    wide = []
    try:
        for text, values in found.items():
            if _PLANNED.match(text) and not any(re.search(one, text) for one in SPANNING):
                with suppress(
                    psycopg.errors.SyntaxError, psycopg.errors.UndefinedTable, psycopg.DataError
                ):  # a test's, or a text that the server was never told
                    touched = parted.touched(text, values)
                    if any(count > 1 for count in touched.values()):
                        wide.append(f"{touched}: {text}")
    finally:
        parted.close()
    assert not wide, f"{len(wide)} statements touch several groups:\n" + "\n".join(wide)
