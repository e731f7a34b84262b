"""The concept types that have a rule of their own: who writes them, and whose names are one.

The rule: KML reads them as any other, and a text that would write what it may not is refused as
a whole. A batch of changes is how the call that owns a type writes it; a restore is exempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from recollect.errors import IMMUTABLE_TARGET, RecollectError
from recollect.kernel.store.protocol import Parameters, Session
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.terms import Interning
from recollect.kernel.write.element import ConceptElement, Element
from recollect.model import normal_text


@dataclass(frozen=True, slots=True)
class OwnType:
    """What is special about a type."""

    writer: str = ""  # the call that writes its concepts; empty: anyone may
    has_unique_names: bool = False  # no two living concepts are called the same, case aside


OWN_TYPES: Mapping[str, OwnType] = {
    "Entity": OwnType(has_unique_names=True),
    "Episode": OwnType(writer="Operations.add_episodes"),
}
"""The types, by name."""

_REKEY = """
UPDATE OR IGNORE concept SET name_key = normal_text(name)
WHERE group_id = :group AND expired_at = :living AND type IN (
  SELECT t.code FROM json_each(:types) AS w CROSS JOIN term AS t
  WHERE t.group_id = :group AND t.text = w.value)
"""


def says_something(kind: str) -> bool:
    """Whether the names of a type are words: those that calls write have ids for names.

    >>> says_something("Entity"), says_something("Episode")
    (True, False)
    """
    own = OWN_TYPES.get(kind)
    return own is None or not own.writer


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


def refuse_owned(changed: Iterable[Element], terms: Interning) -> None:
    """Raise KIP_3004 for the first element that a text changed and only a call may change."""
    for element in changed:
        if not isinstance(element, ConceptElement):
            continue
        kind = terms.text(element.type)
        own = OWN_TYPES.get(kind)
        if own is not None and own.writer:
            raise RecollectError(
                IMMUTABLE_TARGET,
                f'{{type: "{kind}", name: "{element.name}"}} is not written by KML',
                hint=f"call {own.writer}",
            )
