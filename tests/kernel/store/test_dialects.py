"""The dialects have the same names for the compiler and for statements."""

from __future__ import annotations

from recollect.kernel.store.postgres.dialect import POSTGRES
from recollect.kernel.store.sqlite.dialect import SQLITE


def test_every_word_of_one_engine_is_one_of_the_other() -> None:
    assert set(POSTGRES.words) == set(SQLITE.words)
