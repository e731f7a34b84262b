"""Putting an element right: every change is shown before it is kept, and made by its own face.

The rule: the form that tries a change and the one that keeps it carry the same fields, so what was
seen is what is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, cast

import orjson

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.claims import Claim, EvidenceRef, from_human_assertion
from recollect.faces.claims.reading import one_claim
from recollect.faces.claims.writing import Writer
from recollect.kernel import Nexus
from recollect.model import (
    FACT,
    Concept,
    Content,
    Dated,
    Delete,
    Link,
    Merge,
    PutFact,
    PutLink,
    Receipt,
    RemoveKeys,
    Value,
)
from recollect.servers.studio.shown import shown_of
from recollect.servers.studio.trying import tried
from recollect.servers.studio.visit import Answered, Away, Page, Route, Visit, absent, required

ERASE: Final = "erase"
_TYPED: Final = "erase"
"""What a person types before something is erased for all times."""

_UPDATE: Final = "UPDATE ?x {sets} WHERE {{ {pattern} }}"

Work = Callable[[Nexus], object]


@dataclass(frozen=True, slots=True)
class Action:
    """One way to put an element right."""

    name: str
    title: str
    make: Callable[[Visit, Dated], Work]


def change(visit: Visit) -> Answered:
    """Show what a change would do, or make it."""
    dated = living(visit)
    action = ACTIONS.get(required(visit.form, "do"))
    if action is None:
        raise RecollectError(
            INVALID_ARGUMENT, "there is no such change", hint="use a form of the element's page"
        )
    work = action.make(visit, dated)
    if visit.form.get("step") == "apply":
        work(visit.nexus)
        number = visit.nexus.stats().transactions
        return Away(visit.to("/element", id=dated.element.id, done=number))
    (shown,) = shown_of(visit.nexus, [dated])
    shows = {"one": shown, "action": action, "tried": tried(visit, work), "fields": visit.form}
    return Page("change.html", action.title, shows)


def erase(visit: Visit) -> Answered:
    """Show what erasing an element takes with it, or erase it after the typed confirmation."""
    dated = living(visit, closed=True)
    identifier = dated.element.id
    (shown,) = shown_of(visit.nexus, [dated])
    is_kept = visit.form.get("step") == "apply"
    if is_kept and visit.form.get("typed", "").strip() != _TYPED:
        raise RecollectError(
            INVALID_ARGUMENT, "the confirmation is not typed", hint=f"type {_TYPED}"
        )
    receipt: Receipt = visit.nexus.purge(
        identifier, dry_run=not is_kept, actor=visit.actor, request_id=visit.request_id
    )
    # What is gone has no name on any page.
    shows: dict[str, object] = {"receipt": receipt, "typed": _TYPED, "is_kept": is_kept}
    shows["one"] = None if is_kept else shown
    return Page("erase.html", "Erase", shows)


def living(visit: Visit, *, closed: bool = False) -> Dated:
    """Return the element that a form is about."""
    identifier = required(visit.form, "id")
    found = visit.nexus.look_up([identifier], closed=closed).get(identifier)
    if found is None:
        raise absent(identifier)
    return found


def _correct(visit: Visit, dated: Dated) -> Work:
    """Set one attribute or one key of the metadata."""
    key = required(visit.form, "key")
    part = "METADATA" if visit.form.get("part") == "metadata" else "ATTRIBUTES"
    value = _value(visit.form.get("value", ""))
    quoted = json.dumps(key, ensure_ascii=False)
    text = _UPDATE.format(sets=f"SET {part} {{ {quoted}: $value }}", pattern=_pattern(dated))
    return _kip(visit, text, {"id": dated.element.id, "value": value})


def _end(visit: Visit, dated: Dated) -> Work:
    """Say until when a link was true."""
    at = required(visit.form, "at")
    text = _UPDATE.format(sets="SET METADATA { valid_until: $at }", pattern=_pattern(dated))
    return _kip(visit, text, {"id": dated.element.id, "at": at})


def _replace(visit: Visit, dated: Dated) -> Work:
    """End a link and say what is true in its place."""
    link = _link(dated)
    at, name = required(visit.form, "at"), required(visit.form, "object")
    end = _end(visit, dated)
    said = visit.form.get("text", "").strip()
    target = _meant(visit, link, name)
    metadata: dict[str, Value] = {"valid_from": at}
    change = (
        PutFact(
            link.subject,
            link.predicate,
            target,
            said or _words(visit, link, name),
            metadata=metadata,
        )
        if FACT in link.attributes
        else PutLink(link.subject, link.predicate, target, metadata=metadata)
    )

    def work(nexus: Nexus) -> object:
        with nexus.transaction():
            end(nexus)
            return nexus.write([change], actor=visit.actor, request_id=visit.request_id)

    return work


def _close(visit: Visit, dated: Dated) -> Work:
    """Say that something was never true: it is held no longer, and its past stays readable."""
    return _batch(visit, Delete(dated.element.id))


def _merge(visit: Visit, dated: Dated) -> Work:
    """Make an element and another of its type one."""
    into = required(visit.form, "into")
    element = dated.element
    if not isinstance(element, Concept):
        raise RecollectError(INVALID_ARGUMENT, "links are not merged", hint="merge their ends")
    target = _one_called(visit, element.type, into)
    return _batch(visit, Merge(element.id, target))


def _restore(visit: Visit, dated: Dated) -> Work:
    """Make an element say again what one of its versions said."""
    number, identifier = required(visit.form, "version"), dated.element.id
    (life,) = [one for one in visit.nexus.history(identifier) if one.id == identifier][-1:]
    content = next(
        (one.after for one in life.versions if str(one.number) == number and one.after), None
    )
    if content is None:
        raise RecollectError(
            INVALID_ARGUMENT, "there is no such version", hint="choose one of the page"
        )
    return _again(visit, dated, content)


def _again(visit: Visit, dated: Dated, content: Content) -> Work:
    element = dated.element
    extra = RemoveKeys(
        element.id,
        frozenset(element.attributes) - frozenset(content.attributes),
        frozenset(one for one in element.metadata if not one.startswith("_"))
        - frozenset(content.metadata),
    )
    parameters: dict[str, Value] = {"id": element.id}
    parts = []
    for part, members in (("ATTRIBUTES", content.attributes), ("METADATA", content.metadata)):
        told = {key: one for key, one in members.items() if not key.startswith("_")}
        if not told:
            continue
        pairs = []
        for key, value in told.items():
            name = f"v{len(parameters)}"
            parameters[name] = value
            pairs.append(f"{json.dumps(key, ensure_ascii=False)}: ${name}")
        parts.append(f"SET {part} {{ {', '.join(pairs)} }}")
    text = _UPDATE.format(sets=" ".join(parts), pattern=_pattern(dated))

    def work(nexus: Nexus) -> object:
        with nexus.transaction():
            if extra.attributes or extra.metadata:
                nexus.write([extra], actor=visit.actor, request_id=visit.request_id)
            return _kip(visit, text, parameters)(nexus) if parts else None

    return work


def _verify(visit: Visit, dated: Dated) -> Work:
    return _moved(visit, dated, "verified")


def _dispute(visit: Visit, dated: Dated) -> Work:
    return _moved(visit, dated, "disputed")


def _moved(visit: Visit, dated: Dated, status: str) -> Work:
    """Move a claim through its lifecycle, on what a person says."""
    claim = _claim(visit, dated)
    reason = visit.form.get("reason", "").strip()
    evidence: list[EvidenceRef] = [_said(visit, reason)] if reason else []
    return lambda nexus: Writer(nexus).transition(
        claim.id, status, evidence, reason or None, visit.acting
    )


def _supersede(visit: Visit, dated: Dated) -> Work:
    """Put a new claim in the place of one."""
    claim = _claim(visit, dated)
    said = required(visit.form, "text")
    reason = visit.form.get("reason", "").strip() or said
    newer = Claim(
        said,
        [_said(visit, reason)],
        id=required(visit.form, "new_id"),
        project=claim.project,
        scope_type=claim.scope_type,
        scope_id=claim.scope_id,
        actor_type="user",
        actor_id=visit.actor,
        domain=claim.domain,
        tags=list(claim.tags),
        supersedes=claim.id,
    )

    def work(nexus: Nexus) -> object:
        with nexus.transaction():
            writer = Writer(nexus)
            writer.write([newer], visit.acting)
            if (held := one_claim(nexus, claim.id)) and held.claim_status != "superseded":
                writer.supersede(claim.id, newer.id, visit.acting)
            return None

    return work


def _said(visit: Visit, reason: str) -> EvidenceRef:
    """Return what a person says as evidence."""
    return from_human_assertion(visit.actor, visit.nexus.now() / 1_000, reason)


def _claim(visit: Visit, dated: Dated) -> Claim:
    element = dated.element
    found = one_claim(visit.nexus, element.name) if isinstance(element, Concept) else None
    if found is None:
        raise RecollectError(INVALID_ARGUMENT, "this is no claim", hint="open a claim")
    return found


def _link(dated: Dated) -> Link:
    if not isinstance(dated.element, Link):
        raise RecollectError(INVALID_ARGUMENT, "this is no link", hint="open a link")
    return dated.element


def _meant(visit: Visit, link: Link, name: str) -> str:
    """Return the id of what the other end is to be: of the type of the one that is there."""
    known = visit.nexus.keys([link.object]).get(link.object)
    kind = "Entity" if known is None else known.type
    return _one_called(visit, kind, name)


def _one_called(visit: Visit, kind: str, name: str) -> str:
    """Return the id of the concept of a type that has a name or an id."""
    by_id = visit.nexus.look_up([name]).get(name)
    if by_id is not None:
        return name
    text = "FIND(?x.id) WHERE { ?x {type: $type, name: $name} }"
    (rows,) = visit.nexus.read(text, {"type": kind, "name": name}).results
    found = [str(row[0]) for row in getattr(rows, "rows", ())]
    if len(found) == 1:
        return found[0]
    raise RecollectError(
        INVALID_ARGUMENT,
        f'{len(found) or "no"} {kind} is called "{name[:80]}"',
        hint="give its id, or write it first at Ask",
    )


def _words(visit: Visit, link: Link, name: str) -> str:
    """Return the words of a fact with another object: the old name replaced where it stands."""
    said = cast("str", link.attributes.get(FACT, ""))
    known = visit.nexus.keys([link.object]).get(link.object)
    if known is not None and known.name in said:
        return said.replace(known.name, name)
    return f"{said} {name}".strip()


def _pattern(dated: Dated) -> str:
    return "?x (id: $id)" if isinstance(dated.element, Link) else "?x {id: $id}"


def _kip(visit: Visit, text: str, parameters: Mapping[str, Value]) -> Work:
    return lambda nexus: nexus.write(
        text, parameters, actor=visit.actor, request_id=visit.request_id
    )


def _batch(visit: Visit, one: Delete | Merge) -> Work:
    return lambda nexus: nexus.write([one], actor=visit.actor, request_id=visit.request_id)


def _value(given: str) -> Value:
    """Return what a field says: JSON where it is, else text."""
    try:
        return cast("Value", orjson.loads(given))
    except orjson.JSONDecodeError:
        return given


ACTIONS: Final[Mapping[str, Action]] = {
    one.name: one
    for one in (
        Action("correct", "Correct", _correct),
        Action("end", "End", _end),
        Action("replace", "Replace", _replace),
        Action("close", "Was never true", _close),
        Action("merge", "Merge", _merge),
        Action("restore", "Say again what it said", _restore),
        Action("verify", "Verify", _verify),
        Action("dispute", "Dispute", _dispute),
        Action("supersede", "Supersede", _supersede),
    )
}
"""The changes that pages offer, by name."""

ROUTES: Final = (
    Route("/element/change", change, "POST", writes=True),
    Route("/element/erase", erase, "POST", writes=True),
)
