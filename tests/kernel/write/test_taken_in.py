"""What an import asks of a batch: ids and metadata for what is new, facts that end nothing."""

from __future__ import annotations

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.model import Concept, Key, Link, PutConcept, PutFact, PutLink

ANN, ACME = Key("Entity", "Ann"), Key("Entity", "Acme")
NODES = [PutConcept("Entity", "Ann"), PutConcept("Entity", "Acme")]


@pytest.fixture
def nexus():
    with recollect.open(":memory:", "team") as nexus:
        nexus.group("decoy").write([*NODES, PutLink(ANN, "at", ACME, id="taken")])
        yield nexus


def link(nexus: Nexus, id: str) -> Link:
    element = nexus.elements.look_up([id])[id].element
    assert isinstance(element, Link)
    return element


def test_a_new_link_gets_the_id_and_one_that_is_there_keeps_its_own(nexus: Nexus) -> None:
    (first,) = nexus.write([*NODES, PutLink(ANN, "at", ACME, new_id="a")]).results
    assert first.ids[-1] == "a"
    (again,) = nexus.write([PutLink(ANN, "at", ACME, {"x": 1}, new_id="b")]).results
    assert again.ids == ("a",)
    assert link(nexus, "a").attributes == {"x": 1}
    with pytest.raises(RecollectError, match='id "a" belongs to another element'):
        nexus.write([PutLink(ACME, "at", ANN, new_id="a")])


def test_an_id_that_the_memory_may_give_out_itself_is_not_adopted(nexus: Nexus) -> None:
    (report,) = nexus.write(NODES).results
    ahead = f"{report.ids[0][:-12]}{2**20:012x}"
    changes = [
        PutConcept("T", "x", new_id=ahead),
        PutLink(ANN, "at", ACME, new_id=ahead[:-1] + "1"),
    ]
    (made,) = nexus.write(changes).results
    assert not {ahead, ahead[:-1] + "1"} & set(made.ids)
    with pytest.raises(RecollectError, match="one the memory gives out itself"):
        nexus.write([PutConcept("T", "y", id=ahead)])


def test_new_metadata_is_for_what_is_new(nexus: Nexus) -> None:
    put = PutConcept("Entity", "Ann", metadata={"a": 1}, new_metadata={"source": "one", "a": 0})
    nexus.write([put])
    nexus.write([PutConcept("Entity", "ANN", new_metadata={"source": "two"})])
    (found,) = nexus.read('FIND(?p) WHERE { ?p {type: "Entity"} }').results
    ((ann,),) = found.rows
    assert isinstance(ann, Concept)
    assert ann.metadata == {"source": "one", "a": 1}
    with pytest.raises(RecollectError, match="KIP_2002"):
        nexus.write([PutConcept("Entity", "Ann", new_metadata={"_x": 1})])


@pytest.mark.parametrize("is_settled", [False, True])
def test_a_settled_fact_ends_no_other(nexus: Nexus, is_settled: bool) -> None:
    first = PutFact(ANN, "at", ACME, "Ann works at Acme", id="f1")
    nexus.write([*NODES, first])
    later = PutFact(ANN, "at", ACME, "Ann leads Acme", id="f2", is_settled=is_settled)
    nexus.write([later])
    assert ("f1" in nexus.elements.look_up(["f1"])) is is_settled


def test_a_dry_transaction_is_undone_at_its_end(nexus: Nexus) -> None:
    with nexus.transaction(dry_run=True):
        nexus.write(NODES)
        assert nexus.stats().concepts == 2
        with nexus.transaction():
            nexus.write([PutLink(ANN, "at", ACME)])
    assert nexus.groups() == ["decoy"]
    nexus.write(NODES)
    with nexus.transaction(), nexus.transaction(dry_run=True):
        nexus.write([PutLink(ANN, "at", ACME)])
    assert (nexus.stats().concepts, nexus.stats().links) == (2, 0)
