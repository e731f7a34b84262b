"""What must hold in every group, each as a question for the rows that break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from recollect.errors import STORE_CORRUPT, RecollectError
from recollect.kernel.care.audit import audit
from recollect.kernel.store.cells import whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.identity import public_id
from recollect.kernel.store.protocol import Session
from recollect.kernel.store.schema import LINK_BIT, LIVING
from recollect.kernel.work.queue import lost_work
from recollect.model import Finding, Progress, silent

_LISTED = 1000  # broken rows that are counted at most


@dataclass(frozen=True, slots=True)
class Question:
    """A check: which elements break it, and what that means."""

    check: str
    one: str  # what is wrong, after the count 1: "link ends in ..."
    many: str  # the same after any other
    sql: str  # the integer ids


_END = """
SELECT k.id FROM link AS k NOT INDEXED
LEFT JOIN concept AS sc ON sc.group_id = :group AND sc.id = k.subject
LEFT JOIN link AS sk ON sk.group_id = :group AND sk.id = k.subject
LEFT JOIN concept AS oc ON oc.group_id = :group AND oc.id = k.object
LEFT JOIN link AS ok ON ok.group_id = :group AND ok.id = k.object
WHERE k.group_id = :group
"""

QUESTIONS: tuple[Question, ...] = (
    Question(
        "ends",
        "link ends in an element that is not there",
        "links end in an element that is not there",
        f"""{_END} AND (coalesce(sc.id, sk.id) IS NULL OR coalesce(oc.id, ok.id) IS NULL)
        LIMIT :most""",
    ),
    Question(
        "ends",
        "link is alive after an end of its own was closed",
        "links are alive after an end of theirs was closed",
        f"""{_END} AND k.expired_at > min(coalesce(sc.expired_at, sk.expired_at, :living),
        coalesce(oc.expired_at, ok.expired_at, :living)) LIMIT :most""",
    ),
    Question(
        "ends",
        "link is older than an end of its own",
        "links are older than an end of theirs",
        f"{_END} AND k.id <= max(k.subject, k.object) AND :living > 0 LIMIT :most",
    ),
    Question(
        "names",
        "living concept shares a type and a name with another",
        "living concepts share a type and a name with another",
        """SELECT max(c.id) FROM concept AS c NOT INDEXED
        WHERE c.group_id = :group AND c.expired_at = :living
        GROUP BY c.type, c.name HAVING count(*) > 1 LIMIT :most""",
    ),
    Question(
        "triples",
        "living link shares a subject, predicate, object and key with another",
        "living links share a subject, predicate, object and key with another",
        """SELECT max(k.id) FROM link AS k NOT INDEXED
        WHERE k.group_id = :group AND k.expired_at = :living
        GROUP BY k.subject, k.predicate, k.object, k.key HAVING count(*) > 1 LIMIT :most""",
    ),
    Question(
        "ids",
        "living element shares an id that was given with another",
        "living elements share an id that was given with another",
        """SELECT max(g.id) FROM (
          SELECT c.id, c.public_id FROM concept AS c
          WHERE c.group_id = :group AND c.expired_at = :living AND c.public_id IS NOT NULL
          UNION ALL
          SELECT k.id, k.public_id FROM link AS k
          WHERE k.group_id = :group AND k.expired_at = :living AND k.public_id IS NOT NULL
        ) AS g GROUP BY g.public_id HAVING count(*) > 1 LIMIT :most""",
    ),
    Question(
        "ids",
        "element has an id of the other kind, or one that was never given out",
        "elements have an id of the other kind, or one that was never given out",
        """SELECT e.id FROM (
          SELECT c.id, c.id & 1 = :link AS is_odd FROM concept AS c WHERE c.group_id = :group
          UNION ALL
          SELECT k.id, k.id & 1 != :link FROM link AS k WHERE k.group_id = :group
        ) AS e WHERE e.is_odd OR e.id > (SELECT 2 * n.last_n + 1 FROM counter AS n) LIMIT :most""",
    ),
    Question(
        "ids",
        "element has an id that was not given out yet when it was born",
        "elements have an id that was not given out yet when they were born",
        """SELECT c.id FROM concept AS c JOIN tx AS t
          ON t.group_id = :group AND t.number = c.born_at
        WHERE c.group_id = :group AND c.id > t.last_id
        UNION ALL
        SELECT k.id FROM link AS k JOIN tx AS t ON t.group_id = :group AND t.number = k.born_at
        WHERE k.group_id = :group AND k.id > t.last_id
        LIMIT :most""",
    ),
    Question(
        "terms",
        "element has a type or predicate that is not there",
        "elements have a type or predicate that is not there",
        """SELECT c.id FROM concept AS c WHERE c.group_id = :group AND c.type NOT IN (
          SELECT t.code FROM term AS t WHERE t.group_id = :group)
        UNION ALL
        SELECT k.id FROM link AS k WHERE k.group_id = :group AND k.predicate NOT IN (
          SELECT t.code FROM term AS t WHERE t.group_id = :group)
        LIMIT :most""",
    ),
    Question(
        "contents",
        "element has attributes or metadata that are not JSON objects",
        "elements have attributes or metadata that are not JSON objects",
        """SELECT e.id FROM (
          SELECT c.id, c.attributes, c.metadata FROM concept AS c WHERE c.group_id = :group
          UNION ALL
          SELECT k.id, k.attributes, k.metadata FROM link AS k WHERE k.group_id = :group
          UNION ALL
          SELECT c.id, c.attributes, c.metadata FROM concept_past AS c WHERE c.group_id = :group
          UNION ALL
          SELECT k.id, k.attributes, k.metadata FROM link_past AS k WHERE k.group_id = :group
        ) AS e
        WHERE CASE WHEN json_valid(e.attributes) THEN json_type(e.attributes) END IS NOT 'object'
          OR CASE WHEN json_valid(e.metadata) THEN json_type(e.metadata) END IS NOT 'object'
        LIMIT :most""",
    ),
    Question(
        "clocks",
        "element has times that no transaction of the group gave it",
        "elements have times that no transaction of the group gave them",
        """SELECT e.id FROM (
          SELECT c.id, c.born_at, c.changed_at, c.expired_at FROM concept AS c
          WHERE c.group_id = :group
          UNION ALL
          SELECT k.id, k.born_at, k.changed_at, k.expired_at FROM link AS k
          WHERE k.group_id = :group
        ) AS e
        WHERE e.born_at < 1 OR e.changed_at < e.born_at OR e.expired_at < e.changed_at
          OR e.changed_at > (SELECT g.number FROM grp AS g WHERE g.group_id = :group)
          OR (e.expired_at != :living
            AND e.expired_at > (SELECT g.number FROM grp AS g WHERE g.group_id = :group))
        LIMIT :most""",
    ),
    Question(
        "past",
        "superseded content belongs to no element, or to no time",
        "superseded contents belong to no element, or to no time",
        """SELECT p.id FROM concept_past AS p
        LEFT JOIN concept AS c ON c.group_id = :group AND c.id = p.id
        WHERE p.group_id = :group
          AND (c.id IS NULL OR p.until <= p.changed_at OR p.until > c.changed_at)
        UNION ALL
        SELECT p.id FROM link_past AS p
        LEFT JOIN link AS k ON k.group_id = :group AND k.id = p.id
        WHERE p.group_id = :group
          AND (k.id IS NULL OR p.until <= p.changed_at OR p.until > k.changed_at)
        LIMIT :most""",
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
        parameters = {key: value for key, value in values.items() if f":{key}" in question.sql}
        ids = [whole(one) for (one,) in session.rows(question.sql, parameters)]
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
