"""The command that works on the queue of a memory."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.faces.operations.calls import told
from tests.faces.operations.pipeline.rig import says, text

import postgres
import recollect
from recollect.faces.operations import Operations

SOURCES = Path(recollect.__file__).parents[1]
MAIN = "from recollect.servers.cli import main; main()"


def told_of(path: Path, *items: dict[str, Any]) -> str:
    """Accept episodes in a file, and return their receipt."""
    with recollect.open(path) as nexus:
        service = Operations(nexus, worker=False)
        given: Any = list(items)
        return str(told(service.add_episodes(group_id="g", items=given))["receipt_id"])


def standing(path: Path, receipt: str) -> str:
    with recollect.open(path) as nexus:
        service = Operations(nexus, worker=False)
        return service.get_receipt(group_id="g", receipt_id=receipt)["status"]


def test_once_it_works_on_what_is_due_and_stops(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    receipt = told_of(path, says("e1"), text("e2", '{"nodes": 1}', source="json"))
    done = cli("worker", str(path), "--once")
    assert done.exit_code == 0, done.output
    assert "g e1: completed" in done.output
    assert "g e2: extract_failed after 1 attempt\n" in done.output
    assert "no facts are learnt from them" in done.stderr
    assert standing(path, receipt) == "ACCEPTED"
    again = cli("worker", "--db", str(path), "--once", "--json")
    assert json.loads(again.stdout) == {
        "result": {"extractor": "structured", "completed": 0, "parked": 0}
    }


def test_nothing_to_do_is_said(cli: Any, memory: str) -> None:
    assert "nothing is due" in cli("worker", memory, "--once").output


def test_wrong_settings_end_it_at_once(cli: Any, memory: str) -> None:
    refused = cli("worker", memory, RECOLLECT_EXTRACTOR="magic")
    assert refused.exit_code == 1
    assert "RECOLLECT_EXTRACTOR" in refused.output
    assert cli("worker", "nowhere.db").exit_code == 1


def test_it_works_until_it_is_told_to_stop(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    receipt = told_of(path, says("e1"))
    command = [sys.executable, "-c", MAIN, "worker", postgres.address_of(path), "--json"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"PYTHONPATH": str(SOURCES), "HOME": str(tmp_path)},
    ) as worker:
        with recollect.open(path) as nexus:
            service = Operations(nexus, worker=False)
            status = "ACCEPTED"
            while status == "ACCEPTED" and worker.poll() is None:
                status = service.get_receipt(group_id="g", receipt_id=receipt)["status"]
        worker.send_signal(signal.SIGTERM)
        said, _ = worker.communicate(timeout=60)
    assert (status, worker.returncode) == ("OK", 0)
    assert json.loads(said)["result"] == {"extractor": "structured", "completed": 1, "parked": 0}
