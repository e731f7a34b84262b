"""The ledger of specification 002, `specification.txt`: every test that it names is there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ledger import check_section, defined, read_ledger

LEDGER = read_ledger(Path(__file__).with_name("specification.txt"))


@pytest.mark.parametrize("section", LEDGER)
def test_every_sentence_of_the_section_has_a_test(section: str) -> None:
    check_section(LEDGER[section])


def test_every_test_of_a_sentence_is_in_the_ledger() -> None:
    file = "tests/faces/claims/test_sentences.py"
    named = {
        test for sentences in LEDGER.values() for tests in sentences.values() for test in tests
    }
    assert {f"{file}::{name}" for name in defined(file)} <= named
