"""Reads: every shape in KIP beside SQL by hand, now and as of the past.

The rule: nothing is timed before both have given the same decoded rows. Times are the thread's
own processor time: nothing here waits for a disk, and others may be at work.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import apsw
import orjson

import recollect
from bench.graph import Built
from bench.measure import Calibration, Figure, medians
from bench.scale import Scale
from bench.shapes import SHAPES, Shape, sql_of
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.model import LIVING, AsOf, Rows

_NAMES = 400
_SECONDS = 3.0  # for each shape
_CHECKED = 5

Ask = Callable[[str], list[tuple[object, ...]]]


@dataclass(frozen=True, slots=True)
class Timed:
    """What one shape took, in microseconds."""

    shape: Shape
    repeated: float
    changed: float
    by_hand: float
    past: float
    past_by_hand: float
    rows: float  # of an answer, on average


def time_shapes(built: Built, only: str, calibration: Calibration, scale: Scale) -> Iterator[Timed]:
    """Time every shape whose title holds `only`."""
    session = SqliteSession(str(built.path), StoreSettings(), query_only=True)
    past = AsOf(transaction=built.known)
    with recollect.open(built.path) as nexus:
        for shape in SHAPES:
            if only in shape.title:
                calibration.run()
                yield _timed(nexus, session.connection, shape, past, built, scale)
    session.connection.close()


def figures(timed: Timed, links: int) -> list[Figure]:
    """Return the lines of the report about one shape."""
    shape = timed.shape.title
    size = f"{links // 1000} k links"
    return [
        Figure(
            f"reads, {size}",
            f"{shape}, repeated text",
            timed.repeated,
            "us",
            timed.by_hand,
            "1.25x + 30 us",
            timed.repeated <= 1.25 * timed.by_hand + 30,
        ),
        Figure(
            f"reads, {size}",
            f"{shape}, changed literals",
            timed.changed,
            "us",
            timed.by_hand,
            "1.25x + 100 us",
            timed.changed <= 1.25 * timed.by_hand + 100,
        ),
        Figure(
            f"past, {size}",
            f"{shape}, as of the past, beside now",
            timed.past,
            "us",
            timed.repeated,
            "1.5x",
            timed.past <= 1.5 * timed.repeated,
        ),
        Figure(
            f"past, {size}",
            f"{shape}, as of the past, beside SQL",
            timed.past,
            "us",
            timed.past_by_hand,
            "1.25x + 30 us",
            timed.past <= 1.25 * timed.past_by_hand + 30,
        ),
    ]


def growth(small: Timed, large: Timed) -> Figure:
    """Return how many times longer a row takes in a graph of ten times the links.

    Beside it, how many times longer it takes by hand: more pages are read then by anybody.
    """
    rows = max(large.rows, 1) / max(small.rows, 1)
    ours = large.repeated / small.repeated / rows
    by_hand = large.by_hand / small.by_hand / rows
    return Figure(
        "growth",
        f"{large.shape.title}, a row in ten times the links, beside SQL",
        ours,
        "x",
        by_hand,
        "1.2x, or 1.1x of SQL's",
        ours <= max(1.2, 1.1 * by_hand),
    )


def _timed(
    nexus: recollect.Nexus,
    connection: apsw.Connection,
    shape: Shape,
    past: AsOf,
    built: Built,
    scale: Scale,
) -> Timed:
    chance = random.Random(2)
    count = built.size.classes if shape.start == "class" else built.size.drugs
    names = [f"{shape.start} {chance.randrange(count)}" for _ in range(_NAMES)]
    if "$name" not in shape.kip:
        names = names[:12]
    asks = [
        _in_kip(nexus, shape, None),
        _by_hand(connection, shape, None),
        _in_kip(nexus, shape, past),
        _by_hand(connection, shape, past),
    ]
    for name in names[:_CHECKED]:
        for ours, theirs in ((asks[0], asks[1]), (asks[2], asks[3])):
            if ours(name) != theirs(name):
                raise SystemExit(f"{shape.title}: the answers differ for {name}")
    rows = sum(len(asks[0](name)) for name in names[:50]) / len(names[:50])
    asks.append(_with_literals(nexus, shape))
    found = medians(asks, names, scale.seconds(_SECONDS), time.thread_time_ns)
    repeated, by_hand, then, then_by_hand, changed = found
    return Timed(shape, repeated, changed, by_hand, then, then_by_hand, rows)


def _in_kip(nexus: recollect.Nexus, shape: Shape, past: AsOf | None) -> Ask:
    """Return a function that asks one text with a parameter."""
    takes_name = "$name" in shape.kip

    def ask(name: str) -> list[tuple[object, ...]]:
        (result,) = nexus.read(shape.kip, {"name": name} if takes_name else {}, as_of=past).results
        assert isinstance(result, Rows)
        return list(result.rows)

    return ask


def _with_literals(nexus: recollect.Nexus, shape: Shape) -> Ask:
    """Return a function whose text is another one for every name, as a model writes it."""
    turns = 0

    def ask(name: str) -> list[tuple[object, ...]]:
        nonlocal turns
        turns += 1
        text = shape.kip.replace("$name", orjson.dumps(name).decode()) + " " * turns
        (result,) = nexus.read(text).results
        assert isinstance(result, Rows)
        return list(result.rows)

    return ask


def _by_hand(connection: apsw.Connection, shape: Shape, past: AsOf | None) -> Ask:
    """Return a function that asks in SQL and decodes what comes back."""
    sql = sql_of(shape, is_past=past is not None)
    bound = dict(connection.execute("SELECT text, code FROM term"))
    ((bound["group"],),) = connection.execute("SELECT group_id FROM grp WHERE name = 'default'")
    bound["living"] = LIVING
    if past is not None:
        find = "SELECT last_id FROM tx WHERE group_id = ? AND number = ?"
        bound["known"] = past.transaction
        ((bound["last_id"],),) = connection.execute(find, (bound["group"], past.transaction))
    loads = orjson.loads
    kept = apsw.SQLITE_PREPARE_PERSISTENT  # as the engine's own connections have it

    def ask(name: str) -> list[tuple[object, ...]]:
        rows = connection.execute(sql, {**bound, "name": name}, prepare_flags=kept).fetchall()
        if not shape.json:
            return rows
        return [
            tuple(loads(str(cell)) if at in shape.json else cell for at, cell in enumerate(row))
            for row in rows
        ]

    return ask
