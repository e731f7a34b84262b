"""Groups as of the past: told by value, as those of now, though their values are held as text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect import AsOf, Nexus
from recollect.model import PutConcept, Value

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


@pytest.mark.parametrize("text", TEXTS)
def test_groups_of_the_past_are_those_there_were(nexus: Nexus, text: str) -> None:
    (then,) = nexus.read(text % WHERE).results
    number = nexus.stats().transactions
    nexus.write(
        [PutConcept("Drug", f"drug {at}", {"level": 5, "dose": 9}) for at in range(0, 10, 2)]
        + [PutConcept("Drug", "new", {"level": 1, "dose": 3})]
    )
    assert nexus.read(text % WHERE).results != (then,)
    past = AsOf(known=number, known_is_transaction=True)
    (found,) = nexus.read(text % WHERE, as_of=past).results
    assert found.rows == then.rows
    assert [[type(cell) for cell in row] for row in found.rows] == [
        [type(cell) for cell in row] for row in then.rows
    ]


def test_equal_values_are_one_group_of_the_past(nexus: Nexus) -> None:
    past = AsOf(known=nexus.stats().transactions, known_is_transaction=True)
    (found,) = nexus.read(TEXTS[0] % WHERE, as_of=past).results
    assert found.rows == [
        (1, 3),
        (True, 1),
        ("1", 1),
        (None, 2),
        ({"low": 1, "high": 2}, 2),
        ([1], 1),
        ("[1]", 1),
    ]


def test_each_solution_of_the_past_is_grouped_by_its_text_alone(nexus: Nexus) -> None:
    """What tells equal values apart is asked of groups: a thousand equal ones cost no more."""
    nexus.write([PutConcept("Drug", f"many {at}", {"level": 2}) for at in range(1_000)])
    past = AsOf(known=nexus.stats().transactions, known_is_transaction=True)
    merged, numbered = (nexus.explain(one % WHERE, as_of=past).steps for one in (TEXTS[0], TEXTS[5]))
    assert merged < 45 * 1_000 < numbered
