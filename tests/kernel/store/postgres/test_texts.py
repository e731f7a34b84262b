"""The index of texts on a server beside the one in a file: they answer alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import recollect
from recollect.kernel.search.rank import stages
from recollect.kernel.search.tokens import TextIndex
from recollect.kernel.store.port import (
    IndexedDocuments,
    Partition,
    Session,
    Term,
    Texts,
    partition_of,
)
from recollect.kernel.store.postgres.postings import unpack
from recollect.kernel.store.postgres.store import PostgresStore
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import PutConcept

WORDS = ("treats", "treating", "pain", "pains", "cs", "c", "course", "北京", "京都", "relational")
TERMS = [*(Term(word) for word in WORDS), Term("absent"), Term("treat"), Term("京", is_prefix=True)]
STEPS = st.lists(
    st.tuples(
        st.integers(-4, 9).filter(bool),
        st.lists(st.sampled_from(WORDS), max_size=6) | st.none(),
    ),
    min_size=1,
    max_size=12,
)
GROUPS = count(1)
APART = 10_000  # between the ids of two groups, which are of one file


@pytest.fixture
def sessions(on_server: str) -> Iterator[tuple[Session, Session]]:
    """A session in a file, and one on a server."""
    file, server = SqliteStore(":memory:"), PostgresStore(on_server)
    with file.writing() as one, server.writing() as other:
        yield one, other
    file.close()
    server.close()


class Library:
    """IndexedDocuments of one group, put into several indexes at once."""

    def __init__(self, *indexes: Texts) -> None:
        self.indexes = indexes
        self.group = next(GROUPS)
        self.held: dict[int, Sequence[str]] = {}

    def id(self, number: int) -> int:
        return number - APART * self.group if number < 0 else number + APART * self.group

    def partition(self, number: int) -> Partition:
        """IndexedDocuments of superseded contents are closed."""
        return partition_of(self.group, number, number > 0)

    def set(self, words: Mapping[int, Sequence[str] | None]) -> None:
        """Give documents these words, or none of them any more."""
        gone = {one: self.held.pop(one) for one in words if one in self.held}
        come = {one: said for one, said in words.items() if said is not None}
        self.held.update(come)
        for index in self.indexes:
            index.change(self._documents(gone), self._documents(come))

    def _documents(self, words: Mapping[int, Sequence[str]]) -> list[IndexedDocuments]:
        parts: dict[Partition, list[tuple[int, Sequence[str]]]] = {}
        for number, said in words.items():
            parts.setdefault(self.partition(number), []).append((self.id(number), said))
        return [IndexedDocuments(one, iter(own)) for one, own in parts.items()]

    def answers(self, index: Texts) -> object:
        """Return everything that the kernel asks."""
        concepts = [Partition(self.group, False, is_living) for is_living in (True, False)]
        links = [Partition(self.group, True, True)]
        ways = [[TERMS[0], TERMS[2]], [TERMS[5]], [TERMS[-1], TERMS[7]]]
        return [
            [
                index.frequencies(parts, TERMS, -1),
                [one > 0 for one in index.frequencies(parts, TERMS, 1)],
                [_told(index, parts, term, None) for term in TERMS],
                [_told(index, parts, term, {self.id(2), self.id(4)}) for term in TERMS],
                index.holding(parts, ways),
                len(index.holding(parts, ways, 2)),
            ]
            for parts in (concepts[:1], concepts, links)
        ] + [index.lengths(self.group, map(self.id, range(-9, 9)))]


def _told(
    index: Texts, parts: Sequence[Partition], term: Term, among: set[int] | None
) -> dict[int, tuple[int, int]]:
    """Return where a term stands: the words of each document, and how often it has this one."""
    (found,) = index.occurrences(parts, [term], among)
    told = {one: index.length(size) for one, size in zip(found.documents, found.sizes, strict=True)}
    often = {one: often for one, (_, often) in found.repeated.items()}
    assert all(told[one] == index.length(size) for one, (size, _) in found.repeated.items())
    return {one: (length, often.get(one, 1)) for one, length in told.items()}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_both_indexes_answer_alike(
    sessions: tuple[Session, Session], steps: list[tuple[int, list[str] | None]]
) -> None:
    one, other = (session.texts for session in sessions)
    library = Library(one, other)
    decoy = Library(one, other)
    decoy.set({2: ["pain", "treats"], 3: ["course"]})
    for number, words in steps:
        library.set({number: words})
    for each in (library, decoy):
        assert each.answers(one) == each.answers(other)
    assert one.size() == other.size()


def test_a_word_of_many_writes_has_few_blocks(sessions: tuple[Session, Session]) -> None:
    one, other = (session.texts for session in sessions)
    library = Library(one, other)
    for number in range(1, 150):
        library.set({number: ["pain", f"number{number}"], number - 3: None})
    library.set({-1: ["pain"]})
    assert library.answers(one) == library.answers(other)
    assert _most_blocks(sessions[1]) <= 60  # one of eight writes looks, and joins more than 24


def _most_blocks(session: Session) -> int:
    sql = "/* a test's */ SELECT max(b.many) FROM (SELECT count(*) AS many FROM text_block GROUP BY term, part) AS b"
    ((most,),) = session.rows(sql)
    assert isinstance(most, int)
    return most


def test_a_document_of_many_updates_has_few_blocks_a_word(on_server: str) -> None:
    server = PostgresStore(on_server)
    with recollect.open(on_server) as nexus:
        for number in range(200):
            note = {"note": f"reading {number} taken"}
            nexus.write([PutConcept("Sensor", "counter", note)])
            with server.reading() as session:
                assert _most_blocks(session) <= 70  # two of each write
        assert len(nexus.search("counter").results[0].hits) == 1  # type: ignore[union-attr]
    server.close()


def test_words_come_and_go_where_all_that_a_block_joins_cancels(
    sessions: tuple[Session, Session],
) -> None:
    one, other = (session.texts for session in sessions)
    library = Library(one, other)
    library.set({number: ["base", f"number{number}"] for number in range(1, 400)})
    for number in range(80):
        library.set({500 + number: ["pain", f"word{number % 30}"]})
        library.set({500 + number: None})
    assert library.answers(one) == library.answers(other)


def test_writes_of_one_transaction_join_what_those_before_have_joined(on_server: str) -> None:
    with recollect.open(on_server) as nexus:
        nexus.write([PutConcept("Drug", "Aspirin")])
        group = nexus.group_name
    server = PostgresStore(on_server)
    with server.writing(group=group) as session:
        library = Library(session.texts)
        words = [f"word{number}" for number in range(40)]
        for number in range(2, 48, 2):
            library.set({number: words})
        parts, told = [library.partition(2)], [*map(Term, words)]
        assert session.texts.frequencies(parts, told, -1) == [23] * 40
        library.set(dict.fromkeys(range(1_000, 2_000, 2), words))
        for number in range(200, 230, 2):
            library.set({number: words})
        assert session.texts.frequencies(parts, told, -1) == [538] * 40
        assert all(
            len(one.documents) == 538 for one in session.texts.occurrences(parts, told, None)
        )
    server.close()


def test_a_word_is_counted_whole_in_the_write_that_joins_its_blocks(on_server: str) -> None:
    with recollect.open(on_server) as nexus:
        nexus.write('UPSERT { CONCEPT ?a { {type: "Drug", name: "Aspirin"} } }')
        group = nexus.group_name
    server = PostgresStore(on_server)
    for number in range(1, 80):
        with server.writing(group=group) as session:
            texts, library = session.texts, Library(session.texts)
            library.group = APART
            parts = [library.partition(2)]
            library.set({2 * number: ["zebra"]})
            assert texts.frequencies(parts, [Term("zebra")], -1) == [number]
            assert len(_told(texts, parts, Term("zebra"), None)) == number
        with server.writing(group=group) as session:
            library.indexes = (session.texts,)
            library.set({2 * number + 1_000: ["zebu"]})
            (found,) = session.texts.occurrences(parts, [Term("zeb", is_prefix=True)], None)
            assert len(found.documents) == 2 * number
    server.close()


def test_an_optimised_index_has_one_block_a_word(sessions: tuple[Session, Session]) -> None:
    one, other = (session.texts for session in sessions)
    library, decoy = Library(one, other), Library(one, other)
    for number in range(2, 12):
        library.set({number: ["pain", f"number{number}"], 4: None})
        decoy.set({2: ["pain"], number: ["pain", "cs"]})
    other.join()
    for each in (library, decoy):
        assert each.answers(one) == each.answers(other)
    blocks = sessions[1].rows("/* a test's */ SELECT group_id, part, term FROM text_block")
    assert len(blocks) == len(set(blocks))


def test_nothing_names_what_was_erased(sessions: tuple[Session, Session]) -> None:
    one, other = (session.texts for session in sessions)
    library, decoy = Library(one, other), Library(one, other)
    for words in (["pain", "treats"], ["course", "cs"]):
        library.set({2: words, 4: ["pain"], -1: ["treats"]})
        decoy.set({2: ["pain"]})
    erased = {library.id(2), library.id(-1)}
    for index in (one, other):
        index.erase(library.group, erased)
    assert library.answers(one) == library.answers(other)
    rows = sessions[1].rows("/* a test's */ SELECT data, term FROM text_block")
    named = {document for data, _ in rows for document in unpack(bytes(data)).documents}  # type: ignore[arg-type]
    assert named == {library.id(4), decoy.id(2)}
    assert {"cours", "cs\u00b7"}.isdisjoint({term for _, term in rows})


def test_words_are_put_in_after_the_last_write_was_erased(
    sessions: tuple[Session, Session],
) -> None:
    one, other = (session.texts for session in sessions)
    library, decoy = Library(one, other), Library(one, other)
    decoy.set({2: ["pain"]})
    for number in range(2, 240, 2):
        library.set({number: ["pain" if number > 20 else "course"]})
        if number % 6 == 0:  # also when blocks of "pain" were joined, and those of all words not
            last = {number, number - 2}
            for index in (one, other):
                index.erase(library.group, set(map(library.id, last)))
            library.held = {at: said for at, said in library.held.items() if at not in last}
    for each in (library, decoy):
        assert each.answers(one) == each.answers(other)


def test_an_index_and_the_one_made_anew_are_the_same_to_doctor(
    sessions: tuple[Session, Session],
) -> None:
    _, texts = (session.texts for session in sessions)
    library = Library(texts)
    for number in range(2, 80):
        library.set({2: ["pain", f"number{number}"], number: ["course", "cs"]})
    kept, held = texts.fingerprint(library.group), library.held
    assert not texts.holds_nothing(library.group)
    texts.forget(library.group)
    assert texts.holds_nothing(library.group)
    library.held = {}
    library.set(held)
    assert texts.fingerprint(library.group) == kept
    library.set({2: ["pain"]})
    assert texts.fingerprint(library.group) != kept


def test_superseded_documents_are_numbered_in_their_group(
    sessions: tuple[Session, Session],
) -> None:
    _, session = sessions
    for group in (next(GROUPS), next(GROUPS)):
        index = TextIndex(session, group)
        index.supersede(2, 5, "an older text")
        index.flush()
        assert list(session.texts.lengths(group, range(-9, 0))) == [-1]


def test_superseded_documents_are_known_by_their_time(sessions: tuple[Session, Session]) -> None:
    _, session = sessions
    index = TextIndex(session, group := next(GROUPS))
    prints = set()
    for order in ((5, 8), (8, 5)):
        for until in order:
            index.supersede(2, until, f"text until {until}")
        index.flush()
        prints.add(session.texts.fingerprint(group))
        session.texts.forget(group)
        session.execute_many("DELETE FROM text_past WHERE group_id = ?", [(group,)])
    assert len(prints) == 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=30), min_size=1),
    asked=st.sets(st.sampled_from((*WORDS, "absent", "京")), min_size=1),
)
def test_scores_are_equal_to_the_bit(
    sessions: tuple[Session, Session], texts: list[list[str]], asked: set[str]
) -> None:
    group = next(GROUPS)
    scores = []
    for session in sessions:
        index = TextIndex(session, group)
        for place, words in enumerate(texts):
            index.put(APART * group + 2 * place, True, " ".join(words))
        index.flush()
        found = stages(session, [Partition(group, False, True)], " ".join(sorted(asked)))
        scores.append([(sorted(one.scores.items()), sorted(one.whole)) for one in found])
    assert scores[0] == scores[1]


def test_a_purge_leaves_no_word_of_what_was_said(on_server: str) -> None:
    with recollect.open(on_server) as nexus:
        for note in ("a yellow tablet", "a purple tablet"):
            said = {"name": "Aspirin", "note": note}
            text = 'UPSERT { CONCEPT ?a { {type: "Drug", name: $name} SET ATTRIBUTES { note: $note } } }'
            nexus.write(text, said)
        nexus.write('UPSERT { CONCEPT ?a { {type: "Drug", name: "Ibuprofen"} } }')
        assert nexus.purge(recollect.Key("Drug", "Aspirin")).texts == 2
        assert nexus.doctor().findings == ()
    store = PostgresStore(on_server)
    with store.reading() as session:
        assert session.rows("/* a test's */ SELECT term FROM text_block ORDER BY term") == [
            ("",),
            ("ibuprofen",),
        ]
        assert session.rows("/* a test's */ SELECT doc FROM text_past") == []
    store.close()


def test_a_text_index_that_is_in_use_is_left_as_large_as_it_is(on_server: str) -> None:
    slow = f"{on_server}&options=-c%20statement_timeout%3D100"  # as a role may have it
    with recollect.open(slow) as nexus, recollect.open(on_server) as reader, reader.snapshot():
        nexus.write('UPSERT { CONCEPT ?a { {type: "Drug", name: "Aspirin"} } }')
        assert len(reader.search("aspirin").results) == 1
        assert nexus.doctor(fix=True).is_well
