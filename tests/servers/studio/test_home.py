"""The first page: what a memory is about, how it grew, and the same of another moment."""

from __future__ import annotations

import re

import pytest
from tests.servers.studio.conftest import Visitor, said

from recollect.faces.claims import Actor, AttentionQueue
from recollect.kernel import Nexus
from recollect.model import Delete, PutConcept

pytestmark = pytest.mark.usefixtures("told")


def chips(visitor: Visitor, **query: object) -> dict[str, int]:
    """Return the types and predicates that the page counts."""
    page = visitor.get("/", **query).text
    lists = "".join(re.findall(r'<ul class="chips">(.*?)</ul>', page, re.DOTALL))
    found = re.findall(r"<bdi>(.*?)</bdi>.*?>([\d,]+)<", lists)
    return {name: int(count.replace(",", "")) for name, count in found}


def test_types_and_predicates_are_counted_and_lead_on(visitor: Visitor):
    counted = chips(visitor)
    assert (counted["Person"], counted["Company"], counted["works_at"]) == (2, 2, 1)
    assert "Claim" in counted and "Evidence" not in counted
    page = visitor.get("/").text
    (link,) = re.findall(r'href="(/ask[^"]+knows[^"]+)"', page)
    answer = visitor.http.get(link)
    assert "Bob" in said(answer.text) and "1 row" in said(answer.text)


def test_another_moment_counts_what_was_held_then(visitor: Visitor, nexus: Nexus):
    nexus.write([Delete("bob"), PutConcept("Person", "Zoe"), PutConcept("Person", "Yan")])
    nexus.write([PutConcept("Town", "Rome"), Delete("job")])
    assert chips(visitor)["Person"] == 3
    assert chips(visitor, known="#1") == {"Person": 2, "Company": 2, "works_at": 1, "knows": 1}
    assert "works_at" not in chips(visitor, valid="2020-01-01")
    page = visitor.text("/", known="#1")
    assert "What this memory held as it was after transaction #1 of 5" in page
    newest = page[page.index("Newest") : page.index("What changed")]
    assert "Bob" in newest and "Zoe" not in newest
    assert "#1" in page and "#2" not in page and "Zoe" not in page
    assert chips(visitor, known="#0") == {}


def test_an_agent_is_connected_to_the_memory_that_is_looked_at(visitor: Visitor):
    assert re.search(
        r"mcp install claude-code (--db 'postgresql://\S+' )?--write", visitor.text("/")
    )
    assert "--group decoy --write" in visitor.text("/", group="decoy")


def test_what_wanted_attention_then_is_told(visitor: Visitor, nexus: Nexus):
    AttentionQueue(nexus).reject("Ann is tall", Actor("agent", "alpha"))
    assert "Ann is tall" in visitor.text("/")
    assert "Ann is tall" not in visitor.text("/", known="#1")


def test_the_most_connected_are_told_by_names_that_say_something(visitor: Visitor):
    assert 'hx-get="/connected?part=1"' in visitor.get("/").text
    page = visitor.text("/connected", part=1)
    assert page.startswith("Person") and "Ann , Bob" in page and "Claim" not in page
    assert "Most connected" in visitor.text("/connected")


def test_growth_is_drawn_from_the_log(visitor: Visitor, nexus: Nexus):
    part = visitor.get("/growth", part=1).text
    stats = nexus.stats()
    made = f"{stats.concepts} concepts , {stats.links} links , in {stats.transactions} transactions"
    assert made in said(part) and part.count("<polygon") == 2
    for corners in re.findall(r'points="([^"]+)"', part):
        xs, ys = zip(*(map(float, one.split(",")) for one in corners.split()), strict=True)
        assert list(xs) == sorted(xs) and list(ys)[:-1] == sorted(ys[:-1], reverse=True)
    assert "How it grew" in visitor.text("/growth")
    assert "Nothing has been made yet" in visitor.text("/growth", group="empty")
