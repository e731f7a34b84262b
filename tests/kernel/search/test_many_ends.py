"""Links are found through their ends although very many concepts have the words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from behind import STEPS
from recollect.faces.operations import Operations
from recollect.kernel import Nexus
from recollect.model import Hits, PutConcept, PutFact, PutLink

NAMESAKES = 400


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    """People of one name, of whom the last alone lives somewhere; and a decoy of all of it."""
    nexus = Nexus.open(":memory:")
    for group in (nexus.group("decoy"), nexus):
        group.write(
            [
                PutConcept("City", "Rome", id="rome"),
                *(PutConcept("Entity", f"Ann {one}", id=f"a{one:03}") for one in range(NAMESAKES)),
                *(PutLink(f"a{one:03}", "knows", "rome") for one in range(NAMESAKES - 1)),
                PutFact(f"a{NAMESAKES - 1:03}", "lives_in", "rome", "the house by the river"),
            ]
        )
    yield nexus
    nexus.close()


def _hits(nexus: Nexus, text: str) -> Hits:
    (hits,) = nexus.read(text).results
    assert isinstance(hits, Hits)
    return hits


def test_every_link_of_many_namesakes_is_found(nexus: Nexus) -> None:
    assert len(_hits(nexus, 'SEARCH PROPOSITION "ann" LIMIT 1000').hits) == NAMESAKES


def test_a_predicate_keeps_the_link_of_the_last_of_many_namesakes(nexus: Nexus) -> None:
    (hit,) = _hits(nexus, 'SEARCH PROPOSITION "ann" WITH TYPE "lives_in"').hits
    assert hit.element.attributes["fact"] == "the house by the river"


def test_the_fact_of_one_of_many_namesakes_is_found(nexus: Nexus) -> None:
    answer = Operations(nexus).search_facts(group_ids=["default"], query="ann", max_facts=10)
    assert [one["fact"] for one in answer["output"]["facts"]] == ["the house by the river"]


@STEPS
def test_a_link_costs_the_same_however_many_concepts_have_the_words(nexus: Nexus) -> None:
    def steps(name: str, many: int) -> int:
        people = [PutConcept("Entity", f"{name} {one}", id=f"{name}{one}") for one in range(many)]
        ends = [(one, (one + step) % many) for one in range(many) for step in range(1, 6)]
        links = [PutLink(f"{name}{one}", "knows", f"{name}{other}") for one, other in ends]
        nexus.write([*people, *links])
        explained = nexus.explain(f'SEARCH PROPOSITION "{name}" LIMIT 10')
        assert explained.steps is not None
        return explained.steps

    few, many = steps("bea", 100), steps("cid", 400)
    assert many < 6 * few
