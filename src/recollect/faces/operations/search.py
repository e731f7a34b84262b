"""Searching: words and meaning in each group by itself, fused, then merged over the groups.

The rule: what is not there, not true or not the group's is never a candidate, so it changes no
rank. What is fused depends on the ranks alone, and ties are by id. Specification 004, section 10.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from recollect.errors import EMBEDDER_UNAVAILABLE, NOT_FOUND, RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.operations import limits
from recollect.faces.operations.context import Context, asked_moment, current_moment
from recollect.faces.operations.episodes import message_line
from recollect.faces.operations.inputs import GetMemory, SearchFacts, SearchNodes
from recollect.faces.operations.outputs import EntityNode, FactResult, Facts, Nodes
from recollect.faces.operations.records import ENTITY, FoundScore, entity_node, fact_result, is_node
from recollect.kernel import Nexus
from recollect.model import AsOf, Concept, Dated, Hits, Link, Ranked

_CANDIDATES = 2  # of each leg, for each fact that is wanted


def search_facts(context: Context, given: SearchFacts) -> Facts:
    """Return the facts a text is about, best first."""
    groups = _groups(context, given["group_ids"])
    limit = given.get("max_facts") or limits.FACTS_FOUND
    center = given.get("center_node_uuid")
    if center is not None:
        _check_center(groups, center, asked_moment(given))
    query = given["query"]
    if not query.strip():
        return Facts(facts=[])
    found: list[FactResult] = []
    most_legs = 1
    for nexus in groups:
        moment, most = current_moment(nexus, given), _CANDIDATES * limit
        near = _near(context, partial(context.semantic.facts, nexus, query, most, moment))
        with nexus.snapshot():
            words = nexus.elements.rank_facts(query, most, through=ENTITY, as_of=moment)
            legs = [words, near] if near else [words]
            most_legs = max(most_legs, len(legs))
            ranks = scores = fused(legs)
            if center is not None:
                away = _distances(nexus, center, scores, moment)
                scores = reranked(scores, len(legs), away, context.policy.rerank_weight)
            chosen = {one: FoundScore(score, ranks[one]) for one, score in best(scores, limit)}
            found += shown_facts(nexus, chosen, moment)
    if center is None:
        _share(found, most_legs)
    return Facts(facts=sorted(found, key=_by_score)[:limit])


def get_memory(context: Context, given: GetMemory) -> Facts:
    """Return the facts a conversation is about. Specification 004, appendix A."""
    lines = (
        f"{message_line(one['role_type'], one.get('role'), one['content'])}\n"
        for one in given["messages"]
    )
    return search_facts(
        context,
        {
            "group_ids": [given["group_id"]],
            "query": "".join(lines),
            "max_facts": given.get("max_facts"),
            "center_node_uuid": given.get("center_node_uuid"),
            "valid_as_of": given.get("valid_as_of"),
            "known_as_of": given.get("known_as_of"),
        },
    )


def search_nodes(context: Context, given: SearchNodes) -> Nodes:
    """Return the nodes a text is about by name and summary, best first."""
    groups = _groups(context, given["group_ids"])
    limit = given.get("max_nodes") or limits.FACTS_FOUND
    query = given["query"]
    if not query.strip():
        return Nodes(nodes=[])
    found: list[EntityNode] = []
    most_legs = 1
    for nexus in groups:
        moment = current_moment(nexus, given)
        legs = _node_legs(context, nexus, query, _CANDIDATES * limit, moment)
        most_legs = max(most_legs, len(legs))
        ranks = dict(best(fused(legs), limit))
        dated = nexus.elements.look_up([*ranks], as_of=moment)
        group = nexus.group_name
        found += [entity_node(group, dated[one], FoundScore(None, ranks[one])) for one in dated]
    _share(found, most_legs)
    return Nodes(nodes=sorted(found, key=_by_score)[:limit])


def shown_facts(
    nexus: Nexus, scores: Mapping[str, FoundScore], as_of: AsOf, *, closed: bool = False
) -> list[FactResult]:
    """Return facts by uuid as they stood, with the names of their nodes, in the order given."""
    facts = nexus.elements.look_up([*scores], as_of=as_of, closed=closed)
    ends = {end for dated in facts.values() for end in _ends(dated)}
    nodes = nexus.elements.keys(ends, as_of=AsOf(known=as_of.known), closed=True)
    group, now = nexus.group_name, nexus.now()
    return [
        fact_result(group, facts[uuid], nodes, now, found)
        for uuid, found in scores.items()
        if uuid in facts
    ]


def _groups(context: Context, names: Sequence[str]) -> list[Nexus]:
    context.caller.check(names)
    return [context.nexus.group(name) for name in dict.fromkeys(names)]


def _node_legs(
    context: Context, nexus: Nexus, query: str, limit: int, moment: AsOf
) -> list[Sequence[Ranked]]:
    scores: dict[str, float] = {}
    for type_, most in (
        (ENTITY, limit),
        (None, limits.LOOKED_AT),
    ):  # a node may be of any free kind
        hits = nexus.search(query, "concept", type_, most, mode="keyword", as_of=moment).only(Hits)
        for one in hits.hits:
            if isinstance(one.element, Concept) and nexus.kinds.is_free(one.element.type):
                scores[one.element.id] = one.score
    words = sorted((Ranked(*one) for one in scores.items()), key=lambda one: (-one.score, one.id))
    near = _near(context, partial(context.semantic.nodes, nexus, query, limit, moment))
    return [words, near] if near else [words]


def _near(context: Context, leg: Callable[[], Sequence[Ranked]]) -> Sequence[Ranked]:
    """Return what is near in meaning; nothing, and it is counted, while the embedder is away."""
    try:
        return leg()
    except RecollectError as error:
        if error.code is not EMBEDDER_UNAVAILABLE:
            raise
        context.tally.embedding_failures += 1
        return ()


def _check_center(groups: Sequence[Nexus], center: str, as_of: AsOf) -> None:
    """Raise NOT_FOUND for a centre that is a node of none of the groups."""
    for nexus in groups:
        dated = nexus.elements.look_up([center], as_of=AsOf(known=as_of.known)).get(center)
        if dated is not None and is_node(dated.element):
            return
    raise RESOURCE_NOT_FOUND.error(
        f'no node has the uuid "{center}"',
        "leave center_node_uuid out, or name a node of these groups",
    )


def _distances(nexus: Nexus, center: str, facts: Collection[str], moment: AsOf) -> dict[str, int]:
    """Return how many links the nearer end of each fact is away from the centre, if it is near."""
    ends = {
        uuid: _ends(dated) for uuid, dated in nexus.elements.look_up(facts, as_of=moment).items()
    }
    targets = {end for pair in ends.values() for end in pair}
    try:
        away = nexus.elements.distances(center, targets, FARTHEST, as_of=moment)
    except RecollectError as error:
        if error.code is not NOT_FOUND:
            raise
        return {}  # the centre is a node of another of the groups
    near = {uuid: [away[end] for end in pair if end in away] for uuid, pair in ends.items()}
    return {uuid: min(steps) for uuid, steps in near.items() if steps}


def _ends(dated: Dated) -> tuple[str, str]:
    link = dated.element
    assert isinstance(link, Link)
    return link.subject, link.object


def _share(found: Sequence[FactResult | EntityNode], legs: int) -> None:
    """Give each a score: what its ranks reach of the most that they could in any of the groups."""
    for one in found:
        one["score"] = share(one["rrf"] or 0.0, legs)


def _by_score(found: FactResult | EntityNode) -> tuple[float, str, str]:
    return -(found["score"] or 0.0), found["uuid"], found["group_id"]


CONSTANT = 60
"""RRF's k: how much a first rank is worth more than a second."""

