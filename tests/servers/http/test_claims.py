"""Claims over HTTP: every call, to the groups of its bearer alone, and nothing that forgets."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from tests.servers.http.conftest import code_in

from recollect.faces.calls import calls_of
from recollect.faces.claims.calls import AttentionCalls, ClaimCalls
from recollect.kernel import Nexus
from recollect.model import Instant, instant_text
from recollect.servers.http.faces import ATTENTION, CLAIMS
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, new_token

CALLS = [
    (f"{prefix}/{one.path}".removesuffix("/"), one)
    for prefix, face in ((CLAIMS, ClaimCalls), (ATTENTION, AttentionCalls))
    for one in calls_of(face)
]

TEAM, TEAM_ROW = new_token(["team"])
BOTH, BOTH_ROW = new_token(["team", "other"])
ROOT, ROOT_ROW = new_token([], is_admin=True)
ANN, ANN_ROW = new_token(["team"], name="ann")
TOKENS = AccessTokens((TEAM_ROW, BOTH_ROW, ROOT_ROW, ANN_ROW))
EVIDENCE = [{"kind": "file", "path": "src/saga.py"}]

Send = Callable[..., httpx2.Response]


@pytest.fixture
def options() -> Options:
    return Options(tokens=TOKENS)


@pytest.fixture
def send(http: httpx2.Client) -> Send:
    """Make a call: a body is a POST, anything else a GET."""

    def run(path: str, body: Any = None, *, token: str | None = TEAM, **query: Any):
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        if body is None:
            return http.get(path, params=query, headers=headers)
        return http.post(path, params=query, headers=headers, json=body)

    return run


def claim(id: str = "c", text: str = "payments uses sagas", **fields: Any) -> dict[str, Any]:
    return {"id": id, "text": text, "evidence": EVIDENCE, **fields}


def output(answer: httpx2.Response) -> dict[str, Any]:
    envelope = answer.json()
    assert answer.status_code == 200, answer.text
    assert (envelope["status"], set(envelope)) == ("OK", {"request_id", "status", "output"})
    assert answer.headers["x-request-id"] == envelope["request_id"]
    return envelope["output"]


def written(send: Send, *claims: dict[str, Any], **query: Any) -> None:
    answer = send("/v1/claims", {"claims": list(claims)}, **query)
    assert output(answer) == {"ids": [one["id"] for one in claims]}


def recalled(send: Send, as_of: object) -> dict[str, Any]:
    return output(send("/v1/claims/recall", {"question": "sagas", "as_of": as_of}))


def listed(send: Send, **query: Any) -> list[str]:
    return [one["id"] for one in output(send("/v1/claims", **query))["claims"]]


@pytest.mark.parametrize(("path", "call"), CALLS, ids=lambda one: getattr(one, "name", ""))
def test_every_call_wants_a_token_and_a_group_of_its_bearer(
    http: httpx2.Client, path: str, call: Any
) -> None:
    def ask(token: str | None, group: str) -> httpx2.Response:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        query = {"group_id": group}
        if call.method == "GET":
            return http.get(path, params={**query, **call.example}, headers=headers)
        return http.post(path, params=query, json=call.example, headers=headers)

    assert (ask(None, "team").status_code, code_in(ask(None, "team"))) == (401, "UNAUTHENTICATED")
    there, nowhere = ask(TEAM, "other"), ask(TEAM, "nowhere")
    assert (there.status_code, code_in(there)) == (403, "PERMISSION_DENIED")
    assert there.text.count("other") == nowhere.text.count("nowhere")
    assert ask(TEAM, "team").status_code != 403
    assert ask(ROOT, "other").status_code != 403


@pytest.mark.parametrize("path", ["/api/search", "/v1/events"])
def test_search_and_events_are_guarded_alike(send: Send, path: str) -> None:
    query = {"q": "saga"} if path == "/api/search" else {"after": "0.0"}
    assert code_in(send(path, token=None, **query)) == "UNAUTHENTICATED"
    assert code_in(send(path, group_id="other", **query)) == "PERMISSION_DENIED"


def test_the_group_is_that_of_the_token_or_the_one_that_is_named(send: Send) -> None:
    written(send, claim("mine"))
    written(send, claim("theirs"), token=BOTH, group_id="other")
    assert listed(send) == ["mine"]
    assert listed(send, token=BOTH, group_id="other") == ["theirs"]
    unnamed = send("/v1/claims", token=BOTH)
    assert code_in(unnamed) == "INVALID_ARGUMENT"
    assert "group_id=other" in unnamed.json()["error"]["details"]["hint"]
    assert listed(send, token=ROOT) == []  # the group that the memory stands in


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH"])
def test_nothing_on_these_surfaces_forgets(http: httpx2.Client, method: str) -> None:
    document = http.get("/openapi.json", headers={"authorization": f"Bearer {TEAM}"}).json()
    surfaces = [
        path
        for path in document["paths"]
        if path.startswith(("/v1/claims", "/v1/attention", "/v1/events", "/api/search"))
    ]
    assert len(surfaces) >= len({path for path, _ in CALLS})
    for path in surfaces:
        assert method.lower() not in document["paths"][path]
        answer = http.request(method, path, headers={"authorization": f"Bearer {TEAM}"})
        assert answer.status_code == 405
        assert not {"delete", "forget", "purge", "remove"} & set(path.split("/"))


def test_a_claim_lives_through_its_calls(send: Send) -> None:
    actor = {"actor_type": "user", "actor_id": "ann", "session_id": "s"}
    written(send, claim(confidence=0.9))
    moved = send(
        "/v1/claims/transition",
        {"id": "c", "status": "verified", "expected_status": "observed", "actor": actor},
    )
    assert output(moved) == {"id": "c", "claim_status": "verified"}
    late = send(
        "/v1/claims/transition", {"id": "c", "status": "disputed", "expected_status": "observed"}
    )
    assert (late.status_code, code_in(late)) == (409, "CONFLICT")
    events = output(send("/v1/claims/history", id="c"))["events"]
    assert [(one["event"], one["actor_id"]) for one in events] == [
        ("created", None),
        ("verified", "ann"),
    ]
    view = output(send("/v1/claims/claim", id="c"))
    assert (view["severity"], view["tone"]) == ("neutral", "success")
    assert view["line"].startswith("verified · by user · 20")
    written(send, claim("new", "newer"))
    assert (
        output(send("/v1/claims/supersede", {"old_id": "c", "new_id": "new"}))["superseded_by"]
        == "new"
    )
    assert output(send("/v1/claims/claim", id="c"))["line"] == "superseded · by new"
    assert code_in(send("/v1/claims/claim", id="nobody")) == "NOT_FOUND"


def test_ids_are_answered_as_they_are_stored(send: Send) -> None:
    stored, given = "caf\u00e9", "cafe\u0301"
    for end in ("", " 2"):
        written(send, claim(stored + end, stored + end))
    moved = output(send("/v1/claims/transition", {"id": given, "status": "verified"}))
    assert moved["id"] == stored
    replaced = output(send("/v1/claims/supersede", {"old_id": given, "new_id": given + " 2"}))
    assert (replaced["id"], replaced["superseded_by"]) == (stored, stored + " 2")


def test_the_name_of_a_token_is_who_acts(send: Send, nexus: Nexus) -> None:
    for by in ({}, {"actor_id": "ann"}):
        id = f"by {by}"
        written(send, claim(id, **by), claim(f"newer {by}"), token=ANN)
        actor = {"actor_type": "user", "session_id": "s", **by}
        for path, body in (
            ("/v1/claims/transition", {"id": id, "status": "verified", "actor": actor}),
            ("/v1/claims/transition", {"id": id, "status": "disputed"}),
            (
                "/v1/attention/dismiss",
                {"fingerprint": f"claim:{id}:knowledge.disputed.conflicting_evidence"},
            ),
            ("/v1/claims/supersede", {"old_id": id, "new_id": f"newer {by}"}),
            ("/v1/attention/rejections", {"text": "a rumour", "actor": actor}),
        ):
            output(send(path, body, token=ANN))
        events = output(send("/v1/claims/history", id=id))["events"]
        assert [one["actor_id"] for one in events] == ["ann"] * 4
        assert [one["actor_type"] for one in events] == ["agent", "user", "system", "system"]
        assert output(send("/v1/claims/claim", id=id))["claim"]["actor_id"] == "ann"
    logged = nexus.group("team").changes(0, 100)
    assert {one.transaction.actor for one in logged if one.transaction.actor} == {"ann"}


def test_a_token_with_a_name_leaves_a_claim_to_tell_the_rest_of_its_creator(send: Send) -> None:
    told = {"actor_type": "tool", "session_id": "s", "branch_id": "b"}
    acting = {"actor_type": "user", "session_id": "t", "branch_id": None}
    written(send, claim("c", **told), token=ANN)
    output(send("/v1/claims", {"claims": [claim("d", **told)], "actor": acting}, token=ANN))
    for id, creator in (("c", told), ("d", acting)):
        (event,) = output(send("/v1/claims/history", id=id))["events"]
        assert {**event, **creator, "actor_id": "ann"} == event
    send("/v1/claims", {"claims": [{"text": "trust me"}]}, token=ANN)
    (item,) = output(send("/v1/attention"))["items"]
    assert item["reason"].startswith("ann ")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/claims", {"claims": [claim("new")]}),
        ("/v1/claims", {"claims": [{"text": "without evidence"}]}),
        ("/v1/claims/transition", {"id": "c", "status": "disputed"}),
        ("/v1/claims/supersede", {"old_id": "c", "new_id": "d"}),
        ("/v1/attention/dismiss", {"fingerprint": "claim:c:x"}),
        ("/v1/attention/snooze", {"fingerprint": "claim:c:x", "until": 1.0}),
        ("/v1/attention/rejections", {"text": "a rumour"}),
    ],
)
def test_nobody_with_a_name_acts_as_another(
    send: Send, nexus: Nexus, path: str, body: dict[str, Any]
) -> None:
    written(send, claim("c"), claim("d"))
    before = nexus.group("team").stats().transactions
    boss = {"actor_type": "user", "actor_id": "boss"}
    bodies = [body | {"actor": boss}]
    if "claims" in body:
        bodies.append({"claims": [claim("mine"), body["claims"][0] | {"actor_id": "boss"}]})
    for one in bodies:
        refused = send(path, one, token=ANN)
        assert (refused.status_code, code_in(refused)) == (403, "PERMISSION_DENIED")
        assert (
            refused.json()["error"]["message"]
            == "the token belongs to somebody other than the actor"
        )
    assert nexus.group("team").stats().transactions == before


@pytest.mark.parametrize(
    ("told", "author"),
    [
        ({"actor_id": 5, "actor_type": "tool"}, "tool"),
        ({"actor_id": "bob", "actor_type": "nobody"}, "bob"),
        ({"actor_id": "a\0b", "session_id": ["s"]}, "system"),
    ],
)
def test_a_refused_claim_is_recorded_whatever_it_tells_of_its_author(
    send: Send, told: dict[str, object], author: str
) -> None:
    refused = send("/v1/claims", {"claims": [{"text": "trust me", **told}]})
    assert refused.json()["error"]["message"].startswith("A Claim requires at least one")
    (item,) = output(send("/v1/attention"))["items"]
    assert item["reason"].startswith(f"{author} ")


def test_a_claim_without_evidence_is_refused_and_recorded(send: Send) -> None:
    for evidence in ({}, {"evidence": []}):
        refused = send("/v1/claims", {"claims": [{"text": "trust me", **evidence}]})
        assert (refused.status_code, code_in(refused)) == (400, "INVALID_ARGUMENT")
        error = refused.json()["error"]
        assert error["message"].startswith("A Claim requires at least one EvidenceRef.")
    items = output(send("/v1/attention"))["items"]
    assert error["details"]["fingerprint"] in [one["fingerprint"] for one in items]
    assert {one["text"] for one in items} == {"trust me"}
    assert listed(send) == []


@pytest.mark.parametrize(
    ("members", "named"),
    [
        ({"evidence": EVIDENCE}, "text is missing"),
        ({"text": "t", "evidence": [{"path": "a"}]}, "kind is missing"),
        ({"text": "t", "evidence": [{"kind": "rumour"}]}, "rumour"),
        ({"text": "t", "evidence": EVIDENCE, "confidnce": 1}, "confidnce is not a field of Claim"),
        ({"text": "t", "evidence": EVIDENCE, "confidence": 2}, "confidence"),
        ({"text": "t", "evidence": "file"}, "evidence is not a list"),
        ({"text": "t", "evidence": ["file"]}, "not an object"),
        ({"text": "t", "evidence": EVIDENCE, "tags": None}, "tags"),
    ],
)
def test_what_is_no_claim_is_refused_in_words(
    send: Send, members: dict[str, Any], named: str
) -> None:
    answer = send("/v1/claims", {"claims": [claim(), members]})
    assert code_in(answer) == "INVALID_ARGUMENT"
    assert named in answer.json()["error"]["message"]
    assert listed(send) == []  # all or none


@pytest.mark.parametrize(
    ("path", "body", "query", "message"),
    [
        ("/v1/claims", None, {"limit": "many"}, "limit is not a whole number"),
        ("/v1/claims", None, {"limit": "9" * 5_000}, "limit is not a whole number"),
        ("/v1/claims", None, {"limit": "1_0"}, "limit is not a whole number"),
        ("/v1/claims/events", None, {"limit": " 1"}, "limit is not a whole number"),
        ("/api/search", None, {"q": "x", "limit": "1.0"}, "limit is not a whole number"),
        (
            "/api/search",
            None,
            {"q": "x", "type": "all", "status": "verified", "project": "p"},
            "project, status are of claims, not of all",
        ),
        ("/v1/attention", None, {"aside": "maybe"}, "aside is not true or false"),
        ("/v1/claims", {"claims": []}, {}, "claims is empty"),
        ("/v1/claims", {"claims": [{}] * 1_001}, {}, "claims has more than 1,000"),
        (
            "/v1/attention/snooze",
            {"fingerprint": "f", "until": "soon"},
            {},
            "until is not a number",
        ),
    ],
)
def test_a_value_of_another_kind_is_told_in_words(
    send: Send, path: str, body: Any, query: Any, message: str
) -> None:
    assert send(path, body, **query).json()["error"]["message"] == message


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/v1/claims", {"limit": "0"}),
        ("/v1/claims", {"limit": "many"}),
        ("/v1/claims", {"runn": "r"}),
        ("/v1/claims", {"run": ["a", "b"]}),
        ("/v1/claims", {"group_id": ["team", "team"]}),
        ("/v1/claims", {"scope_id": "r"}),
        ("/v1/claims", {"scope_type": "planet"}),
        ("/v1/claims", {"status": "obsreved"}),
        ("/v1/claims/claim", {}),
        ("/api/search", {}),
        ("/api/search", {"q": "x", "type": "rumours"}),
        ("/v1/events", {"after": "yesterday"}),
        ("/v1/events", {"afer": "0.0"}),
        ("/v1/events", {"after": ["0.0", "0.0"]}),
        ("/v1/events", {"after": "١.٠"}),
        ("/v1/events", {"after": "9" * 30}),
    ],
)
def test_a_query_is_exactly_what_is_described(send: Send, path: str, query: Any) -> None:
    answer = send(path, **query)
    assert (answer.status_code, code_in(answer)) == (400, "INVALID_ARGUMENT")


def test_every_page_has_its_lens(send: Send) -> None:
    run = {"actor": {"actor_type": "agent", "run_id": "run-1", "show_id": "show-1"}}
    body = {"claims": [claim("learnt", tags=["t"], domain="d", project="p", session_id="s")], **run}
    assert output(send("/v1/claims", body)) == {"ids": ["learnt"]}
    written(send, claim("known", scope_type="agent", scope_id="reviewer"))
    written(send, claim("cited", evidence=[{"kind": "artifact", "artifact_id": "report"}]))
    for lens in (
        {"run": "run-1"},
        {"show": "show-1"},
        {"tag": "t"},
        {"session": "s"},
        {"project": "p"},
    ):
        assert listed(send, **lens) == ["learnt"], lens
        assert output(send("/v1/claims/count", **lens)) == {"count": 1}, lens
    assert listed(send, agent="reviewer") == ["known"]
    assert listed(send, scope_type="agent", scope_id="reviewer") == ["known"]
    assert listed(send, artifact="report") == ["cited"]
    assert listed(send, status=["verified", "disputed"]) == []
    assert listed(send, status="") == []


def test_lists_say_where_the_next_page_begins(send: Send) -> None:
    written(send, *(claim(f"c{number}", created_at=float(number + 1)) for number in range(3)))
    first = output(send("/v1/claims", limit=2))
    assert ([one["id"] for one in first["claims"]], first["after"]) == (["c2", "c1"], "c1")
    last = output(send("/v1/claims", limit=2, after="c1"))
    assert ([one["id"] for one in last["claims"]], last["after"]) == (["c0"], None)


def test_attention_shows_why_and_is_put_aside(send: Send) -> None:
    written(send, claim(claim_status="verified"))
    disputed = {"id": "c", "status": "disputed", "reason": "the code says otherwise"}
    conflicting = [{"kind": "tool_result", "tool_call_id": "t"}]
    output(send("/v1/claims/transition", {**disputed, "evidence": conflicting}))
    (item,) = output(send("/v1/attention"))["items"]
    assert item["fingerprint"] == "claim:c:knowledge.disputed.conflicting_evidence"
    why = output(send("/v1/attention/item", fingerprint=item["fingerprint"]))
    assert why["item"]["evidence"][0]["tool_call_id"] == "t"
    assert (why["claim"]["id"], len(why["events"])) == ("c", 2)
    named = {"fingerprint": item["fingerprint"]}
    output(send("/v1/attention/dismiss", named))
    for until in (1.0, -1e308, 1e308):
        snoozed = send("/v1/attention/snooze", {**named, "until": until})
        assert code_in(snoozed) == "INVALID_ARGUMENT"
    assert output(send("/v1/attention"))["items"] == []
    output(send("/v1/attention/snooze", {**named, "until": 4e9}))
    assert output(send("/v1/attention"))["items"] == []
    assert len(output(send("/v1/attention", aside="true"))["items"]) == 1
    assert code_in(send("/v1/attention/dismiss", {"fingerprint": "nothing"})) == "NOT_FOUND"


def test_search_finds_claims_with_their_standing(send: Send) -> None:
    two = [*EVIDENCE, {"kind": "tool_result", "tool_call_id": "t"}]
    written(send, claim(confidence=0.6, scope_type="repo", scope_id="r", evidence=two))
    written(send, claim("d", "sagas are disputed", claim_status="disputed"))
    written(send, claim("c", "sagas of others"), token=BOTH, group_id="other")
    answer = send("/api/search", q="payments saga", type="knowledge").json()
    assert answer["type"] == "knowledge"
    best = answer["results"][0]
    assert (best["id"], best["text"]) == ("c", "payments uses sagas")
    assert (best["claim_status"], best["confidence"]) == ("observed", 0.6)
    assert (best["evidence_count"], best["scope"]) == (2, {"scope_type": "repo", "scope_id": "r"})
    assert {one["id"]: one["evidence_count"] for one in answer["results"]} == {"c": 2, "d": 1}
    disputed = send("/api/search", q="saga", type="knowledge", status="disputed").json()
    assert [one["id"] for one in disputed["results"]] == ["d"]


def test_search_finds_facts_and_concepts_too(send: Send, nexus: Nexus) -> None:
    team = nexus.group("team")
    team.write('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }')
    nodes = [{"group_id": "team", "uuid": one, "name": one} for one in ("a", "b")]
    for node in nodes:
        assert send("/v1/operations/AddEntityNode", {"input": node}).status_code == 200
    fact = {
        "group_id": "team", "uuid": "f", "name": "KNOWS", "fact": "Ann knows Bob",
        "source_node_uuid": "a", "target_node_uuid": "b",
    }  # fmt: skip
    assert send("/v1/operations/AddFact", {"input": fact}).status_code == 200
    (found,) = send("/api/search", q="aspirin", type="concepts").json()["results"]
    assert (found["text"], found["concept_type"]) == ("Aspirin", "Drug")
    (found,) = send("/api/search", q="who knows Bob", type="facts").json()["results"]
    assert (found["id"], found["text"]) == ("f", "Ann knows Bob")


def test_the_calls_are_counted_and_logged_without_what_was_in_them(
    send: Send, log: Callable[[], list[dict]]
) -> None:
    written(send, claim(text="a secret"))
    send("/v1/claims/claim", id="nobody")
    counted = send("/metrics", token=ROOT).text
    assert 'operations_total{code="",operation="WriteClaims",status="OK"} 1.0' in counted
    assert 'operations_total{code="NOT_FOUND",operation="GetClaim",status="ERROR"} 1.0' in counted
    lines = [one for one in log() if one["event"] == "operation"]
    assert [(one["operation"], one["group_id"]) for one in lines] == [
        ("WriteClaims", "team"),
        ("GetClaim", "team"),
    ]
    assert "secret" not in str(lines)


def test_a_time_to_recall_of_is_named_as_in_kip(send: Send, nexus: Nexus) -> None:
    written(send, claim("old"))
    (first,) = nexus.group("team").changes(limit=1)
    number, at = nexus.group("team").stats().transactions, first.transaction.at
    written(send, claim("new"))
    written(send, claim("of another group"), token=ROOT, group_id="other")

    def ids(as_of: object) -> set[str]:
        return {one["claim"]["id"] for one in recalled(send, as_of)["claims"]}

    assert ids(None) == ids({}) == ids({"valid": None, "known": "2999"}) == {"old", "new"}
    assert ids({"known": number}) == {"old"}
    assert ids({"known": instant_text(Instant(at - 1))}) == ids({"known": "1970"}) == set()


def test_a_time_that_has_not_been_is_warned_of(send: Send, nexus: Nexus) -> None:
    written(send, claim())
    last = nexus.group("team").stats().transactions
    answer = recalled(send, {"known": 1_700_000_000_000})
    assert [one["claim"]["id"] for one in answer["claims"]] == ["c"]
    (warning,) = answer["warnings"]
    assert (warning["code"], warning["hint"]) == ("future_transaction", f'use {{"known": {last}}}')
    assert "warnings" not in recalled(send, {"known": last})


def test_lists_and_cards_are_of_the_time_that_a_query_names_as_json(
    send: Send, nexus: Nexus
) -> None:
    written(send, claim("old"))
    number = nexus.group("team").stats().transactions
    written(send, claim("new"))
    for status, cited in (("verified", EVIDENCE), ("disputed", [{"kind": "message"}])):
        move = {"id": "old", "status": status, "evidence": cited}
        output(send("/v1/claims/transition", move))
    then = json.dumps({"known": number})
    assert (listed(send), listed(send, as_of=then)) == (["new", "old"], ["old"])
    counts = [output(send("/v1/claims/count", **one))["count"] for one in ({}, {"as_of": then})]
    assert counts == [2, 1]
    card = output(send("/v1/claims/claim", id="old", as_of=then))
    assert card["claim"]["claim_status"] == "observed"
    assert code_in(send("/v1/claims/claim", id="new", as_of=then)) == "NOT_FOUND"
    told = output(send("/v1/claims/history", id="old", as_of=then))
    assert [one["event"] for one in told["events"]] == ["created"]
    (item,) = output(send("/v1/attention"))["items"]
    assert output(send("/v1/attention", as_of=then))["items"] == []
    asked = {"fingerprint": item["fingerprint"], "as_of": then}
    assert code_in(send("/v1/attention/item", **asked)) == "NOT_FOUND"


def test_a_query_about_a_time_that_has_not_been_is_answered_with_a_warning(send: Send) -> None:
    written(send, claim())
    never = json.dumps({"known": 1_700_000_000_000})
    for path in ("/v1/claims", "/v1/claims/count", "/v1/attention"):
        (warning,) = output(send(path, as_of=never))["warnings"]
        assert warning["code"] == "future_transaction"
    refused = send("/v1/claims", as_of="2024")
    assert refused.json()["error"]["message"] == (
        "as_of is a string, which does not say which of the two times it means"
    )


@pytest.mark.parametrize(
    ("as_of", "message"),
    [
        ({"valid": 5}, "as_of.valid is a number"),
        ({"known": "soon"}, "as_of.known is 'soon', which is not an ISO 8601 date or time"),
        ({"known": -1}, "as_of.known is -1, which is not a transaction number"),
        ({"transaction": 1}, "as_of has no member 'transaction'"),
        ("2024", "as_of is a string, which does not say which of the two times it means"),
    ],
)
def test_a_time_that_is_none_is_refused(send: Send, as_of: object, message: str) -> None:
    answer = send("/v1/claims/recall", {"question": "sagas", "as_of": as_of})
    assert (answer.status_code, code_in(answer)) == (400, "INVALID_ARGUMENT")
    assert answer.json()["error"]["message"] == message


def test_the_beginning_of_an_id_means_the_only_claim_that_begins_so(send: Send) -> None:
    ids = ("518ad768-81a7", "51b00000-0000", "924a6b25-8d46")
    output(send("/v1/claims", {"claims": [claim(one, text=f"text {one}") for one in ids]}))
    body = {"id": "518", "status": "disputed", "reason": "no"}
    assert output(send("/v1/claims/transition", body))["id"] == ids[0]
    body = {"old_id": "51b", "new_id": "9"}
    assert output(send("/v1/claims/supersede", body))["superseded_by"] == ids[2]
    assert output(send("/v1/claims/claim", id="51b"))["superseded_by"] == ids[2]
    events = output(send("/v1/claims/history", id="518"))["events"]
    assert {one["claim_id"] for one in events} == {ids[0]}
    assert code_in(send("/v1/claims/claim", id="51")) == "INVALID_ARGUMENT"
    assert code_in(send("/v1/claims/history", id="7")) == "NOT_FOUND"
