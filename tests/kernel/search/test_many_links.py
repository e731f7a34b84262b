"""Links of a concept that has very many: which are found does not change with how many are read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.kernel import Nexus
from recollect.model import Delete, Hits, PutConcept, PutLink

MANY = 2_500  # more than are read of a concept at first


@pytest.fixture(scope="module")
def nexus() -> Iterator[Nexus]:
    """A hub that links lead from and to, each to a concept of its own, and a decoy of it."""
    nexus = Nexus.open(":memory:")
    for group in (nexus.group("decoy"), nexus):
        group.write(
            [
                PutConcept("Place", "Hub", id="hub"),
                *(PutConcept("Place", f"Stop {one}", id=f"s{one}") for one in range(MANY)),
            ]
        )
        group.write([_link(one) for one in range(MANY)])
    yield nexus
    nexus.close()


def _link(one: int) -> PutLink:
    """Return a link whose id does not follow the order of writing; the last one has words."""
    ends = ("hub", f"s{one}") if one % 2 else (f"s{one}", "hub")
    said = f"the ferry {one} leaves" if one == MANY - 1 else f"bus {one % 3}"
    return PutLink(ends[0], "leads_to", ends[1], {"fact": said}, id=_id(one))


def _id(one: int) -> str:
    return f"k{7 * one % MANY:04}"


def _found(nexus: Nexus, text: str, limit: int) -> dict[str, float]:
    (hits,) = nexus.search(text, "link", limit=limit).results
    assert isinstance(hits, Hits)
    return {one.element.id: one.score for one in hits.hits}


def test_the_links_of_a_hub_are_found_in_the_order_they_were_written(nexus: Nexus) -> None:
    assert [*_found(nexus, "hub", 3)] == [_id(0), _id(1), _id(2)]
    assert len(_found(nexus, "hub", MANY + 1)) == MANY


def test_a_link_beyond_the_first_is_moved_up_by_its_words(nexus: Nexus) -> None:
    found = _found(nexus, "hub ferry", 2)
    assert [*found] == [_id(MANY - 1), _id(0)]
    assert found == dict([*_found(nexus, "hub ferry", MANY + 1).items()][:2])


def test_a_link_beyond_the_first_is_moved_up_by_its_other_end(nexus: Nexus) -> None:
    for one in (MANY - 2, MANY - 3):
        assert next(iter(_found(nexus, f"hub stop {one}", 2))) == _id(one)


def test_of_facts_that_score_the_same_the_lowest_ids_are_found(nexus: Nexus) -> None:
    ranked = nexus.elements.rank_facts("hub", 5, through="Place")
    assert [one.id for one in ranked] == [f"k{place:04}" for place in range(5)]
    assert nexus.elements.rank_facts("hub", 0, through="Place") == ()


def test_links_that_are_gone_make_no_room(nexus: Nexus) -> None:
    with nexus.transaction(dry_run=True):
        nexus.write([Delete(_id(one)) for one in range(1_100)])
        assert [*_found(nexus, "hub", 2)] == [_id(1_100), _id(1_101)]
