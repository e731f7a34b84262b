"""What is said about bad texts: the slips of a hurried person, or of a model."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

STATEMENTS = [
    (
        "DESCRIBE CONCEPT",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected TYPE or TYPES
   1 | DESCRIBE CONCEPT
     |                 ^
  hint: add TYPES
  mended: DESCRIBE CONCEPT TYPES\
"""),
    ),
    (
        "DESCRIBE CONCEPTS",
        snapshot("""\
KIP_1001 InvalidSyntax: there is no DESCRIBE CONCEPTS
   1 | DESCRIBE CONCEPTS
     |          ^^^^^^^^
  hint: use CONCEPT TYPES
  mended: DESCRIBE CONCEPT TYPES\
"""),
    ),
    (
        "DESCRIBE PREDICATES",
        snapshot("""\
KIP_1001 InvalidSyntax: there is no DESCRIBE PREDICATES
   1 | DESCRIBE PREDICATES
     |          ^^^^^^^^^^
  hint: use PROPOSITION TYPES
  mended: DESCRIBE PROPOSITION TYPES\
"""),
    ),
    (
        'DESCRIBE "Drug"',
        snapshot("""\
KIP_1001 InvalidSyntax: there is no DESCRIBE "Drug"
   1 | DESCRIBE "Drug"
     |          ^^^^^^
  hint: use CONCEPT TYPE "Drug"
  mended: DESCRIBE CONCEPT TYPE "Drug"\
"""),
    ),
    (
        "DESCRIBE EVERYTHING",
        snapshot("""\
KIP_1001 InvalidSyntax: found `EVERYTHING`, expected PRIMER, DOMAINS, CONCEPT or PROPOSITION
   1 | DESCRIBE EVERYTHING
     |          ^^^^^^^^^^
  hint: write DESCRIBE PRIMER\
"""),
    ),
    (
        'SEARCH "x" TYPE "Drug"',
        snapshot("""\
KIP_1001 InvalidSyntax: found `TYPE`, expected WITH, MODE, THRESHOLD, LIMIT, CURSOR, another statement or the end of the text
   1 | SEARCH "x" TYPE "Drug"
     |            ^^^^
  hint: add WITH
  mended: SEARCH "x" WITH TYPE "Drug"\
"""),
    ),
    (
        "SEARCH CONCEPT",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected a string
   1 | SEARCH CONCEPT
     |               ^
  hint: write SEARCH CONCEPT "words"\
"""),
    ),
    (
        "FOO",
        snapshot("""\
KIP_1001 InvalidSyntax: found `FOO`, expected FIND, UPSERT, UPDATE, MERGE, DELETE, DESCRIBE, SEARCH, EXPORT or EXPLAIN
   1 | FOO
     | ^^^
  hint: begin with FIND, UPSERT, UPDATE, MERGE, DELETE, DESCRIBE, SEARCH, EXPORT or EXPLAIN\
"""),
    ),
    (
        'FI(?x) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `FI`, expected FIND, UPSERT, UPDATE, MERGE, DELETE, DESCRIBE, SEARCH, EXPORT or EXPLAIN
   1 | FI(?x) WHERE { ?x {type: "A"} }
     | ^^
  hint: use FIND
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "FIND",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected `(`
   1 | FIND
     |     ^
  hint: write FIND(?x) WHERE { ?x {type: "..."} }\
"""),
    ),
    (
        'FIND ?x, ?y WHERE { ?x (?y, "p", ?z) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the columns of FIND stand in parentheses
   1 | FIND ?x, ?y WHERE { ?x (?y, "p", ?z) }
     |      ^^^^^^
  hint: use FIND(?x, ?y)
  mended: FIND (?x, ?y) WHERE { ?x (?y, "p", ?z) }\
"""),
    ),
    (
        'FIND COUNT(?x) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the columns of FIND stand in parentheses
   1 | FIND COUNT(?x) WHERE { ?x {type: "A"} }
     |      ^^^^^^^^^
  hint: use FIND(COUNT(?x))
  mended: FIND (COUNT(?x)) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(*) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: `*` is not a column: FIND names its variables
   1 | FIND(*) WHERE { ?x {type: "A"} }
     |      ^
  hint: use ?x
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND * WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: `*` is not a column: FIND names its variables
   1 | FIND * WHERE { ?x {type: "A"} }
     |      ^
  hint: use (?x)
  mended: FIND (?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(COUNT ?x AS ?n) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: what COUNT counts or gathers stands in parentheses
   1 | FIND(COUNT ?x AS ?n) WHERE { ?x {type: "A"} }
     |            ^^
  hint: use COUNT(?x)
  mended: FIND(COUNT (?x) AS ?n) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x AS ?y) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: only an aggregate is given a name of its own
   1 | FIND(?x AS ?y) WHERE { ?x {type: "A"} }
     |         ^^^^^
  hint: remove AS ?y
  mended: FIND(?x ) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } SORT BY ?x',
        snapshot("""\
KIP_1001 InvalidSyntax: found `SORT`, which is written `ORDER`
   1 | FIND(?x) WHERE { ?x {type: "A"} } SORT BY ?x
     |                                   ^^^^
  hint: use ORDER
  mended: FIND(?x) WHERE { ?x {type: "A"} } ORDER BY ?x\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } GROUP BY ?x',
        snapshot("""\
KIP_1001 InvalidSyntax: there is no GROUP BY
   1 | FIND(?x) WHERE { ?x {type: "A"} } GROUP BY ?x
     |                                   ^^^^^^^^
  hint: remove GROUP BY: an aggregate is grouped by the plain columns of FIND
  mended: FIND(?x) WHERE { ?x {type: "A"} } \
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } FILTER(?x == 1)',
        snapshot("""\
KIP_1001 InvalidSyntax: found `FILTER`, expected ORDER, LIMIT, OFFSET, CURSOR, another statement or the end of the text
   1 | FIND(?x) WHERE { ?x {type: "A"} } FILTER(?x == 1)
     |                                   ^^^^^^
  hint: move FILTER into the braces of WHERE
  mended: FIND(?x) WHERE { ?x {type: "A"} FILTER(?x == 1) }\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), STATEMENTS, ids=[text for text, _ in STATEMENTS])
