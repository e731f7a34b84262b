"""What is said about bad texts: keywords and missing parts, as a person sees it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

KEYWORDS = [
    (
        'find(?x) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword FIND is written in upper case, found `find`
   1 | find(?x) WHERE { ?x {type: "A"} }
     | ^^^^
  hint: use FIND
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) where { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword WHERE is written in upper case, found `where`
   1 | FIND(?x) where { ?x {type: "A"} }
     |          ^^^^^
  hint: use WHERE
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } limit 5',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword LIMIT is written in upper case, found `limit`
   1 | FIND(?x) WHERE { ?x {type: "A"} } limit 5
     |                                   ^^^^^
  hint: use LIMIT
  mended: FIND(?x) WHERE { ?x {type: "A"} } LIMIT 5\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } order by ?x',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword ORDER is written in upper case, found `order`
   1 | FIND(?x) WHERE { ?x {type: "A"} } order by ?x
     |                                   ^^^^^
  hint: use ORDER
  mended: FIND(?x) WHERE { ?x {type: "A"} } ORDER by ?x\
"""),
    ),
    (
        'FIND(COUNT(distinct ?x)) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword DISTINCT is written in upper case, found `distinct`
   1 | FIND(COUNT(distinct ?x)) WHERE { ?x {type: "A"} }
     |            ^^^^^^^^
  hint: use DISTINCT
  mended: FIND(COUNT(DISTINCT ?x)) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(COUNT(?x) as ?n) WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword AS is written in upper case, found `as`
   1 | FIND(COUNT(?x) as ?n) WHERE { ?x {type: "A"} }
     |                ^^
  hint: use AS
  mended: FIND(COUNT(?x) AS ?n) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { FILTER(contains(?x, "a")) }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword CONTAINS is written in upper case, found `contains`
   1 | FIND(?x) WHERE { FILTER(contains(?x, "a")) }
     |                         ^^^^^^^^
  hint: use CONTAINS
  mended: FIND(?x) WHERE { FILTER(CONTAINS(?x, "a")) }\
"""),
    ),
    (
        'UPSERT { concept @a { {type: "T", name: "A"} } }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword CONCEPT is written in upper case, found `concept`
   1 | UPSERT { concept @a { {type: "T", name: "A"} } }
     |          ^^^^^^^
  hint: use CONCEPT
  mended: UPSERT { CONCEPT @a { {type: "T", name: "A"} } }\
"""),
    ),
    (
        'DELETE CONCEPT {type: "T", name: "A"} detach',
        snapshot("""\
KIP_1001 InvalidSyntax: the keyword DETACH is written in upper case, found `detach`
   1 | DELETE CONCEPT {type: "T", name: "A"} detach
     |                                       ^^^^^^
  hint: use DETACH
  mended: DELETE CONCEPT {type: "T", name: "A"} DETACH\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), KEYWORDS, ids=[text for text, _ in KEYWORDS])
def test_keywords_are_upper_case(refusal, text, shown):
    assert refusal(text) == shown


MISSING_PARTS = [
    (
        "FIND(?x)",
        snapshot("""\
KIP_1001 InvalidSyntax: FIND has no WHERE block
   1 | FIND(?x)
     |         ^
  hint: add WHERE { ... }\
"""),
    ),
    (
        'FIND(?x) { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the block of FIND has no WHERE before it
   1 | FIND(?x) { ?x {type: "A"} }
     |          ^
  hint: add WHERE
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "FIND(?x) LIMIT 5",
        snapshot("""\
KIP_1001 InvalidSyntax: FIND has no WHERE block
   1 | FIND(?x) LIMIT 5
     |          ^^^^^
  hint: add WHERE { ... }\
"""),
    ),
    (
        'FIND() WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: FIND names no column
   1 | FIND() WHERE { ?x {type: "A"} }
     |      ^
  hint: use ?x
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        'FIND(?x) WHERE { (?x, "treats") }',
        snapshot("""\
KIP_1001 InvalidSyntax: this link ends after the predicate
   1 | FIND(?x) WHERE { (?x, "treats") }
     |                               ^
  hint: write all three: (?subject, "predicate", ?object)\
"""),
    ),
    (
        "FIND(?x) WHERE { ?x }",
        snapshot("""\
KIP_1001 InvalidSyntax: found `}`, expected `{` or `(`
   1 | FIND(?x) WHERE { ?x }
     |                     ^
  hint: write ?x {type: "..."} or ?x (?a, "...", ?b)\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } LIMIT',
        snapshot("""\
KIP_1001 InvalidSyntax: LIMIT takes a whole number, zero or more
   1 | FIND(?x) WHERE { ?x {type: "A"} } LIMIT
     |                                        ^
  hint: use LIMIT 10\
"""),
    ),
    (
        'FIND(?x) WHERE { ?x {type: "A"} } ORDER ?x',
        snapshot("""\
KIP_1001 InvalidSyntax: found `?x`, expected BY
   1 | FIND(?x) WHERE { ?x {type: "A"} } ORDER ?x
     |                                         ^^
  hint: add BY
  mended: FIND(?x) WHERE { ?x {type: "A"} } ORDER BY ?x\
"""),
    ),
    (
        'DELETE CONCEPT {type: "T", name: "A"}',
        snapshot("""\
KIP_1001 InvalidSyntax: DELETE CONCEPT has no DETACH, which confirms that its links go too
   1 | DELETE CONCEPT {type: "T", name: "A"}
     |                                      ^
  hint: add DETACH
  mended: DELETE CONCEPT {type: "T", name: "A"} DETACH\
"""),
    ),
    (
        'DELETE ATTRIBUTES { } WHERE { {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: DELETE ATTRIBUTES names no key
   1 | DELETE ATTRIBUTES { } WHERE { {type: "A"} }
     |                   ^^^
  hint: write {"key"}\
"""),
    ),
    (
        'DELETE ATTRIBUTES { "a" }',
        snapshot("""\
KIP_1001 InvalidSyntax: DELETE ATTRIBUTES has no WHERE block
   1 | DELETE ATTRIBUTES { "a" }
     |                          ^
  hint: add WHERE { ... }\
"""),
    ),
    (
        "DESCRIBE",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected PRIMER, DOMAINS, CONCEPT or PROPOSITION
   1 | DESCRIBE
     |         ^
  hint: add PRIMER
  mended: DESCRIBE PRIMER\
"""),
    ),
    (
        'DESCRIBE CONCEPT "Drug"',
        snapshot("""\
KIP_1001 InvalidSyntax: found `"Drug"`, expected TYPE or TYPES
   1 | DESCRIBE CONCEPT "Drug"
     |                  ^^^^^^
  hint: add TYPE
  mended: DESCRIBE CONCEPT TYPE "Drug"\
"""),
    ),
    (
        "SEARCH",
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected a string, CONCEPT or PROPOSITION
   1 | SEARCH
     |       ^
  hint: write SEARCH "words"\
"""),
    ),
    (
        'SEARCH CONCEPT "aspirin" WITH TYPE',
        snapshot("""\
KIP_1001 InvalidSyntax: the text ends, expected a string
   1 | SEARCH CONCEPT "aspirin" WITH TYPE
     |                                   ^
  hint: write SEARCH "words" WITH TYPE "..."\
"""),
    ),
    (
        "EXPLAIN UPSERT {}",
        snapshot("""\
KIP_1001 InvalidSyntax: found `UPSERT`, expected FIND, SEARCH or DESCRIBE
   1 | EXPLAIN UPSERT {}
     |         ^^^^^^
  hint: write EXPLAIN FIND(?x) WHERE { ?x {type: "..."} }\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), MISSING_PARTS, ids=[text for text, _ in MISSING_PARTS])
