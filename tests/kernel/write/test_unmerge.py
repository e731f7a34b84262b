"""A merge and its taking back leave a memory as it was, but for trails, versions and births."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import recollect
from recollect.errors import RecollectError
from recollect.model import (
    Concept,
    ConceptRecord,
    Delete,
    Local,
    Merge,
    PutConcept,
    PutLink,
    Unmerge,
)

NAMES = ("A", "B", "C", "D")
VALUES = st.dictionaries(st.sampled_from(("x", "y", "aliases")), st.sampled_from(("1", "2", "B")))


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    """A memory beside a decoy that holds the same names, and keeps them."""
    with recollect.open(":memory:", "decoy") as decoy:
        decoy.write([PutConcept("Drug", "A", {"x": "decoy"}), PutConcept("Drug", "B")])
        before = decoy.verify().head
        yield decoy.group("main")
        assert decoy.verify().head == before


def held(nexus: recollect.Nexus) -> dict[str, Any]:
    """Return what the memory holds by id, without the trails of merges."""
    found: dict[str, Any] = {}
    for record in nexus.elements.records():
        one = record.concept if isinstance(record, ConceptRecord) else record.link
        metadata = {
            key: value
            for key, value in one.metadata.items()
            if key in ("source", "valid_from", "_valid_at", "_invalid_at")
        }
        if isinstance(one, Concept):
            names: tuple[str, ...] = (one.type, one.name)
        else:
            names = (one.subject, one.predicate, one.object)
        found[one.id] = (names, dict(one.attributes), metadata)
    return found


@st.composite
def graphs(draw: st.DrawFn) -> list[Any]:
    """A batch that puts four concepts, links between them, and links about links."""
    changes: list[Any] = [
        PutConcept("Drug", name, draw(VALUES), handle=name)
        if draw(st.booleans())
        else PutConcept("Drug", name, draw(VALUES), id=f"id-{name}", handle=name)
        for name in NAMES
    ]
    ends = [*NAMES]
    for at in range(draw(st.integers(0, 7))):
        subject, target = draw(st.sampled_from(ends)), draw(st.sampled_from(ends))
        predicate, key = draw(st.sampled_from(("p", "q"))), draw(st.sampled_from(("", "k")))
        said = draw(st.dictionaries(st.sampled_from(("m", "n")), st.sampled_from((1, 2))))
        metadata = {"valid_from": "2024-01-01"} if draw(st.booleans()) else {"source": "s"}
        changes.append(
            PutLink(Local(subject), predicate, Local(target), said, metadata, key, handle=f"l{at}")
        )
        ends.append(f"l{at}")
    return changes


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_a_merge_that_is_taken_back_leaves_everything_as_it_was(changes: list[Any]) -> None:
    with recollect.open(":memory:") as nexus:
        (report,) = nexus.write(changes).results
        a, b = report.ids[0], report.ids[1]  # type: ignore[union-attr]
        before = held(nexus)
        nexus.write([Merge(a, b)])
        merged = held(nexus)
        assert a not in merged
        nexus.write([Unmerge(a)])
        assert held(nexus) == before
        nexus.write([Merge(a, b)])
        assert held(nexus) == merged  # and it can be merged again
        assert nexus.doctor().findings == ()


def test_what_was_told_of_the_target_since_stays_there(nexus: recollect.Nexus) -> None:
    (report,) = nexus.write(
        [
            PutConcept("Drug", "Aspirin", {"dose": 100}, handle="a"),
            PutConcept("Drug", "ASA", {"maker": "Bayer"}, handle="b"),
            PutConcept("Symptom", "Pain", handle="p"),
            PutLink(Local("b"), "eases", Local("p"), {"how": "well"}),
        ]
    ).results
    aspirin, asa, pain, eases = report.ids  # type: ignore[union-attr]
    nexus.write([Merge(asa, aspirin)])
    nexus.write(
        [
            PutConcept("Drug", "Aspirin", {"form": "tablet"}),
            PutLink(aspirin, "eases", pain, {"how": "very well"}),
            PutConcept("Person", "Ann", handle="n"),
            PutLink(Local("n"), "doubts", eases),
        ]
    )
    nexus.write([Unmerge(asa)])
    found = held(nexus)
    assert found[aspirin][1] == {"dose": 100, "form": "tablet"}
    assert found[asa][1] == {"maker": "Bayer"}
    assert found[eases] == ((asa, "eases", pain), {"how": "very well"}, found[eases][2])
    assert next(names for names, _, _ in found.values() if names[1] == "doubts")[2] == eases
    assert nexus.doctor().is_well


def test_what_is_in_the_way_is_told(nexus: recollect.Nexus) -> None:
    (report,) = nexus.write([PutConcept("Drug", "A"), PutConcept("Drug", "B")]).results
    a, b = report.ids  # type: ignore[union-attr]
    with pytest.raises(RecollectError, match="was merged into another") as caught:
        nexus.write([Unmerge(a)])
    assert caught.value.code.code == "KIP_3002"
    nexus.write([Merge(a, b)])
    nexus.write([PutConcept("Drug", "A")])
    with pytest.raises(RecollectError, match="another concept") as caught:
        nexus.write([Unmerge(a)])
    assert caught.value.code.code == "CONFLICT"
    nexus.write('DELETE CONCEPT ?a DETACH WHERE { ?a {type: "Drug", name: "A"} }')
    nexus.write([Delete(b)])
    with pytest.raises(RecollectError, match="not there any more"):
        nexus.write([Unmerge(a)])


def test_what_a_plain_name_made_is_merged_into_what_it_is_and_can_be_taken_back(
    nexus: recollect.Nexus,
) -> None:
    (report,) = nexus.write(
        [
            PutConcept("Person", "Maria Lopez", handle="p"),
            PutConcept("Entity", "Maria", {"summary": "Maria from Munich"}, handle="e"),
            PutConcept("City", "Munich", handle="c"),
            PutLink(Local("e"), "lives_in", Local("c")),
        ]
    ).results
    person, entity, city, lives = report.ids  # type: ignore[union-attr]
    before = held(nexus)
    nexus.write([Merge(entity, person)])
    assert held(nexus)[lives][0] == (person, "lives_in", city)
    nexus.write([Unmerge(entity)])
    assert held(nexus) == before
    with pytest.raises(RecollectError, match="two types"):
        nexus.write([Merge(person, entity)])
