"""Documents of knowledge: what comes in, what is skipped, and what is refused as a whole."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.faces.knowledge.conftest import TRACE

from recollect.errors import RecollectError
from recollect.faces.knowledge import (
    KeyValueMetadataStore,
    KnowledgeBase,
    KnowledgeDataLoader,
    KnowledgePiece,
    LoadReport,
    RetrievalKnowledgePieceStore,
)
from recollect.faces.knowledge.services import MemoryKeyValueService, MemoryRetrievalService
from recollect.kernel import Nexus
from recollect.model import AsOf

LOADER = KnowledgeDataLoader()
SECRET = "token=abcdef123456"
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


def test_a_load_is_one_transaction_of_which_no_half_is_ever_read(nexus: Nexus) -> None:
    with KnowledgeBase(nexus=nexus, active_entity_id="user:alice") as kb:
        before = nexus.stats().transactions
        LOADER.load(kb, TRACE)
        assert nexus.stats().transactions == before + 1
        moved = changed("pieces.0.entity_id", "user:bob")
        moved["metadata"]["user:bob"] = {"entity_type": "user"}
        LOADER.load(kb, moved)
        LOADER.load(kb, TRACE)
        assert nexus.stats().transactions == before + 3
        assert kb.get_piece("les-rans-init").entity_id == "user:alice"
        assert kb.metadata_store.list_entities() == ["user:alice", "user:bob"]
        first = kb.at(AsOf(transaction=before + 1)).retrieve("LES")
        assert (len(first.pieces), len(first.graph_context)) == (1, 1)
        with pytest.raises(RecollectError):
            LOADER.load(kb.at(AsOf(transaction=before + 1)), moved)


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


def test_a_document_loaded_twice_changes_nothing(nexus: Nexus) -> None:
    document = {**TRACE, "pieces": [*TRACE["pieces"], {"content": "No id."}, {"content": "Nor I."}]}
    keys, words = MemoryKeyValueService(), MemoryRetrievalService()
    on_services = KeyValueMetadataStore(keys), RetrievalKnowledgePieceStore(words)
    for kb in (KnowledgeBase(nexus=nexus), KnowledgeBase(*on_services, nexus=nexus.group("other"))):
        before = LOADER.load(kb, document)
        kept = kb.piece_store.list_all(), kb.metadata_store.get_metadata("user:alice")
        assert len(kept[0]) == 2
        done = kb.graph_store.nexus.stats().transactions
        assert LOADER.load(kb, document) == before
        assert (kb.piece_store.list_all(), kb.metadata_store.get_metadata("user:alice")) == kept
        assert kb.graph_store.nexus.stats().transactions == done


def test_pieces_may_swap_their_owners(kb: KnowledgeBase, nexus: Nexus) -> None:
    question = 'FIND(?p.name, ?e.name) WHERE { (?p, "belongs_to", ?e) } ORDER BY ?p.name'
    told = [{"piece_id": one, "content": one, "entity_id": one} for one in ("a", "b")]
    swapped = [{**told[0], "entity_id": "b"}, {**told[1], "entity_id": "a"}]
    LOADER.load(kb, {"pieces": told})
    LOADER.load(kb, {"pieces": swapped})
    assert nexus.read(question).results[0].rows == [("a", "b"), ("b", "a")]
    kb.piece_store.put_all([KnowledgePiece(**one) for one in told])
    assert nexus.read(question).results[0].rows == [("a", "a"), ("b", "b")]


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


@pytest.mark.parametrize(
    ("document", "section"),
    [
        ({"metadata": {"a": {"entity_type": "t"}, SECRET: {"entity_type": "t"}}}, "metadata"),
        ({"pieces": [{"content": "x"}, {"content": "", "piece_id": SECRET}]}, "pieces"),
        ({"pieces": [{"content": "x"}, {"content": "x", "knowledge_type": SECRET}]}, "pieces"),
        ({"pieces": [{"content": "x"}, {"content": "x", SECRET: 1}]}, "pieces"),
    ],
)
def test_neither_key_nor_reason_tells_a_secret(
    kb: KnowledgeBase, caplog, document: dict[str, Any], section: str
) -> None:
    (skipped,) = LOADER.load(kb, document).skipped
    assert (skipped.section, skipped.key) == (section, "1")
    with pytest.raises(RecollectError) as caught:
        LOADER.load(kb, document, strict=True)
    assert kb.bulk_load([{"content": "x", "knowledge_type": SECRET}]) == 0
    assert "abcdef123456" not in f"{skipped} {caught.value} {caplog.text}"


DEEP: Any = 1
for _ in range(200):
    DEEP = {"a": DEEP}


@pytest.mark.parametrize(
    "value", [DEEP, [DEEP], 2**63, -(2**63) - 1, "a\0", "\ud800", {"\0": 1}, {"a": {"\ud800": 1}}]
)
def test_what_no_graph_can_hold_is_skipped_and_the_rest_is_loaded(
    kb: KnowledgeBase, value: Any
) -> None:
    bad = {"properties": {"bad": value}}
    ends = {"source_id": "user:alice", "target_id": "technique:les", "edge_type": "KNOWS"}
    graph = {
        "nodes": [*TRACE["graph"]["nodes"], {"node_id": "n", "node_type": "t", **bad}],
        "edges": [*TRACE["graph"]["edges"], {**ends, **bad}, {**ends, "properties": {"_w": 1}}],
    }
    metadata = {**TRACE["metadata"], "u": {"entity_type": "t", **bad}}
    report = LOADER.load(kb, {**TRACE, "metadata": metadata, "graph": graph})
    assert report == ALL
    assert [(one.section, one.key) for one in report.skipped] == [
        *(("metadata", "u"), ("graph.nodes", "n"), ("graph.edges", "1"), ("graph.edges", "2"))
    ]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=9)
    | st.sampled_from(["user:alice", "fact", "token=abcdef123456", "a|b", " ", "x" * 300]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def item(*names: str) -> st.SearchStrategy[Any]:
    """Return items of which some are valid, some nearly so, and some nothing at all."""
    near = st.fixed_dictionaries(
        dict.fromkeys(names[:2], JSON), optional=dict.fromkeys(names[2:], JSON)
    )
    return near | JSON


@given(
    metadata=st.dictionaries(st.text(st.characters()), item("entity_type", "properties")),
    pieces=st.lists(item("content", "piece_id", "knowledge_type", "tags", "entity_id"), max_size=3),
    nodes=st.lists(item("node_id", "node_type", "label", "properties"), max_size=3),
    edges=st.lists(item("source_id", "target_id", "edge_type", "properties"), max_size=3),
)
def test_whatever_the_items_are_each_is_loaded_or_skipped(
    metadata: Any, pieces: Any, nodes: Any, edges: Any
) -> None:
    document = {
        "metadata": {**metadata, **TRACE["metadata"]},
        "pieces": [*pieces, *TRACE["pieces"]],
        "graph": {
            "nodes": [*nodes, *TRACE["graph"]["nodes"]],
            "edges": [*edges, *TRACE["graph"]["edges"]],
        },
    }
    with KnowledgeBase() as kb:
        report = LOADER.load(kb, document)
        given = (document["metadata"], document["pieces"], *document["graph"].values())
        assert sum(report.values()) + len(report.skipped) == sum(map(len, given))
        assert kb.get_piece("les-rans-init") is not None


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
    with pytest.raises(RecollectError, match="INVALID_ARGUMENT"):
        LOADER.load(kb, "no\0path")


def test_a_report_is_its_counts() -> None:
    assert LoadReport(1, 2, 3, 4) == {
        "metadata": 1,
        "pieces": 2,
        "graph_nodes": 3,
        "graph_edges": 4,
    }
