from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.kernel.search.graph import Graph, search

from recollect.kernel.search.search import Match
from recollect.kernel.store.cells import public_id
from recollect.kernel.store.port import Session
from recollect.model import ElementKind, Instant

CONCEPT, LINK = ElementKind.CONCEPT, ElementKind.LINK


def found(graph: Graph, term: str, kind: ElementKind | None = None, **options: Any) -> list[int]:
    answer = search(graph.session, graph.group, term, kind, **options)
    assert list(answer.matches) == sorted(answer.matches, key=lambda one: (-one.score, one.element))
    assert all(0 < one.score <= 1 for one in answer.matches)
    return [one.element for one in answer.matches]


def test_a_concept_is_found_by_name_id_attributes_and_metadata(graph: Graph) -> None:
    drug = graph.concept(
        "Drug",
        "Naproxen",
        {"forms": ["gel", {"kind": "tablet"}]},
        {"source": "Lancet"},
        id="drug_7",
    )
    for term in ("naproxen", "drug_7", "gel", "tablets", "lancet"):
        assert found(graph, term, CONCEPT) == [drug]
    assert found(graph, "kind", CONCEPT) == []


def test_a_concept_named_outright_comes_first_with_score_one(graph: Graph) -> None:
    for _ in range(3):
        graph.concept("Note", f"Aspirin {_}", {"text": "aspirin aspirin aspirin"})
    named = graph.concept("Drug", "Aspirin", {"text": "a long text about many other things " * 5})
    first = search(graph.session, graph.group, "aspirin", CONCEPT).matches[0]
    assert first == Match(CONCEPT, named, 1.0)
    second = search(graph.session, graph.group, "aspirin", CONCEPT).matches[1]
    assert second.score < 1


def test_a_concept_with_an_attribute_that_is_the_query_comes_before_those_that_mention_it(
    graph: Graph,
) -> None:
    for n in range(3):
        graph.concept("Note", f"Mak {n}", {"note": "中国 中国 中国"})
    long = "a long text about many other things " * 5
    said = graph.concept("Country", "China", {"name_zh": "中国", "text": long})
    key = graph.concept("Country", "Chile", {"中国": "no", "also": [":", "中国"]})
    first, second = search(graph.session, graph.group, "中国", CONCEPT).matches[:2]
    assert first.element == said
    assert second.score < first.score < 1
    assert key != said


def test_an_element_is_found_by_its_computed_id(graph: Graph) -> None:
    drug = graph.concept("Drug", "Ibuprofen")
    pain = graph.concept("Symptom", "Pain")
    link = graph.link(drug, "treats", pain)
    assert found(graph, public_id(graph.group.id_bits, drug), CONCEPT) == [drug]
    assert found(graph, public_id(graph.group.id_bits, link), LINK) == [link]


def test_a_link_is_found_by_its_own_words_and_by_its_ends(graph: Graph) -> None:
    aspirin = graph.concept("Drug", "Aspirin")
    fever, pain = graph.concept("Symptom", "Fever"), graph.concept("Symptom", "Pain")
    treats_fever = graph.link(aspirin, "treats", fever, {"note": "in adults"})
    treats_pain = graph.link(aspirin, "treats", pain)
    assert found(graph, "adults", LINK) == [treats_fever]
    assert found(graph, "fever", LINK) == [treats_fever]
    assert found(graph, "aspirin", LINK) == [treats_fever, treats_pain]
    assert found(graph, "aspirin pain", LINK)[0] == treats_pain
    assert found(graph, "aspirin") == [aspirin, treats_fever, treats_pain]


def test_a_link_about_a_link_is_found_by_its_own_words(graph: Graph) -> None:
    aspirin, pain = graph.concept("Drug", "Aspirin"), graph.concept("Symptom", "Pain")
    fact = graph.link(aspirin, "treats", pain)
    doubt = graph.link(fact, "doubted_by", graph.concept("Person", "Ada"))
    assert found(graph, "doubted", LINK) == [doubt]


def test_a_type_keeps_concepts_of_it_and_links_that_bear_or_touch_it(graph: Graph) -> None:
    drug, note = graph.concept("Drug", "Aspirin one"), graph.concept("Note", "Aspirin two")
    pain = graph.concept("Symptom", "Pain")
    treats, mentions = graph.link(drug, "treats", pain), graph.link(note, "mentions", pain)
    assert found(graph, "aspirin", CONCEPT, type="Note") == [note]
    assert found(graph, "aspirin", LINK, type="treats") == [treats]
    assert found(graph, "aspirin", LINK, type="Note") == [mentions]
    assert found(graph, "aspirin", type="Drug") == [drug, treats]


