"""Putting an element right: every change is shown before it is kept, and made by its own face.

The rule: the form that tries a change and the one that keeps it carry the same fields, so what was
seen is what is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import orjson

from recollect.errors import RecollectError, refused
from recollect.faces.claims import EvidenceRef, from_human_assertion
from recollect.faces.claims.writing import Writer
from recollect.faces.memory import Effect, Memory
from recollect.kernel import Nexus
from recollect.model import BatchReport, Change, Concept, Dated, Key, Link, Merge, Value
from recollect.node import dataclass
from recollect.servers.studio.shown import shown_ids, shown_of
from recollect.servers.studio.trying import tried
from recollect.servers.studio.visit import (
    Answered,
    Away,
    Route,
    StudioPage,
    Visit,
    absent,
    required,
)

_MOST_LISTED: Final = 100
_TYPED: Final = "erase"
"""What a person types before something is erased for all times."""

_SET_METADATA: Final = "UPDATE ?x SET METADATA {{ {key}: $value }} WHERE {{ ?x {{id: $id}} }}"
_OF_FACT: Final = ("object", "text", "valid_at", "invalid_at", "confidence", "source")
_SCALARS: Final = ("Number", "Boolean")

Work = Callable[[Nexus], str]
"""Changes a memory, and returns the id of what to look at then."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way to put an element right."""

    name: str
    title: str
    make: Callable[[Visit, Dated], Work]


def change(visit: Visit) -> Answered:
    """Show what a change would do, or make it."""
    do = required(visit.form, "do")
    dated = living(visit, closed=do == "undo")
    action = ACTIONS.get(do)
    if action is None:
        raise refused("there is no such change", "use a form of the element's page")
    (shown,) = shown_of(visit.nexus, [dated])
    shows: dict[str, object] = {"one": shown, "action": action, "fields": visit.form}
    try:
        work = action.make(visit, dated)
        if visit.form.get("step") == "apply":
            identifier = work(visit.nexus)
            return Away(visit.to("/element", id=identifier, done=visit.transactions))
        return StudioPage("change.html", action.title, shows | {"tried": tried(visit, work)})
    except RecollectError as error:
        return StudioPage("change.html", action.title, shows | {"error": error}, error.code.http)


def remember(visit: Visit) -> Answered:
    """Show what saying something would do, or keep it: as a claim, or as what came in."""
    text, is_claim = required(visit.form, "text"), visit.form.get("as") == "claim"

    def work(nexus: Nexus) -> object:
        memory = memory_of(visit, nexus)
        if is_claim:
            return memory.remember(text)
        return memory.remember(messages=[{"role": visit.actor, "content": text}])

    if visit.form.get("step") == "apply":
        work(visit.nexus)
        return Away(visit.to("/claims" if is_claim else "/episodes"))
    shows = {"tried": tried(visit, work), "text": text, "is_claim": is_claim}
    return StudioPage("remember.html", "Remember", shows)


def erase(visit: Visit) -> Answered:
    """Show what erasing an element takes with it, or erase it after the typed confirmation."""
    dated = living(visit, closed=True)
    identifier = dated.element.id
    (shown,) = shown_of(visit.nexus, [dated])
    is_sure = visit.form.get("typed", "").strip() == _TYPED
    is_told = visit.form.get("step") == "apply"
    is_kept = is_told and is_sure
    forgotten = memory_of(visit, visit.nexus).forget(
        id=identifier, effect="erase", dry_run=not is_kept
    )
    # What is gone has no name on any page.
    shows: dict[str, object] = {"typed": _TYPED, "is_kept": is_kept}
    (shows["receipt"],) = forgotten.receipts
    gone = forgotten.receipts[0]["ids"]
    shows["going"] = () if is_kept else shown_ids(visit.nexus, gone[:_MOST_LISTED])
    shows["one"] = None if is_kept else shown
    if not is_told or is_sure:
        return StudioPage("erase.html", "Erase", shows)
    error = refused("the confirmation is not typed", f"type {_TYPED}")
    return StudioPage("erase.html", "Erase", shows | {"error": error}, error.code.http)


def living(visit: Visit, *, closed: bool = False) -> Dated:
    """Return the element that a form is about."""
    identifier = required(visit.form, "id")
    found = visit.nexus.elements.look_up([identifier], closed=closed).get(identifier)
    if found is None:
        raise absent(identifier)
    return found


def _correct(visit: Visit, dated: Dated) -> Work:
    """Say what is right of a fact, or of one key of a concept; the rest stays as it was."""
    identifier = dated.element.id
    if isinstance(dated.element, Link):
        given = {name: visit.form.get(name, "").strip() for name in _OF_FACT}
        said: dict[str, Any] = {name: text for name, text in given.items() if text}
        if "object" in said:
            said["object"] = _meant(visit, dated.element, said["object"])
        if "confidence" in said:
            said["confidence"] = _value(said["confidence"])
        return _remembered(visit, lambda memory: memory.correct(identifier, **said).memory.id)
    key, value = required(visit.form, "key"), _value(visit.form.get("value", ""))
    if visit.form.get("part") == "metadata":
        text = _SET_METADATA.format(key=json.dumps(key, ensure_ascii=False))
        return _kept(visit, identifier, text, {"id": identifier, "value": value})
    return _remembered(
        visit, lambda memory: memory.correct(identifier, attributes={key: value}).memory.id
    )


