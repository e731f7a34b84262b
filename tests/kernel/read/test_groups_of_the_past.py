"""Groups as of the past: told by value, as those of now, though their values are held as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pytest

import recollect
from behind import STEPS
from recollect import AsOf, Nexus
from recollect.model import Cell, PutConcept, Rows, Value

LEVELS: list[Value] = [
    1,
    1.0,
    True,
    "1",
    None,
    {"low": 1, "high": 2},
    {"high": 2, "low": 1.0},
    [1],
    "[1]",
    1,
]
TEXTS = (
    "FIND(?level, COUNT(?drug) AS ?drugs) WHERE { %s }",
    "FIND(?level, COUNT(?drug) AS ?drugs) WHERE { %s } ORDER BY ?drugs DESC LIMIT 3",
    "FIND(?level, COUNT(?level) AS ?levels) WHERE { %s } ORDER BY ?level DESC",
    "FIND(?level, MIN(?dose) AS ?least, MAX(?dose) AS ?most) WHERE { %s } ORDER BY ?most",
    "FIND(?level, ?dose, MAX(?level) AS ?most) WHERE { %s }",
    "FIND(?level, SUM(?dose) AS ?sum, COUNT(DISTINCT ?dose) AS ?doses) WHERE { %s }",
)
WHERE = '?drug {type: "Drug"} ATTR(?drug, "level", ?level) ATTR(?drug, "dose", ?dose)'


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """Drugs of all kinds of levels, one without any, beside a decoy."""
    with recollect.open(":memory:", "decoy") as decoy:
        decoy.write([PutConcept("Drug", "decoy", {"level": 1, "dose": 7})])
        nexus = decoy.group("main")
        nexus.write(
            [
                PutConcept("Drug", f"drug {at}", {"level": level, "dose": at % 4 / 2})
                for at, level in enumerate(LEVELS)
            ]
            + [PutConcept("Drug", "unknown")]
        )
        yield nexus


def told_apart(rows: Iterable[Sequence[Cell]]) -> list[list[tuple[bool, Cell]]]:
    """Return the rows with true told from 1, which Python holds for equal."""
    return [[(isinstance(cell, bool), cell) for cell in row] for row in rows]


def groups(nexus: Nexus, text: str, as_of: AsOf | None = None) -> list[list[tuple[bool, Cell]]]:
    (found,) = nexus.read(text % WHERE, as_of=as_of).results
    assert isinstance(found, Rows)
    return told_apart(found.rows)


def now_as_past(nexus: Nexus) -> AsOf:
    return AsOf(transaction=nexus.stats().transactions)


@pytest.mark.parametrize("text", TEXTS)
def test_groups_of_the_past_are_those_there_were(nexus: Nexus, text: str) -> None:
    then, past = groups(nexus, text), now_as_past(nexus)
    nexus.write(
        [PutConcept("Drug", f"drug {at}", {"level": 5, "dose": 9}) for at in range(0, 10, 2)]
        + [PutConcept("Drug", "new", {"level": 1, "dose": 3})]
    )
    assert groups(nexus, text) != then
    assert groups(nexus, text, past) == then


def test_equal_values_are_one_group_of_the_past(nexus: Nexus) -> None:
    counts = {0: 3, 2: 1, 3: 1, 4: 2, 5: 2, 7: 1, 8: 1}  # by the first drug of that level
    expected = [(LEVELS[first], count) for first, count in counts.items()]
    assert groups(nexus, TEXTS[0], now_as_past(nexus)) == told_apart(expected)


@STEPS
def test_only_groups_are_asked_what_is_equal_to_their_values(nexus: Nexus) -> None:
    nexus.write([PutConcept("Drug", f"many {at}", {"level": 2}) for at in range(1_000)])
    past = now_as_past(nexus)
    twice, once = (nexus.explain(one % WHERE, as_of=past).steps for one in (TEXTS[0], TEXTS[5]))
    assert twice < 50_000 < once
