"""The services that keep a JSON file for each value, and the names of their files.

The rule: every change is one file made whole, so a process that is killed leaves nothing torn and
two processes in one folder lose nothing that they wrote to different values. A file is written
aside, flushed to the disk and renamed; whoever reads meets the old one or the new one, whole. A
name in the folder is made of `a-z 0-9 _ - % ~` only, so no id leaves its folder or meets another,
also where upper and lower case are one.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from recollect.errors import STORE_CORRUPT, STORE_UNAVAILABLE, refused
from recollect.faces.knowledge.model import GraphEdge, GraphNode
from recollect.faces.knowledge.services.base import GraphServiceBase, KeyValueServiceBase, Namespace
from recollect.faces.knowledge.services.json_text import json_text, value_of

_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST: Final = 180  # characters of a name in the folder, of the 255 that systems allow
_SUFFIX: Final = ".json"


def name_of(text: str) -> str:
    """Return how an id is called in a folder; what is too long ends in its digest.

    >>> name_of("user:Alice"), name_of("../x")
    ('k-user%3a%41lice', 'k-%2e%2e%2fx')
    """
    spelled = "".join(
        one if one in _PLAIN else "".join(f"%{byte:02x}" for byte in one.encode()) for one in text
    )
    if len(spelled) > _LONGEST:
        spelled = f"{spelled[:100]}~{hashlib.sha256(text.encode()).hexdigest()}"
    return f"k-{spelled}"  # some systems reserve names such as "con"


def text_of(name: str) -> str | None:
    """Return the id that a name in a folder stands for; None where only its file tells."""
    return None if "~" in name else unquote(name.removeprefix("k-"))


class Folder:
    """A folder of JSON files, one a name; it is made when the first is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def within(self, name: str) -> Folder:
        """Return the folder of a name in this one."""
        return Folder(self.path / name)

    def read(self, name: str) -> dict[str, Any] | None:
        """Return what a file says."""
        path = self.path / (name + _SUFFIX)
        try:
            text = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            found: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise STORE_CORRUPT.error(f"{path} is damaged", "restore it from a copy") from error
        return found

    def has(self, name: str) -> bool:
        """Whether there is a file of a name."""
        return (self.path / (name + _SUFFIX)).is_file()

    def write(self, name: str, value: object) -> None:
        """Write a file whole, in place of the one there is."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        self._make()
        part = self.path / f".{secrets.token_hex(8)}.part"
        try:
            with part.open("xb") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(self.path / (name + _SUFFIX))
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
        self._flush()

    def remove(self, name: str) -> bool:
        """Remove a file; False where there is none."""
        try:
            (self.path / (name + _SUFFIX)).unlink()
        except FileNotFoundError:
            return False
        self._flush()
        return True

    def names(self) -> list[str]:
        """Return the names of the files."""
        try:
            with os.scandir(self.path) as found:
                return [
                    one.name.removesuffix(_SUFFIX) for one in found if one.name.endswith(_SUFFIX)
                ]
        except FileNotFoundError:
            return []

    def first(self) -> str | None:
        """Return the name of a file, if there is one."""
        try:
            with os.scandir(self.path) as found:
                names = (one.name for one in found if one.name.endswith(_SUFFIX))
                return next((name.removesuffix(_SUFFIX) for name in names), None)
        except FileNotFoundError:
            return None

    def folders(self) -> list[str]:
        """Return the names of the folders in this one."""
        try:
            with os.scandir(self.path) as found:
                return [one.name for one in found if one.is_dir(follow_symlinks=False)]
        except FileNotFoundError:
            return []

    def _make(self) -> None:
        missing = [one for one in (self.path, *self.path.parents) if not one.is_dir()]
        self.path.mkdir(parents=True, exist_ok=True)
        for made in missing:
            Folder(made.parent)._flush()

    def _flush(self) -> None:
        """Bring the names in a folder to the disk, where a folder can be opened at all."""
        if os.name == "nt":
            return
        opened = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def base_folder(base_dir: object) -> Folder:
    """Return the folder of a service, made if it is not there."""
    path = os.fspath(base_dir) if isinstance(base_dir, str | os.PathLike) else ""
    if not isinstance(path, str) or not path.strip() or "\0" in path:
        raise refused("base_dir names no folder", 'give a path such as "knowledge"')
    with folder_errors():
        Path(path).mkdir(parents=True, exist_ok=True)
    return Folder(Path(path))


@contextmanager
def folder_errors() -> Iterator[None]:
    """Turn errors of the file system into ours."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno or errno.EIO)
        raise STORE_UNAVAILABLE.error(
            f"{error.filename} cannot be used: {why}",
            "check the folder's permissions and the space on its disk",
        ) from error


