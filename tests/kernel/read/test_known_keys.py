"""A key that no element has: the answer is whole, and says so."""

from __future__ import annotations

import pytest

import recollect
from recollect.model import Key, PutConcept, PutLink

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
    as_of = recollect.AsOf(transaction=1)
    assert nexus.read(read, as_of=as_of).notices == ()


DOTTED = (
    "unknown_attribute",
    'no concept of type "Drug" has the attribute "risk_levl"',
    "use risk_level",
)


@pytest.mark.parametrize(
    "text",
    [
        'FIND(?d.attributes.risk_levl) WHERE { ?d {type: "Drug"} }',
        'FIND(MAX(?d.attributes.risk_levl)) WHERE { ?d {type: "Drug"} }',
        'FIND(?d) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk_levl > 1) }',
        'FIND(?d, ?s) WHERE { ?d {type: "Drug"} OPTIONAL { (?d, "treats", ?s) FILTER(?d.attributes.risk_levl == 2) } }',
        'FIND(?d) WHERE { ?d {type: "Drug"} } ORDER BY ?d.attributes.risk_levl DESC',
    ],
)
def test_a_key_after_a_dot_is_looked_at_like_one_that_a_clause_reads(nexus, text):
    (notice,) = nexus.read(text).notices
    assert (notice.code, notice.message, notice.hint) == DOTTED
    mended = nexus.read(notice.fix.apply(text))
    assert mended.notices == ()


@pytest.mark.parametrize("blocks", [1, 12])
def test_a_key_is_looked_at_in_blocks_however_many_stand_on_each_other(nexus, blocks):
    chain = " ".join(
        f'OPTIONAL {{ (?v{at}, "treats", ?x{at}) (?x{at}, "treats", ?v{at + 1}) }}'
        for at in range(blocks)
    )
    last = f'OPTIONAL {{ (?v{blocks}, "treats", ?y) ATTR(?y, "colour", ?v) }}'
    (found,) = warnings(nexus, f'?v0 {{type: "Drug"}} {chain} {last}')
    assert found[:2] == ("unknown_attribute", 'nothing has the attribute "colour"')


def test_a_metadata_key_after_a_dot_is_looked_at_too(nexus):
    text = 'FIND(?d.metadata.confidance) WHERE { ?d {type: "Drug"} }'
    (notice,) = nexus.read(text).notices
    assert notice.message == 'no concept of type "Drug" has the metadata key "confidance"'
    assert notice.fix.apply(text) == text.replace("confidance", "confidence")


def test_a_key_of_the_other_section_is_told_where_it_is(nexus):
    (notice,) = nexus.read('FIND(?d.attributes.confidence) WHERE { ?d {type: "Drug"} }').notices
    assert (notice.hint, notice.fix) == ("use ?d.metadata.confidence", None)


@pytest.mark.parametrize(
    "column", ["name", "type", "id", "attributes", "metadata", "metadata._version", "attributes.risk_level"]
)  # fmt: skip
def test_what_elements_have_is_no_warning_after_a_dot(nexus, column):
    assert nexus.read(f'FIND(?d.{column}) WHERE {{ ?d {{type: "Drug"}} }}').notices == ()


def test_the_fix_of_a_key_in_quotes_keeps_its_quotes(nexus):
    text = 'FIND(?v) WHERE { ?d {type: "Drug"} ATTR(?d, "risk_levl", ?v) }'
    (notice,) = nexus.read(text).notices
    assert notice.fix.apply(text) == text.replace("risk_levl", "risk_level")
    assert notice.to_wire()["fix"] == {"start": 44, "end": 55, "text": '"risk_level"'}


def test_a_key_from_a_parameter_has_no_fix_in_the_text(nexus):
    text = 'FIND(?v) WHERE { ?d {type: "Drug"} ATTR(?d, $k, ?v) }'
    (notice,) = nexus.read(text, {"k": "risk_levl"}).notices
    assert (notice.known[0], notice.fix) == ("risk_level", None)


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('FIND(?d) WHERE { ?d {type: "Durg"} }', 'FIND(?d) WHERE { ?d {type: "Drug"} }'),
        ('FIND(?d) WHERE { (?d, "treat", ?s) }', 'FIND(?d) WHERE { (?d, "treats", ?s) }'),
        ('FIND(?d) WHERE { (?d, "treat"{1,2}, ?s) }', 'FIND(?d) WHERE { (?d, "treats"{1,2}, ?s) }'),
    ],
)
def test_an_unknown_type_or_predicate_is_mended_by_its_fix(nexus, text, mended):
    (notice,) = nexus.read(text).notices
    assert notice.fix.apply(text) == mended
    assert nexus.read(mended).notices == ()


def test_a_predicate_inside_a_path_string_or_a_parameter_has_no_fix(nexus):
    (notice,) = nexus.read('FIND(?d) WHERE { (?d, "treat{1,2}", ?s) }').notices
    assert (notice.known, notice.fix) == (("treats",), None)
    (notice,) = nexus.read("FIND(?d) WHERE { ?d {type: $t} }", {"t": "Durg"}).notices
    assert (notice.known, notice.fix) == (("Drug",), None)


def test_a_slip_in_what_an_update_computes_from_is_told(nexus):
    text = (
        'UPDATE ?d SET ATTRIBUTES {n: ADD(?d.attributes.risk_levl, 1)} WHERE { ?d {type: "Drug"} }'
    )
    answer = nexus.write(text)
    (notice,) = answer.notices
    assert notice.message == 'nothing that WHERE finds has the attribute "risk_levl"'
    assert nexus.write(notice.fix.apply(text)).notices == ()


@pytest.mark.parametrize(
    "value",
    [
        "ADD(COALESCE(?d.attributes.risk_levl, 0), 1)",
        "ADD(?d.attributes.seen, 1)",
        "ADD(?d.metadata._version, 1)",
    ],
)
def test_a_key_that_may_be_missing_in_an_update_is_not(nexus, value):
    text = f'UPDATE ?d SET ATTRIBUTES {{n: {value}}} WHERE {{ ?d {{type: "Drug"}} }}'
    assert nexus.write(text).notices == ()


def test_a_warning_about_many_elements_says_how_many_were_looked_at(nexus):
    many = [PutConcept("T", str(at)) for at in range(10_001)]
    nexus.write([PutConcept("Old", "x", {"colour": "red"}), *many])
    of_many = [PutLink(Key("T", one.name), "p", Key("Old", "x")) for one in many]
    nexus.write([*of_many, PutLink(Key("Old", "x"), "p", Key("T", "0"), {"weight": 1})])
    looked_at = "among 10000 that were looked at"
    for where, lacking in (
        ('?t {type: "T"} ATTR(?t, "size", ?v)', 'no concept of type "T" has the attribute "size"'),
        ('?l (?s, "p", ?o) ATTR(?l, "weight", ?v) FILTER(?v > 1)', 'no link "p" has the attribute "weight"'),
        ('?x {name: "x"} ATTR(?x, "size", ?v)', 'nothing has the attribute "size"'),
    ):  # fmt: skip
        ((_, message, _),) = warnings(nexus, where)
        assert message == f"{lacking} {looked_at}"
