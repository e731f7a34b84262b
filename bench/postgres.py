"""Time a memory on a PostgreSQL server beside hand-written SQL: `python -m bench.postgres`.

The rule: both go through one driver to one server, a connection each, in turns; nothing is timed
before both have given the same rows. Without an address a server is started for the run.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import orjson
import psycopg
from rich.console import Console
from tests import postgres

import recollect
from bench.graph import Builder, Built, Size
from bench.measure import Figure, medians
from bench.notes import notes, questions
from bench.reads import _in_kip
from bench.report import in_sections, save, show
from bench.scale import FULL, SMALL, TINY, Scale
from bench.searches import DOCUMENTS, SMALL_GROUP, Library
from bench.served_shapes import served_sql
from bench.shapes import SHAPES, Shape
from recollect.kernel.store.postgres import round_trip
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.binding import adapt, bound
from recollect.kernel.store.postgres.round_trip import Query, ServerAnswer, ServerConnection
from recollect.model import LIVING, AsOf

GRAPH = Size(10_000, 100_000)
_SECONDS = 3.0
_NAMES = 200
_CHECKED = 3
_WRITES = 200
_CHANGES = ("INSERT", "UPDATE", "DELETE")
_TOGETHER = 1_000  # documents in one transaction


@dataclass(frozen=True, slots=True)
class Run:
    """One run: a database of its own on a server."""

    database: str
    scale: Scale

    def place(self, schema: str) -> str:
        """Return the address of a memory."""
        return f"{self.database}{'&' if '?' in self.database else '?'}schema={schema}"

    def figures(self) -> Iterator[Figure]:
        """Measure, section by section."""
        size = Size(self.scale.size(GRAPH.concepts), self.scale.size(GRAPH.links))
        built = Builder(self.place("graph"), size).run()
        rate = built.links_a_second
        yield Figure("writes", "links, bulk", rate, "/s", None, "5,000/s", rate >= 5_000)
        yield from self._reads(built)
        yield from self._first_reads(built)
        yield from self._writes()
        yield from self._searches()

    def _reads(self, built: Built) -> Iterator[Figure]:
        section = f"reads, {built.size.links // 1000} k links"
        place, past = self.place("graph"), AsOf(transaction=built.known)
        with _by_hand(place) as hand, recollect.open(place) as nexus:
            for shape in SHAPES:
                names = _names(shape, built.size)
                asks = _in_kip(nexus, shape, None), hand(shape), _in_kip(nexus, shape, past)
                for name in names[:_CHECKED]:
                    if asks[0](name) != asks[1](name):
                        raise SystemExit(f"{shape.title}: the answers differ for {name}")
                ours, theirs, then = medians(asks, names, self.scale.seconds(_SECONDS))
                yield Figure(
                    section,
                    f"{shape.title}, repeated text",
                    ours,
                    "us",
                    theirs,
                    "1.25x + 150 us",
                    ours <= 1.25 * theirs + 150,
                )
                yield Figure(
                    "past",
                    f"{shape.title}, as of the past, beside now",
                    then,
                    "us",
                    ours,
                    "1.5x",
                    then <= 1.5 * ours,
                )
                if shape.title == "point lookup":
                    yield Figure(section, "point lookup", ours, "us", None, "300 us", ours <= 300)

    def _first_reads(self, built: Built) -> Iterator[Figure]:
        """Ask what was just restored, then once more after an ANALYZE by hand."""
        dump, place = BytesIO(), self.place("restored")
        with recollect.open(self.place("graph")) as nexus:
            nexus.dump(dump)
        dump.seek(0)
        with recollect.open(place) as nexus:
            nexus.restore(dump)
        first = _seconds_of_shapes(place, built)
        schema = parse_server(place).schema
        with psycopg.connect(self.database, autocommit=True) as connection:
            for (table,) in connection.execute(
                "SELECT relname::text FROM pg_stat_user_tables WHERE schemaname = %s", [schema]
            ).fetchall():
                connection.execute(f'ANALYZE "{schema}"."{table}"'.encode())
        after = _seconds_of_shapes(place, built)
        yield Figure(
            "reads after a restore",
            "each shape once, beside after ANALYZE by hand",
            first * 1e3,
            "ms",
            after * 1e3,
            "1.2x",
            first <= 1.2 * after,
        )

    def _writes(self) -> Iterator[Figure]:
        """Write single concepts; then send the same statements to a copy of the database."""
        place, count = self.place("written"), self.scale.times(_WRITES)
        text = 'UPSERT { CONCEPT @c { {type: "Drug", name: $name} SET ATTRIBUTES { risk: 2 } } }'
        with recollect.open(place) as nexus:
            for at in range(20):
                nexus.write(text, {"name": f"warm {at}"})
        copy = f"{parse_server(place).schema}_copy"
        with psycopg.connect(self._beside("postgres"), autocommit=True) as connection:
            name = urlsplit(self.database).path[1:]
            connection.execute(f'CREATE DATABASE "{copy}" TEMPLATE "{name}"'.encode())
        try:
            with recollect.open(place) as nexus, _overheard() as heard:
                nexus.write(text, {"name": "first"})
                heard.clear()
                ours = []
                for at in range(count):
                    began = time.perf_counter()
                    nexus.write(text, {"name": f"drug {at}"})
                    ours.append(time.perf_counter() - began)
            theirs, trips = _replayed(self._beside(copy), parse_server(place).schema, heard)
        finally:
            with psycopg.connect(self._beside("postgres"), autocommit=True) as connection:
                connection.execute(f'DROP DATABASE "{copy}" WITH (FORCE)'.encode())
        one, other = sorted(ours)[count // 2] * 1e6, sorted(theirs)[count // 2] * 1e6
        yield Figure(
            "writes",
            "a concept, beside its statements alone",
            one,
            "us",
            other,
            "1.3x",
            one <= 1.3 * other,
        )
        yield Figure("writes", "round trips before COMMIT", trips, "", None, "3", trips <= 3)

    def _searches(self) -> Iterator[Figure]:
        scale = self.scale
        documents, place = scale.size(DOCUMENTS), self.place("library")
        Library(place, scale).build()
        with recollect.open(place) as nexus:
            small = nexus.group("small")
            for title, group, texts, most in (
                (
                    f"8 words in {documents // 1000} k documents",
                    nexus,
                    questions(60, documents),
                    10_000,
                ),
                (
                    f"8 words in {SMALL_GROUP} documents beside them",
                    small,
                    questions(60, SMALL_GROUP),
                    2_000,
                ),
            ):

                def ask(text: str, group: recollect.Nexus = group) -> object:
                    return group.read("SEARCH CONCEPT $text LIMIT 10", {"text": text})

                (took,) = medians([ask], texts, scale.seconds(_SECONDS))
                target = f"{most // 1000} ms"
                yield Figure("search", title, took, "us", None, target, took <= most)
            added = nexus.group("added")
            more = notes(scale.times(10) * _TOGETHER)
            spent, count = 0.0, 0
            while batch := list(itertools.islice(more, _TOGETHER)):
                began = time.perf_counter()
                added.write(batch)
                spent, count = spent + time.perf_counter() - began, count + len(batch)
            rate = count / spent
            yield Figure(
                "search", "documents written, 1,000 a transaction", rate, "/s", None, "4,000/s",
                rate >= 4_000,
            )  # fmt: skip
            with nexus._store.writing() as session:
                nexus._store.upkeep(session).optimise(())
        schema = parse_server(place).schema
        with psycopg.connect(self.database) as connection:
            found = connection.execute(
                "SELECT pg_total_relation_size(%s::regclass)", [f"{schema}.text_block"]
            ).fetchone()
        assert found is not None
        each = found[0] / (documents + SMALL_GROUP + count)
        yield Figure(
            "search", "the index of a document, joined", each, "bytes", None, "300", each <= 300
        )

    def _beside(self, name: str) -> str:
        """Return the address of another database of the server."""
        return urlsplit(self.database)._replace(path=f"/{name}").geturl()


def _names(shape: Shape, size: Size) -> list[str]:
    if "$name" not in shape.kip:
        return [""] * 12
    count = size.classes if shape.start == "class" else size.drugs
    return [f"{shape.start} {at * 37 % count}" for at in range(_NAMES)]


def _seconds_of_shapes(place: str, built: Built) -> float:
    with recollect.open(place) as nexus:
        began = time.perf_counter()
        for shape in SHAPES:
            ask = _in_kip(nexus, shape, None)
            for name in _names(shape, built.size)[:5]:
                ask(name)
        return time.perf_counter() - began


@contextmanager
def _connected(database: str, schema: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(
        database, autocommit=True, cursor_factory=psycopg.RawCursor, prepare_threshold=0
    ) as connection:
        adapt(connection)
        connection.execute(f'SET search_path = "{schema}"'.encode())
        yield connection


@contextmanager
def _by_hand(place: str) -> Iterator[Callable[[Shape], Callable[[str], list[tuple[Any, ...]]]]]:
    """Give what asks the shapes in SQL and decodes what comes back."""
    address = parse_server(place)
    with _connected(address.conninfo, address.schema) as connection:
        known: dict[str, Any] = dict(connection.execute("SELECT text, code FROM term").fetchall())
        found = connection.execute("SELECT group_id FROM grp WHERE name = 'default'").fetchone()
        assert found is not None
        known |= {"group": found[0], "living": LIVING}

        def asking(shape: Shape) -> Callable[[str], list[tuple[Any, ...]]]:
            sql = served_sql(shape.title)

            def ask(name: str) -> list[tuple[Any, ...]]:
                text, values = bound(sql, {**known, "name": name})
                rows = connection.execute(text.encode(), values).fetchall()
                if not shape.json:
                    return rows
                return [
                    tuple(
                        orjson.loads(cell) if at in shape.json else cell
                        for at, cell in enumerate(row)
                    )
                    for row in rows
                ]

            return ask

        yield asking


@contextmanager
def _overheard() -> Iterator[list[list[Query]]]:
    """Give the round trips of a block, each as the statements that travelled together."""
    heard: list[list[Query]] = []
    sent = round_trip.sent

    def hear(connection: ServerConnection, queries: Sequence[Query]) -> list[ServerAnswer]:
        heard.append(list(queries))
        return sent(connection, queries)

    round_trip.sent = hear
    try:
        yield heard
    finally:
        round_trip.sent = sent


def _replayed(database: str, schema: str, heard: list[list[Query]]) -> tuple[list[float], float]:
    """Return the seconds of each transaction's changes alone, and the round trips it had taken.

    By hand a transaction is three round trips: BEGIN with the lock, all changes, COMMIT.
    """
    writes: list[list[Query]] = []
    for trip in heard:
        if trip[0][0].startswith("BEGIN"):
            writes.append([])
        writes[-1] += trip
    times = []
    with _connected(database, schema) as connection:
        for write in writes:
            lock = next(one for one in write if "lock_group" in one[0])
            changes = [one for one in write if one[0].lstrip()[:6] in _CHANGES]
            began = time.perf_counter()
            for queries in ([("BEGIN", ()), lock], changes):
                with connection.pipeline():
                    for text, values in queries:
                        connection.execute(text.encode(), values)
            connection.execute("COMMIT")
            times.append(time.perf_counter() - began)
    return times, sum(trip[0][0] != "COMMIT" for trip in heard) / len(writes)


def _told(figures: Iterator[Figure], console: Console) -> Iterator[Figure]:
    """Pass figures on, and say each as it comes: a run takes minutes."""
    for one in figures:
        console.print(f"{one.section}: {one.name}: {one.value:,.0f} {one.unit}")
        yield one


def main() -> None:
    """Measure, print the tables, and keep them when asked to."""
    parser = argparse.ArgumentParser(prog="python -m bench.postgres", description=__doc__)
    parser.add_argument("address", nargs="?", help="of a server; without one it is started")
    for name, scale in (("--small", SMALL), ("--tiny", TINY)):
        parser.add_argument(name, action="store_const", dest="scale", const=scale, default=FULL)
    parser.add_argument("--save", metavar="MACHINE", help="keep the figures")
    asked = parser.parse_args()
    console = Console()
    with ExitStack() as stack:
        address = asked.address
        if address is None:
            place = postgres.new_place()
            stack.callback(postgres.forget_place, place)
            address = stack.enter_context(postgres.served(place))
        database = stack.enter_context(postgres.database(address, "recollect_bench"))
        run = Run(database, asked.scale)
        figures = in_sections(_told(run.figures(), console))
    show(figures, console)
    promised = [one.is_reached for one in figures if one.is_reached is not None]
    console.print(f"{sum(promised)} of {len(promised)} targets reached")
    if asked.save:
        console.print(f"saved in {save(figures, asked.save, is_small=asked.scale is SMALL)}")


if __name__ == "__main__":
    main()
