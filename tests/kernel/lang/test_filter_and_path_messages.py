"""What is said about bad texts: filters and paths, as a person sees it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

FILTERS = [
    (
        "FIND(?x) WHERE { FILTER(?x) }",
        snapshot("""\
KIP_1001 InvalidSyntax: the variable ?x alone is not a condition
   1 | FIND(?x) WHERE { FILTER(?x) }
     |                         ^^
  hint: use ?x == true
  mended: FIND(?x) WHERE { FILTER(?x == true) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(!?x) }",
        snapshot("""\
KIP_1001 InvalidSyntax: the variable ?x alone is not a condition
   1 | FIND(?x) WHERE { FILTER(!?x) }
     |                         ^^^
  hint: use ?x == false
  mended: FIND(?x) WHERE { FILTER(?x == false) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x = 1) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `=`, which is written `==`
   1 | FIND(?x) WHERE { FILTER(?x = 1) }
     |                            ^
  hint: use ==
  mended: FIND(?x) WHERE { FILTER(?x == 1) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x <> 1) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `<>`, which is written `!=`
   1 | FIND(?x) WHERE { FILTER(?x <> 1) }
     |                            ^^
  hint: use !=
  mended: FIND(?x) WHERE { FILTER(?x != 1) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x === 1) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `===`, which is written `==`
   1 | FIND(?x) WHERE { FILTER(?x === 1) }
     |                            ^^^
  hint: use ==
  mended: FIND(?x) WHERE { FILTER(?x == 1) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == 1 AND ?y == 2) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `AND`, which is written `&&`
   1 | FIND(?x) WHERE { FILTER(?x == 1 AND ?y == 2) }
     |                                 ^^^
  hint: use &&
  mended: FIND(?x) WHERE { FILTER(?x == 1 && ?y == 2) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == 1 or ?y == 2) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `or`, which is written `||`
   1 | FIND(?x) WHERE { FILTER(?x == 1 or ?y == 2) }
     |                                 ^^
  hint: use ||
  mended: FIND(?x) WHERE { FILTER(?x == 1 || ?y == 2) }\
"""),
    ),
    (
        'FIND(?x) WHERE { FILTER(NOT CONTAINS(?x, "a")) }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `NOT`, which is written `!`
   1 | FIND(?x) WHERE { FILTER(NOT CONTAINS(?x, "a")) }
     |                         ^^^
  hint: use !
  mended: FIND(?x) WHERE { FILTER(! CONTAINS(?x, "a")) }\
"""),
    ),
    (
        'FIND(?x) WHERE { FILTER(CONTAIN(?x, "a")) }',
        snapshot("""\
KIP_1001 InvalidSyntax: FILTER has no function CONTAIN
   1 | FIND(?x) WHERE { FILTER(CONTAIN(?x, "a")) }
     |                         ^^^^^^^
  hint: use CONTAINS
  mended: FIND(?x) WHERE { FILTER(CONTAINS(?x, "a")) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(BOUND(?x)) }",
        snapshot("""\
KIP_1001 InvalidSyntax: FILTER has no function BOUND
   1 | FIND(?x) WHERE { FILTER(BOUND(?x)) }
     |                         ^^^^^
  hint: use IS_NOT_NULL
  mended: FIND(?x) WHERE { FILTER(IS_NOT_NULL(?x)) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x IN [1]) }",
        snapshot("""\
KIP_1001 InvalidSyntax: IN is written as a function
   1 | FIND(?x) WHERE { FILTER(?x IN [1]) }
     |                         ^^^^^^^^^
  hint: use IN(?x, [1])
  mended: FIND(?x) WHERE { FILTER(IN(?x, [1])) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(IN(?x, 1)) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `1`, expected `[` or a placeholder
   1 | FIND(?x) WHERE { FILTER(IN(?x, 1)) }
     |                                ^
  hint: use [1]
  mended: FIND(?x) WHERE { FILTER(IN(?x, [1])) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == True) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `True`, which is written `true`
   1 | FIND(?x) WHERE { FILTER(?x == True) }
     |                               ^^^^
  hint: use true
  mended: FIND(?x) WHERE { FILTER(?x == true) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == NaN) }",
        snapshot("""\
KIP_2003 InvalidValueType: NaN is not a JSON number
   1 | FIND(?x) WHERE { FILTER(?x == NaN) }
     |                               ^^^
  hint: use null\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == -Infinity) }",
        snapshot("""\
KIP_2003 InvalidValueType: -Infinity is not a JSON number
   1 | FIND(?x) WHERE { FILTER(?x == -Infinity) }
     |                               ^
  hint: use null\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == 1e999) }",
        snapshot("""\
KIP_2003 InvalidValueType: the number 1e999 is too large
   1 | FIND(?x) WHERE { FILTER(?x == 1e999) }
     |                               ^^^^^
  hint: use a number below 1.8e308, or a string\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == 99999999999999999999) }",
        snapshot("""\
KIP_2003 InvalidValueType: the whole number 99999999999999999999 does not fit in 64 bits
   1 | FIND(?x) WHERE { FILTER(?x == 99999999999999999999) }
     |                               ^^^^^^^^^^^^^^^^^^^^
  hint: use a string: "99999999999999999999"\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == 01) }",
        snapshot("""\
KIP_1001 InvalidSyntax: `01` is not a number as JSON writes it
   1 | FIND(?x) WHERE { FILTER(?x == 01) }
     |                               ^^
  hint: write it like 12, -3, 0.5 or 1e6\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(1 < ?x < 3) }",
        snapshot("""\
KIP_1001 InvalidSyntax: a comparison has two sides, found a second `<`
   1 | FIND(?x) WHERE { FILTER(1 < ?x < 3) }
     |                                ^
  hint: join two comparisons with `&&`
  mended: FIND(?x) WHERE { FILTER(1 < ?x && ?x < 3) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(LENGTH(?x) > 3) }",
        snapshot("""\
KIP_1001 InvalidSyntax: FILTER has no function LENGTH
   1 | FIND(?x) WHERE { FILTER(LENGTH(?x) > 3) }
     |                         ^^^^^^
  hint: use one of CONTAINS, STARTS_WITH, ENDS_WITH, REGEX, IN, IS_NULL, IS_NOT_NULL\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER(?x == LENGTH(?y)) }",
        snapshot("""\
KIP_1001 InvalidSyntax: the function LENGTH stands where a value is expected
   1 | FIND(?x) WHERE { FILTER(?x == LENGTH(?y)) }
     |                               ^^^^^^
  hint: a function is a condition of its own, joined with `&&` or `||`\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), FILTERS, ids=[text for text, _ in FILTERS])
