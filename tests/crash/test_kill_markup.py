"""A process killed while it applies a document leaves all of the change, or nothing."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import recollect
from recollect.faces.markup import Markup

MARKER = Path(__file__).with_name("marker.py")
SOURCES = Path(recollect.__file__).parents[1]
HEADER = "---\n- CONCEPTUAL SPACE\n  ID: main\n  Label: Main\n"


def kill_after(path: Path, first: int, acknowledged: int) -> int:
    """Run a child, kill it once it has acknowledged so many changes; return the last of them."""
    child = subprocess.Popen(
        [sys.executable, str(MARKER), str(path), str(first)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    assert child.stdout is not None
    last = first - 1
    for _ in range(acknowledged):
        last = int(child.stdout.readline())
    child.kill()
    rest = child.stdout.read().split()
    child.wait()
    child.stdout.close()
    return int(rest[-1]) if rest else last


def held(path: Path) -> int:
    """Return the last change in the memory, after checking that it is there whole."""
    with recollect.open(path) as nexus:
        number = nexus.stats().transactions - 1
        first = 3 * number + 1
        assert Markup(nexus).render().text == HEADER + (
            f"  - ID: {first}\n    Label: Step {number}\n"
            f"    - ID: {first + 1}\n      Label: Below {number}\n"
            f"      - ID: {first + 2}\n        Label: Deep {number}\n"
        )
        assert nexus.doctor().is_well
        assert nexus.verify().is_whole
    return number


def test_no_acknowledged_change_is_lost_and_none_is_there_in_part(
    tmp_path: Path, is_long: bool
) -> None:
    path, moments = tmp_path / "memory.db", random.Random(7)
    last = -1
    for _ in range(100 if is_long else 5):
        acknowledged = kill_after(path, last + 1, moments.randint(1, 10))
        last = held(path)
        assert acknowledged <= last <= acknowledged + 1