def test_a_missing_part_is_named(refusal, text, shown):
    assert refusal(text) == shown


STATEMENTS = [
    (
        'SELECT ?x WHERE { ?x {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: there is no statement SELECT, expected FIND, UPSERT, UPDATE, MERGE, DELETE, DESCRIBE, SEARCH, EXPORT or EXPLAIN
   1 | SELECT ?x WHERE { ?x {type: "A"} }
     | ^^^^^^
  hint: use FIND(?x)
  mended: FIND(?x) WHERE { ?x {type: "A"} }\
"""),
    ),
    (
        "UPDATE ?x SET ATTRIBUTES {a: 1}",
        snapshot("""\
KIP_1001 InvalidSyntax: UPDATE has no WHERE block
   1 | UPDATE ?x SET ATTRIBUTES {a: 1}
     |                                ^
  hint: add WHERE { ... }\
"""),
    ),
    (
        "DELETE CONCEPT ?x DETACH",
        snapshot("""\
KIP_1001 InvalidSyntax: DELETE CONCEPT has no WHERE block
   1 | DELETE CONCEPT ?x DETACH
     |                         ^
  hint: add WHERE { ... }\
"""),
    ),
    (
        'DELETE ATTRIBUTES ["a"] WHERE { {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: the keys stand in braces, found `[`
   1 | DELETE ATTRIBUTES ["a"] WHERE { {type: "A"} }
     |                   ^
  hint: write {"key", "key"}\
"""),
    ),
    (
        'DELETE LINKS WHERE { {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `LINKS`, expected ATTRIBUTES, METADATA, PROPOSITIONS or CONCEPT
   1 | DELETE LINKS WHERE { {type: "A"} }
     |        ^^^^^
  hint: write DELETE CONCEPT {type: "...", name: "..."} DETACH\
"""),
    ),
    (
        'DELETE PROPOSITION WHERE { {type: "A"} }',
        snapshot("""\
KIP_1001 InvalidSyntax: found `PROPOSITION`, expected ATTRIBUTES, METADATA, PROPOSITIONS or CONCEPT
   1 | DELETE PROPOSITION WHERE { {type: "A"} }
     |        ^^^^^^^^^^^
  hint: use PROPOSITIONS
  mended: DELETE PROPOSITIONS WHERE { {type: "A"} }\
"""),
    ),
    (
        "DESCRIBE TYPES",
        snapshot("""\
KIP_1001 InvalidSyntax: there is no DESCRIBE TYPES
   1 | DESCRIBE TYPES
     |          ^^^^^
  hint: use CONCEPT TYPES
  mended: DESCRIBE CONCEPT TYPES\
"""),
    ),
    (
        'SEARCH CONCEPTS "aspirin"',
        snapshot("""\
KIP_1001 InvalidSyntax: found `CONCEPTS`, expected a string, CONCEPT or PROPOSITION
   1 | SEARCH CONCEPTS "aspirin"
     |        ^^^^^^^^
  hint: use CONCEPT
  mended: SEARCH CONCEPT "aspirin"\
"""),
    ),
    (
        'SEARCH CONCEPT "aspirin" LIMIT ten',
        snapshot("""\
KIP_1001 InvalidSyntax: LIMIT takes a whole number, zero or more, not `ten`
   1 | SEARCH CONCEPT "aspirin" LIMIT ten
     |                                ^^^
  hint: use $ten
  mended: SEARCH CONCEPT "aspirin" LIMIT $ten\
"""),
    ),
]


@pytest.mark.parametrize(("text", "shown"), STATEMENTS, ids=[text for text, _ in STATEMENTS])
def test_a_statement_that_is_not_the_language_is_refused(refusal, text, shown):
    assert refusal(text) == shown
