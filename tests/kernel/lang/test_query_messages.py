"""What is said about bad texts: queries, as a person sees it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

QUERIES = [
    (
        'FIND(?d) WHERE { (?d.attributes.name, "p", ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: a field of ?d is read only in FIND, FILTER, ORDER BY and UPDATE
   1 | FIND(?d) WHERE { (?d.attributes.name, "p", ?y) }
     |                     ^
  hint: use ?d alone, or a variable that ATTR or META binds
  mended: FIND(?d) WHERE { (?d, "p", ?y) }\
"""),
    ),
    (
        'FIND(CUONT(?x)) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: FIND has no function CUONT
   1 | FIND(CUONT(?x)) WHERE { ?x {type: "A"} }
     |      ^^^^^
  hint: use COUNT
  mended: FIND(COUNT(?x)) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(count(?x)) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword COUNT is written in upper case, found `count`
   1 | FIND(count(?x)) WHERE { ?x {type: "A"} }
     |      ^^^^^
  hint: use COUNT
  mended: FIND(COUNT(?x)) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(COUNT(*)) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: `*` is not a variable
   1 | FIND(COUNT(*)) WHERE { ?x {type: "A"} }
     |            ^
  hint: name the variable to count: COUNT(?x)
  mended: FIND(COUNT(?x)) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(COUNT(?x) ?n) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `?n`, expected AS, `,` or `)`
   1 | FIND(COUNT(?x) ?n) WHERE { ?x {type: "A"} }
     |                ^^
  hint: use AS ?n
  mended: FIND(COUNT(?x) AS ?n) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A" }',
        snapshot("""\
KIP_1001 InvalidSyntax: this `{` is never closed: the text ends, expected a variable, a pattern, ATTR, META, FILTER, NOT, OPTIONAL, UNION or `}`
   1 | FIND(?x) WHERE { ?x {type: "A" }
     |                ^
  hint: add `}`
  mended: FIND(?x) WHERE { ?x {type: "A" }}\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {typ: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: a concept pattern has no key typ: only type, name and id
   1 | FIND(?x) WHERE { ?x {typ: "A"} }
     |                      ^^^
  hint: use type
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {risk_level: 2} }",
        snapshot("""\
KIP_1001 InvalidSyntax: a concept pattern has no key risk_level: only type, name and id
   1 | FIND(?x) WHERE { ?x {risk_level: 2} }
     |                      ^^^^^^^^^^
  hint: read it with ATTR(?x, "risk_level", ?value)\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {type: ?t} }",
        snapshot("""\
KIP_1001 InvalidSyntax: the variable ?t stands where the text of type is expected
   1 | FIND(?x) WHERE { ?x {type: ?t} }
     |                            ^^
  hint: read it with ATTR(?x, "type", ?t)\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x {} }",
        snapshot("""\
KIP_1001 InvalidSyntax: a concept pattern is empty
   1 | FIND(?x) WHERE { ?x {} }
     |                     ^^
  hint: give a type, a name or an id\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A", type: "B"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: type is given twice
   1 | FIND(?x) WHERE { ?x {type: "A", type: "B"} }
     |                                 ^^^^
  hint: keep one type\
"""),
    ),
    (
        'FIND(?x) WHERE { NOT (?x, "p", ?y) }',
        snapshot("""\
KIP_1001 InvalidSyntax: NOT takes a block in braces
   1 | FIND(?x) WHERE { NOT (?x, "p", ?y) }
     |                      ^^^^^^^^^^^^^
  hint: use NOT { (?x, "p", ?y) }
  mended: FIND(?x) WHERE { NOT { (?x, "p", ?y) } }\
"""),
    ),
    (
        "FIND(?x) WHERE { FILTRE(?x == 1) }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `FILTRE`, expected a variable, a pattern, ATTR, META, FILTER, NOT, OPTIONAL, UNION or `}`
   1 | FIND(?x) WHERE { FILTRE(?x == 1) }
     |                  ^^^^^^
  hint: use FILTER
  mended: FIND(?x) WHERE { FILTER(?x == 1) }\
"""),
    ),
    (
        'FIND(?x) WHERE { attr(?x, "n", ?n) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword ATTR is written in upper case, found `attr`
   1 | FIND(?x) WHERE { attr(?x, "n", ?n) }
     |                  ^^^^
  hint: use ATTR
  mended: FIND(?x) WHERE { ATTR(?x, "n", ?n) }\
"""),
    ),
    (
        'FIND(?x) WHERE { ATTR(?x, "name", "Aspirin") }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `"Aspirin"`, expected a variable
   1 | FIND(?x) WHERE { ATTR(?x, "name", "Aspirin") }
     |                                   ^^^^^^^^^
  hint: ATTR binds a variable: compare it in FILTER(?value == ...)\
"""),
    ),
    (
        'FIND(?x) WHERE { ?1x {type: "A"} }',
        snapshot("""\
KIP_1002 InvalidIdentifier: `?` has no name after it
   1 | FIND(?x) WHERE { ?1x {type: "A"} }
     |                  ^
  hint: write `?` and a name that begins with a letter or `_`, without a space\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } LIMIT -1',
        snapshot("""\
KIP_1001 InvalidSyntax: LIMIT takes a whole number, zero or more, not `-1`
   1 | FIND(?x) WHERE { ?x {type: "A"} } LIMIT -1
     |                                         ^^
  hint: use LIMIT 10\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } LIMIT 1.5',
        snapshot("""\
KIP_1001 InvalidSyntax: LIMIT takes a whole number, zero or more, not `1.5`
   1 | FIND(?x) WHERE { ?x {type: "A"} } LIMIT 1.5
     |                                         ^^^
  hint: use LIMIT 10\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } LIMIT 1 LIMIT 2',
        snapshot("""\
KIP_1001 InvalidSyntax: LIMIT is given twice
   1 | FIND(?x) WHERE { ?x {type: "A"} } LIMIT 1 LIMIT 2
     |                                           ^^^^^
  hint: keep one LIMIT\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } ORDER BY name',
        snapshot("""\
KIP_1001 InvalidSyntax: found `name`, expected a variable, COUNT, COLLECT, SUM, AVG, MIN or MAX
   1 | FIND(?x) WHERE { ?x {type: "A"} } ORDER BY name
     |                                            ^^^^
  hint: use ?name
  mended: FIND(?x) WHERE { ?x {type: "A"} } ORDER BY ?name\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } # comment',
        snapshot("""\
KIP_1001 InvalidSyntax: `#` does not begin a comment
   1 | FIND(?x) WHERE { ?x {type: "A"} } # comment
     |                                   ^
  hint: begin the comment with `//`\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), QUERIES, ids=[text for text, _ in QUERIES])
def test_a_query_is_told_its_form(refusal, text, shown):
    assert refusal(text) == shown
