"""A command line in a directory of its own, with nothing of the machine's environment."""

from __future__ import annotations

import gc
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from recollect.servers.cli import app

Cli = Callable[..., Result]

CAPSULE = """
UPSERT {
  CONCEPT @pain { {type: "Symptom", name: "Headache"} }
  CONCEPT @aspirin {
    {type: "Drug", name: "Aspirin"}
    SET ATTRIBUTES { risk_level: 2, chinese: "阿司匹林" }
    SET PROPOSITIONS { ("treats", @pain) WITH METADATA { confidence: 0.9 } }
  }
  CONCEPT @ibuprofen { {type: "Drug", name: "Ibuprofen"} }
}
WITH METADATA { source: "a test" }
"""

DRUGS = 'FIND(?name, ?risk) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?name) ATTR(?d, "risk_level", ?risk) } ORDER BY ?name'


@contextmanager
def control_c_in_a_second() -> Iterator[None]:
    """Interrupt the block as Ctrl-C does, once.

    The collector of garbage is off: an interruption in one of its callbacks, of which Hypothesis
    has one, is lost.
    """
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run the command line with its words; `input` is its standard input."""
    monkeypatch.chdir(tmp_path)
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": str(Path(sys.executable).parent),
        "XDG_DATA_HOME": None,
        "XDG_STATE_HOME": None,
        "RECOLLECT_DB": None,
        "RECOLLECT_GROUP": None,
        "COLUMNS": "120",
        "TERM": "dumb",
    }

    def run(*words: str, input: str | bytes | None = None, **more: str) -> Result:
        return CliRunner().invoke(app, list(words), input=input, env={**environment, **more})

    return run


@pytest.fixture
def memory(cli: Cli, tmp_path: Path) -> str:
    """A file that holds the capsule above."""
    path = tmp_path / "taught.db"
    taught = cli("run", "-", "--db", str(path), input=CAPSULE)
    assert taught.exit_code == 0, taught.output
    return str(path)


def answer(result: Result) -> dict:
    """The one JSON object on standard output, of a command that wrote nothing else."""
    assert result.stderr == ""
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)
