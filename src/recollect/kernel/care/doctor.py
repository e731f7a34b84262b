"""Examines a store and repairs what can be computed from the rest: counts, indexes, vectors.

The rule: contents, ids, clocks and the log are never changed; their faults are only reported. What
is mended is one transaction, and kept only when the file is sound after it. A vector that matches
no text is removed: a reindex makes it again, and until then the element is found by words. What is
looked at when a memory is opened with a check is little, and what breaks most: the time it takes
does not grow with the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, Literal

from recollect.errors import INTERNAL_ERROR, STORE_CORRUPT, RecollectError, refused
from recollect.kernel.care.audit import audit_newest
from recollect.kernel.care.examination import examine_group
from recollect.kernel.care.recount import counted, kept, recount
from recollect.kernel.search.tokens import forget_texts, rebuild
from recollect.kernel.store.cells import (
    BITS_BYTES,
    TALLY_DOCUMENTS,
    TALLY_TOKENS,
    SqlValue,
    members,
    octets,
    row_digest,
    text,
    whole,
)
from recollect.kernel.store.faults import corrupt
from recollect.kernel.store.group import (
    Group,
    all_groups,
    group_names,
    has_unfinished_erasure,
    is_name,
    lost_groups,
    make_stale,
)
from recollect.kernel.store.port import Fault, Part, Session, SqlRow, Store, Upkeep
from recollect.kernel.store.sharing import part
from recollect.kernel.store.statements.checks import (
    COUNTING,
    SHOULD_HAVE,
    SIZE,
    SUPERSEDED,
    TEXT_COUNTS,
)
from recollect.kernel.store.statements.counts import AGREE
from recollect.kernel.store.statements.declared import PREFIXES
from recollect.kernel.store.statements.text_index import FORGET_ALL_PAST
from recollect.kernel.store.statements.vectors import EMBEDDED, UNUSED
from recollect.kernel.vectors.embedder import NUMBER_BYTES, link_meaning, model_of, text_hash
from recollect.kernel.vectors.meanings import (
    NO_VECTOR,
    drop_unused,
    forget_vectors,
    purge_vectors,
    vectors_in,
)
from recollect.kernel.work.queue import forget_work, lost_work
from recollect.kernel.write.attribute_indexes import built_indexes, settle_indexes
from recollect.kernel.write.validation import meaning_of, mend_name_keys, wrong_name_keys
from recollect.model import LIVING, UNREADABLE, Diagnosis, Finding, Kinds, Progress

_AT_ONCE = 1_000


def wrong_vectors(session: Session, group_id: int) -> list[int]:
    """Return the elements whose vector is not that of what they say. Cost: all that have one."""
    model = model_of(session, group_id) or ("", 0)
    size = NUMBER_BYTES * model[1]
    return [
        whole(row[1])
        for row in _rows(session, group_id)
        if not _is_whole(group_id, row, model) or not _is_right(session.kinds, row, size)
    ]


def unused_vectors(session: Session, group_id: int) -> list[int]:
    """Return the vectors that no element has."""
    return [whole(one) for (one,) in session.rows(UNUSED, {"group": group_id})]


def mend_vectors(session: Session, group_id: int) -> None:
    """Take away the vectors that are wrong, and those that nothing uses."""
    wrong, unused = wrong_vectors(session, group_id), unused_vectors(session, group_id)
    if wrong or unused:
        purge_vectors(session, group_id, wrong)
        drop_unused(session, group_id, unused)
        if not vectors_in(session, group_id):  # it may be what is said of the model that is wrong
            forget_vectors(session, group_id)
        make_stale(session, group_id)


def _rows(session: Session, group_id: int) -> Iterator[SqlRow]:
    after = -1
    while True:
        parameters: dict[str, SqlValue] = {"group": group_id, "after": after, "most": _AT_ONCE}
        rows = session.rows(EMBEDDED, parameters)
        yield from rows
        if len(rows) < _AT_ONCE:
            return
        after = whole(rows[-1][0])


def _is_whole(group_id: int, row: SqlRow, model: tuple[str, int]) -> bool:
    """Whether the digests of a row and of its vector are those of what they hold."""
    number, element, at, digest, hash_, vector, digest_of_vector, *_ = row
    if digest != row_digest(group_id, number, element, at):
        return False
    return at == NO_VECTOR or digest_of_vector == row_digest(group_id, at, hash_, vector, *model)


def _is_right(kinds: Kinds, row: SqlRow, size: int) -> bool:
    at, _, hash_, vector, _, kind, name, attributes = row[2:]
    if attributes is None:
        return False
    if at == NO_VECTOR:
        return True
    said = members(attributes)
    if name is None:
        meaning = link_meaning(said)
    else:
        meaning = meaning_of(kinds, text(kind), text(name), said)
    return len(octets(vector)) == size and meaning is not None and text_hash(meaning) == hash_


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


def examine(store: Store, *, fix: bool, progress: Progress) -> Diagnosis:
    """Look at the file and at every group; with `fix` mend what can be, and optimise.

    Without `fix` nothing is kept, but the write lock is taken: the text index is compared with
    one that is made anew and thrown away. INVALID_ARGUMENT for `fix` inside `together`.
    Cost: every row, several times.
    """
    store.refuse_wall("an examination")
    if fix:
        store.refuse_together("a mend")
    found = left = _findings(store, progress)
    for mend, is_needed in ((_mend_file, _is_damaged), (_mend_rest, bool)):
        if fix and is_needed(left):
            mend(store, left, progress)
            left = _findings(store, progress)
            found += [one for one in left if one not in found]
    findings = tuple(replace(one, is_mended=one not in left) for one in found)
    if _is_damaged(left):
        return _diagnosis(store, findings, is_optimised=False)
    if fix:
        progress("optimising", 0, 1)
        with store.writing() as session:
            store.upkeep(session).optimise(built_indexes(session)[1])
        store.checkpoint()
        progress("optimising", 1, 1)
    return _diagnosis(store, findings, is_optimised=fix)


def _diagnosis(store: Store, findings: tuple[Finding, ...], *, is_optimised: bool) -> Diagnosis:
    """Return what was found, and how many groups and elements there are: none if unreadable."""
    notes: tuple[str, ...] = ()
    try:
        with store.reading() as session:
            notes = store.upkeep(session).notes()
            groups, size = len(group_names(session)), whole(session.rows(SIZE)[0][0])
            counting = tuple(
                text(name) for (name,) in session.rows(COUNTING, {"bytes": BITS_BYTES})
            )
    except RecollectError as error:
        if error.code is not STORE_CORRUPT:
            raise
        groups, size, counting = 0, 0, ()
    return Diagnosis(groups, size, findings, is_optimised, counting, notes)


def _findings(store: Store, progress: Progress) -> list[Finding]:
    """Return everything that is wrong; a file that cannot be read is not looked at further."""
    progress("file", 0, 1)
    with store.reading() as session:
        upkeep = store.upkeep(session)
        missing = upkeep.missing_parts()
        faults = [Finding("tables", f"{one} is not there") for one in missing if one.is_table]
        faults = faults or [_file_finding(upkeep, one) for one in upkeep.faults()]
        if faults:
            return faults
        try:
            found = list(_store_findings(session))
            fault = upkeep.text_fault()
            if fault is not None:
                found.append(Finding("text", f"the text index is damaged: {fault}"))
            if store.path is not None and has_unfinished_erasure(session):
                message = "bytes of what was purged may still be in the file"
                found.append(Finding("erasure", message))
            groups = all_groups(session)
        except RecollectError as error:
            if error.code is not STORE_CORRUPT:
                raise
            return [Finding("file", error.message)]
    found += [_missing_index(store, one) for one in missing]
    progress("file", 1, 1)
    for done, group in enumerate(groups):
        progress("groups", done, len(groups))
        with store.reading() as session:
            own = examine_group(session, group, progress)
            found += own
            if not _counts_are_right(session, group.group_id):
                found.append(Finding("counts", "the counts do not match the elements", group.name))
            if is_readable(own):
                found += _vector_findings(session, group)
                found += _key_findings(session, group)
        if is_readable(own) and fault is None:  # else all texts are to be made anew in any case
            found += _text_findings(store, group, progress)
    progress("groups", len(groups), len(groups))
    return found


def _file_finding(upkeep: Upkeep, fault: Fault) -> Finding:
    is_lost = fault.tree is not None and not is_from_rest(upkeep, fault.tree)
    return Finding("tables" if is_lost else "file", fault.message)


def _missing_index(store: Store, index: Part) -> Finding:
    """Return what is to be said of an index that is not there: whether it can be built."""
    with store.writing(is_dry_run=True) as session:
        if build_index(session, index):
            return Finding("indexes", f"{index} is not there")
    return Finding("doubles", f"{index} is not there, and rows repeat what it keeps unique")


def _text_findings(store: Store, group: Group, progress: Progress) -> list[Finding]:
    try:
        with store.writing(is_dry_run=True) as session:
            if _rebuild_texts(session, group.group_id, progress):
                return []
    except RecollectError as error:
        if error.code not in (STORE_CORRUPT, INTERNAL_ERROR):  # the second: a stray document
            raise
        if error.code is STORE_CORRUPT:
            return [Finding("contents", error.message, group.name)]
    return [Finding("text", "the text index does not match the elements", group.name)]


def _vector_findings(session: Session, group: Group) -> Iterator[Finding]:
    if wrong := len(wrong_vectors(session, group.group_id)):
        do = "vector does not match its" if wrong == 1 else "vectors do not match their"
        message = f"{wrong} {do} element's text"
        yield Finding("vectors", message, group.name)
    if unused := len(unused_vectors(session, group.group_id)):
        belong = "vector belongs" if unused == 1 else "vectors belong"
        yield Finding("vectors", f"{unused} {belong} to no element", group.name)


def _key_findings(session: Session, group: Group) -> Iterator[Finding]:
    if wrong := len(wrong_name_keys(session, group.group_id)):
        do = "concept is not known by its" if wrong == 1 else "concepts are not known by their"
        message = f"{wrong} {do} name, whatever its case"
        yield Finding("keys", message, group.name)


def _counts_are_right(session: Session, group_id: int) -> bool:
    try:
        return counted(session, group_id) == kept(session, group_id)
    except RecollectError as error:
        if error.code is not STORE_CORRUPT:
            raise
        return False


def _store_findings(session: Session) -> Iterator[Finding]:
    documents, elements = session.texts.size(), whole(session.rows(SHOULD_HAVE)[0][0])
    if documents != elements:
        held = "1 document" if documents == 1 else f"{documents} documents"
        message = f"the text index has {held} and should have {elements}"
        yield Finding("text", message)
    for one in sorted(lost_groups(session)):
        yield Finding("groups", f"rows belong to the group {one}, which does not exist")
    for group in all_groups(session):
        if not is_name(group.name):
            message = f"the group {group.group_id} has an invalid name"
            yield Finding("groups", message)
    counters = session.rows(AGREE, {"living": LIVING})
    is_behind, is_ahead, is_over = (one == 0 for one in counters[0]) if counters else (True,) * 3
    if is_behind:
        yield Finding("counters", "the counters are behind the ids or purges in use")
    elif is_over:
        yield Finding("counters", "a counter is above the largest number there can be")
    elif is_ahead:
        yield Finding("counters", "the counter of ids is ahead of the ids in use")
    declared, built = built_indexes(session)
    for name in sorted(declared.keys() - built):
        yield Finding("indexes", f"the index of {declared[name]} is declared but not built")
    for name in sorted(built - declared.keys()):
        yield Finding("indexes", f"the index {name} belongs to no declared attribute")


def _rebuild_texts(session: Session, group_id: int, progress: Progress) -> bool:
    """Make a group's part of the text index anew; return whether it was what the rows give."""
    before = _texts(session, group_id)
    forget_texts(session, group_id)
    # Else the index knows documents in a wrong place.
    is_gone = session.texts.holds_nothing(group_id)
    rebuild(session, group_id, progress)
    return is_gone and before == _texts(session, group_id)


