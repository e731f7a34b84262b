"""The commands on a memory that is on a server."""

from __future__ import annotations

import json
from pathlib import Path

import psycopg
import pytest
from tests.servers.cli.conftest import CAPSULE, Cli

import recollect
from recollect.errors import RecollectError

pytestmark = pytest.mark.sqlite_only("asks a server by itself")


def tables(address: str) -> int:
    base, _, schema = address.partition("schema=")
    with psycopg.connect(base.rstrip("&?"), autocommit=True) as connection:
        sql = "SELECT count(*) FROM pg_tables WHERE schemaname = %s"
        return int(connection.execute(sql, (schema,)).fetchall()[0][0])


@pytest.fixture
def taught(cli: Cli, on_server: str, tmp_path: Path) -> str:
    (tmp_path / "capsule.kip").write_text(CAPSULE, encoding="utf-8")
    assert cli("init", on_server).exit_code == 0
    assert cli("run", "capsule.kip", "--db", on_server).exit_code == 0
    return on_server


def test_a_read_of_a_memory_that_is_not_there_makes_none(cli: Cli, on_server: str) -> None:
    for words in (["stats"], ["groups"], ["doctor"], ["search", "x"], ["dump"]):
        answer = cli(*words, "--db", on_server)
        assert answer.exit_code != 0
        assert "there is no memory at postgresql://" in answer.stderr
        assert "init" in answer.stderr
    where = json.loads(cli("where", on_server, "--json").stdout)["result"]
    assert where["exists"] is False
    assert tables(on_server) == 0


def test_init_says_created_once(cli: Cli, on_server: str) -> None:
    assert "created postgresql://" in cli("init", on_server).stdout
    assert "already there: postgresql://" in cli("init", on_server).stdout
    where = json.loads(cli("where", on_server, "--json").stdout)["result"]
    assert where["exists"] is True


def test_stats_say_where_the_memory_is_and_what_its_tables_take(cli: Cli, taught: str) -> None:
    counts = json.loads(cli("stats", taught, "--json").stdout)["result"]
    assert counts["path"].endswith(taught.partition("schema=")[2])
    assert counts["relations"]["concept"] > 0
    assert sum(counts["relations"].values()) == counts["size_bytes"]
    assert "concept" in cli("stats", taught).stdout


def test_an_explanation_shows_no_counts_that_a_server_has_not(cli: Cli, taught: str) -> None:
    text = 'FIND(?d.name) WHERE { ?d {type: "Drug"} }'
    shown = cli("explain", text, "--db", taught).stdout
    assert "Index" in shown
    assert "rows: 2" in shown
    assert "steps of the engine" not in shown
    told = json.loads(cli("explain", text, "--db", taught, "--json").stdout)["result"]
    assert (told["steps"], told["scanned"]) == (None, None)


def test_a_dump_of_groups_whose_ids_meet_names_the_way_into_files(
    cli: Cli, taught: str, tmp_path: Path
) -> None:
    assert cli("run", "capsule.kip", "--db", taught, "--group", "other").exit_code == 0
    assert cli("dump", "all.dump", "--all", "--db", taught).exit_code == 0
    answer = cli("restore", "all.dump", "--db", "all.db")
    assert answer.exit_code != 0
    assert "--group" in answer.stderr
    assert "one file each" in answer.stderr
    for group in ("default", "other"):
        assert cli("dump", f"{group}.dump", "--db", taught, "--group", group).exit_code == 0
        assert cli("restore", f"{group}.dump", "--db", f"{group}.db").exit_code == 0
        with recollect.open(tmp_path / f"{group}.db", group=group) as nexus:
            assert nexus.verify().breach is None


def test_a_server_that_is_not_there_is_told_by_where(cli: Cli) -> None:
    answer = cli("where", "postgresql://127.0.0.1:1/notes")
    assert answer.exit_code != 0
    assert "does not answer" in answer.stderr


def test_a_slip_in_a_parameter_of_the_address_is_named(taught: str) -> None:
    with pytest.raises(RecollectError) as caught:
        recollect.open(taught.replace("schema=", "shcema="))
    assert caught.value.message == 'the address has a parameter "shcema", which is not known'
    assert caught.value.hint == "use ?schema="


def test_a_rewrite_takes_the_room_that_a_purge_left(cli: Cli, taught: str) -> None:
    with recollect.open(taught) as nexus:
        for number in range(20):
            text = f'UPSERT {{ CONCEPT ?c {{ {{type: "Note", name: "{number}"}} SET ATTRIBUTES {{ text: "{"long words " * 300}" }} }} }}'
            nexus.write(text)
        nexus.purge(recollect.Found('FIND(?n) WHERE { ?n {type: "Note"} }'))
        before = nexus.stats().size_bytes
        told = json.loads(cli("purge", "--rewrite", "--db", taught, "--json").stdout)
        assert told["result"] == {"is_complete": True, "note": None}
        assert nexus.stats().size_bytes < before
        assert nexus.stats().concepts > 0
    assert "made anew" in cli("purge", "--rewrite", "--db", taught).stdout
    assert cli("purge", "--rewrite", "id", "--db", taught).exit_code == 2


def test_the_doctor_tells_how_the_server_is_set_and_who_is_open_for_long(
    cli: Cli, taught: str
) -> None:
    shown = cli("doctor", taught).stdout
    assert "note: PostgreSQL" in shown
    assert "UTF8" in shown
    assert "fsync is off: a crash of the machine may damage every table" in shown  # of tests
    assert "autovacuum is off" not in shown
    told = json.loads(cli("doctor", taught, "--json").stdout)["result"]
    assert told["is_well"]
    assert told["engine"][0].startswith("PostgreSQL")


def test_a_missing_index_of_a_server_is_found_and_made_anew(cli: Cli, taught: str) -> None:
    base, _, schema = taught.partition("schema=")
    with psycopg.connect(base.rstrip("&?"), autocommit=True) as connection:
        connection.execute(f"DROP INDEX {schema}.link_in")  # type: ignore[call-overload]
    assert "link_in" in cli("doctor", taught).stdout
    assert cli("doctor", taught, "--fix").exit_code == 0
    assert "link_in" not in cli("doctor", taught).stdout


def test_the_roles_are_printed_as_sql_that_makes_the_wall(cli: Cli, taught: str) -> None:
    printed = cli("database", "roles", "--db", taught, "--user", "app").stdout
    schema = taught.partition("schema=")[2]
    assert 'CREATE ROLE "app" LOGIN' in printed
    assert f'ALTER TABLE "{schema}".concept ENABLE ROW LEVEL SECURITY' in printed
    with psycopg.connect(taught.partition("schema=")[0].rstrip("&?")) as connection:
        connection.execute(printed.encode())
        connection.rollback()  # it commits by itself
        connection.execute(b'DROP OWNED BY "app", "recollect_owner"')
        connection.execute(b'DROP ROLE "app", "recollect_owner"')
    refused = cli("database", "roles", "--db", "memory.db")
    assert refused.exit_code != 0
    assert "a memory in a file" in refused.stderr


def test_what_spreading_lacks_is_named(cli: Cli, taught: str) -> None:
    refused = cli("database", "distribute", "--db", taught)
    assert refused.exit_code != 0
    assert 'the extension "citus"' in refused.stderr
