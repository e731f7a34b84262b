"""Random queries on random graphs: the engine's rows equal the reference's, in order."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, reject, settings
from tests.reference.engine import pair
from tests.reference.evaluate import TooManyRowsError
from tests.reference.graphs import graphs
from tests.reference.queries import Question, questions, shortened

from recollect.kernel.lang import ast, print_text

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


def check(graph: ast.Upsert, question: Question) -> None:
    """Ask the question, and while nothing answers it, again with its last clause left out."""
    query = question.query
    with pair(decoy=[graph]) as both:
        both.build(graph)
        note(print_text(graph))
        while True:
            note(f"{print_text(query)} with {question.parameters}")
            try:
                rows, expected = both.ask(query, question.parameters)
            except TooManyRowsError:
                reject()
            assert rows == expected
            shorter = shortened(query)
            if rows or shorter == query:
                break
            query = shorter


@settings(max_examples=3 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(0, is_grouped=False, names_links=True))
def test_a_flat_query_answers_as_the_reference_does(graph: ast.Upsert, question: Question) -> None:
    check(graph, question)


@settings(max_examples=4 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(2, is_grouped=False, names_links=True))
def test_nested_blocks_answer_as_the_reference_does(graph: ast.Upsert, question: Question) -> None:
    check(graph, question)


@settings(max_examples=2 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(0, is_grouped=True, names_links=True))
def test_a_grouped_query_answers_as_the_reference_does(
    graph: ast.Upsert, question: Question
) -> None:
    check(graph, question)


@settings(max_examples=2 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(2, is_grouped=True, names_links=True))
def test_groups_of_nested_blocks_answer_as_the_reference_does(
    graph: ast.Upsert, question: Question
) -> None:
    check(graph, question)
