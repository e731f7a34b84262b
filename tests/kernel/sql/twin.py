"""A memory in a file and its twin on a server: the same rows, read through either dialect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg

from recollect.kernel import Nexus
from recollect.kernel.lang import parse
from recollect.kernel.lang.ast import Find
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.cells import Page
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.store.group import existing_group
from recollect.kernel.store.postgres.dialect import POSTGRES
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.statements.declared import (
    create_attribute_index,
    drop_attribute_index,
    index_name,
)
from recollect.model import AsOf, Limits, Rows, Value

TABLES = ("grp", "tx", "change", "term", "concept", "link", "past", "tally")


class Twin:
    """A store on a server, and the rows of one memory in it."""

    def __init__(self, database: str, schema: str) -> None:
        separator = "&" if "?" in database else "?"
        self.store = PostgresStore(f"{database}{separator}schema={schema}")
        self._connection = psycopg.connect(database, autocommit=True)
        self._connection.execute(f"SET search_path = {schema}".encode())
        self._connection.execute("SET synchronous_commit = off")
        self._held: Nexus | None = None

    def close(self) -> None:
        """Close every connection."""
        self._connection.close()
        self.store.close()

    def load(self, nexus: Nexus) -> None:
        """Hold the rows of a memory, as they are now, and of no other."""
        self._held = nexus
        self._connection.execute(f"TRUNCATE group_name, {', '.join(TABLES)}".encode())
        with nexus._store.reading() as session:
            for table in TABLES:
                found = session.rows(f"SELECT name FROM pragma_table_info('{table}')")
                names = ", ".join(str(name) for (name,) in found)
                into = f"COPY {table} ({names}) FROM STDIN".encode()
                with self._connection.cursor().copy(into) as copy:
                    for row in session.rows(f"SELECT {names} FROM {table}"):
                        copy.write_row(row)
        self._connection.execute("INSERT INTO group_name SELECT name, group_id FROM grp")
        self._connection.execute(f"ANALYZE {', '.join(TABLES)}".encode())

    def both(
        self,
        nexus: Nexus,
        text: str,
        parameters: Mapping[str, Value] | None = None,
        as_of: AsOf | None = None,
    ) -> tuple[Rows, Rows]:
        """Return the rows of a FIND in a memory, and in its twin; what was written since is not."""
        asked = text, parameters or {}, as_of
        ours = self.answer(nexus, *asked, on_server=False)
        return ours, self.answer(nexus, *asked, on_server=True)

    def answer(
        self,
        nexus: Nexus,
        text: str,
        parameters: Mapping[str, Value],
        as_of: AsOf | None = None,
        *,
        on_server: bool,
    ) -> Rows:
        """Return the rows of a FIND in a memory, or in its twin."""
        if self._held is not nexus:
            self.load(nexus)
        (find,) = parse(text).statements
        assert isinstance(find, Find)
        store = self.store if on_server else nexus._store
        with store.reading() as session:
            catalog = Catalog.of(existing_group(session, nexus.group_name))
            return Reader(session, catalog, Limits(), as_of).find(find, Bindings(parameters))

    @contextmanager
    def indexed(self, nexus: Nexus, attribute: str) -> Iterator[None]:
        """Have an index of an attribute for the time of a block."""
        if self._held is not nexus:
            self.load(nexus)
        self._connection.execute(create_attribute_index(attribute, POSTGRES).encode())
        self._connection.execute("ANALYZE concept")
        try:
            yield
        finally:
            name = index_name(attribute, POSTGRES)
            self._connection.execute(drop_attribute_index(name).encode())

    def plan(self, nexus: Nexus, text: str, parameters: Mapping[str, Value]) -> str:
        """Return the server's plan of a FIND."""
        (find,) = parse(text).statements
        assert isinstance(find, Find)
        given = Bindings(parameters)
        with self.store.reading() as session:
            catalog = Catalog.of(existing_group(session, nexus.group_name))
            page = Page.of(find, given)
            compiled, bound, _ = Reader(session, catalog, Limits()).compile(find, given, page)
            return "\n".join(session.plan(compiled.sql, {**bound, "limit": 10, "offset": 0}))
