from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.cells import SqlValue
from recollect.kernel.store.postgres.binding import bound
from recollect.kernel.store.postgres.store import PostgresStore


@pytest.fixture
def store(on_server: str) -> Iterator[PostgresStore]:
    store = PostgresStore(on_server)
    yield store
    store.close()


def test_names_and_marks_in_texts_and_comments_stay() -> None:
    text = """SELECT ':a ? ''' || :a, "b:c?" -- :d ?\n, x::text, '%s'"""
    told, values = bound(text, {"a": 1, "unused": 2})
    assert told == text.replace("|| :a", "|| $1")
    assert values == [1]
    assert bound("SELECT '?', ?::bigint, ?", (1, 2))[0] == "SELECT '?', $1::bigint, $2"
    assert bound("SELECT a ? 'b'", {})[0] == "SELECT a ? 'b'"


def test_values_come_back_as_they_went(store: PostgresStore) -> None:
    values: tuple[SqlValue, ...] = (
        *(0, 1, -(2**63), 2**63 - 1, 0.1, 1e300, "", "%s ' \\ \u2764"),
        *(b"", b"\0\xff", None),
    )
    types = [*["bigint"] * 4, *["float8"] * 2, *["text"] * 2, *["bytea"] * 2, "text"]
    columns = ", ".join(f"?::{one}" for one in types)
    with store.reading() as session:
        assert session.row(f"SELECT {columns}", values) == values


def test_truth_is_a_number_and_a_sum_too(store: PostgresStore) -> None:
    asked = """
    SELECT 1 = 1, 1 = 2, NULL::boolean, :yes, sum(n), sum(n)::numeric / 4, '{"b": [1.0]}'::jsonb
    FROM generate_series(1, 3) AS n
    """
    with store.reading() as session:
        row = session.row(asked, {"yes": True})
    assert row == (1, 0, None, 1, 6, 1.5, '{"b": [1.0]}')
    assert [type(one) for one in row or ()][:1] == [int]


def test_texts_stand_in_the_order_of_code_points(store: PostgresStore) -> None:
    texts = ["a", "B", "\u00e9", "Z", "_", "\U0001f600", "\uffee", "aa", "A"]
    with store.writing() as session:
        rows = [(1, code, text) for code, text in enumerate(texts)]
        session.execute_many("INSERT INTO term (group_id, code, text) VALUES (?, ?, ?)", rows)
        found = session.rows("SELECT text FROM term WHERE group_id = 1 ORDER BY text")
    assert [text for (text,) in found] == sorted(texts)


def test_what_the_server_cannot_hold_is_refused_without_saying_it(store: PostgresStore) -> None:
    for hostile in ("secret\0", "secret\ud800"):
        with store.reading() as session, pytest.raises(RecollectError) as caught:
            session.rows("SELECT :text", {"text": hostile})
        assert caught.value.code.code == "INVALID_ARGUMENT"
        assert "secret" not in str(caught.value.to_wire())


def test_the_value_of_json_stands_beside_its_text(store: PostgresStore) -> None:
    said = '{"b": 1e16, "a": -0.0}'
    columns = "id, group_id, type, name, attributes, metadata, valid_at, invalid_at, version"
    with store.writing(is_dry_run=True) as session:
        session.execute_many(
            f"INSERT INTO concept ({columns}, born_at, changed_at, expired_at, salt)"
            " VALUES (2, 1, 1, 'x', ?, '{}', 0, 1, 1, 1, 1, 9, '')",
            [(said,)],
        )
        found = session.row(
            "/* a test's */ SELECT attributes, attributes_value ->> 'b' FROM concept"
        )
    assert found == (said, "10000000000000000")
