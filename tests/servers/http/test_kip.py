"""KIP over HTTP: the arguments of the functions as a body, their responses, and the changes feed."""

from __future__ import annotations

import httpx2
import pytest
from tests.servers.http.test_watching import counts

from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, new_token

ANN, ANN_ROW = new_token(["team"], name="ann")
BOTH, BOTH_ROW = new_token(["team", "other"])
ROOT, ROOT_ROW = new_token([], is_admin=True)
DRUG = 'UPSERT { CONCEPT { {type: "Drug", name: $name} } }'
NAMES = 'FIND(?n) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }'
ASPIRIN = {"command": DRUG, "parameters": {"name": "Aspirin"}}


def sent(http: httpx2.Client, token: str, path: str = "", /, **body: object) -> httpx2.Response:
    headers = {"authorization": f"Bearer {token}"}
    return http.post(f"/v1/kip{path}", json=body, headers=headers)


def fed(http: httpx2.Client, token: str, **given: object) -> httpx2.Response:
    return http.get("/v1/changes", params=given, headers={"authorization": f"Bearer {token}"})


def code_of(answer: httpx2.Response) -> tuple[int, str]:
    assert set(answer.json()) == {"error"}
    return answer.status_code, answer.json()["error"]["code"]


class TestWithTokens:
    @pytest.fixture
    def options(self) -> Options:
        return Options(tokens=AccessTokens((ANN_ROW, BOTH_ROW, ROOT_ROW)), request_bytes=1_000)

    def test_what_is_written_is_found_in_its_group_alone(self, http) -> None:
        written = sent(http, ANN, **ASPIRIN)
        assert (written.status_code, written.json()["result"]["created"]) == (200, 1)
        found = sent(http, ANN, "/readonly", command=NAMES, group_id="team")
        assert found.json() == {"result": {"columns": ["n"], "rows": [["Aspirin"]]}}
        other = sent(http, BOTH, "/readonly", command=NAMES, group_id="other")
        assert other.json()["result"]["rows"] == []

    @pytest.mark.parametrize("path", ["/v1/kip", "/v1/kip/readonly", "/v1/changes"])
    def test_without_a_token_the_refusal_is_a_response(self, http, path: str) -> None:
        method = "GET" if path == "/v1/changes" else "POST"
        assert code_of(http.request(method, path)) == (401, "UNAUTHENTICATED")

    def test_a_group_of_others_is_denied(self, http) -> None:
        denied = (403, "PERMISSION_DENIED")
        assert code_of(sent(http, ANN, command=NAMES, group_id="other")) == denied
        assert code_of(sent(http, ANN, "?group_id=other", command=NAMES)) == denied
        assert code_of(fed(http, ANN, group_id="other")) == denied

    def test_of_several_groups_one_is_named_once(self, http) -> None:
        bad = (400, "INVALID_ARGUMENT")
        assert code_of(sent(http, BOTH, command=NAMES)) == bad
        assert code_of(sent(http, BOTH, "?group_id=team", command=NAMES, group_id="other")) == bad
        assert sent(http, BOTH, "?group_id=team", command=NAMES).status_code == 200

    def test_who_writes_is_who_the_token_says(self, http) -> None:
        sent(http, ANN, **ASPIRIN, request_id="r")
        refused = sent(http, ANN, **ASPIRIN, actor="bob")
        assert code_of(refused) == (403, "PERMISSION_DENIED")
        sent(http, BOTH, command=DRUG, parameters={"name": "B"}, group_id="team", actor="bob")
        told = fed(http, ROOT, group_id="team").json()["result"]["transactions"]
        assert [one["actor"] for one in told] == ["ann", "bob"]
        assert told[0]["request_id"] == "r"

    def test_a_body_beyond_the_limit_is_refused_in_the_same_form(self, http) -> None:
        answer = sent(http, ANN, command="x" * 1_000)
        assert code_of(answer) == (413, "LIMIT_EXCEEDED")


def test_the_door_that_only_reads_refuses_a_write_and_keeps_nothing(http) -> None:
    answer = http.post("/v1/kip/readonly", json=ASPIRIN)
    assert code_of(answer) == (400, "KIP_1001")
    assert code_of(http.post("/v1/kip/readonly", json={**ASPIRIN, "dry_run": True}))[0] == 400
    assert http.post("/v1/kip", json={"command": NAMES}).json()["result"]["rows"] == []


