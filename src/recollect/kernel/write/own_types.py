"""The concept types that have a rule of their own: who writes them, and whose names are one.

The rule: KML reads them as any other, and a text that would write what it may not is refused as
a whole: such a concept, or a link from it that its call keeps too, which no fact is either. A
batch of changes is how the call that owns a type writes it; a restore is exempt.
"""

from __future__ import annotations

from collections.abc import Iterable

import orjson

from recollect.errors import IMMUTABLE_TARGET, RecollectError
from recollect.kernel.store.cells import whole
from recollect.kernel.store.protocol import Session, SqlValue
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.terms import Interning
from recollect.kernel.vectors.texts import concept_meaning
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.model import (
    OWN_LINKS,
    OWN_TYPES,
    OWNED,
    Attributes,
    is_owned_link,
    normal_text,
)

_LINK_OWNERS = frozenset(kind for kind, own in OWN_TYPES.items() if own.owns_links)

_REKEY = """
UPDATE OR IGNORE concept SET name_key = normal_text(name)
WHERE group_id = :group AND expired_at = :living AND type IN (
  SELECT t.code FROM json_each(:types) AS w CROSS JOIN term AS t
  WHERE t.group_id = :group AND t.text = w.value)
"""

_MISKEYED = """
SELECT c.id FROM concept AS c CROSS JOIN term AS t ON t.group_id = :group AND t.code = c.type
WHERE c.group_id = :group AND CASE
  WHEN t.text NOT IN (SELECT w.value FROM json_each(:types) AS w) THEN c.name_key IS NOT NULL
  WHEN c.name_key IS NOT NULL THEN c.name_key != normal_text(c.name)
  WHEN c.expired_at = :living THEN NOT EXISTS (
    SELECT 1 FROM concept AS o WHERE o.group_id = :group AND o.type = c.type
      AND o.name_key = normal_text(c.name) AND o.expired_at = :living)
  END
"""
_UNKEY = "UPDATE concept SET name_key = NULL WHERE group_id = ? AND id = ?"


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
    session.execute_many(_REKEY, [_keyed(group_id)])


def wrong_name_keys(session: Session, group_id: int) -> list[int]:
    """Return the concepts whose key is not that of their name, or that lack one they may have."""
    return [whole(one) for (one,) in session.rows(_MISKEYED, _keyed(group_id))]


def mend_name_keys(session: Session, group_id: int) -> None:
    """Put the keys of a group's concepts right."""
    wrong = wrong_name_keys(session, group_id)
    session.execute_many(_UNKEY, [(group_id, one) for one in wrong])
    if wrong:
        set_name_keys(session, group_id)


def _keyed(group_id: int) -> dict[str, SqlValue]:
    types = [kind for kind, own in OWN_TYPES.items() if own.has_unique_names]
    return {"group": group_id, "living": LIVING, "types": orjson.dumps(types).decode()}


def refuse_owned(changed: Iterable[Element], terms: Interning, directory: Directory) -> None:
    """Raise KIP_3004 for the first element that a text changed and only a call may change."""
    has_owners = any(terms.code(kind) is not None for kind in _LINK_OWNERS)
    for element in changed:
        if isinstance(element, LinkElement):
            _refuse_link(element, terms, directory, has_owners=has_owners)
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


def _refuse_link(
    link: LinkElement, terms: Interning, directory: Directory, *, has_owners: bool
) -> None:
    predicate = terms.text(link.predicate)
    if predicate in OWN_LINKS or has_owners:
        _refuse_from(directory.by_id(link.subject), predicate, terms, "is not written by KML")


def _refuse_from(subject: Element | None, predicate: str, terms: Interning, fault: str) -> None:
    if not isinstance(subject, ConceptElement):
        return
    kind = terms.text(subject.type)
    if is_owned_link(kind, predicate):
        raise RecollectError(
            IMMUTABLE_TARGET,
            f'"{predicate}" from {{type: "{kind}", name: "{subject.name}"}} {fault}',
            hint=f"call {OWN_TYPES[kind].writer}",
        )
