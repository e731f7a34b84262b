"""Rows that rest on what is not true now: they stay as they are, and a warning names them.

The rule: KIP hides nothing, so a reader is told which rows stand on an element that has ended or
not begun. Only where a type or predicate of the query has such elements at all is anything asked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Final

import orjson

from recollect.errors import Notice, ask_about_now
from recollect.kernel.lang import ast
from recollect.kernel.plan import ir
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import owners
from recollect.kernel.plan.pipeline import plan_find
from recollect.kernel.read.cells import Page
from recollect.kernel.read.moment import Moment, public_ids
from recollect.kernel.read.reader import Reader
from recollect.kernel.read.walk import links_walked
from recollect.kernel.read.why import Identity, NamedSolutions, identified
from recollect.kernel.store.cells import whole
from recollect.kernel.store.group import Group, last_instant
from recollect.kernel.store.port import Parameters, Session
from recollect.kernel.store.statements.elements import OUT_OF_TIME
from recollect.model import BEGINNING, FOREVER, LIVING, Element, Instant, Link, bounded

MOST_ROWS: Final = 1_000
"""Rows of an answer that are looked at."""

MOST_SOLUTIONS: Final = 10_000
"""Solutions of a query that are looked at: the warning is a help, and costs no more than this."""

MOST_WALKS: Final = 100
"""Paths of more than one link whose links are looked for."""

_MOST_TOLD: Final = 5  # rows that the warning names, and elements of each


def resting(reader: Reader, find: ast.Find, bindings: Bindings) -> Iterator[Notice]:
    """Yield the warning that names the rows of a page which rest on what is not true now.

    Cost: the query twice more, with a limit to what is looked at, and a statement; so it is only
    asked where `Reader.may_rest` does not say that none can.
    """
    page = Page.of(find, bindings)
    with reader.at_page(page):
        yield from _resting(reader, find, bindings, page)


def _resting(reader: Reader, find: ast.Find, bindings: Bindings, page: Page) -> Iterator[Notice]:
    rows = _rows(reader, find, bindings, page)
    if not rows:
        return
    stands: defaultdict[int, set[int]] = defaultdict(set)
    solutions, walks = NamedSolutions(reader, find, bindings), 0
    with closing(solutions.each()) as found:
        for identity, held in islice(found, MOST_SOLUTIONS):
            for place in rows.get(identity, ()):
                stands[place].update(one for one in held.values() if isinstance(one, int))
                for walked, path in islice(solutions.walks, MOST_WALKS - walks):
                    start, end = held[walked.subject], held[walked.object]
                    if isinstance(start, int) and isinstance(end, int):
                        walks += 1
                        stands[place].update(links_walked(reader, start, end, path))
    ids = sorted({one for elements in stands.values() for one in elements})
    ended = out_of_time(reader.session, reader.group, ids, _now(reader), reader.moment.known)
    told = {
        place: sorted(elements & ended.keys())
        for place, elements in sorted(stands.items())
        if not elements.isdisjoint(ended)
    }
    if told:
        yield _notice(reader, told, ended)


def standings(
    reader: Reader, elements: Mapping[int, Element], moment: Moment, last: int
) -> dict[int, str]:
    """Return in words what keeps elements from being so now, by id.

    `last` is a transaction as of which the counts are good enough. Cost: nothing where they say
    that all of the types and predicates are true for ever, else a statement.
    """
    if reader.clock is None or not elements or moment.clock.has_valid:
        return {}
    statistics = reader.statistics_of(last)
    among = [
        one
        for one, element in elements.items()
        if (
            element.predicate in statistics.bounded_links
            if isinstance(element, Link)
            else element.type in statistics.bounded_types
        )
    ]
    if not among:
        return {}
    return out_of_time(reader.session, reader.group, among, _now(reader), moment.known)


def out_of_time(
    session: Session, group: Group, ids: Sequence[int], at: Instant, known: int | None
) -> dict[int, str]:
    """Return in words why elements are not true at an instant, by id; those that are true are not.

    They are taken as they stood after the transaction `known`. Cost: one statement.
    """
    if not ids:
        return {}
    parameters: Parameters = {
        "group": group.group_id,
        "ids": orjson.dumps(ids).decode(),
        "at": at,
        "known": LIVING - 1 if known is None else known,
    }
    found: dict[int, str] = {}
    for one, start, end in session.rows(OUT_OF_TIME, parameters):
        valid_at, invalid_at = Instant(whole(start)), Instant(whole(end))
        found[whole(one)] = bounded(
            None if valid_at == BEGINNING else valid_at,
            None if invalid_at == FOREVER else invalid_at,
            at,
        )
    return found


def _now(reader: Reader) -> Instant:
    """Return the time of a memory: the clock, or its last transaction if later."""
    assert reader.clock is not None
    return max(reader.clock(), last_instant(reader.session, reader.group.group_id))


def _rows(
    reader: Reader, find: ast.Find, bindings: Bindings, page: Page
) -> dict[Identity, list[int]]:
    """Return the places of the rows of a page by what identifies the solutions that make them."""
    lifting = Lifting(bindings)
    shape = ast.Find(find.columns, lifting.clauses(find.where), find.order_by)
    plan = plan_find(shape, reader.statistics())
    read_from: tuple[ir.Column, ...] = () if plan.is_grouped else owners(plan)
    query = identified(reader, find, replace(plan, columns=(*plan.columns, *read_from)), lifting)
    limit = MOST_ROWS if page.limit is None else min(page.limit, MOST_ROWS)
    paged = replace(page.counted() if page.after is not None else page, limit=limit)
    found: defaultdict[Identity, list[int]] = defaultdict(list)
    for place, row in enumerate(reader.run(query.compiled, dict(query.parameters), paged)):
        found[query.identity(row)].append(place)
    return found


def _notice(reader: Reader, told: Mapping[int, Sequence[int]], ended: Mapping[int, str]) -> Notice:
    shown = dict(islice(told.items(), _MOST_TOLD))
    first = [one for elements in shown.values() for one in elements[:_MOST_TOLD]]
    names = public_ids(reader.session, reader.group, [*dict.fromkeys(first)])
    parts = list[str]()
    for place, elements in shown.items():
        named = [f"{names[one]}, {ended[one]}" for one in elements[:_MOST_TOLD]]
        if len(elements) > _MOST_TOLD:
            named.append(f"{len(elements) - _MOST_TOLD} more")
        parts.append(f"row {place + 1}, {' and '.join(named)}")  # counted from 1, as people count
    more = len(told) - len(shown)
    rest = f"; and {more} more" if more else ""
    which = "1 row rests" if len(told) == 1 else f"{len(told)} rows rest"
    return Notice(
        "not_true_now",
        f"{which} on what is not true now: {'; '.join(parts)}{rest}",
        hint=ask_about_now(),
    )
