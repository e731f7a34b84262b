"""Claims: cards, lenses with the questions of the specification, and the queue of attention.

The rule: a claim is shown as its face prints it, with severity and tone as classes; nothing here
deletes one. Specification 002, product implications.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.claims import STATUSES, AttentionQueue, Claim
from recollect.faces.claims.records import Filters, counted, listed, one_claim, recalled
from recollect.faces.claims.viewing import viewed
from recollect.servers.studio.visit import (
    Answered,
    Away,
    Route,
    StudioPage,
    Visit,
    in_path,
    required,
)

QUESTIONS: Final = {
    "run": "What did this run learn?",
    "show": "What changed?",
    "agent": "What does this agent know?",
    "attention": "Why?",
    "artifact": "What claims does this support?",
}
"""What each lens asks, in the words of the specification."""

_NOTHING: Final = {
    "run": "This run learned nothing.",
    "show": "Nothing changed during this show.",
    "agent": "This agent knows nothing.",
    "artifact": "No claim cites this artifact.",
}
_CARDS: Final = 30
_DAY: Final = 24 * 3600.0
_SNOOZES: Final = {"day": _DAY, "week": 7 * _DAY}


def claims_page(visit: Visit) -> Answered:
    """Show the queue, and the claims that filters or a question leave."""
    nexus = visit.nexus
    status = visit.asked("status")
    filters = Filters(
        status=[status] if status else None,
        project=visit.asked("project") or None,
        tag=visit.asked("tag") or None,
    )
    about, after = visit.asked("about").strip(), visit.asked("after") or None
    with nexus.snapshot():
        if about:
            found = [one for one, _ in recalled(nexus, about, filters, _CARDS, visit.moment)]
        else:
            found = listed(nexus, filters, _CARDS, after, visit.moment)
        every = AttentionQueue(nexus).items(aside=True, as_of=visit.moment)
        items = AttentionQueue(nexus).items(as_of=visit.moment)
        asking = {one.fingerprint for one in items}
        shows = {
            "cards": [viewed(nexus, one, visit.moment) for one in found],
            "put_aside": [one for one in every if one.fingerprint not in asking],
            "lenses": _lenses(visit, found),
            "count": counted(nexus, filters, visit.moment),
            "after": found[-1].id if len(found) == _CARDS and not about else "",
            "items": items,
            "statuses": STATUSES,
            "questions": QUESTIONS,
        }
    return StudioPage("claims.html", "Claims", shows)


def _lenses(visit: Visit, claims: Sequence[Claim]) -> list[tuple[str, str]]:
    """Return the lenses through which some claims can be looked at: kind and id, each once."""
    dated = visit.nexus.elements.look_up([one.id for one in claims], as_of=visit.then, closed=True)
    kept = [one.element.attributes for one in dated.values()]
    found = [(kind, one.get(f"{kind}_id")) for one in kept for kind in ("run", "show", "agent")]
    found += [("artifact", ref.artifact_id) for one in claims for ref in one.evidence]
    told = dict.fromkeys((kind, one) for kind, one in found if isinstance(one, str) and one)
    return list(told)[:_CARDS]


def card_part(visit: Visit) -> Answered:
    """Return one card alone, for a page that shows claims as they change."""
    claim = one_claim(visit.nexus, required(visit.query, "id"), visit.moment)
    if claim is None:
        raise RESOURCE_NOT_FOUND.error("there is no such claim", "open /claims")
    shows = {"one": viewed(visit.nexus, claim, visit.moment)}
    return StudioPage("card_part.html", "Claim", shows, is_part=True)


def attention_part(visit: Visit) -> Answered:
    """Return the queue alone."""
    shows = {"items": AttentionQueue(visit.nexus).items(as_of=visit.moment)}
    return StudioPage("attention_part.html", "Attention", shows, is_part=True)


def put_aside(visit: Visit) -> Answered:
    """Dismiss or snooze an item of the queue."""
    queue, fingerprint = AttentionQueue(visit.nexus), required(visit.form, "fingerprint")
    wanted = required(visit.form, "do")
    if wanted == "dismiss":
        queue.dismiss(fingerprint, visit.acting)
    elif wanted == "back":
        queue.bring_back(fingerprint, visit.acting)
    elif wanted in _SNOOZES:
        until = visit.nexus.now() / 1_000 + _SNOOZES[wanted]
        queue.snooze(fingerprint, until, visit.acting)
    else:
        raise refused("do is neither dismiss nor a snooze", "do=dismiss")
    return Away(visit.to("/claims"))


def lens_form(visit: Visit) -> Answered:
    """Lead to the lens that a form names."""
    kind = required(visit.query, "kind")
    if kind not in QUESTIONS:
        raise _no_lens(kind)
    return Away(visit.to(f"/lens/{kind}/{in_path(required(visit.query, 'id'))}"))


def lens(visit: Visit) -> Answered:
    """Show what the claims say of a run, a show, an agent, an artifact or an item of attention."""
    kind, identifier = visit.places["kind"], visit.places["id"]
    if kind == "attention":
        return _why(visit, identifier)
    if kind not in _NOTHING:
        raise _no_lens(kind)
    about: dict[str, Any] = {kind: identifier}
    filters = Filters(**about)
    with visit.nexus.snapshot():
        after = visit.asked("after") or None
        found = listed(visit.nexus, filters, _CARDS, after, visit.moment)
        cards = [viewed(visit.nexus, one, visit.moment) for one in found]
    shows = {
        "kind": kind,
        "id": identifier,
        "question": QUESTIONS[kind],
        "cards": cards,
        "nothing": _NOTHING[kind],
        "after": found[-1].id if len(found) == _CARDS else "",
    }
    if visit.asked("part"):
        return StudioPage("lens_part.html", QUESTIONS[kind], shows, is_part=True)
    return StudioPage("lens.html", QUESTIONS[kind], shows)


def _why(visit: Visit, fingerprint: str) -> Answered:
    items = AttentionQueue(visit.nexus).items(aside=True, as_of=visit.moment)
    item = next((one for one in items if one.fingerprint == fingerprint), None)
    claim = None
    if item is not None and item.entity_type == "claim":
        claim = one_claim(visit.nexus, item.entity_id, visit.moment)
    shows = {
        "item": item,
        "evidence": () if item is None else item.evidence,
        "card": None if claim is None else viewed(visit.nexus, claim, visit.moment),
    }
    return StudioPage("why_attention.html", "Why?", shows)


def _no_lens(kind: str) -> RecollectError:
    return RESOURCE_NOT_FOUND.error(
        f'there is no lens "{kind[:40]}"',
        "open run, show, agent, artifact or attention",
        known=tuple(QUESTIONS),
    )


ROUTES: Final = (
    Route("/claims", claims_page),
    Route("/claims/card", card_part),
    Route("/claims/attention/part", attention_part),
    Route("/claims/attention", put_aside, "POST", writes=True),
    Route("/lens", lens_form),
    Route("/lens/{kind}/{id:path}", lens),
)
