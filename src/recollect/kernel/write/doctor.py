"""Examines a store and mends what follows from the rest: counts, the text index, indexes.

The rule: contents, ids, clocks and the log are only looked at; what is wrong with them is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from recollect.kernel.search.fingerprint import fingerprint
from recollect.kernel.search.rebuild import rebuild
from recollect.kernel.sql.attribute_index import PREFIX, drop_attribute_index
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group, group_names, load_group
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.schema import TALLY_DOCUMENTS, TALLY_TOKENS
from recollect.kernel.store.sqlite import SqliteStore
from recollect.kernel.store.upkeep import file_faults, optimise, reindex
from recollect.kernel.write.attribute_indexes import build_index
from recollect.kernel.write.examination import examine_group
from recollect.kernel.write.recount import counted, kept, recount
from recollect.model import Diagnosis, Finding, Progress

_SIZE = "SELECT (SELECT count(*) FROM concept) + (SELECT count(*) FROM link)"
_DOCUMENTS = """
SELECT (SELECT count(*) FROM text_index),
  (SELECT count(*) FROM concept) + (SELECT count(*) FROM link) + (SELECT count(*) FROM text_past)
"""
_TEXT_COUNTS = """
SELECT y.kind, y.term, y.count FROM tally AS y
WHERE y.group_id = ? AND y.kind IN (?, ?) AND y.count != 0 ORDER BY y.kind, y.term
"""
_FORGET_TEXTS = (
    "INSERT INTO text_index (text_index) VALUES ('delete-all')",
    "DELETE FROM text_past",
)
_DECLARED = "SELECT DISTINCT a.attribute FROM attribute_index AS a ORDER BY a.attribute"
_BUILT = """
SELECT substr(s.name, 1 + length(:prefix)) FROM sqlite_schema AS s
WHERE s.type = 'index' AND substr(s.name, 1, length(:prefix)) = :prefix ORDER BY 1
"""


def examine(store: SqliteStore, *, fix: bool, progress: Progress) -> Diagnosis:
    """Look at the file and at every group; with `fix` mend what can be, and optimise.

    Without `fix` nothing is kept, but the write lock is taken: the text index is compared with
    one that is made anew and thrown away. Cost: every row, several times.
    """
    findings = _findings(store, progress)
    if fix and findings:
        _mend(store, findings)
        left = _findings(store, progress)
        findings = [replace(one, is_mended=True) for one in findings if one not in left] + left
    if fix:
        progress("optimising", 0, 1)
        with store.writing() as session:
            optimise(session)
        store.checkpoint()
        progress("optimising", 1, 1)
    with store.reading() as session:
        groups, (size,) = len(group_names(session)), session.rows(_SIZE)[0]
    return Diagnosis(groups, whole(size), tuple(findings), is_optimised=fix)


def _findings(store: SqliteStore, progress: Progress) -> list[Finding]:
    """Return everything that is wrong; a file that cannot be read is not looked at further."""
    progress("file", 0, 1)
    with store.reading() as session:
        faults = [Finding("file", fault) for fault in file_faults(session)]
        if faults:
            return faults
        found = list(_store_findings(session))
        groups = _groups(session)
    progress("file", 1, 1)
    for done, group in enumerate(groups):
        progress("groups", done, len(groups))
        with store.reading() as session:
            own = examine_group(session, group)
            found += own
            if counted(session, group.group_id) != kept(session, group.group_id):
                found.append(Finding("counts", "counts differ from the elements", group.name))
        if not _is_readable(own):
            continue
        with store.writing(is_dry_run=True) as session:
            if not _text_is_right(session, group.group_id):
                found.append(Finding("text", "the text index differs", group.name))
    progress("groups", len(groups), len(groups))
    return found


def _store_findings(session: Session) -> Iterator[Finding]:
    documents, elements = map(whole, session.rows(_DOCUMENTS)[0])
    if documents != elements:
        message = f"the text index has {documents} documents and should have {elements}"
        yield Finding("text", message)
    declared, built = _indexes(session)
    for attribute in sorted(declared ^ built):
        is_missing = "is declared and not built" if attribute in declared else "is not declared"
        yield Finding("indexes", f"the index of {attribute} {is_missing}")


def _text_is_right(session: Session, group_id: int) -> bool:
    """Whether a group's part of the text index is what the rows give; leaves it made anew."""
    before = fingerprint(session, group_id), _text_counts(session, group_id)
    rebuild(session, group_id)
    return before == (fingerprint(session, group_id), _text_counts(session, group_id))


def _text_counts(session: Session, group_id: int) -> object:
    return session.rows(_TEXT_COUNTS, (group_id, TALLY_DOCUMENTS, TALLY_TOKENS))


def _mend(store: SqliteStore, findings: list[Finding]) -> None:
    """Make anew what follows from the rest, the texts only where the rest can be read."""
    with store.writing() as session:
        reindex(session)
        declared, built = _indexes(session)
        for attribute in sorted(declared - built):
            build_index(session, attribute)
        for attribute in sorted(built - declared):
            session.rows(drop_attribute_index(attribute))
        groups = _groups(session)
        for group in groups:
            recount(session, group.group_id)
        if not _is_readable(findings):
            return
        for sql in _FORGET_TEXTS:
            session.execute_many(sql, [()])
        for group in groups:
            rebuild(session, group.group_id)


def _is_readable(findings: list[Finding]) -> bool:
    return not any(finding.check in ("contents", "past", "terms") for finding in findings)


def _indexes(session: Session) -> tuple[set[str], set[str]]:
    """Return the attributes that are declared to have an index, and those that have one."""
    declared = {text(one) for (one,) in session.rows(_DECLARED)}
    return declared, {text(one) for (one,) in session.rows(_BUILT, {"prefix": PREFIX})}


def _groups(session: Session) -> list[Group]:
    loaded = (load_group(session, name) for name in group_names(session))
    return [group for group in loaded if group is not None]
