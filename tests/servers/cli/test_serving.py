"""`recollect serve` and `recollect token`, as far as they end by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli, answer

from recollect.servers.http.tokens import digest, read_tokens


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "memory.example"])
def test_a_server_for_everybody_wants_tokens(cli: Cli, host: str) -> None:
    refused = cli("serve", "--host", host, "--port", "0")
    assert refused.exit_code == 1
    assert "INVALID_ARGUMENT" in refused.stderr
    assert "--tokens FILE" in refused.stderr


def test_a_host_of_the_environment_wants_tokens_too(cli: Cli) -> None:
    refused = cli("serve", "--json", RECOLLECT_HOST="0.0.0.0", RECOLLECT_PORT="0")
    assert answer(refused)["error"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize("port", ["x", "65536", "-1"])
def test_a_port_of_the_environment_is_a_number(cli: Cli, port: str) -> None:
    assert "RECOLLECT_PORT" in cli("serve", RECOLLECT_PORT=port).stderr


def test_a_file_of_tokens_that_holds_none_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tokens").touch()
    refused = cli("serve", "--tokens", "tokens", "--port", "0", "--json")
    assert "recollect token new" in answer(refused)["error"]["hint"]
    assert not (tmp_path / "memory.db").exists()


def test_several_processes_want_a_memory_in_a_file(cli: Cli) -> None:
    refused = cli("serve", ":memory:", "--processes", "2", "--port", "0", "--json")
    assert answer(refused)["error"]["code"] == "INVALID_ARGUMENT"


def test_a_token_is_shown_once_and_its_hash_is_kept(cli: Cli) -> None:
    first = cli("token", "new", "--group", "a", "--group", "b", "--tokens", "tokens")
    token = first.stdout.splitlines()[0]
    made = answer(cli("token", "new", "--admin", "--tokens", "tokens", "--json"))["result"]
    tokens = read_tokens(Path("tokens"))
    assert tokens.caller(token).groups == {"a", "b"}
    assert not tokens.caller(token).is_admin
    assert tokens.caller(made["token"]).groups is None
    assert tokens.caller(made["token"]).is_admin
    text = Path("tokens").read_text(encoding="utf-8")
    assert token not in text
    assert digest(token) in text


def test_without_a_file_the_row_to_keep_is_printed(cli: Cli, tmp_path: Path) -> None:
    token, row = cli("token", "new", "--group", "a").stdout.splitlines()
    assert json.loads(row) == {"sha256": digest(token), "groups": ["a"], "admin": False}
    assert list(tmp_path.iterdir()) == []


def test_a_token_for_nothing_is_refused(cli: Cli) -> None:
    refused = cli("token", "new", "--json")
    assert answer(refused)["error"]["hint"] == "name one with --group"


def test_a_file_that_cannot_be_written_is_said_to_be(cli: Cli) -> None:
    refused = cli("token", "new", "--admin", "--tokens", "no/such/folder", "--json")
    assert answer(refused)["error"]["code"] == "STORE_UNAVAILABLE"
