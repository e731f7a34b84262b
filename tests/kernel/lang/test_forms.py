"""The forms that hints propose are the language."""

from __future__ import annotations

import re

import pytest

from recollect.kernel.lang import parse, print_text
from recollect.kernel.lang.words import (
    AGGREGATES,
    ARITHMETIC,
    CLAUSES,
    TESTS,
    TWO_WORDS,
    WORDS,
    form_of,
)

PLACES = {
    "FIND(": 'FORM WHERE { ?x {type: "T"} }',
    "WHERE": "FIND(?x) FORM",
    **dict.fromkeys(CLAUSES, "FIND(?x) WHERE { FORM }"),
    **dict.fromkeys(TESTS, "FIND(?x) WHERE { FILTER(FORM) }"),
    **dict.fromkeys(ARITHMETIC, 'UPDATE ?x SET METADATA {key: FORM} WHERE { ?x {type: "T"} }'),
    **dict.fromkeys(
        ("ORDER", "LIMIT", "OFFSET", "CURSOR"), 'FIND(?x) WHERE { ?x {type: "T"} } FORM'
    ),
    **dict.fromkeys(("CONCEPT", "PROPOSITION"), "UPSERT { FORM }"),
    "SET": 'UPSERT { CONCEPT { {type: "T", name: "N"} FORM } }',
    "EXPECT": 'UPSERT { CONCEPT { {type: "T", name: "N"} FORM } }',
    "WITH": "UPSERT { } FORM",
}


@pytest.mark.parametrize("form", sorted({one.form for one in WORDS} | set(TWO_WORDS.values())))
def test_every_form_parses_where_it_stands(form):
    head = re.match(r"\w+", form)[0]
    if head == "FIND" and "WHERE" not in form:
        head = "FIND("
    tree = parse(PLACES.get(head, "FORM").replace("FORM", form))
    assert parse(print_text(tree)) == tree


def test_the_aggregates_have_forms_of_their_own():
    assert all(one in form_of(one) for one in AGGREGATES)
