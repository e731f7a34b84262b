"""What `recollect database distribute` asks of Citus, on a server that stands in for one.

The stand-in has Citus's functions by their names and arguments, and its list of tables. That Citus
itself then answers as one server does is shown by `make citus DSN=...`, where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel.store.postgres.distribution import distribute_tables
from recollect.kernel.store.postgres.roles import OF_GROUPS, OF_NO_GROUP, TABLES

STAND_IN = """
CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char", colocated text);
CREATE TABLE asked (number serial, what text);
CREATE FUNCTION create_reference_table(table_name regclass) RETURNS void LANGUAGE sql AS $$
  INSERT INTO public.pg_dist_partition VALUES (table_name, 'n', 'everywhere') $$;
CREATE FUNCTION create_distributed_table(table_name regclass, distribution_column text,
    distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default') RETURNS void
LANGUAGE sql AS $$
  INSERT INTO public.pg_dist_partition VALUES (table_name, 'h', colocate_with);
  INSERT INTO public.asked (what) SELECT 'not there: ' || distribution_column WHERE NOT EXISTS (
    SELECT 1 FROM pg_attribute WHERE attrelid = table_name AND attname = distribution_column) $$;
CREATE FUNCTION create_distributed_function(function_name regprocedure) RETURNS void LANGUAGE sql
AS $$ INSERT INTO public.asked (what) VALUES (function_name::text) $$;
CREATE FUNCTION truncate_local_data_after_distributing_table(table_name regclass) RETURNS void
LANGUAGE sql AS $$ SELECT $$;
"""


def schema_of(address: str) -> str:
    return parse_qs(urlsplit(address).query)["schema"][0]


def tables_with_groups(database: str, schema: str) -> set[str]:
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT table_name::text FROM information_schema.columns"
            " WHERE table_schema = %s AND column_name = 'group_id'",
            (schema,),
        )
        return {name for (name,) in found}


@pytest.fixture
def stand_in(database: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(STAND_IN.encode())
        try:
            yield connection
        finally:
            for name in (
                "create_reference_table",
                "create_distributed_table",
                "create_distributed_function",
                "truncate_local_data_after_distributing_table",
            ):
                connection.execute(f"DROP FUNCTION {name}".encode())
            connection.execute("DROP TABLE pg_dist_partition, asked")


def test_a_server_without_the_extension_is_told_what_is_missing(on_server: str) -> None:
    with pytest.raises(RecollectError) as caught:
        distribute_tables(on_server)
    assert caught.value.code.code == "KIP_3002"
    recollect.open(on_server).close()
    with pytest.raises(RecollectError) as caught:
        distribute_tables(on_server)
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert '"citus"' in caught.value.message
    assert "CREATE EXTENSION citus" in str(caught.value.hint)


def test_the_tables_are_all_that_there_are_and_those_of_groups_have_one(
    on_server: str, database: str
) -> None:
    recollect.open(on_server).close()
    of_groups = tables_with_groups(database, schema_of(on_server)) - {"group_name"}
    assert of_groups == set(OF_GROUPS)
    with psycopg.connect(database) as connection:
        found = connection.execute(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = %s", (schema_of(on_server),)
        )
        assert {name for (name,) in found} == set(TABLES) == of_groups | set(OF_NO_GROUP)


def test_groups_are_spread_together_and_doing_it_again_changes_nothing(
    on_server: str, stand_in: psycopg.Connection[tuple[object, ...]]
) -> None:
    schema = schema_of(on_server)
    with recollect.open(on_server) as nexus:
        nexus.write('UPSERT { CONCEPT { {type: "T", name: "a"} } }')
    assert set(distribute_tables(on_server)) == set(TABLES)
    asked = "SELECT logicalrelid::text, partmethod, colocated FROM pg_dist_partition"
    first = stand_in.execute(asked.encode()).fetchall()
    methods = {str(name).rpartition(".")[2]: (how, beside) for name, how, beside in first}
    assert {name for name, (how, _) in methods.items() if how == "n"} == set(OF_NO_GROUP)
    assert methods.pop("grp") == ("h", "none")
    others = {beside for how, beside in methods.values() if how == "h"}
    assert others == {f'"{schema}".grp'}
    functions = {
        str(name).partition("(")[0] for (name,) in stand_in.execute("SELECT what FROM asked")
    }
    assert "canonical_json" in functions
    assert not any("not there" in one for one in functions)
    assert distribute_tables(on_server) == ()
    assert stand_in.execute(asked.encode()).fetchall() == first
    stand_in.execute("DELETE FROM pg_dist_partition WHERE logicalrelid::text LIKE '%.work'")
    assert distribute_tables(on_server) == ("work",)  # what a newer version has brought


def test_row_level_security_is_refused_where_groups_are_spread(
    on_server: str, stand_in: psycopg.Connection[tuple[object, ...]]
) -> None:
    recollect.open(on_server).close()
    distribute_tables(on_server)
    with pytest.raises(RecollectError) as caught:
        recollect.open(f"{on_server}&rls=on")
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert "distributed" in caught.value.message
    assert stand_in.closed is False
