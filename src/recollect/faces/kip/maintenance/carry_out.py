"""The texts of maintenance, carried out or rehearsed.

The rule: a rehearsal is the work itself, taken back at its end; so it tells exactly what the
work would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from recollect.kernel import Nexus
from recollect.model import Limits, LoggedChange
from recollect.node import dataclass, replace

_PATIENT = Limits(max_steps=10**11, max_seconds=3_600.0, max_length=2**30)


@dataclass(frozen=True, slots=True)
class Done:
    """What the texts of one maintenance did, or would do."""

    kip: str  # the text that does it: `Nexus.write`, or `recollect run`
    changes: tuple[LoggedChange, ...]  # its net effect, what hangs on its targets too
    transaction: int | None  # None: a dry run, or nothing to do
    is_dry_run: bool


class _TakenBack(Exception):
    """Ends a transaction so that nothing of it is kept."""


def carry_out(
    nexus: Nexus,
    statements: Sequence[str],
    *,
    dry_run: bool,
    actor: str | None,
    request_id: str | None,
) -> Done:
    """Run statements as one transaction, and return what it changed; `dry_run` undoes it."""
    done = Done("".join(f"{one}\n" for one in statements), (), None, dry_run)
    if not statements:
        return done
    with suppress(_TakenBack), nexus.transaction():
        answer = nexus.write(done.kip, actor=actor, request_id=request_id, limits=_PATIENT)
        if answer.transaction is not None:
            logged = nexus.changes(answer.transaction - 1, 1)
            changes = tuple(change for one in logged for change in one.changes)
            done = replace(done, changes=changes)
        if dry_run:
            raise _TakenBack
        return replace(done, transaction=answer.transaction)
    return done
