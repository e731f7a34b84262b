"""A statement is one text, and each engine's dialect spells it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recollect.kernel.store.sqlite.dialect import SQLITE
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.kernel.store.statement import Statement

OTHER = replace(SQLITE, name="other", has_types=True, words={"least": "least({0}, {1})"})


def test_a_word_stands_for_what_the_engine_says() -> None:
    asked = Statement("SELECT {least :a::bigint (1 + {least :b 2})}")
    assert SQLITE.spelt[asked] == "SELECT min(:a, (1 + min(:b, 2)))"
    assert OTHER.spelt[asked] == "SELECT least(:a::bigint, (1 + least(:b, 2)))"


def test_an_engine_may_say_it_in_quite_another_way() -> None:
    asked = Statement("SELECT 1")
    own = replace(SQLITE, name="own", overrides={asked: "SELECT 2"})
    assert (own.spelt[asked], SQLITE.spelt[asked]) == ("SELECT 2", "SELECT 1")


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(KeyError):
        SQLITE.spelt[Statement("SELECT {median a}")]


def test_a_session_runs_statements_in_its_own_dialect() -> None:
    store = SqliteStore(":memory:")
    asked = Statement("SELECT w.key, w.value FROM {texts names w} WHERE {greatest w.key 1} = 1")
    with store.reading() as session:
        assert session.rows(asked, {"names": '["a", "b", "c"]'}) == [(0, "a"), (1, "b")]
        assert session.row(asked, {"names": '["a"]'}) == (0, "a")
        assert list(session.each(asked, {"names": "[]"})) == []
        assert session.plan(asked, {"names": "[]"})
    store.close()
