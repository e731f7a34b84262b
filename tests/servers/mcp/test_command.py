"""The command itself: what it refuses, and what it writes into the files of clients."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.servers.cli import app

CLIENTS = ["claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf"]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Run the command in an empty home, and return its answer."""
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))

    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> dict:
        return json.loads(CliRunner().invoke(app, ["mcp", *words, "--json"]).stdout)

    return command


@pytest.mark.parametrize("client", CLIENTS)
def test_an_installation_writes_what_it_prints_and_only_once(run, tmp_path: Path, client: str):
    shown = run("install", client, "--db", "memory.db")["result"]
    file = Path(shown["file"])
    assert not file.exists()
    assert file.is_relative_to(tmp_path)
    written = run("install", client, "--db", "memory.db", "--write")["result"]
    text = file.read_text()
    read = tomllib.loads if file.suffix == ".toml" else json.loads
    assert read(text) == read(shown["snippet"])
    assert written["backup"] is None
    (servers,) = read(text).values()
    entry = servers["recollect"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][:3] == ["mcp", "--db", str(tmp_path / "memory.db")]
    run("install", client, "--db", "memory.db", "--write")
    assert file.read_text() == text
    assert len(list(file.parent.glob("*.backup*"))) == 0


def test_what_else_stands_in_a_file_stays_and_a_copy_is_kept(run, tmp_path: Path):
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"theme": "dark", "mcpServers": {"other": {"command": "other"}}}')
    backup = Path(run("install", "cursor", "--read-only", "--write")["result"]["backup"])
    assert json.loads(backup.read_text())["mcpServers"] == {"other": {"command": "other"}}
    after = json.loads(file.read_text())
    assert after["theme"] == "dark"
    assert set(after["mcpServers"]) == {"other", "recollect"}
    assert after["mcpServers"]["recollect"]["args"][-1] == "--read-only"


def test_a_toml_file_keeps_its_comments_and_another_entry_is_refused(run, tmp_path: Path):
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('model = "x" # mine')
    run("install", "codex", "--write")
    assert file.read_text().startswith('model = "x" # mine\n\n[mcp_servers.recollect]\n')
    assert run("install", "codex", "--group", "b", "--write")["error"]["code"] == "CONFLICT"


def test_a_file_that_cannot_be_read_is_left_as_it_is(run, tmp_path: Path):
    file = tmp_path / ".mcp.json"
    file.write_text("{ // mine")
    assert "is not JSON" in run("install", "claude-code", "--write")["error"]["message"]
    assert file.read_text() == "{ // mine"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--http", "0.0.0.0:0"], "without tokens everybody"),
        (["--tokens", "t"], "--tokens belongs to --http"),
        (["--http", "127.0.0.1:0", "--tokens", "nothing"], "the tokens in nothing"),
        (["--import-from", "nowhere"], "is no folder"),
        (["doctor", "cursor", "--db", "a.db"], "stands in its file"),
        (["--http", "7412"], "is not HOST:PORT"),
        (["--read-only", "--db", "nothing.db"], "there is no memory"),
        (["--write"], "--write belongs to install"),
        (["install"], "install needs a client"),
        (["install", "emacs"], "is not one of"),
        (["install", "cursor", "--http", "127.0.0.1:0"], "--http belongs to serving"),
    ],
)
def test_what_it_cannot_do_it_says(run, words, message):
    assert message in run(*words)["error"]["message"]