def _end(visit: Visit, dated: Dated) -> Work:
    """Say until when a fact was true."""
    return _forgotten(visit, dated, "end", required(visit.form, "at"))


def _replace(visit: Visit, dated: Dated) -> Work:
    """End a fact and say what is true in its place."""
    link = _link(dated)
    fact = {
        "subject": {"id": link.subject},
        "predicate": link.predicate,
        "object": _meant(visit, link, required(visit.form, "object")),
        "text": visit.form.get("text", "").strip() or None,
        "valid_at": required(visit.form, "at"),
        "replaces": link.id,
    }
    return _remembered(visit, lambda memory: memory.remember(facts=[fact]).facts[0].id)


def _undo(visit: Visit, dated: Dated) -> Work:
    """Take back the last thing that was done to a fact or a concept."""
    return _remembered(visit, lambda memory: memory.undo(dated.element.id).memory.id)


def _merge(visit: Visit, dated: Dated) -> Work:
    """Make an element and another of its type one."""
    into = required(visit.form, "into")
    element = dated.element
    if not isinstance(element, Concept):
        raise refused("links are not merged", "merge their ends")
    target = into if into in visit.nexus.elements.look_up([into]) else Key(element.type, into)

    def work(nexus: Nexus) -> str:
        report = nexus.write([Merge(element.id, target)], actor=visit.actor).only(BatchReport)
        return report.ids[0]

    return work


def _moved(visit: Visit, dated: Dated, status: str) -> Work:
    """Move a claim through its lifecycle, on what a person says."""
    identifier, reason = dated.element.id, visit.form.get("reason", "").strip()
    evidence: list[EvidenceRef] = [_evidence_of(visit, reason)] if reason else []

    def work(nexus: Nexus) -> str:
        Writer(nexus).transition(identifier, status, evidence, reason or None, visit.acting)
        return identifier

    return work


def _supersede(visit: Visit, dated: Dated) -> Work:
    """Put a new claim in the place of one."""
    said = required(visit.form, "text")
    evidence = [_evidence_of(visit, visit.form.get("reason", "").strip() or said)]
    return _remembered(
        visit,
        lambda memory: memory.correct(dated.element.id, text=said, evidence=evidence).memory.id,
    )


def _evidence_of(visit: Visit, reason: str) -> EvidenceRef:
    """Return what a person says as evidence."""
    return from_human_assertion(visit.actor, visit.nexus.now() / 1_000, reason)


def _link(dated: Dated) -> Link:
    if not isinstance(dated.element, Link):
        raise refused("this is no link", "open a link")
    return dated.element


def _meant(visit: Visit, link: Link, given: str) -> dict[str, str] | Value:
    """Return what the other end is to be, by id or name: of the kind of the one that is there."""
    if given in visit.nexus.elements.look_up([given]):
        return {"id": given}
    known = visit.nexus.elements.keys([link.object]).get(link.object)
    kind = "Entity" if known is None else known.type
    return _value(given) if kind in _SCALARS else {"type": kind, "name": given}


def memory_of(visit: Visit, nexus: Nexus) -> Memory:
    """Return the memory as a person has it, who is evidence of what they say."""
    return Memory(nexus, actor=visit.actor, is_person=True, operations=visit.operations)


def _remembered(visit: Visit, work: Callable[[Memory], str]) -> Work:
    return lambda nexus: work(memory_of(visit, nexus))


def _forgotten(visit: Visit, dated: Dated, effect: Effect, at: str | None = None) -> Work:
    def forget(memory: Memory) -> str:
        memory.forget(id=dated.element.id, effect=effect, at=at)
        return dated.element.id

    return _remembered(visit, forget)


def _kept(
    visit: Visit,
    identifier: str,
    what: str | Sequence[Change],
    parameters: Mapping[str, Value] | None = None,
) -> Work:
    """Return what writes KIP or changes that are no call of the memory."""

    def work(nexus: Nexus) -> str:
        nexus.write(what, parameters, actor=visit.actor)
        return identifier

    return work


def _value(given: str) -> Value:
    """Return what a field says: JSON where it is, else text."""
    try:
        return cast("Value", orjson.loads(given))
    except orjson.JSONDecodeError:
        return given


ACTIONS: Final[Mapping[str, Remedy]] = {
    one.name: one
    for one in (
        Remedy("correct", "Correct", _correct),
        Remedy("end", "End", _end),
        Remedy("replace", "Replace", _replace),
        Remedy("withdraw", "Was never true", partial(_forgotten, effect="withdraw")),
        Remedy("undo", "Undo the last change", _undo),
        Remedy("merge", "Merge", _merge),
        Remedy("verify", "Verify", partial(_moved, status="verified")),
        Remedy("dispute", "Dispute", partial(_moved, status="disputed")),
        Remedy("supersede", "Supersede", _supersede),
    )
}
"""The changes that pages offer, by name."""

ROUTES: Final = (
    Route("/element/change", change, "POST", writes=True),
    Route("/remember", remember, "POST", writes=True),
    Route("/element/erase", erase, "POST", writes=True),
)
