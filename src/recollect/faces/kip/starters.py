"""The capsules that come with Recollect, and loading them into a memory.

The rule: a capsule is an ordinary KIP text, so loading it twice changes nothing, and what it
brings can be read, exported and purged like all else.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources

from recollect.errors import INVALID_ARGUMENT, RecollectError, nearest
from recollect.faces.kip.capsules import Imported, import_capsules
from recollect.kernel import Nexus
from recollect.model import Concept, PutConcept, Rows

STARTERS = {
    "core": "the types of types and predicates, domains and belonging to them",
    "memory": "Person, Event, Preference, Insight and Commitment, and the agent itself",
    "life": "predicates of which a subject has one object at a time, such as lives_in",
}
"""What each capsule brings; each depends only on those before it, and life on none."""

_CORE = "core"
_LIFE = "life"
_DEFINED = 'FIND(?one) WHERE { ?one {type: "$PropositionType"} }'
_HAS_CORE = 'FIND(?type) WHERE { ?type {type: "$ConceptType", name: "$ConceptType"} }'


def starter_capsule(name: str) -> str:
    """Return the text of a capsule; INVALID_ARGUMENT, with the names there are, for no name."""
    if name not in STARTERS:
        known = nearest(name, STARTERS) or tuple(STARTERS)
        raise RecollectError(
            INVALID_ARGUMENT,
            f'no capsule that comes with Recollect is named "{name}"',
            hint=f'use "{known[0]}"',
            known=known,
        )
    file = resources.files("recollect").joinpath("capsules", f"{name}.kip")
    return file.read_text(encoding="utf-8")


def load_capsules(
    nexus: Nexus, names: Iterable[str], *, actor: str | None = None, request_id: str | None = None
) -> Imported:
    """Load capsules by name, each as one transaction, in the order they need.

    Capsules that one depends on are loaded with it, unless the memory has a bootstrap of its own.
    KIP_3004 if that bootstrap says other things about the same protected concepts.
    """
    wanted = {name: starter_capsule(name) for name in names}
    if wanted.keys() - {_CORE, _LIFE} and _CORE not in wanted and not _has_core(nexus):
        wanted[_CORE] = starter_capsule(_CORE)
    texts = [wanted[name] for name in STARTERS if name in wanted]
    done = Imported(0, 0, 0)
    for so_far in import_capsules(nexus, texts, actor=actor, request_id=request_id):
        done = so_far
    return done


def begin_life(nexus: Nexus, *, actor: str | None = None) -> bool:
    """Give a group the life capsule once, and tell whether this call did.

    What the group says itself of a predicate stays as it is. Cost: one read if it was done before.

    >>> import recollect
    >>> with recollect.open(":memory:") as nexus:
    ...     begin_life(nexus), begin_life(nexus)
    (True, False)
    """
    if _has_life(_definitions(nexus)):
        return False
    with nexus.transaction():
        own = _definitions(nexus)
        if _has_life(own):
            return False
        load_capsules(nexus, [_LIFE], actor=actor)
        if own:
            kept = [PutConcept(one.type, one.name, one.attributes, one.metadata) for one in own]
            nexus.write(kept, actor=actor)
    return True


def _definitions(nexus: Nexus) -> list[Concept]:
    (found,) = nexus.read(_DEFINED).results
    assert isinstance(found, Rows)
    return [one for (one,) in found.rows if isinstance(one, Concept)]


def _has_life(definitions: Iterable[Concept]) -> bool:
    return any(one.metadata.get("source") == f"recollect:{_LIFE}" for one in definitions)


def _has_core(nexus: Nexus) -> bool:
    (found,) = nexus.read(_HAS_CORE).results
    return isinstance(found, Rows) and bool(found.rows)
