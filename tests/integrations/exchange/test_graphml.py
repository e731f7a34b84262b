"""GraphML that the parsers of others read."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from tests.integrations.exchange.conftest import exported

from recollect.kernel import Nexus

SPACE = {"g": "http://graphml.graphdrawing.org/xmlns"}

TAUGHT = """UPSERT {
  CONCEPT @d { {type: "Drug", name: "<Aspirin> & \\"co\\""} SET ATTRIBUTES { note: "bell \\u0007 and ]]>" } }
  CONCEPT @s { {type: "Symptom", name: "Head\\u0001ache"} }
  PROPOSITION @l { (@d, "treats", @s) SET ATTRIBUTES { fact: "it \\u0002 helps" } } WITH METADATA { valid_from: "2020" }
  PROPOSITION @m { (@d, "seen_in", @l) }
}"""


def said(element: ElementTree.Element) -> dict[str, str]:
    return {
        one.attrib["key"].split("-")[1]: one.text or "" for one in element.findall("g:data", SPACE)
    }


def test_nodes_and_edges_are_read_back(nexus: Nexus, tmp_path: Path) -> None:
    nexus.write(TAUGHT)
    root = ElementTree.parse(exported(nexus, tmp_path / "g.graphml", "graphml")).getroot()
    (graph,) = root.findall("g:graph", SPACE)
    nodes = {one.attrib["id"]: said(one) for one in graph.findall("g:node", SPACE)}
    edges = {one.attrib["id"]: one.attrib | said(one) for one in graph.findall("g:edge", SPACE)}
    by_label = {one["label"]: one for one in nodes.values()}
    drug = by_label['<Aspirin> & "co"']
    assert (drug["type"], json.loads(drug["attributes"])) == ("Drug", {"note": "bell \a and ]]>"})
    assert "Head␁ache" in by_label
    treats, seen_in = sorted(edges.values(), key=lambda one: one["predicate"], reverse=True)
    assert (treats["fact"], treats["valid_at"]) == ("it ␂ helps", "2020-01-01T00:00:00.000Z")
    assert json.loads(treats["attributes"]) == {"fact": "it \x02 helps"}
    about = nodes[seen_in["target"]]
    assert (about["kind"], about["link"]) == ("link", treats["id"])
    for edge in edges.values():
        assert {edge["source"], edge["target"]} <= nodes.keys()
    declared = {one.attrib["id"] for one in root.findall("g:key", SPACE)}
    assert {one.attrib["key"] for one in graph.iter(f"{{{SPACE['g']}}}data")} <= declared


def test_an_empty_memory_is_a_graph_too(nexus: Nexus, tmp_path: Path) -> None:
    root = ElementTree.parse(exported(nexus, tmp_path / "g.graphml", "graphml")).getroot()
    assert len(root.findall("g:graph", SPACE)) == 1


def test_a_carriage_return_stays_one(nexus: Nexus, tmp_path: Path) -> None:
    nexus.write('UPSERT { CONCEPT @d { {type: "Drug", name: "a\\r\\nb"} } }')
    root = ElementTree.parse(exported(nexus, tmp_path / "g.graphml", "graphml")).getroot()
    (node,) = root.findall("g:graph/g:node", SPACE)
    assert said(node)["name"] == "a\r\nb"
