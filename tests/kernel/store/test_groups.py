from __future__ import annotations

from collections.abc import Iterator

import pytest

from recollect.errors import RecollectError
from recollect.kernel.store.group import Interning, Terms, create_group, group_names, load_group
from recollect.kernel.store.port import Session
from recollect.kernel.store.sqlite.store import SqliteStore


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    store = SqliteStore(":memory:")
    yield store
    store.close()


def test_groups_are_created_once_and_found_by_name(store: SqliteStore) -> None:
    with store.writing() as session:
        created = create_group(session, "default")
        assert create_group(session, "default") == created
        create_group(session, "a team \u2764")
    with store.reading() as session:
        assert load_group(session, "default") == created
        assert load_group(session, "nobody") is None
        assert group_names(session) == ("a team \u2764", "default")
    assert len(created.id_bits) == 26


def test_names_that_normalise_alike_are_one_group(store: SqliteStore) -> None:
    with store.writing() as session:
        assert create_group(session, "caf\u00e9") == create_group(session, "cafe\u0301")


@pytest.mark.parametrize("name", ["", "x" * 129, "a\nb", "a\0b", "\ud800", "\u200b"])
def test_a_bad_name_is_refused(store: SqliteStore, name: str) -> None:
    for ask in (load_group, create_group):
        with store.writing() as session, pytest.raises(RecollectError) as caught:
            ask(session, name)
        assert caught.value.code.code == "INVALID_ARGUMENT"


def interned(terms: Terms, session: Session, *texts: str) -> list[int]:
    """Return the codes of terms, those that are new being written."""
    interning = Interning(terms, session)
    codes = [interning.intern(text) for text in texts]
    interning.flush()
    return codes


def test_terms_are_numbered_from_one_within_their_group(store: SqliteStore) -> None:
    one, two = Terms(1), Terms(2)
    with store.writing() as session:
        assert interned(one, session, "Drug") == [1]
        assert interned(two, session, "p", "Drug", "p") == [1, 2, 1]
        assert Interning(two, session).text(2) == "Drug"
    with store.reading() as session:
        assert (one.code(session, "Drug"), two.code(session, "Drug")) == (1, 2)
        assert one.code(session, "p") is None
        assert two.all(session) == {"p": 1, "Drug": 2}
        assert two.text(session, 1) == "p"


def test_terms_of_a_transaction_that_is_rolled_back_are_not_remembered(store: SqliteStore) -> None:
    terms = Terms(1)
    with store.writing(is_dry_run=True) as session:
        assert interned(terms, session, "Ghost") == [1]
        assert terms.code(session, "Ghost") == 1  # what a query of this transaction sees
    with store.writing() as session:
        assert interned(terms, session, "Drug") == [1]
    with store.reading() as session:
        assert terms.code(session, "Ghost") is None
        assert terms.text(session, 1) == "Drug"


def test_a_term_that_another_process_added_is_found(store: SqliteStore) -> None:
    ours, theirs = Terms(1), Terms(1)
    with store.writing() as session:
        interned(theirs, session, "Drug")
    with store.reading() as session:
        assert ours.code(session, "Drug") == 1
    with store.writing() as session:
        assert interned(ours, session, "Symptom") == [2]


def test_terms_that_are_expected_are_known_and_others_are_new(store: SqliteStore) -> None:
    terms = Terms(1)
    with store.writing() as session:
        interned(terms, session, "Drug", "Symptom")
    with store.writing() as session:
        interning = Interning(Terms(1), session)
        interning.expect(["Symptom", "Ghost", "Symptom"])
        assert [interning.code(text) for text in ("Symptom", "Ghost", "Drug")] == [2, None, 1]
        assert interning.intern("Ghost") == 3
        assert [interning.is_new(code) for code in (1, 2, 3)] == [False, False, True]
        assert interning.all() == {"Drug": 1, "Symptom": 2, "Ghost": 3}
