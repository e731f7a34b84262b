"""The texts of maintenance, carried out or rehearsed, and what one statement of them is about.

The rule: a rehearsal is the work itself, taken back at its end; so it tells exactly what the
work would do. A text names an element as it was read, its version too, so that it does nothing to
one that has changed since, and nothing when it is run again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import TypedDict

from recollect.kernel import Nexus
from recollect.model import Key, Limits, LoggedChange
from recollect.node import dataclass, replace


@dataclass(frozen=True, slots=True)
class LinkEnds:
    """What a link says; an end that is a link itself is None."""

    subject: Key | None
    predicate: str
    object: Key | None


@dataclass(frozen=True, slots=True)
class Target:
    """An element as it was read."""

    id: str
    what: Key | LinkEnds
    version: int

    @property
    def is_concept(self) -> bool:
        """Whether it is a concept; else it is a link."""
        return isinstance(self.what, Key)

    def where(self) -> str:
        """Return the WHERE block that finds it as ?x, if it still is as it was read."""
        version = f"?x.metadata._version == {self.version}"
        match self.what:
            case Key():
                return f"WHERE {{ ?x {concept_pattern(self.what)} FILTER({version}) }}"
            case LinkEnds(Key() as subject, predicate, Key() as object_):
                ends = (
                    f"{concept_pattern(subject)}, {quoted(predicate)}, {concept_pattern(object_)}"
                )
                is_it = f"?x.id == {quoted(self.id)} && {version}"  # facts may share a triple
                return f"WHERE {{ ?x ({ends}) FILTER({is_it}) }}"
            case _:
                return f"WHERE {{ ?x (id: {quoted(self.id)}) FILTER({version}) }}"

    def update(self, metadata: str) -> str:
        """Return the statement that sets members of its metadata."""
        return " ".join(("UPDATE ?x SET METADATA {", metadata, "}", self.where()))

    def __str__(self) -> str:
        if isinstance(self.what, Key):
            return concept_label(self.what)
        both = (self.what.subject, self.what.object)
        ends = ["a link" if one is None else concept_label(one) for one in both]
        return f"{ends[0]} ─{self.what.predicate}→ {ends[1]}"


def concept_label(key: Key) -> str:
    """Return what a concept is called.

    >>> concept_label(Key("Drug", "Aspirin"))
    'Drug "Aspirin"'
    """
    return f'{key.type} "{key.name}"'


def concept_pattern(key: Key) -> str:
    """Return the pattern that matches a concept.

    >>> concept_pattern(Key("Drug", "Aspirin"))
    '{type: "Drug", name: "Aspirin"}'
    """
    return f"{{type: {quoted(key.type)}, name: {quoted(key.name)}}}"


def quoted(text: str) -> str:
    """Return a text as KIP writes it."""
    return json.dumps(text, ensure_ascii=False)


_PATIENT = Limits(max_steps=10**11, max_seconds=3_600.0, max_length=2**30)


@dataclass(frozen=True, slots=True)
class CarriedOut:
    """What the texts of one maintenance did, or would do."""

    kip: str  # the text that does it: `Nexus.write`, or `recollect run`
    changes: tuple[LoggedChange, ...]  # its net effect, what hangs on its targets too
    transaction: int | None  # None: a dry run, or nothing to do
    is_dry_run: bool


class Carrying(TypedDict, total=False):
    """How `carry_out` does it: for good or as a rehearsal, and who asks for it."""

    dry_run: bool
    actor: str | None
    request_id: str | None


class _TakenBack(Exception):
    """Ends a transaction so that nothing of it is kept."""


def carry_out(
    nexus: Nexus,
    statements: Sequence[str],
    *,
    dry_run: bool = False,
    actor: str | None = None,
    request_id: str | None = None,
) -> CarriedOut:
    """Run statements as one transaction, and return what it changed; `dry_run` undoes it."""
    done = CarriedOut("".join(f"{one}\n" for one in statements), (), None, dry_run)
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
