"""The address of a server: `postgresql://user@host/database`, with parameters of our own.

The rule: what stands in an address may be a password, so it is in no text that a person sees. Our
own parameters, `schema`, `prepare` and `rls`, leave the address before the server's library reads
it.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from psycopg import ProgrammingError, pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from recollect.errors import not_among, refused
from recollect.kernel.store.address import shown_address
from recollect.node import dataclass, field

SCHEMA: Final = "recollect"
"""The schema that holds the tables, unless the address names another."""

_SCHEMA_NAME: Final = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,62}")
_OWN: Final = ("schema", "prepare", "rls", "pool", "wait")
_MOST: Final = {"pool": 1_000, "wait": 86_400}
_NAME: Final = re.compile(r"[a-z_]{2,32}")
_CONNECT_SECONDS: Final = 10
_EXAMPLE: Final = 'use an address such as "postgresql://user@host/database"'


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a store on a server is.

    >>> known = parse_server("postgresql://ann:secret@db.example/notes?schema=team")
    >>> known.place, known.schema, known.prepares, known.has_wall
    ('postgresql://ann@db.example/notes?schema=team', 'team', True, False)
    """

    conninfo: str = field(repr=False)  # as the server's library reads it
    place: str  # the address without a password: what messages may say
    schema: str = SCHEMA
    prepares: bool = True  # off behind a pool that keeps no prepared statements
    pool: int | None = None  # connections of a process, at most; None: as the store is opened
    wait: int | None = None  # seconds for another writer, and for a connection
    has_wall: bool = False  # row level security: the server shows the rows of one group alone

    @property
    def timed(self) -> str:
        """How the server's library connects: it gives up after a while, by default ten seconds."""
        if "connect_timeout" in conninfo_to_dict(self.conninfo):
            return self.conninfo
        return make_conninfo(self.conninfo, connect_timeout=_CONNECT_SECONDS)


def parse_server(text: str) -> ServerAddress:
    """Return the place on a server that an address names; INVALID_ARGUMENT when it names none.

    >>> parse_server("postgresql:///notes?prepare=off").prepares
    False
    """
    base, _, query = text.partition("?")
    own: dict[str, str] = {}
    others: list[str] = []
    for one in filter(None, query.split("&")):
        name, _, value = one.partition("=")
        if name in _OWN:
            own[name] = unquote(value)
        else:
            others.append(one)
    conninfo = "?".join(filter(None, (base, "&".join(others))))
    try:
        conninfo_to_dict(conninfo)
    except (ProgrammingError, UnicodeError):  # its message repeats the address
        _refuse_unknown([one.partition("=")[0] for one in others], text)
        raise refused("the address of the server cannot be read", _EXAMPLE) from None
    schema = own.get("schema", SCHEMA)
    if _SCHEMA_NAME.fullmatch(schema) is None:
        raise refused(
            "the schema in the address is not 1 to 63 of a-z, 0-9 and _", "use ?schema=recollect"
        )
    prepares = _is_on(own, "prepare", default=True)
    pool, wait = _number(own, "pool"), _number(own, "wait")
    has_wall = _is_on(own, "rls", default=False)
    return ServerAddress(conninfo, shown_address(text), schema, prepares, pool, wait, has_wall)


def _refuse_unknown(names: list[str], address: str) -> None:
    """Name the parameter that nobody knows, unless it may be the end of a password."""
    known = (*_OWN, *(one.keyword.decode() for one in pq.Conninfo.get_defaults()))
    for name in names:
        if name not in known and _NAME.fullmatch(name) and "@" not in address.partition("?")[2]:
            message = f'the address has a parameter "{name}", which is not known'
            raise not_among(message, name, known, "use ?{}=", "leave it out")


def _number(own: dict[str, str], name: str) -> int | None:
    said = own.get(name)
    if said is None:
        return None
    if not (said.isdecimal() and len(said) < 6 and 1 <= int(said) <= _MOST[name]):
        raise refused(
            f"{name} in the address is not a whole number from 1 to {_MOST[name]:,}",
            f"use ?{name}=5",
        )
    return int(said)


def _is_on(own: dict[str, str], name: str, *, default: bool) -> bool:
    said = own.get(name)
    if said not in (None, "on", "off"):
        raise refused(f"{name} in the address is neither on nor off", f"use ?{name}=off")
    return default if said is None else said == "on"
