"""What every retrieval service does, whatever finds its documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from faces.knowledge.services.test_key_value import ODD_IDS, code_of
from recollect.errors import RecollectError
from recollect.faces.knowledge import Document
from recollect.faces.knowledge.services import RetrievalServiceBase

MOMENT = datetime(2026, 11, 20, 10, 30, tzinfo=UTC)
LES = Document(
    "les-rans-init",
    "Initialize transient LES from converged RANS -- cuts spin-up by ~40%",
    {"kind": "procedure", "tags": ["les", "rans"], "year": 2026, "checked": True, "source": None},
    "warm start of transients",
    MOMENT,
    MOMENT,
)
MESH = Document("mesh", "Always check mesh quality before CHT runs", {"kind": "instruction"})
COFFEE = Document("coffee", "The coffee machine is on the second floor", {"kind": "fact"})


def ids(found: list[tuple[Document, float]]) -> list[str]:
    return [document.doc_id for document, _ in found]


@pytest.fixture
def filled(retrieval: RetrievalServiceBase) -> RetrievalServiceBase:
    for document in (LES, MESH, COFFEE):
        retrieval.add(document)
    return retrieval


def test_a_document_comes_back_as_it_was_added(retrieval: RetrievalServiceBase) -> None:
    assert retrieval.add(LES) == "les-rans-init"
    assert retrieval.get_by_id("les-rans-init") == LES
    nested = Document("nested", "nested text", {"a": {"b": [1, {"c": None}]}, "f": 1.5, "e": ""})
    retrieval.add(nested, "space")
    assert retrieval.get_by_id("nested", "space") == nested


def test_a_question_finds_what_shares_a_word(filled: RetrievalServiceBase) -> None:
    found = filled.search("Set up an LES simulation for jet noise")
    assert ids(found)[0] == "les-rans-init"
    assert all(0 < score <= 1 for _, score in found)
    assert found[0][0] == LES


def test_the_embedding_text_is_searched_beside_the_content(filled: RetrievalServiceBase) -> None:
    assert ids(filled.search("warm"))[0] == "les-rans-init"
    assert ids(filled.search("spin"))[0] == "les-rans-init"


def test_what_shares_no_word_is_no_hit(filled: RetrievalServiceBase) -> None:
    assert filled.search("zebra") == []
    assert filled.search("mesh zebra", namespace="elsewhere") == []
    assert ids(filled.search("mesh zebra")) == ["mesh"]


def test_scores_fall_and_more_words_weigh_more(filled: RetrievalServiceBase) -> None:
    found = filled.search("mesh quality before coffee", top_k=10)
    assert ids(found) == ["mesh", "coffee"]
    assert found[0][1] > found[1][1]


def test_equals_are_in_the_order_of_their_ids(retrieval: RetrievalServiceBase) -> None:
    for one in ("b", "c", "a", "e", "d"):
        retrieval.add(Document(one, "the same words"))
    found = retrieval.search("same words", top_k=3)
    assert ids(found) == ["a", "b", "c"]
    assert len({score for _, score in found}) == 1
    assert retrieval.search("same words", top_k=3) == found


def test_the_best_are_returned_and_no_more(retrieval: RetrievalServiceBase) -> None:
    for at in range(30):
        retrieval.add(Document(f"{at:02}", f"mesh {'filler ' * at}"))
    assert ids(retrieval.search("mesh", top_k=4)) == ["00", "01", "02", "03"]
    assert len(retrieval.search("mesh")) == 5
    assert len(retrieval.search("mesh", top_k=1_000)) == 30


@pytest.mark.parametrize("top_k", [0, -1, 1_001, True, 1.5, "5", None])
def test_top_k_is_from_1_to_1000(filled: RetrievalServiceBase, top_k: object) -> None:
    expected = "LIMIT_EXCEEDED" if top_k == 1_001 else "INVALID_ARGUMENT"
    assert code_of(filled.search, "mesh", top_k=top_k) == expected


@pytest.mark.parametrize("query", ["", "  \n", "???", '"'])
def test_a_question_without_words_finds_nothing(filled: RetrievalServiceBase, query: str) -> None:
    assert filled.search(query) == []


@pytest.mark.parametrize(
    "query",
    [
        '"mesh',
        "mesh*",
        "mesh AND",
        "NOT mesh OR (",
        "content:mesh",
        "mesh^5 ~2 [a TO b] {x}",
        "mesh' OR '1'='1",
        "^mesh -quality",
        "NEAR(mesh quality)",
        "mesh\\",
        "mesh/ && || !",
    ],
)
def test_a_question_is_plain_text(filled: RetrievalServiceBase, query: str) -> None:
    assert "mesh" in ids(filled.search(query))


def test_words_are_the_same_in_any_case_and_with_accents(retrieval: RetrievalServiceBase) -> None:
    retrieval.add(Document("a", "Crème BRÛLÉE"))
    retrieval.add(Document("b", "北京市 の天気"))
    retrieval.add(Document("c", "हिन्दी में लिखा"))
    assert ids(retrieval.search("creme")) == ["a"]
    assert ids(retrieval.search("brûlée!")) == ["a"]
    assert ids(retrieval.search("京市")) == ["b"]
    assert ids(retrieval.search("हिन्दी")) == ["c"]


def test_stop_words_find_nothing_beside_others(filled: RetrievalServiceBase) -> None:
    assert ids(filled.search("is the mesh on a")) == ["mesh"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["coffee", "les-rans-init", "mesh"]),
        (None, ["coffee", "les-rans-init", "mesh"]),
        ({"kind": "procedure"}, ["les-rans-init"]),
        ({"kind": "Procedure"}, []),
        ({"tags": ["les"]}, ["les-rans-init"]),
        ({"tags": ["rans", "les"]}, ["les-rans-init"]),
        ({"tags": ["les", "mesh"]}, []),
        ({"tags": []}, ["les-rans-init"]),
        ({"tags": "les"}, []),
        ({"kind": ["procedure"]}, []),
        ({"year": 2026}, ["les-rans-init"]),
        ({"year": 2026.0}, ["les-rans-init"]),
        ({"year": "2026"}, []),
        ({"checked": True}, ["les-rans-init"]),
        ({"checked": 1}, []),
        ({"source": None}, ["les-rans-init"]),
        ({"missing": None}, []),
        ({"kind": "procedure", "year": 1999}, []),
    ],
    ids=repr,
)
def test_filters_compare_before_ranking(
    filled: RetrievalServiceBase, filters: dict[str, object] | None, expected: list[str]
) -> None:
    assert [one.doc_id for one in filled.list_all(filters)] == expected
    found = filled.search("transient mesh coffee", filters, top_k=max(len(expected), 1))
    assert sorted(ids(found)) == expected


@pytest.mark.parametrize("filters", [[], "kind", {1: 2}, {"a": {"b": 1}}, {"a": [[1]]}], ids=repr)
def test_what_is_no_filter_is_refused(filled: RetrievalServiceBase, filters: object) -> None:
    assert code_of(filled.search, "mesh", filters) == "INVALID_ARGUMENT"
    assert code_of(filled.list_all, filters) == "INVALID_ARGUMENT"


def test_a_rare_one_is_found_behind_many_that_filters_leave_out(
    retrieval: RetrievalServiceBase,
) -> None:
    for at in range(60):
        retrieval.add(Document(f"{at:02}", "mesh mesh mesh", {"kind": "fact"}))
    retrieval.add(
        Document("wanted", "a long text about jets in which a mesh stands", {"kind": "note"})
    )
    assert ids(retrieval.search("mesh", {"kind": "note"}, top_k=1)) == ["wanted"]


def test_a_second_of_one_id_is_a_conflict(filled: RetrievalServiceBase) -> None:
    assert code_of(filled.add, replace(MESH, content="other")) == "CONFLICT"
    assert filled.get_by_id("mesh") == MESH
    assert filled.add(MESH, "space") == "mesh"


def test_an_update_replaces_and_the_old_words_find_nothing(filled: RetrievalServiceBase) -> None:
    changed = Document("mesh", "Prefer polyhedra", {"kind": "preference"})
    assert filled.update(changed)
    assert filled.get_by_id("mesh") == changed
    assert filled.search("quality") == []
    assert ids(filled.search("polyhedra")) == ["mesh"]
    assert filled.list_all({"kind": "instruction"}) == []
    assert filled.size() == 3
    assert not filled.update(Document("absent", "text"))
    assert not filled.update(changed, "space")
    assert filled.get_by_id("absent") is None


def test_what_is_removed_is_gone(filled: RetrievalServiceBase) -> None:
    assert filled.remove("mesh")
    assert not filled.remove("mesh")
    assert filled.get_by_id("mesh") is None
    assert filled.search("mesh") == []
    assert [one.doc_id for one in filled.list_all()] == ["coffee", "les-rans-init"]
    assert filled.add(MESH) == "mesh"
    assert ids(filled.search("mesh")) == ["mesh"]


def test_namespaces_are_apart_and_none_is_one_of_its_own(filled: RetrievalServiceBase) -> None:
    filled.add(replace(MESH, content="mesh of a"), "a")
    filled.add(replace(MESH, content="mesh of A"), "A")
    assert [one.content for one, _ in filled.search("mesh", namespace="a")] == ["mesh of a"]
    assert [one.content for one, _ in filled.search("mesh")] == [MESH.content]
    assert filled.namespaces() == ["A", "a"]
    assert filled.holders("mesh") == [None, "A", "a"]
    assert filled.clear("a") == 1
    assert filled.namespaces() == ["A"]
    assert (filled.size(), filled.size("a"), filled.size("A")) == (3, 0, 1)
    assert filled.remove("mesh", "A")
    assert filled.namespaces() == []
    assert filled.clear() == 3
    assert filled.search("mesh coffee les") == []
    assert filled.add(MESH) == "mesh"


def test_another_namespace_changes_no_score(filled: RetrievalServiceBase) -> None:
    before = filled.search("mesh coffee")
    for at in range(20):
        filled.add(Document(f"other {at}", "mesh mesh mesh coffee"), "other")
    assert filled.search("mesh coffee") == before


def test_any_printable_text_is_an_id_and_a_namespace(retrieval: RetrievalServiceBase) -> None:
    for name in ODD_IDS:
        retrieval.add(Document(name, "mesh quality"), "ids")
        retrieval.add(Document("id", "mesh quality"), name)
    assert [one.doc_id for one in retrieval.list_all(namespace="ids")] == sorted(ODD_IDS)
    assert ids(retrieval.search("mesh", namespace="ids", top_k=50)) == sorted(ODD_IDS)
    assert retrieval.namespaces() == sorted([*ODD_IDS, "ids"])
    assert retrieval.holders("id") == sorted(ODD_IDS)
    assert all(retrieval.get_by_id(name, "ids") for name in ODD_IDS)
    assert all(retrieval.remove(name, "ids") for name in ODD_IDS)


def test_what_is_no_document_is_refused(retrieval: RetrievalServiceBase) -> None:
    assert code_of(retrieval.add, {"doc_id": "a", "content": "b"}) == "INVALID_ARGUMENT"
    assert code_of(retrieval.update, "a") == "INVALID_ARGUMENT"
    assert code_of(retrieval.get_by_id, "") == "INVALID_ARGUMENT"
    assert code_of(retrieval.search, 7) == "INVALID_ARGUMENT"
    assert code_of(retrieval.add, MESH, " ") == "INVALID_ARGUMENT"


def test_what_is_returned_is_a_copy(retrieval: RetrievalServiceBase) -> None:
    retrieval.add(LES)
    for found in (
        retrieval.get_by_id("les-rans-init"),
        retrieval.list_all()[0],
        retrieval.search("les")[0][0],
    ):
        found.metadata["tags"].append("other")
    LES_again = retrieval.get_by_id("les-rans-init")
    assert LES_again.metadata["tags"] == ["les", "rans"]


def test_it_tells_about_itself(filled: RetrievalServiceBase) -> None:
    filled.add(MESH, "space")
    stats = filled.get_stats()
    assert filled.ping()
    assert (stats["size"], stats["namespaces"]) == (4, 1)
    assert stats["service"] == type(filled).__name__


def test_after_closing_every_call_says_so(retrieval: RetrievalServiceBase) -> None:
    retrieval.close()
    retrieval.close()
    calls = [
        (retrieval.add, MESH),
        (retrieval.get_by_id, "mesh"),
        (retrieval.update, MESH),
        (retrieval.remove, "mesh"),
        (retrieval.search, "mesh"),
        (retrieval.list_all,),
        (retrieval.size,),
        (retrieval.clear,),
        (retrieval.namespaces,),
        (retrieval.ping,),
        (retrieval.get_stats,),
    ]
    assert {code_of(*call) for call in calls} == {"STORE_CLOSED"}


def test_threads_share_it(retrieval: RetrievalServiceBase) -> None:
    def work(worker: int) -> int:
        for at in range(5):
            retrieval.add(Document(f"{worker}-{at}", f"mesh of worker {worker}"))
        return len(retrieval.search("mesh", top_k=100))

    with ThreadPoolExecutor(4) as pool:
        assert min(pool.map(work, range(4))) >= 5
    assert len(retrieval.search("mesh", top_k=100)) == retrieval.size() == 20


def test_of_two_that_add_one_id_one_is_refused(retrieval: RetrievalServiceBase) -> None:
    def add(at: int) -> str:
        try:
            return retrieval.add(Document("same", f"text {at}"))
        except RecollectError as error:
            return error.code.code

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(add, range(4))) == ["CONFLICT", "CONFLICT", "CONFLICT", "same"]
