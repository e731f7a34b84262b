"""What is read in a snapshot is one state, so nothing is written inside one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest

import recollect
from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel import Nexus
from recollect.model import BEGINNING, Instant, Key, PutConcept

ANN = PutConcept("Person", "Ann")

WRITES: dict[str, Callable[[Nexus], object]] = {
    "write": lambda nexus: nexus.write([ANN]),
    "a text": lambda nexus: nexus.write('UPSERT { CONCEPT { {type: "Person", name: "Ann"} } }'),
    "transaction": lambda nexus: nexus.transaction().__enter__(),
    "purge": lambda nexus: nexus.purge(Key("Person", "Bob")),
    "drop_group": lambda nexus: nexus.drop_group(nexus.group_name),
    "restore": lambda nexus: nexus.restore(BytesIO()),
    "doctor": lambda nexus: nexus.doctor(fix=True),
    "add_index": lambda nexus: nexus.add_index("Person", "age"),
    "drop_index": lambda nexus: nexus.drop_index("Person", "age"),
    "set_schema": lambda nexus: nexus.set_schema("strict"),
    "queue": lambda nexus: nexus.queue.put(["bob"], "accepted", "r"),
    "answers": lambda nexus: nexus.answers.keep(
        "o", "k", b"", None, now=BEGINNING, until=Instant(1)
    ),
    "another group": lambda nexus: nexus.group("other").write([ANN]),
}


@pytest.fixture(params=["file", "memory"])
def nexus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Nexus]:
    place = ":memory:" if request.param == "memory" else tmp_path / "m.db"
    with recollect.open(place) as nexus:
        nexus.write([PutConcept("Person", "Bob", id="bob")])
        yield nexus


@pytest.mark.parametrize("name", WRITES)
def test_a_write_inside_a_snapshot_is_refused(nexus: Nexus, name: str) -> None:
    before = nexus.verify().head
    with nexus.snapshot(), pytest.raises(RecollectError) as caught:
        WRITES[name](nexus)
    assert caught.value.code is INVALID_ARGUMENT
    assert caught.value.hint == "write after the block of nexus.snapshot()"
    assert nexus.verify().head == before
    assert nexus.write([ANN]).transaction == 2


def test_a_snapshot_inside_a_transaction_is_read_from_only(nexus: Nexus) -> None:
    with nexus.transaction():
        nexus.write([ANN])
        with nexus.snapshot():
            assert nexus.stats().concepts == 2
            with pytest.raises(RecollectError, match="inside a snapshot"):
                nexus.write([PutConcept("Person", "Eve")])
        nexus.write([PutConcept("Person", "Zoe")])
    assert nexus.stats().concepts == 3


def test_a_dry_run_and_an_examination_are_no_writes(nexus: Nexus) -> None:
    with nexus.snapshot():
        assert nexus.write([ANN], dry_run=True).is_dry_run
        assert nexus.purge(Key("Person", "Bob"), dry_run=True).concepts == 1
        assert nexus.doctor().findings == ()
    assert nexus.stats().concepts == 1


def test_others_write_while_a_snapshot_is_open(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db") as nexus, recollect.open(tmp_path / "m.db") as other:
        with nexus.snapshot():
            assert nexus.stats().concepts == 0
            other.write([ANN])
            with ThreadPoolExecutor(1) as pool:
                pool.submit(nexus.write, [PutConcept("Person", "Eve")]).result()
            assert nexus.stats().concepts == 0
        assert nexus.stats().concepts == 2


def test_a_task_outside_of_the_block_writes_meanwhile(tmp_path: Path) -> None:
    async def reads(nexus: Nexus, inside: asyncio.Event, written: asyncio.Event) -> None:
        with nexus.snapshot():
            inside.set()
            await written.wait()

    async def writes(nexus: Nexus, inside: asyncio.Event, written: asyncio.Event) -> None:
        await inside.wait()
        nexus.write([ANN])
        written.set()

    async def both(nexus: Nexus) -> None:
        events = asyncio.Event(), asyncio.Event()
        await asyncio.gather(reads(nexus, *events), writes(nexus, *events))

    with recollect.open(tmp_path / "m.db") as nexus:
        asyncio.run(both(nexus))
        assert nexus.stats().concepts == 1
