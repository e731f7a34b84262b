from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel.care.dump import GROUP, LINES
from recollect.kernel.store.cells import drawn_id, public_id
from recollect.kernel.store.postgres import migrations
from recollect.kernel.store.postgres.migrations import MIGRATIONS, whole_store
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.sqlite.upkeep import whole_store as whole_file
from recollect.kernel.store.statements.declared import BUILT, create_attribute_index, index_name
from recollect.model import PutConcept

ON_FILES_ALONE = {"counter"}
"""Ids are counted in `grp`."""

OF_THE_TEXT_INDEX = "text_"


def run(database: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database, autocommit=True) as connection:
        cursor = connection.execute(sql)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []


def schema_of(address: str) -> str:
    return parse_qs(urlsplit(address).query)["schema"][0]


def test_opening_makes_the_tables_once(on_server: str, database: str) -> None:
    for _ in range(2):
        PostgresStore(on_server).close()
    applied = run(database, f"SELECT name FROM {schema_of(on_server)}.migration")
    assert applied == [(name,) for name, _ in MIGRATIONS]


def test_many_who_open_at_once_make_the_tables_together(on_server: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        for store in pool.map(PostgresStore, [on_server] * 6):
            store.close()


def test_a_newer_store_is_refused_and_left(on_server: str, database: str) -> None:
    PostgresStore(on_server).close()
    run(database, f"INSERT INTO {schema_of(on_server)}.migration VALUES ('p999_later', 0)")
    with pytest.raises(RecollectError) as caught:
        PostgresStore(on_server)
    assert caught.value.code.code == "STORE_NEWER"
    assert caught.value.details["unknown_migrations"] == ["p999_later"]


@pytest.mark.parametrize(
    "table", ["orders (id int)", "migration (id int)", "migration (name text)"]
)
def test_a_schema_of_others_is_refused_and_left(on_server: str, database: str, table: str) -> None:
    name = schema_of(on_server)
    run(database, f"CREATE SCHEMA {name}")
    run(database, f"CREATE TABLE {name}.{table}")
    with pytest.raises(RecollectError) as caught:
        PostgresStore(on_server)
    assert caught.value.code.code == "STORE_FOREIGN"
    tables = run(database, f"SELECT tablename FROM pg_tables WHERE schemaname = '{name}'")
    assert tables == [(table.split()[0],)]


def test_tables_and_columns_are_those_of_a_file(on_server: str, database: str) -> None:
    PostgresStore(on_server).close()
    found = run(
        database,
        "SELECT table_name, column_name FROM information_schema.columns"
        f" WHERE table_schema = '{schema_of(on_server)}' AND is_generated = 'NEVER'",
    )
    served = {(str(table), str(column)) for table, column in found}
    from_file = {
        (part.name, column)
        for part in whole_file()
        if part.is_table and part.name not in ON_FILES_ALONE
        for column in columns(part.name)
    }
    ours = {one for one in served if not one[0].startswith(OF_THE_TEXT_INDEX)}
    assert ours == {one for one in from_file if not one[0].startswith(OF_THE_TEXT_INDEX)} | {
        ("group_name", "name"),
        ("group_name", "group_id"),
        ("grp", "last_n"),
        ("grp", "due_at"),
    }
    dumped = {(line.table, field.column) for line in (GROUP, *LINES) for field in line.fields}
    assert dumped <= ours  # a line of a dump has the same fields on both


def columns(table: str) -> list[str]:
    from recollect.kernel.store.sqlite.store import SqliteStore  # noqa: PLC0415

    store = SqliteStore(":memory:")
    with store.reading() as session:
        found = session.rows("SELECT name FROM pragma_table_info(?)", (table,))
    store.close()
    return [str(name) for (name,) in found]


def test_every_key_begins_with_the_group(on_server: str, database: str) -> None:
    PostgresStore(on_server).close()
    found = run(
        database,
        f"""
        SELECT c.relname, pg_get_indexdef(i.indexrelid, 1, true)
        FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
        JOIN pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = '{schema_of(on_server)}' ORDER BY c.relname
        """,
    )
    others = {str(name) for name, first in found if first != "group_id"}
    assert others == {"group_name_pkey", "migration_pkey"}


def test_what_a_store_lacks_is_told_and_what_is_not_whole(on_server: str, database: str) -> None:
    store = PostgresStore(on_server)
    with store.writing() as session:
        upkeep = store.upkeep(session)
        assert upkeep.missing_parts() == ()
        assert upkeep.faults() == ()
        upkeep.forget(["link_in", "work"])
        assert [str(one) for one in upkeep.missing_parts()] == [
            "the index link_in",
            *(str(one) for one in whole_store() if one.name.startswith("work")),
        ]
        for part in upkeep.missing_parts():
            session.rows(part.sql)
        assert upkeep.missing_parts() == ()
        upkeep.rebuild_indexes()
        upkeep.optimise([])
        assert upkeep.size(None).file_bytes > 0
        assert upkeep.engine.startswith("PostgreSQL 1")
    schema = schema_of(on_server)
    run(
        database,
        f"UPDATE pg_index SET indisvalid = false WHERE indexrelid = '{schema}.tx_at'::regclass",
    )
    with store.reading() as session:
        assert [one.tree for one in store.upkeep(session).faults()] == ["tx_at"]
    store.close()


def test_the_functions_need_no_search_path_as_a_restore_has_none(
    on_server: str, database: str
) -> None:
    PostgresStore(on_server).close()
    name = schema_of(on_server)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("SET search_path = ''")
        asked = f"""
        SELECT {name}.canonical_json({name}.value_of('{{"b": [1e17], "a": 1.0}}')),
          {name}.public_id(%s, 5)
        """
        row = connection.execute(asked, (drawn_id(bytes(26)),)).fetchone()  # type: ignore[call-overload]
    assert row == ('{"a":1,"b":[100000000000000000]}', public_id(bytes(26), 5))


def test_long_names_of_indexes_are_not_cut_off(on_server: str) -> None:
    attributes = ["Code", "code", "a" * 80 + "b", "a" * 80 + "c"]
    store = PostgresStore(on_server)
    with store.writing() as session:
        for one in attributes:
            session.rows(create_attribute_index(one, session.dialect))
        built = {name for (name,) in session.rows(BUILT)}
        assert built == {index_name(one, session.dialect) for one in attributes}
        assert len(built) == len(attributes)
    store.close()


def test_a_store_of_an_older_version_gets_the_functions_of_this_one(
    on_server: str, database: str
) -> None:
    PostgresStore(on_server).close()
    schema = schema_of(on_server)
    run(
        database,
        f"DELETE FROM {schema}.migration WHERE name = 'p002_called_functions';"
        f"CREATE OR REPLACE FUNCTION {schema}.digest_of(value text) RETURNS bytea LANGUAGE sql"
        " IMMUTABLE AS $$ SELECT sha256(convert_to(value, 'UTF8')) $$",
    )
    PostgresStore(on_server).close()
    found = (
        "SELECT p.proname, l.lanname FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang"
        f" WHERE p.pronamespace = '{schema}'::regnamespace"
        " AND p.proname IN ('digest_of', 'value_of') ORDER BY 1"
    )
    assert run(database, found) == [("digest_of", "plpgsql"), ("value_of", "plpgsql")]


def test_words_are_put_in_where_an_older_version_forgot_which_write_was_the_last(
    on_server: str, database: str
) -> None:
    concepts = [PutConcept("Drug", name, {"note": "pain"}) for name in ("a", "b", "c")]
    with recollect.open(on_server) as nexus:
        for one in concepts[:2]:
            nexus.write([one])
    schema = schema_of(on_server)
    run(
        database,
        f"DELETE FROM {schema}.migration WHERE name LIKE '%last_writes%';"
        f"DELETE FROM {schema}.text_block WHERE term = '' AND number = 2",
    )
    with recollect.open(on_server) as nexus:
        nexus.write(concepts[2:])
        assert len(nexus.search("pain").results[0].hits) == 3  # type: ignore[union-attr]


def test_the_attribute_indexes_of_an_older_version_are_made_anew(
    on_server: str, database: str
) -> None:
    values = ("x" * 10_000, "y", 5, 1.5, True, [1])
    with pytest.MonkeyPatch.context() as patch:
        before = [one for one in MIGRATIONS if one[0] < "p007"]
        patch.setattr(migrations, "MIGRATIONS", before)
        with recollect.open(on_server) as nexus:
            nexus.write([PutConcept("Drug", str(n), {"code": v}) for n, v in enumerate(values)])
            nexus.add_index("Drug", "code")
            nexus.add_index("Drug", "Code")
    with recollect.open(on_server) as nexus:
        assert nexus.doctor().is_well
        for operator, code, names in (
            ("==", "x" * 10_000, ["0"]),
            (">", "x", ["0", "1"]),
            ("<", 5, ["3"]),
        ):
            asked = f'FIND(?d.name) WHERE {{ ?d {{type: "Drug"}} FILTER(?d.attributes.code {operator} $code) }}'
            rows = nexus.read(asked, {"code": code}).results[0].rows
            assert sorted(name for (name,) in rows) == names
    found = f"SELECT count(*) FROM pg_indexes WHERE schemaname = '{schema_of(on_server)}' AND indexname IN ('attribute:code', 'attribute^:^Code')"
    assert run(database, found) == [(2,)]
