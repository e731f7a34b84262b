"""What must hold in every group, each as a question for the rows that break it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.care.audit import audit
from recollect.kernel.store.cells import public_id, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Session
from recollect.kernel.store.statement import Statement
from recollect.kernel.store.statements.checks import (
    ALIVE_AFTER_ENDS,
    EARLY_IDS,
    LOST_ENDS,
    LOST_PAST,
    LOST_TERMS,
    OLDER_THAN_ENDS,
    SHARED_IDS,
    SHARED_NAMES,
    SHARED_TRIPLES,
    WRONG_CLOCKS,
    WRONG_CONTENTS,
)
from recollect.kernel.store.statements.counts import WRONG_IDS
from recollect.kernel.work.queue import lost_work
from recollect.model import LINK_BIT, LIVING, Finding, Progress, silent
from recollect.node import dataclass

_LISTED = 1000  # broken rows that are counted at most


@dataclass(frozen=True, slots=True)
class Question:
    """A check: which elements break it, and what that means."""

    check: str
    one: str  # what is wrong, after the count 1: "link ends in ..."
    many: str  # the same after any other
    broken: Statement  # the integer ids


QUESTIONS: tuple[Question, ...] = (
    Question(
        "ends",
        "link ends in an element that is not there",
        "links end in an element that is not there",
        LOST_ENDS,
    ),
    Question(
        "ends",
        "link is alive after an end of its own was closed",
        "links are alive after an end of theirs was closed",
        ALIVE_AFTER_ENDS,
    ),
    Question(
        "ends",
        "link is older than an end of its own",
        "links are older than an end of theirs",
        OLDER_THAN_ENDS,
    ),
    Question(
        "names",
        "living concept shares a type and a name with another",
        "living concepts share a type and a name with another",
        SHARED_NAMES,
    ),
    Question(
        "triples",
        "living link shares a subject, predicate, object and key with another",
        "living links share a subject, predicate, object and key with another",
        SHARED_TRIPLES,
    ),
    Question(
        "ids",
        "living element shares an id that was given with another",
        "living elements share an id that was given with another",
        SHARED_IDS,
    ),
    Question(
        "ids",
        "element has an id of the other kind, or one that was never given out",
        "elements have an id of the other kind, or one that was never given out",
        WRONG_IDS,
    ),
    Question(
        "ids",
        "element has an id that was not given out yet when it was born",
        "elements have an id that was not given out yet when they were born",
        EARLY_IDS,
    ),
    Question(
        "terms",
        "element has a type or predicate that is not there",
        "elements have a type or predicate that is not there",
        LOST_TERMS,
    ),
    Question(
        "contents",
        "element has attributes or metadata that are not JSON objects",
        "elements have attributes or metadata that are not JSON objects",
        WRONG_CONTENTS,
    ),
    Question(
        "clocks",
        "element has times that no transaction of the group gave it",
        "elements have times that no transaction of the group gave them",
        WRONG_CLOCKS,
    ),
    Question(
        "past",
        "superseded content belongs to no element, or to no time",
        "superseded contents belong to no element, or to no time",
        LOST_PAST,
    ),
)


def examine_group(session: Session, group: Group, progress: Progress = silent) -> list[Finding]:
    """Return what is wrong with the rows of a group. Cost: every row of it, some times."""
    findings = []
    audited = _audited(session, group, progress)
    try:
        found = chain(_asked(session, group), _working(session, group), audited)
        for finding in found:
            findings.append(finding)  # noqa: PERF402 - what was found before an error stays
    except RecollectError as error:
        if error.code is not STORE_CORRUPT:
            raise
        findings.append(Finding("contents", error.message, group.name))
    return findings


def _asked(session: Session, group: Group) -> Iterator[Finding]:
    values = {"group": group.group_id, "living": LIVING, "link": LINK_BIT, "most": _LISTED}
    for question in QUESTIONS:
        ids = [whole(one) for (one,) in session.rows(question.broken, values)]
        if ids:
            count = f"{len(ids)}" if len(ids) < _LISTED else f"{_LISTED} or more"
            first = public_id(group.id_bits, min(ids))
            is_one = len(ids) == 1
            problem, named = (question.one, "it") if is_one else (question.many, "the first")
            message = f"{count} {problem}; {named} is {first}"
            yield Finding(question.check, message, group.name)


def _working(session: Session, group: Group) -> Iterator[Finding]:
    lost = lost_work(session, group.group_id)
    if lost:
        message = f"{len(lost)} items of the queue belong to no element; the first is {lost[0]}"
        if len(lost) == 1:
            message = f"1 item of the queue belongs to no element; it is {lost[0]}"
        yield Finding("queue", message, group.name)


def _audited(session: Session, group: Group, progress: Progress) -> Iterator[Finding]:
    if (breach := audit(session, group, progress=progress).breach) is not None:
        message = f"transaction {breach.transaction}: {breach.problem}"
        yield Finding("log", message, group.name)
