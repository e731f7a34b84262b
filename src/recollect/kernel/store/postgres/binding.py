"""How texts and values of the house reach the server, and how its values come back.

The rule: a text is turned into the server's own form once, `$1` for each name, and every number is
sent as eight bytes and every text as text, whatever its size: a prepared statement belongs to the
types of its parameters. Rows equal those of the other engine: booleans are 1 and 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

from psycopg import Connection
from psycopg.abc import Buffer
from psycopg.adapt import Dumper, Loader
from psycopg.postgres import types
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper, TextLoader

from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.port import Parameters
from recollect.kernel.store.postgres.faults import unstorable

_KEPT: Final = 4_096  # texts in the server's form
_TOKEN: Final = re.compile(
    r"""
    '(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | ::\w+
    | :(?P<name>[A-Za-z_]\w*) | (?P<mark>\?)
    """,
    re.VERBOSE,
)


_EXACT_FROM, _EXACT_BELOW = 2.0**53, 2.0**63


def decimal(number: float) -> str:
    """Return the digits of a double: exact where a whole number of 64 bits could be equal to it.

    >>> decimal(0.1), decimal(1.2345678901234568e18)
    ('0.1', '1234567890123456768')
    """
    if _EXACT_FROM <= abs(number) < _EXACT_BELOW or number == -_EXACT_BELOW:
        return str(int(number))
    return repr(number)


def bound(text: str, parameters: Parameters) -> tuple[str, Sequence[SqlValue]]:
    """Return a text with `$1`, `$2` and the values that stand for them.

    >>> bound("SELECT ':a' || :a, :b::bigint, :a", {"b": 2, "a": "x"})
    ("SELECT ':a' || $1, $2::bigint, $1", ['x', 2])
    >>> bound("SELECT ?, ?", (1, 2))
    ('SELECT $1, $2', (1, 2))
    """
    if isinstance(parameters, Mapping):
        numbered, names = _named(text)
        return numbered, [parameters[name] for name in names]
    return _marked(text) if parameters else text, parameters


def numbered(text: str) -> str:
    """Return a text in the server's form, whatever its values are.

    >>> numbered("SELECT :a, :b::bigint, :a")
    'SELECT $1, $2::bigint, $1'
    """
    return _marked(_named(text)[0])


@lru_cache(_KEPT)
def _named(text: str) -> tuple[str, tuple[str, ...]]:
    if "\0" in text:  # the key of an attribute: the server would take it for the end of the text
        raise unstorable()
    places: dict[str, int] = {}

    def placed(found: re.Match[str]) -> str:
        name = found["name"]
        return found[0] if name is None else f"${places.setdefault(name, len(places) + 1)}"

    return _TOKEN.sub(placed, text), tuple(places)


@lru_cache(_KEPT)
def _marked(text: str) -> str:
    numbers = count(1)

    def placed(found: re.Match[str]) -> str:
        return found[0] if found["mark"] is None else f"${next(numbers)}"

    return _TOKEN.sub(placed, text)


class _TruthDumper(Dumper):
    """Sends true and false as the numbers that they are in Python."""

    oid = types["int8"].oid

    def dump(self, obj: bool) -> Buffer | None:
        return b"1" if obj else b"0"


class _RealDumper(Dumper):
    """Sends a double as the number that it is compared as."""

    oid = types["numeric"].oid

    def dump(self, obj: float) -> Buffer | None:
        return decimal(obj).encode()


class _TruthLoader(Loader):
    def load(self, data: Buffer) -> int:
        return int(data == b"t")


class _NumberLoader(Loader):
    """Reads a `numeric` as a whole number where it is one."""

    def load(self, data: Buffer) -> int | float:
        digits = bytes(data)
        return int(digits) if digits.lstrip(b"-").isdigit() else float(digits)


def adapt(connection: Connection) -> None:
    """Let a connection send and read values as the house has them."""
    adapters = connection.adapters
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_dumper(bool, _TruthDumper)
    adapters.register_dumper(float, _RealDumper)
    adapters.register_dumper(str, StrDumper)
    adapters.register_loader("bool", _TruthLoader)
    adapters.register_loader("numeric", _NumberLoader)
    for name in ("json", "jsonb"):
        adapters.register_loader(name, TextLoader)
