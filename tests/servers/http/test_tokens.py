"""Whom a server lets in: bearers of tokens, each to its own groups."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from tests.servers.http.conftest import Ask, code_in

from recollect.errors import RecollectError
from recollect.faces.operations import OPERATIONS
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, new_token, read_tokens

TEAM, TEAM_ROW = new_token(["team", "shared"])
OTHER, OTHER_ROW = new_token(["other"])
ROOT, ROOT_ROW = new_token([], is_admin=True)
BOUND, BOUND_ROW = new_token(["team"], is_admin=True)
HASH = "ab" * 32
BEARERS = {"nobody": None, "team": TEAM, "other": OTHER, "root": ROOT, "bound": BOUND}
TOKENS = AccessTokens((TEAM_ROW, OTHER_ROW, ROOT_ROW, BOUND_ROW))

NAMING = [one for one in OPERATIONS.values() if {"group_id", "group_ids"} & set(one.example)]


@pytest.fixture
def options() -> Options:
    return Options(tokens=TOKENS)


@pytest.mark.parametrize("name", ["Healthcheck", "SearchFacts", "ClearAll", "Nothing"])
def test_without_a_token_that_is_known_nobody_comes_in(http: httpx2.Client, name: str) -> None:
    wrong = ("", " wrong", f" {TEAM_ROW.sha256}", f" {TEAM}x", f" {TEAM[:-1]}", " 阿")
    for headers in ({}, *({"authorization": f"Bearer{token}".encode()} for token in wrong)):
        answer = http.post(f"/v1/operations/{name}", content=b"{", headers=headers)
        assert (answer.status_code, code_in(answer)) == (401, "UNAUTHENTICATED")
        assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("scheme", ["Basic", "Token", "Bear"])
def test_a_token_is_a_bearers(http: httpx2.Client, scheme: str) -> None:
    headers = {"authorization": f"{scheme} {TEAM}"}
    answer = http.post("/v1/operations/Healthcheck", content=b'{"input": {}}', headers=headers)
    assert answer.status_code == 401


@pytest.mark.parametrize("operation", NAMING, ids=lambda one: one.name)
def test_a_group_of_others_is_denied_whatever_is_asked(ask: Ask, operation) -> None:
    given = dict(operation.example)
    given |= {"group_ids": ["shared", "other"]} if "group_ids" in given else {"group_id": "other"}
    answer = ask(operation.name, TEAM, **given)
    assert (answer.status_code, code_in(answer)) == (403, "PERMISSION_DENIED")
    assert ask(operation.name, ROOT, **given).status_code != 403
    mine = ask(operation.name, TEAM, **operation.example)
    assert mine.status_code in (200, 202, 404), mine.text


def test_nothing_is_made_known_of_groups_of_others(ask: Ask) -> None:
    node = {"uuid": "n", "name": "Node", "summary": "secret"}
    assert ask("AddEntityNode", OTHER, group_id="other", **node).status_code == 200
    there = ask("SearchNodes", TEAM, group_ids=["other"], query="secret").json()
    nowhere = ask("SearchNodes", TEAM, group_ids=["nowhere"], query="secret").json()
    assert there["error"]["message"].replace("other", "nowhere") == nowhere["error"]["message"]
    assert ask("GetEntityEdge", TEAM, uuid="n").status_code == 404


@pytest.mark.parametrize(
    ("bearer", "status"), [("team", 403), ("other", 403), ("root", 200), ("bound", 200)]
)
def test_only_an_administrator_clears_all(ask: Ask, bearer: str, status: int) -> None:
    assert ask("AddEntityNode", OTHER, group_id="other", uuid="n", name="Node").status_code == 200
    assert ask("ClearAll", BEARERS[bearer]).status_code == status
    left = ask("SearchNodes", OTHER, group_ids=["other"], query="node").json()["output"]["nodes"]
    assert len(left) == (0 if status == 200 else 1)


def test_an_administrator_of_a_group_reads_that_group_alone(ask: Ask) -> None:
    assert ask("GetEpisodes", BOUND, group_id="team", last_n=1).status_code == 200
    assert ask("GetEpisodes", BOUND, group_id="other", last_n=1).status_code == 403


@pytest.mark.parametrize(
    ("bearer", "status"), [("nobody", 401), ("team", 403), ("root", 200), ("bound", 200)]
)
def test_the_metrics_are_for_administrators(http: httpx2.Client, bearer: str, status: int) -> None:
    token = BEARERS[bearer]
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    assert http.get("/metrics", headers=headers).status_code == status


def test_whether_it_lives_is_no_secret(http: httpx2.Client) -> None:
    for path in ("/healthz", "/readyz", "/openapi.json"):
        assert http.get(path).status_code == 200
    assert http.get("/openapi.json").json()["security"] == [{"token": []}]


def test_a_file_of_tokens_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# the team\n{TEAM_ROW.line()}\n\n{ROOT_ROW.line()}\n", encoding="utf-8")
    tokens = read_tokens(path)
    assert tokens.rows == (TEAM_ROW, ROOT_ROW)
    assert tokens.caller(TEAM).groups == {"team", "shared"}
    assert tokens.caller(ROOT).groups is None
    assert tokens.caller(OTHER) is None
    assert TEAM not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "", "# nothing\n", "x", "[]", "{}", f'{{"sha256": "{HASH}"}}',
        '{"sha256": "short", "groups": ["g"], "admin": false}',
        f'{{"sha256": "{HASH}", "groups": null, "admin": false}}',
        f'{{"sha256": "{HASH}", "groups": [], "admin": false}}',
        f'{{"sha256": "{HASH}", "groups": [1], "admin": false}}',
        f'{{"sha256": "{HASH}", "groups": ["g"], "admin": 1}}',
        f'{{"sha256": "{HASH}", "groups": ["g"], "admin": false, "more": 1}}',
    ],
)  # fmt: skip
def test_a_file_that_says_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecollectError) as caught:
        read_tokens(path)
    assert caught.value.code.code == "INVALID_ARGUMENT"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecollectError) as caught:
        read_tokens(tmp_path / "none")
    assert caught.value.code.code == "STORE_UNAVAILABLE"


def test_a_group_of_a_token_is_itself_however_its_accents_are_written() -> None:
    token, row = new_token(["caf\u0065\u0301"])
    caller = AccessTokens((row,)).caller(token)
    assert caller is not None
    assert caller.groups == {"caf\u00e9"}


def test_a_token_may_have_a_name_that_is_kept(tmp_path: Path) -> None:
    token, row = new_token(["team"], name="ann")
    file = tmp_path / "tokens.jsonl"
    file.write_text(f"{row.line()}\n")
    caller = read_tokens(file).caller(token)
    assert caller is not None
    assert caller.name == "ann"
    with pytest.raises(RecollectError, match="name"):
        new_token(["team"], name="a\nb")
    file.write_text(row.line().replace('"ann"', "7"))
    with pytest.raises(RecollectError, match="name"):
        read_tokens(file)
