"""Graphs for the tests of the request face, each beside a decoy group with the same content."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.faces.kip import execute_kip
from recollect.kernel import Nexus

MEDICINE = Path(__file__).parents[3].joinpath("docs", "kip", "medicine.kip").read_text("utf-8")

DECOY = """
UPSERT {
  CONCEPT @aspirin {
    {type: "Drug", name: "Aspirin"}
    SET ATTRIBUTES { risk_level: 99, decoy: true }
    SET PROPOSITIONS { ("treats", @headache) ("treats", @decoy) }
  }
  CONCEPT @headache { {type: "Symptom", name: "Headache"} SET ATTRIBUTES { decoy: true } }
  CONCEPT @decoy { {type: "Decoy", name: "Decoy headache"} }
}
"""


@pytest.fixture
def empty() -> Iterator[Nexus]:
    """Return an empty memory whose neighbour is not empty."""
    with_decoy = recollect.open(":memory:")
    decoy = with_decoy.group("decoy")
    assert "result" in execute_kip(decoy, MEDICINE)
    assert "result" in execute_kip(decoy, DECOY)
    yield with_decoy
    with_decoy.close()


@pytest.fixture
def medicine(empty: Nexus) -> Nexus:
    """Return the graph of the language reference."""
    assert "result" in execute_kip(empty, MEDICINE)
    return empty
