from __future__ import annotations

import pytest
from tests.kernel.write.ledger import verify
from tests.kernel.write.memory import Memory

from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.model import Delete, Key, PutConcept, PutLink


@pytest.fixture
def written() -> Memory:
    memory = Memory(SqliteStore(":memory:"))
    a, b = Key("T", "A"), Key("T", "B")
    memory.write([PutConcept("T", "A", {"x": 1}), PutConcept("T", "B", id="b"), PutLink(a, "p", b)])
    memory.write([PutConcept("T", "A", {"x": 2, "\u00e9": [1.5, None]})], actor="me")
    memory.write([PutConcept("T", "A", {"x": 3}), PutLink(a, "p", b, {"w": 1})])
    memory.write([Delete(b)])
    return memory


def test_the_log_can_be_computed_again_from_the_rows(written: Memory) -> None:
    assert verify(written.store, written.group.group_id) == 4
    operations = written.rows("SELECT tx, operation FROM change ORDER BY tx, element")
    assert operations == [
        (1, "create"), (1, "create"), (1, "create"), (2, "update"), (3, "update"), (3, "update"),
        (4, "close"), (4, "close"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "tampering",
    [
        "UPDATE concept SET attributes = '{\"x\":4}' WHERE name = 'A'",
        "UPDATE concept SET name = 'Z' WHERE name = 'A'",
        "UPDATE concept SET valid_at = 0 WHERE name = 'A'",
        "UPDATE past SET attributes = '{}' WHERE until = 2",
        "UPDATE link SET object = subject",
        "UPDATE term SET text = 'loves' WHERE text = 'p'",
        "UPDATE tx SET actor = 'you' WHERE number = 2",
        "UPDATE tx SET at = at + 10 WHERE number = 4",
        "UPDATE tx SET last_id = last_id + 2 WHERE number = 2",
        "UPDATE change SET operation = 'update' WHERE tx = 1 AND operation = 'create'",
        "UPDATE grp SET id_bits = zeroblob(10)",
        "UPDATE change SET digest = zeroblob(32) WHERE tx = 1",
        "DELETE FROM change WHERE tx = 3 AND element & 1",
        "DELETE FROM tx WHERE number = 4",
    ],
)
def test_what_is_changed_behind_the_logs_back_is_found(written: Memory, tampering: str) -> None:
    with written.store.writing() as session:
        session.rows(tampering)
    with pytest.raises((AssertionError, KeyError)):
        verify(written.store, written.group.group_id)


def test_equal_contents_have_unequal_digests(written: Memory) -> None:
    written.write([PutConcept("T", "C"), PutConcept("T", "D")])
    rows = written.rows("SELECT digest FROM change WHERE tx = 5")
    assert len(set(rows)) == 2


def test_a_restart_continues_the_chain(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for number in range(3):
        store = SqliteStore(tmp_path / "memory.db")
        memory = Memory(store)
        assert memory.write([PutConcept("T", "A", {"n": number})]).number == number + 1
        assert verify(store, memory.group.group_id) == number + 1
        store.close()
