"""A transaction records what it did in the end, not how it got there."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given
from tests.kernel.write.ledger import verify
from tests.kernel.write.memory import Memory

from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import Change, Delete, Key, Local, PutConcept, PutLink, RemoveKeys

A, B = Key("T", "A"), Key("T", "B")


def test_what_is_made_and_deleted_in_one_transaction_leaves_no_row(memory: Memory) -> None:
    before = memory.everything()
    written = memory.write(
        [PutConcept("T", "A"), PutConcept("T", "B"), PutLink(A, "p", B)],
        [Delete(A)],
        [Delete(B)],
    )
    assert written.number is None
    after = memory.everything()
    terms = after.pop("term")
    before.pop("term")
    assert len(terms) > 0
    assert {**after, "tally": []} == {**before, "tally": []}
    assert memory.tally() == {}


def test_a_change_and_its_reversal_leave_the_row_as_it_was(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {"x": 1}, {"valid_from": "2020"})])
    before = memory.everything()
    written = memory.write(
        [PutConcept("T", "A", {"x": 2}, {"valid_from": "2021"})],
        [PutConcept("T", "A", {"x": 1}, {"valid_from": "2020"})],
    )
    assert written.number is None
    assert memory.everything() == before


def test_several_changes_of_one_element_are_one_version(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {"x": 0})])
    memory.write(*([PutConcept("T", "A", {"x": step})] for step in (1, 2, 3)))
    assert memory.rows("SELECT version, attributes FROM concept WHERE group_id = :group") == [
        (2, '{"x":3}')
    ]
    assert memory.rows(
        "SELECT until, version, attributes, changed_at FROM past WHERE group_id = :group"
    ) == [(2, 1, '{"x":0}', 1)]


def test_a_change_before_a_delete_is_only_a_delete(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {"x": 0})])
    memory.write([PutConcept("T", "A", {"x": 1})], [Delete(A)])
    sql = "SELECT version, attributes, changed_at, expired_at FROM concept WHERE group_id = :group"
    assert memory.rows(sql) == [(1, '{"x":0}', 1, 2)]
    assert memory.rows("SELECT * FROM past") == []
    assert memory.rows("SELECT tx, operation FROM change WHERE group_id = :group ORDER BY tx") == [
        (1, "create"),
        (2, "close"),
    ]


def test_what_is_made_again_after_a_delete_is_a_new_element(memory: Memory) -> None:
    (first,) = memory.write([PutConcept("T", "A", {"x": 0})]).reports
    again = memory.write([Delete(A)], [PutConcept("T", "A", {"y": 0})])
    assert again.reports[1].ids != first.ids  # type: ignore[union-attr]
    assert memory.concepts() == {"T A": ({"y": 0}, {})}
    assert memory.rows("SELECT count(*) FROM concept WHERE group_id = :group") == [(2,)]


def test_a_dry_run_leaves_nothing_not_even_a_known_term(memory: Memory) -> None:
    before = memory.everything()
    rehearsed = memory.write(
        [PutConcept("New", "A"), PutLink(Key("New", "A"), "fresh", Key("New", "A"))],
        is_dry_run=True,
    )
    assert rehearsed.number == 1
    assert memory.everything() == before
    with memory.store.reading() as session:
        assert memory.terms.code(session, "New") is None


def test_a_failed_transaction_leaves_nothing(memory: Memory) -> None:
    before = memory.everything()
    with pytest.raises(RuntimeError), memory.store.writing() as session:
        session.execute_many("UPDATE counter SET last_n = ?", [(999,)])
        raise RuntimeError("in the middle")
    assert memory.everything() == before


def test_the_instant_of_a_transaction_is_later_than_the_last(memory: Memory) -> None:
    for now in (1000, 1000, 5, 2000):
        memory.write(
            [PutConcept("T", "A", {"x": memory.rows("SELECT count(*) FROM tx")[0][0]})], now=now
        )
    instants = memory.rows("SELECT at FROM tx WHERE group_id = :group ORDER BY number")
    assert instants == [(1000,), (1001,), (1002,), (2000,)]


def test_actor_and_request_are_kept_with_the_transaction(memory: Memory) -> None:
    memory.write([PutConcept("T", "A")], actor="ann \U0001f9e0", request_id="r\u00e91")
    rows = memory.rows("SELECT actor, request, last_id FROM tx WHERE group_id = :group")
    (newest,) = memory.rows("SELECT max(id) | 1 FROM concept")
    assert rows == [("ann \U0001f9e0", "r\u00e91", *newest)]


names = st.sampled_from("ABC")
keys = st.builds(Key, st.just("T"), names)
values = st.dictionaries(
    st.sampled_from("xy"), st.sampled_from([0, 1, 1.0, True, None, [1], "\u00e9"])
)
puts = st.builds(PutConcept, st.just("T"), names, values, values)
links = st.builds(
    lambda ends, predicate, key: [
        PutConcept("T", ends[0], handle="s"),
        PutConcept("T", ends[1], handle="o"),
        PutLink(Local("s"), predicate, Local("o"), {}, {}, key, handle="l"),
        PutLink(Local("l"), "about", Local("s")),
    ],
    st.tuples(names, names),
    st.sampled_from("pq"),
    st.sampled_from(["", "k"]),
)
deletes = st.builds(lambda name: [PutConcept("T", name), Delete(Key("T", name))], names)
removals = st.builds(
    lambda name, keys: [PutConcept("T", name), RemoveKeys(Key("T", name), keys)],
    names,
    st.frozensets(st.sampled_from("xy")),
)
batches = st.one_of(st.lists(puts, max_size=3), links, deletes, removals)
transactions = st.lists(st.lists(batches, min_size=1, max_size=4), max_size=6)


def living(memory: Memory) -> tuple[object, object]:
    return memory.concepts(), sorted(memory.links(), key=repr)


def counted(memory: Memory) -> dict[tuple[str, str], int]:
    """Count what the tallies say, from the rows."""
    sql = """
        SELECT 'concept', t.text, count(*) FROM concept e
        JOIN term t ON t.group_id = e.group_id AND t.code = e.type
        WHERE e.group_id = :group AND e.expired_at = :living GROUP BY 1, 2
        UNION ALL SELECT 'link', t.text, count(*) FROM link e
        JOIN term t ON t.group_id = e.group_id AND t.code = e.predicate
        WHERE e.group_id = :group AND e.expired_at = :living GROUP BY 1, 2
        UNION ALL SELECT 'link_subjects', t.text, count(*) FROM link e
        JOIN term t ON t.group_id = e.group_id AND t.code = e.predicate
        WHERE e.group_id = :group AND e.subject & 1 GROUP BY 1, 2
        UNION ALL SELECT 'link_objects', t.text, count(*) FROM link e
        JOIN term t ON t.group_id = e.group_id AND t.code = e.predicate
        WHERE e.group_id = :group AND e.object & 1 GROUP BY 1, 2
        UNION ALL SELECT 'keyed', t.text, count(*) FROM link e
        JOIN term t ON t.group_id = e.group_id AND t.code = e.predicate
        WHERE e.group_id = :group AND e.key != '' GROUP BY 1, 2
    """
    return {(str(kind), str(term)): int(str(count)) for kind, term, count in memory.rows(sql)}


@given(transactions)
def test_one_transaction_or_many_end_in_the_same_graph(
    transactions: list[list[list[Change]]],
) -> None:
    store = SqliteStore(":memory:")
    together, apart = Memory(store, "together"), Memory(store, "apart")
    for transaction in transactions:
        together.write(*transaction)
        for batch in transaction:
            apart.write(batch)
        assert living(together) == living(apart)
        assert together.tally() == counted(together)
        assert apart.tally() == counted(apart)
    for memory in (together, apart):
        verify(store, memory.group.group_id)
        for transaction in transactions[-1:]:
            memory.write(*transaction)
    store.close()
