"""Elements near a text in meaning, ranked among those that are there.

The rule: a vector only proposes; its element's row, bound to the group, decides before any ranking
whether the element exists, has the type asked for, and was true at the time asked about. As of the
past, an element is compared only if its text has not changed since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.store.cells import public_id, text, whole
from recollect.kernel.store.port import Session
from recollect.kernel.store.statements.meant import AT_HAND
from recollect.kernel.vectors.embedder import Near, dimension_of
from recollect.kernel.vectors.meanings import Meanings
from recollect.model import ElementKind

_PROPOSED = 2  # elements looked at first, for each that is wanted


class Nearby(NamedTuple):
    """An element that is there, its public id, and its nearness in 0..1."""

    element: int
    id: str
    score: float


def nearest(
    session: Session,
    scope: SearchBounds,
    meanings: Meanings,
    kind: ElementKind,
    term: str,
    limit: int,
) -> list[Nearby]:
    """Return the nearest elements of a kind, best first, at least `limit` if there are enough.

    If several are equally near at the end, all of them are returned, and the caller chooses.
    EMBEDDER_UNAVAILABLE when the text cannot be embedded, EMBEDDER_CHANGED for vectors of another
    model. Cost: all vectors of the kind, and a row for each that is proposed.
    """
    group_id = scope.group.group_id
    if not term.strip() or dimension_of(session, group_id, meanings.embedder) is None:
        return []
    vector = meanings.question(term)
    spaces = meanings.spaces(session, group_id)  # looks anew: how long a vector is, is known now
    assert spaces is not None
    found: list[Nearby] = []
    for part in spaces[kind is ElementKind.LINK].nearest(vector, _PROPOSED * limit):
        found += _there(session, scope, kind, part)
        if len(found) >= limit:
            break
    return found


def _there(
    session: Session, scope: SearchBounds, kind: ElementKind, part: Sequence[Near]
) -> Iterator[Nearby]:
    """Yield those of the proposed elements that are there, in their order."""
    elements = orjson.dumps([one for one, _ in part]).decode()
    rows = session.rows(AT_HAND[kind], scope.parameters(elements=elements))
    bits = scope.group.id_bits
    there = {
        whole(one): public_id(bits, whole(one)) if given is None else text(given)
        for one, given in rows
    }
    for element, score in part:
        if element in there:
            yield Nearby(element, there[element], score)
