"""How a group grew, told from its log."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.kernel import Nexus
from recollect.model import Delete, PutConcept, PutLink


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write([PutConcept("T", f"decoy {at}") for at in range(7)])
        for at in range(10):
            nexus.write([PutConcept("T", str(at), id=f"t{at}")])
        nexus.write([PutLink("t0", "before", f"t{at}") for at in range(1, 10)])
        nexus.write([Delete("t9")])
        yield nexus


def grown(nexus: Nexus, marks: int) -> list[tuple[int, int, int]]:
    return [(one.transaction, one.concepts, one.links) for one in nexus.stats(marks).growth]


def test_growth_is_told_at_the_end_of_stretches_of_equal_length(nexus: Nexus) -> None:
    assert grown(nexus, 0) == []
    assert grown(nexus, 1) == [(11, 10, 9)]
    assert grown(nexus, 3) == [(4, 4, 0), (8, 8, 0), (11, 10, 9)]
    assert len(grown(nexus, 1_000)) == 11


def test_every_mark_has_the_instant_of_its_transaction(nexus: Nexus) -> None:
    for one in nexus.stats(4).growth:
        (logged,) = nexus.changes(one.transaction - 1, 1)
        assert logged.transaction.at == one.at


def test_a_group_that_nobody_wrote_to_has_not_grown(nexus: Nexus) -> None:
    assert nexus.group("empty").stats(24).growth == ()
