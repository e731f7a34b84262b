"""Random queries explain themselves: what a row stands on is enough to find the row again."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, reject, settings
from tests.reference.bitemporal import Moment
from tests.reference.engine import comparable, pair
from tests.reference.evaluate import TooManyRowsError
from tests.reference.find import find
from tests.reference.graphs import graphs
from tests.reference.queries import Question, questions

from recollect.errors import RecollectError
from recollect.kernel.lang import ast, print_text
from recollect.model import Rows

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]
MOST_ROWS = 3


def rows_of(nexus: object, question: Question) -> Rows:
    try:
        (rows,) = nexus.read(print_text(question.query), question.parameters).results
    except RecollectError:
        reject()
    return rows


@settings(max_examples=3 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(1, is_grouped=False))
def test_the_grounds_of_a_row_give_the_row(graph: ast.Upsert, question: Question) -> None:
    text = print_text(question.query)
    note(f"{print_text(graph)}\n{text}\n{question.parameters}")
    query = ast.Find(question.query.columns, question.query.where)
    with pair(decoy=[graph]) as both:
        both.build(graph)
        rows = rows_of(both.nexus, question).rows
        for at, row in enumerate(rows[:MOST_ROWS]):
            why = both.nexus.why(text, at, question.parameters)
            assert why.row == row
            assert why.solutions > 0
            if why.omitted:
                continue
            ids = {one.element.id for one in why.grounds}
            known = both.reference.graph
            left = Moment(
                [one for one in known.concepts if one.public_id in ids],
                [one for one in known.links if one.public_id in ids],
                known=known.elements(),
            )
            try:
                answer = comparable(lambda: find(left, query, question.parameters))  # noqa: B023
            except TooManyRowsError:
                reject()
            (expected,) = comparable(lambda: Rows((), [row]))  # noqa: B023
            assert expected in answer


@settings(max_examples=EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(1, is_grouped=True))
def test_the_grounds_of_a_group_are_those_of_its_solutions(
    graph: ast.Upsert, question: Question
) -> None:
    text = print_text(question.query)
    note(f"{print_text(graph)}\n{text}\n{question.parameters}")
    with pair(decoy=[graph]) as both:
        both.build(graph)
        rows = rows_of(both.nexus, question).rows
        for at, row in enumerate(rows[:MOST_ROWS]):
            why = both.nexus.why(text, at, question.parameters)
            assert why.row == row
            held = {one.id for one in both.reference.graph.elements()}
            assert len(why.grounds) <= len(held)


@settings(max_examples=EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), questions(1, is_grouped=False))
def test_an_explanation_counts_the_rows_of_the_answer(
    graph: ast.Upsert, question: Question
) -> None:
    text = print_text(question.query)
    with pair(decoy=[graph]) as both:
        both.build(graph)
        rows = rows_of(both.nexus, question).rows
        explanation = both.nexus.explain(text, question.parameters)
        assert explanation.rows == len(rows)
        assert explanation.steps > 0
        assert explanation.tree == text
        (asked,) = both.nexus.read(f"EXPLAIN {text}", question.parameters).results
        assert asked.plan == explanation.plan
