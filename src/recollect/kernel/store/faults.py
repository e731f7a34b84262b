"""The faults of every store, in the words of the registry; no SQL ever reaches a message."""

from __future__ import annotations

import orjson

from recollect.errors import (
    EXECUTION_TIMEOUT,
    RESOURCE_EXHAUSTED,
    STORE_BUSY,
    STORE_CORRUPT,
    STORE_FOREIGN,
    RecollectError,
)

OTHERS = "another program or thread is reading or writing"
BLOCK = "this thread is inside a block of nexus.transaction() or nexus.snapshot()"
"""What keeps erased bytes in the file, beside what the engine says of it."""

READERS = "another transaction of the database is open"
"""The same of a server's tables."""

REMAINS = (
    "the server keeps removed bytes in the free space of its tables, until it is written over or "
    "recollect purge --rewrite makes the tables anew; in its log (WAL), and in replicas and backups"
)
"""Where a server has them still, when rows and words are gone and their tables vacuumed."""


def is_for_memory(error: orjson.JSONDecodeError) -> bool:
    """Whether JSON is not read for want of memory, and not for what it says."""
    return "memory" in error.msg


def out_of_memory() -> RecollectError:
    """Return the error of what does not fit into memory."""
    return RESOURCE_EXHAUSTED.error(
        "a value or an answer is larger than memory allows", "use LIMIT, or split the value"
    )


def busy(by: str = "another writer") -> RecollectError:
    """Return the error of a store whose writer does not finish in time."""
    return STORE_BUSY.error(
        f"{by} holds the store and has not finished in time", "send the same request again"
    )


def corrupt(hint: str = "restore the file from a backup") -> RecollectError:
    """Return the error of a damaged file."""
    return STORE_CORRUPT.error("the file is damaged", hint)


def foreign() -> RecollectError:
    """Return the error of a file that is not ours."""
    return STORE_FOREIGN.error(
        "the file is not a Recollect store", "use another path; this file is left as it is"
    )


def overdue(seconds: float, hint: str = "name more of the pattern, or use LIMIT") -> RecollectError:
    """Return the error of a text that has had its seconds."""
    return EXECUTION_TIMEOUT.error(
        f"the text takes longer than {seconds:g} seconds", hint, details={"seconds": seconds}
    )
