"""The links at many elements at once, with their keys and what is at their other ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.model import AsOf, Concept, Delete, Joint, Key, PutConcept, PutLink

PEOPLE = ("Ann", "Bob", "Eve")


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """A memory with the same names in a decoy group."""
    with Nexus.open(":memory:") as opened:
        decoy = opened.group("decoy")
        decoy.write([PutConcept("Person", one, {"of": "decoy"}, id=one) for one in PEOPLE])
        decoy.write([PutLink("Ann", "knows", "Eve", {"of": "decoy"}, key="decoy")])
        opened.write([PutConcept("Person", one, {"age": 1}, id=one) for one in PEOPLE])
        opened.write([PutConcept("City", "Oslo")])
        opened.write(
            [
                PutLink("Ann", "knows", "Bob", {"n": 1}, key="work"),
                PutLink("Ann", "knows", "Bob", {"n": 2}),
                PutLink("Bob", "knows", "Eve"),
                PutLink("Bob", "lives_in", Key("City", "Oslo")),
            ]
        )
        yield opened


def said(joints: list[Joint]) -> list[tuple[str, str, str, str]]:
    return [
        (one.link.subject, one.link.predicate, one.key, one.far.name if one.far else "-")
        for one in joints
    ]


def test_links_of_many_subjects_come_with_key_and_other_end_by_age(nexus: Nexus) -> None:
    found = nexus.joints.at(["Bob", "Ann", "nobody"])
    assert said(found) == [
        ("Ann", "knows", "work", "Bob"),
        ("Ann", "knows", "", "Bob"),
        ("Bob", "knows", "", "Eve"),
        ("Bob", "lives_in", "", "Oslo"),
    ]
    assert found[0].far == Concept("Bob", "Person", "Bob", {"age": 1}, {})
    assert found[0].link.attributes == {"n": 1}
    assert nexus.joints.at([]) == []


def test_objects_alone_are_what_the_links_of_some_predicates_lead_to(nexus: Nexus) -> None:
    moment = AsOf(transaction=nexus.stats().transactions)
    nexus.write([PutLink("Ann", "knows", Key("City", "Oslo")), Delete("Eve")])
    for as_of in (None, moment):
        wanted: dict[tuple[str, str], list[Concept]] = {}
        for one in nexus.joints.at(PEOPLE, "subject", ("knows",), as_of=as_of):
            if one.far is not None:
                wanted.setdefault((one.link.subject, one.key), []).append(one.far)
        assert wanted
        assert nexus.joints.objects(PEOPLE, ("knows",), as_of=as_of) == wanted
    assert ("Bob", "") in nexus.joints.objects(PEOPLE, ("knows",), as_of=moment)
    assert ("Bob", "") not in nexus.joints.objects(PEOPLE, ("knows",))
    assert nexus.joints.objects([], ("knows",)) == {}


def test_links_of_objects_are_found_from_the_other_side(nexus: Nexus) -> None:
    found = nexus.joints.at(["Bob", "Eve"], "object", ("knows",))
    assert said(found) == [
        ("Ann", "knows", "work", "Ann"),
        ("Ann", "knows", "", "Ann"),
        ("Bob", "knows", "", "Bob"),
    ]


def test_only_links_of_the_predicates_asked_for_are_found(nexus: Nexus) -> None:
    assert said(nexus.joints.at(["Bob"], predicates=["lives_in", "unheard_of"])) == [
        ("Bob", "lives_in", "", "Oslo")
    ]
    assert nexus.joints.at(["Bob"], predicates=[]) == []


def test_a_computed_id_at_the_far_end_is_the_one_that_reads_show(nexus: Nexus) -> None:
    (joint,) = nexus.joints.at(["Bob"], predicates=["lives_in"])
    assert joint.far is not None
    assert joint.link.object == joint.far.id
    assert nexus.elements.look_up([joint.far.id])[joint.far.id].element == joint.far
    assert said(nexus.joints.at([joint.far.id], "object")) == [("Bob", "lives_in", "", "Bob")]


def test_a_link_about_a_link_has_no_concept_at_its_far_end(nexus: Nexus) -> None:
    about = nexus.joints.at(["Ann"])[0].link.id
    nexus.write([PutLink("Eve", "doubts", about)])
    (joint,) = nexus.joints.at(["Eve"])
    assert (joint.far, joint.link.object) == (None, about)
    assert said(nexus.joints.at([about], "object")) == [("Eve", "doubts", "", "Eve")]


def test_the_past_has_the_links_and_contents_of_then(nexus: Nexus) -> None:
    then = nexus.write([PutConcept("Person", "Eve", {"age": 2})]).transaction
    nexus.write([PutConcept("Person", "Eve", {"age": 3})])
    link = nexus.joints.at(["Bob"], predicates=["knows"])[0].link.id
    nexus.write([Delete(link)])
    assert nexus.joints.at(["Bob"], predicates=["knows"]) == []
    (joint,) = nexus.joints.at(["Bob"], predicates=["knows"], as_of=AsOf(transaction=then))
    assert joint.is_living
    assert joint.far is not None
    assert joint.far.attributes == {"age": 2}


def test_closed_links_come_where_they_are_asked_for(nexus: Nexus) -> None:
    nexus.write([Delete("Eve")])
    found = nexus.joints.at(["Bob"], predicates=["knows"], closed=True)
    assert [(one.is_living, one.far and one.far.name) for one in found] == [(False, "Eve")]
    assert nexus.joints.at(["Bob"], predicates=["knows"]) == []


def test_another_word_for_the_end_is_refused(nexus: Nexus) -> None:
    with pytest.raises(RecollectError, match="no end of a link"):
        nexus.joints.at(["Ann"], "both")  # type: ignore[arg-type]


def _hops(nexus: Nexus, start: str, depth: int, **more: str) -> list[list[tuple[str, ...]]]:
    found = nexus.joints.hops(Key("Person", start), depth, "age", 1_000, **more)
    return [sorted(one[:4] for one in hop) for hop in found]


def test_hops_lead_breadth_first_from_a_name_over_one_type(nexus: Nexus) -> None:
    first = [("Ann", "knows", "", "Bob"), ("Ann", "knows", "work", "Bob")]
    assert _hops(nexus, "Ann", 2) == [first, [("Bob", "knows", "", "Eve")]]
    assert _hops(nexus, "Ann", 1) == [first]
    assert _hops(nexus, "Ann", 2, predicate="likes") == [[]]
    assert nexus.joints.hops(Key("Person", "Ann"), 1, "size", 1_000) == [[]]
    assert nexus.joints.hops(Key("Planet", "Ann"), 1, "age", 1_000) == []
    assert nexus.joints.hops(Key("Person", "Ann"), 2, "age", 2) == nexus.joints.hops(
        Key("Person", "Ann"), 1, "age", 1_000
    )
    nexus.write([Delete("Eve")])
    assert _hops(nexus, "Bob", 3) == [[]]


def test_the_links_of_a_key_that_end_at_an_element_are_a_line(nexus: Nexus) -> None:
    for number, order in enumerate((3, None, 1, 2.5, 1)):
        said = {"n": number} if order is None else {"n": number, "order": order}
        nexus.write([PutConcept("Person", f"p{number}", id=f"p{number}")])
        nexus.write([PutLink(f"p{number}", "sits", "Eve", said, key="row")])
    nexus.write([PutLink("Bob", "sits", "Eve", {"order": 0}, key="other")])
    nexus.write([PutLink("Ann", "sits", "Eve", {"order": 0})])
    line = nexus.joints.line("Eve", "row", 0, 9)
    assert [one.link.subject for one in line] == ["p2", "p4", "p3", "p0", "p1"]
    assert line[2].far == Concept("p3", "Person", "p3", {}, {})
    assert line == nexus.joints.line("Eve", "row", 0, 2) + nexus.joints.line("Eve", "row", 2, 9)
    assert nexus.joints.line("nobody", "row", 0, 9) == []
    counted = nexus.joints.counted
    assert counted(["Eve", "Bob", "no"], ("sits", "?"), "row") == {"Eve": (7, 5), "Bob": (0, 0)}
    nexus.write([Delete(line[0].link.id)])
    assert counted(["Eve"], ("sits",), "row") == {"Eve": (6, 4)}
    assert [one.link.subject for one in nexus.joints.line("Eve", "row", 0, 1)] == ["p4"]


def test_what_was_counted_stands_until_something_is_written(nexus: Nexus) -> None:
    nexus.write([PutConcept("Person", f"p{one}", id=f"p{one}") for one in range(1_001)])
    nexus.write([PutLink(f"p{one}", "sits", "Eve", key="row") for one in range(1_001)])
    for _ in range(2):
        assert nexus.joints.counted(["Eve"], ("sits",), "row") == {"Eve": (1_001, 1_001)}
        assert nexus.joints.counted(["Eve"], ("knows",), "row") == {"Eve": (1, 1_001)}
    with nexus.transaction(dry_run=True):
        nexus.write([PutLink("Ann", "sits", "Eve", key="row")])
        assert nexus.joints.counted(["Eve"], ("sits",), "row") == {"Eve": (1_002, 1_002)}
    assert nexus.joints.counted(["Eve"], ("sits",), "row") == {"Eve": (1_001, 1_001)}
    nexus.write([PutLink("Ann", "sits", "Eve", key="row")])
    assert nexus.joints.counted(["Eve"], ("sits",), "row") == {"Eve": (1_002, 1_002)}
