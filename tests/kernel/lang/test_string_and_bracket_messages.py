"""What is said about bad texts: strings, brackets and commas, as a person sees it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

STRINGS = [
    (
        "FIND(?x) WHERE { (?x, treats, ?y) }",
        snapshot("""\
KIP_1001 InvalidSyntax: `treats` is not quoted, expected a string or a variable
   1 | FIND(?x) WHERE { (?x, treats, ?y) }
     |                       ^^^^^^
  hint: use "treats"
  mended: FIND(?x) WHERE { (?x, "treats", ?y) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats", Headache) }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `Headache`, expected a variable or a pattern
   1 | FIND(?x) WHERE { (?x, "treats", Headache) }
     |                                 ^^^^^^^^
  hint: use {name: "Headache"}
  mended: FIND(?x) WHERE { (?x, "treats", {name: "Headache"}) }\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {type: A} }",
        snapshot("""\
KIP_1001 InvalidSyntax: `A` is not quoted, expected a string
   1 | FIND(?x) WHERE { ?x {type: A} }
     |                            ^
  hint: use "A"
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {type: 5} }",
        snapshot("""\
KIP_1001 InvalidSyntax: `5` is not quoted, expected a string
   1 | FIND(?x) WHERE { ?x {type: 5} }
     |                            ^
  hint: use "5"
  mended: FIND(?x) WHERE { ?x {type: "5"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} ... }',
        snapshot("""\
KIP_1001 InvalidSyntax: `...` stands for something left out and is not part of the language
   1 | FIND(?x) WHERE { ?x {type: "A"} ... }
     |                                 ^^^
  hint: remove `...`
  mended: FIND(?x) WHERE { ?x {type: "A"}  }\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {type: 'A'} }",
        snapshot("""\
KIP_1001 InvalidSyntax: a string stands in double quotes `"`, not in `'`
   1 | FIND(?x) WHERE { ?x {type: 'A'} }
     |                            ^^^
  hint: use "A"
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {type: “A”} }",
        snapshot("""\
KIP_1001 InvalidSyntax: a string stands in double quotes `"`, not in `“`
   1 | FIND(?x) WHERE { ?x {type: “A”} }
     |                            ^^^
  hint: use "A"
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A} }',
        snapshot("""\
KIP_1001 InvalidSyntax: this string is not closed on its line
   1 | FIND(?x) WHERE { ?x {type: "A} }
     |                            ^
  hint: close it with `"`; a line break inside a string is written \\n
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A\\q"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: `\\q` is not an escape that JSON knows
   1 | FIND(?x) WHERE { ?x {type: "A\\q"} }
     |                              ^^
  hint: use \\\\q for a backslash
  mended: FIND(?x) WHERE { ?x {type: "A\\\\q"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "\\ud800"} }',
        snapshot("""\
KIP_2003 InvalidValueType: the lone surrogate U+D800 is not a character
   1 | FIND(?x) WHERE { ?x {type: "\\ud800"} }
     |                            ^^^^^^^^
  hint: remove the escape\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "\\u00"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: `\\u` is not an escape that JSON knows
   1 | FIND(?x) WHERE { ?x {type: "\\u00"} }
     |                             ^^
  hint: use \\u and 4 digits\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "\\u0000"} }',
        snapshot("""\
KIP_2003 InvalidValueType: a string cannot hold the character NUL
   1 | FIND(?x) WHERE { ?x {type: "\\u0000"} }
     |                            ^^^^^^^^
  hint: remove the escape\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == foo) }",
        snapshot("""\
KIP_1001 InvalidSyntax: `foo` is not quoted, expected a value
   1 | FIND(?x) WHERE { FILTER(?x == foo) }
     |                               ^^^
  hint: use "foo"
  mended: FIND(?x) WHERE { FILTER(?x == "foo") }\
"""),
    ),
    (
        "FIND(?x) WHERE { ATTR(?x, name, ?n) }",
        snapshot("""\
KIP_1001 InvalidSyntax: `name` is not quoted, expected a string
   1 | FIND(?x) WHERE { ATTR(?x, name, ?n) }
     |                           ^^^^
  hint: use "name"
  mended: FIND(?x) WHERE { ATTR(?x, "name", ?n) }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: "x} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: this string is not closed on its line
   1 | T { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: "x} } }
     |                                                            ^
  hint: close it with `"`; a line break inside a string is written \\n
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: "x"} } }\
"""),
    ),
    (
        'DELETE ATTRIBUTES { a } WHERE { {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: `a` is not quoted, expected a string or `}`
   1 | DELETE ATTRIBUTES { a } WHERE { {type: "A"} }
     |                     ^
  hint: use "a"
  mended: DELETE ATTRIBUTES { "a" } WHERE { {type: "A"} }\
"""),
    ),
    (
        "DESCRIBE CONCEPT TYPE Drug",
        snapshot("""\
KIP_1001 InvalidSyntax: `Drug` is not quoted, expected a string
   1 | DESCRIBE CONCEPT TYPE Drug
     |                       ^^^^
  hint: use "Drug"
  mended: DESCRIBE CONCEPT TYPE "Drug"\
"""),
    ),
    (
        "SEARCH aspirin",
        snapshot("""\
KIP_1001 InvalidSyntax: `aspirin` is not quoted, expected a string, CONCEPT or PROPOSITION
   1 | SEARCH aspirin
     |        ^^^^^^^
  hint: use "aspirin"
  mended: SEARCH "aspirin"\
"""),
    ),
    (
        "SEARCH CONCEPT aspirin",
        snapshot("""\
KIP_1001 InvalidSyntax: `aspirin` is not quoted, expected a string
   1 | SEARCH CONCEPT aspirin
     |                ^^^^^^^
  hint: use "aspirin"
  mended: SEARCH CONCEPT "aspirin"\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), STRINGS, ids=[text for text, _ in STRINGS])
def test_strings_are_in_double_quotes(refusal, text, shown):
    assert refusal(text) == shown


BRACKETS = [
    (
        'FIND(?x WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `WHERE`, expected `,` or `)`
   1 | FIND(?x WHERE { ?x {type: "A"} }
     |         ^^^^^
  hint: add `)` to close the `(` of line 1
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x ?y) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `?y`, expected `,` or `)`
   1 | FIND(?x ?y) WHERE { ?x {type: "A"} }
     |         ^^
  hint: add `,`
  mended: FIND(?x, ?y) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"}',
        snapshot("""\
KIP_1001 InvalidSyntax: this `{` is never closed: the text ends, expected a variable, a pattern, ATTR, META, FILTER, NOT, OPTIONAL, UNION or `}`
   1 | FIND(?x) WHERE { ?x {type: "A"}
     |                ^
  hint: add `}`
  mended: FIND(?x) WHERE { ?x {type: "A"}}\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A" ATTR(?x, "n", ?n) }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `ATTR`, expected a key or `}`
   1 | FIND(?x) WHERE { ?x {type: "A" ATTR(?x, "n", ?n) }
     |                                ^^^^
  hint: add `}` to close the `{` of line 1
  mended: FIND(?x) WHERE { ?x {type: "A"} ATTR(?x, "n", ?n) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "p", ?y }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `}`, expected `)`
   1 | FIND(?x) WHERE { (?x, "p", ?y }
     |                               ^
  hint: add `)` to close the `(` of line 1
  mended: FIND(?x) WHERE { (?x, "p", ?y) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == 1 && ?y == 2 }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `}`, expected `&&`, `||` or `)`
   1 | FIND(?x) WHERE { FILTER(?x == 1 && ?y == 2 }
     |                                            ^
  hint: add `)` to close the `(` of line 1
  mended: FIND(?x) WHERE { FILTER(?x == 1 && ?y == 2) }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: this `}` closes nothing, expected ORDER, LIMIT, OFFSET, CURSOR, another statement or the end of the text
   1 | FIND(?x) WHERE { ?x {type: "A"} } }
     |                                   ^
  hint: remove `}`
  mended: FIND(?x) WHERE { ?x {type: "A"} } \
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: 1; b: 2} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `;`, which is written `,`
   1 |  { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: 1; b: 2} } }
     |                                                            ^
  hint: use ,
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: 1, b: 2} } }\
"""),
    ),
    (
        'UPSERT { PROPOSITION @a { (@x, "p" @y) } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `@y`, expected `,`
   1 | UPSERT { PROPOSITION @a { (@x, "p" @y) } }
     |                                    ^^
  hint: add `,`
  mended: UPSERT { PROPOSITION @a { (@x, "p", @y) } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: this `{` is never closed: the text ends, expected CONCEPT, PROPOSITION, WITH or `}`
   1 | UPSERT { CONCEPT @a { {type: "T", name: "A"} }
     |        ^
  hint: add `}`
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} }}\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), BRACKETS, ids=[text for text, _ in BRACKETS])
def test_an_open_bracket_or_a_missing_comma_is_pointed_at(refusal, text, shown):
    assert refusal(text) == shown
