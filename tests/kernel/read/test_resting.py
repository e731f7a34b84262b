"""Rows and hits that rest on what is not true now say so, and all others cost nothing more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.kernel import Nexus, parse_instant
from recollect.model import AsOf, Hits, Instant, Key, PutConcept, PutFact, PutLink, RemoveKeys, Rows

NOW = Instant(1_800_000_000_000)  # 2027-01-15
MARIA = Key("Person", "Maria")
TOWNS = {"Munich": (None, "2024"), "Porto": ("2024", "2028"), "Oslo": ("2028", None)}


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """A memory of where Maria lived, lives and is going to live, and of what she likes."""
    with Nexus.open(":memory:", clock=lambda: NOW) as opened:
        for group in ("decoy", "default"):
            told = opened.group(group)
            told.write([PutConcept("Person", "Maria")])
            for town, (since, until) in TOWNS.items():
                times = {"valid_from": since, "valid_until": until}
                metadata = {key: one for key, one in times.items() if one is not None}
                told.write(
                    [
                        PutConcept("Town", town),
                        PutFact(
                            MARIA, "lives_in", Key("Town", town), metadata=metadata, id=f"in {town}"
                        ),
                        PutLink(MARIA, "likes", Key("Town", town), id=f"likes {town}"),
                    ]
                )
        yield opened
        assert opened.doctor().is_well


def warned(nexus: Nexus, query: str, as_of: AsOf | None = None) -> list[str]:
    """The message of the warning, the second time the same as the first."""
    first, second = (nexus.read(query, as_of=as_of).notices for _ in range(2))
    assert first == second
    assert {one.code for one in first} <= {"not_true_now"}
    return [one.message for one in first]


def test_a_row_names_the_first_of_all_that_it_rests_on(nexus: Nexus) -> None:
    past = {"valid_until": "2020"}
    for n in range(6):
        town = Key("Town", f"T{n}")
        flag = PutFact(town, "flies", town, metadata=past, id=f"flag {n}")
        nexus.write([PutConcept("Town", town.name), flag])
    (message,) = warned(nexus, 'FIND(COUNT(?t) AS ?n) WHERE { (?t, "flies", ?t) }')
    told = " and ".join(f"flag {n}, until 2020-01-01" for n in range(5))
    assert message == f"1 row rests on what is not true now: row 1, {told} and 1 more"


LIVES = 'FIND(?t.name) WHERE { ?p {type: "Person"} (?p, "lives_in", ?t) } ORDER BY ?t.name'
ENDED = (
    "2 rows rest on what is not true now:"
    " row 1, in Munich, until 2024-01-01; row 2, in Oslo, from 2028"
)


def test_the_rows_that_rest_on_what_ended_or_has_not_begun_are_named(nexus: Nexus) -> None:
    assert warned(nexus, LIVES) == [ENDED]
    (notice,) = nexus.read(LIVES).notices
    assert notice.hint == 'ask with as_of {"valid": "now"} to leave it out'
    (rows,) = nexus.read(LIVES).results
    assert isinstance(rows, Rows)
    assert rows.rows == [("Munich",), ("Oslo",), ("Porto",)]


def test_what_is_asked_about_an_instant_of_fact_time_needs_no_warning(nexus: Nexus) -> None:
    at = AsOf(valid=nexus.now())
    assert warned(nexus, LIVES, at) == []
    (rows,) = nexus.read(LIVES, as_of=at).results
    assert isinstance(rows, Rows)
    assert rows.rows == [("Porto",)]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ('FIND(?t) WHERE { (?p, "likes", ?t) }', None),
        ('FIND(?t) WHERE { ?t {type: "Town"} NOT { (?p, "lives_in", ?t) } }', None),
        (
            'FIND(COUNT(?t) AS ?n) WHERE { (?p, "lives_in", ?t) }',
            "1 row rests on what is not true now:"
            " row 1, in Munich, until 2024-01-01 and in Oslo, from 2028",
        ),
        (
            'FIND(?t) WHERE { {type: "Person"} (?p, "lives_in"{1,2}, ?t) } LIMIT 1',
            "1 row rests on what is not true now: row 1, in Munich, until 2024-01-01",
        ),
        (
            'FIND(?t.name) WHERE { ?t {name: "Oslo"} OPTIONAL { ?l (?p, ?how, ?t) } }',
            "1 row rests on what is not true now: row 1, in Oslo, from 2028",
        ),
        (
            'FIND(?t.name) WHERE { (?p, "lives_in", ?t) } ORDER BY ?t.name LIMIT 1 OFFSET 1',
            "1 row rests on what is not true now: row 1, in Oslo, from 2028",
        ),
        ('FIND(?l) WHERE { ?l (id: "in Porto") }', None),
    ],
)
def test_what_is_bound_in_positive_clauses_counts(
    nexus: Nexus, query: str, message: str | None
) -> None:
    assert warned(nexus, query) == ([] if message is None else [message])


def test_a_page_names_its_own_rows(nexus: Nexus) -> None:
    (first,) = nexus.read(f"{LIVES} LIMIT 1").results
    assert isinstance(first, Rows)
    answer = nexus.read(f"{LIVES} LIMIT 1 CURSOR $c", {"c": first.next_cursor})
    assert ["row 1, in Oslo, from 2028" in one.message for one in answer.notices] == [True]


def test_what_the_memory_held_at_the_time_decides(nexus: Nexus) -> None:
    before = nexus.stats().transactions
    nexus.write([RemoveKeys("in Munich", metadata=frozenset({"valid_until"}))])
    assert "in Munich" not in warned(nexus, LIVES)[0]
    assert warned(nexus, LIVES, AsOf(transaction=before)) == [ENDED]


def test_a_group_without_bounded_facts_asks_nothing_more(nexus: Nexus) -> None:
    other = nexus.group("other")
    other.write(
        [PutConcept("Town", "Rome"), PutFact(Key("Town", "Rome"), "is", Key("Town", "Rome"))]
    )
    assert warned(other, "FIND(?t) WHERE { (?t, ?how, ?t) }") == []
    assert other.doctor().is_well


def test_a_hit_tells_what_keeps_it_from_being_so(nexus: Nexus) -> None:
    (hits,) = nexus.search("lives", "link").results
    assert isinstance(hits, Hits)
    assert {one.element.id: one.standing for one in hits.hits} == {
        "in Munich": "until 2024-01-01",
        "in Porto": "",
        "in Oslo": "from 2028",
    }
    (then,) = nexus.search("lives", "link", as_of=AsOf(valid=parse_instant("2023"))).results
    assert isinstance(then, Hits)
    assert [(one.element.id, one.standing) for one in then.hits] == [("in Munich", "")]
