"""SEARCH by words, by meaning, and by both, in KIP and as a call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.meanings import Meanings

import recollect
from recollect.kernel import Nexus
from recollect.model import AsOf, Description, Explanation, Hits, PutConcept, PutFact

GRAPH = """
UPSERT {
  CONCEPT @pain { {type: "Symptom", name: "Headache"} SET ATTRIBUTES { description: "pain in the head" } }
  CONCEPT @aspirin {
    {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { description: "against pain" }
    SET PROPOSITIONS { ("treats", @pain) }
  }
  CONCEPT @physician { {type: "Role", name: "Physician"} }
}
"""


@pytest.fixture
def embedder() -> Meanings:
    return Meanings()


@pytest.fixture
def nexus(embedder: Meanings) -> Iterator[Nexus]:
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.group("decoy").write(GRAPH.replace("Physician", "Doctor"))
        nexus.write(GRAPH)
        yield nexus


def hits(nexus: Nexus, text: str, **parameters: object) -> Hits:
    (result,) = nexus.read(text, parameters).results  # type: ignore[arg-type]
    assert isinstance(result, Hits)
    return result


def names(found: Hits) -> list[str]:
    return [getattr(one.element, "name", "-") for one in found.hits]


def test_what_has_none_of_the_words_is_found_by_its_meaning(nexus: Nexus) -> None:
    assert names(hits(nexus, 'SEARCH CONCEPT "medic"')) == []
    assert names(hits(nexus, 'SEARCH CONCEPT "medic" MODE "semantic" THRESHOLD 0.5')) == [
        "Physician"
    ]
    assert names(hits(nexus, 'SEARCH CONCEPT "medic" MODE hybrid LIMIT 1')) == ["Physician"]


def test_the_score_of_a_semantic_hit_is_its_cosine(nexus: Nexus) -> None:
    (first, *others) = hits(nexus, 'SEARCH CONCEPT "medic" MODE semantic').hits
    assert first.score == pytest.approx(1.0)
    assert all(0 < one.score < first.score for one in others)
    (halfway,) = hits(nexus, 'SEARCH CONCEPT "doctor of tree" MODE semantic LIMIT 1').hits
    assert halfway.score == pytest.approx(3**-0.5, abs=0.1)


def test_the_score_of_a_hybrid_hit_is_its_share_of_the_best_ranks(nexus: Nexus) -> None:
    found = hits(nexus, 'SEARCH CONCEPT "headache" MODE hybrid').hits
    assert found[0].score == 1.0  # first by words, and by meaning
    assert [one.score for one in found[1:]] == pytest.approx(
        [61 / (60 + rank) / 2 for rank in range(2, len(found) + 1)]
    )


def test_a_threshold_keeps_what_scores_so_much(nexus: Nexus) -> None:
    found = hits(nexus, 'SEARCH CONCEPT "headache" MODE hybrid THRESHOLD 0.6')
    assert names(found) == ["Headache"]
    assert hits(nexus, 'SEARCH CONCEPT "zebra" MODE semantic THRESHOLD 0.9').hits == ()


def test_the_type_is_asked_for_before_anything_is_ranked(nexus: Nexus) -> None:
    (first,) = hits(nexus, 'SEARCH CONCEPT "headache pain" WITH TYPE "Drug" MODE semantic').hits
    assert names(Hits((first,))) == ["Aspirin"]
    assert (
        hits(nexus, 'SEARCH CONCEPT "headache" WITH TYPE "Role" MODE hybrid THRESHOLD 0.6').hits
        == ()
    )


def test_links_are_found_by_what_facts_say(nexus: Nexus) -> None:
    people = [PutConcept("Entity", "Ann", id="ann"), PutConcept("Entity", "Acme", id="acme")]
    nexus.write([*people, PutFact("ann", "AT", "acme", "Ann works there", id="fact")])
    for mode in ("semantic", "hybrid"):
        text = f'SEARCH PROPOSITION "employed" MODE "{mode}" THRESHOLD 0.3'
        assert [one.element.id for one in hits(nexus, text).hits] == ["fact"]
    (both,) = nexus.search("ann works there", mode="semantic", limit=1).results
    assert isinstance(both, Hits)
    assert both.hits[0].element.id == "fact"


def test_by_default_words_decide_even_where_there_is_an_embedder(
    nexus: Nexus, embedder: Meanings
) -> None:
    assert names(hits(nexus, 'SEARCH CONCEPT "medic"')) == []
    assert embedder.asked == []


def test_the_mode_of_a_memory_is_that_of_a_search_that_names_none() -> None:
    with recollect.open(":memory:", embedder=Meanings(), search_mode="hybrid") as nexus:
        nexus.write(GRAPH)
        assert names(hits(nexus, 'SEARCH CONCEPT "medic" LIMIT 1')) == ["Physician"]
        assert names(hits(nexus, 'SEARCH CONCEPT "medic" MODE keyword')) == []


def test_pages_of_a_hybrid_search_show_everything_once(nexus: Nexus) -> None:
    nexus.write([PutConcept("Note", f"headache {at:02}") for at in range(25)])
    whole = names(hits(nexus, 'SEARCH CONCEPT "headache" MODE hybrid LIMIT 100'))
    page, shown = hits(nexus, 'SEARCH CONCEPT "headache" MODE hybrid LIMIT 4'), []
    while True:
        shown += names(page)
        if page.next_cursor is None:
            break
        nexus.write([PutConcept("Note", f"headache later {len(shown)}")])
        page = hits(
            nexus, 'SEARCH CONCEPT "headache" MODE hybrid LIMIT 4 CURSOR $at', at=page.next_cursor
        )
    assert len(shown) == len(set(shown))
    assert set(whole) <= set(shown)
    assert shown[:20] == whole[:20]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
def test_a_limit_changes_no_score(nexus: Nexus, mode: str) -> None:
    nexus.write(
        [
            PutConcept("Note", f"pain {at}", {"summary": "in the head " * (at % 7)})
            for at in range(60)
        ]
    )
    scores = {
        limit: [(one.element.id, one.score) for one in found.hits]
        for limit in (1, 5, 40)
        for found in [hits(nexus, f'SEARCH CONCEPT "pain head" MODE {mode} LIMIT {limit}')]
    }
    assert scores[40][:5] == scores[5]
    assert scores[5][:1] == scores[1]


def test_another_group_changes_nothing(nexus: Nexus) -> None:
    before = hits(nexus, 'SEARCH "head pain" MODE hybrid')
    nexus.group("decoy").write([PutConcept("Note", f"head pain {at}") for at in range(20)])
    assert hits(nexus, 'SEARCH "head pain" MODE hybrid') == before


def test_an_embedder_that_is_away_leaves_words_and_says_so(
    nexus: Nexus, embedder: Meanings
) -> None:
    embedder.is_away = True
    answer = nexus.read('SEARCH CONCEPT "aspirin" MODE hybrid')
    assert names(answer.results[0]) == ["Aspirin"]  # type: ignore[arg-type]
    (notice,) = answer.notices
    assert (notice.code, notice.message.split(",")[0]) == (
        "answered_by_words",
        "the embedder is away",
    )


def test_a_group_without_vectors_answers_by_words_and_says_so(nexus: Nexus) -> None:
    (notice,) = nexus.group("new").search("aspirin", mode="semantic").notices
    assert notice.code == "answered_by_words"
    assert "vector" in notice.message


def test_the_past_is_searched_by_what_was_there(nexus: Nexus) -> None:
    past = AsOf(transaction=1)
    nexus.write('DELETE CONCEPT ?x DETACH WHERE { ?x {type: "Role", name: "Physician"} }')
    nexus.write([PutConcept("Role", "Doctor")])
    (now,) = nexus.search("medic", mode="semantic", limit=1).results
    (then,) = nexus.search("medic", mode="semantic", limit=1, as_of=past).results
    assert (names(now), names(then)) == (["Doctor"], ["Physician"])  # type: ignore[arg-type]


def test_a_search_inside_a_write_sees_what_is_kept(nexus: Nexus) -> None:
    text = 'UPSERT { CONCEPT @d { {type: "Role", name: "Medic"} } } SEARCH CONCEPT "doctor" MODE hybrid'
    answer = nexus.write(text)
    assert "Physician" in names(answer.results[1])  # type: ignore[arg-type]
    assert names(hits(nexus, 'SEARCH CONCEPT "doctor" MODE semantic LIMIT 2')) == [
        "Physician",
        "Medic",
    ]


def test_the_primer_and_explain_tell_of_meaning(nexus: Nexus) -> None:
    (primer,) = nexus.read("DESCRIBE PRIMER").results
    assert isinstance(primer, Description)
    assert primer.body["search_modes"] == ["keyword", "semantic", "hybrid"]  # type: ignore[index, call-overload]
    (told,) = nexus.read('EXPLAIN SEARCH CONCEPT "medic" MODE hybrid').results
    assert isinstance(told, Explanation)
    assert any("meaning" in step for step in told.plan)
    (plain,) = nexus.read('EXPLAIN SEARCH CONCEPT "medic"').results
    assert isinstance(plain, Explanation)
    assert not any("meaning" in step for step in plain.plan)
