"""Claims are in the one graph: KIP, SEARCH, the past, a dump and groups work on them."""

from __future__ import annotations

import io

import pytest
from tests.faces.claims.conftest import Wait, claim

import recollect
from recollect.errors import IMMUTABLE_TARGET, PERMISSION_DENIED, RecollectError
from recollect.faces.claims import (
    MemoryKnowledgeStore,
    NexusKnowledgeStore,
    from_file,
    from_tool_result,
)
from recollect.faces.claims.records import evidence_name
from recollect.faces.operations import Operations
from recollect.faces.operations.inputs import FactItem
from recollect.model import AsOf, Concept, Delete, Found, Hits, PutConcept, Rows, Value

Store = NexusKnowledgeStore


def rows(store: Store, text: str, as_of: AsOf | None = None, **parameters: Value) -> list[object]:
    (answer,) = store.nexus.read(text, parameters, as_of=as_of).results
    assert isinstance(answer, Rows)
    return list(answer.rows)


def test_kip_sees_claims_and_their_evidence(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c", evidence=[from_file("a.py"), from_tool_result("t")])))
    found = rows(store, 'FIND(?c, ?e) WHERE { ?c {type: "Claim"} (?c, "supported_by", ?e) }')
    assert {(c.name, e.attributes["kind"]) for c, e in found} == {
        ("c", "file"),
        ("c", "tool_result"),
    }  # type: ignore[misc,attr-defined]


def test_links_carry_the_transition_they_belong_to(store: Store, wait: Wait) -> None:
    same = [from_file("a.py")]
    wait(store.write_claim(claim(id="c", evidence=same)))
    wait(store.transition("c", "verified", evidence=same))
    wait(store.transition("c", "disputed", evidence=same))
    text = """FIND(?p, ?n) WHERE {
      ?link (?c, "supported_by" | "contradicted_by", ?e) ATTR(?link, "transition", ?n)
      ATTR(?link, "predicate", ?p) } ORDER BY ?n"""
    assert rows(store, text) == [
        ("supported_by", 1),
        ("supported_by", 2),
        ("contradicted_by", 3),
    ]


def test_evidence_is_one_node_whatever_id_it_was_given(store: Store, wait: Wait) -> None:
    ref = from_file("a.py")
    name = evidence_name(ref)
    store.nexus.write([PutConcept("Evidence", name, {"kind": "file", "path": "a.py"}, id=name)])
    wait(store.write_claim(claim(id="c", evidence=[ref, from_tool_result("t")])))
    found = rows(store, 'FIND(?c, ?e) WHERE { ?c {type: "Claim"} (?c, "supported_by", ?e) }')
    ids = [e.id == e.name for _, e in found]  # type: ignore[attr-defined, misc]
    assert sorted(ids) == [False, True]


def test_tags_and_supersession_are_links(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="old", tags=["saga"])))
    wait(store.write_claim(claim("newer", id="new", tags=["saga", "2pc"])))
    wait(store.supersede("old", "new"))
    text = """FIND(?name) WHERE { ({type: "Claim", name: "new"}, "tagged", ?tag)
      ATTR(?tag, "name", ?name) } ORDER BY ?name"""
    assert rows(store, text) == [("2pc",), ("saga",)]
    text = 'FIND(?new, ?old) WHERE { ?a {type: "Claim"} (?a, "supersedes", ?b) ATTR(?a, "name", ?new) ATTR(?b, "name", ?old) }'
    assert rows(store, text) == [("new", "old")]


