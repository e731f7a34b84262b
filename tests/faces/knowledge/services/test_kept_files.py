"""What the services that keep files promise beside the rules of all: it lasts, and none is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import recollect
from faces.knowledge.services.test_key_value import ODD_IDS, code_of
from recollect.faces.knowledge import Document, GraphEdge, GraphNode
from recollect.faces.knowledge.services import (
    FileGraphService,
    FileKeyValueService,
    SQLiteFTS5RetrievalService,
    SQLiteKeyValueService,
)
from recollect.faces.knowledge.services.files import name_of, text_of

NAMES = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=256
).filter(lambda one: one.strip())
WRITERS = {
    "file": FileKeyValueService,
    "sqlite": SQLiteKeyValueService,
    "fts5": SQLiteFTS5RetrievalService,
    "graph": FileGraphService,
}

WRITING = """
import sys
from recollect.faces.knowledge import Document, GraphEdge, GraphNode
from recollect.faces.knowledge.services import *

kind, place, worker, many = sys.argv[1:]
made = {"file": FileKeyValueService, "sqlite": SQLiteKeyValueService,
        "fts5": SQLiteFTS5RetrievalService, "graph": FileGraphService}[kind]
with made(place) as service:
    for at in range(int(many)):
        name = f"{worker}-{at}"
        match kind:
            case "file" | "sqlite":
                service.put(name, {"name": name, "text": name * 400}, "space")
            case "fts5":
                service.add(Document(name, f"mesh of worker {name}"), "space")
            case "graph":
                service.add_node(GraphNode(name, "node", name))
                service.add_edge(GraphEdge("hub", name, "SAW", {"piece_id": name}))
        print(name, flush=True)
