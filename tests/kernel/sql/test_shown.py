"""Elements are shown by their ids alike in both dialects, on the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import orjson
import pytest
from bench.graph import Builder, Built, Size
from tests.kernel.sql.twin import Twin

import recollect
from recollect.kernel import Nexus
from recollect.kernel.plan.ir import PathStep
from recollect.kernel.read.reader import Catalog, Reader
from recollect.kernel.read.walk import distances_between, links_walked
from recollect.kernel.sql.hydration import dated_sql, hydration_sql, joints_sql, record_sql
from recollect.kernel.sql.rows import Clock
from recollect.kernel.store.cells import whole
from recollect.kernel.store.group import existing_group
from recollect.kernel.store.port import Dialect
from recollect.model import LIVING, AsOf, ElementKind, Limits

CLOCKS = [Clock(), Clock(has_known=True), Clock(has_known=True, has_valid=True)]
IDS = range(2, 1_200)
PAIRS = """
SELECT l.subject, m.object FROM link AS l JOIN link AS m ON m.subject = l.object AND l.id > m.id
JOIN term AS t ON t.code = l.predicate AND t.code = m.predicate AND t.text = 'interacts_with'
ORDER BY l.id, m.id LIMIT 20
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A small graph with a past."""
    return Builder(tmp_path_factory.mktemp("shown") / "memory.db", Size(200, 1_000)).run()


@pytest.fixture(scope="module")
def nexus(built: Built, twin: Twin) -> Iterator[Nexus]:
    """The memory, whose twin is on the server."""
    with recollect.open(built.path) as nexus:
        twin.load(nexus)
        yield nexus


def made(kind: ElementKind, clock: Clock) -> list[Callable[[Dialect], str]]:
    return [
        lambda dialect: hydration_sql(kind, clock, dialect),
        lambda dialect: dated_sql(kind, clock, dialect),
        lambda dialect: record_sql(kind, clock, dialect),
        lambda dialect: joints_sql("subject", clock, dialect, is_every=True),
        lambda dialect: joints_sql("object", clock, dialect, is_every=False),
    ]


@pytest.mark.parametrize("clock", CLOCKS, ids=["now", "then", "then and true"])
@pytest.mark.parametrize("kind", list(ElementKind))
def test_rows_of_ids_are_the_same(
    kind: ElementKind, clock: Clock, nexus: Nexus, built: Built, twin: Twin
) -> None:
    given = {
        "group": 1,
        "ids": orjson.dumps([*IDS]).decode(),
        "predicates": "[1,2,3,4,5,6,7,8]",
        "known": built.known,
        "last_id": LIVING,
        "valid": 0,
        "after": 0,
    }
    for text in made(kind, clock):
        found = []
        for store in (nexus._store, twin.store):
            with store.reading() as session:
                found.append(sorted(session.rows(text(session.dialect), given), key=repr))
        ours, theirs = found
        assert ours
        assert ours == theirs


@pytest.mark.parametrize("is_past", [False, True], ids=["now", "then"])
def test_walks_and_distances_are_the_same(
    nexus: Nexus, built: Built, twin: Twin, *, is_past: bool
) -> None:
    as_of = AsOf(transaction=built.known) if is_past else None
    step = PathStep("interacts_with", 1, 4)
    with nexus._store.reading() as session:
        pairs = [(whole(one), whole(other)) for one, other in session.rows(PAIRS)]
    (ids,) = nexus.read('FIND(?i) WHERE { ?d {type: "Drug"} ATTR(?d, "id", ?i) } LIMIT 30').results
    names = [str(one) for (one,) in ids.rows]
    found = []
    for store in (nexus._store, twin.store):
        with store.reading() as session:
            catalog = Catalog.of(existing_group(session, nexus.group_name))
            reader = Reader(session, catalog, Limits(), as_of)
            walked = [links_walked(reader, start, end, (step,)) for start, end in pairs]
            found.append((walked, distances_between(reader, names[0], names, 4)))
    ours, theirs = found
    assert any(ours[0])
    assert len(ours[1]) > 1
    assert ours == theirs
