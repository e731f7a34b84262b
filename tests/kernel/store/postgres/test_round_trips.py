"""How often a program waits for the server: what costs most where the two are far apart."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.kernel import Nexus
from recollect.model import PutConcept

DRUGS = 'FIND(?d.name) WHERE { ?d {type: "Drug"} } ORDER BY ?d.name'


@pytest.fixture
def nexus(on_server: str) -> Iterator[Nexus]:
    with recollect.open(on_server) as nexus:
        nexus.group("decoy").write(put("Aspirin"))
        nexus.write(put("Aspirin"))
        yield nexus


def put(name: str) -> str:
    return f'UPSERT {{ CONCEPT ?d {{ {{type: "Drug", name: "{name}"}} SET ATTRIBUTES {{ risk: 2, note: "of {name}" }} }} }}'


def round_trips(nexus: Nexus, call: Callable[[], Any]) -> list[str]:
    """Return the messages that end a round trip, each with what the server completed before."""
    pool = nexus._store._pool._pool  # type: ignore[attr-defined]
    with tempfile.TemporaryFile("w+") as told:
        with pool.connection() as connection:
            connection.pgconn.trace(told.fileno())
        call()
        with pool.connection() as connection:
            connection.pgconn.untrace()
        told.seek(0)
        done: list[str] = []
        found: list[str] = []
        for line in told:
            if "CommandComplete" in line:
                done.append(line.split('"')[1].split()[0])
            elif "\tSync" in line:
                found.append("")
            elif "ReadyForQuery" in line and found:
                found[-1] = " ".join(done)
                done = []
    return [one for one in found if one]


def test_a_concept_is_written_in_three_round_trips_and_the_commit(nexus: Nexus) -> None:
    nexus.write(put("Warm"))
    found = round_trips(nexus, lambda: nexus.write(put("Ibuprofen")))
    assert [one for one in found if one.endswith("COMMIT")] == [found[-1]]
    assert len(found) <= 4
    assert nexus.stats().concepts == 3
    assert nexus.verify().breach is None


def test_blocks_of_words_are_joined_in_the_same_round_trips(nexus: Nexus) -> None:
    nexus.write(put("Warm"))
    for at in range(70):
        found = round_trips(nexus, partial(nexus.write, put(f"drug {at}")))
        assert len(found) <= 4
    assert nexus.verify().breach is None
    assert nexus.doctor().findings == ()


def test_concepts_that_are_named_by_their_ids_are_looked_up_together(nexus: Nexus) -> None:
    def told(most: int) -> list[PutConcept]:
        return [PutConcept("Note", f"note {most} {at}") for at in range(most)]

    nexus.write(told(1))
    few = round_trips(nexus, lambda: nexus.write(told(2)))
    many = round_trips(nexus, lambda: nexus.write(told(90)))
    assert len(many) <= len(few) + 1


def test_a_text_that_was_asked_before_is_one_round_trip(nexus: Nexus) -> None:
    def ask() -> None:
        assert nexus.read(DRUGS).results[0].rows == [("Aspirin",)]

    ask()
    ask()
    assert len(round_trips(nexus, ask)) == 1


def test_rare_words_are_counted_and_found_in_one_round_trip(nexus: Nexus) -> None:
    def ask() -> None:
        assert len(nexus.read('SEARCH CONCEPT "risk of Aspirin"').results[0].hits) == 1

    ask()
    # The state of the group; its parts with the words; documents with who is named so; concepts.
    assert len(round_trips(nexus, ask)) == 4 + len(["ROLLBACK"])


def test_a_text_that_was_asked_before_is_answered_as_it_stands_now(
    nexus: Nexus, on_server: str
) -> None:
    for _ in range(3):
        nexus.read(DRUGS)
    with recollect.open(on_server) as other:
        other.write(put("Ibuprofen"))
        assert [row for (row,) in nexus.read(DRUGS).results[0].rows] == ["Aspirin", "Ibuprofen"]
        other.purge(recollect.Key("Drug", "Aspirin"))
        assert [row for (row,) in nexus.read(DRUGS).results[0].rows] == ["Ibuprofen"]
        other.drop_group("default")
        assert nexus.read(DRUGS).results[0].rows == []


def test_a_text_that_was_asked_before_sees_what_its_transaction_wrote(nexus: Nexus) -> None:
    for _ in range(3):
        nexus.read(DRUGS)
    with nexus.transaction():
        nexus.write(put("Ibuprofen"))
        assert len(nexus.read(DRUGS).results[0].rows) == 2
    with nexus.snapshot():
        assert len(nexus.read(DRUGS).results[0].rows) == 2


def test_a_part_that_fails_late_undoes_itself_alone(nexus: Nexus) -> None:
    with nexus.transaction():
        nexus.write(put("Ibuprofen"))
        with pytest.raises(RecollectError):
            nexus.write(
                put("Naproxen")
                + ' UPDATE ?d SET ATTRIBUTES { risk: NOPE } WHERE { ?d {type: "Drug"} }'
            )
        nexus.write(put("Paracetamol"))
    names = [name for (name,) in nexus.read(DRUGS).results[0].rows]
    assert names == ["Aspirin", "Ibuprofen", "Paracetamol"]
    assert nexus.verify().breach is None
    assert nexus.doctor().findings == ()
