"""Triples in tables and in lines of JSON."""

from __future__ import annotations

import json

import pytest
from tests.integrations.exchange.conftest import Write, rows, twice_is_once, words_found

import recollect
from recollect.errors import RecollectError
from recollect.faces.operations import Operations
from recollect.integrations.exchange import take_in
from recollect.kernel import Nexus

TABLE = """\
subject,predicate,object,subject_type,object_type,fact,valid_at,invalid_at,confidence,source
Ann,works_at,Acme,Person,Firm,,2020-01-01,2022-01-01,0.9,an interview
Ann,works_at,Acme,Person,Firm,,2023,,,
"Bob ""B"" Lee",knows,Ann,Person,Person,"Bob met Ann
at school",,,,
"""


def test_a_table_becomes_facts(nexus: Nexus, write: Write) -> None:
    report = twice_is_once(nexus, write("people.csv", TABLE))
    assert (report.format, report.records, report.created) == ("csv", 3, 6)
    assert rows(nexus, 'FIND(?p.name) WHERE { (?p, "knows", ?a) }') == [('Bob "B" Lee',)]
    assert words_found(nexus, "school") == ["Bob met Ann\nat school"]
    assert words_found(nexus, "works at Acme") == ["Ann works at Acme", "Ann works at Acme"]
    kept = (
        'FIND(?l.metadata.source, ?l.metadata.confidence) WHERE { ?l (?a, "works_at", ?b) '
        "FILTER(?l.metadata.confidence > 0) }"
    )
    assert rows(nexus, kept) == [("an interview", 0.9)]


def test_what_goes_on_beside_what_comes_in_is_told_where_one_holds_at_a_time(write: Write) -> None:
    with recollect.memory(":memory:") as memory:
        lives = {"subject": "Ilva", "predicate": "lives_in", "valid_at": "2018"}
        memory.remember(
            facts=[{**lives, "object": "Ulm"}, {**lives, "subject": "Bo", "object": "X"}]
        )
        told = "subject,predicate,object,valid_at\nIlva,lives_in,Bonn,2024\nIlva,knows,Bo,\n"
        for dry_run in (True, False):
            (warned,) = take_in(memory.nexus, write("t.csv", told), dry_run=dry_run).warnings
            assert warned.code == "both_hold" and "Ulm goes on beside Ilva" in warned.message
        memory.forget(**json.loads(warned.hint.removeprefix("forget with ")))
        assert [one.object for one in memory.list("fact", about="Ilva").memories][-1:] == ["Bonn"]
        assert take_in(memory.nexus, write("t.csv", told)).warnings == ()


def test_a_year_and_a_month_are_shown_as_they_were_told_and_come_in_once(write: Write) -> None:
    with recollect.memory(":memory:") as memory:
        told = "subject,predicate,object,valid_at,invalid_at\nIlva,visited,Bonn,2019-08,2021\n"
        assert take_in(memory.nexus, write("t.csv", told)).created == 3
        assert take_in(memory.nexus, write("t.csv", told)).created == 0
        (fact,) = memory.list("fact", past=True).memories
        assert str(fact) == "Ilva visited Bonn (2019-08 to 2021)"
        assert fact.valid_at == "2019-08-01T00:00:00.000Z"


def test_types_that_are_not_given_are_those_that_are_asked_for(nexus: Nexus, write: Write) -> None:
    path = write("drugs.csv", "object,subject,predicate\nHeadache,Aspirin,treats\n")
    report = twice_is_once(nexus, path, type="Thing", source="a book")
    assert [one.name for one in report.concepts] == ["Thing"]
    assert rows(nexus, 'FIND(?d.metadata.source) WHERE { ?d {type: "Thing"} }') == [("a book",)] * 2


def test_a_concept_that_is_there_keeps_where_it_came_from(nexus: Nexus, write: Write) -> None:
    nexus.write(
        'UPSERT { CONCEPT @a { {type: "Entity", name: "Ann"} } } WITH METADATA { source: "me" }'
    )
    take_in(nexus, write("t.csv", "subject,predicate,object\nAnn,knows,Bob\n"))
    found = 'FIND(?a.metadata.source) WHERE { ?a {type: "Entity", name: "Ann"} }'
    assert rows(nexus, found) == [("me",)]


