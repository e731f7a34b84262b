"""What the server reports, in the words of the registry; no SQL and no value reach a message."""

from __future__ import annotations

import re
from typing import Final

import psycopg
from psycopg import errors, pq
from psycopg_pool import PoolClosed, PoolTimeout

from recollect.errors import (
    INDEX_PENDING,
    INTERNAL_ERROR,
    INVALID_ARGUMENT,
    RESOURCE_EXHAUSTED,
    STORE_BUSY,
    STORE_CLOSED,
    STORE_CORRUPT,
    STORE_UNAVAILABLE,
    Code,
    RecollectError,
)
from recollect.kernel.store.faults import busy, out_of_memory, overdue
from recollect.kernel.store.postgres.address import ServerAddress

_UNPREPARED: Final = (
    STORE_UNAVAILABLE,
    "a pool between keeps no prepared statements of its clients apart",
    "add prepare=off to the address, or set max_prepared_statements of PgBouncer above 0",
)
_BY_STATE: Final[dict[str, tuple[Code, str, str]]] = {
    "26000": _UNPREPARED,
    "42P05": _UNPREPARED,
    "53100": (STORE_UNAVAILABLE, "the disk of the server is full", "free some space there"),
    "53300": (
        STORE_UNAVAILABLE,
        "the server has no connection to spare",
        "raise max_connections there, or have fewer programs connected",
    ),
    "25006": (STORE_UNAVAILABLE, "nothing may be written here", "write outside of a snapshot"),
    "42501": (
        STORE_UNAVAILABLE,
        "the role of the address may not use the tables",
        "grant it usage of the schema and of its tables",
    ),
    "25P02": (
        STORE_UNAVAILABLE,
        "the transaction is undone, since a statement in it failed",
        "send the same request again",
    ),
    "57014": (STORE_UNAVAILABLE, "the statement was cancelled", "send the same request again"),
}
"""By the state that the server names: what it means, and what to do."""

_REFUSALS: Final[tuple[tuple[str, str, str], ...]] = (
    (
        "database .* does not exist",
        'the server {host} has no database "{database}"',
        "make it there: createdb {database}; or name one that is there",
    ),
    (
        "authentication failed|^no password",
        'the server {host} does not take the password of the user "{user}"',
        "set PGPASSWORD, or the line of this server in PGPASSFILE",
    ),
    (
        "role .* (does not exist|is not permitted to log in)|pg_hba.conf",
        'the server {host} does not let the user "{user}" in from here',
        "have its owner make the role with LOGIN, and let it in by pg_hba.conf",
    ),
    (
        "permission denied for database",
        'the user "{user}" may not connect to the database "{database}"',
        'have its owner run: GRANT CONNECT ON DATABASE "{database}" TO "{user}"',
    ),
    (
        "too many (clients|connections)|connection slots are reserved",
        "the server {host} has no connection to spare",
        "raise max_connections there, or have fewer programs connected",
    ),
    (
        "",
        'the server {host} does not let the user "{user}" into the database "{database}"',
        "check the names in the address, and the password",
    ),
)
"""By what the server says as it closes the door: what it means, and what to do."""

_BUSY: Final = (errors.SerializationFailure, errors.DeadlockDetected, errors.LockNotAvailable)
_TOO_LARGE: Final = (
    errors.ProgramLimitExceeded,
    errors.StatementTooComplex,
    errors.TooManyColumns,
    errors.TooManyArguments,
)
_BROKEN: Final = (errors.DataCorrupted, errors.IndexCorrupted)


READING_ERRORS: Final = (psycopg.Error, UnicodeEncodeError, MemoryError)
"""What the driver raises for a statement and its values."""


