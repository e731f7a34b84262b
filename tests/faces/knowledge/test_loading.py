"""Documents of knowledge: what comes in, what is skipped, and what is refused as a whole."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from tests.faces.knowledge.conftest import TRACE

from recollect.errors import RecollectError
from recollect.faces.knowledge import KnowledgeBase, KnowledgeDataLoader, LoadReport, Skipped
from recollect.kernel import Nexus

LOADER = KnowledgeDataLoader()
ALL = {"metadata": 1, "pieces": 1, "graph_nodes": 2, "graph_edges": 1}


def changed(path: str, value: Any) -> dict[str, Any]:
    document = copy.deepcopy(TRACE)
    *parents, last = path.split(".")
    place: Any = document
    for one in parents:
        place = place[int(one) if one.isdecimal() else one]
    place[int(last) if last.isdecimal() else last] = value
    return document


def test_a_mapping_and_a_file_are_loaded_alike(kb: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "knowledge.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(TRACE).encode())
    assert LOADER.load(kb, TRACE) == ALL
    assert LOADER.load(kb, path) == ALL
    assert LOADER.load(kb, str(path)) == ALL


@pytest.mark.parametrize("section", ["metadata", "pieces", "graph"])
def test_a_section_may_be_absent(kb: KnowledgeBase, section: str) -> None:
    report = LOADER.load(kb, {name: one for name, one in TRACE.items() if name != section})
    assert report.skipped == ()


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({}, "none of metadata, pieces, graph"),
        ({"other": 1}, "none of metadata, pieces, graph"),
        ([], "the document is not an object"),
        ({"metadata": [], "pieces": []}, "metadata is not"),
        ({"metadata": [1]}, "metadata is not"),
        ({"pieces": {"a": 1}}, "pieces is not a list"),
        ({"graph": [1]}, "graph is not"),
        ({"graph": {"nodes": {"a": 1}}}, "graph.nodes is not a list"),
        ({"graph": {"edges": 5}}, "graph.edges is not a list"),
    ],
)
def test_what_is_no_document_is_refused_before_anything_is_stored(
    kb: KnowledgeBase, nexus: Nexus, document: Any, told: str
) -> None:
    with pytest.raises(RecollectError) as caught:
        LOADER.load(kb, document)
    assert told in caught.value.message
    assert nexus.groups() == ["decoy"]


@pytest.mark.parametrize(
    ("path", "value", "skipped"),
    [
        ("metadata.user:alice", {"properties": {}}, ("metadata", "user:alice")),
        ("metadata.user:alice", 5, ("metadata", "user:alice")),
        ("pieces.0.content", " ", ("pieces", "les-rans-init")),
        ("pieces.0.knowledge_type", "rumour", ("pieces", "les-rans-init")),
        ("pieces.0.tags", "les", ("pieces", "les-rans-init")),
        ("pieces.0", 7, ("pieces", "0")),
        ("graph.nodes.1.node_type", "", ("graph.nodes", "technique:les")),
        ("graph.edges.0.target_id", "nobody", ("graph.edges", "0")),
        ("graph.edges.0", [], ("graph.edges", "0")),
    ],
)
def test_an_invalid_item_is_skipped_and_told_and_never_stops_the_rest(
    kb: KnowledgeBase, caplog, path: str, value: Any, skipped: tuple[str, str]
) -> None:
    report = LOADER.load(kb, changed(path, value))
    assert (report.skipped[0].section, report.skipped[0].key) == skipped
    assert any(skipped[1] in one.getMessage() for one in caplog.records)
    assert sum(report.values()) in (3, 4)


def test_strict_refuses_all_by_the_first_key(kb: KnowledgeBase, nexus: Nexus) -> None:
    with pytest.raises(RecollectError) as caught:
        LOADER.load(kb, changed("graph.edges.0.target_id", "nobody"), strict=True)
    assert "graph.edges 0" in caught.value.message
    assert nexus.groups() == ["decoy"]


def test_a_dry_run_tells_the_same_and_keeps_nothing(kb: KnowledgeBase, nexus: Nexus) -> None:
    assert LOADER.load(kb, TRACE, dry_run=True) == ALL
    assert nexus.groups() == ["decoy"]


def test_items_are_upserted(kb: KnowledgeBase) -> None:
    LOADER.load(kb, TRACE)
    LOADER.load(kb, changed("pieces.0.content", "LES: another text"))
    LOADER.load(kb, changed("graph.edges.0.properties", {"piece_id": "les-rans-init", "w": 1}))
    (edge,) = kb.graph_store.get_relations("user:alice")
    assert edge.properties == {"piece_id": "les-rans-init", "w": 1}
    LOADER.load(kb, changed("graph.edges.0.properties", {"piece_id": "les-rans-init"}))
    (edge,) = kb.graph_store.get_relations("user:alice")
    assert edge.properties == {"piece_id": "les-rans-init"}
    LOADER.load(kb, changed("metadata.user:alice.properties", {"site": "Bern"}))
    assert dict(kb.metadata_store.get_metadata("user:alice").items()) == {"site": "Bern"}


def test_ends_of_edges_may_be_of_an_earlier_load(kb: KnowledgeBase) -> None:
    LOADER.load(kb, {"graph": {"nodes": TRACE["graph"]["nodes"]}})
    assert LOADER.load(kb, {"graph": {"edges": TRACE["graph"]["edges"]}})["graph_edges"] == 1


def test_a_secret_is_skipped_and_never_told(kb: KnowledgeBase, caplog) -> None:
    for path in ("pieces.0.content", "pieces.0.source", "metadata.user:alice.properties"):
        value: Any = "password: hunter2"
        report = LOADER.load(
            kb, changed(path, {"password": "hunter2"} if "prop" in path else value)
        )
        assert len(report.skipped) == 1
        assert "hunter2" not in str(report.skipped)
    assert "hunter2" not in caplog.text


def test_a_key_that_holds_a_secret_is_not_shown(kb: KnowledgeBase) -> None:
    secret = "token=abcdef123456"
    report = LOADER.load(kb, {"metadata": {secret: {"entity_type": "user"}}})
    assert report.skipped == (Skipped("metadata", "?", report.skipped[0].reason),)


@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "NOT_FOUND"), (b"{", "INVALID_ARGUMENT"), (b"\xff", "INVALID_ARGUMENT")],
)
def test_a_file_that_cannot_be_read_is_told_so(
    kb: KnowledgeBase, tmp_path: Path, content: bytes | None, code: str
) -> None:
    path = tmp_path / "x.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecollectError) as caught:
        LOADER.load(kb, path)
    assert caught.value.code.code == code


def test_a_report_is_its_counts() -> None:
    assert LoadReport(1, 2, 3, 4) == {
        "metadata": 1,
        "pieces": 2,
        "graph_nodes": 3,
        "graph_edges": 4,
    }
