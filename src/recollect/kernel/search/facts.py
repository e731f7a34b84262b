"""Facts found by plain words: in their own text and predicate, or through what they join.

The rule: facts are ordered by score, then by id, and a limit cuts off the end of that order.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import nlargest
from itertools import islice
from typing import Final

from recollect.kernel.lang.ast import NOWHERE
from recollect.kernel.plan.bind import Bindings, literal, wrong_value
from recollect.kernel.read.moment import identities, public_ids
from recollect.kernel.read.reader import Reader
from recollect.kernel.search.hits import concept_hits
from recollect.kernel.search.known_terms import term_code
from recollect.kernel.search.links import ENDS, link_hits
from recollect.kernel.search.scope import SearchBounds
from recollect.kernel.search.tokens import storable
from recollect.model import ElementKind, Key, Ranked

_LOOKED: Final = 2 * ENDS
"""Concepts that are looked at: some of them are of kinds that no fact is told about."""


def facts_about(reader: Reader, term: str, limit: int, through: str) -> tuple[Ranked, ...]:
    """Return the best facts, at most `limit`, that are there and true at a moment.

    `through` is the type of the concepts whose names lead to their facts; what a plain name makes
    stands for any free kind, since a name may mean any. No text raises; what is no text, no
    type or no limit raises as in a SEARCH.
    """
    if not isinstance(term, str):
        raise wrong_value("the search term is not a string", term, NOWHERE)
    session, group, moment = reader.session, reader.group, reader.moment
    bindings = Bindings({})
    limit = bindings.whole(literal(limit), "LIMIT")
    type_ = bindings.string(literal(through), "the type")
    term = storable(term)
    ends = _ends(reader, term, type_)
    scope = SearchBounds(group, None, moment.valid, moment.known, says=True)
    scores = link_hits(session, scope, term, ends, limit, with_equals=True)
    lowest = min(nlargest(limit, scores.values()), default=0.0)
    found = {one: score for one, score in scores.items() if score >= lowest}
    ids = public_ids(session, group, found)
    ranked = [Ranked(ids[one], score) for one, score in found.items()]
    ranked.sort(key=lambda one: (-one.score, one.id))
    return tuple(ranked[:limit])


def _ends(reader: Reader, term: str, type_: str) -> Mapping[int, float]:
    """Return the concepts that lead to facts, with their scores."""
    session, group, moment = reader.session, reader.group, reader.moment
    if type_ == session.kinds.made:
        found = concept_hits(
            session, SearchBounds(group, None, moment.valid, moment.known), term, _LOOKED
        )
        keys = identities(session, group, reader.terms, found)
        free = (
            (one, score)
            for one, score in found.items()
            if isinstance(key := keys.get(one), Key) and session.kinds.is_free(key.type)
        )
        return dict(islice(free, ENDS))
    code = term_code(session, group.group_id, ElementKind.CONCEPT, type_)
    if code is None:
        return {}
    return concept_hits(session, SearchBounds(group, code, moment.valid, moment.known), term, ENDS)
