"""What may be written in more than one way, and what the tree then holds."""

from __future__ import annotations

import pytest

from recollect.errors import RecollectError, Span
from recollect.kernel.lang import ast, literal, parse, print_text


def find(where="", tail="", columns="?x"):
    (statement,) = parse(f"FIND({columns}) WHERE {{ {where} }} {tail}").statements
    assert isinstance(statement, ast.Find)
    return statement


def path_of(predicate):
    (clause,) = find(f"(?x, {predicate}, ?y)").where
    return [
        (step.predicate.value, step.minimum, step.maximum)
        for step in clause.pattern.predicate.steps
    ]


def metadata_of(value):
    (upsert,) = parse(f"UPSERT {{}} WITH METADATA {value}").statements
    return upsert.metadata


def refused(text):
    with pytest.raises(RecollectError) as error:
        parse(text)
    assert error.value.source == text
    return error.value


# Paths


@pytest.mark.parametrize("predicate", ['"p{2,5}"', '"p"{2,5}', '"p {2, 5}"', '"p" { 2 , 5 }'])
def test_a_quantifier_stands_inside_or_outside_the_quotes(predicate):
    assert path_of(predicate) == [("p", 2, 5)]


@pytest.mark.parametrize("predicate", ['"a | b"', '"a" | "b"', '"a|b"', '"a"|"b"'])
def test_alternatives_stand_inside_or_outside_the_quotes(predicate):
    assert path_of(predicate) == [("a", 1, 1), ("b", 1, 1)]


@pytest.mark.parametrize(
    ("predicate", "steps"),
    [
        ('"p{3}"', [("p", 3, 3)]),
        ('"p{3,}"', [("p", 3, None)]),
        ('"p"{3}', [("p", 3, 3)]),
        ('"p"{0,}', [("p", 0, None)]),
        ('"p{1}"', [("p", 1, 1)]),
        ('"a | b{1,3}"', [("a", 1, 1), ("b", 1, 3)]),
        ('"a{2} | b" | "c"{0,1}', [("a", 2, 2), ("b", 1, 1), ("c", 0, 1)]),
        ('"a b"', [("a b", 1, 1)]),
    ],
)
def test_a_quantifier_belongs_to_its_alternative(predicate, steps):
    assert path_of(predicate) == steps


@pytest.mark.parametrize(
    "predicate",
    [
        '"p{5,2}"', '"p"{5,2}', '"p{}"', '"p"{}', '"p{,}"', '"p"{,}', '"p{,3}"', '"p"{,3}', '"p{a}"',
        '"p"{-1}', '"p"{1.5}', '"p{1}{2}"', '"p"{1}{2}', '"p{1}x"', '"{1}"', '"a |"', '"|"', '"a | b"{2}',
        '"p{1}"{2}', '""', "?p{1,2}", '?p | "q"', '"p"*', '"p"{1', '"p{1"', '"a" |',
        '"p{99999999999999999999999999999999999999999999}"',
    ],
)  # fmt: skip
def test_what_is_no_path_is_refused(predicate):
    assert refused(f"FIND(?x) WHERE {{ (?x, {predicate}, ?y) }}").code.code == "KIP_1001"


def test_a_predicate_variable_is_no_path():
    (clause,) = find("(?x, ?p, ?y)").where
    assert clause.pattern.predicate == ast.Variable("p")


@pytest.mark.parametrize("predicate", ['"p{1}"', '"p|q"', '"p"{2}', '"p" | "q"', "?p"])
@pytest.mark.parametrize(
    "block",
    ["PROPOSITION {{ (@a, {}, @b) }}", "CONCEPT {{ {{id: $i}} SET PROPOSITIONS {{ ({}, @b) }} }}"],
)
def test_a_written_link_has_one_plain_predicate(predicate, block):
    assert refused(f"UPSERT {{ {block.format(predicate)} }}").code.code == "KIP_1001"


# Patterns


def test_the_keys_of_a_concept_pattern_may_be_quoted_and_come_in_any_order():
    (clause,) = find('?x {"name": "A", id: $i, type: :t,}').where
    assert clause.pattern == ast.ConceptPattern(
        ast.Parameter("t"), literal("A"), ast.Parameter("i")
    )


