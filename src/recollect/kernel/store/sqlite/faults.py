"""What the engine reports, in the words of the registry; no SQL ever reaches a message."""

from __future__ import annotations

import re
from typing import assert_never

import apsw
import orjson

from recollect.errors import (
    INTERNAL_ERROR,
    RESOURCE_EXHAUSTED,
    STORE_CLOSED,
    STORE_UNAVAILABLE,
    RecollectError,
)
from recollect.kernel.store.faults import busy, corrupt, is_for_memory, out_of_memory

_TOO_LARGE = (
    (
        re.compile("at most [0-9]+ tables|too many FROM"),
        "the query matches and reads more than 64 elements side by side",
        "ask for some of the patterns or fields in another FIND",
    ),
    (
        re.compile("nested too deep"),
        "the blocks of the query come to more than 1000 patterns",
        "ask for some of the UNION, OPTIONAL or NOT blocks in another FIND",
    ),
    (
        re.compile("too many terms in compound"),
        "the query has more than 500 UNION blocks",
        "ask for some of the UNION blocks in another FIND",
    ),
    (
        re.compile("too many columns"),
        "the query shows more than 2000 columns",
        "ask for some of the columns in another FIND",
    ),
    (
        re.compile("too many |tree is too large|parser stack"),
        "the query has more terms, or deeper blocks, than one statement can hold",
        "use fewer terms in FIND, FILTER and ORDER BY, or put fewer NOT blocks into each other",
    ),
)
"""How the engine speaks of a statement beyond its own limits, the first that fits; what to do."""

_NO_JSON = re.compile("malformed JSON")
"""How the engine speaks of a cell that must hold JSON and does not."""

_NOT_WRITTEN = frozenset({apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE})
"""How the engine speaks of a file, or of the one beside it that readers need, for lack of space."""


READING_ERRORS = (apsw.Error, UnicodeDecodeError, orjson.JSONDecodeError, MemoryError)
"""What the engine and its functions raise for a statement, of cells that are not text too."""


def translated(
    error: apsw.Error | UnicodeDecodeError | orjson.JSONDecodeError | MemoryError,
) -> RecollectError:
    """Return the registered error for one of the engine's."""
    match error:
        case orjson.JSONDecodeError() if is_for_memory(error):
            return out_of_memory()
        case UnicodeDecodeError() | orjson.JSONDecodeError():
            return corrupt()
        case apsw.SQLError() if _NO_JSON.search(str(error)):
            return corrupt()
        case apsw.BusyError() | apsw.LockedError():
            return busy()
        case apsw.CorruptError() | apsw.NotADBError() | apsw.FormatError():
            return corrupt()
        case apsw.FullError():
            return STORE_UNAVAILABLE.error("the disk is full", "free some space")
        case apsw.IOError() if getattr(error, "extendedresult", None) in _NOT_WRITTEN:
            return STORE_UNAVAILABLE.error(
                "the disk is full, or files may not grow so large",
                "free some space, or raise the limit of the process",
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return STORE_UNAVAILABLE.error("the file is read-only", "check the file's permissions")
        case apsw.IOError() | apsw.CantOpenError():
            return STORE_UNAVAILABLE.error(
                "the file cannot be opened, read or written",
                "check that the file exists on a local disk and its permissions",
            )
        case apsw.NoMemError() | apsw.TooBigError() | MemoryError():
            return out_of_memory()
        case apsw.SQLError() if (beyond := _too_large(str(error))) is not None:
            return beyond
        case apsw.ConnectionClosedError():
            return STORE_CLOSED.error(
                "the connection was closed by another thread", "open the memory again"
            )
        case apsw.Error():
            return INTERNAL_ERROR.error(
                f"the store refuses a statement of the program ({type(error).__name__})",
                "report this with the text that was run",
            )
        case _:
            assert_never(error)


def _too_large(message: str) -> RecollectError | None:
    """Return the error that names the limit of the engine which a statement exceeds, or None."""
    for pattern, fact, hint in _TOO_LARGE:
        if pattern.search(message):
            return RESOURCE_EXHAUSTED.error(fact, hint)
    return None
