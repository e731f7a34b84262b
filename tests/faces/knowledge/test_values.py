"""The values of the knowledge base: what exists is valid, and a dict brings it back."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from recollect.errors import RecollectError
from recollect.faces.knowledge import (
    Document,
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgePiece,
    KnowledgeType,
    RetrievalResult,
)

MOMENT = datetime(2026, 11, 20, tzinfo=UTC)
PIECE = KnowledgePiece(
    "Check the mesh.", "p1", KnowledgeType.Instruction, created_at=MOMENT, updated_at=MOMENT
)
ALICE = EntityMetadata("user:alice", "user", {"team": "aero"}, MOMENT, MOMENT)


def code_of(make, *args, **given) -> str:
    with pytest.raises(RecollectError) as caught:
        make(*args, **given)
    return caught.value.code.code


@pytest.mark.parametrize(
    "value",
    [
        ALICE,
        PIECE,
        GraphNode("technique:les", "technique", "LES", {"a": [1, None]}),
        GraphEdge("a", "b", "USES", {"piece_id": "p1"}),
        Document("d1", "text", {"tags": ["a"]}, created_at=MOMENT, updated_at=MOMENT),
        RetrievalResult(ALICE, None, [(PIECE, 0.5)], [{"depth": 1, "piece": PIECE}]),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_value_comes_back_from_its_dict(value) -> None:
    assert type(value).from_dict(value.to_dict()) == value


@pytest.mark.parametrize("name", ["fact", "Fact", "FACT", " fact "])
def test_a_knowledge_type_is_read_in_any_case_and_written_in_lower(name: str) -> None:
    assert KnowledgePiece("x", knowledge_type=name).to_dict()["knowledge_type"] == "fact"


def test_there_are_the_six_knowledge_types() -> None:
    assert [one.name for one in KnowledgeType] == [
        *("Fact", "Instruction", "Preference", "Procedure", "Note", "Episodic")
    ]


def test_an_unknown_knowledge_type_is_refused_with_what_is_near() -> None:
    with pytest.raises(RecollectError) as caught:
        KnowledgePiece("x", knowledge_type="procedur")
    assert caught.value.known[0] == "procedure"


def test_tags_are_normalised_in_their_order() -> None:
    piece = KnowledgePiece("x", tags=[" RANS", "les", "", "Les", "rans "])
    assert piece.tags == ["rans", "les"]


@pytest.mark.parametrize("tags", ["les", None, [1], {"a": 1}])
def test_what_is_no_list_of_strings_is_no_tags(tags: object) -> None:
    assert code_of(KnowledgePiece, "x", tags=tags) == "INVALID_ARGUMENT"


@pytest.mark.parametrize("content", ["", "  \n", None, 5])
def test_a_piece_says_something(content: object) -> None:
    assert code_of(KnowledgePiece, content) == "INVALID_ARGUMENT"
    assert code_of(KnowledgePiece.from_dict, {"content": content}) == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("kind", "given", "fault"),
    [
        (KnowledgePiece, {}, "content is missing"),
        (GraphNode, {"node_id": "a"}, "node_type is missing"),
        (EntityMetadata, {"entity_id": "a"}, "entity_type is missing"),
        (GraphEdge, {"source_id": "a", "target_id": "b"}, "edge_type is missing"),
        (KnowledgePiece, {"content": "x", "contents": "y"}, "contents is not a field"),
        (KnowledgePiece, [], "is not an object"),
        (RetrievalResult, [], "is not an object"),
        (RetrievalResult, {"piece": []}, "piece is not a field"),
        (RetrievalResult, {"pieces": 3}, "pieces is not a list"),
        (RetrievalResult, {"pieces": [1]}, "not [piece, score]"),
        (RetrievalResult, {"pieces": [[PIECE.to_dict(), "x"]]}, "not [piece, score]"),
        (RetrievalResult, {"pieces": [[{}, 0.5]]}, "content is missing"),
        (RetrievalResult, {"graph_context": [1]}, "an entry of graph_context is not an object"),
        (RetrievalResult, {"metadata": 5}, "EntityMetadata is not an object"),
        (EntityMetadata, {"entity_id": "a", "entity_type": " "}, "entity_type is blank"),
        (EntityMetadata, {"entity_id": "a", "entity_type": "b", "properties": []}, "no object"),
    ],
)
def test_a_dict_that_says_no_value_is_refused_by_its_field(kind, given, fault) -> None:
    with pytest.raises(RecollectError) as caught:
        kind.from_dict(given)
    assert fault.replace("no object", "is not an object") in caught.value.message


@pytest.mark.parametrize("given", ["a\nb", "a\0", "", " ", "\ud83d", 5, None])
def test_an_id_is_printable_text(given: object) -> None:
    assert code_of(GraphNode, given, "t") == "INVALID_ARGUMENT"


@pytest.mark.parametrize("given", ["../x", "..", "a/b", 'a"b', "user:alice", "😀", "A"])
def test_an_id_may_be_any_of_it(given: str) -> None:
    assert GraphNode(given, "t").node_id == given


def test_an_edge_type_holds_no_operator_of_paths() -> None:
    for kind in ("a{1,2}", "a|b", "}"):
        assert code_of(GraphEdge, "a", "b", kind) == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "make",
    [
        lambda: KnowledgePiece("x" * 10_001),
        lambda: KnowledgePiece("x", embedding_text="x" * 10_001),
        lambda: KnowledgePiece("x", piece_id="x" * 257),
        lambda: KnowledgePiece("x", tags=[str(one) for one in range(65)]),
        lambda: KnowledgePiece("x", tags=["x" * 65]),
        lambda: GraphNode("a", "b", properties={"a": "x" * 16_400}),
        lambda: GraphNode("a", "b", properties={"a": json.loads("[" * 62 + "]" * 62)}),
    ],
)
def test_what_is_too_large_is_over_a_limit(make) -> None:
    assert code_of(make) == "LIMIT_EXCEEDED"


@pytest.mark.parametrize("value", [float("nan"), {1: 2}, {1, 2}, b"x", 2**63, "\0", {"\0": 1}])
def test_properties_are_json(value: object) -> None:
    assert code_of(GraphNode, "a", "b", properties={"a": value}) == "INVALID_ARGUMENT"


def test_an_edge_has_properties_that_a_link_can_have() -> None:
    for key in ("", "_weight"):
        assert code_of(GraphEdge, "a", "b", "T", {key: 1}) == "INVALID_ARGUMENT"
        assert GraphNode("a", "t", properties={key: 1}).properties == {key: 1}


def test_to_set_a_property_touches_its_instant_and_no_one_elses_object() -> None:
    given = {"team": "aero"}
    alice = EntityMetadata("user:alice", "user", given, MOMENT, MOMENT)
    alice.set("site", "Bern")
    assert (alice.get("site"), alice.get("none", 1), dict(alice.items())["team"]) == (
        *("Bern", 1, "aero"),
    )
    assert alice.updated_at > MOMENT
    assert given == {"team": "aero"}


def test_an_instant_without_a_zone_is_in_utc() -> None:
    piece = KnowledgePiece("x", created_at="2026-11-20T12:00:00")
    assert piece.to_dict()["created_at"] == "2026-11-20T12:00:00Z"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=100))
def test_any_printable_id_comes_back(text: str) -> None:
    if text.strip():
        node = GraphNode(text, "t")
        assert GraphNode.from_dict(node.to_dict()) == node


def test_a_long_name_is_told_by_its_length_alone():
    name = "a" * 39 + " sk-Abcdef0123456789Abcdef0123456789"
    with pytest.raises(RecollectError) as raised:
        KnowledgePiece.from_dict({name: 1})
    assert "sk-" not in str(raised.value)
    assert "75 characters" in raised.value.message
