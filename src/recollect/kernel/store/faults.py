"""What the engine reports, in the words of the registry; no SQL ever reaches a message."""

from __future__ import annotations

import re
from typing import assert_never

import apsw
import orjson

from recollect.errors import (
    INTERNAL_ERROR,
    RESOURCE_EXHAUSTED,
    STORE_BUSY,
    STORE_CLOSED,
    STORE_CORRUPT,
    STORE_FOREIGN,
    STORE_UNAVAILABLE,
    RecollectError,
)

_TOO_LARGE = re.compile(
    "at most [0-9]+ tables|too many |nested too deep|tree is too large|parser stack"
)
"""How the engine speaks of a statement that is beyond its own limits."""

_NO_JSON = re.compile("malformed JSON")
"""How the engine speaks of a cell that must hold JSON and does not."""


READING_ERRORS = (apsw.Error, UnicodeDecodeError, orjson.JSONDecodeError)
"""What the engine and its functions raise for a statement, of cells that are not text too."""


def translated(error: apsw.Error | UnicodeDecodeError | orjson.JSONDecodeError) -> RecollectError:
    """Return the registered error for one of the engine's."""
    match error:
        case UnicodeDecodeError() | orjson.JSONDecodeError():
            return corrupt()
        case apsw.SQLError() if _NO_JSON.search(str(error)):
            return corrupt()
        case apsw.BusyError() | apsw.LockedError():
            return busy()
        case apsw.CorruptError() | apsw.NotADBError() | apsw.FormatError():
            return corrupt()
        case apsw.FullError():
            return RecollectError(STORE_UNAVAILABLE, "the disk is full", hint="free some space")
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return RecollectError(
                STORE_UNAVAILABLE, "the file is read-only", hint="check the file's permissions"
            )
        case apsw.IOError() | apsw.CantOpenError():
            return RecollectError(
                STORE_UNAVAILABLE,
                "the file cannot be opened, read or written",
                hint="check that the file exists on a local disk and its permissions",
            )
        case apsw.NoMemError() | apsw.TooBigError():
            return RecollectError(
                RESOURCE_EXHAUSTED,
                "a value or an answer is larger than memory allows",
                hint="use LIMIT, or split the value",
            )
        case apsw.SQLError() if _TOO_LARGE.search(str(error)):
            return RecollectError(
                RESOURCE_EXHAUSTED,
                "the query has more clauses, columns or terms than one statement can hold",
                hint="split the query",
            )
        case apsw.ConnectionClosedError():
            return RecollectError(
                STORE_CLOSED,
                "the connection was closed by another thread",
                hint="open the memory again",
            )
        case apsw.Error():
            return RecollectError(
                INTERNAL_ERROR,
                f"the store refuses a statement of the program ({type(error).__name__})",
                hint="report this with the text that was run",
            )
        case _:
            assert_never(error)


def busy() -> RecollectError:
    """Return the error of a store whose writer does not finish in time."""
    return RecollectError(
        STORE_BUSY,
        "another writer holds the store and has not finished in time",
        hint="send the same request again",
    )


def corrupt(hint: str = "restore the file from a backup") -> RecollectError:
    """Return the error of a damaged file."""
    return RecollectError(STORE_CORRUPT, "the file is damaged", hint=hint)


def foreign() -> RecollectError:
    """Return the error of a file that is not ours."""
    return RecollectError(
        STORE_FOREIGN,
        "the file is not a Recollect store",
        hint="use another path; this file is left as it is",
    )
