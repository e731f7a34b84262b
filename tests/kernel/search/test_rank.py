"""Scores against BM25 written down as plainly as it can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from tests.kernel.search.graph import Graph

from recollect.kernel.search.rank import LENGTH_NORMALISATION, SATURATION, stages
from recollect.kernel.store.port import Partition, Session

WORDS = ("alpha", "beta", "gamma", "delta", "omega")
ABSENT = "sigma"

documents = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=300), min_size=1, max_size=6
)


def plain_scores(texts: Sequence[Sequence[str]], query: Sequence[str]) -> dict[int, float]:
    """Return the score of each text that holds a word of the query, by its place."""
    size, mean = len(texts), sum(map(len, texts)) / len(texts)
    weights = {}
    for word in query:
        holders = sum(word in text for text in texts)
        weights[word] = math.log(1 + (size - holders + 0.5) / (holders + 0.5))
    found = {}
    for place, text in enumerate(texts):
        length = 1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * len(text) / mean
        counts = {word: text.count(word) for word in query}
        score = sum(
            weight * counts[word] / (counts[word] + SATURATION * length)
            for word, weight in weights.items()
        )
        if score:
            found[place] = score / sum(weights.values())
    return found


def indexed(graph: Graph, texts: Sequence[Sequence[str]]) -> dict[int, int]:
    """Put the texts into the graph's index; return the place of each by its document."""
    last = 2 * graph.session.texts.size()  # of all groups: ids are of the file
    places = {last + 2 * (place + 1): place for place in range(len(texts))}
    for document, place in places.items():
        graph.index.put(document, True, " ".join(texts[place]))
    graph.index.flush()
    return places


_NUMBERS = count()


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(texts=documents, query=st.sets(st.sampled_from((*WORDS, ABSENT)), min_size=1))
def test_scores_are_those_of_bm25(
    session: Session, texts: list[list[str]], query: set[str]
) -> None:
    graph = Graph(session, f"group {next(_NUMBERS)}")  # one an example, all in one index
    places = indexed(graph, texts)
    asked = sorted(query)
    partition = Partition(graph.group.group_id, is_link=False, is_living=True)
    found: dict[int, float] = {}
    for stage in stages(session, [partition], " ".join(asked)):
        found |= stage.scores
    expected = plain_scores(texts, asked)
    assert {places[document]: score for document, score in found.items()} == pytest.approx(expected)


def whole_documents(graph: Graph, texts: Sequence[Sequence[str]], question: str) -> set[int]:
    """Return the places of the texts that are told to hold every word of a question."""
    places = indexed(graph, texts)
    partition = Partition(graph.group.group_id, is_link=False, is_living=True)
    found = set[int]()
    for stage in stages(graph.session, [partition], question):
        assert stage.whole <= stage.scores.keys()
        found |= {places[document] for document in stage.whole}
    return found


def test_what_holds_every_word_is_told(session: Session) -> None:
    texts = [["alpha", "beta"], ["alpha"], ["beta", "alpha", "alpha"], ["beta", "gamma"]]
    assert whole_documents(Graph(session, "asked"), texts, "beta alpha") == {0, 2}


def test_nothing_holds_every_word_where_one_is_unknown(session: Session) -> None:
    texts = [["alpha", "beta"], ["alpha"]]
    assert whole_documents(Graph(session, "asked"), texts, f"alpha {ABSENT}") == set()


def test_common_words_count_among_every_word(session: Session) -> None:
    texts = [["alpha", "omega"], *([["alpha"]] * 150), ["omega"]]
    assert whole_documents(Graph(session, "asked"), texts, "alpha omega") == {0}
    assert len(whole_documents(Graph(session, "alone"), texts, "alpha")) == 151
