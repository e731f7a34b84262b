"""Walks along links: one shortest way between two elements, and how far others are from one.

The rule: only links that are alive, and true, at the moment asked about are walked. A way is one
that the path of a query allows; distances go in either direction, whatever the predicates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

import orjson

from recollect.errors import NOT_FOUND, refused
from recollect.kernel.plan import ir
from recollect.kernel.read.moment import Moment, check_ids, latest_by_id
from recollect.kernel.read.reader import Reader
from recollect.kernel.sql import nodes
from recollect.kernel.sql.hydration import IDS
from recollect.kernel.sql.rows import Clock
from recollect.kernel.store.cells import SqlValue, whole
from recollect.kernel.store.group import Group
from recollect.kernel.store.port import Dialect, Session

MOST_VISITED = 100_000
"""Places a search looks at before it gives up."""

_Place = tuple[int, int]  # an element, and how many links were walked, as far as it matters


def links_walked(
    reader: Reader, start: int, end: int, steps: Iterable[ir.PathStep]
) -> tuple[int, ...]:
    """Return the ids of the links of a shortest walk; none if it has no link or is too long.

    Cost: one statement for each link of its length, and every link met on the way.
    """
    walks = (_walk(reader, start, end, step) for step in steps)
    return min((one for one in walks if one is not None), key=len, default=())


def _walk(reader: Reader, start: int, end: int, step: ir.PathStep) -> tuple[int, ...] | None:
    came: dict[_Place, tuple[_Place, int] | None] = {(start, 0): None}
    frontier = [(start, 0)]
    while frontier:
        for place in frontier:
            if place[0] == end and place[1] >= step.minimum:
                return tuple(_back(came, place))
        if len(came) > MOST_VISITED:
            return None
        frontier = [*_next(reader, step, came, frontier)]
    return None


def _next(
    reader: Reader,
    step: ir.PathStep,
    came: dict[_Place, tuple[_Place, int] | None],
    frontier: list[_Place],
) -> Iterator[_Place]:
    """Yield the places one link further that were not met before."""
    depths = dict(frontier)
    for link, near, far in _links_of(reader, depths, step.predicate):
        depth = depths[near] + 1
        if step.maximum is None:
            depth = min(depth, step.minimum)  # how much longer it is no longer matters
        elif depth > step.maximum:
            continue
        if (far, depth) not in came:
            came[far, depth] = ((near, depths[near]), link)
            yield far, depth


def _back(came: dict[_Place, tuple[_Place, int] | None], place: _Place) -> list[int]:
    links = []
    while (step := came[place]) is not None:
        place, link = step
        links.append(link)
    return links[::-1]


def _links_of(
    reader: Reader, elements: Iterable[int], predicate: str
) -> Iterator[tuple[int, int, int]]:
    code = reader.terms.code(reader.session, predicate)
    parameters: dict[str, SqlValue] = {
        "group": reader.group.group_id,
        "predicate": code,
        "ids": orjson.dumps(list(elements)).decode(),
        **reader.moment.parameters,
    }
    rows = reader.session.rows(_links_sql(reader.moment.clock, reader.session.dialect), parameters)
    for link, subject, target in rows:
        yield whole(link), whole(subject), whole(target)


@lru_cache(16)
def _links_sql(clock: Clock, dialect: Dialect) -> str:
    """Return the SELECT of the links of a predicate that begin in the elements `:ids`."""
    wanted = nodes.Column("wanted", "value")
    is_it = nodes.equal(nodes.Column("l", "predicate"), nodes.Param("predicate", "bigint"))
    select = nodes.Select(
        tuple((nodes.Column("l", one), "") for one in ("id", "subject", "object")),
        (nodes.From(IDS, "wanted"), nodes.From("link", "l")),
        (*clock.alive("l"), is_it, nodes.equal(nodes.Column("l", "subject"), wanted)),
        order_by=(nodes.Order(nodes.Column("l", "id")),),
    )
    return select.sql(dialect)


def distances_between(
    reader: Reader, start: str, targets: Collection[str], most: int
) -> dict[str, int]:
    """Return how many links each target is away, of those that are at most `most` away.

    KIP_3002 when nothing is called `start`; INVALID_ARGUMENT for what is no number of links.
    Cost: one statement for each step, and every link met on the way.
    """
    check_ids(targets)
    if type(most) is not int:
        raise refused("most is not a whole number of links", "pass most=2")
    session, group, moment = reader.session, reader.group, reader.moment
    named = latest_by_id(session, group, [start, *targets], moment)
    if start not in named:
        raise NOT_FOUND.error(f'no element has the id "{start}"')
    places = {text: named[text] for text in targets if text in named}
    walked = _walked(session, group, named[start], {*places.values()}, most, moment)
    return {text: walked[one] for text, one in places.items() if one in walked}


def _walked(
    session: Session, group: Group, start: int, targets: Collection[int], most: int, moment: Moment
) -> dict[int, int]:
    found = {start: 0} if start in targets else {}
    seen, frontier = {start}, {start}
    for distance in range(1, most + 1):
        missing = {one for one in targets if one not in found}
        if not missing or not frontier:
            break
        if distance == most:  # the last step is walked from the other side, where there are few
            pairs = _pairs(session, group, missing, moment)
            found |= {near: distance for near, far in pairs if far in frontier}
            break
        met = {far for _, far in _pairs(session, group, frontier, moment)}
        frontier = met - seen
        seen |= frontier
        found |= dict.fromkeys(missing & frontier, distance)
    return found


def _pairs(
    session: Session, group: Group, elements: Collection[int], moment: Moment
) -> Iterator[tuple[int, int]]:
    """Yield each of some elements with each that a link joins it to."""
    parameters: dict[str, SqlValue] = {
        "group": group.group_id,
        "ids": orjson.dumps([*elements]).decode(),
        **moment.parameters,
    }
    for near, far in session.rows(_pairs_sql(moment.clock, session.dialect), parameters):
        yield whole(near), whole(far)


@lru_cache(16)
def _pairs_sql(clock: Clock, dialect: Dialect) -> str:
    """Return the SELECT of the elements `:ids` with what links join them to."""
    both = (("o", "subject", "object"), ("i", "object", "subject"))
    selects = tuple(
        nodes.Select(
            ((nodes.Column(alias, near), ""), (nodes.Column(alias, far), "")),
            (nodes.From(IDS, f"{alias}_wanted"), nodes.From("link", alias)),
            (
                *clock.alive(alias),
                nodes.equal(nodes.Column(alias, near), nodes.Column(f"{alias}_wanted", "value")),
            ),
        )
        for alias, near, far in both
    )
    return nodes.Compound(selects, is_all=False).sql(dialect)
