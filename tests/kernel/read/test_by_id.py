"""Elements by their ids: what they are called, and several reads of one state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.model import AsOf, Delete, Key, Link, Merge, PutConcept, PutLink


@pytest.fixture
def nexus(tmp_path: Path) -> Iterator[Nexus]:
    with recollect.open(tmp_path / "memory.db") as nexus:
        for group in ("default", "decoy"):
            of = "" if group == "default" else " of others"
            nexus.group(group).write(
                [
                    PutConcept("Drug", f"Aspirin{of}", id="aspirin"),
                    PutConcept("Symptom", f"Headache{of}", id="headache"),
                    PutLink("aspirin", "treats", "headache", id="treats"),
                ]
            )
        yield nexus


def test_concepts_are_called_by_type_and_name(nexus: Nexus) -> None:
    assert nexus.elements.keys(["headache", "aspirin", "treats", "nothing"]) == {
        "headache": Key("Symptom", "Headache"),
        "aspirin": Key("Drug", "Aspirin"),
    }


def test_an_id_that_the_memory_made_is_an_id_as_well(nexus: Nexus) -> None:
    (report,) = nexus.write([PutConcept("Symptom", "Fever")]).results
    (made,) = report.ids  # type: ignore[union-attr]
    assert nexus.elements.keys([made]) == {made: Key("Symptom", "Fever")}
    assert nexus.group("decoy").elements.keys([made]) == {}


def test_what_is_deleted_is_called_something_only_if_closed_ones_are_asked_for(
    nexus: Nexus,
) -> None:
    before = AsOf(transaction=1)
    nexus.write([Delete("aspirin")])
    assert nexus.elements.keys(["aspirin"]) == {}
    assert nexus.elements.keys(["aspirin"], closed=True) == {"aspirin": Key("Drug", "Aspirin")}
    assert nexus.elements.keys(["aspirin"], as_of=before) == {"aspirin": Key("Drug", "Aspirin")}


def test_an_id_means_the_life_that_had_begun(nexus: Nexus) -> None:
    first = AsOf(transaction=1)
    nexus.write([Delete("aspirin")])
    nexus.write([PutConcept("Brand", "Bayer", id="aspirin")])
    assert nexus.elements.keys(["aspirin"]) == {"aspirin": Key("Brand", "Bayer")}
    assert nexus.elements.keys(["aspirin"], as_of=first) == {"aspirin": Key("Drug", "Aspirin")}


@pytest.mark.sqlite_only("opens the file once more by its path")
def test_the_reads_of_a_snapshot_see_one_state(nexus: Nexus) -> None:
    with recollect.open(nexus.path) as other:  # type: ignore[arg-type]
        with nexus.snapshot():
            assert "aspirin" in nexus.elements.look_up(["aspirin"])
            other.write([Delete("aspirin")])
            assert "aspirin" in nexus.elements.look_up(["aspirin"])
            assert nexus.search("aspirin", "concept").results[0].hits  # type: ignore[union-attr]
        assert nexus.elements.look_up(["aspirin"]) == {}
        assert not nexus.search("aspirin", "concept").results[0].hits  # type: ignore[union-attr]


def test_every_spelling_of_an_id_has_its_entry(nexus: Nexus) -> None:
    nfc, nfd = "caf\u00e9", "cafe\u0301"
    nexus.write([PutConcept("Drug", "Coffee", id=nfc), PutLink(nfd, "is_like", "aspirin")])
    coffee = Key("Drug", "Coffee")
    assert nexus.elements.keys([nfd, nfc]) == {nfd: coffee, nfc: coffee}
    assert [*nexus.elements.look_up([nfd, nfc])] == [nfd, nfc]
    assert nexus.elements.distances(nfc, [nfd, "aspirin"], 1) == {nfd: 0, "aspirin": 1}
    assert nexus.elements.distances("aspirin", [nfd, nfc], 1) == {nfd: 1, nfc: 1}


def test_an_id_that_the_memory_would_have_made_means_nothing_beside_a_given_one(
    nexus: Nexus,
) -> None:
    (report,) = nexus.write([PutConcept("Symptom", "Fever"), PutConcept("T", "x", id="x")]).results
    made = report.ids[0]  # type: ignore[union-attr]
    hidden = f"{made[:-12]}{int(made[-12:], 16) + 2:012x}"
    assert nexus.elements.look_up([hidden], closed=True) == {}
    assert nexus.elements.keys([hidden], closed=True) == {}
    for asked in (
        lambda: nexus.history(hidden),
        lambda: nexus.elements.distances(hidden, [made], 1),
    ):
        with pytest.raises(RecollectError, match=hidden):
            asked()


def test_an_id_that_went_with_a_moved_link_means_the_link_of_the_moment(nexus: Nexus) -> None:
    nexus.write([PutConcept("Drug", "ASA"), PutLink(Key("Drug", "ASA"), "eases", "headache")])
    (link,) = nexus.read('FIND(?l) WHERE { ?l (?d, "eases", ?s) }').results[0].rows[0]  # type: ignore[union-attr]
    assert isinstance(link, Link)
    before = AsOf(transaction=nexus.stats().transactions)
    nexus.write([Merge(Key("Drug", "ASA"), "aspirin")])
    for moment, subject in ((before, link.subject), (None, "aspirin")):
        (found,) = nexus.elements.look_up([link.id], as_of=moment).values()
        assert found.element.subject == subject  # type: ignore[union-attr]