def _texts(session: Session, group_id: int) -> object:
    kinds = {"documents": TALLY_DOCUMENTS, "tokens": TALLY_TOKENS}
    counts = session.rows(TEXT_COUNTS, {"group": group_id, **kinds})
    superseded = session.rows(SUPERSEDED, {"group": group_id})
    return session.texts.fingerprint(group_id), counts, superseded


def _mend_file(store: Store, found: list[Finding], progress: Progress) -> None:
    """Rebuild what the engine keeps beside the rows; if that fails, the file stays as it was.

    Nothing is done to a file that has lost anything which cannot be rebuilt.
    """
    if any(finding.check == "tables" for finding in found):
        return
    with store.reading() as session:
        faults = store.upkeep(session).faults()
    broken = [fault.tree for fault in faults if fault.tree is not None]
    try:
        if broken:
            with store.writing() as writing:
                remake_broken(writing, store.upkeep(writing), broken, progress)
        elif not all(fault.is_of_space for fault in faults):
            with store.writing() as writing:
                remake_differing(writing, store.upkeep(writing), progress)
    except RecollectError as error:
        if error.code not in (STORE_CORRUPT, INTERNAL_ERROR):  # the second: rows repeat
            raise
    with store.reading() as session:
        is_to_rewrite = {fault.is_of_space for fault in store.upkeep(session).faults()} == {True}
    if is_to_rewrite:
        store.finish_erasure()


