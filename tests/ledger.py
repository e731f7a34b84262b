"""The ledger of a specification: every sentence that states behaviour, and the tests of it.

The rule: a line that begins with `# ` is a section; each paragraph is a sentence and its tests.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEFINED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)

Ledger = dict[str, dict[str, list[str]]]
"""The tests of each sentence of each section."""


def read_ledger(file: Path) -> Ledger:
    found: Ledger = defaultdict(dict)
    _, *sections = file.read_text(encoding="utf-8").split("\n# ")
    for one in sections:
        section, *paragraphs = one.strip().split("\n\n")
        for paragraph in paragraphs:
            sentence, *tests = paragraph.split("\n")
            assert sentence not in found[section], sentence
            found[section][sentence] = [test.strip() for test in tests]
    return found


@cache
def defined(file: str) -> frozenset[str]:
    """The names of the tests in a file, which is named from the root."""
    return frozenset(DEFINED.findall((ROOT / file).read_text(encoding="utf-8")))


def check_section(sentences: dict[str, list[str]]) -> None:
    """Fail for a sentence without a test, and for a test that is not there."""
    assert sentences
    for sentence, tests in sentences.items():
        assert tests, sentence
        for test in tests:
            file, _, name = test.partition("::")
            assert name in defined(file), f"{sentence}: there is no {test}"
