"""The two dialects of one query: equal trees where only the spelling differs, else equal rows."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, settings
from tests.reference.dialects import (
    in_first_spelling,
    in_later_spelling,
    with_clauses,
    with_dots,
)
from tests.reference.engine import pair
from tests.reference.graphs import graphs
from tests.reference.queries import Question, questions

from recollect.kernel.lang import ast, parse, print_text

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check(graph: ast.Upsert, question: Question, other: ast.Find) -> None:
    if other == question.query:  # it has nothing that the other dialect writes otherwise
        return
    with pair(decoy=[graph]) as both:
        both.build(graph)
        note(print_text(question.query))
        note(print_text(other))
        rows = both.read(other, question.parameters)
        assert rows == both.read(question.query, question.parameters)


@settings(max_examples=4 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(1, is_grouped=False))
def test_dots_show_what_clauses_read(graph: ast.Upsert, question: Question) -> None:
    check(graph, question, with_dots(question.query))


@settings(max_examples=2 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(0, is_grouped=True))
def test_dots_aggregate_what_clauses_read(graph: ast.Upsert, question: Question) -> None:
    check(graph, question, with_dots(question.query))


@settings(max_examples=EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(1, is_grouped=False))
def test_clauses_read_what_dots_show(graph: ast.Upsert, question: Question) -> None:
    check(graph, question, with_clauses(question.query))


@settings(max_examples=EXAMPLES)
@given(questions(2, is_grouped=False))
def test_paths_are_one_tree_wherever_their_quotes_stand(question: Question) -> None:
    text = print_text(question.query)
    assert parse(in_first_spelling(text)) == parse(text)


@settings(max_examples=EXAMPLES)
@given(graphs())
def test_handles_are_one_tree_with_either_sign(graph: ast.Upsert) -> None:
    text = print_text(graph)
    assert "@" in text
    assert parse(in_later_spelling(text)) == parse(text)


FIRST = """
FIND(?name, ?trust, AVG(?risk) AS ?mean)
WHERE {
  ?drug {type: "Drug"}
  ?link (?drug, "treats", ?symptom)
  ATTR(?drug, "name", ?name)
  ATTR(?drug, "risk", ?risk)
  META(?link, "trust", ?trust)
  FILTER(?risk > 1 && ?name != "x")
}
ORDER BY ?trust DESC
"""
LATER = """
FIND(?drug.name, ?link.metadata.trust, AVG(?drug.attributes.risk) AS ?mean)
WHERE {
  ?drug {type: "Drug"}
  ?link (?drug, "treats", ?symptom)
  FILTER(?drug.attributes.risk > 1 && ?drug.name != "x")
}
ORDER BY ?link.metadata.trust DESC
"""


def test_the_rewriter_writes_the_later_dialect() -> None:
    first, later = (parse(text).statements[0] for text in (FIRST, LATER))
    assert isinstance(first, ast.Find)
    assert isinstance(later, ast.Find)
    assert with_dots(first) == later
    assert "." not in print_text(with_clauses(later))


def test_the_rewriter_quotes_paths_as_the_first_dialect_does() -> None:
    text = 'FIND(?a) WHERE { (?a, "p"{1,3} | "q", ?b) }'
    assert in_first_spelling(text) == 'FIND(?a) WHERE { (?a, "p{1,3} | q", ?b) }'
