"""The ledger of specification 002 names tests that are there, and misses none of its own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from tests.faces.claims.specification import FILES, LEDGER

TESTS = Path(__file__).resolve().parents[2]
DEFINED = re.compile(r"^(?:async )?def test_(\w+)", re.MULTILINE)
NAMED = [
    (section, sentence, test)
    for section, sentences in LEDGER.items()
    for sentence, tests in sentences
    for test in tests
]


@cache
def names_in(file: str) -> frozenset[str]:
    return frozenset(DEFINED.findall((TESTS / FILES[file]).read_text(encoding="utf-8")))


@pytest.mark.parametrize("section", LEDGER)
def test_every_sentence_of_the_section_has_a_test(section: str) -> None:
    for sentence, tests in LEDGER[section]:
        assert tests, sentence
        for test in tests:
            file, _, name = test.partition(".")
            assert name in names_in(file), f"{sentence!r}: {FILES[file]} has no test_{name}"


def test_no_sentence_is_there_twice() -> None:
    for section, sentences in LEDGER.items():
        assert len(dict(sentences)) == len(sentences), section


def test_every_test_of_a_sentence_is_in_the_ledger() -> None:
    used = {test for _, _, test in NAMED}
    assert {f"sentences.{name}" for name in names_in("sentences")} <= used
    assert set(FILES) == {test.partition(".")[0] for test in used}
