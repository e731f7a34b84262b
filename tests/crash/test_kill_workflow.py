"""A process killed at any moment of a workflow loses no accepted step and repeats no call."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import recollect
from crash.stepper import CALL, DATA, END, functions
from recollect.faces.markup import Markup, Run

STEPPER = Path(__file__).with_name("stepper.py")
SOURCES = Path(recollect.__file__).parents[1]
ACCEPTED = {"started": 0, "called": 0, "stepped": 1, "finished": 2}
"""How many results a run has at least after it was acknowledged so."""


def kill_after(path: Path, notes: Path, lines: int) -> list[list[str]]:
    """Run a child, kill it after so many acknowledgements; return all it made."""
    child = subprocess.Popen(
        [sys.executable, str(STEPPER), str(path), str(notes)],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCES)},
    )
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(lines)]
    child.kill()
    said += child.stdout.read().splitlines()
    child.wait()
    child.stdout.close()
    return [line.split() for line in said if len(line.split()) == 2]


def go_on(markup: Markup, run: Run) -> Run:
    """Bring a run that was left anywhere to its end, as a person would."""
    if run.state == "calling":
        run = markup.runner.resume(run.id)
    if run.state == "paused":  # nobody knows whether it was called, and it is not called again
        assert "nobody knows" in (run.reason or "")
        run = markup.runner.skip(run.id)
    if run.state == "waiting" and run.step == 1:
        run = markup.runner.reply(run.id, DATA)
    if run.state == "waiting":
        run = markup.runner.reply(run.id, END)
    return run


def test_no_accepted_step_is_lost_and_no_call_is_made_twice(tmp_path: Path, is_long: bool) -> None:
    path, notes, moments = tmp_path / "memory.db", tmp_path / "notes", random.Random(11)
    assert CALL
    for _ in range(60 if is_long else 6):
        said = kill_after(path, notes, moments.randint(1, 14))
        with recollect.open(path) as nexus:
            markup = Markup(nexus, functions=functions(str(notes)))
            for word, id in said:
                if word in ACCEPTED:
                    assert len(markup.runner.get(id).results) >= ACCEPTED[word]
                elif word == "answered":
                    exchange = markup.exchanges.get(id)
                    assert exchange.outcome == "data"
                    assert exchange.applied is not None
                    (place,) = markup.places(exchange.applied.ids["new-1"])
                    assert place.parent == "s2"
            for run in markup.runner.list():
                assert go_on(markup, run).state == "finished"
            calls = Counter(notes.read_text().split() if notes.exists() else ())
            assert all(count == 1 for count in calls.values())
            assert nexus.doctor().is_well
            assert nexus.verify().is_whole
