"""Time the engine beside hand-written SQL on the same file: `python -m bench`.

Each shape is asked in KIP through `Nexus.read` and in SQL with the same guards, order and
decoding; the answers must be equal before anything is timed. Medians, in microseconds.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw
import orjson
from rich.console import Console
from rich.table import Table

import recollect
from recollect.kernel import parse
from recollect.model import Rows

CONCEPTS = 5_000
LINKS_EACH = 8
ROUNDS = 500
LIVING = 2**62  # expired_at of what is alive

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


@dataclass(frozen=True, slots=True)
class Shape:
    """One question in both languages; `$name` and `:name` are the concept asked about."""

    title: str
    kip: str
    sql: str


SHAPES = (
    Shape(
        "point lookup",
        'FIND(?rank) WHERE { ?item {type: "Item", name: $name} ATTR(?item, "rank", ?rank) }',
        """
        SELECT json_extract(item.attributes, '$.rank') FROM concept item
        WHERE item.group_id = :group AND item.name = :name AND item.expired_at = :living
          AND item.type = :item
        """,
    ),
    Shape(
        "1-hop",
        'FIND(?rank) WHERE { ({type: "Item", name: $name}, "near", ?other)'
        ' ATTR(?other, "rank", ?rank) }',
        """
        SELECT DISTINCT json_extract(other.attributes, '$.rank')
        FROM concept item CROSS JOIN link near CROSS JOIN concept other
        WHERE item.group_id = :group AND item.name = :name AND item.expired_at = :living
          AND item.type = :item
          AND near.group_id = :group AND near.subject = item.id AND near.predicate = :near
          AND near.expired_at = :living
          AND other.group_id = :group AND other.id = near.object AND other.expired_at = :living
        ORDER BY other.id
        """,
    ),
)


def build(path: Path) -> None:
    """Write the graph: items with a rank, each near a few others, the same in every run."""
    chance = random.Random(1)
    with recollect.open(path) as nexus:
        for first in range(0, CONCEPTS, 500):
            blocks = [
                f'CONCEPT {{ {{type: "Item", name: "{n}"}} SET ATTRIBUTES {{rank: {n}}} }}'
                for n in range(first, first + 500)
            ]
            nexus.write(f"UPSERT {{ {' '.join(blocks)} }}")
        for first in range(0, CONCEPTS, 500):
            blocks = []
            for n in range(first, first + 500):
                near = " ".join(
                    f'("near", {{type: "Item", name: "{other}"}})'
                    for other in chance.sample(range(CONCEPTS), LINKS_EACH)
                )
                blocks.append(
                    f'CONCEPT {{ {{type: "Item", name: "{n}"}} SET PROPOSITIONS {{ {near} }} }}'
                )
            nexus.write(f"UPSERT {{ {' '.join(blocks)} }}")


def median(run: Callable[[str], object], names: list[str]) -> float:
    """Return the median time of `run`, in microseconds, over the names, warm."""
    for name in names[:50]:
        run(name)
    times = []
    for name in names:
        start = time.perf_counter_ns()
        run(name)
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1_000


def by_hand(connection: apsw.Connection, shape: Shape) -> Callable[[str], list[tuple[object, ...]]]:
    """Return a function that asks a shape in SQL and decodes what comes back."""
    terms = dict(connection.execute("SELECT text, code FROM term"))
    ((group,),) = connection.execute("SELECT group_id FROM grp WHERE name = 'default'")
    bound = {"group": group, "living": LIVING, "item": terms["Item"], "near": terms["near"]}

    def ask(name: str) -> list[tuple[object, ...]]:
        rows = connection.execute(shape.sql, {**bound, "name": name}).fetchall()
        return [tuple(orjson.loads(str(cell)) for cell in row) for row in rows]

    return ask


def through_nexus(
    nexus: recollect.Nexus, shape: Shape
) -> Callable[[str], list[tuple[object, ...]]]:
    """Return a function that asks a shape in KIP."""

    def ask(name: str) -> list[tuple[object, ...]]:
        (result,) = nexus.read(shape.kip, {"name": name}).results
        assert isinstance(result, Rows)
        return list(result.rows)

    return ask


def main() -> None:
    """Build, check, time, and print the table."""
    console = Console()
    table = Table(
        "shape", "KIP us", "SQL us", "ratio", title="medians of one run; smaller is better"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        with console.status(f"Building {CONCEPTS} concepts, {CONCEPTS * LINKS_EACH} links"):
            build(path)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        names = [str(n) for n in random.Random(2).choices(range(CONCEPTS), k=ROUNDS)]
        with recollect.open(path) as nexus:
            for shape in SHAPES:
                kip, sql = through_nexus(nexus, shape), by_hand(connection, shape)
                for name in names[:50]:
                    if kip(name) != sql(name):
                        raise SystemExit(f"{shape.title}: the answers differ for item {name}")
                ours, theirs = median(kip, names), median(sql, names)
                table.add_row(shape.title, f"{ours:.1f}", f"{theirs:.1f}", f"{ours / theirs:.2f}")
        connection.close()
    parsing = median(lambda _: parse(QUERY_OF_15_LINES), names)
    table.add_row("parse a query of 15 lines", f"{parsing:.1f}", "", "")
    console.print(table)


if __name__ == "__main__":
    main()
