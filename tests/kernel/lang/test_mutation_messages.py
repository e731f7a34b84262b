"""What is said about bad texts: written links and blocks, as a person sees it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

BLOCKS = [
    (
        'UPSERT { CONCEPT @a { type: "T", name: "A" } }',
        snapshot("""\
KIP_1001 InvalidSyntax: a CONCEPT block begins with a pattern in braces of its own
   1 | UPSERT { CONCEPT @a { type: "T", name: "A" } }
     |                       ^^^^
  hint: write CONCEPT @handle { {type: "...", name: "..."} ... }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTE {a: 1} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `ATTRIBUTE`, expected ATTRIBUTES or PROPOSITIONS
   1 | UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTE {a: 1} } }
     |                                                  ^^^^^^^^^
  hint: use ATTRIBUTES
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: 1} } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES [1] } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `[`, expected `{` or a placeholder
   1 | PSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES [1] } }
     |                                                            ^
  hint: write SET ATTRIBUTES {key: "value"}\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: ?x} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the variable ?x stands where a value is expected
   1 | T { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a: ?x} } }
     |                                                            ^^
  hint: write the value itself, or a placeholder `$x`\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a = 1} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `=`, which is written `:`
   1 | RT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a = 1} } }
     |                                                            ^
  hint: use :
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {a : 1} } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {} SET ATTRIBUTES {} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: SET ATTRIBUTES is given twice
   1 |  CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES {} SET ATTRIBUTES {} } }
     |                                                            ^^^^^^^^^^
  hint: keep one SET ATTRIBUTES\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} WITH METADATA {a: 1} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: WITH METADATA stands inside its block
   1 | UPSERT { CONCEPT @a { {type: "T", name: "A"} WITH METADATA {a: 1} } }
     |                                              ^^^^^^^^^^^^^^^^^^^^
  hint: move it after the closing `}`
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} } WITH METADATA {a: 1} }\
"""),
    ),
    (
        'UPSERT { CONCEPT a { {type: "T", name: "A"} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `a`, expected a handle or `{`
   1 | UPSERT { CONCEPT a { {type: "T", name: "A"} } }
     |                  ^
  hint: use @a
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} } }\
"""),
    ),
    (
        'UPSERT { {type: "T", name: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `{`, expected CONCEPT, PROPOSITION, WITH or `}`
   1 | UPSERT { {type: "T", name: "A"} }
     |          ^
  hint: write CONCEPT @handle { {...\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { (@a, "p", @b) } } }',
        snapshot("""\
KIP_1001 InvalidSyntax: an item of SET PROPOSITIONS has no subject: that is the concept of the block
   1 |  { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { (@a, "p", @b) } } }
     |                                                            ^^
  hint: write only ("predicate", target)
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", @b) } } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p|q", @b) } } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the predicate "p|q" holds a path operator: one of { } |
   1 |  { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p|q", @b) } } }
     |                                                            ^^^^^
  hint: write one plain predicate for each link\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p"{2}, @b) } } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the path operator `{` stands where a link is written, not matched
   1 | CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p"{2}, @b) } } }
     |                                                            ^
  hint: write one plain predicate for each link\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { (?p, @b) } } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the predicate ?p is a variable, but a link is written with a fixed one
   1 |  { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { (?p, @b) } } }
     |                                                            ^^
  hint: write the predicate as a string: "treats"\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", ?b {name: "x"}) } } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the handle b is given a pattern inside a link
   1 | NCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", ?b {name: "x"}) } } }
     |                                                            ^^^^^^^^^^^^^^
  hint: use {name: "x"} alone
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", {name: "x"}) } } }\
"""),
    ),
    (
        'UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", "B") } } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the value "B" stands where an element of the graph is expected
   1 | NCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", "B") } } }
     |                                                            ^^^
  hint: use {name: "B"}
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", {name: "B"}) } } }\
"""),
    ),
    (
        "UPSERT { } with metadata {}",
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword WITH is written in upper case, found `with`
   1 | UPSERT { } with metadata {}
     |            ^^^^
  hint: use WITH
  mended: UPSERT { } WITH metadata {}\
"""),
    ),
    (
        "UPSERT { } WITH METADAT {}",
        snapshot("""\
KIP_1001 InvalidSyntax: found `METADAT`, expected METADATA
   1 | UPSERT { } WITH METADAT {}
     |                 ^^^^^^^
  hint: use METADATA
  mended: UPSERT { } WITH METADATA {}\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), BLOCKS, ids=[text for text, _ in BLOCKS])
def test_a_written_link_or_block_is_told_its_form(refusal, text, shown):
    assert refusal(text) == shown
