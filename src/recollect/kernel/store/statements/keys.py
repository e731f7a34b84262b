"""The keys of attributes and metadata in use."""

from __future__ import annotations

from recollect.kernel.store.statement import Statement
from recollect.model import ElementKind
from recollect.node import dataclass

_ORDERED = {ElementKind.CONCEPT: "e.id DESC", ElementKind.LINK: "e.subject DESC, e.object DESC"}
_TERMS = {ElementKind.CONCEPT: "type", ElementKind.LINK: "predicate"}


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked of the newest elements of a kind: `:most` are looked at."""

    listed: Statement  # their keys
    searched: Statement  # whether one has `:key`
    counted: Statement  # how many there are

    @classmethod
    def of(cls, kind: ElementKind, section: str, *, of_term: bool) -> Questions:
        """Return what is asked of those of `:term`, or of all."""
        term = f" AND e.{_TERMS[kind]} = :term" if of_term else ""
        order = f" ORDER BY {_ORDERED[kind]}" if of_term else ""
        sample = (
            f"(SELECT {{json e.{section}}} AS content FROM {kind.value} AS e"  # noqa: S608
            f" WHERE e.group_id = :group{term} AND e.expired_at = :living{order}"
            " LIMIT :most) AS sample"
        )
        of_members = f"{sample} CROSS JOIN {{members sample.content member}}"
        return cls(
            Statement(f"SELECT DISTINCT member.key FROM {of_members}"),  # noqa: S608
            Statement(f"SELECT 1 FROM {of_members} WHERE member.key = :key LIMIT 1"),  # noqa: S608
            Statement(f"SELECT count(*) FROM {sample}"),  # noqa: S608
        )


QUESTIONS = {
    (kind, of_term, section): Questions.of(kind, section, of_term=of_term)
    for kind in ElementKind
    for of_term in (True, False)
    for section in ("attributes", "metadata")
}
"""By kind, whether of one type or predicate, and section."""
