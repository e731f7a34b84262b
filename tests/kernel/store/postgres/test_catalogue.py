"""Every statement of the house is one that a server can prepare."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store import statements
from recollect.kernel.store.postgres.binding import numbered
from recollect.kernel.store.postgres.dialect import POSTGRES
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.statement import Statement


def named(value: object, name: str) -> Iterator[tuple[str, Statement]]:
    """Yield the statements in a value of a module, each with what it is called."""
    match value:
        case Statement():
            yield name, value
        case dict():
            for key, one in value.items():
                yield from named(one, f"{name}[{key}]")
        case tuple() | list():
            for place, one in enumerate(value):
                yield from named(one, f"{name}[{place}]")
        case type():
            return
        case _:
            for field in getattr(value, "__dataclass_fields__", ()):
                yield from named(getattr(value, field), f"{name}.{field}")


def catalogued() -> dict[str, Statement]:
    found: dict[str, Statement] = {}
    for module in pkgutil.iter_modules(statements.__path__):
        held = vars(importlib.import_module(f"{statements.__name__}.{module.name}"))
        for name, value in held.items():
            found |= dict(named(value, f"{module.name}.{name}"))
    return found


def test_every_statement_can_be_prepared_on_a_server(on_server: str) -> None:
    found = catalogued()
    assert len(found) > 200
    nothing = {name for name, statement in found.items() if not POSTGRES.spelt[statement]}
    assert nothing == {"counts.COUNT_IDS"}
    found = {name: statement for name, statement in found.items() if name not in nothing}
    refused: dict[str, str] = {}
    store = PostgresStore(on_server)
    for name, statement in found.items():
        try:
            with store.reading() as session:
                session.rows(f"PREPARE tried AS {numbered(POSTGRES.spelt[statement])}")
                session.rows("DEALLOCATE tried")
        except (RecollectError, KeyError) as error:
            refused[name] = f"{error!r} {error.__cause__}"
    store.close()
    assert refused == {}


def test_a_statement_that_a_server_cannot_prepare_is_noticed(on_server: str) -> None:
    store = PostgresStore(on_server)
    with store.reading() as session, pytest.raises(RecollectError):
        session.rows("PREPARE tried AS SELECT k.colour FROM link AS k")
    store.close()
