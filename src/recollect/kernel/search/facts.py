"""Facts found by plain words: in their own text and predicate, or through what they join.

The rule: facts are ordered by score, then by id, and what is cut off is cut off in that order.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

import orjson

from recollect.kernel.read.moment import Moment
from recollect.kernel.search.expansion import linked
from recollect.kernel.search.hits import best, concept_hits, link_hits
from recollect.kernel.search.known_terms import term_code
from recollect.kernel.search.scope import Scope
from recollect.kernel.store.cells import text, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.identity import public_id
from recollect.kernel.store.protocol import Parameters, Session
from recollect.model import ElementKind, Ranked

_ENDS = 50  # best concepts whose facts are looked at
_LINKS = 300  # best links by their own words, and through those concepts, at first
_MORE = 8  # times as many where the best are all equal

_FACTS = """
SELECT link.id, link.public_id FROM json_each(:links) AS one
CROSS JOIN link ON link.id = one.value
WHERE link.group_id = :group AND json_type(link.attributes, '$.fact') = 'text'
"""


def facts_about(
    session: Session, group: Group, moment: Moment, term: str, limit: int, through: str
) -> tuple[Ranked, ...]:
    """Return the best facts, at most `limit`, that are there and true at a moment.

    `through` is the type of the concepts whose names lead to their facts.
    """
    scope = Scope(group, None, moment.valid, moment.known)
    code = term_code(session, group.group_id, ElementKind.CONCEPT, through)
    ends: Mapping[int, float] = {}
    if code is not None:
        of_type = Scope(group, code, moment.valid, moment.known)
        ends = best(concept_hits(session, of_type, term, _ENDS), _ENDS)
    most = max(_LINKS, limit)
    scores = _scores(session, scope, term, ends, most)
    while len(scores) >= most and _is_cut_among_equals(scores, limit):
        most *= _MORE
        scores = _scores(session, scope, term, ends, most)
    return _best_facts(session, group, scores, limit)


def _scores(
    session: Session, scope: Scope, term: str, ends: Mapping[int, float], most: int
) -> dict[int, float]:
    """Return the scores of links by their own words and their ends, the best `most` of either."""
    return linked(session, scope, ends, link_hits(session, scope, term, most), most)


def _is_cut_among_equals(scores: Mapping[int, float], limit: int) -> bool:
    """Whether others may be as good as the last of those that are wanted."""
    ranked = sorted(scores.values(), reverse=True)
    return ranked[min(limit, len(ranked)) - 1] == ranked[-1]


def _best_facts(
    session: Session, group: Group, scores: Mapping[int, float], limit: int
) -> tuple[Ranked, ...]:
    """Return the best of the links that are facts, looking at as few as will do."""
    found: list[Ranked] = []
    waiting: dict[int, float] = {}
    for score, equals in groupby(sorted(scores, key=scores.__getitem__, reverse=True), scores.get):
        waiting |= dict.fromkeys(equals, score or 0.0)
        if len(found) + len(waiting) >= limit:
            found += _facts(session, group, waiting)
            waiting = {}
        if len(found) >= limit:
            break
    found += _facts(session, group, waiting)
    found.sort(key=lambda one: (-one.score, one.id))
    return tuple(found[:limit])


def _facts(session: Session, group: Group, scores: Mapping[int, float]) -> list[Ranked]:
    if not scores:
        return []
    parameters: Parameters = {"group": group.group_id, "links": orjson.dumps([*scores]).decode()}
    return [
        Ranked(
            public_id(group.id_bits, whole(one)) if given is None else text(given),
            scores[whole(one)],
        )
        for one, given in session.rows(_FACTS, parameters)
    ]
