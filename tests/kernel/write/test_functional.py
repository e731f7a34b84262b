"""Functional predicates: one object at a time, at every moment of fact time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from recollect.errors import (
    IMMUTABLE_TARGET,
    INVALID_ARGUMENT,
    NOT_FOUND,
    VERSION_CONFLICT,
    RecollectError,
)
from recollect.faces.kinds import ALL_KINDS
from recollect.faces.kip import undo_changes
from recollect.kernel import Nexus, parse_instant
from recollect.model import (
    REPLACED_BY,
    AsOf,
    BatchReport,
    Change,
    Delete,
    EndFact,
    Instant,
    Key,
    Link,
    PutConcept,
    PutFact,
    PutLink,
    Rows,
    UpsertReport,
)

MARIA, SIEMENS, BMW = Key("Person", "Maria"), Key("Company", "Siemens"), Key("Company", "BMW")
DEFINED = PutConcept("$PropositionType", "works_at", {"functional": True})
WHERE = 'FIND(?c.name) WHERE { ?p {name: "Maria"} (?p, "works_at", ?c) } ORDER BY ?c.name'
CLOCKS = """FIND(?l.metadata.valid_from, ?l.metadata.valid_until)
WHERE { ?l (?p, "works_at", ?c) } ORDER BY ?l.metadata.valid_from"""
NOW = Instant(1_800_000_000_000)  # 2027-01-15


def at(text: str) -> Instant:
    found = parse_instant(text)
    assert found is not None
    return found


def told(where: Key, since: str | None = None, until: str | None = None, **more: Any) -> PutFact:
    times = {"valid_from": since, "valid_until": until}
    metadata = {key: one for key, one in times.items() if one is not None}
    metadata |= more.pop("metadata", {})
    return PutFact(MARIA, "works_at", where, metadata=metadata, **more)


def written(nexus: Nexus, *changes: Change) -> BatchReport:
    (report,) = nexus.write(changes).results
    assert isinstance(report, BatchReport)
    return report


def employers(nexus: Nexus, valid: str | Instant) -> list[object]:
    moment = at(valid) if isinstance(valid, str) else valid
    (rows,) = nexus.read(WHERE, as_of=AsOf(valid=moment)).results
    assert isinstance(rows, Rows)
    return [name for (name,) in rows.rows]


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with Nexus.open(":memory:", clock=lambda: NOW, kinds=ALL_KINDS) as opened:
        people = [PutConcept(one.type, one.name) for one in (MARIA, SIEMENS, BMW)]
        opened.group("decoy").write([*people, told(SIEMENS, "2019"), told(BMW, "2020")])
        opened.write([DEFINED, *people])
        yield opened
        assert opened.verify().is_whole
        assert opened.doctor().is_well
        assert employers(opened.group("decoy"), "2025") == ["BMW", "Siemens"]


def test_a_new_fact_ends_the_one_about_another_object_where_it_begins(nexus: Nexus) -> None:
    (old,) = written(nexus, told(SIEMENS, "2019")).ids
    report = written(nexus, told(BMW, "2026-11-01"))
    assert [(one.id, one.at, one.is_closed) for one in report.ended] == [
        (old, at("2026-11-01"), False)
    ]
    assert report.ended[0].line == "Maria works_at Siemens"
    assert employers(nexus, "2026-10-31") == ["Siemens"]
    assert employers(nexus, "2026-11-01") == ["BMW"]
    assert (report.closed, report.also_holds) == (0, ())


def test_without_a_beginning_it_ends_the_old_one_as_it_is_told(nexus: Nexus) -> None:
    written(nexus, told(SIEMENS))
    written(nexus, told(BMW))
    told_at = nexus.now()
    assert employers(nexus, Instant(told_at - 10)) == ["BMW", "Siemens"]  # since when is not known
    assert employers(nexus, told_at) == ["BMW"]


def test_one_that_begins_in_the_future_ends_the_old_one_then(nexus: Nexus) -> None:
    written(nexus, told(SIEMENS, "2019"))
    written(nexus, told(BMW, "2028"))
    assert employers(nexus, NOW) == ["Siemens"]
    assert employers(nexus, "2028") == ["BMW"]


def test_what_holds_now_ends_where_what_was_told_of_the_future_begins(nexus: Nexus) -> None:
    written(nexus, told(BMW, "2028"))
    report = written(nexus, told(SIEMENS))
    assert employers(nexus, NOW) == ["Siemens"]
    assert employers(nexus, "2028") == ["BMW"]
    assert [one.line for one in report.ended] == ["Maria works_at Siemens"]


def test_an_earlier_fact_told_late_is_ended_by_the_later_one(nexus: Nexus) -> None:
    written(nexus, told(BMW, "2023"))
    written(nexus, told(SIEMENS, "2019"))
    assert employers(nexus, "2022") == ["Siemens"]
    assert employers(nexus, "2023") == employers(nexus, NOW) == ["BMW"]


@pytest.mark.parametrize("since", [None, "2015"])
def test_what_is_over_as_it_is_told_does_not_end_what_holds(
    nexus: Nexus, since: str | None
) -> None:
    written(nexus, told(SIEMENS))
    written(nexus, told(BMW, since, "2018"))
    assert employers(nexus, NOW) == ["Siemens"]


def test_one_that_begins_with_the_old_one_takes_its_place(nexus: Nexus) -> None:
    (old,) = written(nexus, told(SIEMENS, "2019")).ids
    report = written(nexus, told(BMW, "2019"))
    assert (report.closed, employers(nexus, "2020")) == (1, ["BMW"])
    closed = nexus.elements.look_up([old], closed=True)[old]
    assert closed.element.metadata[REPLACED_BY] == report.ids[0]


@pytest.mark.parametrize("salt", range(5))
def test_of_two_that_begin_together_the_one_told_last_stands(nexus: Nexus, salt: int) -> None:
    group = nexus.group(f"drawn-{salt}")  # whose ids are drawn anew
    people = [PutConcept("Company", one) for one in ("Siemens", "BMW")]
    group.write([PutConcept("Person", "Maria"), *people, DEFINED])
    group.write([told(SIEMENS, "2020-01-01"), told(BMW, "2020-01-01")])
    assert employers(group, "2021-01-01") == ["BMW"]
    group.write([told(SIEMENS, "2022-01-01"), told(BMW, "2022-01-01", key="again")])
    assert employers(group, "2023-01-01") == ["BMW"]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_of_those_that_begin_together_the_lower_given_id_stands_before_those_without(
    nexus: Nexus, order: tuple[int, ...]
) -> None:
    companies = "Siemens", "BMW", "Bosch", "Porsche"
    nexus.write([PutConcept("Company", one) for one in companies])
    ids = "z", "a", None, None
    facts = [
        told(Key("Company", one), "2020-01-01", id=id)
        for one, id in zip(companies, ids, strict=True)
    ]
    nexus.write([facts[one] for one in order])
    assert employers(nexus, "2021-01-01") == ["BMW"]


@pytest.mark.parametrize("salt", range(5))
def test_of_two_texts_about_one_thing_that_begin_together_the_one_told_last_stands(
    nexus: Nexus, salt: int
) -> None:
    group = nexus.group(f"drawn-{salt}")
    group.write([PutConcept("Person", "Maria"), PutConcept("Company", "BMW")])
    group.write([PutFact(MARIA, "led", BMW, "She led."), PutFact(MARIA, "led", BMW, "She left.")])
    (rows,) = group.read(
        'FIND(?l.attributes.fact) WHERE { ?l ({name: "Maria"}, "led", ?c) }',
        as_of=AsOf(valid=Instant(NOW * 2)),
    ).results
    assert isinstance(rows, Rows)
    assert list(rows.rows) == [("She left.",)]


def test_a_bare_link_of_kip_is_ended_too_and_kml_itself_ends_nothing(nexus: Nexus) -> None:
    put = """UPSERT { CONCEPT { {type: "Person", name: "Maria"}
      SET PROPOSITIONS { ("works_at", {type: "Company", name: $name}) } } }"""
    (first,) = nexus.write(put, {"name": "Siemens"}).results
    (second,) = nexus.write(put, {"name": "BMW"}).results
    assert isinstance(first, UpsertReport)
    assert isinstance(second, UpsertReport)
    assert first.also_holds == ()
    assert [(one.id, one.line) for one in second.also_holds] == [
        (first.links[0], "Maria works_at Siemens")
    ]
    assert employers(nexus, NOW) == ["BMW", "Siemens"]
    ended = written(nexus, told(BMW, "2026")).ended
    assert [(one.id, one.at) for one in ended] == [(first.links[0], at("2026"))]


def test_a_link_that_is_structure_is_never_functional(nexus: Nexus) -> None:
    nodes = [PutConcept("Node", name) for name in "abc"]
    parent = PutConcept("$PropositionType", "parent", {"functional": True})
    written(nexus, parent, *nodes)
    for name in "bc":
        report = written(nexus, PutFact(Key("Node", "a"), "parent", Key("Node", name)))
        assert (report.ended, report.also_holds) == ((), ())


def test_of_other_predicates_the_report_names_what_else_holds(nexus: Nexus) -> None:
    written(nexus, PutFact(MARIA, "speaks", SIEMENS, metadata={"valid_from": "2019"}))
    report = written(nexus, PutFact(MARIA, "speaks", BMW))
    assert [(one.line, one.since, one.until) for one in report.also_holds] == [
        ("Maria speaks Siemens", at("2019"), None)
    ]
    assert written(nexus, PutFact(MARIA, "speaks", BMW)).also_holds == ()


def test_what_is_replaced_ends_where_its_successor_begins(nexus: Nexus) -> None:
    (old,) = written(nexus, PutFact(MARIA, "likes", SIEMENS)).ids
    report = written(
        nexus, PutFact(MARIA, "likes", BMW, metadata={"valid_from": "2026"}, replaces=old)
    )
    assert [(one.id, one.at, one.is_closed) for one in report.ended] == [(old, at("2026"), False)]
    assert report.also_holds == ()
    again = written(nexus, PutLink(MARIA, "adores", BMW, replaces=report.ids[0])).ended
    assert [(one.id, one.at > NOW) for one in again] == [(report.ids[0], True)]


def test_what_replaces_the_whole_of_a_fact_corrects_it(nexus: Nexus) -> None:
    (old,) = written(nexus, told(SIEMENS, "2019")).ids
    (new,) = written(nexus, told(BMW, "2018", replaces=old)).ids
    closed = nexus.elements.look_up([old], closed=True)[old]
    assert closed.expired_at is not None
    assert closed.element.metadata[REPLACED_BY] == new
    assert employers(nexus, "2020") == ["BMW"]
    with pytest.raises(RecollectError) as refused:
        written(nexus, told(SIEMENS, replaces=old))
    assert refused.value.code is NOT_FOUND


def test_telling_a_fact_again_with_only_an_end_keeps_all_else(nexus: Nexus) -> None:
    first = told(
        SIEMENS, "2019", text="Maria builds turbines at Siemens", metadata={"confidence": 0.7}
    )
    (old,) = written(nexus, PutConcept("Episode", "e", id="e"), first).ids[1:]
    written(nexus, told(SIEMENS, until="2024-05", source="e"))
    report = written(nexus, told(SIEMENS, until="2024-06"))
    assert report.ids == (old,)
    held = nexus.elements.look_up([old])[old]
    assert (held.valid_at, held.invalid_at) == (at("2019"), at("2024-06"))
    assert held.element.attributes == {"fact": "Maria builds turbines at Siemens"}
    assert held.element.metadata["confidence"] == 0.7
    assert held.element.metadata["sources"] == ["e"]


def test_telling_a_fact_again_sets_what_is_told_and_a_beginning_that_was_unknown(
    nexus: Nexus,
) -> None:
    (old,) = written(nexus, told(SIEMENS, metadata={"confidence": 0.5, "source": "Tom"})).ids
    assert written(nexus, told(SIEMENS, "2019", metadata={"confidence": 0.9})).ids == (old,)
    held = nexus.elements.look_up([old])[old]
    assert (held.valid_at, held.element.metadata["confidence"]) == (at("2019"), 0.9)
    assert held.element.metadata["source"] == "Tom"
    assert held.element.attributes == {"fact": "Maria works at Siemens"}


def test_a_fact_is_ended_by_its_id(nexus: Nexus) -> None:
    (old,) = written(nexus, told(SIEMENS, "2019")).ids
    report = written(nexus, EndFact(old, at("2024")))
    assert [(one.id, one.at) for one in report.ended] == [(old, at("2024"))]
    written(nexus, told(BMW, "2025"), EndFact(old, at("2026")))  # longer than its successor lets it
    assert (employers(nexus, "2024-06"), employers(nexus, "2025-06")) == (["Siemens"], ["BMW"])
    for wrong in (EndFact(old, at("2019")), EndFact(MARIA)):
        with pytest.raises(RecollectError) as refused:
            written(nexus, wrong)
        assert refused.value.code is INVALID_ARGUMENT


@pytest.mark.parametrize("since", ["2024", "2019", None])
def test_a_correction_is_undone(nexus: Nexus, since: str | None) -> None:
    written(nexus, told(SIEMENS, "2019"))
    number = nexus.write([told(BMW, since)]).transaction
    assert number is not None
    written(nexus, *undo_changes(nexus, number))
    assert employers(nexus, "2020") == employers(nexus, nexus.now()) == ["Siemens"]
    assert nexus.read(WHERE, as_of=AsOf(valid=nexus.now())).notices == ()
    with pytest.raises(RecollectError) as refused:
        undo_changes(nexus, number)
    assert refused.value.code is VERSION_CONFLICT


def test_a_fact_that_is_told_again_by_an_undo_leaves_the_other_of_its_object_alone(
    nexus: Nexus,
) -> None:
    times = {"valid_from": "2011", "valid_until": "2014"}
    facts = [PutFact(MARIA, "works_at", BMW, metadata=one) for one in (times, {})]
    first, _ = nexus.write(facts).only(BatchReport).ids
    both = nexus.read(CLOCKS).rows
    number = nexus.write([Delete(first)]).transaction
    assert number is not None
    nexus.write(undo_changes(nexus, number))
    assert nexus.read(CLOCKS).rows == both and len(both) == 2


STEPS = strategies.lists(
    strategies.tuples(
        strategies.sampled_from(["tell", "tell", "end", "correct", "undo"]),
        strategies.integers(2000, 2020),
    ),
    max_size=8,
)
YEARS = range(1999, 2023)


def model_of(steps: list[tuple[str, int]], nexus: Nexus) -> dict[int, tuple[str, int]]:
    """Do the steps; return what then holds, by the year it begins in: a name, and its end.

    What is told to begin in a year holds until the next one that is told to begin, or its end.
    """
    held: dict[int, tuple[str, int]] = {}
    before, last = dict(held), 0
    for step, year in steps:
        change: Change | None = None
        now = dict(held)
        if step == "tell" and year not in held:
            end = min((one for one in held if one > year), default=9999)
            now = {
                one: (who, min(till, year) if one < year else till)
                for one, (who, till) in held.items()
            } | {year: (f"C{year}", end)}
            change = told(Key("Company", f"C{year}"), str(year))
        elif step == "correct" and held.get(year, ("D", 0))[0].startswith("C"):
            now[year] = f"D{year}", held[year][1]
            until = None if held[year][1] == 9999 else str(held[year][1])
            put = Key("Company", f"D{year}")
            change = told(put, str(year), until, replaces=holder(nexus, f"C{year}"))
        elif step == "end":
            begun = [one for one, (_, till) in held.items() if one < year < till]
            if begun:
                now[begun[0]] = held[begun[0]][0], year
                change = EndFact(holder(nexus, held[begun[0]][0]), at(str(year)))
        elif step == "undo" and held != before:
            nexus.write(undo_changes(nexus, last))
            held = dict(before)
        if change is not None:
            last, before, held = nexus.write([change]).transaction or 0, held, now
    return held


def holder(nexus: Nexus, name: str) -> str:
    """The id of the living fact about a company."""
    (rows,) = nexus.read('FIND(?f) WHERE { ?f (?p, "works_at", {name: $n}) }', {"n": name}).results
    assert isinstance(rows, Rows)
    ((fact,),) = rows.rows
    assert isinstance(fact, Link)
    return fact.id


@given(STEPS)
@settings(max_examples=40, deadline=None)
def test_telling_ending_correcting_and_undoing_equal_a_small_model_of_valid_time(
    steps: list[tuple[str, int]],
) -> None:
    with Nexus.open(":memory:", clock=lambda: NOW) as nexus:
        names = [PutConcept("Company", f"{one}{year}") for one in "CD" for year in YEARS]
        nexus.write([DEFINED, PutConcept("Person", "Maria"), *names])
        held = model_of(steps, nexus)
        for year in YEARS:
            wanted = [who for one, (who, till) in held.items() if one <= year < till]
            assert employers(nexus, str(year)) == wanted


def test_what_a_domain_holds_is_never_functional(nexus: Nexus) -> None:
    declared = """UPSERT { CONCEPT { {type: "$PropositionType", name: "belongs_to_domain"}
        SET ATTRIBUTES { functional: true } } }"""
    put = [PutConcept("$PropositionType", "belongs_to_domain", {"functional": True})]
    for change in (declared, put):
        with pytest.raises(RecollectError, match="structure, which is never functional") as refused:
            nexus.write(change)
        assert refused.value.code == IMMUTABLE_TARGET
    nexus.write(declared.replace("true", "false"))
