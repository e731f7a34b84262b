"""Planted duplicates are found with their reasons, merged when asked, and nothing else is."""

from __future__ import annotations

import pytest
from tests.faces.kip.maintenance.conftest import Clock, contents, twin

from recollect.errors import RecollectError
from recollect.faces.kip.maintenance import (
    find_duplicates,
    merge_duplicates,
    reject_duplicate,
)
from recollect.kernel import Nexus
from recollect.model import Key, PutConcept, PutLink


def put(nexus: Nexus, *names: str, type: str = "Person", **attributes: object) -> None:
    nexus.write([PutConcept(type, name, attributes) for name in names])


def pairs(nexus: Nexus, **options: object) -> list[tuple[str, str, float]]:
    found = find_duplicates(nexus, **options).found
    return [(one.duplicate.name, one.canonical.name, one.score) for one in found]


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("Acme Corp", "ACME  corp", 1.0),
        ("Ａcme", "Acme", 1.0),
        ("Acme Corp.", "Acme-Corp", 0.95),
        ("Curie, Marie", "Marie Curie", 0.9),
        ("John Smith", "Jon Smith", 0.762),
        ("Acetylsalicylic acid", "Acetylsalicilic acid", 0.842),
        ("阿司匹林肠溶片", "阿司匹林肠溶", 0.8),
    ],
)
def test_names_that_are_likely_one(nexus: Nexus, one: str, other: str, score: float):
    put(nexus, one, other, "Else")
    assert pairs(nexus) == [(other, one, pytest.approx(score, abs=0.001))]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Boeing 747", "Boeing 737"),
        ("2025-03-04 talk", "2025-03-05 talk"),
        ("C++", "C#"),
        ("Anna", "Peter"),
        ("$self", "$Self"),
    ],
)
def test_names_that_are_not(nexus: Nexus, one: str, other: str):
    put(nexus, one, other)
    assert pairs(nexus) == []


def test_aliases_are_names(nexus: Nexus):
    put(nexus, "Robert", aliases=["Bob", 7])
    put(nexus, "bob", aliases="none")
    put(nexus, "R. Miller", aliases=["BOB"])
    found = find_duplicates(nexus).found
    assert {one.duplicate.name for one in found} == {"bob", "R. Miller"}
    assert {(one.canonical.name, one.score, one.reason) for one in found} == {
        ("Robert", 0.9, "one goes by the name of the other")
    }


def test_what_is_of_two_types_is_proposed_and_never_merged(nexus: Nexus):
    put(nexus, "Aspirin", type="Drug")
    put(nexus, "aspirin", type="Brand")
    put(nexus, "Maria Lopez", type="Person")
    put(nexus, "Maria López", type="Entity")
    for type_ in ("$ConceptType", "Domain", "Episode"):
        put(nexus, "Medicine", "medicine", type=type_)
    found = find_duplicates(nexus).found
    assert [(one.duplicate, one.canonical, one.score) for one in found] == [
        (Key("Entity", "Maria López"), Key("Person", "Maria Lopez"), 0.85),
        (Key("Brand", "aspirin"), Key("Drug", "Aspirin"), 0.7),
    ]
    assert [one.kip.split()[0] for one in found] == ["MERGE", "//"]
    assert merge_duplicates(nexus, threshold=0.5).found == ()


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("José Núñez", "Jose Nunez", 0.93),
        ("Robert Miller", "Miller, Bob", 0.85),
        ("Elizabeth Jones", "Liz Jones", 0.85),
        ("Maria Lopez", "Maria", 0.7),
        ("Robert Miller", "Bob", 0.7),
    ],
)
def test_accents_nicknames_and_first_names_are_seen_through(
    nexus: Nexus, one: str, other: str, score: float
):
    put(nexus, one, other, "Else Wise")
    assert pairs(nexus) == [(other, one, score)]


def test_a_first_name_that_fits_two_persons_fits_none(nexus: Nexus):
    put(nexus, "Maria Lopez", "Maria Adler", "Maria")
    assert pairs(nexus, threshold=0.7) == []


def test_a_first_name_is_proposed_and_never_merged(nexus: Nexus):
    put(nexus, "Maria Lopez")
    put(nexus, "Maria", type="Entity")
    (found,) = find_duplicates(nexus).found
    assert (found.duplicate, found.canonical) == (
        Key("Entity", "Maria"),
        Key("Person", "Maria Lopez"),
    )
    assert found.is_guess
    assert merge_duplicates(nexus, threshold=0.5).found == ()