def test_a_named_end_is_refused_with_the_clause_to_write():
    error = refused('FIND(?x) WHERE { (?x, "p", ?y {type: "S"}) }')
    assert error.hint == 'write ?y {type: "S"} as a clause of its own, and ?y here'


def test_links_nest_at_both_ends():
    (clause,) = find('?l ((?a, "p", ?b), "q", ({name: "N"}, ?r, ?c))').where
    assert isinstance(clause.pattern.subject, ast.LinkPattern)
    assert isinstance(clause.pattern.object, ast.LinkPattern)
    assert print_text(clause) == '?l ((?a, "p", ?b), "q", ({name: "N"}, ?r, ?c))'


def test_attributes_and_metadata_are_read_from_inline_patterns_too():
    attr, meta = find('ATTR({name: "A"}, $key, ?v) META((?s, ?p, ?o), "source", ?w)').where
    assert isinstance(attr.target, ast.ConceptPattern)
    assert isinstance(meta.target, ast.LinkPattern)


# Filters


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("?a == 1 || ?b == 2 && ?c == 3", "?a == 1 || ?b == 2 && ?c == 3"),
        ("(?a == 1 || ?b == 2) && ?c == 3", "(?a == 1 || ?b == 2) && ?c == 3"),
        ("(((?a == 1)))", "?a == 1"),
        ("!?a == 1", "!(?a == 1)"),
        ("!!CONTAINS(?a, :b)", "!!CONTAINS(?a, $b)"),
        ("IN(?v, ['x'])".replace("'", '"'), 'IN(?v, ["x"])'),
        ("IN(?v, $choices) && IS_NULL(?v)", "IN(?v, $choices) && IS_NULL(?v)"),
        ("!(?a < 1 && ?b >= -2.5e3)", "!(?a < 1 && ?b >= -2500.0)"),
    ],
)
def test_and_binds_closer_than_or_and_not_closest(written, printed):
    (clause,) = find(f"FILTER({written})").where
    assert print_text(clause) == f"FILTER({printed})"


def test_a_condition_is_never_a_bare_value():
    assert refused("FIND(?x) WHERE { FILTER(?flag) }").fix.text == "?flag == true"
    assert refused("FIND(?x) WHERE { FILTER(!?flag) }").fix.text == "?flag == false"
    assert refused("FIND(?x) WHERE { FILTER(true) }").code.code == "KIP_1001"


# FIND


def test_order_limit_and_offset_come_in_any_order():
    assert find("", "OFFSET 2 LIMIT 5 ORDER BY ?x") == find("", "ORDER BY ?x ASC LIMIT 5 OFFSET 2")


@pytest.mark.parametrize("keys", ["?a DESC, COUNT(?b), ?c", "?a DESC COUNT(?b) ?c ASC"])
def test_sort_keys_stand_with_or_without_commas(keys):
    found = find("", f"ORDER BY {keys}").order_by
    assert [print_text(key) for key in found] == ["?a DESC", "COUNT(?b)", "?c"]


def test_an_aggregate_names_its_column():
    found = find("", "", "COUNT(?a), COUNT(DISTINCT ?a), SUM(?a) AS ?total,")
    assert [column.name for column in found.columns] == ["count_a", "count_distinct_a", "total"]


@pytest.mark.parametrize("size", ["-1", "1.5", '"1"', "", "?n", "1e3", "99999999999999999999"])
@pytest.mark.parametrize("keyword", ["LIMIT", "OFFSET"])
def test_a_size_is_a_whole_number_or_a_placeholder(keyword, size):
    assert refused(f"FIND(?x) WHERE {{}} {keyword} {size}").code.code == "KIP_1001"


def test_a_limit_of_zero_and_a_placeholder_are_sizes():
    assert find("", "LIMIT 0").limit == literal(0)
    assert find("", "LIMIT :n OFFSET $m").limit == ast.Parameter("n")


@pytest.mark.parametrize(
    "tail", ["LIMIT 1 LIMIT 2", "OFFSET 1 OFFSET 1", "ORDER BY ?x ORDER BY ?x"]
)
def test_what_follows_where_stands_once(tail):
    assert "given twice" in refused(f"FIND(?x) WHERE {{}} {tail}").message


# Values


def test_numbers_and_truth_are_different_literals():
    found = [literal(value) for value in (1, 1.0, True)]
    assert [metadata_of(f"{{a: {json}}}").json for json in ("1", "1.0", "true")] == [
        literal({"a": one.value}).json for one in found
    ]
    assert len({one.json for one in found}) == 3
    assert found[0] != found[1] != found[2] != found[0]


