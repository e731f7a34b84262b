"""Four processes that write one file: every write is kept, once, in an order all agree on."""

from __future__ import annotations

from pathlib import Path

import recollect
from recollect.model import Rows
from together import run_together

PROCESSES = 4
WRITES = 25

WRITER = """
import sys
import recollect
path, name, writes = sys.argv[1], sys.argv[2], int(sys.argv[3])
with recollect.open(path, busy_seconds=60) as nexus:
    print("ready", flush=True)
    sys.stdin.readline()
    for at in range(writes):
        nexus.write(
            'UPSERT { CONCEPT @n { {type: "Note", name: $name} SET PROPOSITIONS {'
            ' ("written_by", {type: "Writer", name: $writer}) } } }',
            {"name": f"{name} {at}", "writer": name},
            actor=name,
        )
"""


def write_together(path: Path) -> list[int]:
    """Let the processes write at once, and return how each ended."""
    return run_together(WRITER, ([str(path), str(at), str(WRITES)] for at in range(PROCESSES)))


def test_four_writing_processes_lose_no_write(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with recollect.open(path, "decoy") as decoy:
        decoy.write('UPSERT { CONCEPT @w { {type: "Writer", name: "0"} } }')
    with recollect.open(path) as nexus:
        for at in range(PROCESSES):
            nexus.write(f'UPSERT {{ CONCEPT @w {{ {{type: "Writer", name: "{at}"}} }} }}')
        assert write_together(path) == [0] * PROCESSES
        stats = nexus.stats()
        assert stats.transactions == PROCESSES + PROCESSES * WRITES
        assert stats.links == PROCESSES * WRITES
        assert stats.concepts == PROCESSES + PROCESSES * WRITES
        (result,) = nexus.read(
            "FIND(?writer, COUNT(?note) AS ?notes) WHERE {"
            ' ?note {type: "Note"} (?note, "written_by", ?w) ATTR(?w, "name", ?writer) }'
        ).results
        assert isinstance(result, Rows)
        assert sorted(result.rows) == [(str(at), WRITES) for at in range(PROCESSES)]
        written = [one.transaction for one in nexus.changes(limit=1_000)]
        assert [one.number for one in written] == list(range(1, stats.transactions + 1))
        assert sorted({one.at for one in written}) == [one.at for one in written]
        assert nexus.verify().is_whole
        assert nexus.doctor().findings == ()
    with recollect.open(path, "decoy") as decoy:
        assert decoy.stats().transactions == 1
