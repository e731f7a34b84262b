"""Files taken in over MCP: only those that may be read, whole or not at all, and told as they go."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Event, Thread

import anyio
import pytest

import recollect
from recollect.errors import PERMISSION_DENIED, RESOURCE_NOT_FOUND, RecollectError
from recollect.integrations.exchange import take_in
from recollect.servers.mcp.folders import Folders

MANY = 20_000


def triples(file: Path, count: int) -> None:
    rows = (
        {"subject": f"Ann {at}", "predicate": "knows", "object": f"Bob {at % 100}"}
        for at in range(count)
    )
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "inbox"
    made.mkdir()
    triples(made / "few.jsonl", 3)
    (tmp_path / "secret.jsonl").write_text('{"subject": "a", "predicate": "b", "object": "c"}\n')
    return made


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_file_comes_in_once_and_a_dry_run_says_the_same_before(talk, folder: Path, mode: str):
    async def script(agent):
        tools = {one.name: one for one in (await agent.client.list_tools()).tools}
        assert str(folder) in tools["import_file"].description
        tried = await agent.call("import_file", path="few.jsonl", dry_run=True)
        assert (await agent.call("recall", question="Ann Bob"))["memories"] == []
        told = await agent.call("import_file", path=str(folder / "few.jsonl"), source="friends")
        assert {**tried, "path": "", "source": "", "dry_run": False} == {
            **told, "path": "", "source": "",
        }  # fmt: skip
        assert (told["records"], told["links"][0]["created"]) == (3, 3)
        again = await agent.call("import_file", path="few.jsonl", source="friends")
        assert (again["created"], again["updated"]) == (0, 0)
        found = await agent.call("recall", question="Ann 1 knows", kinds=["fact"])
        explained = await agent.call("explain_memory", id=found["memories"][0]["id"])
        assert explained["memory"]["source"] == "friends"
        assert explained["history"][0]["actor"] == "mcp"

    talk(script, "--import-from", str(folder), mode=mode)


def test_nothing_outside_of_the_folder_is_read_whatever_the_path(talk, folder: Path):
    (folder / "out.jsonl").symlink_to(folder.parent / "secret.jsonl")
    (folder / "away").symlink_to(folder.parent)
    outside = [
        "../secret.jsonl", "sub/../../secret.jsonl", "/etc/passwd", "out.jsonl", "..", "/",
        "away/secret.jsonl", "~/secret.jsonl/../../../secret.jsonl", f"{folder}/../secret.jsonl",
        f"{folder}2/secret.jsonl", "../inbox2", "/proc/self/environ", "x" * 4_000 + "/../../../a",
    ]  # fmt: skip

    async def script(agent):
        for path in outside:
            error = await agent.error("import_file", path=path)
            assert error["code"] == "PERMISSION_DENIED", (path, error)
            assert str(folder) in error["hint"]
        assert (await agent.read("recollect://changes"))["transactions"] == []

    talk(script, "--import-from", str(folder))


def test_what_is_no_file_or_not_readable_is_refused_without_waiting(talk, folder: Path):
    os.mkfifo(folder / "pipe.jsonl")
    (folder / "device.jsonl").symlink_to("/dev/zero")
    (folder / "inside.jsonl").symlink_to("few.jsonl")
    with (folder / "large.jsonl").open("wb") as large:
        large.truncate(2**30)
    (folder / "wrong.jsonl").write_text('{"subject": "a", "predicate": "b", "object": "c"}\n{\n')
    refused = [
        ("pipe.jsonl", "INVALID_ARGUMENT", "not a regular file"),
        ("device.jsonl", "PERMISSION_DENIED", "leads out"),
        (".", "INVALID_ARGUMENT", "not a regular file"),
        ("large.jsonl", "LIMIT_EXCEEDED", "larger than"),
        ("nothing.jsonl", "NOT_FOUND", "no file"),
        ("a\0b", "INVALID_ARGUMENT", "zero byte"),
        ("wrong.jsonl", "INVALID_ARGUMENT", "line 2"),
    ]

    async def script(agent):
        for path, code, message in refused:
            error = await agent.error("import_file", path=path)
            assert (error["code"], message in error["message"]) == (code, True), (path, error)
        error = await agent.error("import_file", path="few.jsonl", format="docx")
        assert "mcp-memory" in error["hint"]
        assert (await agent.read("recollect://changes"))["transactions"] == []
        told = await agent.call("import_file", path="wrong.jsonl", skip_bad=True)
        assert told["skipped"][0]["lines"] == [2]
        assert (await agent.call("import_file", path="inside.jsonl"))["records"] == 3

    talk(script, "--import-from", str(folder))


def test_what_is_checked_is_what_is_read_whoever_moves_it(folder: Path):
    kept, secret = (folder / "few.jsonl").read_text(), (folder.parent / "secret.jsonl").read_text()
    folders = Folders((folder.resolve(),))
    with recollect.open(":memory:") as nexus, folders.opened("few.jsonl") as file:
        (folder / "few.jsonl").unlink()
        (folder / "few.jsonl").symlink_to(folder.parent / "secret.jsonl")
        assert take_in(nexus, file, name="few.jsonl").records == 3
        assert nexus.read('FIND(COUNT(?x)) WHERE { ?x {name: "a"} }').results[0].rows == [(0,)]
    (folder.parent / "mine").mkdir()
    (folder.parent / "mine" / "file.jsonl").write_text(kept)
    (folder.parent / "theirs").mkdir()
    (folder.parent / "theirs" / "file.jsonl").write_text(secret)
    way, over = folder / "way", Event()

    def swap() -> None:
        while not over.is_set():
            (folder.parent / "mine").rename(way)
            way.rename(folder.parent / "mine")
            way.symlink_to(folder.parent / "theirs")
            way.unlink()

    swapping = Thread(target=swap)
    swapping.start()
    try:
        for _ in range(2_000):
            try:
                with folders.opened("way/file.jsonl") as file:
                    assert os.pread(file, 10_000, 0).decode() == kept
            except RecollectError as error:
                assert error.code in (PERMISSION_DENIED, RESOURCE_NOT_FOUND)
    finally:
        over.set()
        swapping.join()


def test_without_a_folder_the_tool_says_how_to_allow_one(talk, folder: Path):
    async def script(agent):
        error = await agent.error("import_file", path=str(folder / "few.jsonl"))
        assert error["code"] == "PERMISSION_DENIED"
        assert "--import-from" in error["hint"]

    talk(script)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_how_far_an_import_is_is_told_and_rises(talk, folder: Path, mode: str):
    triples(folder / "many.jsonl", MANY // 4)
    told: list[tuple[float, float | None, str | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def script(agent):
        answer = await agent.client.call_tool(
            "import_file", {"path": "many.jsonl"}, progress_callback=progress
        )
        assert not answer.is_error
        done = [one for one, _, _ in told]
        assert len(done) > 1
        assert done == sorted(set(done))
        assert all(total and one <= total and step for one, total, step in told)

    talk(script, "--import-from", str(folder), mode=mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_import_that_is_cancelled_leaves_nothing(talk, folder: Path, mode: str):
    triples(folder / "many.jsonl", MANY)

    async def script(agent):
        with anyio.CancelScope() as waiting:

            async def leave(*_: object) -> None:
                waiting.cancel()

            await agent.client.call_tool(
                "import_file", {"path": "many.jsonl"}, progress_callback=leave
            )
        assert waiting.cancelled_caught
        # Writes stand in line, so that when this one is done the import is over.
        await agent.call(
            "execute_kip", command='UPSERT { CONCEPT @a { {type: "Drug", name: "A"} } }'
        )
        log = await agent.read("recollect://changes")
        assert [one["changed"] for one in log["transactions"]] == [1]
        told = await agent.call("import_file", path="few.jsonl")
        assert told["created"] > 0

    talk(script, "--import-from", str(folder), mode=mode)
