"""Claims, and what belongs to them, made of JSON; `asdict` is the way there.

The rule: a member has the name of its field. Anything but a field is refused, and the error names
the nearest one; what a field may hold is checked by its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, cast

from recollect.errors import not_among, refused
from recollect.faces.claims.attention import AttentionItem
from recollect.faces.claims.feed import FeedEvent
from recollect.faces.claims.model import Actor, Claim, ClaimEvent, EvidenceRef, Scope

Wired = Claim | ClaimEvent | EvidenceRef | Scope | Actor | AttentionItem | FeedEvent
WiredT = TypeVar("WiredT", bound=Wired)


def from_wire(kind: type[WiredT], members: object) -> WiredT:
    """Return what a JSON form says, checked as if it were made here.

    ValueError for a claim without evidence; INVALID_ARGUMENT for what else cannot be.

    >>> from_wire(Scope, {"scope_type": "repo", "scope_id": "r"})
    Scope(scope_type='repo', scope_id='r')
    """
    made: WiredT = cast(Any, kind)(**_members(kind, members))
    return made


def kept_claim(members: object) -> Claim:
    """Return a claim that a store answered with, whose evidence may have been erased since."""
    claim = Claim.__new__(Claim)
    for name, value in _members(Claim, members).items():
        setattr(claim, name, value)
    return claim


_EVIDENCE = '{"kind": "user_statement", "detail": "what was said"}'


def evidence_from(given: object) -> list[EvidenceRef]:
    """Return a list of evidence; none, where none was given."""
    if given is None:
        return []
    if not isinstance(given, list | tuple):
        raise refused("evidence is not a list", f"pass [{_EVIDENCE}]")
    return [from_wire(EvidenceRef, one) for one in given]


def _members(kind: type[Any], members: object) -> dict[str, object]:
    """Return the fields of a class that a JSON form has, those inside of them made too."""
    called = kind.__name__
    if not isinstance(members, Mapping):
        refused_type = f"the {called} is of type {type(members).__name__}, not an object"
        raise refused(refused_type, f"pass {_EVIDENCE if kind is EvidenceRef else '{...}'}")
    known = [one.name for one in fields(kind)]
    for name in members:
        if name not in known:
            message = f"{str(name)[:60]} is not a field of {called}"
            otherwise = f"the fields are {', '.join(known)}"
            raise not_among(message, name, known, 'use "{}"', otherwise)
    found: dict[str, object] = dict(members)
    for one in fields(kind):
        is_needed = one.default is MISSING and one.default_factory is MISSING
        if one.name == "evidence":
            evidence = evidence_from(found.get("evidence"))
            found["evidence"] = tuple(evidence) if kind is AttentionItem else evidence
        elif is_needed and one.name not in found:
            raise refused(f"{one.name} is missing in the {called}", f'pass "{one.name}"')
    if isinstance(found.get("actions"), list):
        found["actions"] = tuple(cast("list[str]", found["actions"]))
    if found.get("change") is not None:
        found["change"] = from_wire(ClaimEvent, found["change"])
    return found
