"""The command itself: what it refuses, and what it writes into the files of clients."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import postgres
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
    assert entry["args"][:3] == ["mcp", "--db", postgres.address_of(tmp_path / "memory.db")]
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


def test_a_toml_file_keeps_its_comments_and_what_else_an_entry_says(run, tmp_path: Path):
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('model = "x" # mine')
    run("install", "codex", "--write")
    assert file.read_text().startswith('model = "x" # mine\n\n[mcp_servers.recollect]\n')
    file.write_text(file.read_text() + 'cwd = "/" # mine\n[mcp_servers.recollect.env]\nA = "b"\n')
    assert run("install", "codex", "--group", "b", "--write")["result"]["backup"] is not None
    entry = tomllib.loads(file.read_text())["mcp_servers"]["recollect"]
    assert (entry["args"][-1], entry["cwd"], entry["env"]) == ("b", "/", {"A": "b"})
    assert file.read_text().count("# mine") == 2


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "x" } }\n',
        '[mcp_servers]\nrecollect = { command = "x" }\n',
        '[mcp_servers.recollect]\ncommand = "x"\nargs = [\n  "mcp",\n]\n',
    ],
)
def test_a_toml_file_that_would_be_broken_is_left_as_it_is(run, tmp_path: Path, text: str):
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(text)
    assert run("install", "codex", "--write")["error"]["code"] == "CONFLICT"
    assert [one.read_text() for one in file.parent.iterdir()] == [text]


def test_another_installation_keeps_the_environment_of_the_entry(run, tmp_path: Path):
    file = tmp_path / ".mcp.json"
    there = {"command": "old", "args": [], "env": {"A": "b"}}
    file.write_text("\ufeff" + json.dumps({"mcpServers": {"recollect": there}}), "utf-8")
    run("install", "claude-code", "--write")
    entry = json.loads(file.read_text("utf-8"))["mcpServers"]["recollect"]
    assert entry["env"] == {"A": "b"}
    assert entry["args"][0] == "mcp"
    file.write_text('{"mcpServers": {"recollect": {"url": "http://127.0.0.1:7412/mcp"}}}')
    run("install", "claude-code", "--write")
    entry = json.loads(file.read_text("utf-8"))["mcpServers"]["recollect"]
    assert set(entry) == {"command", "args"}


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_a_file_that_is_no_text_is_left_as_it_is(run, client: str):
    file = Path(run("install", client)["result"]["file"])
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"\xff\xfe{}")
    for words in (("install", client, "--write"), ("doctor", client)):
        error = run(*words)["error"]
        assert "is not UTF-8" in error["message"]
    assert error["hint"].endswith(f"recollect mcp install {client}")
    assert file.read_bytes() == b"\xff\xfe{}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1e400}', "number is infinity"),
        ('{"a": NaN}', "unexpected character"),
        ('{"a": {"b": 1, "b": 2}}', "a key twice"),
        (r'{"a": "\ud800"}', "surrogate"),
        ('{"a": ' + "[" * 2_000 + "]" * 2_000 + "}", "depth"),
    ],
)
def test_a_file_that_would_say_something_else_afterwards_is_left_as_it_is(
    run, tmp_path: Path, text: str, why: str
):
    file = tmp_path / ".mcp.json"
    file.write_text(text)
    assert why in run("install", "claude-code", "--write")["error"]["message"]
    assert file.read_text() == text
    assert "error" in run("doctor", "claude-code")
    assert [one.name for one in tmp_path.glob(".mcp*")] == [".mcp.json"]


def test_whole_numbers_of_others_are_kept_whatever_their_size(run, tmp_path: Path):
    file = tmp_path / ".mcp.json"
    file.write_text(f'{{"a": {10**30}}}')
    run("install", "claude-code", "--write")
    assert json.loads(file.read_text())["a"] == 10**30


def test_a_path_that_no_file_can_name_is_refused(run, tmp_path: Path):
    file = tmp_path / ".mcp.json"
    file.write_text("{}")
    refused = run("install", "claude-code", "--write", "--db", "\udcff.db")
    assert "is not UTF-8" in refused["error"]["message"]
    assert file.read_text() == "{}"


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
        (["--import-from", "nowhere"], "is not a folder"),
        (["doctor", "cursor", "--db", "a.db"], "stands in its file"),
        (["--http", "7412"], "is not HOST:PORT"),
        (["--read-only", "--db", "nothing.db"], "there is no memory"),
        (["--write"], "--write is for: recollect mcp install"),
        (["install"], "CLIENT is missing"),
        (["install", "emacs"], "is not one of"),
        (["install", "cursor", "--http", "127.0.0.1:0"], "--http is for: recollect mcp serve"),
    ],
)
def test_what_it_cannot_do_it_says(run, words, message):
    assert message in run(*words)["error"]["message"]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_was_installed_is_taken_out_and_all_else_stays(run, client: str):
    file = Path(run("install", client)["result"]["file"])
    assert run("uninstall", client)["error"]["code"] == "NOT_FOUND"
    file.parent.mkdir(parents=True, exist_ok=True)
    other = {"mcpServers": {"other": {"command": "x"}}, "servers": {"other": {"command": "x"}}}
    toml = 'model = "o"\n\n[mcp_servers.other]\ncommand = "x"\n'
    file.write_text(toml if file.suffix == ".toml" else json.dumps(other))
    run("install", client, "--write")
    if file.suffix == ".toml":
        file.write_text(file.read_text() + '\n[mcp_servers.recollect.env]\nA = "b"\n')
    before = file.read_text()
    assert not run("uninstall", client)["result"]["written"]
    assert file.read_text() == before
    backup = Path(run("uninstall", client, "--write")["result"]["backup"])
    assert backup.read_text() == before
    after = file.read_text()
    assert after == toml if file.suffix == ".toml" else json.loads(after) == other
    assert run("uninstall", client, "--write")["error"]["code"] == "NOT_FOUND"


def test_an_installation_says_which_memory_it_is_and_how_it_is_searched(run, tmp_path: Path):
    told = run("install", "cursor", "--db", "m.db", "--group", "team", "--write")["result"]
    assert told["memory"].startswith(
        f"the memory {postgres.address_of(tmp_path / 'm.db')}, group team, recalled by words"
    )
    assert told["memory"].endswith("by words and meaning")
    file = Path(told["file"])
    members = json.loads(file.read_text())
    members["mcpServers"]["recollect"]["env"] = {"RECOLLECT_EMBEDDER": "fastembed"}
    file.write_text(json.dumps(members))
    with_model = run("install", "cursor", "--db", "m.db")["result"]["memory"]
    assert with_model.endswith("by words and meaning, by fastembed too")
