"""Elements that are read, compared with the digests that were logged when they were written.

The rule: a difference is damage and is raised, never shown. One statement reads a content and its
digest, so that both are of one moment. What a write has not committed has no digest yet.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.store.cells import octets, text, whole
from recollect.kernel.store.digests import digest_of_cells
from recollect.kernel.store.group import Group
from recollect.kernel.store.identity import public_id
from recollect.kernel.store.port import Session, SqlRow, SqlValue
from recollect.kernel.store.statements.elements import CURRENT, PAST
from recollect.model import LINK_BIT


def compare(session: Session, group: Group, elements: Sequence[int], *, is_past: bool) -> None:
    """Compare those of some elements whose turn it is; STORE_CORRUPT names the first difference.

    `is_past` tells whether what they said before was read.
    """
    chosen = session.sampling.of(elements) if not session.is_writing else ()
    if chosen:
        refuse_different(session, group, chosen, is_past=is_past)


def refuse_different(
    session: Session, group: Group, elements: Sequence[int], *, is_past: bool
) -> None:
    """Compare elements; STORE_CORRUPT names the first that is not what was logged."""
    for table, bit in (("concept", 0), ("link", LINK_BIT)):
        ids = [one for one in elements if one & LINK_BIT == bit]
        for statements in ((CURRENT, PAST) if is_past else (CURRENT,)) if ids else ():
            parameters: dict[str, SqlValue] = {
                "group": group.group_id,
                "ids": orjson.dumps(ids).decode(),
            }
            for row in session.rows(statements[table], parameters):
                if not _is_logged(row):
                    session.sampling.suspect()
                    raise _different(group, row)


def _is_logged(row: SqlRow) -> bool:
    id_, _, salt, digest, *cells = row
    try:
        identity = (whole(id_), *map(_part, cells[4:]))
        return digest_of_cells(octets(salt), identity, cells[:4]) == digest
    except RecollectError:  # a cell of another type
        return False


def _part(cell: SqlValue) -> int | str | None:
    return cell if cell is None or isinstance(cell, int) else text(cell)


def _different(group: Group, row: SqlRow) -> RecollectError:
    id_, given, *_ = row
    name = given if isinstance(given, str) else public_id(group.id_bits, whole(id_))
    return RecollectError(
        STORE_CORRUPT,
        f"the element {name} is not what was written",
        hint="see what else is damaged: recollect doctor",
        details={"element": name},
    )
