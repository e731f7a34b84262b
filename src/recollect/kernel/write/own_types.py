"""The concept types that have a rule of their own: who writes them, and whose names are one.

The rule: KML reads them as any other, and a text that would write what it may not is refused as
a whole: such a concept, or a link from it that its call keeps too, which no fact is either. A
batch of changes is how the call that owns a type writes it; a restore is exempt.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from recollect.errors import IMMUTABLE_TARGET, RecollectError
from recollect.kernel.store.protocol import Parameters, Session
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.terms import Interning
from recollect.kernel.vectors.texts import concept_meaning
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.model import OWN_LINKS, OWN_TYPES, OWNED, Attributes, is_owned_link, normal_text

_REKEY = """
UPDATE OR IGNORE concept SET name_key = normal_text(name)
WHERE group_id = :group AND expired_at = :living AND type IN (
  SELECT t.code FROM json_each(:types) AS w CROSS JOIN term AS t
  WHERE t.group_id = :group AND t.text = w.value)
"""


def meaning_of(kind: str, name: str, attributes: Attributes) -> str | None:
    r"""Return the text that is embedded of a concept, if it says something in words.

    Those that calls write have ids for names; so have those of other types that say something
    elsewhere.

    >>> meaning_of("Entity", "Acme", {}), meaning_of("Episode", "7f0b", {})
    ('Acme', None)
    >>> meaning_of("Claim", "7f0b", {"text": "payments uses sagas"})
    'payments uses sagas'
    >>> meaning_of("Node", "12", {"label": "Lion", "content": "Roars."})
    'Lion\nRoars.'
    """
    own = OWN_TYPES.get(kind)
    if own is None:
        return concept_meaning(name, attributes)
    told = [attributes.get(one) for one in (own.says, own.tells) if one]
    match [one for one in told if isinstance(one, str) and one.strip()]:
        case [said, *more]:
            return concept_meaning(said, {"summary": "\n".join(more)})
        case _:
            return None if own.writer else concept_meaning(name, attributes)


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
            if kind in OWNED:
                raise RecollectError(
                    IMMUTABLE_TARGET,
                    f'{{type: "{kind}", name: "{element.name}"}} is not written by KML',
                    hint=f"call {OWN_TYPES[kind].writer}",
                )


def refuse_owned_fact(subject: Element, predicate: str, terms: Interning) -> None:
    """Raise KIP_3004 for a fact that would be a link of a call, in any spelling."""
    _refuse_from(subject, normal_text(predicate), terms, "is not told as a fact")


def _refuse_link(link: LinkElement, terms: Interning, directory: Directory) -> None:
    predicate = terms.text(link.predicate)
    if predicate in OWN_LINKS:
        _refuse_from(directory.by_id(link.subject), predicate, terms, "is not written by KML")


def _refuse_from(subject: Element | None, predicate: str, terms: Interning, fault: str) -> None:
    if predicate not in OWN_LINKS or not isinstance(subject, ConceptElement):
        return
    kind = terms.text(subject.type)
    if is_owned_link(kind, predicate):
        raise RecollectError(
            IMMUTABLE_TARGET,
            f'"{predicate}" from {{type: "{kind}", name: "{subject.name}"}} {fault}',
            hint=f"call {OWN_TYPES[kind].writer}",
        )