def test_a_link_to_the_same_thing_counts(nexus: Nexus):
    put(nexus, "Maria Lopez", "Maria")
    put(nexus, "BMW", type="Company")
    for name in ("Maria Lopez", "Maria"):
        nexus.write([PutLink(Key("Person", name), "works_at", Key("Company", "BMW"))])
    (found,) = find_duplicates(nexus).found
    assert found.score == 0.75
    assert found.reason.endswith("by works_at")


def test_what_was_rejected_is_not_proposed_again(nexus: Nexus):
    put(nexus, "Acme Corp", "ACME corp", "Acme  Corp.", type="Company")
    before = find_duplicates(nexus).found
    first = before[0]
    reject_duplicate(nexus, first.duplicate, first.canonical, actor="Ann")
    left = {frozenset((one.duplicate, one.canonical)) for one in find_duplicates(nexus).found}
    assert frozenset((first.canonical, first.duplicate)) not in left
    assert left
    with pytest.raises(RecollectError):
        reject_duplicate(nexus, Key("Company", "None"), first.canonical)


def test_the_canonical_has_more_links_or_is_older(nexus: Nexus):
    put(nexus, "Aspirin", "ASPIRIN", "aspirin", "Headache", type="Thing")
    assert {one[1] for one in pairs(nexus)} == {"Aspirin"}
    nexus.write([PutLink(Key("Thing", "Headache"), "eased_by", Key("Thing", "aspirin"))])
    found = find_duplicates(nexus).found
    assert {(one.canonical.name, one.links) for one in found} == {("aspirin", (0, 1))}


def test_what_is_like_only_a_duplicate_waits_for_the_next_run(nexus: Nexus):
    put(nexus, "Marie Curie", "Maria Curie")
    put(nexus, "Madame", aliases=["Maria Curie"])
    first = merge_duplicates(nexus, threshold=0.7)
    assert [(one.duplicate.name, one.canonical.name) for one in first.found] == [
        ("Maria Curie", "Marie Curie")
    ]
    assert pairs(nexus) == [("Madame", "Marie Curie", 0.9)]


def test_a_dry_run_is_the_run_and_its_texts_give_the_same(nexus: Nexus, clock: Clock):
    put(nexus, "Aspirin", "ASPIRIN", 'the "A"', 'The "a"', "Asprin", type="Drug")
    nexus.write([PutLink(Key("Drug", "ASPIRIN"), "treats", Key("Drug", 'The "a"'))])
    before = contents(nexus)
    told = merge_duplicates(nexus, dry_run=True)
    assert contents(nexus) == before
    assert find_duplicates(nexus, threshold=0.95).found == told.found
    with twin(nexus, clock) as other:
        done = merge_duplicates(nexus, actor="night")
        assert (told.found, told.done.changes) == (done.found, done.done.changes)
        for one in told.found:
            other.write(one.kip)
        names = 'FIND(?d.name, ?d.attributes.aliases) WHERE { ?d {type: "Drug"} }'
        assert other.read(names).results == nexus.read(names).results
    assert nexus.changes()[-1].transaction.actor == "night"
    assert {one.reason for one in done.found} == {"the names differ only in case or spaces"}
    assert merge_duplicates(nexus).done.changes == ()
    assert pairs(nexus) == [("Asprin", "ASPIRIN", 0.667)]


def test_another_group_is_never_looked_at(nexus: Nexus):
    put(nexus, "Aspirin", type="Drug")
    assert pairs(nexus) == []
    put(nexus.group("third"), "aspirin", type="Drug")
    assert pairs(nexus) == []


@pytest.mark.parametrize("threshold", [0, -1, 1.01, float("nan")])
def test_a_threshold_is_a_score(nexus: Nexus, threshold: float):
    with pytest.raises(RecollectError, match="INVALID_ARGUMENT"):
        find_duplicates(nexus, threshold=threshold)


def test_a_typo_among_thousands_of_names_is_found(nexus: Nexus):
    syllables = ("ka", "ro", "mi", "ten", "sal", "vor", "li", "dan", "gre", "pu")
    firsts = [a + b + c for a in syllables for b in syllables[:5] for c in syllables[5:]]
    names = [
        f"{first} {a}{b}".title() for first in firsts for a in syllables[:3] for b in syllables[4:]
    ]
    put(nexus, *names, names[1234][:3] + names[1234][4:])
    assert len(names) == 4_500
    found = find_duplicates(nexus, threshold=0.7).found
    assert names[1234][:3] + names[1234][4:] in {one.duplicate.name for one in found}
