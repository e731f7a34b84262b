"""Writes and texts: loading, parsing, a single durable write, and the memory it all takes.

The rule: what the tables themselves cost is measured beside it, with bare statements.
"""

from __future__ import annotations

import gc
import os
import random
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Literal

import apsw
import orjson

import recollect
from bench.graph import BATCH, Built
from bench.measure import Calibration, Figure, medians, seconds_of
from bench.scale import Scale
from recollect.kernel import parse
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import plan_find
from recollect.kernel.search.tokens import link_text, tokens
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.rows import Clock
from recollect.kernel.store.port import SqlRow, partition_of
from recollect.kernel.store.settings import StoreSettings
from recollect.kernel.store.sqlite.connection import SqliteSession
from recollect.kernel.store.sqlite.dialect import SQLITE
from recollect.kernel.store.sqlite.text_index import body
from recollect.model import Key, PutLink

QUERY_OF_15_LINES = """
FIND(?drug_name, COUNT(DISTINCT ?symptom) AS ?symptoms)
WHERE {
  ?drug {type: "Drug"}
  (?drug, "treats", ?symptom)
  (?symptom, "is_subclass_of{0,3}", {name: "Pain"})
  ATTR(?drug, "name", ?drug_name)
  ATTR(?drug, "risk_level", ?risk)
  OPTIONAL {
    (?drug, "has_side_effect", ?effect)
  }
  NOT { (?drug, "is_class_of", {name: "NSAID"}) }
  FILTER(?risk < 3 && !CONTAINS(?drug_name, "acid"))
}
ORDER BY ?symptoms DESC
LIMIT 10
"""

_CAPSULE_CONCEPTS = 5_000  # with two links each: about a megabyte
_UPSERTS = 300
_BATCHES = 8  # of links, to a graph that is there
_SHARE = 33  # a batch is a thirty-third of the graph: 30,000 links to a million


