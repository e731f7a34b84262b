"""The page of an element, and putting it right."""

from __future__ import annotations

import re

import pytest
from tests.servers.studio.conftest import Visitor, said

from recollect.kernel import Nexus
from recollect.model import PutConcept, PutFact, Rows

pytestmark = pytest.mark.usefixtures("told")


def value(nexus: Nexus, text: str, **parameters: str) -> object:
    (rows,) = nexus.read(text, parameters).results
    assert isinstance(rows, Rows)
    return [row[0] for row in rows.rows]


def claim_id(nexus: Nexus) -> str:
    (found,) = value(nexus, 'FIND(?c.id) WHERE { ?c {type: "Claim", name: "sagas"} }')
    return str(found)


def keep(visitor: Visitor, nexus: Nexus, **fields: object) -> tuple[str, str]:
    """Try a change, see that nothing was kept, keep it; return both pages."""
    before = nexus.stats().transactions
    tried = visitor.post("/element/change", step="try", **fields)
    assert tried.status_code == 200, said(tried.text)
    assert nexus.stats().transactions == before
    kept = visitor.post("/element/change", step="apply", **fields)
    assert kept.status_code == 200, said(kept.text)
    return said(tried.text), said(kept.text)


def test_a_concept_shows_what_it_says_its_past_and_what_is_beside_it(visitor: Visitor):
    page = visitor.text("/element", id="ann")
    for words in ("role director", "works_at → Acme", "← knows Bob", "by hr", "by importer", "r-1"):
        assert words in page
    assert "− engineer" not in page and "engineer director" in page


def test_a_fact_shows_both_clocks_as_a_picture_with_a_title_for_each_version(visitor: Visitor):
    answer = visitor.get("/element", id="job")
    titles = re.findall(r"<title>(Version[^<]+)</title>", answer.text)
    assert len(titles) == 1 and "about the time from 2021-01-01 until further notice" in titles[0]
    assert "her letter" in answer.text


def test_the_past_of_an_element_is_an_address(visitor: Visitor):
    page = visitor.get("/element", id="ann", known="#1")
    assert "role engineer" in said(page.text) and "looking at the past" in page.text
    assert "Put it right" not in page.text


