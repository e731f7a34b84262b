"""A memory on a server, through the public door, beside one in a file."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import psycopg
import pytest

import recollect
from postgres import schema
from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.kernel import Nexus
from recollect.kernel.store.postgres.address import parse_server
from recollect.model import Instant

TOLD = """
UPSERT {
  CONCEPT ?s { {type: "Symptom", name: "headache"} }
  CONCEPT ?d {
    {type: "Drug", name: "Aspirin"}
    SET ATTRIBUTES { risk: 2, note: "thins the blood", odd: [1.0, null, {"b": 1e16, "a": true}] }
    SET PROPOSITIONS { ("treats", ?s) WITH METADATA { confidence: 0.5 } }
  }
}
"""
ASKED = (
    'FIND(?d.name, ?s.name, ?d.attributes) WHERE { ?d {type: "Drug"} (?d, "treats", ?s) }',
    'FIND(COUNT(?x)) WHERE { ?x {type: "Symptom"} }',
    'SEARCH CONCEPT "blood"',
    'FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(?d.attributes.risk >= 2) }',
)


@pytest.fixture
def served(on_server: str) -> Iterator[Nexus]:
    clock = iter(range(1_000_000, 2_000_000, 1_000))
    with recollect.open(on_server, clock=lambda: Instant(next(clock))) as nexus:
        nexus.group("decoy").write(TOLD.replace("Aspirin", "Decoy"))
        yield nexus


def answers(nexus: Nexus) -> list[object]:
    return [
        [
            (hit.score, hit.element.name) if hasattr(hit, "score") else hit
            for hit in getattr(result, "hits", getattr(result, "rows", ()))
        ]
        for text in ASKED
        for result in nexus.read(text).results
    ]


def test_a_server_answers_as_a_file_does(served: Nexus) -> None:
    with recollect.open(":memory:") as file:
        for nexus in (file, served):
            nexus.write(TOLD)
            nexus.write('DELETE ATTRIBUTES {"note"} FROM ?d WHERE { ?d {type: "Drug"} }')
            nexus.write(TOLD)
        assert answers(served) == answers(file)
        assert len(answers(file)) == len(ASKED)
    assert served.verify().breach is None
    assert served.doctor(fix=True).findings == ()


def test_a_dump_goes_from_a_server_to_a_file_and_back(
    served: Nexus, tmp_path: Path, database: str
) -> None:
    served.write(TOLD)
    first, second = BytesIO(), BytesIO()
    served.dump(first)
    with recollect.open(tmp_path / "memory.db") as file:
        first.seek(0)
        assert file.restore(first) == ["default"]
        assert answers(file) == answers(served)
        assert file.verify().head == served.verify().head
        file.dump(second)
    with schema(database) as address, recollect.open(address, group="other") as again:
        again.write(TOLD)  # under the ids that the dump brings: they are each group's own
        second.seek(0)
        again.restore(second)
        restored = again.group("default")
        assert restored.verify().head == served.verify().head
        assert answers(restored) == answers(served)
        restored.write('UPSERT { CONCEPT ?c { {type: "Drug", name: "Next"} } }')
        assert again.doctor().findings == ()
    assert first.getvalue() == second.getvalue()


@pytest.mark.sqlite_only("restores into a file")
def test_a_file_refuses_groups_of_a_server_whose_ids_meet(served: Nexus, tmp_path: Path) -> None:
    served.write(TOLD)
    dump = BytesIO()
    served.dump(dump, all_groups=True)
    dump.seek(0)
    with recollect.open(tmp_path / "memory.db") as file:
        with pytest.raises(RecollectError) as caught:
            file.restore(dump)
        assert caught.value.code.code == "INVALID_ARGUMENT"
        assert file.groups() == []


def test_zero_characters_among_what_concepts_are_asked_for_are_refused(served: Nexus) -> None:
    served.write(TOLD)
    concepts = served.concepts
    for ask in (
        lambda: concepts.newest("Drug\0", "risk"),
        lambda: concepts.newest("Drug", "risk\0"),
        lambda: concepts.newest("Drug", "risk", {"note": ["thins\0"]}),
        lambda: concepts.count("Drug", {"note\0": ["thins"]}),
        lambda: concepts.named("Drug", ["Aspirin\0"]),
    ):
        with pytest.raises(RecollectError) as caught:
            ask()
        assert caught.value.code is INVALID_ARGUMENT
    (found,) = concepts.newest("Drug", "risk")
    assert found.name == "Aspirin"


def test_what_is_purged_is_gone_and_the_receipt_says_what_the_server_holds(served: Nexus) -> None:
    served.write(TOLD)
    receipt = served.purge(recollect.Key("Drug", "Aspirin"))
    assert receipt.concepts == 1
    assert receipt.is_complete
    for where in ("free space", "WAL", "replicas and backups", "recollect purge --rewrite"):
        assert where in receipt.note
    assert "the file" not in receipt.note.partition("Out of reach")[0]
    assert served.read(ASKED[2]).results != served.group("decoy").read(ASKED[2]).results
    assert served.verify().breach is None
    assert served.group("decoy").verify().breach is None
    assert served.doctor().findings == ()


def dead_rows(address: str) -> int:
    base, _, name = address.partition("schema=")
    with psycopg.connect(base.rstrip("&?"), autocommit=True) as connection:
        sql = (
            "SELECT sum(n_dead_tup) FROM pg_stat_all_tables"
            " WHERE schemaname = %s AND relname <> 'erasure'"
        )
        return int(connection.execute(sql, (name,)).fetchall()[0][0])


def test_a_purge_is_not_complete_while_another_transaction_sees_what_it_removed(
    on_server: str,
) -> None:
    with recollect.open(on_server, busy_seconds=0.3) as nexus:
        nexus.write(TOLD)
        with recollect.open(on_server) as other, other.snapshot():
            assert len(other.read(ASKED[0]).results[0].rows) == 1
            receipt = nexus.purge(recollect.Key("Drug", "Aspirin"))
            assert not receipt.is_complete
            assert "another transaction of the database is open" in receipt.note.lower()
        nexus.write(TOLD)
        assert nexus.purge(recollect.Key("Drug", "Aspirin")).is_complete
        assert dead_rows(on_server) == 0


def test_a_vacuum_waits_for_a_lock_as_others_do_whatever_time_the_role_has(on_server: str) -> None:
    known = parse_server(on_server)
    slow = f"{on_server}&wait=1&options=-c%20statement_timeout%3D100"
    with recollect.open(slow) as nexus, psycopg.connect(known.conninfo) as other:
        nexus.write('UPSERT { CONCEPT ?a { {type: "Drug", name: "Aspirin"} } }')
        other.execute(
            f'LOCK TABLE "{known.schema}".concept IN SHARE UPDATE EXCLUSIVE MODE'.encode()
        )
        with pytest.raises(RecollectError) as caught:
            nexus.purge(recollect.Key("Drug", "Aspirin"))
        assert caught.value.code.code == "STORE_BUSY"
        other.rollback()
        assert nexus.doctor(fix=True).is_well


def test_a_purge_inside_a_transaction_is_vacuumed_as_that_ends(on_server: str) -> None:
    with recollect.open(on_server) as nexus:
        nexus.write(TOLD)
        with nexus.transaction():
            assert not nexus.purge(recollect.Key("Drug", "Aspirin")).is_complete
        assert dead_rows(on_server) == 0


def test_writers_of_several_groups_lose_nothing(on_server: str) -> None:
    names = ["one", "two", "three"]

    def write(name: str) -> None:
        with recollect.open(on_server, group=name, busy_seconds=60) as nexus:
            for number in range(8):
                text = f'UPSERT {{ CONCEPT ?c {{ {{type: "Drug", name: "{number}"}} }} }}'
                nexus.write(text)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(write, names * 2))
    with recollect.open(on_server) as nexus:
        assert sorted(nexus.groups()) == sorted(names)
        for name in names:
            audit = nexus.group(name).verify()
            assert audit.breach is None
            assert nexus.group(name).stats().concepts == 8
        assert nexus.doctor().findings == ()


def test_a_transaction_of_many_calls_is_kept_whole_or_not_at_all(served: Nexus) -> None:
    with pytest.raises(KeyError), served.transaction():
        served.write(TOLD)
        assert served.stats().concepts == 2
        raise KeyError
    assert served.groups() == ["decoy"]
    with served.transaction():
        served.write(TOLD)
        with pytest.raises(RecollectError):
            served.write("UPSERT { CONCEPT ?c { {type: 1} } }")
        served.write('UPSERT { CONCEPT ?c { {type: "Drug", name: "Next"} } }')
    assert served.stats().concepts == 3
    assert served.verify().breach is None