def test_a_batch_answers_each_command_and_stops_after_a_failed_write(http) -> None:
    bad = {"command": DRUG, "parameters": {"name": 7}}
    answer = http.post("/v1/kip", json={"commands": [ASPIRIN, NAMES, bad, NAMES]})
    assert answer.status_code == 200
    first, second, third = answer.json()["result"]["commands"]
    assert (first["result"]["created"], second["result"]["rows"]) == (1, [["Aspirin"]])
    assert "error" in third
    assert answer.json()["warnings"][0]["code"] == "not_run"


def test_a_dry_run_keeps_nothing_and_columns_are_as_asked(http) -> None:
    assert http.post("/v1/kip", json={**ASPIRIN, "dry_run": True}).json()["result"]["dry_run"]
    asked = {"command": NAMES, "format": "columns"}
    assert http.post("/v1/kip/readonly", json=asked).json()["result"] == []


def test_another_time_is_read(http) -> None:
    http.post("/v1/kip", json=ASPIRIN)
    asked = {"command": NAMES, "as_of": {"known": 0}}
    assert http.post("/v1/kip", json=asked).json()["result"]["rows"] == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "INVALID_ARGUMENT"),
        (b"[]", 400, "INVALID_ARGUMENT"),
        (b"{}", 400, "KIP_1001"),
        (b'{"comand": "x"}', 400, "KIP_1001"),
        (b'{"command": "FIND"}', 400, "KIP_1001"),
        (b'{"command": 7}', 400, "KIP_2003"),
        (b'{"command": "DESCRIBE PRIMER", "group_id": 7}', 400, "INVALID_ARGUMENT"),
        (b'{"command": "DESCRIBE PRIMER", "request_id": ""}', 400, "INVALID_ARGUMENT"),
        (b'{"command": "DESCRIBE CONCEPT TYPE \\"None\\""}', 404, "KIP_3002"),
    ],
)
def test_the_status_is_that_of_the_errors_code(http, body: bytes, status: int, code: str) -> None:
    assert code_of(http.post("/v1/kip", content=body)) == (status, code)


def test_the_feed_is_read_page_by_page(http) -> None:
    for name in "abc":
        http.post("/v1/kip", json={"command": DRUG, "parameters": {"name": name}})
    seen, since = [], 0
    while page := http.get("/v1/changes", params={"since": since, "limit": 2}).json()["result"]:
        if not page["transactions"]:
            break
        seen += [change["name"] for one in page["transactions"] for change in one["changes"]]
        since = page["next"]
    assert (seen, page["next"]) == (["a", "b", "c"], since)


@pytest.mark.parametrize(
    "query", ["since=-1", "since=x", "limit=0", "limit=1001", "until=1", "limit=1&limit=2"]
)
def test_a_feed_that_is_asked_wrongly_is_refused(http, query: str) -> None:
    assert code_of(http.get(f"/v1/changes?{query}")) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("since=1_0", "since is not a whole number"),
        ("since=1.0", "since is not a whole number"),
        ("since=%2B1", "since is not a whole number"),
        ("limit=%EF%BC%91", "limit is not a whole number"),
        (f"since={2**62}", f"since is more than {2**62 - 1}"),
        ("since=-1", "since is less than 0"),
    ],
)
def test_a_number_in_a_query_is_one_of_digits(http, query: str, message: str) -> None:
    assert http.get(f"/v1/changes?{query}").json()["error"]["message"] == message
    assert http.get(f"/v1/changes?since={2**62 - 1}").json()["result"]["transactions"] == []


def test_calls_are_counted_and_logged_without_what_they_were_about(http, log) -> None:
    http.post("/v1/kip", json={"command": DRUG, "parameters": {"name": "secret"}})
    http.post("/v1/kip/readonly", json={"command": "FIND secret", "request_id": "r"})
    http.get("/v1/changes")
    seen = [
        (one["operation"], one["status"], one["error_code"], one["cause"])
        for one in log()
        if one["event"] == "operation"
    ]
    assert seen == [
        ("ExecuteKip", "OK", None, None),
        ("ExecuteKipReadonly", "ERROR", "INVALID_ARGUMENT", "KIP_1001"),
        ("GetChanges", "OK", None, None),
    ]
    assert "secret" not in str(log())
    assert counts(http)['operations_total{code="",operation="ExecuteKip",status="OK"}'] == 1
