"""What `mcp doctor` finds when it starts the server as an agent's program would."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import postgres
import recollect
from recollect.servers.cli import app
from recollect.servers.mcp.trial import TrialStep

PROGRAM = "from recollect.servers.cli import main; main()"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the command in an empty home, and return its exit code and its answer."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))

    monkeypatch.chdir(tmp_path)

    def command(*words: str, as_json: bool = True) -> tuple[int, str]:
        form = ["--json"] if as_json else []
        done = CliRunner().invoke(app, ["mcp", *words, *form])
        return done.exit_code, done.stdout

    return command


def put(home: Path, command: str, *arguments: str) -> None:
    """Write what a program starts."""
    entry = {"command": command, "args": list(arguments), "env": {"RECOLLECT_ACTOR": "cursor"}}
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"mcpServers": {"recollect": entry}}))


@pytest.mark.parametrize("client", ["cursor", "codex"])
def test_what_was_installed_works_and_leaves_the_memory_as_it_was(run, tmp_path: Path, client):
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write('UPSERT { CONCEPT @a { {type: "Drug", name: "A"} } }')
    run("install", client, "--db", str(path), "--write")
    code, answer = run("doctor", client)
    result = json.loads(answer)["result"]
    assert (code, result["is_well"]) == (0, True)
    assert result["command"][1:] == ["mcp", "--db", postgres.address_of(path), "--group", "default"]
    assert [one["name"] for one in result["steps"]] == [
        "command", "start", "tools", "recall", "write",
    ]  # fmt: skip
    assert all(one["milliseconds"] > 0 for one in result["steps"][1:3])
    assert "by words and meaning" in result["steps"][3]["message"]
    with recollect.open(path) as nexus:
        assert len(nexus.changes()) == 1
        assert nexus.groups() == ["default"]


def test_a_server_that_only_reads_is_only_read(run, tmp_path: Path):
    recollect.open(tmp_path / "memory.db").close()
    code, shown = run("doctor", "--read-only", "--db", "memory.db", as_json=False)
    assert code == 0
    assert "✓  read" in shown
    assert shown.endswith("all is well\n")


def test_what_is_wrong_is_said_with_what_to_do(run, tmp_path: Path):
    code, answer = run("doctor", "cursor")
    assert (code, "mcp install cursor --write" in json.loads(answer)["error"]["hint"]) == (1, True)
    (tmp_path / "foreign.db").write_text("this is no memory at all")
    python = ("-c", "raise SystemExit('a package is missing')")
    for command, arguments, message, hint in [
        ("/nowhere/recollect", (), "there is no program", "mcp install cursor --write"),
        (sys.executable, python, "a package is missing", "run it by hand"),
        (sys.executable, ("-c", ""), "Connection closed", "run it by hand"),
        (
            sys.executable,
            ("-c", PROGRAM, "mcp", "--db", str(tmp_path / "foreign.db")),
            "not a Recollect store",
            "another path",
        ),
    ]:
        put(tmp_path, command, *arguments)
        code, answer = run("doctor", "cursor")
        result = json.loads(answer)["result"]
        last = TrialStep(**result["steps"][-1])
        assert (code, result["is_well"], last.is_well) == (1, False, False)
        assert message in last.message, last
        assert hint in last.hint, last


def test_a_server_that_does_not_answer_is_given_up(run, tmp_path: Path):
    put(tmp_path, sys.executable, "-c", "import sys; sys.stdin.read()")
    code, answer = run("doctor", "cursor", "--timeout", "1")
    last = TrialStep(**json.loads(answer)["result"]["steps"][-1])
    assert (code, last.name) == (1, "start")
    assert last.message == "it did not answer within 1 seconds"
    assert run("--timeout", "1")[0] == 2


@pytest.mark.parametrize(
    ("words", "relative"),
    [
        (("./recollect", "mcp"), "./recollect"),
        ((sys.executable, "-m", "recollect", "mcp", "--db", "memory.db"), "memory.db"),
        ((sys.executable, "-m", "recollect", "mcp", "--db=memory.db"), "memory.db"),
        ((sys.executable, "-m", "recollect", "mcp", "--import-from", "inbox"), "inbox"),
    ],
)
def test_a_path_that_depends_on_where_a_client_starts_is_named(
    run, tmp_path: Path, words: tuple[str, ...], relative: str
):
    (tmp_path / "recollect").write_text("#!/bin/sh\n")
    (tmp_path / "recollect").chmod(0o755)
    put(tmp_path, *words)
    code, answer = run("doctor", "cursor")
    (step,) = json.loads(answer)["result"]["steps"]
    assert (code, step["is_well"]) == (1, False)
    assert step["message"].startswith(f"{relative} is not a whole path")
    assert "mcp install cursor --write" in step["hint"]


def test_a_client_of_a_project_may_name_what_lies_in_it(run, tmp_path: Path):
    arguments = ["-c", PROGRAM, "mcp", "--db", "memory.db"]
    entry = {"command": sys.executable, "args": arguments}
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"recollect": entry}}))
    assert run("doctor", "claude-code")[0] == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{ // mine", "is not JSON"),
        ('{"mcpServers": {"other": {}}}', "has no server recollect"),
        ('{"mcpServers": {"recollect": {"command": "a", "args": "b"}}}', "args"),
        ('{"mcpServers": {"recollect": {"command": "a", "env": {"b": 1}}}}', "env"),
    ],
)
def test_a_file_that_does_not_start_it_is_named(run, tmp_path: Path, text: str, message: str):
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(text)
    code, answer = run("doctor", "cursor")
    error = json.loads(answer)["error"]
    assert code == 1
    assert message in error["message"]
    assert str(file) in error["message"]
