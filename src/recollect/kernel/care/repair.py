"""Rebuilds what can be computed from the rest: indexes, counts, the text index.

The rule: it is one transaction, and kept only when the file is sound after it.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import INTERNAL_ERROR, RecollectError
from recollect.kernel.care.examination import examine_group
from recollect.kernel.care.recount import recount
from recollect.kernel.search.rebuild import rebuild
from recollect.kernel.store.dialect import PREFIXES
from recollect.kernel.store.faults import corrupt
from recollect.kernel.store.group import Group, all_groups
from recollect.kernel.store.port import Part, Session, Upkeep
from recollect.kernel.store.sharing import part
from recollect.kernel.store.statements.texts import FORGET_ALL_PAST
from recollect.kernel.write.attribute_indexes import settle_indexes
from recollect.model import UNREADABLE, Finding, Progress

_FROM_ROWS = frozenset({"tally", "text_past"})


def is_from_rest(upkeep: Upkeep, tree: str) -> bool:
    """Whether everything in a table or index can be rebuilt from the others."""
    indexes = {part.name for part in upkeep.parts() if not part.is_table}
    is_index = tree in indexes or tree.startswith(PREFIXES)
    return is_index or tree in _FROM_ROWS | upkeep.text_parts() | upkeep.samples()


def remake_broken(
    session: Session, upkeep: Upkeep, broken: Iterable[str], progress: Progress
) -> None:
    """Make the broken tables and indexes of a file anew, inside a write transaction.

    They were found in another transaction: after meeting a broken page the engine writes nothing.
    STORE_CORRUPT when the file is not sound after it; then nothing may be kept.
    """
    upkeep.forget(broken)
    are_rows_lost = False
    while missing := upkeep.missing_parts():
        session.rows(missing[0].sql)  # the text index brings the tables it is kept in
        are_rows_lost = are_rows_lost or missing[0].is_table
    settle_indexes(session)
    if are_rows_lost:
        groups = all_groups(session)
        for group in groups:
            recount(session, group.group_id)
        _remake_texts_of_readable(session, groups, progress)
    _refuse_unsound(upkeep)


def remake_differing(session: Session, upkeep: Upkeep, progress: Progress) -> None:
    """Make anew the indexes that are not as their rows are, then the text index if a fault stays.

    Runs inside a write transaction. STORE_CORRUPT when the file is not sound after it; then
    nothing may be kept.
    """
    upkeep.rebuild_indexes()
    if upkeep.faults():
        _remake_texts_of_readable(session, all_groups(session), progress)
    _refuse_unsound(upkeep)


def _remake_texts_of_readable(session: Session, groups: list[Group], progress: Progress) -> None:
    if not all(is_readable(examine_group(session, group)) for group in groups):
        raise corrupt()
    remake_texts(session, groups, progress)


def _refuse_unsound(upkeep: Upkeep) -> None:
    if not all(one.is_of_space for one in upkeep.faults()):
        raise corrupt()


def remake_texts(session: Session, groups: list[Group], progress: Progress) -> None:
    """Make the text index of all groups anew, inside a write transaction."""
    session.texts.forget_all()
    session.execute_many(FORGET_ALL_PAST, [()])
    for group in groups:
        rebuild(session, group.group_id, progress)


def build_index(session: Session, index: Part) -> bool:
    """Build an index, unless rows are in the way; return whether none were."""
    try:
        with part(session, is_dry_run=False):
            session.rows(index.sql)
    except RecollectError as error:
        if error.code is not INTERNAL_ERROR:  # which it is when rows repeat
            raise
        return False
    return True


def is_readable(findings: list[Finding]) -> bool:
    """Whether nothing was found that is in the way of reading what elements say."""
    return not any(finding.check in UNREADABLE for finding in findings)
