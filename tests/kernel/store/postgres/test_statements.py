"""The statements of the house, as a server meets them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

import postgres
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.statement import Insertion


@pytest.fixture(scope="module")
def store(database: str) -> Iterator[PostgresStore]:
    with postgres.schema(database) as address:
        store = PostgresStore(address)
        yield store
        store.close()


cells = st.tuples(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.binary(max_size=40),
    st.none() | st.integers(-(2**63), 2**63 - 1),
)


@given(st.lists(cells, min_size=1, max_size=40, unique_by=lambda one: one[0]))
def test_rows_that_go_to_a_server_together_are_as_they_were(
    store: PostgresStore, drawn: list[tuple[SqlValue, ...]]
) -> None:
    rows = [(1, at, *one) for at, one in enumerate(drawn)]
    types = "bigint bigint text bytea bigint"
    insertion = Insertion("vector (group_id, id, hash, vector, digest)", types)
    with store.writing(is_dry_run=True) as session:
        session.put(insertion, rows)
        found = session.rows(
            "/* a test's */ SELECT group_id, id, hash, vector, digest FROM vector ORDER BY id"
        )
    assert found == rows