def test_objects_take_bare_and_quoted_keys_and_the_last_of_equal_keys_wins():
    assert (
        metadata_of('{ b: 1 "a": [1, 2,], b: {}, null: null }').json
        == '{"b":{},"a":[1,2],"null":null}'
    )
    assert metadata_of("{ b: 1, a: $p, b: :q }") == ast.ObjectValue(
        (("b", ast.Parameter("q")), ("a", ast.Parameter("p")))
    )


def test_a_colon_before_a_word_separates_a_key_from_a_value_first():
    assert metadata_of("{a:true,b:null}").json == '{"a":true,"b":null}'
    assert metadata_of("{a::true}") == ast.ObjectValue((("a", ast.Parameter("true")),))


def test_strings_are_json_strings():
    assert metadata_of(r'{a: "\u963F\ud83d\ude00\n\/\"\\"}').value == {"a": '阿😀\n/"\\'}
    assert metadata_of('{a: "a\tb"}').json == r'{"a":"a\tb"}'


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("9223372036854775808", "KIP_2003"),
        ("-9223372036854775809", "KIP_2003"),
        ("1" * 5000, "KIP_2003"),
        ("1e999", "KIP_2003"),
        ("-1e999", "KIP_2003"),
        ("NaN", "KIP_2003"),
        ("Infinity", "KIP_2003"),
        ("-Infinity", "KIP_2003"),
        (r'"\u0000"', "KIP_2003"),
        (r'"\ud800"', "KIP_2003"),
        (r'"\udc00\ud800"', "KIP_2003"),
        ("01", "KIP_1001"),
        ("1.", "KIP_1001"),
        (".5", "KIP_1001"),
        ("+1", "KIP_1001"),
        ("0x1F", "KIP_1001"),
        ("1_000", "KIP_1001"),
        (r'"\x"', "KIP_1001"),
        (r'"\u12"', "KIP_1001"),
        ('"open', "KIP_1001"),
        ('"two\nlines"', "KIP_1001"),
        ('"bell\x07"', "KIP_1001"),
        ("?x", "KIP_1001"),
        ("word", "KIP_1001"),
        ("[1 2]", "KIP_1001"),
        ("[,]", "KIP_1001"),
        ("{,}", "KIP_1001"),
    ],
)
def test_a_value_that_json_or_the_store_does_not_know_is_refused(value, code):
    error = refused(f"UPSERT {{}} WITH METADATA {{ key: {value} }}")
    assert error.code.code == code
    assert error.hint or error.message.startswith("found")


def test_the_largest_whole_numbers_are_kept_exactly():
    assert metadata_of(f"{{a: {2**63 - 1}, b: {-(2**63)}}}").value == {
        "a": 2**63 - 1,
        "b": -(2**63),
    }


def test_a_placeholder_inside_a_string_is_text_and_noticed_once():
    text = (
        'FIND(?x) WHERE { ?x {name: "$me"} ?y {name: "$me and $other $5"} ?z {name: "of $self"} }'
    )
    tree = parse(text)
    assert [(one.code, one.hint) for one in tree.notices] == [
        ("placeholder_in_string", "$me"),
        ("placeholder_in_string", "$other"),
    ]
    assert all(text[one.span.start : one.span.end] == one.hint for one in tree.notices)


# UPSERT and DELETE


def test_handles_are_written_with_either_sign_or_left_out():
    (at,) = parse('UPSERT { CONCEPT @a { {id: "1"} } PROPOSITION @l { (@a, "p", @a) } }').statements
    (mark,) = parse(
        'UPSERT { CONCEPT ?a { {id: "1"} }, PROPOSITION ?l { (?a, "p", ?a,) } }'
    ).statements
    assert at == mark
    (bare,) = parse('UPSERT { CONCEPT { {id: "1"} } PROPOSITION { (@a, "p", @a) } }').statements
    assert [block.handle for block in bare.blocks] == [None, None]


