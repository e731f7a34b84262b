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
from recollect.kernel.store.port import Session, SqlValue
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.terms import Interning
from recollect.kernel.vectors.texts import concept_meaning
from recollect.kernel.write.directory import Directory
from recollect.kernel.write.element import ConceptElement, Element, LinkElement
from recollect.model import Attributes, Kinds, normal_text

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


def meaning_of(kinds: Kinds, type: str, name: str, attributes: Attributes) -> str | None:
    r"""Return the text that is embedded of a concept, if it says something in words.

    Those that calls write have ids for names; so have those of other types that say something
    elsewhere.

    >>> from recollect.model import Kind, Kinds
    >>> claim = Kind("Claim", call="write_claim", text="text", more="detail")
    >>> kinds = Kinds((claim, Kind("Evidence", call="write_claim")))
    >>> meaning_of(kinds, "Drug", "Aspirin", {}), meaning_of(kinds, "Evidence", "7f0b", {})
    ('Aspirin', None)
    >>> meaning_of(kinds, "Claim", "7f0b", {"text": "payments uses sagas", "detail": "so says Ann"})
    'payments uses sagas\nso says Ann'
    """
    kind = kinds.get(type)
    if kind is None:
        return concept_meaning(name, attributes)
    if not kind.is_embedded:
        return None
    told = [attributes.get(one) for one in (kind.text, kind.more) if one]
    match [one for one in told if isinstance(one, str) and one.strip()]:
        case [said, *more]:
            return concept_meaning(said, {"summary": "\n".join(more)})
        case _:
            return None if kind.is_owned else concept_meaning(name, attributes)


def name_key(kinds: Kinds, type: str, name: str) -> str | None:
    """Return what a concept's name must not share with another; None where names are free.

    >>> from recollect.model import Kind, Kinds
    >>> kinds = Kinds((Kind("Entity", has_unique_names=True),))
    >>> name_key(kinds, "Entity", "ACME  Corp"), name_key(kinds, "Drug", "Aspirin")
    ('acme corp', None)
    """
    return normal_text(name) if type in kinds.unique else None


def set_name_keys(session: Session, group_id: int) -> None:
    """Give the living concepts of a group their keys, after their rows were written as they are."""
    session.execute_many(_REKEY, [_keyed(session.kinds, group_id)])


def wrong_name_keys(session: Session, group_id: int) -> list[int]:
    """Return the concepts whose key is not that of their name, or that lack one they may have."""
    return [whole(one) for (one,) in session.rows(_MISKEYED, _keyed(session.kinds, group_id))]


def mend_name_keys(session: Session, group_id: int) -> None:
    """Put the keys of a group's concepts right."""
    wrong = wrong_name_keys(session, group_id)
    session.execute_many(_UNKEY, [(group_id, one) for one in wrong])
    if wrong:
        set_name_keys(session, group_id)


def _keyed(kinds: Kinds, group_id: int) -> dict[str, SqlValue]:
    types = sorted(kinds.unique)
    return {"group": group_id, "living": LIVING, "types": orjson.dumps(types).decode()}


def refuse_owned(
    kinds: Kinds, changed: Iterable[Element], terms: Interning, directory: Directory
) -> None:
    """Raise KIP_3004 for the first element that a text changed and only a call may change."""
    has_owners = any(terms.code(type_) is not None for type_ in kinds.link_owners)
    for element in changed:
        if isinstance(element, LinkElement):
            predicate = terms.text(element.predicate)
            if has_owners or predicate in kinds.own_links:
                subject = directory.by_id(element.subject)
                _refuse_from(kinds, subject, predicate, terms, "is not written by KML")
        elif isinstance(element, ConceptElement):
            kind = kinds.get(terms.text(element.type))
            if kind is not None and kind.is_owned:
                raise RecollectError(
                    IMMUTABLE_TARGET,
                    f'{{type: "{kind.type}", name: "{element.name}"}} is not written by KML',
                    hint=f"call {kind.call}",
                )


def refuse_owned_fact(kinds: Kinds, subject: Element, predicate: str, terms: Interning) -> None:
    """Raise KIP_3004 for a fact that would be a link of a call, in any spelling."""
    _refuse_from(kinds, subject, normal_text(predicate), terms, "is not told as a fact")


def _refuse_from(
    kinds: Kinds, subject: Element | None, predicate: str, terms: Interning, fault: str
) -> None:
    if not isinstance(subject, ConceptElement):
        return
    kind = kinds.get(terms.text(subject.type))
    if kind is not None and kind.owns(predicate):
        raise RecollectError(
            IMMUTABLE_TARGET,
            f'"{predicate}" from {{type: "{kind.type}", name: "{subject.name}"}} {fault}',
            hint=f"call {kind.call}",
        )
