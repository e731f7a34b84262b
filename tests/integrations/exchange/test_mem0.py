"""What mem0's `get_all` answers becomes facts about those whom it remembers."""

from __future__ import annotations

import json

import pytest
from tests.integrations.exchange.conftest import Write, rows, twice_is_once, words_found

from recollect.errors import RecollectError
from recollect.integrations.exchange import take_in
from recollect.kernel import Nexus

MEMORY = {
    "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
    "memory": "Likes to play cricket on weekends",
    "hash": "285d07801ae42054732314853e9eadd7",
    "metadata": {"category": "hobbies"},
    "score": None,
    "created_at": "2024-07-26T10:29:36.630547-07:00",
    "updated_at": None,
    "user_id": "alice",
}
ANSWER = {
    "results": [MEMORY, {**MEMORY, "id": "other", "memory": "Is allergic to nuts"}],
    "relations": [
        {"source": "alice", "relationship": "loves", "target": "cricket"},
        {"source": "alice", "relationship": "lives_in", "destination": "pune"},
    ],
}


def test_recall_finds_memories_and_kip_finds_relations(nexus: Nexus, write: Write) -> None:
    report = twice_is_once(nexus, write("export.json", ANSWER))
    assert (report.format, report.records) == ("mem0", 4)
    assert words_found(nexus, "what is played on weekends?") == [MEMORY["memory"]]
    assert rows(nexus, 'FIND(?b.name) WHERE { (?a, "lives_in", ?b) }') == [("pune",)]
    held = nexus.elements.look_up([MEMORY["id"]])[MEMORY["id"]].element
    assert held.metadata["observed_at"] == "2024-07-26T17:29:36.630Z"
    assert held.metadata["mem0"]["metadata"] == {"category": "hobbies"}


def test_the_lists_of_older_versions_are_read(nexus: Nexus, write: Write) -> None:
    report = twice_is_once(nexus, write("old.json", json.dumps([MEMORY])))
    assert report.created == 2
    assert words_found(nexus, "cricket") == [MEMORY["memory"]]


def test_a_memory_that_mem0_changed_is_changed(nexus: Nexus, write: Write) -> None:
    take_in(nexus, write("one.json", ANSWER))
    later = {**ANSWER, "results": [{**MEMORY, "memory": "Plays tennis now"}]}
    report = twice_is_once(nexus, write("two.json", later))
    assert (report.created, report.updated) == (0, 1)
    assert words_found(nexus, "tennis") == ["Plays tennis now"]


def test_a_memory_without_text_is_named(nexus: Nexus, write: Write) -> None:
    path = write("bad.json", {"results": [MEMORY, {**MEMORY, "memory": 5}]})
    with pytest.raises(RecollectError, match=r"line 2 .*memory is 5, not a text"):
        take_in(nexus, path)
    assert nexus.stats().concepts == 0
