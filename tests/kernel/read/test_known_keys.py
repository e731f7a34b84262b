"""A key that no element has: the answer is whole, and says so."""

from __future__ import annotations

import pytest

import recollect

MEDICINE = """
UPSERT {
    CONCEPT @a { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES {risk_level: 2} }
        WITH METADATA {confidence: 0.9}
    CONCEPT @p { {type: "Symptom", name: "Pain"} }
    PROPOSITION { (@a, "treats", @p) SET ATTRIBUTES {dose: "500 mg"} }
}
"""
DECOY = 'UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES {risk_levl: 1} } }'


@pytest.fixture
def nexus():
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write(DECOY)
        nexus.write(MEDICINE)
        yield nexus


def warnings(nexus, where, columns="?v", **parameters):
    answer = nexus.read(f"FIND({columns}) WHERE {{ {where} }}", parameters)
    return [(one.code, one.message, one.hint) for one in answer.notices]


MISSPELT = (
    "unknown_attribute",
    'no concept of type "Drug" has the attribute "risk_levl"',
    'use "risk_level"',
)


def test_an_attribute_no_concept_of_the_type_has_is_a_warning_that_names_the_nearest(nexus):
    read = '?d {type: "Drug"} ATTR(?d, "risk_levl", ?v)'
    assert warnings(nexus, read) == [MISSPELT]
    assert warnings(nexus, read + " FILTER(?v > 1)", "?d") == [MISSPELT]
    assert warnings(nexus, read, "AVG(?v)") == [MISSPELT]
    assert warnings(nexus, "ATTR({type: $t}, $k, ?v)", t="Drug", k="risk_levl") == [MISSPELT]


def test_the_warning_points_at_the_key(nexus):
    text = 'FIND(?v) WHERE { ?d {type: "Drug"} ATTR(?d, "risk_levl", ?v) }'
    (notice,) = nexus.read(text).notices
    assert text[notice.span.start : notice.span.end] == '"risk_levl"'


def test_a_key_that_some_element_has_is_no_warning_though_the_answer_is_empty(nexus):
    nexus.write('UPSERT { CONCEPT { {type: "Drug", name: "Ibuprofen"} } }')
    typed = '?d {type: "Drug"} ATTR(?d, "risk_level", ?v)'
    assert warnings(nexus, typed + " FILTER(?v > 100)") == []
    assert warnings(nexus, '?d {type: "Drug", name: "Ibuprofen"} ATTR(?d, "risk_level", ?v)') == []


def test_the_fields_and_clocks_of_an_element_are_known(nexus):
    assert warnings(nexus, '?d {type: "Drug"} ATTR(?d, "name", ?v) FILTER(?v == "")') == []
    assert warnings(nexus, '?d {type: "Drug"} META(?d, "_valid_at", ?v)') == []
    assert warnings(nexus, '?l (?s, "treats", ?o) ATTR(?l, "subject", ?v) FILTER(?v == "")') == []


@pytest.mark.parametrize(
    ("where", "message", "hint"),
    [
        (
            '?d {type: "Drug"} META(?d, "confidnce", ?v)',
            'no concept of type "Drug" has the metadata key "confidnce"',
            'use "confidence"',
        ),
        (
            '?d {type: "Drug"} META(?d, "_verson", ?v)',
            'no concept of type "Drug" has the metadata key "_verson"',
            'use "_version"',
        ),
        (
            '?d {type: "Drug"} ATTR(?d, "confidence", ?v)',
            'no concept of type "Drug" has the attribute "confidence"',
            "read it with META",
        ),
        (
            '?d {type: "Drug"} ATTR(?d, "colour", ?v)',
            'no concept of type "Drug" has the attribute "colour"',
            'run DESCRIBE CONCEPT TYPE "Drug"',
        ),
        (
            '?l (?a, "treats", ?b) ATTR(?l, "doze", ?v)',
            'no link "treats" has the attribute "doze"',
            'use "dose"',
        ),
        (
            '(?d, "treats", ?s) ATTR(?d, "risk_levl", ?v)',
            'nothing has the attribute "risk_levl"',
            'use "risk_level"',
        ),
    ],
)
def test_every_kind_of_element_is_looked_at(nexus, where, message, hint):
    assert warnings(nexus, where) == [("unknown_attribute", message, hint)]


def test_a_type_that_is_unknown_is_the_only_thing_said_about_it(nexus):
    found = warnings(nexus, '?d {type: "Drugg"} ATTR(?d, "risk_levl", ?v)')
    assert [code for code, _, _ in found] == ["unknown_type"]


def test_a_key_that_is_written_is_known_from_then_on(nexus):
    read = '?d {type: "Drug"} ATTR(?d, "colour", ?v) FILTER(?v == "red")'
    assert len(warnings(nexus, read)) == 1
    nexus.write('UPSERT { CONCEPT { {type: "Drug", name: "X"} SET ATTRIBUTES {colour: "blue"} } }')
    assert warnings(nexus, read) == []


def test_a_rare_key_of_a_large_type_is_known(nexus):
    nexus.write('UPSERT { CONCEPT { {type: "Drug", name: "X"} SET ATTRIBUTES {colour: "blue"} } }')
    blocks = "".join(f'CONCEPT {{ {{type: "Drug", name: "{n}"}} }}' for n in range(1500))
    nexus.write(f"UPSERT {{ {blocks} }}")
    assert warnings(nexus, '?d {type: "Drug"} ATTR(?d, "colour", ?v) FILTER(?v == 1)') == []


def test_a_look_beyond_the_limits_takes_no_answer_away(nexus):
    blocks = "".join(f'CONCEPT {{ {{type: "T", name: "{n}"}} }}' for n in range(3000))
    nexus.write(f"UPSERT {{ {blocks} }}")
    text = 'FIND(?v) WHERE { ?d {type: "T", name: "1"} ATTR(?d, "colour", ?v) }'
    assert nexus.read(text, limits=recollect.Limits(max_steps=20_000)).results[0].rows == [(None,)]


def test_what_was_known_before_is_not_judged_by_what_is_now(nexus):
    read = 'FIND(?v) WHERE { ?d {type: "Drug"} ATTR(?d, "risk_levl", ?v) }'
    as_of = recollect.AsOf(known=1, known_is_transaction=True)
    assert nexus.read(read, as_of=as_of).notices == ()