FARTHEST = 3
"""Links beyond which an element is not near the centre at all."""


def fused(legs: Sequence[Sequence[Ranked]]) -> dict[str, float]:
    """Return the sum of the reciprocal ranks of each id; ranks count from 1.

    >>> fused([[Ranked("a", 0.9), Ranked("b", 0.1)], [Ranked("a", 0.3)]])["a"] == 2 / 61
    True
    """
    scores: dict[str, float] = {}
    for leg in legs:
        for rank, one in enumerate(leg, 1):
            scores[one.id] = scores.get(one.id, 0.0) + 1 / (CONSTANT + rank)
    return scores


def share(score: float, legs: int) -> float:
    """Return what a sum of reciprocal ranks is of the most it could be: from 0 to 1.

    >>> share(1 / 61, 1), share(1 / 61, 2)
    (1.0, 0.5)
    """
    return score / (legs / (CONSTANT + 1))


def reranked(
    scores: Mapping[str, float], legs: int, distances: Mapping[str, int], weight: float
) -> dict[str, float]:
    """Return relevance and nearness weighed against each other, each from 0 to 1.

    >>> reranked({"a": 1 / 61, "b": 1 / 62}, 1, {"b": 0}, weight=0.2)["a"]
    0.8
    """
    return {
        one: (1 - weight) * share(score, legs) + weight * _nearness(distances.get(one))
        for one, score in scores.items()
    }


def best(scores: Mapping[str, float], limit: int) -> list[tuple[str, float]]:
    """Return the ids with the highest scores, ties by id."""
    return sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:limit]


def _nearness(distance: int | None) -> float:
    return 0.0 if distance is None or distance > FARTHEST else 1 / (1 + distance)
