"""Pages: read one after another, while others write, they are the one answer of their moment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import HealthCheck, given, note, reject, settings, strategies as st
from tests.reference.engine import Pair, comparable, pair
from tests.reference.evaluate import TooManyRowsError
from tests.reference.graphs import graphs
from tests.reference.queries import Question, questions
from tests.reference.writes import mutations

from recollect.errors import RecollectError
from recollect.kernel.lang import ast, literal, print_text
from recollect.model import Cell, Rows

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]
MOST_PAGES = 40


def pages(
    both: Pair, question: Question, size: int, writes: list[ast.Mutation]
) -> Iterator[list[tuple[Cell, ...]]]:
    """Yield the rows of each page; one of the writes happens after each."""
    parameters = {**both.link_ids(), **question.parameters}
    query = replace(question.query, limit=literal(size))
    waiting = list(writes)
    while True:
        (result,) = both.nexus.read(print_text(query), parameters).results
        assert isinstance(result, Rows)
        assert len(result.rows) <= size
        yield result.rows
        if result.next_cursor is None:
            break
        assert len(result.rows) == size
        query = replace(query, cursor=literal(result.next_cursor))
        if waiting:
            text = print_text(waiting.pop(0))
            note(text)
            try:
                both.nexus.write(text)
            except RecollectError as refused:
                note(str(refused))


def check(graph: ast.Upsert, question: Question, size: int, writes: list[ast.Mutation]) -> None:
    query = replace(question.query, limit=None)
    with pair(decoy=[graph]) as both:
        both.build(graph)
        note(print_text(graph))
        note(f"{print_text(query)} with {question.parameters}")
        try:
            rows, expected = both.ask(query, question.parameters)
        except TooManyRowsError:
            reject()
        if not isinstance(rows, list) or len(rows) <= size or len(rows) > size * MOST_PAGES:
            reject()
        assert rows == expected
        found = [row for page in pages(both, question, size, writes) for row in page]
        assert comparable(lambda: Rows((), found)) == rows


@settings(max_examples=EXAMPLES // 2, suppress_health_check=[*LARGE, HealthCheck.filter_too_much])
@given(
    graphs(),
    questions(1, is_grouped=False, names_links=True),
    st.integers(1, 3),
    st.lists(mutations, max_size=4),
)
def test_pages_are_the_answer_of_their_first_moment(
    graph: ast.Upsert, question: Question, size: int, writes: list[ast.Mutation]
) -> None:
    check(graph, question, size, writes)


@settings(max_examples=EXAMPLES // 8, suppress_health_check=[*LARGE, HealthCheck.filter_too_much])
@given(
    graphs(),
    questions(1, is_grouped=True),
    st.integers(1, 2),
    st.lists(mutations, max_size=4),
)
def test_pages_of_groups_are_too(
    graph: ast.Upsert, question: Question, size: int, writes: list[ast.Mutation]
) -> None:
    check(graph, question, size, writes)
