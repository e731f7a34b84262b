"""Whatever the text: a tree that prints and parses again, or one `RecollectError` with a place."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import strategies
from recollect.errors import RecollectError
from recollect.kernel.lang import parse, print_text
from recollect.kernel.lang.words import KEYWORDS

CAPSULE = """
CONCEPT @c%d {
  {type: "Drug", name: "Drug %d"}
  SET ATTRIBUTES { formula: "C12H15N5O3", doses: [1, 2.5, {"unit": "mg"}], notes: null }
  SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Pain"}) WITH METADATA {confidence: 0.9} }
}
"""
PIECES = (*sorted(KEYWORDS), *'?@$:;,.(){}[]|!&=<>"\\-*#', "?x", '"p"', "1", "//", "\n", "'", "\0")


def outcome(text):
    """Return the error that parsing the text gives, None if it is a tree that holds."""
    try:
        tree = parse(text)
    except RecollectError as error:
        assert error.source == text
        assert error.span is not None
        assert error.hint
        assert 0 <= error.span.start <= error.span.end <= len(text)
        if error.fix is not None:
            assert 0 <= error.fix.span.start <= error.fix.span.end <= len(text)
        assert str(error)
        return error
    assert parse(print_text(tree)) == tree
    return None


def code(text):
    error = outcome(text)
    return None if error is None else error.code.code


@given(st.text())
def test_an_arbitrary_text_is_answered(text):
    outcome(text)


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from(("", " ")))
def test_words_of_the_language_in_any_order_are_answered(pieces, between):
    outcome(between.join(pieces))


@st.composite
def mutilated_texts(draw):
    """A printed script with pieces cut out, put in or moved."""
    text = print_text(draw(strategies.scripts))
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        end = min(end, start + 8)
        put = draw(st.sampled_from(PIECES) | st.just("") | st.just(text[start:end] * 2))
        text = text[:start] + put + text[end:]
    return text


@given(mutilated_texts())
def test_a_mutilated_text_is_answered(text):
    outcome(text)


@given(strategies.statements, st.data())
def test_a_text_cut_short_is_answered(tree, data):
    text = print_text(tree)
    outcome(text[: data.draw(st.integers(0, len(text)))])


# Deep


@pytest.mark.parametrize(
    "nest",
    [
        lambda n: "FIND(?x) WHERE " + "{ NOT " * n + "{}" + "}" * n,
        lambda n: "FIND(?x) WHERE { " + "(" * n + '?x, "p", ?y)' + ', "p", ?y)' * (n - 1) + " }",
        lambda n: "FIND(?x) WHERE { FILTER(" + "(" * n + "?x == 1" + ")" * n + ") }",
        lambda n: "FIND(?x) WHERE { FILTER(" + "!" * n + "IS_NULL(?x)) }",
        lambda n: "UPSERT {} WITH METADATA {a: " + "[" * n + "]" * n + "}",
        lambda n: "UPSERT {} WITH METADATA " + "{a: " * n + "1" + "}" * n,
        lambda n: "UPSERT {} WITH METADATA {a: " + "[" * n + "$p" + "]" * n + "}",
        lambda n: "UPSERT { PROPOSITION { " + "(" * n + '@a, "p", @b)' + ', "p", @b)' * (n - 1) + " } }",
    ],
)  # fmt: skip
def test_nesting_is_followed_to_its_limit_and_no_further(nest):
    assert code(nest(60)) is None
    error = outcome(nest(65))
    assert error.code.code == "KIP_4002"
    assert error.message == "the nesting is deeper than 64 levels"
    assert error.source[error.span.start] in "({[!"
    for levels in (1_000, 100_000):
        assert code(nest(levels)) == "KIP_4002"


def test_kinds_of_nesting_are_counted_together():
    inner = "FILTER(" + "(" * 20 + "IN(?x, " + "[" * 20 + "]" * 20 + ")" + ")" * 20 + ")"
    assert code("FIND(?x) WHERE " + "{ NOT " * 21 + "{" + inner + "}" + "}" * 21) is None
    assert code("FIND(?x) WHERE " + "{ NOT " * 22 + "{" + inner + "}" + "}" * 22) == "KIP_4002"


# Long


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (' "' * 5_000_000, "KIP_1001"),
        ('"' + '\\"' * 5_000_000, "KIP_1001"),
        ('SEARCH "' + "\\n" * 5_000_000 + '"', None),
        ('SEARCH "' + "药" * 3_000_000 + '"', None),
        ('SEARCH "' + "x" * 10_000_000, "KIP_1001"),
        ("//" + "x" * 10_000_000 + "\nDESCRIBE PRIMER", None),
        (" " * 10_000_000, "KIP_1001"),
        ("{" * 10_000_000, "KIP_1001"),
        ("SEARCH $t LIMIT " + "9" * 10_000_000, "KIP_1001"),
        ("FIND(" + "?x" * 3_000_000 + ")", "KIP_1001"),
        ("FIND(?x) WHERE {} LIMIT 5 " + "x" * 10_000_000, "KIP_1001"),
        ("FIND(?x) WHERE {} LIMIT 5 '" + "x" * 10_000_000, "KIP_1001"),
    ],
    ids=lambda value: repr(value[:20]) if isinstance(value, str) else "tree",
)
def test_a_text_of_ten_megabytes_is_answered(text, expected):
    try:
        parse(text)
    except RecollectError as error:
        assert error.code.code == expected
    else:
        assert expected is None


def test_a_capsule_of_ten_megabytes_is_parsed_whole():
    count = 10_000_000 // len(CAPSULE)
    text = "UPSERT {" + "".join(CAPSULE % (n, n) for n in range(count)) + "}"
    (upsert,) = parse(text).statements
    assert len(upsert.blocks) == count


def test_a_text_beyond_the_limit_is_refused_before_anything_else():
    assert code("x" * (32 * 2**20 + 1)) == "KIP_4002"
    assert code("药" * (11 * 2**20)) == "KIP_4002"


@pytest.mark.parametrize("rest", ["[", '["', "[1", "[]", ".attributes[", '.attributes["a"'])
@pytest.mark.parametrize("before", ["FIND(?x", "UPDATE ?x SET ATTRIBUTES {n: ADD(?x"])
def test_a_text_that_ends_inside_brackets_after_a_variable_is_answered(before, rest):
    assert code(before + rest) == "KIP_1001"
