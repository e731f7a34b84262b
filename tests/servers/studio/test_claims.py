"""Claims in cards, through lenses and in the queue of attention."""

from __future__ import annotations

import json

import pytest
from tests.servers.studio.conftest import Visitor, said

from recollect.faces.claims import Actor, AttentionQueue, Claim, EvidenceRef, claim_events
from recollect.faces.claims.writing import Writer
from recollect.kernel import Nexus

pytestmark = pytest.mark.usefixtures("told")

QUESTIONS = {
    "run/run-1": "What did this run learn?",
    "show/show-1": "What changed?",
    "artifact/report": "What claims does this support?",
    "agent/alpha": "What does this agent know?",
}


@pytest.fixture
def disputed(nexus: Nexus) -> str:
    """A claim that was verified and is disputed, about an agent, citing an artifact."""
    writer = Writer(nexus)
    evidence = [
        EvidenceRef("model_inference", detail="it seems"),
        EvidenceRef("artifact", artifact_id="report"),
    ]
    claim = Claim("the report is right", evidence, id="right", scope_type="agent", scope_id="alpha")
    writer.write([claim], Actor("agent", "alpha"))
    writer.transition("right", "verified", [], None, Actor("user", "ann"))
    against = EvidenceRef("message", detail="no")
    writer.transition("right", "disputed", [against], "it is not", Actor("agent", "beta"))
    return "right"


@pytest.mark.parametrize(("lens", "question"), QUESTIONS.items())
@pytest.mark.usefixtures("disputed")
def test_each_lens_asks_its_question_word_for_word(visitor: Visitor, lens: str, question: str):
    page = visitor.get(f"/lens/{lens}").text
    assert f"<h2>{question}</h2>" in page and 'data-component="KnowledgeLens"' in page
    assert f'data-live="knowledge/lens/{lens}"' in page
    expected = "payments uses sagas" if lens[:2] in ("ru", "sh") else "the report is right"
    assert expected in page


@pytest.mark.parametrize(
    ("kind", "words"), [("run", "learned nothing"), ("artifact", "No claim cites")]
)
def test_an_empty_lens_says_so(visitor: Visitor, kind: str, words: str):
    assert words in visitor.text(f"/lens/{kind}/nobody")
    assert visitor.get("/lens/unknown/x").status_code == 404


def test_a_card_has_the_line_of_its_face_and_severity_and_tone_as_classes(
    visitor: Visitor, disputed: str
):
    page = visitor.get("/claims/card", id=disputed).text
    assert 'class="claim severity-warning tone-warning"' in page
    assert "disputed · 1 conflicting evidence ref" in said(page)
    assert page.index("artifact") < page.index("model_inference")
    assert f'data-live="knowledge/claim/{disputed}"' in page
    assert "rase" not in page


@pytest.mark.usefixtures("disputed")
def test_the_queue_shows_severity_and_action_and_puts_items_aside(visitor: Visitor, nexus: Nexus):
    assert "warning Review conflicting evidence the report is right" in visitor.text("/claims")
    (item,) = AttentionQueue(nexus).items()
    why = visitor.text(f"/lens/attention/{item.fingerprint}")
    assert "Why?" in why and "Review conflicting evidence" in why
    visitor.post("/claims/attention", do="week", fingerprint=item.fingerprint)
    assert AttentionQueue(nexus).items() == []
    visitor.post("/claims/attention", do="dismiss", fingerprint=item.fingerprint)
    page = visitor.text("/claims")
    assert "Nothing asks for attention" in page and "1 thing put aside the report is right" in page
    visitor.post("/claims/attention", do="back", fingerprint=item.fingerprint)
    assert AttentionQueue(nexus).items() == [item]
    assert "put aside the report" not in visitor.text("/claims")


@pytest.mark.usefixtures("disputed")
def test_lenses_are_offered_of_what_the_claims_name(visitor: Visitor):
    page = visitor.get("/claims").text
    for path in ("/lens/run/run-1", "/lens/agent/alpha", "/lens/artifact/report"):
        assert f'href="{path}"' in page and visitor.get(path).status_code == 200
    assert "1 claim about that, of 2" in visitor.text("/claims", about="sagas")


def test_a_claim_refused_for_want_of_evidence_is_in_the_queue(visitor: Visitor, nexus: Nexus):
    AttentionQueue(nexus).reject("the moon is cheese", Actor("agent", "a"))
    page = visitor.text("/claims/attention/part")
    assert "info Agent attempted knowledge write without evidence the moon is cheese" in page


@pytest.mark.usefixtures("disputed")
def test_lenses_and_the_queue_are_of_both_clocks(visitor: Visitor, nexus: Nexus):
    written, verified, disputed = (one.transaction for one in claim_events(nexus, "right"))
    for path in ("/lens/agent/alpha", "/lens/artifact/report"):
        assert "verified · by user" in visitor.text(path, known=f"#{verified}")
        assert "the report is right" not in visitor.text(path, known=f"#{written - 1}")
    assert "verified · by user" in visitor.text("/claims/card", id="right", known=f"#{verified}")
    then = visitor.text("/claims", known=f"#{verified}")
    assert "verified · by user" in then and "Nothing asks for attention" in then
    assert "verified · by user" in visitor.text("/claims", status="verified", known=f"#{verified}")
    (item,) = AttentionQueue(nexus).items()
    visitor.post("/claims/attention", do="dismiss", fingerprint=item.fingerprint)
    past = visitor.get("/claims", known=f"#{disputed}").text
    assert "Review conflicting evidence" in past and "Dismiss" not in past
    why = visitor.text(f"/lens/attention/{item.fingerprint}", known=f"#{verified}")
    assert "Nothing asks for attention" in why


@pytest.mark.usefixtures("disputed")
def test_claims_are_filtered_and_found(visitor: Visitor):
    assert "2 claims" in visitor.text("/claims")
    page = visitor.text("/claims", status="disputed")
    assert "1 claim" in page and "payments" not in page.partition("Show")[2]
    assert "payments uses sagas" in visitor.text("/claims", about="sagas")
    found = visitor.text("/ask", q="is the report right", past=1)
    assert "disputed confidence 1.0, 2 evidence refs, about agent alpha" in found


def test_a_change_of_a_claim_is_told_as_it_happens(visitor: Visitor, nexus: Nexus):
    with visitor.http.stream("GET", "/studio/events?memory=true") as stream:
        lines = stream.iter_lines()
        next(lines)
        Writer(nexus).transition("sagas", "verified", [], None, Actor("user", "ann"))
        for line in lines:
            if line == "event: knowledge.verified":
                break
        assert json.loads(next(lines).removeprefix("data: "))["claim_id"] == "sagas"
    assert "verified · by user" in said(visitor.get("/claims/card", id="sagas").text)


def test_a_person_claims_something_in_their_own_word(visitor: Visitor, nexus: Nexus):
    before = nexus.stats().transactions
    fields = {"text": "the cat is on the mat", "as": "claim"}
    tried = said(visitor.post("/remember", step="try", **fields).text)
    assert "create the cat is on the mat" in tried and nexus.stats().transactions == before
    page = visitor.post("/remember", step="apply", **fields)
    assert page.url.path == "/claims" and "the cat is on the mat" in said(page.text)
    assert "human_assertion" in page.text