def test_a_statement_is_told_its_form(refusal, text, shown):
    assert refusal(text) == shown


CLAUSES = [
    (
        'FIND(?x) WHERE ?x {type: "A"} ATTR(?x, "n", ?n) LIMIT 5',
        snapshot("""\
KIP_1001 InvalidSyntax: WHERE takes a block in braces
   1 | FIND(?x) WHERE ?x {type: "A"} ATTR(?x, "n", ?n) LIMIT 5
     |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: use WHERE { ?x {type: "A"} ATTR(?x, "n", ?n) }
  mended: FIND(?x) WHERE { ?x {type: "A"} ATTR(?x, "n", ?n) } LIMIT 5\
"""),
    ),
    (
        'FIND(?x) WHERE ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: WHERE takes a block in braces
   1 | FIND(?x) WHERE ?x {type: "A"} }
     |                ^^^^^^^^^^^^^^
  hint: add `{` after WHERE
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { OPTIONAL ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: OPTIONAL takes a block in braces
   1 | FIND(?x) WHERE { OPTIONAL ?x {type: "A"} }
     |                           ^^^^^^^^^^^^^^
  hint: use OPTIONAL { ?x {type: "A"} }
  mended: FIND(?x) WHERE { OPTIONAL { ?x {type: "A"} } }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER ?x == 1 && ?y > 2 }",
        snapshot("""\
KIP_1001 InvalidSyntax: the condition of FILTER stands in parentheses
   1 | FIND(?x) WHERE { FILTER ?x == 1 && ?y > 2 }
     |                         ^^^^^^^^^^^^^^^^^
  hint: use FILTER(?x == 1 && ?y > 2)
  mended: FIND(?x) WHERE { FILTER (?x == 1 && ?y > 2) }\
"""),
    ),
    (
        'FIND(?x) WHERE { FILTER CONTAINS(?x, "a") }',
        snapshot("""\
KIP_1001 InvalidSyntax: the condition of FILTER stands in parentheses
   1 | FIND(?x) WHERE { FILTER CONTAINS(?x, "a") }
     |                         ^^^^^^^^^^^^^^^^^
  hint: use FILTER(CONTAINS(?x, "a"))
  mended: FIND(?x) WHERE { FILTER (CONTAINS(?x, "a")) }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTER }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `}`, expected `(`
   1 | FIND(?x) WHERE { FILTER }
     |                         ^
  hint: write FILTER(?value == "...")\
"""),
    ),
    (
        'FIND(?x) WHERE { ATTR ?x "a" ?b }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `?x`, expected `(`
   1 | FIND(?x) WHERE { ATTR ?x "a" ?b }
     |                       ^^
  hint: write ATTR(?x, "key", ?value)\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {"Drug"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: a concept pattern says what "Drug" is: a type, a name or an id
   1 | FIND(?x) WHERE { ?x {"Drug"} }
     |                      ^^^^^^
  hint: use {type: "Drug"}
  mended: FIND(?x) WHERE { ?x {type: "Drug"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type "Drug"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `"Drug"`, expected `:`
   1 | FIND(?x) WHERE { ?x {type "Drug"} }
     |                           ^^^^^^
  hint: add `:`
  mended: FIND(?x) WHERE { ?x {type: "Drug"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "Drug"}; }',
        snapshot("""\
KIP_1001 InvalidSyntax: this `;` separates nothing, expected a variable, a pattern, ATTR, META, FILTER, NOT, OPTIONAL, UNION or `}`
   1 | FIND(?x) WHERE { ?x {type: "Drug"}; }
     |                                   ^
  hint: remove `;`
  mended: FIND(?x) WHERE { ?x {type: "Drug"} }\
"""),
    ),
    (
        'FIND(?x), WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: this `,` separates nothing, expected WHERE
   1 | FIND(?x), WHERE { ?x {type: "A"} }
     |         ^
  hint: remove `,`
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?d，?e) WHERE { ?d (?e, "p", ?f) }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `，`, which is written `,`
   1 | FIND(?d，?e) WHERE { ?d (?e, "p", ?f) }
     |        ^
  hint: use ,
  mended: FIND(?d,?e) WHERE { ?d (?e, "p", ?f) }\
"""),
    ),
    (
        'FIND(?d) WHERE { ?d {type："A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `：`, which is written `:`
   1 | FIND(?d) WHERE { ?d {type："A"} }
     |                          ^
  hint: use :
  mended: FIND(?d) WHERE { ?d {type:"A"} }\
"""),
    ),
    (
        '```kip\nFIND(?x) WHERE { ?x {type: "A"} }\n```',
        snapshot("""\
KIP_1001 InvalidSyntax: a code fence stands around the text
   1 | ```kip
     | ^^^
  hint: remove the code fence
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "```DESCRIBE PRIMER```",
        snapshot("""\
KIP_1001 InvalidSyntax: a code fence stands around the text
   1 | ```DESCRIBE PRIMER```
     | ^^^
  hint: remove the code fence
  mended: DESCRIBE PRIMER\
"""),
    ),
    (
        "Here it is:\n```\nDESCRIBE PRIMER\n```",
        snapshot("""\
KIP_1001 InvalidSyntax: a code fence stands around the text
   2 | ```
     | ^^^
  hint: remove the code fence
  mended: DESCRIBE PRIMER\
"""),
    ),
    (
        "DESCRIBE PRIMER\n```",
        snapshot("""\
KIP_1001 InvalidSyntax: a code fence ends the text
   2 | ```
     | ^^^
  hint: remove the code fence
  mended: DESCRIBE PRIMER
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), CLAUSES, ids=[text for text, _ in CLAUSES])
def test_a_clause_is_told_its_form(refusal, text, shown):
    assert refusal(text) == shown


MUTATIONS = [
    (
        "UPSERT",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected `{`
   1 | UPSERT
     |       ^
  hint: write UPSERT { CONCEPT @x { {type: "...", name: "..."} } }\
"""),
    ),
    (
        'UPSERT CONCEPT @a { {type: "A", name: "a"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the blocks of UPSERT stand in braces
   1 | UPSERT CONCEPT @a { {type: "A", name: "a"} }
     |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: use UPSERT { CONCEPT @a { {type: "A", name: "a"} } }
  mended: UPSERT { CONCEPT @a { {type: "A", name: "a"} } }\
"""),
    ),
    (
        "UPSERT { CONCEPT @x { $c } }",
        snapshot("""\
KIP_1001 InvalidSyntax: a CONCEPT block begins with a pattern in braces of its own
   1 | UPSERT { CONCEPT @x { $c } }
     |                       ^^
  hint: write CONCEPT @handle { {type: "...", name: "..."} ... }\
"""),
    ),
    (
        'UPSERT { CONCEPT @x { (@a, "p", @b) } }',
        snapshot("""\
KIP_1001 InvalidSyntax: a CONCEPT block begins with a pattern in braces, not with a link
   1 | UPSERT { CONCEPT @x { (@a, "p", @b) } }
     |          ^^^^^^^
  hint: use PROPOSITION
  mended: UPSERT { PROPOSITION @x { (@a, "p", @b) } }\
"""),
    ),
    (
        'UPSERT { PROPOSITION @x { {type: "A", name: "a"} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: a PROPOSITION block begins with a link in parentheses, not with a pattern
   1 | UPSERT { PROPOSITION @x { {type: "A", name: "a"} } }
     |          ^^^^^^^^^^^
  hint: use CONCEPT
  mended: UPSERT { CONCEPT @x { {type: "A", name: "a"} } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "A", name: "a"} ATTRIBUTES {a: 1} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `ATTRIBUTES`, expected SET or `}`
   1 | UPSERT { CONCEPT @a { {type: "A", name: "a"} ATTRIBUTES {a: 1} } }
     |                                              ^^^^^^^^^^
  hint: add SET
  mended: UPSERT { CONCEPT @a { {type: "A", name: "a"} SET ATTRIBUTES {a: 1} } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "A", name: "a"} {a: 1} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `{`, expected SET
   1 | UPSERT { CONCEPT @a { {type: "A", name: "a"} {a: 1} } }
     |                                              ^
  hint: add SET ATTRIBUTES
  mended: UPSERT { CONCEPT @a { {type: "A", name: "a"} SET ATTRIBUTES {a: 1} } }\
"""),
    ),
    (
        "UPSERT { } WITH {a: 1}",
        snapshot("""\
KIP_1001 InvalidSyntax: found `{`, expected METADATA
   1 | UPSERT { } WITH {a: 1}
     |                 ^
  hint: add METADATA
  mended: UPSERT { } WITH METADATA {a: 1}\
"""),
    ),
    (
        "DELETE",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected ATTRIBUTES, METADATA, PROPOSITIONS or CONCEPT
   1 | DELETE
     |       ^
  hint: write DELETE CONCEPT {type: "...", name: "..."} DETACH\
"""),
    ),
    (
        'DELETE CONCEPT "x" DETACH',
        snapshot("""\
KIP_1001 InvalidSyntax: the value "x" stands where an element of the graph is expected
   1 | DELETE CONCEPT "x" DETACH
     |                ^^^
  hint: use {name: "x"}
  mended: DELETE CONCEPT {name: "x"} DETACH\
"""),
    ),
    (
        'DELETE {type: "A", name: "x"} DETACH',
        snapshot("""\
KIP_1001 InvalidSyntax: found `{`, expected ATTRIBUTES, METADATA, PROPOSITIONS or CONCEPT
   1 | DELETE {type: "A", name: "x"} DETACH
     |        ^
  hint: add CONCEPT
  mended: DELETE CONCEPT {type: "A", name: "x"} DETACH\
"""),
    ),
    (
        'DELETE (?x, "p", ?y)',
        snapshot("""\
KIP_1001 InvalidSyntax: found `(`, expected ATTRIBUTES, METADATA, PROPOSITIONS or CONCEPT
   1 | DELETE (?x, "p", ?y)
     |        ^
  hint: use PROPOSITIONS WHERE { (?x, "p", ?y) }
  mended: DELETE PROPOSITIONS WHERE { (?x, "p", ?y) }\
"""),
    ),
    (
        'DELETE ATTRIBUTES "a" FROM ?x WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keys stand in braces
   1 | DELETE ATTRIBUTES "a" FROM ?x WHERE { ?x {type: "A"} }
     |                   ^^^
  hint: use DELETE ATTRIBUTES { "a" }
  mended: DELETE ATTRIBUTES { "a" } FROM ?x WHERE { ?x {type: "A"} }\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), MUTATIONS, ids=[text for text, _ in MUTATIONS])
def test_a_change_is_told_its_form(refusal, text, shown):
    assert refusal(text) == shown
