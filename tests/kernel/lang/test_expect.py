"""What may be written at a place is what the parser would take there."""

from __future__ import annotations

import pytest
from hypothesis import given

import strategies
from recollect.kernel import meaning_of, place_at, print_text
from recollect.kernel.lang.words import KEYWORDS, WORDS


def place(text):
    """The place at the sign `|` of a text, in which a path's bar is written `\u2502`."""
    before, _, after = (part.replace("\u2502", "|") for part in text.partition("|"))
    return place_at(before + after, len(before))


@pytest.mark.parametrize(
    ("text", "wanted", "begun"),
    [
        ('FIND(?x) WHERE { ?x {type: "Dr|"} }', "type", "Dr"),
        ('DESCRIBE CONCEPT TYPE "|', "type", ""),
        ('DESCRIBE PROPOSITION TYPE "tre|', "predicate", "tre"),
        ('SEARCH "x" WITH TYPE "|', "type", ""),
        ('FIND(?x) WHERE { (?x, "tr|', "predicate", "tr"),
        ('FIND(?x) WHERE { (?x, "a" \u2502 "tr|', "predicate", "tr"),
        ('UPSERT { CONCEPT @a { {id: "x"} SET PROPOSITIONS { ("|', "predicate", ""),
        ('FIND(?x) WHERE { ATTR(?x, "na|', "attribute", "na"),
        ('FIND(?x) WHERE { META(?x, "|', "metadata key", ""),
        ('DELETE ATTRIBUTES {"|', "attribute", ""),
        ("FIND(?x.|", "field", ""),
        ("FIND(?x.attributes.ri|", "attribute", "ri"),
        ("FIND(?x.metadata.|", "metadata key", ""),
        ("FIND(?dr|", "variable", "?dr"),
        ("UPSERT { PROPOSITION { (@a|", "handle", "@a"),
        ("SEARCH $te|", "placeholder", "$te"),
        ('FIND(?x) WHERE { ?x {name: "|', "nothing", ""),
        ("FIND(?x) // nothing h|", "nothing", ""),
        ("FIND(?x) WH|", "keyword", "WH"),
    ],
)
def test_the_kind_of_name_is_told_by_what_stands_before(text, wanted, begun):
    found = place(text)
    assert (found.wanted, found.begun) == (wanted, begun)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("|", {"FIND", "UPSERT", "EXPLAIN"}),
        ("EXPLAIN |", {"FIND", "SEARCH", "DESCRIBE"}),
        ("FIND(?x) |", {"WHERE"}),
        ("FIND(|", {"COUNT", "AVG"}),
        ('FIND(?x) WHERE { ?x {type: "A"} |', {"FILTER", "NOT", "ATTR"}),
        ("FIND(?x) WHERE { ?x {|} }", {"type", "name", "id"}),
        ('FIND(?x) WHERE { ?x {type: "A"} } ORDER |', {"BY"}),
        ("UPSERT { |", {"CONCEPT", "PROPOSITION"}),
        ('UPSERT { CONCEPT @x { {id: "a"} SET |', {"ATTRIBUTES", "PROPOSITIONS"}),
        ("DELETE |", {"ATTRIBUTES", "CONCEPT"}),
        ("what is this FIND(?x) |", {"WHERE", "LIMIT", "UPSERT"}),
        ("FIND(?x) WHERE {} \nFIND(?y) |", {"WHERE"}),
    ],
)
def test_the_keywords_are_those_that_may_follow(text, words):
    assert words <= set(place(text).words)


def test_keywords_that_cannot_follow_are_not_told():
    assert "FILTER" not in place("FIND(?x) |").words
    assert place("EXPLAIN FIND(?x) |").words == ("WHERE",)


@given(strategies.statements)
def test_every_place_of_a_text_is_answered(tree):
    text = print_text(tree)
    for offset in range(0, len(text) + 1, 7):
        found = place_at(text, offset)
        assert text[:offset].endswith(found.begun)


def test_every_word_stands_in_the_table_once_with_a_form_and_a_sentence():
    assert len(WORDS) == len(KEYWORDS)
    assert all(one.form and one.text.endswith(".") and one.since for one in WORDS)


def test_a_keyword_after_another_has_the_form_of_both():
    assert meaning_of("TYPE", "PROPOSITION").form == 'DESCRIBE PROPOSITION TYPE "..."'
    assert meaning_of("drug") is None