"""


def writer(kind: str, place: Path, worker: str, many: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", WRITING, kind, str(place), worker, str(many)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def held(kind: str, place: Path) -> set[str]:
    """Return what a fresh service finds, each looked at whole."""
    with WRITERS[kind](place) as service:
        match kind:
            case "file" | "sqlite":
                for key in service.keys("space"):
                    assert service.get(key, "space") == {"name": key, "text": key * 400}
                return set(service.keys("space"))
            case "fts5":
                listed = {one.doc_id for one in service.list_all(namespace="space")}
                found = {one.doc_id for one, _ in service.search("mesh", None, "space", 1_000)}
                assert listed == found
                assert len(listed) == service.size("space")
                return listed
            case _:
                outgoing = {one.target_id for one in service.get_edges("hub")}
                nodes = {one.node_id for one in service.list_nodes()} - {"hub"}
                assert outgoing <= nodes
                for one in outgoing:
                    (edge,) = service.get_edges(one, direction="incoming")
                    assert edge.piece_id == one
                return outgoing


def begun(kind: str, folder: Path) -> Path:
    place = folder / "place"
    if kind == "graph":
        with FileGraphService(place) as service:
            service.add_node(GraphNode("hub", "node"))
    return place


@pytest.mark.parametrize("kind", WRITERS)
def test_two_processes_on_one_place_lose_nothing(kind: str, tmp_path: Path) -> None:
    place = begun(kind, tmp_path)
    writers = [writer(kind, place, worker, 40) for worker in ("a", "b")]
    told = {line.strip() for one in writers for line in one.communicate()[0].splitlines()}
    assert [one.returncode for one in writers] == [0, 0]
    assert held(kind, place) == told
    assert len(told) == 80


@pytest.mark.parametrize("kind", WRITERS)
def test_a_killed_process_leaves_what_it_told_and_nothing_torn(
    kind: str, tmp_path: Path, is_long: bool
) -> None:
    place = begun(kind, tmp_path)
    told: set[str] = set()
    for at in range(50 if is_long else 3):
        child = writer(kind, place, f"round-{at}", 100_000)
        told.update(child.stdout.readline().strip() for _ in range(1 + at % 7))
        child.send_signal(signal.SIGKILL)
        told.update(
            line.strip()
            for line in child.stdout.read().splitlines(keepends=True)
            if line.endswith("\n")
        )
        child.wait()
        child.stdout.close()
    assert told <= held(kind, place)


@pytest.mark.parametrize("kind", ["file", "sqlite"])
def test_values_outlive_their_service(kind: str, tmp_path: Path) -> None:
    with WRITERS[kind](tmp_path / "place") as service:
        service.put_many({name: name for name in ODD_IDS}, "space")
    with WRITERS[kind](tmp_path / "place") as service:
        assert service.keys("space") == sorted(ODD_IDS)
        assert service.get("..", "space") == ".."


def test_documents_and_values_share_one_sqlite_file(tmp_path: Path) -> None:
    with SQLiteFTS5RetrievalService(tmp_path / "both.db") as documents:
        documents.add(Document("mesh", "mesh quality"))
        with SQLiteKeyValueService(tmp_path / "both.db") as values:
            values.put("mesh", 1)
        assert documents.search("quality")
    with SQLiteFTS5RetrievalService(str(tmp_path / "both.db")) as documents:
        assert [one.doc_id for one, _ in documents.search("quality")] == ["mesh"]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text(
        "this is no database, and it is long enough to be seen as none"
    )
    with pytest.raises(Exception, match="STORE_FOREIGN"):
        SQLiteKeyValueService(tmp_path / "text.db")
    SQLiteKeyValueService(tmp_path / "ours.db").close()
    with pytest.raises(Exception, match="STORE_UNAVAILABLE"):
        SQLiteKeyValueService(tmp_path / "no" / "folder.db")
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match="STORE_UNAVAILABLE"):
        FileKeyValueService(tmp_path / "file" / "inside")


@pytest.mark.sqlite_only("it is a file")
def test_a_memory_of_recollect_is_no_file_of_services(tmp_path: Path) -> None:
    recollect.open(tmp_path / "memory.db").close()
    with pytest.raises(Exception, match="STORE_FOREIGN"):
        SQLiteKeyValueService(tmp_path / "memory.db")


@pytest.mark.parametrize("path", ["", " ", None, 7, b"bytes", "a\0b"])
def test_what_names_no_place_is_refused(path: object) -> None:
    assert code_of(SQLiteKeyValueService, path) == "INVALID_ARGUMENT"
    assert code_of(FileKeyValueService, path) == "INVALID_ARGUMENT"
    assert code_of(FileGraphService, path) == "INVALID_ARGUMENT"


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    with FileKeyValueService(tmp_path) as service:
        service.put("key", 1)
        (path,) = tmp_path.rglob("*.json")
        path.write_text('{"value": ')
        assert code_of(service.get, "key") == "STORE_CORRUPT"


def test_what_a_killed_write_left_aside_is_no_value(tmp_path: Path) -> None:
    with FileKeyValueService(tmp_path) as service:
        service.put("key", 1, "space")
        (path,) = tmp_path.rglob("*.json")
        (path.parent / ".0123.part").write_text('{"val')
        assert service.keys("space") == ["key"]
        assert service.size("space") == 1


def test_no_file_leaves_its_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    base = tmp_path / "a" / "b"
    with FileKeyValueService(base) as values, FileGraphService(base) as graph:
        for name in [*ODD_IDS, "../outside", "/etc/x", "..\\outside", "C:\\x", "~", "a/../../.."]:
            values.put(name, 1, name)
            graph.add_node(GraphNode(name, "x"), name)
            graph.add_edge(GraphEdge(name, name, name), name)
    assert not outside.exists()
    assert {path.name for path in tmp_path.iterdir()} == {"a"}
    assert {path.name for path in base.iterdir()} == {"pairs", "graphs"}


@given(NAMES, NAMES)
def test_names_differ_also_where_case_is_one(one: str, other: str) -> None:
    assert (name_of(one).lower() == name_of(other).lower()) == (one == other)
    assert text_of(name_of(one)) in (one, None)
    assert len(name_of(one)) < 200
    assert name_of(one) == os.path.basename(name_of(one))


@settings(max_examples=settings.default.max_examples // 10)
@given(names=st.lists(NAMES, min_size=1, max_size=4))
def test_any_id_comes_back_from_every_file(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("ids")
    normal = [one for one in names if len(unicodedata.normalize("NFC", one)) <= 256]
    wanted = sorted({unicodedata.normalize("NFC", one) for one in normal})
    for values in (FileKeyValueService(folder), SQLiteKeyValueService(folder / "values.db")):
        with values:
            for name in normal:
                values.put(name, name, name)
            assert values.namespaces() == wanted
            assert [values.keys(one) for one in wanted] == [[one] for one in wanted]
    with SQLiteFTS5RetrievalService(folder / "documents.db") as documents:
        for name in wanted:
            documents.add(Document(name, f"mesh {name}"), name)
            assert [one.doc_id for one, _ in documents.search("mesh", None, name)] == [name]
        assert documents.namespaces() == wanted
    with FileGraphService(folder) as graph:
        for name in wanted:
            graph.add_node(GraphNode(name, name), name)
        assert graph.namespaces() == wanted
        assert [graph.list_nodes(None, one)[0].node_id for one in wanted] == wanted


def test_opening_one_file_at_the_same_time_is_safe(tmp_path: Path) -> None:
    writers = [writer("sqlite", tmp_path / "new.db", str(at), 1) for at in range(6)]
    for one in writers:
        one.communicate()
    assert [one.returncode for one in writers] == [0] * 6
    assert len(held("sqlite", tmp_path / "new.db")) == 6
