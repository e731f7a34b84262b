from __future__ import annotations

import logging
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from psycopg.conninfo import conninfo_to_dict

import recollect
from recollect.errors import RecollectError
from recollect.kernel.store.opening import open_store
from recollect.kernel.store.postgres.address import parse_server

SECRET = "hunter2"


def test_our_own_parameters_leave_the_address_and_others_stay() -> None:
    known = parse_server(
        "postgresql://ann@db.example:5433/notes?schema=team&sslmode=require&prepare=off&rls=off"
    )
    assert known.conninfo == "postgresql://ann@db.example:5433/notes?sslmode=require"
    assert (known.schema, known.prepares) == ("team", False)
    assert parse_server("postgres://db.example/notes").schema == "recollect"


def test_whoever_connects_gives_up_after_a_while() -> None:
    said = conninfo_to_dict(parse_server("postgresql://db/notes?connect_timeout=3").timed)
    assert said["connect_timeout"] == "3"
    assert "connect_timeout" in conninfo_to_dict(parse_server("postgresql://db/notes").timed)


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@[/notes",
        f"postgresql://ann:{SECRET}@db/notes?nonsense=1",
        f"postgresql://ann:{SECRET}@db/notes?schema=pg_catalog",
        f"postgresql://ann:{SECRET}@db/notes?schema=a%22b",
        f"postgresql://ann:{SECRET}@db/notes?prepare=maybe",
        f"postgresql://ann:{SECRET}@db/notes?rls=yes",
    ],
)
def test_an_address_that_names_no_place_is_refused(address: str) -> None:
    with pytest.raises(RecollectError) as caught:
        parse_server(address)
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_the_password_is_in_no_text_that_a_person_sees(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    address = f"postgresql://ann:{SECRET}@127.0.0.1:1/notes?password={SECRET}&connect_timeout=1"
    assert SECRET not in repr(parse_server(address))
    with pytest.raises(RecollectError) as caught:
        open_store(address)
    assert caught.value.code.code == "STORE_UNAVAILABLE"
    assert "postgresql://ann@127.0.0.1:1/notes" in caught.value.message
    assert SECRET not in "".join(traceback.format_exception(caught.value)) + caplog.text


def test_a_password_with_a_question_mark_is_not_shown_either() -> None:
    known = parse_server("postgresql://ann:se?cret@db/notes")
    assert known.conninfo.endswith("ann:se?cret@db/notes")
    assert known.place == "postgresql://ann@db/notes"
    assert parse_server("postgresql://db:5433/a@b").place == "postgresql://db:5433/a@b"


def test_the_pool_and_the_wait_are_named_in_the_address() -> None:
    known = parse_server("postgresql://db/notes?pool=4&wait=20&connect_timeout=3")
    assert (known.pool, known.wait) == (4, 20)
    assert known.conninfo == "postgresql://db/notes?connect_timeout=3"
    for wrong in ("pool=0", "pool=many", "pool=1001", "wait=0", "wait=99999999"):
        with pytest.raises(RecollectError) as caught:
            parse_server(f"postgresql://db/notes?{wrong}")
        assert "in the address is not a whole number from 1 to" in caught.value.message


def test_the_pool_of_the_address_is_that_of_the_process(on_server: str) -> None:
    with recollect.open(f"{on_server}&pool=1&wait=1") as nexus, nexus.snapshot():
        assert nexus.groups() == []
        with ThreadPoolExecutor(1) as others, pytest.raises(RecollectError) as caught:
            others.submit(nexus.groups).result()
        assert caught.value.code.code == "STORE_BUSY"
