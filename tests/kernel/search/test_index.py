from __future__ import annotations

from tests.kernel.search.graph import Graph

from recollect.kernel.search.tokens import TextIndex, erase_texts, terms
from recollect.kernel.store.port import Partition, Session

LIVING_CONCEPTS, CLOSED_CONCEPTS = 0, 1


def holders(session: Session, partition: Partition, words: str) -> list[int]:
    """Return the documents that hold any of the words."""
    return sorted(session.texts.holding([partition], [[one] for one in terms(words)]))


def living(group_id: int) -> Partition:
    return Partition(group_id, is_link=False, is_living=True)


def closed(group_id: int) -> Partition:
    return Partition(group_id, is_link=False, is_living=False)


def test_nothing_is_written_before_flush(session: Session) -> None:
    index = TextIndex(session, 7)
    index.put(2, True, "aspirin")
    assert holders(session, living(7), "aspirin") == []
    index.flush()
    assert holders(session, living(7), "aspirin") == [2]


def test_putting_again_replaces_the_document_and_its_counts(session: Session) -> None:
    graph = Graph(session)
    index = TextIndex(session, graph.group.group_id)
    before = None
    for text in ("one two three", "four", "four"):
        index.put(2, True, text, before)
        index.flush()
        before = text
    assert holders(session, living(graph.group.group_id), "one") == []
    assert holders(session, living(graph.group.group_id), "four") == [2]
    assert graph.counts() == {("documents", LIVING_CONCEPTS): 1, ("tokens", LIVING_CONCEPTS): 1}


def test_a_closed_document_moves_to_the_closed_partition(session: Session) -> None:
    graph = Graph(session)
    group_id = graph.group.group_id
    index = TextIndex(session, group_id)
    index.put(2, True, "aspirin tablet")
    index.flush()
    index.put(2, False, "aspirin tablet", "aspirin tablet")
    index.flush()
    assert holders(session, living(group_id), "aspirin") == []
    assert holders(session, closed(group_id), "aspirin") == [2]
    assert graph.counts() == {("documents", CLOSED_CONCEPTS): 1, ("tokens", CLOSED_CONCEPTS): 2}


def test_a_superseded_text_stays_findable_beside_the_new_one(session: Session) -> None:
    graph = Graph(session)
    group_id = graph.group.group_id
    index = TextIndex(session, group_id)
    index.put(2, True, "old text")
    index.flush()
    index.supersede(2, 5, "old text")
    index.supersede(2, 5, "never the truth")
    index.put(2, True, "new", "old text")
    index.flush()
    assert holders(session, living(group_id), "old new") == [2]
    assert holders(session, closed(group_id), "old") == [-1]
    assert holders(session, closed(group_id), "truth") == []
    assert graph.counts() == {
        ("documents", LIVING_CONCEPTS): 1,
        ("tokens", LIVING_CONCEPTS): 1,
        ("documents", CLOSED_CONCEPTS): 1,
        ("tokens", CLOSED_CONCEPTS): 2,
    }


def test_erasing_leaves_no_document_and_no_count(session: Session) -> None:
    graph = Graph(session)
    index = TextIndex(session, graph.group.group_id)
    index.put(2, True, "first text")
    index.put(3, True, "a link")
    index.flush()
    index.supersede(2, 5, "first text")
    index.put(2, False, "second text", "first text")
    index.flush()
    erase_texts(session, graph.group.group_id, {2: False, 3: True, 4: True})
    assert session.texts.size() == 0
    assert (
        session.rows("SELECT doc FROM text_past WHERE group_id = ?", (graph.group.group_id,)) == []
    )
    assert graph.counts() == {}


def test_words_are_stemmed_as_without_their_partition(session: Session) -> None:
    index = TextIndex(session, 12)
    index.put(2, True, "treats headaches running happily relational")
    index.flush()
    for word in ("treat", "treating", "headache", "runs", "happily", "relation"):
        assert holders(session, living(12), word) == [2]
    assert holders(session, living(1), "treat") == []


def test_words_of_two_letters_are_not_stemmed(session: Session) -> None:
    index = TextIndex(session, 12)
    index.put(2, True, "CS course")
    index.put(4, True, "C course")
    index.flush()
    assert holders(session, living(12), "cs") == [2]
    assert holders(session, living(12), "c") == [4]
    assert holders(session, living(12), "courses") == [2, 4]
