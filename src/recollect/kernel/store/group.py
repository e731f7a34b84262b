"""Groups: the tenants of a store, and the one place where a group's name is looked up.

A store counts its purges, by which what was cached before the last is known to be stale.
"""

from __future__ import annotations

import secrets
import unicodedata

from recollect.errors import INVALID_ARGUMENT, NOT_FOUND, Hint, RecollectError, ToDo, nearest
from recollect.kernel.store.cells import BITS_BYTES, EVERY_GROUP, KEY_BYTES, octets, text, whole
from recollect.kernel.store.port import Session, SqlRow
from recollect.kernel.store.statements.counts import (
    ALL,
    CREATE_GROUP,
    DELETE,
    LAST,
    LOST,
    MAKE_STALE,
    NAMES,
    ONE,
    PURGES,
    RETIRE_GROUP,
    UNFINISHED,
)
from recollect.model import Instant
from recollect.node import dataclass

_LONGEST = 128
NO_CHAIN = bytes(32)
"""The chain hash of a group before its first transaction."""


@dataclass(frozen=True, slots=True)
class Group:
    """A tenant: everything that is read or written names one."""

    group_id: int
    name: str
    id_bits: bytes  # the constant part of the public ids, then the key of the other part
    is_strict: bool = False  # whether types and predicates must be declared


def checked_name(name: str) -> str:
    """Return the name of a group in NFC, or INVALID_ARGUMENT."""
    if not isinstance(name, str):
        raise _no_name()
    normal = name if len(name) > _LONGEST else unicodedata.normalize("NFC", name)
    if not is_name(normal):
        raise _no_name()
    return normal


def is_name(name: str) -> bool:
    """Whether a group can be asked for by a name as it is stored."""
    return (
        1 <= len(name) <= _LONGEST and name.isprintable() and unicodedata.is_normalized("NFC", name)
    )


def _no_name() -> RecollectError:
    return RecollectError(
        INVALID_ARGUMENT,
        "the group name is not 1 to 128 printable characters",
        hint='use a name such as "default"',
    )


def load_group(session: Session, name: str) -> Group | None:
    """Return the group of that name, if the store has it; INVALID_ARGUMENT for a bad name."""
    session.stay_in(name := checked_name(name))
    rows = session.once(ONE, {"name": name})
    return _group(rows[0]) if rows else None


def existing_group(session: Session, name: str) -> Group:
    """Return the group of that name, or KIP_3002 with the nearest names."""
    group = load_group(session, name)
    if group is None:
        known = nearest(name, group_names(session))
        all_of_them = Hint("use Nexus.groups to see which there are", ToDo.LIST_GROUPS)
        hint = f'use "{known[0]}"' if known else all_of_them
        raise RecollectError(NOT_FOUND, f'no group is named "{name}"', hint=hint, known=known)
    return group


def create_group(session: Session, name: str) -> Group:
    """Create a group inside the write transaction of `session`, or return the one there is."""
    return load_group(session, name) or new_group(session, name)


def new_group(session: Session, name: str) -> Group:
    """Create a group that is known not to be there, inside the write transaction of `session`."""
    name, id_bits = checked_name(name), secrets.token_bytes(BITS_BYTES + KEY_BYTES)
    row = session.row(CREATE_GROUP, {"name": name, "id_bits": id_bits, "chain": NO_CHAIN})
    assert row is not None
    session.ask_anew()
    return Group(whole(row[0]), name, id_bits)


def group_names(session: Session) -> tuple[str, ...]:
    """Return the names of all groups, in order of code points."""
    return tuple(text(name) for (name,) in session.rows(NAMES))


def all_groups(session: Session) -> list[Group]:
    """Return all groups by their names, including those whose names are not valid."""
    return [_group(row) for row in session.rows(ALL)]


def lost_groups(session: Session) -> set[int]:
    """Return the numbers of groups that have rows and are not there. Cost: every row."""
    found = {(table, whole(one)) for table in LOST for (one,) in session.rows(LOST[table])}
    return {one for _, one in found - {("attribute_index", EVERY_GROUP)}}


def last_transaction(session: Session, group_id: int) -> int:
    """Return the number of a group's last transaction; 0 where nothing was written."""
    return _last(session, group_id)[0]


def last_instant(session: Session, group_id: int) -> Instant:
    """Return the instant of a group's last transaction; 0 where nothing was written."""
    return Instant(_last(session, group_id)[1])


def purges(session: Session) -> int:
    """Return how many purges the store has seen: what was cached before the last is stale."""
    rows = session.once(PURGES, {})
    return whole(rows[0][0]) if rows else 0


def make_stale(session: Session, group_id: int) -> None:
    """Let nothing that was cached of a group be used again, as a purge of nothing would."""
    session.execute_many(MAKE_STALE, [{"group": group_id}])


def delete_group(session: Session, group_id: int) -> None:
    """Delete every row of a group that has groups, and retire its number."""
    for statement in (*DELETE.values(), RETIRE_GROUP):
        session.execute_many(statement, [{"group": group_id}])


def has_unfinished_erasure(session: Session) -> bool:
    """Whether bytes of a purge may still be in the file."""
    return session.row(UNFINISHED) is not None


def _last(session: Session, group_id: int) -> tuple[int, int]:
    rows = session.once(LAST, {"group": group_id})
    return (whole(rows[0][0]), whole(rows[0][1])) if rows else (0, 0)


def _group(row: SqlRow) -> Group:
    group_id, name, id_bits, is_strict = row
    return Group(whole(group_id), text(name), octets(id_bits), bool(is_strict))
