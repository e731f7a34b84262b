"""The concept types that have a rule of their own: who writes them, and whose names are one.

The rule: KML reads them as any other, and a text that would write what it may not is refused as
a whole: such a concept, or a link from it that its call keeps too. A batch of changes is how the
call that owns a type writes it; a restore is exempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from recollect.errors import IMMUTABLE_TARGET, RecollectError
from recollect.kernel.store.protocol import Parameters, Session
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.terms import Interning
from recollect.kernel.vectors.texts import concept_meaning
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.model import Attributes, normal_text


@dataclass(frozen=True, slots=True)
class OwnType:
    """What is special about a type."""

    writer: str = ""  # the call that writes its concepts; empty: anyone may
    links: frozenset[str] = frozenset()  # predicates from its concepts that are the call's, too
    says: str = ""  # the attribute that says in words what such a concept means
    has_unique_names: bool = False  # no two living concepts are called the same, case aside


OWN_TYPES: Mapping[str, OwnType] = {
    "Entity": OwnType(has_unique_names=True),
    "Episode": OwnType(writer="Operations.add_episodes"),
    "Claim": OwnType(
        writer="KnowledgeStore.write_claim",
        links=frozenset({"supported_by", "contradicted_by", "supersedes", "tagged"}),
        says="text",
    ),
    "Evidence": OwnType(writer="KnowledgeStore.write_claim"),
    "RejectedClaim": OwnType(writer="Branch.learn"),
    "AttentionChoice": OwnType(writer="AttentionQueue.dismiss"),
}
"""The types, by name."""

_OWN_LINKS = frozenset(predicate for own in OWN_TYPES.values() for predicate in own.links)

_REKEY = """
UPDATE OR IGNORE concept SET name_key = normal_text(name)
WHERE group_id = :group AND expired_at = :living AND type IN (
  SELECT t.code FROM json_each(:types) AS w CROSS JOIN term AS t
  WHERE t.group_id = :group AND t.text = w.value)
"""


def meaning_of(kind: str, name: str, attributes: Attributes) -> str | None:
    """Return the text that is embedded of a concept, if it says something in words.

    Those that calls write have ids for names.

    >>> meaning_of("Entity", "Acme", {}), meaning_of("Episode", "7f0b", {})
    ('Acme', None)
    >>> meaning_of("Claim", "7f0b", {"text": "payments uses sagas"})
    'payments uses sagas'
    """
    own = OWN_TYPES.get(kind)
    if own is None or not own.writer:
        return concept_meaning(name, attributes)
    said = attributes.get(own.says)
    return concept_meaning(said, {}) if isinstance(said, str) else None


def name_key(kind: str, name: str) -> str | None:
    """Return what a concept's name must not share with another; None where names are free.

    >>> name_key("Entity", "ACME  Corp"), name_key("Drug", "Aspirin")
    ('acme corp', None)
    """
    own = OWN_TYPES.get(kind)
    return normal_text(name) if own is not None and own.has_unique_names else None


def set_name_keys(session: Session, group_id: int) -> None:
    """Give the living concepts of a group their keys, after their rows were written as they are."""
    types = [kind for kind, own in OWN_TYPES.items() if own.has_unique_names]
    parameters: Parameters = {
        "group": group_id,
        "living": LIVING,
        "types": orjson.dumps(types).decode(),
    }
    session.execute_many(_REKEY, [parameters])


def refuse_owned(changed: Iterable[Element], terms: Interning, directory: Directory) -> None:
    """Raise KIP_3004 for the first element that a text changed and only a call may change."""
    for element in changed:
        if isinstance(element, LinkElement):
            _refuse_link(element, terms, directory)
        elif isinstance(element, ConceptElement):
            kind = terms.text(element.type)
            own = OWN_TYPES.get(kind)
            if own is not None and own.writer:
                raise RecollectError(
                    IMMUTABLE_TARGET,
                    f'{{type: "{kind}", name: "{element.name}"}} is not written by KML',
                    hint=f"call {own.writer}",
                )


def _refuse_link(link: LinkElement, terms: Interning, directory: Directory) -> None:
    predicate = terms.text(link.predicate)
    if predicate not in _OWN_LINKS:
        return
    subject = directory.by_id(link.subject)
    if not isinstance(subject, ConceptElement):
        return
    kind = terms.text(subject.type)
    own = OWN_TYPES.get(kind)
    if own is not None and predicate in own.links:
        raise RecollectError(
            IMMUTABLE_TARGET,
            f'"{predicate}" from {{type: "{kind}", name: "{subject.name}"}} is not written by KML',
            hint=f"call {own.writer}",
        )
