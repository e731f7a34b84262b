"""What a person is told whose address, password or role does not let them in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import is_there
from recollect.servers.settings import Located
from recollect.servers.wiring import open_nexus

SECRET = "hunter2hunter2"
HBA = "SELECT pg_read_file(current_setting('hba_file'))"


def run(database: str, *statements: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        for one in statements:
            connection.execute(one)  # type: ignore[call-overload]


def said(address: str) -> tuple[str, str]:
    with pytest.raises(RecollectError) as caught:
        recollect.open(address)
    assert caught.value.code.code == "STORE_UNAVAILABLE"
    assert SECRET not in str(caught.value) + repr(caught.value)
    return caught.value.message, str(caught.value.hint)


def as_user(address: str, user: str, password: str = "") -> str:
    known = urlsplit(address)
    given = f"{user}:{password}" if password else user
    return known._replace(netloc=f"{given}@{known.netloc.partition('@')[2]}").geturl()


@contextmanager
def role(database: str, options: str = "") -> Iterator[str]:
    """Give the name of a role that may log in and no more."""
    name = f"guest_{urlsplit(database).path.strip('/')}"
    run(database, f'DROP ROLE IF EXISTS "{name}"', f'CREATE ROLE "{name}" LOGIN {options}')
    try:
        yield name
    finally:
        run(database, f'DROP OWNED BY "{name}"', f'DROP ROLE "{name}"')


@contextmanager
def asked_for_a_password(database: str, user: str) -> Iterator[None]:
    """Let the server ask this user for a password."""
    with psycopg.connect(database, autocommit=True) as connection:
        ((before,),) = connection.execute(HBA).fetchall()

        def write(text: str) -> None:
            quoted = text.replace("'", "''").replace("\\", "\\\\")
            path = connection.execute("SHOW hba_file").fetchall()[0][0]
            lines = f"string_to_table(E'{quoted}', E'\\n')"
            connection.execute(f"COPY (SELECT {lines}) TO '{path}'")  # type: ignore[call-overload]
            connection.execute("SELECT pg_reload_conf()")

        write(f'local all "{user}" scram-sha-256\nhost all "{user}" all scram-sha-256\n{before}')
        try:
            yield
        finally:
            write(before)


def test_a_database_that_is_not_there_is_named(database: str) -> None:
    absent = urlsplit(database)._replace(path="/not_there").geturl()
    message, hint = said(absent)
    assert 'has no database "not_there"' in message
    assert "createdb not_there" in hint


def test_a_user_that_is_not_there_is_named(database: str) -> None:
    message, hint = said(as_user(database, "nobody_here"))
    assert 'does not let the user "nobody_here" in' in message
    assert "LOGIN" in hint


def test_a_password_that_is_wrong_or_missing_is_told(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    with role(database, "PASSWORD 'right'") as user, asked_for_a_password(database, user):
        for password in ("", SECRET):
            message, hint = said(as_user(database, user, password))
            assert f'does not take the password of the user "{user}"' in message
            assert "PGPASSFILE" in hint


def test_a_role_that_may_not_make_the_tables_is_told_who_grants_what(
    database: str, on_server: str
) -> None:
    name = on_server.partition("schema=")[2]
    with role(database) as user:
        message, hint = said(as_user(on_server, user))
        assert "may not make the schema" in message
        assert "GRANT CREATE ON DATABASE" in hint
        run(database, f'CREATE SCHEMA "{name}"')
        message, hint = said(as_user(on_server, user))
        assert "may not make tables in the schema" in message
        run(database, hint.partition("run: ")[2])
        recollect.open(as_user(on_server, user)).close()


def test_a_role_that_may_not_use_the_tables_is_told_so(database: str, on_server: str) -> None:
    recollect.open(on_server).close()
    with role(database) as user:
        message, hint = said(as_user(on_server, user))
        assert "may not use the tables" in message
        assert f'TO "{user}"' in hint


def test_looking_whether_a_memory_is_there_makes_none(on_server: str) -> None:
    assert not is_there(on_server)
    assert not is_there(on_server)
    recollect.open(on_server).close()
    assert is_there(on_server)


ENDED = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    " WHERE application_name = 'recollect' AND datname = current_database()"
    " AND pid <> pg_backend_pid()"
)
BROKEN = f"""
import logging, sys
import psycopg
from recollect.kernel import Nexus
with Nexus.open(sys.argv[1], busy_seconds=0.2) as nexus:
    nexus.groups()
    with psycopg.connect(sys.argv[2], autocommit=True) as connection:
        connection.execute({ENDED!r})
    nexus.groups()
print(logging.getLogger("psycopg").getEffectiveLevel() == logging.WARNING)
"""


def test_what_the_driver_logs_is_left_to_the_program_and_has_no_password(
    database: str, on_server: str
) -> None:
    address = as_user(on_server, urlsplit(on_server).username or "postgres", SECRET)
    asked = [sys.executable, "-c", BROKEN, address, database]
    done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "True\n", done.stderr
    assert SECRET not in done.stderr


def test_where_a_program_of_ours_runs_the_driver_writes_nothing_into_the_log(
    database: str, on_server: str, caplog: pytest.LogCaptureFixture
) -> None:
    with open_nexus(Located(on_server, ""), "default", create=True) as nexus:
        assert nexus.groups() == []
        run(database, ENDED)
        assert nexus.groups() == []
    assert [one for one in caplog.records if one.name.startswith("psycopg")] == []


def test_a_role_with_what_the_manual_grants_reads_writes_and_purges(
    database: str, on_server: str
) -> None:
    name = on_server.partition("schema=")[2]
    manual = (Path(__file__).parents[4] / "docs" / "postgres.md").read_text(encoding="utf-8")
    grants = "GRANT" + manual.partition("```text\nGRANT")[2].partition("```")[0]
    with recollect.open(on_server) as owner, role(database) as user:
        owner.write('UPSERT { CONCEPT ?c { {type: "T", name: "theirs"} } }')
        given = grants.replace("SCHEMA recollect", f'SCHEMA "{name}"').replace(
            "TO app", f'TO "{user}"'
        )
        with psycopg.connect(database) as connection:
            may_vacuum = connection.info.server_version >= 170_000
        parts = [one for one in given.split(";") if may_vacuum or "MAINTAIN" not in one]
        run(database, *filter(str.strip, parts))
        with recollect.open(as_user(on_server, user)) as nexus:
            nexus.write('UPSERT { CONCEPT ?c { {type: "T", name: "mine"} } }')
            assert nexus.stats().concepts == 2
            assert nexus.purge(recollect.Key("T", "mine")).is_complete
            nexus.group("new").write('UPSERT { CONCEPT ?c { {type: "T", name: "mine"} } }')
            assert nexus.verify().breach is None
        assert owner.doctor().findings == ()
