from __future__ import annotations

import logging
import traceback

import pytest

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


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ann:{SECRET}@[/notes",
        f"postgresql://ann:{SECRET}@db/notes?nonsense=1",
        f"postgresql://ann:{SECRET}@db/notes?schema=pg_catalog",
        f"postgresql://ann:{SECRET}@db/notes?schema=a%22b",
        f"postgresql://ann:{SECRET}@db/notes?prepare=maybe",
        f"postgresql://ann:{SECRET}@db/notes?rls=on",
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
    assert "127.0.0.1/notes" in caught.value.message
    assert SECRET not in "".join(traceback.format_exception(caught.value)) + caplog.text
