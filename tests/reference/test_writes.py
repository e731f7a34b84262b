"""Random writes: after each, the engine holds what the reference holds."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, settings, strategies as st
from tests.reference.engine import pair
from tests.reference.graphs import graphs
from tests.reference.writes import mutations, upserts

from recollect.kernel.lang import ast, print_text

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=2 * EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), st.lists(mutations, min_size=1, max_size=4))
def test_writes_leave_what_the_reference_holds(
    graph: ast.Upsert, statements: list[ast.Mutation]
) -> None:
    with pair(decoy=[graph]) as both:
        both.build(graph)
        for statement in statements:
            note(print_text(statement))
            report, expected = both.tell(statement)
            note(f"{report}, {expected}")
            if isinstance(report, dict) and isinstance(expected, dict):
                report = {name: report[name] for name in expected}
            assert report == expected
            held, known = both.contents()
            assert held == known


@settings(max_examples=EXAMPLES, suppress_health_check=LARGE)
@given(graphs(), upserts())
def test_a_second_run_changes_nothing(graph: ast.Upsert, statement: ast.Upsert) -> None:
    with pair(decoy=[graph]) as both:
        both.build(graph)
        first, _ = both.tell(statement)
        before, _ = both.contents()
        second, _ = both.tell(statement)
        after, _ = both.contents()
        assert before == after
        if isinstance(first, tuple):
            assert second == (first[0], 0, 0, first[3])