def test_metadata_stands_after_items_blocks_and_the_whole():
    (upsert,) = parse("""UPSERT {
        CONCEPT @a { {id: "1"} SET PROPOSITIONS { ("p", @b) WITH METADATA {n: 1}, ("q", @b) } }
        WITH METADATA {n: 2}
        PROPOSITION @b { (@a, "p", ((@a, "p", {id: "2"}), "q", @a)) SET ATTRIBUTES $all } WITH METADATA :m
    } WITH METADATA {n: $n}""").statements
    concept, link = upsert.blocks
    assert [item.metadata for item in concept.links] == [literal({"n": 1}), None]
    assert concept.metadata == literal({"n": 2})
    assert (link.attributes, link.metadata) == (ast.Parameter("all"), ast.Parameter("m"))
    assert upsert.metadata == ast.ObjectValue((("n", ast.Parameter("n")),))


@pytest.mark.parametrize("section", ["ATTRIBUTES", "METADATA"])
def test_keys_are_deleted_from_a_target(section):
    (delete,) = parse(
        f'DELETE {section} {{ "a" $b, }} FROM ?x WHERE {{ ?x {{id: "1"}} }}'
    ).statements
    assert delete.section == section.lower()
    assert delete.keys == (literal("a"), ast.Parameter("b"))
    assert delete.target == ast.Variable("x")


def test_the_links_to_delete_may_be_named():
    (named,) = parse("DELETE PROPOSITIONS ?l WHERE { ?l (?s, ?p, ?o) }").statements
    (unnamed,) = parse("DELETE PROPOSITIONS WHERE { (?s, ?p, ?o) }").statements
    assert (named.target, unnamed.target) == (ast.Variable("l"), None)


def test_a_concept_is_not_deleted_without_detach():
    text = 'DELETE CONCEPT {name: "A"} // sure'
    error = refused(text)
    mended = text[: error.fix.span.start] + error.fix.text + text[error.fix.span.end :]
    assert mended == 'DELETE CONCEPT {name: "A"} DETACH // sure'
    assert parse(mended).statements == (ast.DeleteConcept(ast.ConceptPattern(name=literal("A"))),)


# Whole texts


@pytest.mark.parametrize("between", [" ", ";", "\n;\n;\n", " // next\n"])
def test_several_statements_stand_in_one_text(between):
    tree = parse(f"DESCRIBE PRIMER{between}FIND(?x) WHERE {{}} ORDER BY ?x{between}SEARCH $term")
    assert [type(one).__name__ for one in tree.statements] == ["DescribePrimer", "Find", "Search"]
    assert tree.is_read_only


@pytest.mark.parametrize("text", ["", " \n", "// nothing", ";"])
def test_a_text_without_a_statement_is_refused(text):
    assert refused(text).code.code == "KIP_1001"


def test_every_node_knows_its_place():
    text = 'FIND(?x) WHERE { ?l (?x, "p"{1,2}, {name: "A"}) FILTER(?x != 1) } LIMIT 5'
    (found,) = parse(text).statements
    link, condition = found.where
    places = {
        "?x": found.columns[0],
        '?l (?x, "p"{1,2}, {name: "A"})': link,
        '(?x, "p"{1,2}, {name: "A"})': link.pattern,
        '"p"{1,2}': link.pattern.predicate,
        '{name: "A"}': link.pattern.object,
        '"A"': link.pattern.object.name,
        "FILTER(?x != 1)": condition,
        "?x != 1": condition.expression,
        "5": found.limit,
    }
    for written, node in places.items():
        assert text[node.span.start : node.span.end] == written
    assert found.span == Span(0, len(text))


def test_unicode_names_are_names():
    (clause,) = find('?药物 {type: "药"}').where
    assert clause.variable == ast.Variable("药物")


@pytest.mark.parametrize(
    "text",
    [
        'FIND(?x) WHERE { ?x {type: "T", name: "N"} }',
        'UPSERT { CONCEPT { {type: "T", name: "N"} SET ATTRIBUTES {a: 1, b: 2} } }',
        'DELETE ATTRIBUTES {"a", "b"} WHERE { ?x {type: "T"} }',
    ],
)
def test_commas_between_members_may_be_left_out(text):
    assert parse(text.replace(",", "")) == parse(text.replace("}", ",}", 1)) == parse(text)


def test_a_key_given_twice_keeps_its_last_value():
    (upsert,) = parse('UPSERT { CONCEPT { {name: "N"} SET ATTRIBUTES {a: 1, a: 2} } }').statements
    assert upsert.blocks[0].attributes.value == {"a": 2}
