"""What a page of the reference takes for granted: the files in the reader's folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.docs.pages import ROOT

import recollect
from recollect.faces.kip import execute_kip
from recollect.kernel import format_text
from recollect.model import PutConcept

MEDICINE = (ROOT / "docs" / "kip" / "medicine.kip").read_text(encoding="utf-8")


def of_commands(folder: Path) -> None:
    """Texts and a memory for the examples of the command line."""
    for name in ("capsule.kip", "facts.kip", "more.kip", "capsules/one.kip", "core.kip"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(format_text(MEDICINE), encoding="utf-8")
    (folder / "question.kip").write_text('FIND(?d)\nWHERE {\n  ?d {type: "Drug"}\n}\n')
    with recollect.open(folder / "memory.db") as nexus:
        assert "result" in execute_kip(nexus, MEDICINE)
        long_ago = {"confidence": 0.8, "observed_at": "2024"}
        nexus.write([PutConcept("Person", "Ann", {}, long_ago), PutConcept("Visit", "of Monday")])
        nexus.group("trial").write([PutConcept("Person", "Bob")])


def of_a_memory(folder: Path) -> None:
    """A memory with something in it."""
    with recollect.open(folder / "memory.db") as nexus:
        assert "result" in execute_kip(nexus, MEDICINE)


PREPARED: Mapping[str, Callable[[Path], None]] = {
    "docs/cli.md": of_commands,
    "docs/maintenance.md": of_a_memory,
}