_UNNAMED: Final = "none"  # the folder of the namespace None: names begin with "k-"


class FileKeyValueService(KeyValueServiceBase):
    """Values in files: `base_dir/pairs/namespace/key.json`."""

    def __init__(self, base_dir: str | os.PathLike[str]) -> None:
        super().__init__()
        self._pairs = base_folder(base_dir).within("pairs")

    def _own_errors(self) -> AbstractContextManager[None]:
        return folder_errors()

    def _text(self, key: str, namespace: Namespace) -> str | None:
        found = self._space(namespace).read(name_of(key))
        return None if found is None else json_text(found["value"])

    def _put(self, texts: Mapping[str, str], namespace: Namespace) -> None:
        space = self._space(namespace)
        for key, text in texts.items():
            space.write(name_of(key), {"namespace": namespace, "key": key, "value": value_of(text)})

    def _delete(self, key: str, namespace: Namespace) -> bool:
        return self._space(namespace).remove(name_of(key))

    def _keys(self, namespace: Namespace) -> Collection[str]:
        return _ids(self._space(namespace), "key")

    def _size(self, namespace: Namespace) -> int:
        return len(self._space(namespace).names())

    def _clear(self, namespace: Namespace) -> int:
        space = self._space(namespace)
        return sum(space.remove(name) for name in space.names())

    def _namespaces(self) -> Collection[str]:
        return _namespaces_in(self._pairs, "")

    def _holders(self, key: str) -> Collection[Namespace]:
        spaces = (self._pairs.within(name) for name in self._pairs.folders())
        found = (space.read(name_of(key)) for space in spaces)
        return [one["namespace"] for one in found if one is not None]

    def _release(self) -> None:
        """Nothing is held open."""

    def _space(self, namespace: Namespace) -> Folder:
        return _space_in(self._pairs, namespace)


