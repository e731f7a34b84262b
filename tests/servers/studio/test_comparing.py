"""Two moments side by side."""

from __future__ import annotations

import html

import pytest
from tests.servers.studio.conftest import Visitor

from recollect.kernel import Nexus
from recollect.model import Delete, PutConcept, PutFact, instant_text

pytestmark = pytest.mark.usefixtures("told")


def test_what_came_went_and_changed_stands_apart(visitor: Visitor, nexus: Nexus):
    nexus.write([Delete("friends"), PutConcept("Person", "Zoe")])
    page = visitor.text("/compare", **{"from": "#1", "to": ""})
    came, went = page.index("Came"), page.index("Went")
    changed = page.index("Changed")
    assert "Zoe" in page[came:went] and "Bob knows Ann" in page[went:changed]
    assert "engineer director" in page[changed:]


def test_moments_may_be_instants(visitor: Visitor, nexus: Nexus):
    first, *_ = nexus.changes(0, 1)
    at = instant_text(first.transaction.at)
    page = visitor.text("/compare", **{"from": at, "to": "#2"})
    assert "after transaction #1 and after #2" in page and "engineer director" in page
    assert "after transaction #0" in visitor.text("/compare", **{"from": "1990", "to": "#1"})


def test_a_transaction_that_does_not_exist_yet_is_told(visitor: Visitor):
    words = "Transaction #99 does not exist yet: the last is #"
    assert words in visitor.text("/compare", **{"from": "#99"})
    assert words not in visitor.text("/compare", **{"from": "#1"})
    assert words in html.unescape(visitor.get("/", known="#99").text)


def test_an_empty_memory_compares_nothing(visitor: Visitor):
    assert "Nothing." in visitor.text("/compare", group="empty")


@pytest.fixture
def careers(nexus: Nexus, told: None) -> int:
    """Ann changed her work in 2023 and lived in Bonn for a while; the meeting was in May 2022."""
    del told

    def fact(name: str, predicate: str, end: str, since: str, until: str | None) -> PutFact:
        words = f"Ann {predicate.replace('_', ' ')} {end.title()}"
        times = {"valid_from": since} | ({"valid_until": until} if until else {})
        return PutFact("ann", predicate, end, words, metadata=times, id=name)

    nexus.write(
        [
            PutConcept("Town", "Bonn", id="bonn"),
            PutConcept("Meeting", "spring meeting", metadata={"valid_from": "2022-05"}),
            fact("old", "leads", "acme", "2020-01-01", "2023-01-01"),
            fact("new", "leads", "beta", "2023-01-01", None),
            fact("flat", "lives_in", "bonn", "2021-02-01", "2021-06-01"),
        ]
    )
    return nexus.stats().transactions


def of_facts(visitor: Visitor, start: str, end: str, **more: str) -> dict[str, str]:
    """Return what stands below each heading."""
    page = visitor.text("/compare", clock="facts", **{"from": start, "to": end}, **more)
    _, came = page.split("Began to be true")
    came, rest = came.split("Is true no longer")
    went, _, changed = rest.partition("Changed")
    changed, _, passed = changed.partition("Was true for a while")
    return {"came": came, "went": went, "changed": changed, "passed": passed}


@pytest.mark.usefixtures("careers")
def test_what_was_true_is_compared_by_the_clock_of_facts(visitor: Visitor):
    found = of_facts(visitor, "2021", "2024")
    assert "spring meeting" in found["came"] and "Ann works at Acme" not in found["came"]
    assert "Ann leads Acme Ann leads Beta" in found["changed"]
    assert "Ann lives in Bonn" in found["passed"]
    assert "Nothing." in found["went"]


@pytest.mark.usefixtures("careers")
def test_a_fact_begins_at_its_first_instant_and_is_over_at_its_end(visitor: Visitor):
    found = of_facts(visitor, "2021-02-01", "2021-05-31")
    assert "Nothing." in found["came"] and "Nothing." in found["went"]
    assert "Ann lives in Bonn" in of_facts(visitor, "2021-02-01", "2021-06-01")["went"]
    assert "Ann lives in Bonn" in of_facts(visitor, "2021-01-31", "2021-02-01")["came"]
    turned_round = of_facts(visitor, "2021-02-01", "2021-01-31")
    assert "Ann lives in Bonn" in turned_round["came"]


def test_what_was_true_is_told_as_it_was_known(visitor: Visitor, careers: int):
    assert "Nothing." in of_facts(visitor, "2022", "2024", known=f"#{careers - 1}")["changed"]
    assert "Ann leads Beta" in of_facts(visitor, "2022", "2024", known=f"#{careers}")["changed"]


def test_what_is_no_time_is_refused_by_both_clocks(visitor: Visitor):
    assert visitor.get("/compare", clock="facts", **{"from": "soon"}).status_code == 400
    assert visitor.get("/compare", **{"from": "soon"}).status_code == 400