def test_an_unknown_type_finds_nothing_and_names_the_nearest(graph: Graph) -> None:
    graph.concept("Drug", "Aspirin")
    answer = search(graph.session, graph.group, "aspirin", CONCEPT, type="Durg")
    assert answer.matches == ()
    (notice,) = answer.notices
    assert notice.to_wire() == {
        "code": "unknown_type",
        "message": 'no concept type "Durg" is in the memory; known: Drug',
        "hint": 'use "Drug"',
    }


def test_ten_are_returned_unless_a_limit_says_otherwise(graph: Graph) -> None:
    drugs = [graph.concept("Drug", f"Aspirin {at}") for at in range(15)]
    assert found(graph, "aspirin", CONCEPT) == drugs[:10]
    assert found(graph, "aspirin", CONCEPT, limit=12) == drugs[:12]
    assert found(graph, "aspirin", CONCEPT, limit=0) == []


def test_equal_scores_stand_in_order_of_ids(graph: Graph) -> None:
    drugs = [graph.concept("Drug", f"Aspirin {word}") for word in ("red", "odd", "big")]
    assert found(graph, "aspirin") == drugs


def test_a_question_is_not_answered_by_its_small_words(graph: Graph) -> None:
    graph.concept("Note", "What is the use of it")
    drug = graph.concept("Drug", "Aspirin")
    assert found(graph, "What is the aspirin?", CONCEPT) == [drug]


def test_small_words_alone_are_looked_for(graph: Graph) -> None:
    band = graph.concept("Band", "The Who")
    assert found(graph, "the who") == [band]


CHINESE = ["阿司匹林", "头痛", "偏头痛发作", "北京市朝阳区", "南京", "京剧", "非甾体抗炎药", "抗炎"]


def test_every_pair_of_characters_finds_every_name_that_holds_it(graph: Graph) -> None:
    ids = {graph.concept("词", name): name for name in CHINESE}
    for name in CHINESE:
        for pair in (name[at : at + 2] for at in range(len(name) - 1)):
            expected = {element for element, other in ids.items() if pair in other}
            assert set(found(graph, pair, CONCEPT)) == expected


def test_one_character_finds_every_name_that_holds_it(graph: Graph) -> None:
    ids = {graph.concept("词", name): name for name in CHINESE}
    for character in sorted(set("".join(CHINESE))):
        expected = {element for element, other in ids.items() if character in other}
        assert set(found(graph, character, CONCEPT)) == expected


@pytest.mark.parametrize(
    "term",
    [
        'aspirin" OR "x',
        "aspirin AND NOT aspirin",
        "NEAR(aspirin, 3)",
        "body : aspirin",
        "^aspirin*",
        "-aspirin",
        "{aspirin} + (aspirin",
        "aspirin\x00",
        "'; DROP TABLE concept; -- aspirin",
        "\ud800 aspirin",
    ],
)
def test_operators_in_a_query_are_plain_text(graph: Graph, term: str) -> None:
    drug = graph.concept("Drug", "Aspirin tablets")
    assert found(graph, term, CONCEPT) == [drug]


def test_ten_thousand_words_do_no_harm(graph: Graph) -> None:
    drug = graph.concept("Drug", "Aspirin tablets")
    words = " ".join(f"word{at}" for at in range(10_000))
    assert found(graph, f"aspirin {words}", CONCEPT) == [drug]
    assert found(graph, "aspirin " * 10_000, CONCEPT) == [drug]


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(term=st.text(), name=st.text(max_size=5))
def test_no_text_raises(graph: Graph, term: str, name: str) -> None:
    found(graph, term)
    found(graph, term, type=name)


def test_a_lone_surrogate_is_no_word(graph: Graph) -> None:
    assert found(graph, "\ud800") == found(graph, "x", type="\udfff") == []


def populate(graph: Graph, count: int, word: str) -> None:
    subject = graph.concept("Drug", f"{word} base")
    for at in range(count):
        item = graph.concept("Drug", f"{word} number{at}", {"note": "fever " * (at % 3)})
        graph.link(subject, "treats", item, {"note": word})


def test_another_group_changes_no_order_and_no_score(session: Session) -> None:
    graph = Graph(session)
    populate(graph, 20, "aspirin")
    queries = ("aspirin fever", "number7", "treats aspirin", "what treats fever")
    before = [search(session, graph.group, one) for one in queries]
    decoy = Graph(session, "decoy")
    decoy.concept("Drug", "aspirin base")
    for at in range(10_000):
        decoy.index.put(10**9 + 2 * at, True, f"aspirin fever treats {'long ' * 20} number{at}")
    decoy.index.flush()
    assert [search(session, graph.group, one) for one in queries] == before