def test_what_did_not_exist_yet_says_so(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Person", "Zoe", id="zoe")])
    assert "not held at the moment you ask about" in visitor.text("/element", id="zoe", known="#1")
    assert visitor.get("/element", id="nobody").status_code == 404


def test_the_kip_of_an_element_makes_it_again(visitor: Visitor):
    page = visitor.get("/element", id="bob").text
    assert "UPSERT {" in page and "baker" in page
    assert visitor.get("/element/raw", id="bob").json()["element"]["name"] == "Bob"


def test_correct(visitor: Visitor, nexus: Nexus):
    tried, kept = keep(visitor, nexus, do="correct", id="ann", key="role", value="chair")
    assert "director" in tried and "chair" in tried and "Kept as transaction" in kept
    assert value(nexus, "FIND(?x.attributes.role) WHERE { ?x {id: $id} }", id="ann") == ["chair"]


def test_end(visitor: Visitor, nexus: Nexus):
    _, kept = keep(visitor, nexus, do="end", id="job", at="2024-06-01")
    assert "until 2024-06-01" in kept


def test_replace(visitor: Visitor, nexus: Nexus):
    fields = {"do": "replace", "id": "job", "at": "2024-06-01", "object": "Beta", "text": ""}
    tried, kept = keep(visitor, nexus, **fields)
    assert "Ann works at Beta" in tried
    assert nexus.changes()[-1].transaction.request_id is not None
    assert "Said of the same fact Ann works at Acme until 2024-06-01" in kept
    assert "Beta" in visitor.text("/element", id="ann")
    old = visitor.text("/element", id="job")
    assert "until 2024-06-01" in old and "Said of the same fact Ann works at Beta" in old


def test_the_page_of_then_tells_who_wrote_what_it_shows(visitor: Visitor):
    assert "by hr" in visitor.text("/element", id="ann").partition("Why")[2].partition("clocks")[0]
    past = visitor.text("/element", id="ann", known="#1").partition("Why")[2].partition("clocks")[0]
    assert "transaction #1 by importer , request r-1" in past and "hr" not in past


def test_what_stands_beside_an_element_says_until_when(visitor: Visitor, nexus: Nexus):
    keep(visitor, nexus, do="end", id="job", at="2024-06-01")
    assert "works_at → Acme until 2024-06-01 fact" in visitor.text("/element", id="ann")


def test_a_claim_tells_what_happened_to_it_and_keeps_the_rest_folded(
    visitor: Visitor, nexus: Nexus
):
    identifier = claim_id(nexus)
    keep(visitor, nexus, do="dispute", id=identifier, reason="I looked")
    page = visitor.get("/element", id=identifier).text
    assert "observed → disputed by user studio : I looked" in said(page)
    assert "<details><summary>All that is kept of it</summary>" in page


def test_replacing_with_what_nobody_knows_shows_that_it_is_made(visitor: Visitor, nexus: Nexus):
    fields = {"do": "replace", "id": "job", "at": "2024-06-01", "object": "Nowhere"}
    tried = said(visitor.post("/element/change", step="try", **fields).text)
    assert "create Nowhere" in tried
    assert nexus.concepts.named("Company", ["Nowhere"]) == {}


def test_a_fact_is_corrected_and_that_is_undone(visitor: Visitor, nexus: Nexus):
    tried, kept = keep(visitor, nexus, do="correct", id="job", object="Beta", valid_at="")
    assert tried.count("Ann works at Acme") == 2 and "close Ann works at Acme" in tried
    assert "replaced_by" not in tried and "search_attributes" not in tried
    assert "Ann works at Beta" in tried and "since 2021-01-01" in kept
    assert "Said of the same fact Ann works at Acme no longer held" in kept
    text = 'FIND(?l.id) WHERE { ?l ({id: "ann"}, "works_at", ?o) }'
    (corrected,) = value(nexus, text)
    tried, kept = keep(visitor, nexus, do="undo", id=corrected)
    assert "Ann works at Acme" in tried and "Ann works at Acme" in kept
    assert "Said of the same fact Ann works at Acme no longer held" in kept
    assert value(nexus, 'FIND(?o.name) WHERE { ({id: "ann"}, "works_at", ?o) }') == ["Acme"]


def test_what_a_fact_says_beside_its_ends_is_corrected_alone(visitor: Visitor, nexus: Nexus):
    keep(visitor, nexus, do="correct", id="job", confidence="0.5", source="a call")
    page = visitor.text("/element", id="job")
    assert "confidence 0.5" in page and "source a call" in page and "since 2021-01-01" in page


def test_never_true(visitor: Visitor, nexus: Nexus):
    _, kept = keep(visitor, nexus, do="withdraw", id="friends")
    assert "no longer held" in kept and "Undo the last change" in kept
    keep(visitor, nexus, do="undo", id="friends")
    assert value(nexus, 'FIND(?o.name) WHERE { ({id: "bob"}, "knows", ?o) }') == ["Ann"]


def test_where_nothing_was_done_nothing_is_undone(visitor: Visitor):
    answer = visitor.post("/element/change", do="undo", id="bob", step="try")
    assert answer.status_code == 400 and "nothing was done to this memory" in answer.text


def test_merge(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Person", "Annie", {"town": "Bonn"}, id="annie")])
    nexus.write([PutFact("annie", "lives_in", "acme", "Annie sleeps at Acme")])
    tried, kept = keep(visitor, nexus, do="merge", id="annie", into="Ann")
    assert "Annie sleeps at Acme Ann lives_in Acme" in tried
    assert "town Bonn" in kept  # the page of the one that stays
    assert "It was merged into Ann" in visitor.text("/element", id="annie")
    assert "It was merged" not in visitor.text("/element", id="bob")


def test_a_mistake_in_a_form_shows_it_again_with_what_was_typed(visitor: Visitor, nexus: Nexus):
    before = nexus.stats().transactions
    answer = visitor.post("/element/change", do="end", id="job", at="last tuesday", step="try")
    assert answer.status_code == 400
    assert 'value="last tuesday"' in answer.text and "is not an ISO 8601 date" in answer.text
    assert 'href="/element?id=job"' in answer.text and "Keep it" not in answer.text
    answer = visitor.post("/element/erase", id="job", step="apply", typed="ja")
    assert answer.status_code == 400 and "the confirmation is not typed" in answer.text
    assert 'name="typed"' in answer.text and nexus.stats().transactions == before


def test_undo_is_offered_where_there_is_something_to_take_back(visitor: Visitor):
    assert "Undo the last change" in visitor.text("/element", id="ann")
    assert "Undo the last change" not in visitor.text("/element", id="bob")
    assert "Undo the last change" not in visitor.text("/element", id="ann", known="#1")


def test_the_last_change_can_be_undone(visitor: Visitor, nexus: Nexus):
    keep(visitor, nexus, do="undo", id="ann")
    assert value(nexus, "FIND(?x.attributes.role) WHERE { ?x {id: $id} }", id="ann") == ["engineer"]


@pytest.mark.parametrize(("do", "status"), [("verify", "verified"), ("dispute", "disputed")])
def test_a_claim_moves_through_its_lifecycle(visitor: Visitor, nexus: Nexus, do: str, status: str):
    identifier = claim_id(nexus)
    keep(visitor, nexus, do=do, id=identifier, reason="I looked")
    assert status in visitor.text("/element", id=identifier)


def test_a_claim_can_be_superseded(visitor: Visitor, nexus: Nexus):
    identifier = claim_id(nexus)
    fields = {"do": "supersede", "id": identifier, "text": "payments uses queues"}
    keep(visitor, nexus, **fields)
    assert "superseded" in visitor.text("/element", id=identifier)
    assert "payments uses queues" in visitor.text("/ask", q="payments queues")


def test_erasing_shows_what_goes_and_wants_a_word(visitor: Visitor, nexus: Nexus):
    tried = said(visitor.post("/element/erase", id="ann", step="try").text)
    assert "What would go" in tried and "concepts 1" in tried and "links 2" in tried
    assert "Ann works at Acme" in tried
    refused = visitor.post("/element/erase", id="ann", step="apply", typed="yes")
    assert refused.status_code == 400
    done = said(visitor.post("/element/erase", id="ann", step="apply", typed="erase").text)
    assert "Receipt" in done and "Ann" not in done
    assert visitor.get("/element", id="ann").status_code == 404
    assert value(nexus, 'FIND(?x) WHERE { ?x {type: "Person", name: "Ann"} }') == []


def test_a_claim_is_put_right_by_its_face_alone(visitor: Visitor, nexus: Nexus):
    answer = visitor.post(
        "/element/change", do="correct", id=claim_id(nexus), key="text", value="x", step="apply"
    )
    assert answer.status_code == 400
    assert "a claim is corrected by another text" in said(answer.text)
