"""Claims, evidence and their helpers, as the specification has them."""

from __future__ import annotations

from dataclasses import fields
from uuid import UUID, uuid5

import orjson
import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.faces.claims import (
    KINDS,
    Claim,
    ClaimEvent,
    EvidenceRef,
    NexusKnowledgeStore,
    Scope,
    derive_claim_severity,
    from_artifact,
    from_file,
    from_human_assertion,
    from_message,
    from_model_inference,
    from_tool_result,
    from_url,
    from_user_statement,
)
from recollect.faces.claims.records import evidence_name

NO_EVIDENCE = (
    "A Claim requires at least one EvidenceRef. "
    "If evidence is truly absent, this is a hypothesis — "
    "use kind='model_inference' with low confidence."
)


@pytest.mark.parametrize("nothing", [[], (), None, ""])
def test_you_cannot_create_a_claim_without_evidence(nothing: object) -> None:
    with pytest.raises(ValueError) as caught:
        Claim("a fact", nothing)  # type: ignore[arg-type]
    assert str(caught.value) == NO_EVIDENCE


def test_a_claim_has_the_specified_fields_in_their_order() -> None:
    assert [one.name for one in fields(Claim)] == [
        "text",
        "evidence",
        "claim_status",
        "confidence",
        "id",
        "project",
        "scope_type",
        "scope_id",
        "session_id",
        "branch_id",
        "actor_type",
        "actor_id",
        "created_at",
        "domain",
        "tags",
        "supersedes",
    ]
    made = claim()
    assert (made.claim_status, made.confidence, made.actor_type, made.created_at) == (
        "observed",
        1.0,
        "agent",
        0.0,
    )
    assert made.id != claim().id


def test_an_evidence_ref_has_the_thirteen_fields() -> None:
    assert [one.name for one in fields(EvidenceRef)] == [
        "kind",
        "id",
        "session_id",
        "message_id",
        "tool_call_id",
        "artifact_id",
        "path",
        "url",
        "repo",
        "commit_sha",
        "content_hash",
        "fetched_at",
        "detail",
    ]


def test_a_claim_event_has_the_fields_of_the_issue() -> None:
    assert [one.name for one in fields(ClaimEvent)] == [
        "sequence",
        "claim_id",
        "event",
        "from_status",
        "to_status",
        "at",
        "actor_type",
        "actor_id",
        "session_id",
        "branch_id",
        "evidence",
        "reason",
    ]


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (from_message("s", "m", "q"), EvidenceRef("message", session_id="s", message_id="m", detail="q")),
        (from_tool_result("t", "s"), EvidenceRef("tool_result", tool_call_id="t", detail="s")),
        (from_user_statement("s", "m"), EvidenceRef("user_statement", session_id="s", message_id="m")),
        (from_artifact("a", "p"), EvidenceRef("artifact", artifact_id="a", path="p")),
        (from_file("p", "r", "c"), EvidenceRef("file", path="p", repo="r", commit_sha="c")),
        (from_url("u", 1.0, "h"), EvidenceRef("url", url="u", fetched_at=1.0, content_hash="h")),
        (from_model_inference("s", "m", "r"), EvidenceRef("model_inference", session_id="s", message_id="m", detail="r")),
        (from_human_assertion("u", 1.0, "d"), EvidenceRef("human_assertion", id="u", fetched_at=1.0, detail="d")),
    ],
)  # fmt: skip
def test_the_helper_name_matches_the_kind_value(made: EvidenceRef, wanted: EvidenceRef) -> None:
    assert made == wanted


