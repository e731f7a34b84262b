"""The ledger of specification 002, `specification.txt`: every test that it names is there.

The rule: a line that begins with `# ` is a section; each paragraph is a sentence and its tests.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
DEFINED = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)

Ledger = dict[str, dict[str, list[str]]]
"""The tests of each sentence of each section."""


def read_ledger() -> Ledger:
    found: Ledger = defaultdict(dict)
    _, *sections = (HERE / "specification.txt").read_text(encoding="utf-8").split("\n# ")
    for one in sections:
        section, *paragraphs = one.strip().split("\n\n")
        for paragraph in paragraphs:
            sentence, *tests = paragraph.split("\n")
            assert sentence not in found[section], sentence
            found[section][sentence] = [test.strip() for test in tests]
    return found


LEDGER = read_ledger()


@cache
def defined(file: str) -> frozenset[str]:
    return frozenset(DEFINED.findall((ROOT / file).read_text(encoding="utf-8")))


@pytest.mark.parametrize("section", LEDGER)
def test_every_sentence_of_the_section_has_a_test(section: str) -> None:
    assert LEDGER[section]
    for sentence, tests in LEDGER[section].items():
        assert tests, sentence
        for test in tests:
            file, _, name = test.partition("::")
            assert name in defined(file), f"{sentence}: there is no {test}"


def test_every_test_of_a_sentence_is_in_the_ledger() -> None:
    file = "tests/faces/claims/test_sentences.py"
    named = {
        test for sentences in LEDGER.values() for tests in sentences.values() for test in tests
    }
    assert {f"{file}::{name}" for name in defined(file)} <= named
