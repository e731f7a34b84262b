"""Every shape of text that KIP 1.0-RC11 shows parses, and prints as a text of the same tree."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError
from recollect.kernel.lang import ast, literal, parse, print_text

# Parts of a WHERE block.
CLAUSES = {
    "concept by type": '// every book\n?book {type: "Book"}',
    "concept by key": '?emma {type: "Book", name: "Emma"}',
    "concept by id": '?it {id: "C:42"}',
    "link": '(?author, "wrote", ?book)',
    "link by id": '?fact (id: "P:42:wrote")',
    "link by the id of a placeholder": "?fact (id: :fact)",
    "nested link": '(?critic, "said", (?author, "wrote", ?book))',
    "nested link by id": '(?critic, "said", (id: "P:42:wrote"))',
    "zero and more hops": '(?part, "part_of"{0,5}, ?whole)',
    "open path": '(?part, "part_of"{1,}, ?whole)',
    "exact path": '(?part, "part_of"{5}, ?whole)',
    "alternatives": '(?a, "wrote" | "edited" | "translated", ?b)',
    "any predicate": '?link ({type: "Book", name: "Emma"}, ?how, ?near)\nFILTER(?how != "shelved_in")',
    "filter": 'FILTER(?book.attributes.pages < 300 && CONTAINS(?book.name, "Emm"))',
    "membership": 'FILTER(IN(?book.attributes.genre, ["Novel", "Essay"]))',
    "presence": "FILTER(IS_NOT_NULL(?book.metadata.expires_at))",
    "time": 'FILTER(?book.attributes.printed > "1816-01-01T00:00:00Z")',
    "either": "FILTER(IS_NULL(?b.metadata.expires_at) || ?b.metadata.expires_at > :now)",
    "own version": "FILTER(?book.metadata._version > 1)",
    "not": 'NOT {\n  ?shelf {name: "Poetry"}\n  (?book, "shelved_in", ?shelf)\n}',
    "short not": 'NOT {\n  (?book, "shelved_in", {name: "Poetry"})\n}',
    "optional": '?book {type: "Book"}\n\nOPTIONAL {\n  (?book, "reviewed_in", ?review)\n}',
    "union": '(?b, "wrote", {name: "Emma"})\n\nUNION {\n  (?b, "wrote", {name: "Persuasion"})\n}',
}

STATEMENTS = {
    "find fields": """
        // names and pages
        FIND(?book.name, ?book.attributes.pages)
        WHERE {
          ?book {type: "Book"}
        }""",
    "find all metadata": 'FIND(?link.metadata) WHERE { ?link (?a, "wrote", ?b) }',
    "find all attributes": 'FIND(?self.attributes) WHERE { ?self {type: "Person", name: "$self"} }',
    "find over lines": """
        FIND(
          ?book.name,
          ?book.attributes.pages,
        )
        WHERE {
          ?book {type: "Book"}
          NOT {
            (?book, "shelved_in", {name: "Poetry"})
          }

          FILTER(?book.attributes.pages < 400)
        }
        ORDER BY ?book.attributes.pages ASC
        LIMIT 20""",
    "optional field": """
        FIND(?book.name, ?review.name, ?link.metadata.source)
        WHERE {
          (?book, "shelved_in", {name: "Novels"})
          OPTIONAL {
            ?link (?book, "reviewed_in", ?review)
          }
        }""",
    "link over lines": """
        FIND(?said.metadata.confidence)
        WHERE {
          ?fact (
            {type: "Author", name: "Jane Austen"},
            "wrote",
            {type: "Book", name: "Emma"}
          )
          // who said it
          ?said ({type: "Person", name: "Ada"}, "stated", ?fact)
        }""",
    "recall": """
        FIND(?how, ?near, ?link.metadata.confidence)
        WHERE {
          ?person {type: "Person", name: "Ada"}
          ?link (?person, ?how, ?near)
          FILTER(?how != "shelved_in")
        }
        ORDER BY ?link.metadata.confidence DESC, ?link.metadata.created_at DESC
        LIMIT 50""",
    "grouped": 'FIND(?d.name, COUNT(?n)) WHERE { (?n, "in", ?d) } ORDER BY COUNT(?n) ASC',
    "next page": 'FIND(?b) WHERE { ?b {type: "Book"} } LIMIT :limit CURSOR :cursor',
    "page of a token": 'FIND(?b) WHERE { ?b {type: "Book"} } LIMIT 5 CURSOR "b3Blbg"',
    "delete attributes": """
        DELETE ATTRIBUTES {"genre", "old_id"} FROM ?book
        WHERE {
          ?book {type: "Book", name: "Emma"}
        }""",
    "delete attributes of links": 'DELETE ATTRIBUTES { "kind" } FROM ?l WHERE { ?l (?a, "wrote", ?b) }',
    "delete metadata": 'DELETE METADATA {"source"} FROM ?b WHERE { ?b {type: "Book", name: "Emma"} }',
    "delete links": """
        DELETE PROPOSITIONS ?link
        WHERE {
          ?link (?a, "wrote", ?b)
          FILTER(?link.metadata.source == "gossip")
        }""",
    "delete concepts": """
        DELETE CONCEPT ?book DETACH
        WHERE {
          ?book {type: "Book", name: "Lost"}
        }""",
    "decay": """
        // once a cycle
        UPDATE ?link
        SET METADATA {
          confidence: CLAMP(MUL(?link.metadata.confidence, :factor), 0.0, 1.0),
          decayed_at: :now
        }
        WHERE {
          ?link (?a, ?how, ?b)
          FILTER(?how != "shelved_in")
          FILTER(IS_NULL(?link.metadata.superseded) || ?link.metadata.superseded != true)
          FILTER(?link.metadata.confidence > 0.3 && ?link.metadata.confidence < 1.0)
          // not twice
          FILTER(IS_NULL(?link.metadata.decayed_at) || ?link.metadata.decayed_at < :cycle)
        }
        LIMIT 500""",
    "reinforce": """
        UPDATE ?taste
        SET ATTRIBUTES {
          evidence_count: ADD(COALESCE(?taste.attributes.evidence_count, 0), 1),
          last_observed: :now
        }
        SET METADATA { observed_at: :now }
        WHERE {
          ?taste {type: "Preference", name: :name}
        }""",
    "merge": """
        // one book
        MERGE CONCEPT ?twin INTO ?book
        WHERE {
          ?twin {type: "Book", name: "Emma (novel)"}
          ?book {type: "Book", name: "Emma"}
        }""",
    "describe primer": "DESCRIBE PRIMER",
    "describe domains": "DESCRIBE DOMAINS",
    "describe types by page": 'DESCRIBE CONCEPT TYPES LIMIT 10 CURSOR "b3Blbg"',
    "describe predicates by page": "DESCRIBE PROPOSITION TYPES LIMIT :n CURSOR :cursor",
    "describe type": 'DESCRIBE CONCEPT TYPE "Book"',
    "describe predicate": 'DESCRIBE PROPOSITION TYPE "wrote"',
    "search": 'SEARCH CONCEPT "emma" LIMIT 5',
    "search in a type": 'SEARCH CONCEPT "Emma" WITH TYPE "Book"',
    "search links": 'SEARCH PROPOSITION "wrote" LIMIT 10',
    "search by meaning": 'SEARCH CONCEPT "matchmaking" MODE "semantic" THRESHOLD 0.75 LIMIT 10',
    "search both ways": 'SEARCH CONCEPT "爱玛" MODE "hybrid" LIMIT 10',
    "search by placeholders": (
        "SEARCH CONCEPT :term WITH TYPE :type MODE :mode THRESHOLD :threshold LIMIT :limit"
    ),
    "export": """
        // a shelf, whole
        EXPORT ?x
        WHERE {
          (?x, "shelved_in", {type: "Shelf", name: "Novels"})

          UNION {
            // both ends first
            (?a, "shelved_in", {type: "Shelf", name: "Novels"})
            (?b, "shelved_in", {type: "Shelf", name: "Novels"})
            ?x (?a, ?how, ?b)
          }

          UNION {
            ?x (?m, "shelved_in", {type: "Shelf", name: "Novels"})
          }
        }
        LIMIT 500""",
    "export by page": 'EXPORT ?x WHERE { ?x {type: "Book"} } LIMIT :n CURSOR :cursor',
    "conditional write": """
        UPSERT {
          CONCEPT ?self {
            {type: "Person", name: "$self"}
            EXPECT VERSION :version
            SET ATTRIBUTES { preferences: :merged }
          }
        }""",
    "create only": 'UPSERT { CONCEPT ?b { {type: "Book", name: "New"} EXPECT VERSION 0 } }',
    "every part of a capsule": """
        // Capsule: novels 1.0
        UPSERT {
          // the review comes first
          CONCEPT ?review {
            { type: "Review", name: "A review" }
            SET ATTRIBUTES {
              description: "It is brief, // and kind."
            }
            // no links of its own
          }

          CONCEPT ?book {
            { type: "Book", name: "Emma" }
            EXPECT VERSION 3
            SET ATTRIBUTES {
              isbn: "978",
              format: { "kind": "paperback", "pages": 474 },
              genres: ["novel", "satire",],
              "in print": true,
            }
            SET PROPOSITIONS {
              // a shelf that is there
              ("shelved_in", { type: "Shelf", name: "Novels" })
              ("reviewed_in", ?review) WITH METADATA { confidence: 0.9, }
              ("cited_by", (id: "P:7"))
              ("cited_by", (?review, "praises", { id: "C:9" }))
            }
          }
          WITH METADATA { memory_tier: "long-term" }

          PROPOSITION ?wrote {
            ({type: "Author", name: "Jane Austen"}, "wrote", ?book)
            EXPECT VERSION :v
            SET ATTRIBUTES { year: 1815 }
          }
          WITH METADATA { confidence: 1.0 }

          PROPOSITION {
            (id: "P:12")
            SET ATTRIBUTES { checked: true }
          }
        }
        WITH METADATA {
          // for all of it
          source: "Capsule:Novels_v1.0",
          author: "The library",
          confidence: 0.95
        }""",
}


def round_trip(text):
    tree = parse(text)
    assert parse(print_text(tree)) == tree
    return tree


@pytest.mark.parametrize("clause", CLAUSES.values(), ids=CLAUSES)
def test_every_clause_of_the_release_candidate_parses(clause):
    round_trip(f"FIND(?x) WHERE {{\n{clause}\n}}")


@pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
def test_every_statement_of_the_release_candidate_parses(text):
    round_trip(text)


def test_all_statements_make_one_text():
    tree = round_trip("\n".join(STATEMENTS.values()))
    assert len(tree.statements) == len(STATEMENTS)
    assert not tree.notices


def test_a_capsule_of_several_upserts_and_many_comments_parses():
    capsule = STATEMENTS["every part of a capsule"]
    types = "\n".join(
        f'UPSERT {{ // type {at}\n  CONCEPT ?t {{\n    {{type: "$ConceptType", name: "T{at}",}}\n'
        f'    SET ATTRIBUTES {{ description: "{"long " * 40}", instance_schema: '
        '{"pages": {type: "number", is_required: false,}}, }\n  },\n}\nWITH METADATA {\n'
        f'  source: "S{at}", // from there\n}};'
        for at in range(20)
    )
    tree = round_trip(f"{types}\n\n{capsule}\n// end")
    assert len(tree.statements) == 21
    assert not tree.notices


# Fields


def column(text):
    (found,) = parse(f'FIND({text}) WHERE {{ ?x {{type: "T"}} }}').statements
    return found.columns[0]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("?x.id", ("id",)),
        ("?x.subject", ("subject",)),
        ("?x.attributes", ("attributes",)),
        ("?x.attributes.risk", ("attributes", "risk")),
        ("?x.metadata._version", ("metadata", "_version")),
        ("?x.attributes.LIMIT", ("attributes", "LIMIT")),
        ("?x.attributes.name", ("attributes", "name")),
        ("?x.attributes.风险", ("attributes", "风险")),
        ('?x.attributes."half life"', ("attributes", "half life")),
        ("?x . attributes . risk", ("attributes", "risk")),
    ],
)
def test_a_field_is_a_path_of_one_or_two(text, path):
    assert column(text) == ast.Field(ast.Variable("x"), path)


def test_a_field_knows_its_place_and_its_name():
    text = 'FIND(?x.attributes.risk, SUM(?x.attributes.n)) WHERE { ?x {type: "T"} }'
    (find,) = parse(text).statements
    field, total = find.columns
    assert text[field.span.start : field.span.end] == "?x.attributes.risk"
    assert field.name == "x.attributes.risk"
    assert total.name == "sum_x.attributes.n"


WHERE = 'WHERE { ?x {type: "T"} }'


def refused(text):
    with pytest.raises(RecollectError) as error:
        parse(text)
    assert error.value.source == text
    assert error.value.hint
    return error.value


@pytest.mark.parametrize(
    "text",
    [
        f"FIND(?x) {WHERE[:-1]} FILTER(?x.attributes == 1) }}",
        f"FIND(?x) {WHERE[:-1]} FILTER(IS_NULL(?x.metadata)) }}",
        f"FIND(?x) {WHERE} ORDER BY ?x.attributes",
        f"UPDATE ?x SET METADATA {{a: ADD(?x.attributes, 1)}} {WHERE}",
    ],
)
def test_all_attributes_at_once_are_not_compared(text):
    error = refused(text)
    assert (error.code.code, "name one: ?x." in error.hint) == ("KIP_1001", True)


@pytest.mark.parametrize(
    ("written", "better", "nearest"),
    [
        ("?x.risk", "?x.attributes.risk", None),
        ("?x._version", "?x.metadata._version", None),
        ("?x.nam", "?x.name", "name"),
        ("?x.attribute.risk", "?x.attributes.risk", "attributes"),
        ("?x.attributes.a.b", "?x.attributes.a", None),
        ('?x.attributes.a.b."c d"', "?x.attributes.a", None),
        ("?x.name.length", "?x.name", None),
    ],
)
def test_a_path_that_leads_nowhere_is_mended(written, better, nearest):
    text = f"FIND(?x) WHERE {{ ?x {{type: $t}} FILTER({written} == 1) }}"
    error = refused(text)
    assert error.code.code == "KIP_1001"
    assert better in error.hint
    span = error.fix.span
    assert text[span.start : span.end] == written
    assert error.fix.text == better
    if nearest is not None:
        assert error.known[0] == nearest


@pytest.mark.parametrize("end", ["?x.", "?x.1", "?x.attributes.", "?x.attributes.2a", "?x..name"])
def test_a_dot_is_followed_by_a_field(end):
    assert refused(f"FIND({end}) {WHERE}").code.code in ("KIP_1001", "KIP_1002")


# What follows a statement


@pytest.mark.parametrize(
    "tail",
    ['LIMIT 5 CURSOR "c" OFFSET 2', 'CURSOR "c" OFFSET 2 LIMIT 5', 'OFFSET 2 LIMIT 5 CURSOR "c"'],
)
def test_the_parts_of_a_page_come_in_any_order(tail):
    (find,) = parse(f"FIND(?x) {WHERE} {tail}").statements
    assert (find.limit, find.offset, find.cursor) == (literal(5), literal(2), literal("c"))


@pytest.mark.parametrize("mode", ['"semantic"', "semantic"])
def test_the_mode_of_a_search_stands_with_quotes_or_without(mode):
    (search,) = parse(f'SEARCH "x" MODE {mode} THRESHOLD 1').statements
    assert (search.mode, search.threshold) == (literal("semantic"), literal(1))


@pytest.mark.parametrize(
    "tail",
    [
        'CURSOR "a" CURSOR "b"', "CURSOR 5", "CURSOR", 'MODE "fast"', "MODE semantics", "MODE 1", "MODE",
        "THRESHOLD 2", "THRESHOLD -0.1", 'THRESHOLD "1"', "THRESHOLD", "THRESHOLD 1x", "OFFSET 2",
        "MODE keyword MODE keyword",
    ],
)  # fmt: skip
def test_what_is_no_tail_of_a_search_is_refused(tail):
    assert refused(f'SEARCH "x" {tail}').code.code == "KIP_1001"


def test_an_export_is_not_explained():
    assert "EXPLAIN FIND" in refused(f"EXPLAIN EXPORT ?x {WHERE}").hint


# UPDATE


def update(assignments, tail=WHERE):
    (found,) = parse(f"UPDATE ?x SET ATTRIBUTES {{{assignments}}} {tail}").statements
    return found


def test_the_last_of_equal_keys_is_set_and_empty_blocks_are_let_pass():
    assert update("a: 1, b: 2, a: 3") == update("a: 3, b: 2,")
    both = f'UPDATE ?x SET METADATA {{"a": 1}} SET ATTRIBUTES {{}} {WHERE}'
    (found,) = parse(both).statements
    assert (found.attributes, [one.key for one in found.metadata]) == ((), ["a"])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("ADD(1)", "write ADD(a, b)"),
        ("MUL(1, 2, 3)", "write MUL(a, b)"),
        ("COALESCE()", "write COALESCE(x, default)"),
        ("CLAMP(1, 2)", "write CLAMP(x, low, high)"),
        ("ADD(?y.attributes.n, 1)", "?x.attributes.n"),
        ("ADD(?x, 1)", "?x.attributes.key"),
        ('ADD("1", 2)', "numbers"),
        ("ADD(null, 2)", "numbers"),
        ("ADD([1], 2)", "numbers"),
        ("ADDD(1, 2)", "use ADD"),
        ("ADD(SUB(1, 2), 2)", "one of ADD"),
        ("?x.attributes.n", "COALESCE(?x.attributes.n, 0)"),
    ],
)
def test_a_value_that_cannot_be_computed_is_told_how(value, said):
    error = refused(f"UPDATE ?x SET METADATA {{k: {value}}} {WHERE}")
    assert (error.code.code, said in error.hint) == ("KIP_1001", True)


@pytest.mark.parametrize(
    "text",
    [
        f"UPDATE ?x {WHERE}",
        f"UPDATE ?x SET ATTRIBUTES {{}} {WHERE}",
        f"UPDATE ?x SET ATTRIBUTES $all {WHERE}",
        f"UPDATE ?x SET ATTRIBUTES {{a: 1}} SET ATTRIBUTES {{b: 1}} {WHERE}",
        f"UPDATE ?x SET PROPOSITIONS {{}} {WHERE}",
        f"UPDATE SET ATTRIBUTES {{a: 1}} {WHERE}",
        "UPDATE ?x SET ATTRIBUTES {a: 1}",
        f"UPDATE ?x SET ATTRIBUTES {{a: 1}} {WHERE} CURSOR $c",
        f"MERGE ?x INTO ?y {WHERE}",
        f"MERGE CONCEPT ?x {WHERE}",
        "MERGE CONCEPT ?x INTO ?y",
        "DELETE CONCEPT ?x DETACH",
        f"DELETE CONCEPT ?x {WHERE}",
        "EXPORT ?x",
        f"EXPORT {WHERE}",
        f"FIND(?x) {WHERE[:-1]} (?x, (id: ?y), ?z) }}",
        f"FIND(?x) {WHERE[:-1]} (id: ?y) }}",
        f"FIND(?x) {WHERE[:-1]} (id: 'x', ?z) }}",
        'UPSERT { CONCEPT { {name: "A"} SET ATTRIBUTES {} EXPECT VERSION 1 } }',
        'UPSERT { CONCEPT { {name: "A"} EXPECT VERSION -1 } }',
        'UPSERT { CONCEPT { {name: "A"} EXPECT 1 } }',
    ],
)
def test_a_statement_of_another_shape_is_refused_with_a_hint(text):
    assert refused(text).code.code == "KIP_1001"