def translated(
    error: psycopg.Error | UnicodeEncodeError | MemoryError, seconds: float | None = None
) -> RecollectError:
    """Return the registered error for one of the driver's; `seconds` are what a text may take."""
    match error:
        case UnicodeEncodeError() | psycopg.DataError(sqlstate=None | "22021" | "22P05"):
            return unstorable()
        case errors.QueryCanceled() if seconds is not None:
            return overdue(seconds)
        case PoolTimeout():
            return STORE_BUSY.error(
                "no connection to the server has become free in time", "send the same request again"
            )
        case PoolClosed():
            return STORE_CLOSED.error("the store is closed", "open it again")
        case psycopg.Error() if error.sqlstate in _BY_STATE:
            code, message, hint = _BY_STATE[error.sqlstate]
            return RecollectError(code, message, hint=hint)
    if isinstance(error, _BUSY):
        return busy()
    if isinstance(error, (MemoryError, errors.OutOfMemory)):
        return out_of_memory()
    if isinstance(error, _BROKEN):
        message = "the server finds its own data damaged"
        return STORE_CORRUPT.error(message, "restore the database from a backup")
    if isinstance(error, _TOO_LARGE):
        return RESOURCE_EXHAUSTED.error(
            "a text or a query is larger than the server can hold",
            "use a shorter name or id, or ask for less in one FIND",
        )
    if is_lost(error):
        return unreachable()
    return INTERNAL_ERROR.error(
        f"the store refuses a statement of the program ({type(error).__name__})",
        "report this with the text that was run",
    )


def reshaped_late(fault: RecollectError) -> RecollectError:
    """Return the error for what keeps an index from being made or removed after its commit."""
    return INDEX_PENDING.error(
        f"the write is kept, but an index of it is not made or removed yet: {fault.message}",
        "let the doctor do it: recollect doctor --fix",
    )


def unstorable() -> RecollectError:
    """Return the error for a text that is no text of the server."""
    return INVALID_ARGUMENT.error(
        "a text holds a character that the server cannot take",
        "leave out zero characters and halves of surrogate pairs",
    )


def is_lost(error: Exception) -> bool:
    """Whether the server, or the way to it, is gone: another connection may do better."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    return error.sqlstate is None or error.sqlstate.startswith(("08", "57P"))


def refused(error: psycopg.Error, address: ServerAddress) -> RecollectError:
    """Return the error of a connection that was not made, with the server's reason.

    A server of another language is understood by whether it answers, and asks for a password.
    """
    tried = error.pgconn
    if tried is None or pq.PGconn.ping(address.timed.encode()) != pq.Ping.OK:
        return unreachable(address.place)
    said = str(error)
    if tried.needs_password:
        said = "no password"
    names = {
        "host": tried.host.decode() or "localhost",
        "user": tried.user.decode(),
        "database": tried.db.decode(),
    }
    found = (one for one in _REFUSALS if re.search(one[0], said) is not None)
    _, message, hint = next(found, _REFUSALS[-1])
    return STORE_UNAVAILABLE.error(message.format_map(names), hint.format_map(names))


def unreachable(place: str = "") -> RecollectError:
    """Return the error of a server that does not answer, or not any more."""
    return STORE_UNAVAILABLE.error(
        f"the server {place} does not answer" if place else "the server does not answer",
        "check that it runs and lets this user in, then send the same request again",
    )


def not_owner() -> RecollectError:
    """Return the error of a role that would make an index of tables that are another's."""
    return STORE_UNAVAILABLE.error(
        "the role of the address does not own the tables, and may make no index of them",
        "use the address of their owner",
    )


def walled(what: str) -> RecollectError:
    """Return the error of what is of all groups, asked where the server shows one at a time."""
    return STORE_UNAVAILABLE.error(
        f"{what} is of all groups, and the wall of the server (rls=on) hides them from this role",
        "use the address of the owner of the tables, without rls=on",
    )


def unknown_outcome() -> RecollectError:
    """Return the error of a commit that was not answered, and whose end nobody can tell."""
    return STORE_UNAVAILABLE.error(
        "the server was lost during the commit, and whether it was kept is not known",
        "read whether it was written before sending it again",
    )