class FileGraphService(GraphServiceBase):
    """Nodes and edges in files, under `base_dir/graphs/namespace`.

    A node is `nodes/id.json`; an edge is a file in the folder of its source, and its target's
    folder has a file that leads there. An edge counts while that file and both its nodes are there.
    """

    def __init__(self, base_dir: str | os.PathLike[str]) -> None:
        super().__init__()
        self._graphs = base_folder(base_dir).within("graphs")

    def _own_errors(self) -> AbstractContextManager[None]:
        return folder_errors()

    def _put_node(self, node: GraphNode, namespace: Namespace) -> None:
        self._node_files(namespace).write(
            name_of(node.node_id),
            {"namespace": namespace, "node_id": node.node_id, "node": node.to_dict()},
        )

    def _node(self, node_id: str, namespace: Namespace) -> GraphNode | None:
        found = self._node_files(namespace).read(name_of(node_id))
        return None if found is None else GraphNode.from_dict(found["node"])

    def _remove_node(self, node_id: str, namespace: Namespace) -> bool:
        for incoming in (False, True):
            for edge in self._kept(node_id, namespace, incoming=incoming):
                self._drop(edge, namespace)
        return self._node_files(namespace).remove(name_of(node_id))

    def _put_edge(self, edge: GraphEdge, namespace: Namespace) -> None:
        name = _edge_name(edge)
        towards = self._edge_files(edge.target_id, namespace, incoming=True)
        if not towards.has(name):
            towards.write(name, {"source_id": edge.source_id})
        self._edge_files(edge.source_id, namespace, incoming=False).write(name, edge.to_dict())

    def _edges(
        self, node_id: str, namespace: Namespace, *, incoming: bool
    ) -> Collection[GraphEdge]:
        nodes = self._node_files(namespace)
        return [
            edge
            for edge in self._kept(node_id, namespace, incoming=incoming)
            if nodes.has(name_of(edge.source_id)) and nodes.has(name_of(edge.target_id))
        ]

    def _remove_edge(self, source: str, target: str, kind: str, namespace: Namespace) -> bool:
        found = [
            edge
            for edge in self._kept(source, namespace, incoming=False)
            if (edge.target_id, edge.edge_type) == (target, kind)
        ]
        for edge in found:
            self._drop(edge, namespace)
        return bool(found)

    def _nodes(self, namespace: Namespace) -> Collection[GraphNode]:
        files = self._node_files(namespace)
        found = [files.read(name) for name in files.names()]
        return [GraphNode.from_dict(one["node"]) for one in found if one is not None]

    def _size(self, namespace: Namespace) -> int:
        return len(self._node_files(namespace).names())

    def _clear(self, namespace: Namespace) -> int:
        graph = _space_in(self._graphs, namespace)
        for side in ("outgoing", "incoming"):
            for name in graph.within(side).folders():
                files = graph.within(side).within(name)
                for edge in files.names():
                    files.remove(edge)
        nodes = self._node_files(namespace)
        return sum(nodes.remove(name) for name in nodes.names())

    def _namespaces(self) -> Collection[str]:
        return _namespaces_in(self._graphs, "nodes")

    def _release(self) -> None:
        """Nothing is held open."""

    def _kept(self, node_id: str, namespace: Namespace, *, incoming: bool) -> Iterator[GraphEdge]:
        """Yield the edges that have a file, also those to a node that another process removes."""
        files = self._edge_files(node_id, namespace, incoming=incoming)
        for name in files.names():
            found = files.read(name)
            if found is not None and incoming:
                source = self._edge_files(found["source_id"], namespace, incoming=False)
                found = source.read(name)
            if found is not None:
                yield GraphEdge.from_dict(found)

    def _drop(self, edge: GraphEdge, namespace: Namespace) -> None:
        name = _edge_name(edge)
        self._edge_files(edge.source_id, namespace, incoming=False).remove(name)
        self._edge_files(edge.target_id, namespace, incoming=True).remove(name)

    def _node_files(self, namespace: Namespace) -> Folder:
        return _space_in(self._graphs, namespace).within("nodes")

    def _edge_files(self, node_id: str, namespace: Namespace, *, incoming: bool) -> Folder:
        side = "incoming" if incoming else "outgoing"
        return _space_in(self._graphs, namespace).within(side).within(name_of(node_id))


def _space_in(folder: Folder, namespace: Namespace) -> Folder:
    return folder.within(_UNNAMED if namespace is None else name_of(namespace))


def _namespaces_in(folder: Folder, inner: str) -> list[str]:
    """Return the namespaces whose folder, or what is called `inner` in it, holds a file."""
    found = []
    for name in folder.folders():
        files = folder.within(name).within(inner) if inner else folder.within(name)
        first = files.first() if name != _UNNAMED else None
        if first is not None:
            told = text_of(name)
            found += [told] if told is not None else _member_texts(files, [first], "namespace")
    return found


def _ids(files: Folder, field: str) -> list[str]:
    names = files.names()
    plain = [text_of(name) for name in names]
    return [one for one in plain if one is not None] + _member_texts(
        files, [name for name in names if text_of(name) is None], field
    )


def _member_texts(files: Folder, names: Collection[str], field: str) -> list[str]:
    """Return what files say themselves; those that another process has removed say nothing."""
    found = (files.read(name) for name in names)
    return [str(one[field]) for one in found if one is not None]


def _edge_name(edge: GraphEdge) -> str:
    """Return the name of an edge's file, which its identity alone makes."""
    return hashlib.sha256(json_text(list(edge.identity)).encode()).hexdigest()
