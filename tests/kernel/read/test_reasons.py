"""EXPLAIN and why: how a query is answered, and what a row of it stands on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from behind import STEPS
from recollect.errors import RecollectError
from recollect.kernel import Nexus, parse_text, print_text
from recollect.kernel.lang import parse
from recollect.model import (
    AsOf,
    Concept,
    Description,
    Explanation,
    Hits,
    Instant,
    Limits,
    Link,
    PutConcept,
    Rows,
)

CAPSULE = """
UPSERT {
  CONCEPT @pain { {type: "Symptom", name: "Pain"} }
  CONCEPT @aspirin { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES {risk: 2} SET PROPOSITIONS {
    ("treats", @pain) WITH METADATA {source: "PMID:1", confidence: 0.9}
  } }
  CONCEPT @morphine { {type: "Drug", name: "Morphine"} SET ATTRIBUTES {risk: 5} SET PROPOSITIONS {
    ("treats", @pain) WITH METADATA {source: "PMID:2", confidence: 0.9, valid_from: "1990"}
  } }
  CONCEPT @nsaid { {type: "Class", name: "NSAID"} SET PROPOSITIONS { ("is_a", @analgesic) } }
  CONCEPT @analgesic { {type: "Class", name: "Analgesic"} SET PROPOSITIONS { ("is_a", @drug) } }
  CONCEPT @drug { {type: "Class", name: "Drug"} }
}
"""
WHO_TREATS = """
FIND(?name)
WHERE { ?drug {type: "Drug"} (?drug, "treats", {name: $what}) ATTR(?drug, "name", ?name) }
ORDER BY ?name
"""
PAIN = {"what": "Pain"}


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """A small graph beside a decoy group that holds the same."""
    now = iter(range(1_000, 2_000))
    with recollect.open(":memory:", clock=lambda: Instant(next(now))) as nexus:
        nexus.group("decoy").write(CAPSULE, actor="nobody")
        nexus.write(CAPSULE, actor="ana", request_id="r1")
        yield nexus


def names(grounds: tuple[recollect.model.Ground, ...]) -> list[str]:
    return [
        one.element.name if isinstance(one.element, Concept) else one.element.predicate
        for one in grounds
    ]


@STEPS
def test_an_explanation_shows_every_stage(nexus: Nexus) -> None:
    explanation = nexus.explain(WHO_TREATS, PAIN)
    assert parse(explanation.tree) == parse(WHO_TREATS)
    assert sorted(explanation.written[:4]) == sorted(explanation.plan[:4])
    assert explanation.written != explanation.plan
    assert explanation.rules[0].startswith("order: ")
    assert explanation.counts == {"predicate treats": 1, "type Drug": 1}
    assert explanation.parameters["name0"] == "Pain"
    assert explanation.parameters["term0"].startswith("treats, whose code is ")
    assert "Pain" not in explanation.sql
    assert any("link_in" in line for line in explanation.engine)
    assert (explanation.rows, explanation.scanned) == (2, 0)
    assert explanation.steps > 0


@STEPS
def test_steps_are_the_same_on_every_run_and_grow_with_the_work(nexus: Nexus) -> None:
    cheap, dear = WHO_TREATS, "FIND(?a, ?b) WHERE { (?a, ?p, ?c) (?b, ?q, ?d) }"
    steps = [nexus.explain(one, PAIN if "$" in one else None).steps for one in (cheap, dear) * 2]
    assert steps[:2] == steps[2:]
    assert steps[1] > steps[0]


def test_steps_of_a_search_are_the_same_on_every_run(nexus: Nexus) -> None:
    steps = {nexus.explain('SEARCH "pain aspirin"').steps for _ in range(4)}
    assert len(steps) == 1


def test_explain_is_a_statement_that_reads(nexus: Nexus) -> None:
    text = f"EXPLAIN {WHO_TREATS}"
    assert parse_text(text, nexus.limits).is_read_only
    (explanation,) = nexus.read(text, PAIN).results
    assert explanation == nexus.explain(text, PAIN) == nexus.explain(WHO_TREATS, PAIN)
    assert print_text(parse(text)).startswith("EXPLAIN FIND(?name)\nWHERE {")


@pytest.mark.parametrize("text", ['SEARCH "pain"', "DESCRIBE CONCEPT TYPES", "DESCRIBE PRIMER"])
@STEPS
def test_what_has_no_plan_is_explained_in_words(nexus: Nexus, text: str) -> None:
    (answer,) = nexus.read(text).results
    explanation = nexus.explain(text)
    assert explanation.tree == text
    assert explanation.plan
    assert explanation.sql == ""
    assert explanation.steps > 0
    match answer:
        case Hits():
            assert explanation.rows == len(answer.hits) > 0
        case Description(body={"items": items}):
            assert explanation.rows == len(items)


def test_an_explanation_is_of_the_time_that_is_asked_about(nexus: Nexus) -> None:
    then = nexus.explain(WHO_TREATS, PAIN, as_of=AsOf(known=0))
    assert then.rows == 0
    assert ":known" in then.sql
    assert ":known" not in nexus.explain(WHO_TREATS, PAIN).sql


def test_reasons_come_with_what_to_know_about_the_answer(nexus: Nexus) -> None:
    text, given = "FIND(?d) WHERE { ?d {type: $type} }", {"type": "Drug", "typ": 1}
    notices = nexus.read(text, given).notices
    assert [one.code for one in notices] == ["unused_parameter"]
    assert nexus.explain(text, given).notices == nexus.why(text, 0, given).notices == notices


@pytest.mark.parametrize("text", ["DESCRIBE PRIMER DESCRIBE DOMAINS", CAPSULE])
def test_only_one_query_is_explained(nexus: Nexus, text: str) -> None:
    with pytest.raises(RecollectError, match="KIP_1001"):
        nexus.explain(text)


def test_a_row_stands_on_what_its_clauses_matched(nexus: Nexus) -> None:
    why = nexus.why(WHO_TREATS, 1, PAIN)
    assert (why.columns, why.row, why.solutions) == (("name",), ("Morphine",), 1)
    assert names(why.grounds) == ["Morphine", "treats", "Pain"]
    assert [one.names for one in why.grounds] == [("drug",), (), ()]
    link = why.grounds[1]
    assert link.element.metadata["source"] == "PMID:2"
    assert link.valid_at == 631_152_000_000
    assert link.invalid_at is None
    assert (link.written.actor, link.written.request_id) == ("ana", "r1")


def test_a_ground_tells_its_version_and_who_wrote_it(nexus: Nexus) -> None:
    nexus.write(
        'UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES {risk: 3} } }',
        actor="ben",
    )
    drug = nexus.why(WHO_TREATS, 0, PAIN).grounds[0]
    assert (drug.version, drug.created.actor, drug.written.actor) == (2, "ana", "ben")
    then = nexus.why(WHO_TREATS, 0, PAIN, as_of=AsOf(transaction=1))
    assert (then.grounds[0].version, then.grounds[0].written.actor) == (1, "ana")
    assert then.grounds[0].element.attributes == {"risk": 2}


def test_equal_values_of_different_elements_are_told_apart(nexus: Nexus) -> None:
    text = 'FIND(?sure) WHERE { ?link (?drug, "treats", ?what) META(?link, "confidence", ?sure) }'
    (rows,) = nexus.read(text).results
    assert isinstance(rows, Rows)
    assert rows.rows == [(0.9,), (0.9,)]
    sources = []
    for row in (0, 1):
        links = [one.element for one in nexus.why(text, row).grounds]
        sources += [one.metadata["source"] for one in links if isinstance(one, Link)]
    assert sources == ["PMID:1", "PMID:2"]


def test_a_group_stands_on_all_that_it_counts(nexus: Nexus) -> None:
    text = 'FIND(?what, COUNT(?drug) AS ?n) WHERE { (?drug, "treats", ?what) }'
    why = nexus.why(text)
    assert why.solutions == 2
    assert sorted(names(why.grounds)) == ["Aspirin", "Morphine", "Pain", "treats", "treats"]


def test_the_links_of_a_walk_are_shown(nexus: Nexus) -> None:
    why = nexus.why('FIND(?top) WHERE { ({name: "NSAID"}, "is_a"{2}, ?top) }')
    assert sorted(names(why.grounds)) == ["Drug", "NSAID", "is_a", "is_a"]
    walked = [one.element for one in why.grounds if isinstance(one.element, Link)]
    assert walked[0].object == walked[1].subject


def test_rows_are_counted_after_offset_and_within_limit(nexus: Nexus) -> None:
    text = f"{WHO_TREATS} LIMIT 1 OFFSET 1"
    assert nexus.why(text, 0, PAIN).row == ("Morphine",)
    for row in (-1, 1, 2):
        with pytest.raises(RecollectError, match="the answer has no such row"):
            nexus.why(text, row, PAIN)


def test_the_rows_of_a_later_page_are_those_of_its_moment(nexus: Nexus) -> None:
    text = f"{WHO_TREATS} LIMIT 1"
    (first,) = nexus.read(text, PAIN).results
    assert isinstance(first, Rows)
    nexus.write(
        'UPSERT { CONCEPT @a { {type: "Drug", name: "Abacavir"}'
        ' SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Pain"}) } } }'
    )
    later = f'{text} CURSOR "{first.next_cursor}"'
    why = nexus.why(later, 0, PAIN)
    assert why.row == ("Morphine",)
    assert "Morphine" in names(why.grounds) and "Abacavir" not in names(why.grounds)
    assert names(nexus.why(later, None, PAIN).grounds) == names(why.grounds)
    with pytest.raises(RecollectError, match="the answer has no such row"):
        nexus.why(later, 1, PAIN)
    with pytest.raises(RecollectError, match="the cursor belongs to another query"):
        nexus.why(later, 0, {"what": "Fever"})


def test_all_rows_of_a_page_can_be_asked_about_at_once(nexus: Nexus) -> None:
    why = nexus.why(WHO_TREATS, None, PAIN)
    assert (why.columns, why.row, why.solutions) == (("name",), (), 2)
    assert sorted(names(why.grounds)) == ["Aspirin", "Morphine", "Pain", "treats", "treats"]
    page = nexus.why(f"{WHO_TREATS} LIMIT 1 OFFSET 1", None, PAIN)
    assert sorted(names(page.grounds)) == ["Morphine", "Pain", "treats"]
    assert nexus.why(WHO_TREATS, None, PAIN, as_of=AsOf(known=0)).grounds == ()
    walked = nexus.why('FIND(?top) WHERE { ({name: "NSAID"}, "is_a"{2}, ?top) }', None)
    assert names(walked.grounds).count("is_a") == 2


def test_a_query_with_more_solutions_than_an_answer_may_have_rows_is_explained() -> None:
    with recollect.open(":memory:", limits=Limits(max_rows=50)) as nexus:
        many = [PutConcept("T", f"t{at:03}", {"part": at % 2}) for at in range(240)]
        for group in (nexus, nexus.group("decoy")):
            group.write(many)
        where = 'WHERE { ?t {type: "T"} ATTR(?t, "name", ?name) }'
        one = nexus.why(f"FIND(?name) {where} LIMIT 3 OFFSET 200", 1)
        assert (one.row, one.solutions, one.omitted) == (("t201",), 1, 0)
        assert names(one.grounds) == ["t201"]

        every = nexus.why(f"FIND(COUNT(?t) AS ?n) {where}")
        assert (every.row, every.solutions, every.omitted) == ((240,), 240, 140)
        assert names(every.grounds) == [f"t{at:03}" for at in range(100)]

        odd = nexus.why(f"FIND(?t.attributes.part, COUNT(?t) AS ?n) {where}", 1)
        assert (odd.row, odd.solutions, odd.omitted) == ((1, 120), 120, 20)
        assert names(odd.grounds)[:2] == ["t001", "t003"]


def test_a_group_of_thousands_of_walks_stands_on_each_of_their_links_once(nexus: Nexus) -> None:
    nexus.write([PutConcept("T", f"t{at}", {}) for at in range(40)])
    product = '?t {type: "T"} ?u {type: "T"}'
    why = nexus.why(f'FIND(COUNT(?t)) WHERE {{ ({{name: "NSAID"}}, "is_a"{{2}}, ?top) {product} }}')
    assert (why.solutions, len(why.grounds), why.omitted) == (1_600, 44, 0)
    assert {"Drug", "NSAID", "is_a", "t39"} <= set(names(why.grounds))


@pytest.mark.parametrize("text", ['SEARCH "pain"', "DESCRIBE PRIMER", CAPSULE])
def test_only_a_find_has_rows_to_ask_about(nexus: Nexus, text: str) -> None:
    with pytest.raises(RecollectError, match="KIP_1001"):
        nexus.why(text)


def test_describe_warns_when_it_is_asked_about_a_time_it_does_not_answer_of(nexus: Nexus) -> None:
    past = AsOf(transaction=1)
    assert [one.code for one in nexus.read("DESCRIBE PRIMER", as_of=past).notices] == [
        "as_of_ignored"
    ]
    assert nexus.read("DESCRIBE PRIMER", as_of=AsOf()).notices == ()
    assert isinstance(nexus.explain("DESCRIBE PRIMER"), Explanation)