def test_the_past_is_read_before_and_after_a_dispute(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c")))
    before = AsOf(transaction=store.nexus.stats().transactions)
    wait(store.transition("c", "disputed", evidence=[from_tool_result("t")]))
    status = 'FIND(?s) WHERE { ?c {type: "Claim"} ATTR(?c, "claim_status", ?s) }'
    against = 'FIND(?e) WHERE { (?c, "contradicted_by", ?e) }'
    assert rows(store, status) == [("disputed",)]
    assert rows(store, status, before) == [("observed",)]
    assert (len(rows(store, against)), rows(store, against, before)) == (1, [])
    (then,) = wait(store.recall_scored("sagas", status=["observed"], as_of=before))
    assert then[0].claim_status == "observed"
    assert wait(store.recall_scored("sagas", status=["observed"])) == []


def test_search_finds_claims_and_evidence_by_their_words(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c", evidence=[from_tool_result("t", "compensate in logs")])))
    for term, kind in (("sagas", "Claim"), ("compensate", "Evidence")):
        (hits,) = store.nexus.search(term, "concept").results
        assert isinstance(hits, Hits)
        (hit,) = hits.hits
        assert isinstance(hit.element, Concept)
        assert hit.element.type == kind


@pytest.mark.parametrize(
    "text",
    [
        'UPSERT { CONCEPT { {type: "Claim", name: "mine"} SET ATTRIBUTES { text: "x" } } }',
        'UPSERT { CONCEPT { {type: "Claim", name: "c"} SET ATTRIBUTES { claim_status: "verified" } } }',
        'UPSERT { CONCEPT { {type: "Evidence", name: "e"} } }',
        'UPSERT { PROPOSITION { ({type: "Claim", name: "c"}, "supported_by", {type: "Tag", name: "saga"}) } }',
        'UPDATE ?c SET ATTRIBUTES { confidence: 0.1 } WHERE { ?c {type: "Claim"} }',
        'DELETE CONCEPT ?c DETACH WHERE { ?c {type: "Claim"} }',
        'DELETE CONCEPT ?t DETACH WHERE { ?t {type: "Tag"} }',
        'DELETE PROPOSITIONS ?link WHERE { ?link (?c, "supported_by", ?e) }',
        'DELETE ATTRIBUTES {"text"} FROM ?c WHERE { ?c {type: "Claim"} }',
    ],
)
def test_kml_does_not_write_claims(store: Store, wait: Wait, text: str) -> None:
    wait(store.write_claim(claim(id="c", tags=["saga"])))
    with pytest.raises(RecollectError) as caught:
        store.nexus.write(text)
    assert caught.value.code is IMMUTABLE_TARGET
    assert "call KnowledgeStore" in caught.value.hint
    assert wait(store.get("c")).text == "payments uses sagas"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "target"),
    [("contradicted_by", "e"), ("Tagged", "t"), (" tagged", "t"), ("supersedes", "d")],
)
def test_no_fact_is_a_link_that_the_calls_of_claims_write(
    store: Store, wait: Wait, name: str, target: str
) -> None:
    wait(store.write_claims([claim(id="c"), claim(id="d", tags=["saga"])]))
    store.nexus.write(
        [PutConcept("Tag", "other", id="t"), PutConcept("Service", "payments", id="e")]
    )
    service = Operations(store.nexus)
    fact = FactItem(name=name, fact="forged", source_node_uuid="c", target_node_uuid=target)
    for envelope in (
        service.add_fact(group_id="default", **fact),
        service.add_facts(group_id="default", facts=[fact]),
    ):
        error = envelope["error"]
        assert error["error_code"] == PERMISSION_DENIED.code
        assert error["details"]["hint"] == "call KnowledgeStore.write_claim"
    assert rows(store, 'FIND(?p) WHERE { ?l ({type: "Claim", name: "c"}, ?p, ?o) }') == [
        ("supported_by",)
    ]
    about = FactItem(name="about", fact="of payments", source_node_uuid="c", target_node_uuid="e")
    assert service.add_fact(group_id="default", **about)["status"] == "OK"


def test_kml_may_say_what_a_claim_is_about(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c")))
    store.nexus.write(
        'UPSERT { CONCEPT @s { {type: "Service", name: "payments"} } PROPOSITION { ({type: "Claim", name: "c"}, "about", @s) } }'
    )
    assert len(rows(store, 'FIND(?s) WHERE { ({type: "Claim"}, "about", ?s) }')) == 1


def test_a_dump_carries_claims_with_their_history(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c", tags=["saga"])))
    wait(store.transition("c", "disputed", reason="because"))
    dumped = io.BytesIO()
    store.nexus.dump(dumped)
    dumped.seek(0)
    with recollect.open(":memory:") as other:
        other.restore(dumped)
        copy = NexusKnowledgeStore(other)
        assert wait(copy.get("c")) == wait(store.get("c"))
        assert wait(copy.history("c")) == wait(store.history("c"))
        wait(copy.transition("c", "verified"))


def test_groups_do_not_see_each_other(wait: Wait) -> None:
    with MemoryKnowledgeStore() as store:
        other = NexusKnowledgeStore(store.nexus.group("other"))
        wait(store.write_claim(claim(id="c")))
        assert wait(other.query("sagas")) == []
        assert wait(other.write_claim(claim("something else", id="c"))) == "c"
        assert wait(store.get("c")).text == "payments uses sagas"  # type: ignore[union-attr]


def test_what_a_claim_rested_on_may_be_erased(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c", evidence=[from_tool_result("t", "a secret")])))
    (evidence,) = rows(store, 'FIND(?e) WHERE { ?e {type: "Evidence"} }')
    store.nexus.purge(evidence[0].id)  # type: ignore[index]
    held = wait(store.get("c"))
    assert held is not None
    assert held.evidence == []
    assert len(wait(store.history("c"))) == 1


def test_what_was_erased_of_a_claim_stays_so_when_another_cites_an_equal_piece(
    store: Store, wait: Wait
) -> None:
    secret = [from_tool_result("t", "a secret")]
    for id in ("c", "d"):
        wait(store.write_claim(claim(id=id, evidence=[from_file("a.py")])))
        wait(store.transition(id, "verified", evidence=secret))
    wait(store.write_claim(claim(id="e", evidence=secret)))
    store.nexus.purge(Found('FIND(?e) WHERE { ?e {type: "Evidence"} }'))
    wait(store.transition("c", "disputed", evidence=secret))
    wait(store.write_claim(claim(id="f", evidence=secret)))
    cited = {id: wait(store.get(id)).evidence for id in "cdef"}  # type: ignore[union-attr]
    assert cited == {"c": [], "d": [], "e": [], "f": secret}
    brought = {id: [one.evidence for one in wait(store.history(id))] for id in "cdef"}
    assert brought == {"c": [[], [], secret], "d": [[], []], "e": [[]], "f": [secret]}


def test_the_events_of_a_deleted_claim_show_what_they_brought(store: Store, wait: Wait) -> None:
    wait(store.write_claim(claim(id="c", evidence=[from_file("a.py")])))
    wait(store.transition("c", "verified", evidence=[from_file("b.py")]))
    told = wait(store.history("c"))
    store.nexus.write([Delete("c")])
    assert wait(store.get("c")) is None
    assert wait(store.history("c")) == told
