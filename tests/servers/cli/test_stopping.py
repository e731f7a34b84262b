"""Ctrl-C in the middle of a command that copies or carries: what is kept is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.endpoint import serving
from tests.servers.cli.conftest import Cli, control_c_in_a_second

import postgres
import recollect
from recollect.kernel import is_there
from recollect.model import PutConcept

PROGRAM = "from recollect.servers.cli import main; main()"
TABLE = "subject,predicate,object\nAnn,works_at,Acme\n"


def started(place: str, *words: str) -> subprocess.Popen[bytes]:
    """Run a command on a memory in a process of its own, which reads and writes through pipes."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", PROGRAM, *words, "--db", postgres.address_of(place)]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)


def stopped(process: subprocess.Popen[bytes]) -> str:
    """Press Ctrl-C, and return what the process says of it."""
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()
    assert process.returncode == 130
    return told.decode()


@pytest.mark.parametrize(
    ("more", "kept"),
    [
        (("t.csv",), "1 of 2 files came in, and nothing of the other"),
        (("t.csv", "u.csv"), "2 of 3 files came in, and nothing of the other"),
    ],
)
@pytest.mark.usefixtures("cli")
def test_an_import_tells_which_files_came_in(more: tuple[str, ...], kept: str):
    Path("t.csv").write_text(TABLE)
    Path("u.csv").write_text(TABLE.replace("Ann", "Bob"))
    with started("new.db", "import", *more, "-") as process:
        assert process.stdout is not None
        for file in more:
            while not process.stdout.readline().startswith(f"{file} (csv)".encode()):
                pass
        assert stopped(process) == f"stopped: {kept}\n"  # it reads what it waits for


@pytest.mark.usefixtures("cli")
def test_a_dry_run_that_waits_for_standard_input_lets_others_write():
    Path("t.csv").write_text(TABLE)
    with recollect.open("m.db") as other:
        other.write([PutConcept("T", "before")])
        with started("m.db", "import", "t.csv", "-", "--dry-run") as process:
            assert process.stdin is not None
            process.stdin.write(b"x" * 2**20)  # more than a pipe holds: it has begun to read
            other.write([PutConcept("T", "meanwhile")])
            assert stopped(process) == "stopped: nothing is kept\n"
        assert other.stats().concepts == 2


@pytest.mark.usefixtures("cli")
def test_a_restore_tells_that_nothing_is_kept():
    os.mkfifo("pipe")
    process = started("new.db", "restore", "pipe")
    with process, Path("pipe").open("wb"):  # it has begun to read
        assert stopped(process) == "stopped: nothing is kept\n"
    with recollect.open("new.db") as nexus:
        assert nexus.groups() == []


@pytest.mark.parametrize(
    ("words", "given"), [(("restore", "pipe"), b"no dump\n"), (("import", "-"), b"\xff")]
)
@pytest.mark.usefixtures("cli")
def test_what_fails_leaves_a_memory_to_those_who_opened_it_meanwhile(
    words: tuple[str, ...], given: bytes
):
    os.mkfifo("pipe")
    with started("new.db", *words) as process:
        source = Path("pipe").open("wb") if "pipe" in words else process.stdin  # noqa: SIM115
        assert source is not None
        while not is_there(postgres.address_of("new.db")):
            assert process.poll() is None
        with recollect.open("new.db") as other:
            with source:
                source.write(given)
            assert process.wait() == 1
            other.write([PutConcept("T", "acknowledged")])
    with recollect.open("new.db") as again:
        assert again.stats().concepts == 1


@pytest.mark.parametrize("command", ["dump", "export"])
def test_what_is_written_to_a_pipe_is_told_to_be_cut_short(cli: Cli, command: str):
    text = "".join(f'CONCEPT @c{n} {{ {{type: "T", name: "{n:0999}"}} }} ' for n in range(2_000))
    assert cli("run", "-", "--db", "m.db", input=f"UPSERT {{ {text} }}").exit_code == 0
    with started("m.db", command) as process:
        assert process.stdout is not None
        assert process.stdout.readline()  # it writes, and waits for the pipe to be emptied
        assert stopped(process) == "stopped: what is written is cut short\n"


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (("index", "add", "Drug.risk_level"), "no index is changed"),
        (("index", "drop", "Drug.code"), "no index is changed"),
        (("purge", "--type", "Drug", "--name", "Aspirin", "--yes"), "nothing is erased"),
        (("doctor", "--fix"), "what is mended by now is kept; run it again"),
    ],
)
def test_what_is_stopped_while_another_writes_tells_what_is_kept(
    cli: Cli, memory: str, words: tuple[str, ...], kept: str
):
    assert cli("index", "add", "Drug.code", "--db", memory).exit_code == 0
    with recollect.open(memory) as other, other.transaction():
        other.write([PutConcept("T", "meanwhile")])
        with control_c_in_a_second():  # it waits for the other, which takes longer
            ended = cli(*words, "--db", memory)
    assert (ended.exit_code, ended.stderr) == (130, f"stopped: {kept}\n")
    with recollect.open(memory) as again:
        assert [str(one) for one in again.declared.indexes()] == ["Drug.code"]
        assert again.stats().concepts == 4


def test_a_command_that_is_stopped_before_it_begins_says_so(
    cli: Cli, memory: str, monkeypatch: pytest.MonkeyPatch
):
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("recollect.servers.cli.opening.Settings", interrupt)
    ended = cli("index", "--db", memory)
    assert (ended.exit_code, ended.stderr) == (130, "stopped\n")


def test_a_reindex_tells_that_what_is_embedded_is_kept(
    memory: str, monkeypatch: pytest.MonkeyPatch
):
    with serving() as endpoint:
        endpoint.script = [endpoint.late]
        monkeypatch.setenv("RECOLLECT_EMBEDDER", "http")
        monkeypatch.setenv("RECOLLECT_EMBEDDER_MODEL", "tiny")
        monkeypatch.setenv("RECOLLECT_EMBEDDER_URL", endpoint.url)
        monkeypatch.setenv("RECOLLECT_EMBEDDER_DIMENSION", "3")
        with started(memory, "reindex") as process:
            while not endpoint.asked:
                assert process.poll() is None
            told = stopped(process)
    assert told == "stopped: what is embedded by now is kept; run it again for the rest\n"
