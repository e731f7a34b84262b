"""The page of an element, and putting it right."""

from __future__ import annotations

import re

import pytest
from tests.servers.studio.conftest import Visitor, said

from recollect.kernel import Nexus
from recollect.model import PutConcept, Rows

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
    tried, _ = keep(visitor, nexus, **fields)
    assert "Ann works at Beta" in tried
    page = visitor.text("/element", id="ann")
    assert "Beta" in page
    assert "until 2024-06-01" in visitor.text("/element", id="job")


def test_replacing_with_what_nobody_knows_changes_nothing(visitor: Visitor, nexus: Nexus):
    before = nexus.stats().transactions
    answer = visitor.post(
        "/element/change", do="replace", id="job", at="2024", object="Nowhere", step="apply"
    )
    assert (answer.status_code, nexus.stats().transactions) == (400, before)
    assert 'no Company is called "Nowhere"' in said(answer.text)


def test_never_true(visitor: Visitor, nexus: Nexus):
    _, kept = keep(visitor, nexus, do="close", id="friends")
    assert "no longer held" in kept


def test_merge(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Person", "Annie", {"town": "Bonn"}, id="annie")])
    keep(visitor, nexus, do="merge", id="annie", into="Ann")
    page = visitor.text("/element", id="ann")
    assert "town Bonn" in page


def test_a_version_can_be_said_again(visitor: Visitor, nexus: Nexus):
    keep(visitor, nexus, do="restore", id="ann", version=1)
    assert value(nexus, "FIND(?x.attributes.role) WHERE { ?x {id: $id} }", id="ann") == ["engineer"]


@pytest.mark.parametrize(("do", "status"), [("verify", "verified"), ("dispute", "disputed")])
def test_a_claim_moves_through_its_lifecycle(visitor: Visitor, nexus: Nexus, do: str, status: str):
    identifier = claim_id(nexus)
    keep(visitor, nexus, do=do, id=identifier, reason="I looked")
    assert status in visitor.text("/element", id=identifier)


def test_a_claim_can_be_superseded(visitor: Visitor, nexus: Nexus):
    identifier = claim_id(nexus)
    fields = {"do": "supersede", "id": identifier, "text": "payments uses queues", "new_id": "new"}
    keep(visitor, nexus, **fields)
    assert "superseded" in visitor.text("/element", id=identifier)
    assert "payments uses queues" in visitor.text("/ask", q="payments queues")


def test_erasing_shows_what_goes_and_wants_a_word(visitor: Visitor, nexus: Nexus):
    tried = said(visitor.post("/element/erase", id="ann", step="try").text)
    assert "What would go" in tried and "concepts 1" in tried and "links 2" in tried
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
    assert answer.status_code == 403 and "KIP_3004" in answer.text
