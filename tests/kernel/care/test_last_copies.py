"""What is erased leaves no copy: not in kept answers, in lists of indexes, or in this process."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.faces.operations.calls import told
from tests.faces.operations.pipeline.rig import TIME
from tests.meanings import Meanings

import behind
import recollect
from behind import BYTES
from recollect.faces.operations import Operations
from recollect.kernel import Nexus
from recollect.model import FOREVER, Found, Instant, Key, PutConcept

NOW, LATER = Instant(1_000), Instant(2_000)
MESSAGE = {"role_type": "user", "role": "Ann", "content": "the zebra has flu", "timestamp": TIME}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def nexus(path: Path) -> Iterator[Nexus]:
    with recollect.open(path, group="g") as nexus:
        nexus.group("decoy").write([PutConcept("Person", "Ann", {"age": 1}, id="a")])
        nexus.write([PutConcept("Person", "Ann", {"age": 1}, id="a"), PutConcept("Pet", "Rex")])
        yield nexus


def kept(path: Path) -> list[tuple[Any, ...]]:
    return behind.rows(path, "SELECT operation, payload, answer FROM kept_answer")


def test_the_digest_of_what_a_call_was_given_tells_nothing_without_the_salts(
    nexus: Nexus, path: Path
) -> None:
    payload = hashlib.sha256(b"the zebra").digest()
    for group in (nexus, nexus.group("decoy")):
        standing = group.answers.standing()
        group.write([PutConcept("Pet", "Zebra")])
        group.answers.keep("op", "k", payload, None, now=NOW, until=LATER, after=standing)
    one, other = kept(path)
    assert len({one[1], other[1], payload}) == 3
    assert nexus.answers.find("op", "k", payload, NOW) is not None
    with pytest.raises(recollect.RecollectError, match="another input"):
        nexus.answers.find("op", "k", b"other", NOW)


def test_an_answer_goes_with_what_its_call_wrote_though_it_names_nothing(nexus: Nexus) -> None:
    for name in ("Zebra", "Gnu"):
        standing = nexus.answers.standing()
        nexus.write([PutConcept("Pet", name)])
        nexus.answers.keep("op", name, b"p", None, now=NOW, until=FOREVER, after=standing)
    nexus.purge(Key("Pet", "Zebra"))
    assert nexus.answers.find("op", "Zebra", b"other", NOW) is None
    assert nexus.answers.find("op", "Gnu", b"p", NOW) is not None
    nexus.answers.keep("op", "Zebra", b"other", "again", now=NOW, until=FOREVER)
    found = nexus.answers.find("op", "Zebra", b"other", NOW)
    assert found is not None
    assert found.answer == "again"


def test_nothing_is_kept_of_a_call_that_erases(nexus: Nexus, path: Path) -> None:
    operations = Operations(nexus, worker=False)
    told(operations.add_entity_node(group_id="g", uuid="zebra", name="Zebra"))
    item: Any = {"source": "text", "body": "a zebra", "reference_time": TIME, "uuid": "e"}
    told(operations.add_episodes(group_id="g", items=[item]))
    for _ in range(2):
        done = operations.delete_episode(group_id="g", uuid="e", idempotency_key="l")
        assert told(done)["success"]
    assert kept(path) == []
    standing = nexus.answers.standing()
    nexus.purge(Key("Pet", "Rex"))
    nexus.answers.keep("op", "k", b"p", None, now=NOW, until=LATER, after=standing)
    assert nexus.answers.find("op", "k", b"p", NOW) is None


@pytest.mark.parametrize("key", ["k", "l"])
def test_the_answer_about_a_message_goes_with_its_episode(
    nexus: Nexus, path: Path, key: str
) -> None:
    operations = Operations(nexus, worker=False)
    for one in ("k", key):
        given: Any = {"group_id": "g", "messages": [MESSAGE], "idempotency_key": one}
        told(operations.add_messages(**given))
    assert len(kept(path)) == len({"k", key})
    assert nexus.purge(Found('FIND(?e) WHERE { ?e {type: "Episode"} }')).concepts == 1
    assert kept(path) == []


@BYTES
def test_an_index_that_is_dropped_leaves_the_name_of_its_attribute_nowhere(
    nexus: Nexus, path: Path
) -> None:
    nexus.add_index("Person", "zebra_stripes")
    assert b"zebra_stripes" in path.read_bytes() + Path(f"{path}-wal").read_bytes()
    nexus.drop_index("Person", "zebra_stripes")
    for file in (path, Path(f"{path}-wal")):
        assert b"zebra_stripes" not in file.read_bytes()
    assert nexus.doctor().findings == ()


def copies(backwards: str) -> list[str]:
    """Return the texts in this process's containers that have a word, given backwards."""
    word = backwards[::-1]
    gc.unfreeze()  # what was there before the tests
    holders = (one for one in gc.get_objects() if isinstance(one, dict | list | tuple | set))
    return [
        one
        for holder in holders
        for one in (*gc.get_referents(holder),)
        if isinstance(one, str) and word in one and one != word
    ]


def ask(nexus: Nexus, backwards: str) -> None:
    """Write a word, and ask about it in every way that something is remembered of."""
    word = backwards[::-1]
    nexus.write([PutConcept(f"Kind {word}", f"name {word}", {"note": f"says {word}"})])
    text = f'FIND(?x.name) WHERE {{ ?x {{type: "Kind {word}", name: "name {word}"}} }}'
    for _ in range(3):
        assert nexus.read(text).results[0].rows == [(f"name {word}",)]  # type: ignore[union-attr]
    nexus.read(
        f'FIND(?x) WHERE {{ ?x {{type: "Kind {word}"}} FILTER(REGEX(?x.attributes.note, "says {word}.*")) }}'
    )
    nexus.search(f"what says {word}", mode="hybrid")
    nexus.explain(text)


@pytest.mark.sqlite_only("on a server the watch over what is said keeps first values")
def test_this_process_keeps_nothing_of_what_was_erased(tmp_path: Path) -> None:
    embedder = Meanings()
    with recollect.open(tmp_path / "m.db", embedder=embedder, search_mode="hybrid") as nexus:
        nexus.write([PutConcept("Person", "Ann")])
        ask(nexus, "nrouqlyx")
        assert copies("nrouqlyx") != []
        word = "nrouqlyx"[::-1]
        nexus.purge(Key(f"Kind {word}", f"name {word}"))
        del word
        embedder.embedded.clear()  # what the test itself keeps
        embedder.asked.clear()
        gc.collect()
        assert copies("nrouqlyx") == []
        nexus.write([PutConcept("Person", "Bob")])
        assert nexus.stats().concepts == 2
