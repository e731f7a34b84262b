"""The ledger of the knowledge specification, `specification.txt`: its tests are there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ledger import check_section, read_ledger

LEDGER = read_ledger(Path(__file__).with_name("specification.txt"))


@pytest.mark.parametrize("section", LEDGER)
def test_every_sentence_of_the_section_has_a_test(section: str) -> None:
    check_section(LEDGER[section])
