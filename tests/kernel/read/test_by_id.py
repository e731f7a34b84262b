"""Elements by their ids: what they are called, and several reads of one state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.kernel import Nexus
from recollect.model import AsOf, Delete, Key, PutConcept, PutLink


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
    assert nexus.keys(["headache", "aspirin", "treats", "nothing"]) == {
        "headache": Key("Symptom", "Headache"),
        "aspirin": Key("Drug", "Aspirin"),
    }


def test_an_id_that_the_memory_made_is_an_id_as_well(nexus: Nexus) -> None:
    (report,) = nexus.write([PutConcept("Symptom", "Fever")]).results
    (made,) = report.ids  # type: ignore[union-attr]
    assert nexus.keys([made]) == {made: Key("Symptom", "Fever")}
    assert nexus.group("decoy").keys([made]) == {}


def test_what_is_deleted_is_called_something_only_if_closed_ones_are_asked_for(
    nexus: Nexus,
) -> None:
    before = AsOf(known=1, known_is_transaction=True)
    nexus.write([Delete("aspirin")])
    assert nexus.keys(["aspirin"]) == {}
    assert nexus.keys(["aspirin"], closed=True) == {"aspirin": Key("Drug", "Aspirin")}
    assert nexus.keys(["aspirin"], as_of=before) == {"aspirin": Key("Drug", "Aspirin")}


def test_an_id_means_the_life_that_had_begun(nexus: Nexus) -> None:
    first = AsOf(known=1, known_is_transaction=True)
    nexus.write([Delete("aspirin")])
    nexus.write([PutConcept("Brand", "Bayer", id="aspirin")])
    assert nexus.keys(["aspirin"]) == {"aspirin": Key("Brand", "Bayer")}
    assert nexus.keys(["aspirin"], as_of=first) == {"aspirin": Key("Drug", "Aspirin")}


def test_the_reads_of_a_snapshot_see_one_state(nexus: Nexus) -> None:
    with recollect.open(nexus.path) as other:  # type: ignore[arg-type]
        with nexus.snapshot():
            assert "aspirin" in nexus.look_up(["aspirin"])
            other.write([Delete("aspirin")])
            assert "aspirin" in nexus.look_up(["aspirin"])
            assert nexus.search("aspirin", "concept").results[0].hits  # type: ignore[union-attr]
        assert nexus.look_up(["aspirin"]) == {}
        assert not nexus.search("aspirin", "concept").results[0].hits  # type: ignore[union-attr]