def load_figures(
    built: Built, folder: Path, calibration: Calibration, scale: Scale
) -> Iterator[Figure]:
    """Return how fast links are added to a graph, in turns with bare inserts of the same rows."""
    section = f"load, {built.size.links // 1000} k links"
    reader, writer = apsw.Connection(str(built.path)), _bare_file(folder / "bare.db", "normal")
    last, few = -1, scale.times(BATCH)
    while rows := _rows_after(reader, last, BATCH):
        last = int(str(rows.links[-1][0]))
        rows.insert(writer.connection)
    os.sync()  # what was written to prepare is not to be waited for
    with recollect.open(built.path, synchronous="normal") as nexus:
        for at, size in enumerate((few, max(few, built.size.links // _SHARE))):
            ours = theirs = 0.0  # seconds of all batches: what some copy, several have written
            for turn in range(at * _BATCHES, (at + 1) * _BATCHES):
                calibration.run()
                batch = _comparisons(built, turn, size)
                ours += seconds_of(partial(nexus.write, batch))
                rows = _rows_after(reader, last, size)
                assert rows is not None
                last = int(str(rows.links[-1][0]))
                theirs += seconds_of(partial(rows.insert, writer.connection))
            rate, bare = _BATCHES * size / ours, _BATCHES * size / theirs
            name = f"links by change batches of {size:,}"
            yield Figure(section, name, rate, "/s", None, "35000/s", rate >= 35_000)
            is_half = rate >= 0.5 * bare
            yield Figure(section, "the same beside bare inserts", rate, "/s", bare, "0.5x", is_half)
        batch = _comparisons(built, 2 * _BATCHES, few)
        with _busy_thread():
            slowed = few / seconds_of(partial(nexus.write, batch))
        yield Figure(section, "links beside a thread that never rests", slowed, "/s")
    reader.close()
    writer.close()
    yield Figure(section, "while the graph was built", built.links_a_second, "/s")


@contextmanager
def _busy_thread() -> Iterator[None]:
    """Keep another thread of this process at work for as long as a block lasts."""
    ends = threading.Event()

    def work() -> None:
        while not ends.is_set():
            pass

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        ends.set()
        worker.join()


def capsule_figures(built: Built, scale: Scale) -> Iterator[Figure]:
    """Return how fast a capsule of a megabyte is parsed, and loaded into a graph."""
    concepts = scale.times(_CAPSULE_CONCEPTS)
    text = _capsule(concepts)
    size = len(text.encode()) / 1e6
    gc.disable()  # as Nexus does while it reads a large text
    rate = size / statistics.median(seconds_of(lambda: parse(text)) for _ in range(7))
    gc.enable()
    yield Figure(
        "texts", f"parse a capsule of {size:.1f} MB", rate, "MB/s", None, "6 MB/s", rate >= 6
    )
    with recollect.open(built.path, synchronous="normal") as nexus:
        elements = 3 * concepts / seconds_of(lambda: nexus.write(text))
    yield Figure(
        f"load, {built.size.links // 1000} k links",
        "elements by capsule",
        elements,
        "/s",
        None,
        "15000/s",
        elements >= 15_000,
    )


def text_figures(calibration: Calibration, scale: Scale) -> Iterator[Figure]:
    """Return what a query of 15 lines costs before it meets the engine."""
    calibration.run()
    cold, parsing = medians([_compile, parse], [QUERY_OF_15_LINES] * 500, scale.seconds(3))
    yield Figure("texts", "a query of 15 lines, cold", cold, "us", None, "500 us", cold <= 500)
    yield Figure("texts", "of that, parsing", parsing, "us")


def upsert_figure(folder: Path, calibration: Calibration, scale: Scale) -> Figure:
    """Return what one durable UPSERT costs beside one bare durable insert."""
    calibration.run()
    session = _bare_file(folder / "insert.db", "full")
    connection = session.connection
    numbers = count(1)
    with recollect.open(folder / "upsert.db") as nexus:

        def upsert(name: str) -> None:
            nexus.write(_UPSERT, {"name": f"{name} {next(numbers)}"})

        def bare(name: str) -> None:
            number = next(numbers)
            row = (
                2 * number,
                1,
                1,
                f"{name} {number}",
                "{}",
                "{}",
                0,
                0,
                1,
                1,
                1,
                2**62,
                bytes(16),
            )
            with connection:
                connection.execute(_INSERT, row)

        ours, theirs = medians([upsert, bare], ["drug"] * _UPSERTS, scale.seconds(8))
    session.close()
    return Figure("writes", "one durable UPSERT", ours, "us", theirs, "3x", ours <= 3 * theirs)


_UPSERT = 'UPSERT { CONCEPT @c { {type: "Drug", name: $name} } }'
_INSERT = """
INSERT INTO concept (id, group_id, type, name, attributes, metadata, valid_at, invalid_at,
    version, born_at, changed_at, expired_at, salt)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def memory_figure(built: Built) -> Figure:
    """Return the memory of a process that has read and written, without what it maps."""
    command = [sys.executable, "-m", "bench.memory", str(built.path)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    megabytes = float(printed)
    name = f"process over the page cache, {built.size.links // 1000} k links"
    return Figure("memory", name, megabytes, "MB", None, "300 MB", megabytes <= 300)


def _compile(text: str) -> object:
    """Take a text to SQL with nothing remembered."""
    (find,) = parse(text).statements
    assert isinstance(find, ast.Find)
    lifting = Lifting(Bindings({}))
    shape = ast.Find(find.columns, lifting.clauses(find.where), find.order_by)
    statistics = Statistics()
    return compile_plan(plan_find(shape, statistics), statistics, Clock(), SQLITE)


def _capsule(concepts: int) -> str:
    blocks = [
        f"""CONCEPT @c{at} {{
  {{type: "Drug", name: "capsule {at}"}}
  SET ATTRIBUTES {{ risk_level: {at % 10}, note: "taken with water, not before food" }}
  SET PROPOSITIONS {{
    ("treats", {{type: "Symptom", name: "symptom {at % 97}"}})
    ("belongs_to_class", {{type: "Class", name: "class {at % 89}"}})
  }}
}}"""
        for at in range(concepts)
    ]
    return "UPSERT {\n" + "\n".join(blocks) + '\n}\nWITH METADATA { source: "bench" }'


@dataclass(frozen=True, slots=True)
class _LinkRows:
    """What some links are in the tables of the store."""

    links: list[SqlRow]
    changes: list[SqlRow]
    bodies: list[SqlRow]

    def insert(self, writer: apsw.Connection) -> None:
        """Insert them with bare statements, in one transaction."""
        with writer:
            writer.executemany(_INSERT_LINK, self.links)
            writer.executemany(_INSERT_CHANGE, self.changes)
            writer.executemany(_INSERT_TEXT, self.bodies)


_LINKS = "SELECT * FROM link WHERE id > ? ORDER BY id LIMIT ?"
_INSERT_LINK = "INSERT INTO link VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_INSERT_CHANGE = "INSERT INTO change VALUES (?, ?, ?, ?, ?)"
_INSERT_TEXT = "INSERT INTO text_index (rowid, body) VALUES (?, ?)"


def _rows_after(reader: apsw.Connection, last: int, count: int) -> _LinkRows | None:
    """Return the rows of so many links that follow an id; None when there are none."""
    links = reader.execute(_LINKS, (last, count)).fetchall()
    if not links:
        return None
    predicates = dict(reader.execute("SELECT code, text FROM term"))
    born = links[-1][0]
    return _LinkRows(
        links,
        [(1, born, link[0], "create", bytes(32)) for link in links],
        [(link[0], _body(link, predicates)) for link in links],
    )


def _comparisons(built: Built, turn: int, count: int) -> list[PutLink]:
    """Return so many links that are not in the graph."""
    chance, drugs = random.Random(turn), built.size.drugs
    return [
        PutLink(
            Key("Drug", f"drug {int(drugs * chance.random() ** 2.5)}"),
            f"compared_in_{turn}_{at // drugs}",
            Key("Drug", f"drug {at % drugs}"),
            {"weight": chance.randrange(100), "note": chance.choice(("better", "worse"))},
            {"confidence": chance.random()},
        )
        for at in range(count)
    ]


def _body(link: SqlRow, terms: dict[int, str]) -> str:
    """Return what the text index holds of a row of `link`."""
    identity, group, _, predicate, *_ = link
    attributes, metadata = (orjson.loads(str(one)) for one in link[7:9])
    assert isinstance(identity, int)
    assert isinstance(group, int)
    assert isinstance(predicate, int)
    words = tokens(link_text(terms[predicate], attributes, metadata))
    return body(partition_of(group, identity, is_living=True).prefix, words)


def _bare_file(path: Path, synchronous: Literal["full", "normal"]) -> SqliteSession:
    """Return a session like the store's to an empty file with its tables."""
    recollect.open(path).close()
    return SqliteSession(str(path), StoreSettings(synchronous), query_only=False)
