"""Long chains of blocks, at both clocks: the engine answers as the reference, and explains."""

from __future__ import annotations

from hypothesis import HealthCheck, given, note, settings, strategies as st
from tests.reference.bitemporal import history
from tests.reference.chains import chains
from tests.reference.engine import comparable
from tests.reference.evaluate import TooManyRowsError
from tests.reference.find import find
from tests.reference.queries import shortened
from tests.reference.times import Transaction, moments, transactions

from recollect.kernel.lang import ast, print_text
from recollect.model import AsOf

EXAMPLES = settings.default.max_examples if settings.default else 100
LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=EXAMPLES // 4, suppress_health_check=LARGE)
@given(transactions, chains(), st.lists(moments(), min_size=1, max_size=3))
def test_a_chain_of_twenty_blocks_is_answered_and_explained_at_both_clocks(
    story: list[Transaction], query: ast.Find, times: list[AsOf]
) -> None:
    with history() as both:
        for one in story:
            both.transact(one.statements, one.at)
        for as_of in (*times, AsOf()):
            moment, asked = both.moment(as_of), query
            while True:
                try:
                    expected = comparable(lambda: find(moment, asked, {}))  # noqa: B023
                    break
                except TooManyRowsError:
                    asked = shortened(asked)
            text = print_text(asked)
            note(f"{text}\n{as_of}")
            rows = comparable(lambda: both.nexus.read(text, as_of=as_of).results[0])  # noqa: B023
            assert rows == expected
            assert both.nexus.explain(text, as_of=as_of).sql
