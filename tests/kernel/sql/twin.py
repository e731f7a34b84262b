"""A memory in a file and its twin on a real server: the same rows, read through either dialect.

What the compiler makes is run on the server; every other statement goes on to the file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

import psycopg
from psycopg.adapt import Buffer, Dumper, Loader
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper, TextLoader

import recollect
from recollect.kernel import Nexus
from recollect.kernel.lang import parse
from recollect.kernel.lang.ast import Find
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.store.group import existing_group
from recollect.kernel.store.port import Parameters, Session, Sql, SqlRow, SqlValue
from recollect.kernel.store.postgres.decimals import decimal
from recollect.kernel.store.postgres.dialect import POSTGRES
from recollect.kernel.store.postgres.functions import FUNCTIONS
from recollect.model import AsOf, Limits, Rows, Value

TABLES = ("grp", "tx", "term", "concept", "link", "concept_past", "link_past", "tally")
_TYPES = {"INTEGER": "bigint", "BLOB": "bytea", "TEXT": 'text COLLATE "C"'}
_INDEXES = """
CREATE INDEX ON concept (group_id, name, expired_at, type);
CREATE INDEX ON concept (group_id, type, expired_at);
CREATE UNIQUE INDEX ON concept (group_id, public_id, expired_at) WHERE public_id IS NOT NULL;
CREATE INDEX ON link (group_id, subject, predicate, expired_at, object, key);
CREATE INDEX ON link (group_id, object, predicate, expired_at, subject);
CREATE INDEX ON link (group_id, predicate, expired_at, subject, object);
CREATE UNIQUE INDEX ON link (group_id, public_id, expired_at) WHERE public_id IS NOT NULL;
"""
_SCHEMA = (
    "SET client_min_messages = warning",
    "DROP SCHEMA IF EXISTS twin CASCADE",
    "CREATE SCHEMA twin",
    "SET search_path = twin",
    "SET plan_cache_mode = force_generic_plan",
    "SET jit = off",
    "SET synchronous_commit = off",
)
_TOKEN = re.compile(r"'(?:[^']|'')*'|::\w+|:(\w+)")


class _RealDumper(Dumper):
    oid = psycopg.postgres.types["numeric"].oid

    def dump(self, obj: float) -> Buffer:
        return decimal(obj).encode()


class _TruthDumper(Dumper):
    oid = psycopg.postgres.types["int8"].oid

    def dump(self, obj: bool) -> Buffer:
        return b"1" if obj else b"0"


class _TruthLoader(Loader):
    def load(self, data: Buffer) -> int:
        return int(bytes(data) == b"t")


def connected(uri: str) -> psycopg.Connection[SqlRow]:
    """Return a connection that sends and reads values as a store has them."""
    connection: psycopg.Connection[SqlRow] = psycopg.connect(uri, autocommit=True)
    adapters = connection.adapters
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_dumper(bool, _TruthDumper)
    adapters.register_dumper(float, _RealDumper)
    adapters.register_dumper(str, StrDumper)
    adapters.register_loader("bool", _TruthLoader)
    adapters.register_loader("json", TextLoader)
    return connection


class ServerError(Exception):
    """What only the server refuses."""


class TwinSession:
    """A session of a file whose compiled statements run on the server."""

    dialect = POSTGRES

    def __init__(self, session: Session, connection: psycopg.Connection[SqlRow]) -> None:
        self._session = session
        self._connection = connection

    def __getattr__(self, name: str) -> object:
        return getattr(self._session, name)

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[SqlRow]:
        """Run what is in the dialect of the server there."""
        if not isinstance(sql, str) or "::" not in sql:
            return self._session.rows(sql, parameters)
        assert isinstance(parameters, Mapping)
        text, values = _numbered(sql, parameters)
        try:
            return (
                psycopg.RawCursor(self._connection).execute(text, values, prepare=True).fetchall()
            )
        except psycopg.Error as error:
            raise ServerError(f"{error}\n{sql}") from error


def _numbered(sql: str, parameters: Mapping[str, SqlValue]) -> tuple[str, list[SqlValue]]:
    places: dict[str, int] = {}

    def placed(found: re.Match[str]) -> str:
        name = found[1]
        return found[0] if name is None else f"${places.setdefault(name, len(places) + 1)}"

    text = _TOKEN.sub(placed, sql)
    return text, [parameters[name] for name in places]


class Twin:
    """The tables on a server, and the rows of one memory in them."""

    def __init__(self, connection: psycopg.Connection[SqlRow]) -> None:
        self._connection = connection
        self._held: Nexus | None = None
        self._names: dict[str, str] = {}
        for text in _SCHEMA:
            connection.execute(text.encode())
        connection.execute(FUNCTIONS.encode())
        with recollect.open(":memory:") as nexus, nexus._store.reading() as session:
            for table in TABLES:
                self._make(session, table)
        connection.execute(_INDEXES.encode())

    def _make(self, session: Session, table: str) -> None:
        found = session.rows(f"SELECT name, type FROM pragma_table_info('{table}')")
        columns = [f"{name} {_TYPES[str(type_)]}" for name, type_ in found]
        if "attributes" in dict(found):
            columns += [
                f"{one}_value jsonb GENERATED ALWAYS AS (value_of({one})) STORED"
                for one in ("attributes", "metadata")
            ]
        if table in ("concept", "link"):
            columns.append("PRIMARY KEY (group_id, id)")
        self._connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})".encode())
        self._names[table] = ", ".join(str(name) for name, _ in found)

    def load(self, nexus: Nexus) -> None:
        """Hold the rows of a memory, as they are now, and of no other."""
        self._held = nexus
        self._connection.execute(f"TRUNCATE {', '.join(TABLES)}".encode())
        with nexus._store.reading() as session:
            for table, names in self._names.items():
                into = f"COPY {table} ({names}) FROM STDIN".encode()
                with self._connection.cursor().copy(into) as copy:
                    for row in session.rows(f"SELECT {names} FROM {table}"):
                        copy.write_row(row)
        self._connection.execute(f"ANALYZE {', '.join(TABLES)}".encode())

    def both(
        self,
        nexus: Nexus,
        text: str,
        parameters: Mapping[str, Value] | None = None,
        as_of: AsOf | None = None,
    ) -> tuple[Rows, Rows]:
        """Return the rows of a FIND in a memory, and in its twin; what was written since is not."""
        if self._held is not nexus:
            self.load(nexus)
        given = Bindings(parameters or {})
        (find,) = parse(text).statements
        assert isinstance(find, Find)
        with nexus._store.reading() as session:
            group = existing_group(session, nexus.group_name)
            ours, theirs = (
                Reader(one, Catalog.of(group), Limits(), as_of).find(find, given)
                for one in (session, cast(Session, TwinSession(session, self._connection)))
            )
        return ours, theirs