def test_lines_of_json_have_the_same_names(nexus: Nexus, write: Write) -> None:
    lines = [
        {"subject": "Ann", "predicate": "worksAt", "object": "Acme", "confidence": 0.5},
        {"subject": "Ann", "predicate": "knows", "object": "Bob", "attributes": {"since": 2019}},
    ]
    twice_is_once(nexus, write("triples.jsonl", lines))
    assert words_found(nexus, "who works") == ["Ann works at Acme"]
    assert rows(nexus, 'FIND(?l.attributes.since) WHERE { ?l (?a, "knows", ?b) }') == [(2019,)]
    asked = {"group_ids": ["team"], "query": "Acme"}
    facts = Operations(nexus).call("SearchFacts", asked)["output"]["facts"]
    assert [one["fact"] for one in facts] == ["Ann works at Acme"]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("subject,predicate\n", "line 1 .*no column object"),
        ("subject;predicate;object\na;b;c\n", "line 1 .*not separated by commas"),
        ("", "is empty"),
        ("subject,predicate,object,sourc\n", 'line 1 .*"sourc" is not one of'),
        ("subject,predicate,object\na,b,c\na,,c\n", "line 3 .*predicate is missing"),
        ("subject,predicate,object\na,b\n", "line 2 .*2 cells, and the header has 3"),
        ('subject,predicate,object\na,b,"c\n', "line 2 .*not CSV"),
        ("subject,predicate,object,valid_at\na,b,c,soon\n", "line 2 .*not an ISO 8601"),
        ("subject,predicate,object,confidence\na,b,c,5\n", "line 2 .*between 0 and 1"),
        ("subject,predicate,object\na,b{1},c\n", "line 2 .*path operator"),
        (b"subject,predicate,object\na,b,\xff\n", "line 2 .*not UTF-8"),
        ("subject,predicate,object\na,b,c\x00\n", "line 2 .*NUL"),
    ],
)
def test_a_bad_row_is_named_and_changes_nothing(
    nexus: Nexus, write: Write, table: str | bytes, reason: str
) -> None:
    with pytest.raises(RecollectError, match=reason):
        take_in(nexus, write("t.csv", table))
    assert nexus.stats().transactions == 0


@pytest.mark.parametrize("table", ["", "a;b\nc;d\n", "\xff\n"])
def test_a_table_without_a_header_is_refused_though_bad_rows_may_be_left_out(
    nexus: Nexus, write: Write, table: str
) -> None:
    with pytest.raises(RecollectError) as caught:
        take_in(nexus, write("t.csv", table), skip_bad=True)
    assert caught.value.hint == "begin it with a line such as subject,predicate,object"


def test_claims_are_not_made_by_a_table(nexus: Nexus, write: Write) -> None:
    table = "subject,subject_type,predicate,object\nx,Claim,says,y\n"
    report = take_in(nexus, write("t.csv", table))
    assert report.skipped[0].lines == (2,)
    assert rows(nexus, 'FIND(?c) WHERE { ?c {type: "Claim"} }') == []
    with pytest.raises(RecollectError, match='"Claim" is only written by calls of its own'):
        take_in(nexus, write("u.csv", table), type="Claim")


def test_what_stands_after_a_bad_row_is_not_lost(nexus: Nexus, write: Write) -> None:
    table = b'subject,predicate,object\na,b,c\n"x"y,b,c\n\xff,b,c\nd,b,e\n"x,b,c\n'
    report = take_in(nexus, write("t.csv", table), skip_bad=True)
    assert [one.lines for one in report.skipped] == [(3,), (6,), (4,)]
    names = rows(nexus, 'FIND(?a.name) WHERE { (?a, "b", ?c) } ORDER BY ?a.name ASC')
    assert names == [("a",), ("d",)]


def test_an_id_is_no_name(nexus: Nexus, write: Write) -> None:
    table = 'subject,predicate,object,id\na,b,c,"[""Entity"",""Ann""]"\nAnn,knows,Bob,2\n'
    twice_is_once(nexus, write("t.csv", table))
    assert rows(nexus, 'FIND(?a.name) WHERE { (?a, "knows", ?b) }') == [("Ann",)]


def test_an_id_of_a_fact_about_other_things_is_left_out(nexus: Nexus, write: Write) -> None:
    header = "subject,predicate,object,id\n"
    take_in(nexus, write("t.csv", f"{header}a,b,c,1\nd,b,e,2\n"))
    report = take_in(nexus, write("u.csv", f"{header}d,b,e,1\n"))
    assert (report.updated, report.skipped[0].lines) == (0, (2,))
    assert words_found(nexus, "d") == ["d b e"]
