"""A formatted text is the same text: the same tree, every comment once, in the same order."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given, strategies as st

import strategies
from recollect.errors import RecollectError
from recollect.kernel.lang import parse, print_text
from recollect.kernel.lang.format import format_text
from recollect.kernel.lang.tokens import lex

GAPS = (" ", "  ", "\n", "\n\n\n", " // {0}\n", "\n  // {0}\n", "\n\n//{0}  \n\n", "//}}\n//\n")


@st.composite
def commented_texts(draw):
    """Draw a text with spaces, line breaks and comments anywhere between its tokens."""
    tokens = lex(print_text(draw(strategies.scripts)))
    pieces = []
    for at, token in enumerate(tokens.texts[:-1]):
        gap = draw(st.sampled_from(GAPS)).format(at) if draw(st.integers(0, 4)) == 0 else " "
        if tokens.texts[at - 1] == ":" and tokens.starts[at] == tokens.starts[at - 1] + 1:
            gap = ""
        pieces += (gap, token)
    return "".join(pieces) + draw(st.sampled_from(("", "\n", " // end", "\n\n// end\n\n// of it")))


def comments_of(text):
    return [one.text for one in lex(text).comments]


@given(commented_texts())
def test_formatting_keeps_the_tree_and_the_comments(text):
    formatted = format_text(text)
    assert parse(formatted) == parse(text)
    assert comments_of(formatted) == comments_of(text)


@given(commented_texts())
def test_formatting_twice_is_formatting_once(text):
    once = format_text(text)
    assert format_text(once) == once


@given(strategies.scripts)
def test_a_text_without_comments_is_formatted_as_it_is_printed(tree):
    text = print_text(tree)
    assert format_text(text) == f"{text}\n"


def test_what_is_not_the_language_is_refused_as_it_is_by_parse():
    with pytest.raises(RecollectError, match="stand in parentheses"):
        format_text("FIND ?x // and more")


def test_comments_stay_where_they_stand():
    assert format_text(
        dedent("""\


        // first


        // of all
        FIND( // columns
          ?d.name // the name
        ) WHERE { // the clauses
          // a drug
          ?d {type: "Drug"}, // by type

          // what it treats
          (?d, // subject
             "treats", ?s)


          NOT { } // nothing
          // the last
        } LIMIT 5; // enough
        // the end of it
        DESCRIBE PRIMER // now
        // bye
        """)
    ) == dedent("""\
        // first

        // of all
        FIND( // columns
          ?d.name // the name
        )
        WHERE { // the clauses
          // a drug
          ?d {type: "Drug"} // by type

          // what it treats
          (
            ?d, // subject
            "treats",
            ?s
          )

          NOT {} // nothing
          // the last
        }
        LIMIT 5 // enough

        // the end of it
        DESCRIBE PRIMER // now
        // bye
        """)


def test_comments_inside_values_stay_with_their_members():
    assert format_text(
        dedent("""\
        UPSERT {
          CONCEPT ?d { {type:"Drug",name:"Aspirin"}
            SET ATTRIBUTES { risk: 2, // low
              forms: [ "tablet",
                // for children
                "syrup" ], dose: {a: 1, // one
                b: $p} } } }
        """)
    ) == dedent("""\
        UPSERT {
          CONCEPT @d {
            {type: "Drug", name: "Aspirin"}
            SET ATTRIBUTES {
              risk: 2, // low
              forms: [
                "tablet",
                // for children
                "syrup"
              ],
              dose: {
                a: 1, // one
                b: $p
              }
            }
          }
        }
        """)


def test_comments_keep_their_order_where_parts_change_theirs():
    text = (
        'FIND(?x) WHERE { ?x {type: "T"} }\nLIMIT 5 // a\nORDER BY // b\n?x // c\nOFFSET 1 // d\n'
    )
    formatted = format_text(text)
    assert comments_of(formatted) == ["// a", "// b", "// c", "// d"]
    assert format_text(formatted) == formatted


def test_a_long_line_opens_at_what_it_holds():
    names = ", ".join(f"?drug.attributes.property_{at}" for at in range(4))
    either = " || ".join(f'?drug.attributes.kind == "the kind number {at}"' for at in range(3))
    text = (
        f"FIND({names}) WHERE {{ ?drug {{type: $t}} "
        f'FILTER({either} && !(IN(?drug.name, ["{"a" * 40}", "{"b" * 40}"]))) }} '
        f"ORDER BY {names}"
    )
    assert format_text(text) == dedent("""\
        FIND(
          ?drug.attributes.property_0,
          ?drug.attributes.property_1,
          ?drug.attributes.property_2,
          ?drug.attributes.property_3
        )
        WHERE {
          ?drug {type: $t}
          FILTER(
            ?drug.attributes.kind == "the kind number 0"
            || ?drug.attributes.kind == "the kind number 1"
            || ?drug.attributes.kind == "the kind number 2" && !IN(?drug.name, ["%s", "%s"])
          )
        }
        ORDER BY
          ?drug.attributes.property_0,
          ?drug.attributes.property_1,
          ?drug.attributes.property_2,
          ?drug.attributes.property_3
        """) % ("a" * 40, "b" * 40)
