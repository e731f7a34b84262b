"""Questions of common words: what is told by few documents, and that it is told in order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.kernel.search.graph import Graph
from tests.kernel.search.test_rank import indexed

from recollect.kernel.search import rank
from recollect.kernel.store.port import Partition, Session

MANY = 150  # more than the hundred documents that make a word a common one

QUESTIONS = ("alpha beta gamma", "omega alpha gamma", "beta delta", "beta")

TEXTS = [
    *(["alpha", "beta", "gamma", f"all{number}"] for number in range(MANY)),
    *(["alpha", "beta"] for _ in range(MANY)),
    *(["gamma", "delta"] for _ in range(MANY)),
    *(["gamma"] for _ in range(MANY)),
    ["omega"],
    ["omega", "alpha"],
]


@pytest.fixture
def stages(session: Session) -> _Stages:
    for name in ("decoy", "asked"):
        graph = Graph(session, name)
        places = indexed(graph, TEXTS if name == "asked" else [["alpha"]] * (3 * MANY))
    return _Stages(session, graph, places)


class _Stages:
    """The stages that a question's documents come in, by the places of their texts."""

    def __init__(self, session: Session, graph: Graph, places: dict[int, int]) -> None:
        self._session = session
        self._partition = Partition(graph.group.group_id, is_link=False, is_living=True)
        self._places = places

    def of(self, question: str, among: set[int] | None = None) -> list[dict[int, float]]:
        documents = {place: document for document, place in self._places.items()}
        kept = None if among is None else {documents[place] for place in among}
        return [
            {self._places[document]: score for document, score in stage.scores.items()}
            for stage in rank.stages(self._session, [self._partition], question, kept)
        ]


def test_what_holds_two_common_words_comes_before_what_holds_one(stages: _Stages) -> None:
    first, *later = stages.of("alpha beta gamma")
    assert set(first) == set(range(2 * MANY))
    assert {place for stage in later for place in stage} == {
        *range(2 * MANY, 4 * MANY),
        len(TEXTS) - 1,
    }


def test_what_holds_a_rare_word_is_among_the_first(stages: _Stages) -> None:
    first, *_ = stages.of("omega alpha gamma")
    assert set(first) == {*range(MANY), len(TEXTS) - 2, len(TEXTS) - 1}
    assert min(first[len(TEXTS) - 2], first[len(TEXTS) - 1]) > max(first[0], first[MANY - 1])


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_stage_is_below_the_one_before(stages: _Stages, question: str) -> None:
    told = [stage for stage in stages.of(question) if stage]
    assert all(max(after.values()) < min(before.values()) for before, after in pairwise(told))
    assert all(0 < score < 1 for stage in told for score in stage.values())


@pytest.mark.parametrize("question", QUESTIONS)
def test_no_document_is_missing_and_none_is_told_twice(stages: _Stages, question: str) -> None:
    told = [place for stage in stages.of(question) for place in stage]
    words = set(question.split())
    assert sorted(told) == [place for place, text in enumerate(TEXTS) if words & set(text)]


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_score_is_the_same_among_few(stages: _Stages, question: str) -> None:
    among = {0, 1, MANY, 2 * MANY, 3 * MANY, len(TEXTS) - 1}
    whole = {place: score for stage in stages.of(question) for place, score in stage.items()}
    few = {place: score for stage in stages.of(question, among) for place, score in stage.items()}
    assert few == {place: score for place, score in whole.items() if place in among}


def test_where_very_many_hold_two_words_those_that_hold_all_come_first(session: Session) -> None:
    graph = Graph(session, "asked")
    texts = [["alpha", "beta", "gamma"]] * 110 + [["beta", "gamma"]] * 3_000 + [["alpha"]] * 400
    partition = Partition(graph.group.group_id, is_link=False, is_living=True)
    places = indexed(graph, texts)
    told = [stage.scores for stage in rank.stages(session, [partition], "alpha beta gamma")]
    first, second, *later = told
    assert {places[one] for one in first} == set(range(110))
    assert {places[one] for one in second} == set(range(110, 3_110))
    assert {places[one] for stage in later for one in stage} == set(range(3_110, 3_510))
    assert max(second.values()) < min(first.values())
