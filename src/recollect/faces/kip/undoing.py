"""Undoing a correction: the batch of changes that takes back what a transaction did to facts.

The rule: the log says what was done, so nothing is guessed; what has changed since is left alone,
and the past keeps both the correction and its undoing.
"""

from __future__ import annotations

from collections.abc import Iterator

from recollect.errors import VERSION_CONFLICT, refused
from recollect.kernel import Nexus
from recollect.model import (
    FACT,
    REPLACED_BY,
    Change,
    Content,
    Delete,
    ElementKind,
    EndFact,
    Instant,
    LoggedChange,
    Operation,
    PutFact,
    RemoveKeys,
    Triple,
)

_VALID_UNTIL = "valid_until"


def undo_changes(nexus: Nexus, transaction: int) -> tuple[Change, ...]:
    """Return the batch that takes back what a transaction did to links.

    A link that it made is withdrawn, one that it ended has the end it had, and a fact that it
    closed is told again, as a new element. Write it in the block of `nexus.transaction` in which
    it was made. INVALID_ARGUMENT for a transaction that is not there or did anything else to a
    link; KIP_3005 where one of the links has changed since. Concepts stay.

    >>> import recollect
    >>> from recollect.model import Key, PutConcept
    >>> with recollect.open(":memory:") as nexus:
    ...     _ = nexus.write([PutConcept("Person", "Ann"), PutConcept("Town", "Porto")])
    ...     told = PutFact(Key("Person", "Ann"), "lives_in", Key("Town", "Porto"))
    ...     number = nexus.write([told]).transaction
    ...     (report,) = nexus.write(undo_changes(nexus, number)).results
    >>> report.closed
    1
    """
    logged = [one for one in nexus.changes(transaction - 1, 1) if transaction > 0]
    if not logged or logged[0].transaction.number != transaction:
        raise refused(
            f"there is no transaction {transaction} to undo", "list them: recollect changes"
        )
    links = [one for one in logged[0].changes if one.kind is ElementKind.LINK]
    made = [Delete(one.id) for one in links if one.operation is Operation.CREATE]
    for one in links:
        _refuse_changed(nexus, one, transaction)
    others = (one for one in links if one.operation is not Operation.CREATE)
    return (*made, *(change for one in others for change in _restored(nexus, one, transaction)))


def _refuse_changed(nexus: Nexus, logged: LoggedChange, transaction: int) -> None:
    last = nexus.history(logged.id)[-1].versions[-1]
    if last.since.number != transaction:
        raise VERSION_CONFLICT.error(
            f'the link "{logged.id}" has changed since transaction {transaction}',
            f"undo transaction {last.since.number} first",
        )


def _restored(nexus: Nexus, logged: LoggedChange, transaction: int) -> Iterator[Change]:
    life = nexus.history(logged.id)[-1]
    version = next(one for one in life.versions if one.since.number == transaction)
    before = version.before
    assert before is not None
    if logged.operation is Operation.CLOSE:
        assert isinstance(life.what, Triple)
        yield _fact_again(life.what, before)
        return
    after = version.after
    if after is None or not _differ_in_end_alone(before, after):
        raise refused(
            f'transaction {transaction} changed more of the link "{logged.id}" than its end',
            f"look at it, and put right what is wrong: recollect history {logged.id}",
        )
    yield _end_again(logged.id, before.invalid_at)


def _end_again(identifier: str, until: Instant | None) -> Change:
    """Return what lets a fact end at an instant as it was told to; None: it goes on."""
    if until is None:
        return RemoveKeys(identifier, metadata=frozenset({_VALID_UNTIL}))
    return EndFact(identifier, until)


def _fact_again(what: Triple, content: Content) -> PutFact:
    text = content.attributes.get(FACT)
    metadata = {key: one for key, one in content.metadata.items() if key != REPLACED_BY}
    if not isinstance(text, str) or content.attributes.keys() != {FACT}:
        raise refused(
            "the transaction closed a link that is no plain fact",
            "put it anew as it was: recollect history shows it",
        )
    guessed_at = None if "valid_from" in metadata else content.valid_at
    ends = what.subject, what.predicate, what.object
    return PutFact(
        *ends, text, metadata=metadata, is_settled=True, guessed_at=guessed_at, is_anew=True
    )


def _differ_in_end_alone(before: Content, after: Content) -> bool:
    rest = [
        (one.attributes, {key: value for key, value in one.metadata.items() if key != _VALID_UNTIL})
        for one in (before, after)
    ]
    return before.valid_at == after.valid_at and rest[0] == rest[1]