def test_a_filter_is_told_what_a_condition_is(refusal, text, shown):
    assert refusal(text) == shown


PATHS = [
    (
        'FIND(?x) WHERE { (?x, "treats", "Headache") }',
        snapshot("""\
KIP_1001 InvalidSyntax: the value "Headache" stands where an element of the graph is expected
   1 | FIND(?x) WHERE { (?x, "treats", "Headache") }
     |                                 ^^^^^^^^^^
  hint: use {name: "Headache"}
  mended: FIND(?x) WHERE { (?x, "treats", {name: "Headache"}) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats", $y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the value $y stands where an element of the graph is expected
   1 | FIND(?x) WHERE { (?x, "treats", $y) }
     |                                 ^^
  hint: use {name: $y}
  mended: FIND(?x) WHERE { (?x, "treats", {name: $y}) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats", @y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the handle @y is known only inside its UPSERT
   1 | FIND(?x) WHERE { (?x, "treats", @y) }
     |                                 ^^
  hint: use ?y
  mended: FIND(?x) WHERE { (?x, "treats", ?y) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats", ?y {type: "S"}) }',
        snapshot("""\
KIP_1001 InvalidSyntax: ?y is given a pattern inside a link
   1 | FIND(?x) WHERE { (?x, "treats", ?y {type: "S"}) }
     |                                 ^^^^^^^^^^^^^^
  hint: write ?y {type: "S"} as a clause of its own, and ?y here
  mended: FIND(?x) WHERE { (?x, "treats", ?y) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats"*, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: `*` is not a path operator
   1 | FIND(?x) WHERE { (?x, "treats"*, ?y) }
     |                               ^
  hint: use {0,}
  mended: FIND(?x) WHERE { (?x, "treats"{0,}, ?y) }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats"{5,2}, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the quantifier {5,2} has its bounds in the wrong order
   1 | FIND(?x) WHERE { (?x, "treats"{5,2}, ?y) }
     |                               ^^^^^
  hint: use {2,5}\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats{}", ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the quantifier in `{}` is not {m,n}, {m,} or {n}
   1 | FIND(?x) WHERE { (?x, "treats{}", ?y) }
     |                       ^^^^^^^^^^
  hint: use {1,3} for one to three links, {1,} for one or more\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats"{}, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the quantifier in `{}` is not {m,n}, {m,} or {n}
   1 | FIND(?x) WHERE { (?x, "treats"{}, ?y) }
     |                               ^^
  hint: use {1,3} for one to three links, {1,} for one or more\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats"{,}, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the quantifier in `{,}` is not {m,n}, {m,} or {n}
   1 | FIND(?x) WHERE { (?x, "treats"{,}, ?y) }
     |                               ^^^
  hint: use {1,3} for one to three links, {1,} for one or more\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats"{,5}, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the quantifier in `{, 5}` is not {m,n}, {m,} or {n}
   1 | FIND(?x) WHERE { (?x, "treats"{,5}, ?y) }
     |                               ^^^^
  hint: use {1,3} for one to three links, {1,} for one or more\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats"{a}, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the quantifier in `{a}` is not {m,n}, {m,} or {n}
   1 | FIND(?x) WHERE { (?x, "treats"{a}, ?y) }
     |                               ^^^
  hint: use {1,3} for one to three links, {1,} for one or more\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "a | b"{2}, ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: a quantifier stands outside a string that holds path operators itself
   1 | FIND(?x) WHERE { (?x, "a | b"{2}, ?y) }
     |                              ^
  hint: quote each alternative by itself: "a"{1,3} | "b"\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "a | ", ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: an alternative of "a | " is empty
   1 | FIND(?x) WHERE { (?x, "a | ", ?y) }
     |                       ^^^^^^
  hint: write it like "a | b"\
"""),
    ),
    (
        "FIND(?x) WHERE { (?x, ?p{1,2}, ?y) }",
        snapshot("""\
KIP_1001 InvalidSyntax: the path operator `{` follows a predicate variable
   1 | FIND(?x) WHERE { (?x, ?p{1,2}, ?y) }
     |                         ^
  hint: use a quoted predicate, or the variable alone\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), PATHS, ids=[text for text, _ in PATHS])
def test_a_path_is_told_its_operators(refusal, text, shown):
    assert refusal(text) == shown