def test_a_common_word_is_not_ranked_by_while_three_rarer_remain(graph: Graph) -> None:
    for at in range(150):
        graph.concept("Note", f"patient {at}")
    rare = graph.concept("Note", "alpha beta gamma")
    assert found(graph, "patient alpha beta gamma", CONCEPT) == [rare]
    assert len(found(graph, "patient alpha beta", CONCEPT)) == 10


def test_the_past_is_searched_as_it_was_known(graph: Graph) -> None:
    drug = graph.concept("Drug", "Aspirin", {"note": "yellow"})
    born = graph.number
    graph.change_concept(drug, {"note": "purple"})
    changed = graph.number
    graph.close_concept(drug)
    closed = graph.number
    assert found(graph, "yellow") == found(graph, "purple") == found(graph, "aspirin") == []
    assert found(graph, "yellow", known=born) == [drug]
    assert found(graph, "purple", known=born) == []
    assert found(graph, "aspirin", known=born) == [drug]
    assert found(graph, "yellow", known=changed) == []
    assert found(graph, "purple", known=changed) == [drug]
    assert found(graph, "purple", known=closed) == []
    assert found(graph, "aspirin", known=born - 1) == []


def test_a_change_that_leaves_the_words_alone_leaves_the_past_findable(graph: Graph) -> None:
    drug = graph.concept("Drug", "Aspirin", {"note": "yellow", "risk": 1})
    times = [graph.number]
    for attributes in ({"note": "yellow", "risk": 2}, {"note": "red"}, {"note": "red", "risk": 3}):
        graph.change_concept(drug, attributes)
        times.append(graph.number)
    assert [found(graph, "yellow", known=one) for one in times] == [[drug], [drug], [], []]
    assert [found(graph, "red", known=one) for one in times] == [[], [], [drug], [drug]]


def test_only_what_is_true_at_the_instant_is_found(graph: Graph) -> None:
    drug = graph.concept("Drug", "Aspirin", {"note": "yellow"}, valid=(100, 200))
    for term in ("aspirin", "yellow"):
        assert found(graph, term) == [drug]
        assert found(graph, term, valid=Instant(100)) == [drug]
        assert found(graph, term, valid=Instant(99)) == []
        assert found(graph, term, valid=Instant(200)) == []


def test_a_name_in_other_letters_is_found_below_very_many_that_rank_higher(graph: Graph) -> None:
    for n in range(150):
        graph.concept("Note", f"note {n}", {"text": "aspirin aspirin aspirin"})
    long = "a long text about many other things " * 5
    named = graph.concept("Drug", "ASPIRIN!", {"text": long})
    (first,) = search(graph.session, graph.group, "aspirin plus", CONCEPT, limit=1).matches
    assert first.element != named
    graph.concept("Note", "plus", {})
    twice = graph.concept("Drug", "Aspirin-Plus", {"text": long})
    (first,) = search(graph.session, graph.group, "aspirin plus", CONCEPT, limit=1).matches
    assert first == Match(CONCEPT, twice, 1.0)


def test_every_link_of_an_end_is_considered_however_many_there_are(graph: Graph) -> None:
    ann = graph.concept("Person", "Ann")
    for n in range(400):
        graph.link(ann, "knows", graph.concept("Person", f"other {n}"))
    told = graph.link(ann, "knows", graph.concept("Person", "last"), {"fact": "since school"})
    for n in range(30):
        graph.link(
            graph.concept("Person", f"someone {n}"),
            "met",
            graph.concept("Place", f"place {n}"),
            {"fact": "school"},
        )
    assert found(graph, "ann school", LINK, limit=1) == [told]


def test_a_link_scores_the_same_however_many_are_wanted(graph: Graph) -> None:
    named = graph.concept("Topic", "alpha beta")
    other = graph.concept("Topic", "other")
    joined = graph.link(named, "about", other, {"fact": "alpha"})
    for n in range(1_010):  # more than are moved up by their ends, and all before the other text
        graph.link(other, f"about{n}", other, {"fact": f"alpha beta {'long ' * 9}"})
    first, *_ = search(graph.session, graph.group, "alpha beta", LINK, limit=1).matches
    assert first.element == joined
    assert search(graph.session, graph.group, "alpha beta", LINK, limit=1_011).matches[0] == first
