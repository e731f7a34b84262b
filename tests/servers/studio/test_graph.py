"""The graph as data and as a list; the picture is looked at in a browser."""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.servers.studio.conftest import Visitor

from recollect.kernel import Nexus
from recollect.model import PutConcept, PutLink
from recollect.servers.studio.graph import MOST_NODES

pytestmark = pytest.mark.usefixtures("told")


def names(visitor: Visitor, **query: str) -> set[str]:
    return {one["name"] for one in visitor.get("/graph/data", **query).json()["nodes"]}


def test_what_is_beside_an_element_is_drawn(visitor: Visitor):
    found = visitor.get("/graph/data", id="ann").json()
    assert {one["name"] for one in found["nodes"]} == {"Ann", "Acme", "Bob"}
    assert {one["predicate"] for one in found["links"]} == {"works_at", "knows"}
    assert found["whole"]


def test_filters_leave_some_out(visitor: Visitor, nexus: Nexus):
    nexus.write([PutLink("ann", "likes", "beta", metadata={"confidence": 0.2})])
    assert names(visitor, id="ann", predicate="knows") == {"Ann", "Bob"}
    assert names(visitor, id="ann", type="Company") == {"Ann", "Acme", "Beta"}
    assert "Beta" not in names(visitor, id="ann", confidence="0.5")
    assert names(visitor, id="ann", known="#0") == set()
    assert visitor.get("/graph/data", id="ann", confidence="much").status_code == 400


def test_a_search_and_all_of_it_are_beginnings(visitor: Visitor):
    assert {"Ann", "Acme", "Bob"} <= names(visitor, q="Ann")
    assert {"Ann", "Acme", "Bob"} <= names(visitor, all="1")
    assert "Ann knows" not in visitor.text("/graph")
    assert "Ann works_at Acme" in visitor.text("/graph", id="ann")


def test_rows_are_drawn_with_what_they_stand_on(visitor: Visitor):
    kip = 'FIND(?x.name) WHERE { ?x {type: "Person"} (?x, $how, {name: "Acme"}) }'
    page = visitor.get("/ask", q=kip, **{"as": "graph", "p.how": "works_at"}).text
    (source,) = re.findall(r'data-source="([^"]+)"', page)
    found = visitor.http.get(html.unescape(source)).json()
    assert {one["name"] for one in found["nodes"]} == {"Ann", "Acme"}
    assert [one["predicate"] for one in found["links"]] == ["works_at"]
    assert "In words" in page and '<th scope="col">x.name</th>' in page
    past = visitor.get("/graph/data", kip=kip, known="#0", **{"p.how": "works_at"})
    assert past.json()["nodes"] == []
    assert visitor.get("/graph/data", kip="FIND(").status_code == 400


def test_no_more_is_drawn_than_can_be_read(visitor: Visitor, nexus: Nexus):
    many = MOST_NODES + 100
    nexus.write([PutConcept("Leaf", str(one), id=f"leaf{one}") for one in range(many)])
    nexus.write([PutLink(f"leaf{one}", "of", "ann") for one in range(many)])
    found = visitor.get("/graph/data", all="1").json()
    assert len(found["nodes"]) <= MOST_NODES and not found["whole"]
    assert "at most 2,000 nodes are drawn" in visitor.text("/graph", all="1")
    of_ann = 'FIND(?x) WHERE { (?x, "of", {name: "Ann"}) }'
    assert not visitor.get("/graph/data", kip=of_ann).json()["whole"]
    assert visitor.get("/graph/data", kip=f"{of_ann} LIMIT 2").json()["whole"]


def test_what_has_ended_says_so_in_the_picture_and_in_the_list(visitor: Visitor, nexus: Nexus):
    nexus.write([PutLink("ann", "works_at", "beta", metadata={"valid_until": "2020-05-01"})])
    found = visitor.get("/graph/data", id="ann").json()
    ended = {(one["to"], one["ended"]) for one in found["links"] if one["from"] == "ann"}
    assert ended == {("beta", "until 2020-05-01"), ("acme", "")}
    assert "Ann works_at Beta until 2020-05-01" in visitor.text("/graph", id="ann")


def test_a_filter_offers_all_there_is_to_choose_and_leaves_out_what_is_not_joined(
    visitor: Visitor,
):
    page = visitor.get("/graph", q="Ann Acme Beta", predicate="knows").text
    assert '<option value="works_at">' in page and '<option value="Company">' not in page
    narrow = visitor.get("/graph/data", id="ann", predicate="works_at", type="Company").json()
    assert [one["name"] for one in narrow["nodes"]] == ["Ann", "Acme"]
    assert names(visitor, q="Ann Acme Beta", predicate="knows") == {"Ann", "Bob"}
    page = visitor.get("/graph", id="ann", type="Company").text
    assert '<option value="Person">' in page


def test_a_search_that_finds_nothing_says_so(visitor: Visitor):
    page = visitor.text("/graph", q="Zaphod")
    assert "No concept here is about Zaphod" in page and "Search for something" not in page


def test_a_search_that_finds_nothing_names_what_is_called_alike(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Person", "Zara Quimby")])
    nexus.group("decoy").write([PutConcept("Person", "Ann Quimbi")])
    page = visitor.get("/graph", q="Quimbia").text
    (link,) = re.findall(r'Did you mean <a href="([^"]*)"><bdi>Zara Quimby</bdi></a>\?', page)
    (text,) = parse_qs(urlsplit(html.unescape(link)).query)["q"]
    assert names(visitor, q=text) == {"Zara Quimby"}
    assert "Did you mean" not in visitor.text("/graph", q="Xylophone")