def _mend_rest(store: Store, findings: list[Finding], progress: Progress) -> None:
    """Make anew what follows from the contents, where these were looked at and can be read."""
    if _is_damaged(findings):
        return
    if any(finding.check == "erasure" for finding in findings):
        store.finish_erasure()
    with store.writing() as session:
        for index in store.upkeep(session).missing_parts():
            build_index(session, index)
        groups = all_groups(session)
        for group in groups:
            forget_work(session, group.group_id, lost_work(session, group.group_id))
        if not any(finding.check == "terms" for finding in findings):
            for group in groups:
                recount(session, group.group_id)
        if not is_readable(findings):
            return
        for group in groups:
            mend_vectors(session, group.group_id)
            mend_name_keys(session, group.group_id)
        settle_indexes(session)
        remake_texts(session, groups, progress)


def _is_damaged(findings: list[Finding]) -> bool:
    return any(finding.check in ("file", "tables") for finding in findings)


_MOST: Final = 1_000  # of a group's newest changes


def opened_sound(store: Store, check: Literal["quick"] | None) -> Store:
    """Return an open store that passes the check that is asked for, or close it and raise."""
    match check:
        case None:
            return store
        case "quick":
            try:
                _refuse_broken(store)
            except BaseException:
                store.close()
                raise
            return store
        case other:
            store.close()
            raise refused(f"check is {other!r}, which names no check", 'pass "quick"')


def _refuse_broken(store: Store) -> None:
    """Raise STORE_CORRUPT where a part is not there or the end of a group's log does not hold.

    The newest thousand changes of each group are compared with what they wrote, and with the chain.
    """
    store.refuse_wall("a check")
    with store.reading() as session:
        for part in store.upkeep(session).missing_parts():
            raise _broken(f"{part} is not there")
        for group in all_groups(session):
            breach = audit_newest(session, group, _MOST)
            if breach is not None:
                raise _broken(f"transaction {breach.transaction}: {breach.problem}")


def _broken(problem: str) -> RecollectError:
    return STORE_CORRUPT.error(problem, "recollect doctor")
