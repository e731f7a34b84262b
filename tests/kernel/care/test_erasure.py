"""No byte of what was purged stays in the files, whatever is in the way for a while."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from tests.kernel.care.test_purge import found

import recollect
from recollect import Nexus
from recollect.errors import INVALID_ARGUMENT, RecollectError
from recollect.model import Delete, Finding, Found, Key, PutConcept, PutLink

BYTES = pytest.mark.sqlite_only("looks for bytes in files")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


Purge = Callable[[Nexus, list[str]], None]


def by_key(nexus: Nexus, secrets: list[str]) -> None:
    for at in range(0, len(secrets), 4):
        nexus.purge(Key(secrets[at], secrets[at + 1]))


def by_query(nexus: Nexus, secrets: list[str]) -> None:
    for at in range(0, len(secrets), 4):
        nexus.purge(nexus.history(Key(*secrets[at : at + 2]))[0].id)  # closed, so no query finds it
        nexus.purge(Found("FIND(?x) WHERE { ?x {type: $type} }", {"type": secrets[at]}))


def whole_group(nexus: Nexus, _: list[str]) -> None:
    nexus.drop_group("secret")


def written(path: Path, chance: random.Random, secrets: list[str]) -> None:
    """Write secrets among much else, changing, closing and making anew, so that pages are torn."""

    def word() -> str:
        return "".join(chance.choice("abcdefghijkl") for _ in range(chance.randint(6, 14)))

    with recollect.open(path, group="public") as public:
        hidden = public.group("secret")
        for nexus in (public, hidden):
            nexus.write([PutConcept("Thing", f"thing {n}", {"text": word()}) for n in range(200)])
        for at in range(0, len(secrets), 4):
            kind, name, value, predicate = secrets[at : at + 4]
            key, thing = Key(kind, name), Key("Thing", f"thing {chance.randrange(200)}")
            for turn in range(3):
                body = {"text": f"{value} " * chance.choice((1, 40, 900)), value: turn}
                hidden.write([PutConcept(kind, name, body, {"source": value}, id=f"id {value}")])
                hidden.write([PutLink(key, predicate, thing, {"note": value})])
                hidden.write([PutConcept("Thing", f"thing {turn}", {"text": word() * 30})])
            hidden.write([Delete(key)])
            hidden.write([PutConcept(kind, name, {"text": value}), PutLink(thing, predicate, key)])
            public.write([PutConcept("Thing", word(), {"text": word() * chance.randint(1, 99)})])


def pieces(secret: str) -> set[bytes]:
    """Return every part of a word that no salt or digest has by chance, however it was folded."""
    raw = secret.lower().encode()
    if secret.isascii():
        return {raw[at : at + 6] for at in range(len(raw) - 5)}
    return {secret[at : at + 2].encode() for at in range(len(secret) - 1)}


def remains(path: Path, secrets: list[str]) -> set[bytes]:
    files = [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]
    raw = b"".join(one.read_bytes() for one in files if one.exists()).lower()
    return {piece for secret in secrets for piece in pieces(secret) if piece in raw}


def secret_words(chance: random.Random, count: int) -> list[str]:
    letters = "NOPQRSTUVWXYZ"  # none of them in what is written around
    words = ["".join(chance.sample(letters, 11)) for _ in range(count)]
    words[1], words[2] = "\u9f98\u9750\u9f49", "\u9ea4\u7228\u7c72"  # read in pairs by the index
    return words


@BYTES
@pytest.mark.parametrize("purge", [by_key, by_query, whole_group])
def test_no_byte_of_the_erased_is_left_in_the_files(
    path: Path, purge: Purge, is_long: bool
) -> None:
    chance = random.Random(purge.__name__)
    secrets = secret_words(chance, 400 if is_long else 48)
    written(path, chance, secrets)
    connection = apsw.Connection(str(path))
    connection.execute("ANALYZE")
    connection.close()
    assert len(remains(path, secrets)) > len(secrets)
    with recollect.open(path, group="secret") as nexus:
        assert found(nexus, secrets[2]) != set()
        purge(nexus, secrets)
        assert remains(path, secrets) == set()
        assert nexus.verify().is_whole
        assert found(nexus.group("public"), "thing") != set()
    assert remains(path, secrets) == set()


@BYTES
def test_a_reader_in_the_way_leaves_the_rest_to_the_next_opening(path: Path) -> None:
    chance = random.Random(3)
    secrets = secret_words(chance, 8)
    written(path, chance, secrets)
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM concept").fetchall()
    with recollect.open(path, group="secret", busy_seconds=0.05) as nexus:
        receipt = nexus.drop_group("secret")
        assert not receipt.is_complete
        assert receipt.note.startswith("Another program")
        assert remains(path, secrets) != set()  # the reader still reads them
        reader.execute("COMMIT")
        recollect.open(path).close()
        assert remains(path, secrets) == set()
    reader.close()


LIMITED = """
import resource, sys
import recollect

resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
with recollect.open(sys.argv[1]) as nexus:
    receipt = nexus.purge(recollect.Key("T", "a"))
    print(receipt.is_complete, receipt.note)
"""


@BYTES
@pytest.mark.skipif(sys.platform == "win32", reason="no limits of this kind")
def test_a_file_that_cannot_be_rewritten_is_told_apart_from_one_that_others_use(path: Path) -> None:
    with recollect.open(path) as nexus:
        nexus.write([PutConcept("T", "a", {"secret": "NOPQRSTU"})])
        nexus.write([PutConcept("T", f"{n}", {"of": "words " * 300}) for n in range(1_000)])
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=False
    )
    assert ran.stdout.startswith(
        "False The disk is full, or files may not grow so large, so some bytes are still in the"
        " file: they leave it when the memory is next opened, mended or backed up after that is over."
    )
    with recollect.open(path) as nexus:
        assert nexus.doctor().findings == ()
    assert remains(path, ["NOPQRSTU"]) == set()


@BYTES
def test_a_mend_and_a_backup_finish_what_a_reader_was_in_the_way_of(
    path: Path, tmp_path: Path
) -> None:
    chance = random.Random(3)
    secrets, more = secret_words(chance, 8), secret_words(chance, 8)
    early, copy = tmp_path / "early.db", tmp_path / "copy.db"
    written(path, chance, secrets)
    reader = apsw.Connection(str(path))
    with recollect.open(path, group="secret", busy_seconds=0.05) as nexus:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM concept").fetchall()
        nexus.drop_group("secret")
        unfinished = Finding("erasure", "bytes of what was purged may still be in the file")
        assert nexus.doctor().findings == (unfinished,)
        assert nexus.doctor().is_mendable
        assert nexus.doctor(fix=True).findings == (unfinished,)
        assert remains(path, secrets) != set()
        reader.execute("COMMIT")
        assert nexus.doctor(fix=True).findings == (replace(unfinished, is_mended=True),)
        assert nexus.doctor().findings == ()
        assert remains(path, secrets) == set()
        written(path, chance, more)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM concept").fetchall()
        nexus.drop_group("secret")
        nexus.backup(early)
        recollect.open(early).close()
        assert remains(early, more) == set()
        reader.execute("COMMIT")
        nexus.backup(copy)
        assert remains(path, more) == remains(copy, more) == set()
    reader.close()


BLOCKS: dict[str, list[Callable[[Nexus], AbstractContextManager[None]]]] = {
    "a transaction": [Nexus.transaction],
    "a transaction in another": [Nexus.transaction, Nexus.transaction],
}


@BYTES
@pytest.mark.parametrize("blocks", list(BLOCKS))
@pytest.mark.parametrize("purge", [by_key, whole_group])
def test_what_is_purged_inside_a_block_leaves_the_files_as_it_ends(
    path: Path, purge: Purge, blocks: str
) -> None:
    chance = random.Random(blocks)
    secrets = secret_words(chance, 8)
    written(path, chance, secrets)
    with recollect.open(path, group="secret") as nexus:
        with ExitStack() as stack:
            for block in BLOCKS[blocks]:
                stack.enter_context(block(nexus))
            assert found(nexus, secrets[2]) != set()
            purge(nexus, secrets)
            assert remains(path, secrets) != set()
        assert remains(path, secrets) == set()
        assert nexus.doctor().findings == ()
        assert nexus.verify().is_whole


@BYTES
def test_what_is_purged_inside_a_block_that_closes_the_memory_goes_at_the_next_opening(
    path: Path,
) -> None:
    chance = random.Random(7)
    secrets = secret_words(chance, 8)
    written(path, chance, secrets)
    nexus = recollect.open(path, group="secret")
    with nexus.transaction():
        assert found(nexus, secrets[2]) != set()
        by_key(nexus, secrets)
        nexus.close()
    with recollect.open(path, group="secret"):
        assert remains(path, secrets) == set()


@pytest.mark.parametrize("purge", [by_key, whole_group])
def test_nothing_is_purged_inside_a_snapshot(path: Path, purge: Purge) -> None:
    chance = random.Random(5)
    secrets = secret_words(chance, 8)
    written(path, chance, secrets)
    with recollect.open(path, group="secret") as nexus:
        with nexus.snapshot(), pytest.raises(RecollectError) as caught:
            purge(nexus, secrets)
        assert caught.value.code is INVALID_ARGUMENT
        assert found(nexus, secrets[2]) != set()
        purge(nexus, secrets)
        assert remains(path, secrets) == set()
