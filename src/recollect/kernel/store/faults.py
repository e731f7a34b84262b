"""The faults of every store, in the words of the registry; no SQL ever reaches a message."""

from __future__ import annotations

import orjson

from recollect.errors import (
    RESOURCE_EXHAUSTED,
    STORE_BUSY,
    STORE_CORRUPT,
    STORE_FOREIGN,
    RecollectError,
)


def is_for_memory(error: orjson.JSONDecodeError) -> bool:
    """Whether JSON is not read for want of memory, and not for what it says."""
    return "memory" in error.msg


def out_of_memory() -> RecollectError:
    """Return the error of what does not fit into memory."""
    return RecollectError(
        RESOURCE_EXHAUSTED,
        "a value or an answer is larger than memory allows",
        hint="use LIMIT, or split the value",
    )


def busy(by: str = "another writer") -> RecollectError:
    """Return the error of a store whose writer does not finish in time."""
    return RecollectError(
        STORE_BUSY,
        f"{by} holds the store and has not finished in time",
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