def test_there_are_eight_kinds() -> None:
    assert len(set(KINDS)) == 8


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " "},
        {"text": 5},
        {"text": "\ud800"},
        {"text": "a\0b"},
        {"text": "x" * 100_001},
        {"evidence": "a text"},
        {"evidence": [{"kind": "file"}]},
        {"evidence": from_file("a.py")},
        {"claim_status": "obsreved"},
        {"confidence": 1.1},
        {"confidence": -0.1},
        {"confidence": float("nan")},
        {"confidence": "high"},
        {"confidence": True},
        {"actor_type": "robot"},
        {"scope_type": "world"},
        {"scope_id": 5, "scope_type": "repo"},
        {"scope_id": "r"},
        {"id": ""},
        {"actor_id": "a" * 4_097},
        {"tags": "saga"},
        {"tags": [""]},
        {"tags": [5]},
        {"created_at": "now"},
        {"created_at": float("inf")},
        {"created_at": 1e300},
        {"created_at": -1e18},
        {"created_at": -62_135_596_801},
        {"created_at": 253_402_300_800},
        {"created_at": 1_700_000_000_000},  # in milliseconds
        {"supersedes": ""},
        {"id": "c", "supersedes": "c"},
    ],
    ids=str,
)
def test_a_field_that_cannot_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RecollectError) as caught:
        claim(**wrong)
    assert caught.value.code is INVALID_ARGUMENT
    assert caught.value.hint


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "rumour"},
        {"path": 5},
        {"fetched_at": "today"},
        {"fetched_at": 1e300},
        {"url": "\ud800"},
    ],
)
def test_evidence_that_cannot_be_kept_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RecollectError) as caught:
        EvidenceRef(**{"kind": "file", **wrong})  # type: ignore[arg-type]
    assert caught.value.code is INVALID_ARGUMENT


@pytest.mark.parametrize("seconds", [-62_135_596_800, -1.5, 253_402_300_799.999])
def test_a_time_is_of_the_years_1_to_9999(seconds: float) -> None:
    assert claim(created_at=seconds).created_at == seconds
    assert from_url("https://x.org", seconds).fetched_at == seconds


def test_a_reference_needs_to_say_its_kind_alone() -> None:
    assert claim(evidence=[EvidenceRef("file")]).evidence == [EvidenceRef("file")]


def test_an_id_or_a_tag_is_as_long_as_a_name_may_be() -> None:
    assert claim(id="i" * 4_096, tags=["t" * 4_096])
    for wrong in ({"id": "i" * 4_097}, {"tags": ["t" * 4_097]}):
        with pytest.raises(RecollectError) as caught:
            claim(**wrong)
        assert caught.value.code is INVALID_ARGUMENT


def test_an_id_is_as_long_as_it_is_stored(store: NexusKnowledgeStore, wait: Wait) -> None:
    longer = "\ufb2c" * 2_000  # three characters each, as it is stored
    with pytest.raises(RecollectError) as caught:
        claim(id=longer)
    assert caught.value.message.startswith("id has 6000 characters")
    for call in (store.get(longer), store.history(longer), store.transition(longer, "verified")):
        with pytest.raises(RecollectError) as caught:
            wait(call)
        assert caught.value.message.startswith("claim_id has 6000 characters")


def test_a_scope_is_of_a_known_type() -> None:
    with pytest.raises(RecollectError) as caught:
        Scope("repos", "r")
    assert caught.value.known[0] == "repo"


def test_a_claim_has_lists_of_its_own() -> None:
    evidence, tags = [from_file("a.py")], ["saga"]
    made = Claim("a fact", evidence, tags=tags)
    evidence.clear()
    tags.clear()
    assert (len(made.evidence), made.tags) == (1, ["saga"])


@pytest.mark.parametrize(
    ("status", "confidence", "severity"),
    [
        ("disputed", 1.0, ("warning", "warning")),
        ("hypothesis", 0.4, ("warning", "warning")),
        ("hypothesis", 0.5, ("info", "neutral")),
        ("observed", 1.0, ("info", "info")),
        ("inferred", 0.1, ("info", "info")),
        ("verified", 1.0, ("neutral", "success")),
        ("superseded", 1.0, ("neutral", "neutral")),
    ],
)
def test_severity_is_derived_from_status_and_confidence(
    status: str, confidence: float, severity: tuple[str, str]
) -> None:
    assert derive_claim_severity(claim(claim_status=status, confidence=confidence)) == severity


def test_evidence_is_called_by_a_uuid_of_version_5_of_its_fields() -> None:
    namespace = UUID("3d0a7f52-2c1e-5b57-9a44-0f1f4f8f7c39")
    for number in range(50):
        ref = from_tool_result(f"call-{number}", "caf\u00e9")
        told = orjson.dumps([getattr(ref, one.name) for one in fields(EvidenceRef)])
        assert evidence_name(ref) == str(uuid5(namespace, told.decode()))
