"""Printing and parsing are each other's inverse."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import given

import strategies
from recollect.kernel.lang import ast, literal, parse, print_text


@given(strategies.scripts)
def test_a_printed_tree_parses_to_the_same_tree(tree):
    assert parse(print_text(tree)) == tree


@given(strategies.scripts)
def test_a_printed_tree_prints_the_same_text_again(tree):
    text = print_text(tree)
    assert print_text(parse(text)) == text


@pytest.mark.parametrize("metadata", ["{}", "$all", "{a: 1, b: $p}", '{a: "' + "long " * 20 + '"}'])
def test_an_item_longer_than_a_line_keeps_its_metadata(metadata):
    item = f'("{"p" * 100}", @h) WITH METADATA {metadata}'
    tree = parse(f'UPSERT {{ CONCEPT {{ {{id: "1"}} SET PROPOSITIONS {{ {item} }} }} }}')
    assert parse(print_text(tree)) == tree


@given(strategies.clauses)
def test_a_clause_prints_as_it_stands_in_its_block(clause):
    text = f"FIND(?x) WHERE {{ {print_text(clause)} }}"
    (find,) = parse(text).statements
    assert isinstance(find, ast.Find)
    assert find.where == (clause,)


@given(strategies.values)
def test_a_value_prints_as_it_stands_in_an_object(value):
    text = f"UPSERT {{}} WITH METADATA {{ key: {print_text(value)} }}"
    (upsert,) = parse(text).statements
    assert isinstance(upsert, ast.Upsert)
    match upsert.metadata:
        case ast.ObjectValue(members):
            assert members == (("key", value),)
        case ast.Literal(found):
            assert found == {"key": value.value}
            assert literal(found["key"]) == value


@given(strategies.json_values)
def test_every_json_text_is_a_value_and_keeps_its_canonical_form(value):
    for layout in (orjson.dumps(value), orjson.dumps(value, option=orjson.OPT_INDENT_2)):
        (search,) = parse(f"UPSERT {{}} WITH METADATA {{ v: {layout.decode()} }}").statements
        assert search.metadata == literal({"v": value})


@pytest.mark.parametrize(
    "part",
    [
        ast.Variable("x"),
        ast.Handle("h"),
        ast.Step(literal("is_a"), 0, None),
        ast.Path((ast.Step(literal("a")), ast.Step(literal("b"), 2, 2))),
        ast.Aggregate(ast.Function.COUNT, ast.Variable("x"), True, ast.Variable("n")),
        ast.SortKey(ast.Variable("x"), True),
        ast.SetLink(literal("p"), ast.Handle("h"), literal({"a": 1})),
        ast.DeleteConcept(ast.ConceptPattern(name=literal("A"))),
        ast.Not(ast.TestNull(ast.Variable("x"))),
    ],
    ids=lambda part: type(part).__name__,
)
def test_every_part_of_a_tree_has_a_text_of_its_own(part):
    whole = {
        "Variable": "?x",
        "Handle": "@h",
        "Step": '"is_a"{0,}',
        "Path": '"a" | "b"{2}',
        "Aggregate": "COUNT(DISTINCT ?x) AS ?n",
        "SortKey": "?x DESC",
        "SetLink": '("p", @h) WITH METADATA {a: 1}',
        "DeleteConcept": 'DELETE CONCEPT {name: "A"} DETACH',
        "Not": "!IS_NULL(?x)",
    }
    assert print_text(part) == whole[type(part).__name__]
