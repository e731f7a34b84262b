"""Care: what a memory declares, what in it is double, loose, old or broken, and copies of it.

The rule: what is about the whole file (doctor, backup, tokens) is for an administrator; the rest is
about the group alone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from recollect.errors import PERMISSION_DENIED, refused
from recollect.faces.kip.maintenance import decay, expire, find_duplicates, find_orphans
from recollect.faces.kip.maintenance.duplicates import Duplicate
from recollect.faces.kip.maintenance.orphans import Orphans
from recollect.kernel import Nexus
from recollect.model import Key, Progress
from recollect.node import replace
from recollect.servers.http.tokens import new_token
from recollect.servers.studio.shown import Shown, shown_ids
from recollect.servers.studio.visit import Answered, Download, Route, StudioPage, Visit, required
from recollect.servers.studio.working import Working

_SHOWN: Final = (
    "pairs found orphans expiry fading schema audit diagnosis error working made_token made_row"
)
_MOST_LISTED: Final = 40
_LARGEST_COPY: Final = 512 * 2**20
"""Bytes of a file that is downloaded from here; a larger one is copied by the command line."""


def care_page(visit: Visit) -> Answered:
    """Show what can be looked at, without looking: each may read the whole memory."""
    return _page(visit, {})


def look(visit: Visit) -> Answered:
    """Look for what is asked: duplicates, orphans, what expires or fades, misfits of the schema."""
    nexus = visit.nexus
    match visit.asked("at"):
        case "duplicates":
            shows: dict[str, object] = {"working": Working(lambda told: _duplicates(nexus, told))}
        case "orphans":
            shows = {"orphans": _things(nexus, find_orphans(nexus))}
        case "expiring":
            shows = {"expiry": expire(nexus, limit=_MOST_LISTED, dry_run=True)}
        case "fading":
            shows = {"fading": decay(nexus, limit=_MOST_LISTED, dry_run=True)}
        case "schema":
            shows = {"schema": nexus.declared.schema()}
        case "audit":
            head = visit.asked("head") or None
            shows = {
                "working": Working(
                    lambda progress: {"audit": nexus.verify(head, progress=progress)}
                )
            }
        case _:
            raise refused("there is no such look", "open /care and choose one")
    return _page(visit, shows)


def doctor(visit: Visit) -> Answered:
    """Examine the file and every group; nothing is mended."""
    check_whole(visit)
    nexus, word = visit.nexus, visit.last_word

    def examine(progress: Progress) -> dict[str, object]:
        word.diagnosis, word.at = nexus.doctor(progress=progress), nexus.now()
        return {"diagnosis": word.diagnosis}

    return _page(visit, {"working": Working(examine)})


def upkeep(visit: Visit) -> Answered:
    """Close what has expired, or let fade what is due."""
    nexus, actor = visit.nexus, visit.actor
    match required(visit.form, "do"):
        case "expire":
            return _page(visit, {"expiry": expire(nexus, actor=actor)})
        case "decay":
            return _page(visit, {"fading": decay(nexus, actor=actor)})
        case _:
            raise refused("do is neither expire nor decay", "do=expire")


def backup(visit: Visit) -> Answered:
    """Return a copy of the whole file."""
    check_whole(visit)
    return _copy(visit, "memory-backup.db", "application/octet-stream", visit.nexus.backup)


def dump(visit: Visit) -> Answered:
    """Return the group as lines of JSON, with nothing lost."""
    return _copy(visit, "memory-dump.jsonl", "application/x-ndjson", visit.nexus.dump)


def _copy(visit: Visit, name: str, kind: str, write: Callable[[Path], object]) -> Download:
    if visit.nexus.stats().size_bytes > _LARGEST_COPY:
        raise refused(
            "the memory is too large to be downloaded from a page",
            f"recollect {write.__name__} {name}",
        )
    with tempfile.TemporaryDirectory(prefix="recollect-") as folder:
        path = Path(folder) / name
        write(path)
        return Download(name, kind, path.read_bytes())


def make_token(visit: Visit) -> Answered:
    """Make a token, and show it this once, with the row to keep."""
    check_whole(visit)
    groups = [one for one in visit.form.get("groups", "").split(",") if one.strip()]
    token, row = new_token(
        [one.strip() for one in groups],
        is_admin=visit.form.get("admin") == "1",
        name=visit.form.get("name", "").strip() or None,
    )
    return _page(visit, {"made_token": token, "made_row": row.line()})


def _page(visit: Visit, shows: dict[str, object]) -> StudioPage:
    nothing = dict.fromkeys(_SHOWN.split())
    frame = {"stats": visit.nexus.stats(), "most": _MOST_LISTED}
    return StudioPage(
        "care.html", "Care", {**nothing, **frame, **shows}, is_told="working" in shows
    )


def _things(nexus: Nexus, found: Orphans) -> Orphans:
    """Return what hangs on nothing, without what a face keeps for itself."""
    kinds = nexus.kinds

    def things(keys: Iterable[Key]) -> tuple[Key, ...]:
        return tuple(
            one for one in keys if one.type not in kinds.owned and kinds.of(one.type).is_memory
        )

    return replace(found, unlinked=things(found.unlinked), homeless=things(found.homeless))


def _duplicates(nexus: Nexus, progress: Progress) -> dict[str, object]:
    """Return how many pairs may be one, and the likeliest side by side."""
    found = find_duplicates(nexus, progress=progress).found
    pairs = list[tuple[Duplicate, Shown, Shown]]()
    for one in found[:_MOST_LISTED]:
        ids = [nexus.history(key)[-1].id for key in (one.duplicate, one.canonical)]
        shown = shown_ids(nexus, ids)
        if len(shown) == len(ids):
            pairs.append((one, shown[0], shown[1]))
    return {"pairs": pairs, "found": len(found)}


def check_whole(visit: Visit) -> None:
    """Raise PERMISSION_DENIED for who is not an administrator of all groups."""
    if not visit.is_whole:
        raise PERMISSION_DENIED.error(
            "only an administrator of all groups may do this", "sign in with the token of one"
        )


ROUTES: Final = (
    Route("/care", care_page),
    Route("/care/look", look),
    Route("/care/doctor", doctor, "POST"),
    Route("/care/upkeep", upkeep, "POST", writes=True),
    Route("/care/backup", backup, "POST"),
    Route("/care/dump", dump, "POST"),
    Route("/care/token", make_token, "POST", writes=True),
)
