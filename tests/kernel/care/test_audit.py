"""The audit finds what was changed behind the log's back, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import behind
import recollect
from recollect import Nexus, RecollectError
from recollect.model import Delete, Key, PutConcept, PutLink

TYPELESS = pytest.mark.sqlite_only("puts what the column of a server does not take")
A, B, C = Key("T", "A"), Key("T", "B"), Key("T", "C")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def nexus(path: Path) -> Iterator[Nexus]:
    """Five transactions: created, changed, linked, closed, purged; beside a decoy like it."""
    with recollect.Nexus.open(path, group="decoy") as decoy:
        decoy.write(
            [PutConcept("T", "A", {"x": 1}), PutConcept("T", "B", id="b"), PutLink(A, "p", B)]
        )
        nexus = decoy.group("main")
        nexus.write(
            [
                PutConcept("T", "A", {"x": 1}),
                PutConcept("T", "B", id="b"),
                PutConcept("T", "C"),
                PutLink(A, "p", B),
            ]
        )
        nexus.write(
            [PutConcept("T", "A", {"x": 2, "\u00e9": [1.5, None]})], actor="me", request_id="r"
        )
        nexus.write(
            [PutConcept("T", "A", {"x": 3}), PutLink(A, "p", B, {"w": 1}), PutLink(A, "q", C)]
        )
        nexus.write([Delete(B)])
        nexus.purge(C)
        yield nexus
        assert decoy.verify().is_whole


def tamper(path: Path, sql: str) -> None:
    """Do what only someone with the file can do; `:group` is the group, 2."""
    behind.tampered(path, sql, {"group": 2})


def test_an_untouched_log_is_whole(nexus: Nexus) -> None:
    audit = nexus.verify()
    assert (audit.is_whole, audit.breach, audit.group) == (True, None, "main")
    assert (audit.transactions, audit.contents, audit.purged) == (5, 6, 2)
    number, _, chain = audit.head.partition(":")
    assert (number, len(chain)) == ("5", 64)


def test_a_group_nobody_wrote_to_is_whole(nexus: Nexus) -> None:
    audit = nexus.group("nobody").verify()
    assert (audit.is_whole, audit.transactions, audit.head) == (True, 0, "0:" + 64 * "0")


@pytest.mark.parametrize(
    ("tampering", "transaction", "problem"),
    [
        ("UPDATE concept SET attributes = '{\"x\":4}' WHERE name = 'A' AND group_id = :group", 3, "the content of"),
        pytest.param("UPDATE concept SET attributes = 'x' WHERE name = 'A' AND group_id = :group", 3, "the content of", marks=TYPELESS),
        ("UPDATE concept SET attributes = '{\"x\":4,\"x\":3}' WHERE name = 'A' AND group_id = :group", 3, "the content of"),
        ("UPDATE concept SET metadata = '{ }' WHERE name = 'A' AND group_id = :group", 3, "the content of"),
        ("UPDATE past SET version = 3 WHERE id & 1 = 0 AND until = 2 AND group_id = :group", 1, "no transaction wrote"),
        ("UPDATE past SET version = 3 - version WHERE id & 1 = 0 AND group_id = :group", 1, "no transaction wrote"),
        ("UPDATE concept SET expired_at = 4611686018427387905 WHERE name = 'A' AND group_id = :group", 3, "no transaction wrote"),
        ("UPDATE change SET operation = 'bogus' WHERE tx = 1 AND group_id = :group AND element IN"
         " (SELECT p.element FROM change p WHERE p.operation = 'purge')", 1, "is not known"),
        ("UPDATE change SET operation = 'bogus' WHERE tx = 2 AND group_id = :group", 2, "is not known"),
        ("UPDATE concept SET name = 'Z' WHERE name = 'A' AND group_id = :group", 1, "the content of"),
        ("UPDATE concept SET public_id = 'c' WHERE name = 'B' AND group_id = :group", 1, "the content of"),
        ("UPDATE concept SET valid_at = 0 WHERE name = 'A' AND group_id = :group", 3, "the content of"),
        ("UPDATE concept SET salt = zeroblob(16) WHERE name = 'A' AND group_id = :group", 1, "the content of"),
        ("UPDATE past SET attributes = '{}' WHERE id & 1 = 0 AND until = 2 AND group_id = :group", 1, "the content of"),
        ("UPDATE past SET invalid_at = 9 WHERE id & 1 = 0 AND until = 3 AND group_id = :group", 2, "the content of"),
        ("DELETE FROM past WHERE id & 1 = 0 AND until = 3 AND group_id = :group", 2, "is gone, and no purge"),
        ("UPDATE concept SET version = 7 WHERE name = 'A' AND group_id = :group", 3, "no transaction wrote"),
        pytest.param("UPDATE concept SET version = '3x' WHERE name = 'A' AND group_id = :group", 3, "no transaction wrote", marks=TYPELESS),
        pytest.param("UPDATE past SET version = '1x' WHERE id & 1 = 1 AND group_id = :group", 1, "no transaction wrote", marks=TYPELESS),
        ("UPDATE past SET until = 4 WHERE id & 1 = 0 AND until = 3 AND group_id = :group", 2, "no transaction wrote"),
        ("UPDATE link SET object = subject WHERE group_id = :group", 1, "the content of"),
        ("UPDATE link SET key = 'k' WHERE group_id = :group", 1, "the content of"),
        ("UPDATE term SET text = 'loves' WHERE text = 'p' AND group_id = :group", 1, "the content of"),
        ("DELETE FROM term WHERE text = 'p' AND group_id = :group", 1, "the content of"),
        ("UPDATE concept SET expired_at = 4611686018427387904 WHERE name = 'B' AND group_id = :group", 4, "is its close"),
        ("UPDATE concept SET expired_at = 5 WHERE name = 'A' AND group_id = :group", 3, "no transaction wrote"),
        ("UPDATE concept SET born_at = 2 WHERE name = 'A' AND group_id = :group", 1, "is its create"),
        ("DELETE FROM concept WHERE name = 'A' AND group_id = :group", 1, "is gone, and no purge"),
        ("INSERT INTO concept (id, group_id, type, name, attributes, metadata, valid_at, invalid_at, version, born_at, changed_at,"
         " expired_at, salt) SELECT id + 100, group_id, type, 'X', '{}', '{}', 0, 1, 1, 1, 1, expired_at, salt"
         " FROM concept WHERE name = 'A' AND group_id = :group", 1, "no transaction wrote"),
        ("UPDATE tx SET actor = 'you' WHERE number = 2 AND group_id = :group", 2, "its record or its changes"),
        ("UPDATE tx SET request = NULL WHERE number = 2 AND group_id = :group", 2, "its record or its changes"),
        ("UPDATE tx SET at = at + 1000 WHERE number = 4 AND group_id = :group", 4, "its record or its changes"),
        ("UPDATE tx SET chain = zeroblob(32) WHERE number = 3 AND group_id = :group", 3, "its record or its changes"),
        ("DELETE FROM tx WHERE number = 2 AND group_id = :group", 2, "the transaction is not in the log"),
        ("DELETE FROM tx WHERE number = 5 AND group_id = :group", 5, "the transaction is not in the log"),
        ("DELETE FROM tx WHERE group_id = :group", 1, "the transaction is not in the log"),
        ("UPDATE tx SET last_id = 0 WHERE number = 3 AND group_id = :group", 3, "its record or its changes"),
        ("UPDATE tx SET last_id = last_id + 90 WHERE number = 2 AND group_id = :group", 2, "its record or its changes"),
        ("UPDATE grp SET chain = zeroblob(32) WHERE group_id = :group", 5, "another head"),
        ("UPDATE change SET digest = zeroblob(32) WHERE tx = 1 AND group_id = :group", 1, "the content of"),
        ("UPDATE change SET digest = zeroblob(32) WHERE tx = 5 AND group_id = :group", 5, "the digest of the purge"),
        ("UPDATE change SET digest = zeroblob(32) WHERE tx = 1 AND group_id = :group AND element IN"
         " (SELECT p.element FROM change p WHERE p.operation = 'purge')", 1, "its record or its changes"),
        ("DELETE FROM change WHERE tx = 3 AND element % 2 = 1 AND group_id = :group", 3, "its record or its changes"),
        ("UPDATE change SET operation = 'update' WHERE tx = 5 AND group_id = :group", 1, "is gone, and no purge"),
        ("UPDATE change SET operation = 'purge' WHERE tx = 2 AND group_id = :group", 2, "was purged, yet it exists"),
        ("UPDATE change SET operation = 'create' WHERE tx = 2 AND group_id = :group", 2, "is its create"),
    ],
)  # fmt: skip
def test_what_is_changed_behind_the_logs_back_is_found(
    nexus: Nexus, path: Path, tampering: str, transaction: int, problem: str
) -> None:
    tamper(path, tampering)
    audit = nexus.verify()
    assert audit.breach is not None
    assert (audit.is_whole, audit.breach.transaction) == (False, transaction)
    assert problem in audit.breach.problem


def test_a_log_made_anew_is_found_by_a_head_that_was_kept(nexus: Nexus, path: Path) -> None:
    head = nexus.verify().head
    nexus.write([PutConcept("T", "D")])
    assert nexus.verify(head).is_whole
    with recollect.Nexus.open(path.with_name("forged.db"), group="main") as forged:
        for number in range(6):
            forged.write([PutConcept("T", "A", {"x": number})])
        assert forged.verify().is_whole
        breach = forged.verify(head).breach
        assert breach is not None
        assert (breach.transaction, breach.problem) == (
            5,
            "its chain hash is not the one that was kept",
        )


def test_a_log_that_ends_before_the_kept_head_is_found(nexus: Nexus) -> None:
    breach = nexus.verify("9:" + 64 * "0").breach
    assert breach is not None
    assert (breach.transaction, breach.problem) == (6, "the log ends before the head that was kept")


@pytest.mark.parametrize("head", ["", "5", "5:abc", "x:" + 64 * "0", "5:" + 64 * "g", 5 * "9" * 30])
def test_what_is_no_head_is_refused(nexus: Nexus, head: str) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.verify(head)
    assert caught.value.code.code == "INVALID_ARGUMENT"


def test_an_audit_tells_how_many_transactions_it_has_checked(nexus: Nexus) -> None:
    for turn in range(3):
        nexus.write([PutConcept("T", f"{turn} {n}") for n in range(2_500)])
    told: list[tuple[str, int, int]] = []
    assert nexus.verify(progress=lambda *step: told.append(step)).is_whole
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert len({done for _, done, _ in told}) > 2
    assert told[-1] == ("transactions", 8, 8)
    assert {total for _, _, total in told} == {8}
