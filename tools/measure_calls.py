"""Count the source files that a call crosses, and the statements that it runs.

The rule: only functions that run are counted, not modules that are imported, and a call runs once
before on another memory, so that what is loaded on first use is not counted either. Run by itself
it lists the files, each with the calls that cross it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import apsw

import recollect
from recollect.servers.mcp.tool import Memory, ToolCall
from recollect.servers.mcp.tools import tool_named
from recollect.servers.service import make_service

PACKAGE = str(Path(recollect.__file__).parent)
UPSERT = """
UPSERT {
  CONCEPT @ann { {type: "Person", name: "Ann"} SET ATTRIBUTES { role: "director" } }
  CONCEPT @acme { {type: "Company", name: "Acme"} }
  PROPOSITION @job { (@ann, "works_at", @acme) } WITH METADATA { source: "the staff list" }
}
WITH METADATA { confidence: 0.9 }
"""
READ = """
FIND(?name, ?place.name) WHERE {
  ?who {type: "Person"} ATTR(?who, "name", ?name)
  ?job (?who, "works_at", ?place)
  FILTER(?job.metadata.confidence > 0.5)
  OPTIONAL { (?who, "knows", ?friend) }
  NOT { (?who, "left", ?place) }
} ORDER BY ?name LIMIT 5
"""
SAID = [{"kind": "user_statement", "detail": "what the user said"}]


@dataclass
class Crossed:
    """What one call crossed."""

    files: set[str] = field(default_factory=set)
    statements: int = 0


class Ledger:
    """Every statement that runs on connections opened while it is open."""

    def __init__(self) -> None:
        self._open: list[Crossed] = []

    @contextmanager
    def of_new_connections(self) -> Iterator[None]:
        """Watch the connections that are opened in the block, for as long as they live."""
        apsw.connection_hooks.append(self._watch)
        try:
            yield
        finally:
            apsw.connection_hooks.remove(self._watch)

    @contextmanager
    def crossed(self) -> Iterator[Crossed]:
        """Count what this thread does in the block."""
        found = Crossed()

        def entered(frame: FrameType, event: str, _: object) -> None:
            name = frame.f_code.co_filename
            if event == "call" and name.startswith(PACKAGE) and frame.f_code.co_name != "<module>":
                found.files.add(name)

        self._open.append(found)
        sys.setprofile(entered)
        try:
            yield found
        finally:
            sys.setprofile(None)
            self._open.pop()

    def _watch(self, connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_STMT, self._ran)

    def _ran(self, event: dict[str, object]) -> None:
        if not event.get("trigger"):
            for found in self._open:
                found.statements += 1


def calls() -> dict[str, Crossed]:
    """Return what the calls cross that most are like."""
    ledger = Ledger()
    with TemporaryDirectory() as folder, ledger.of_new_connections():
        graph(ledger, Path(folder, "before.db"))
        claims(ledger, Path(folder, "claims-before.db"))
        read, upsert = graph(ledger, Path(folder, "graph.db"))
        first, later, recalled = claims(ledger, Path(folder, "claims.db"))
    return {"read": read, "upsert": upsert, "first": first, "later": later, "recall": recalled}


def crossings() -> dict[str, float]:
    """Return the files and statements of these calls, by the figure's name."""
    crossed = calls()
    return {
        "files a cold read crosses": len(crossed["read"].files),
        "files an UPSERT crosses": len(crossed["upsert"].files),
        "files an MCP recall crosses": len(crossed["recall"].files),
        "statements of the first claim of a group": crossed["first"].statements,
        "statements of a later claim": crossed["later"].statements,
        "statements of an MCP recall of two": crossed["recall"].statements,
    }


def graph(ledger: Ledger, path: Path) -> tuple[Crossed, Crossed]:
    """Return what a cold read and an UPSERT cross on a memory that holds a little."""
    read_anew = READ.replace("?who", f"?{path.stem}")  # so that no tree of it is remembered
    with recollect.open(path) as nexus:
        nexus.write(UPSERT.replace("Ann", "Bob"))
        with ledger.crossed() as upsert:
            nexus.write(UPSERT)
        with ledger.crossed() as read:
            nexus.read(read_anew)
    return read, upsert


def claims(ledger: Ledger, path: Path) -> tuple[Crossed, Crossed, Crossed]:
    """Return what the first claim of a group, a later one and a recall of both cross."""
    with recollect.open(path) as nexus:
        memory = Memory(make_service(nexus, has_worker=False), actor="agent")
        with ledger.crossed() as first:
            _called(memory, "remember", text="Ann works at Acme", evidence=SAID)
        with ledger.crossed() as later:
            _called(memory, "remember", text="Ann lives in Paris", evidence=SAID)
        with ledger.crossed() as recalled:
            found = _called(memory, "recall", question="Ann", kinds=["claim"])
        memories = found.get("memories")
        if not isinstance(memories, list) or len(memories) != 2:
            raise AssertionError(f"recall finds both claims: {found}")
    return first, later, recalled


def _called(memory: Memory, name: str, **given: object) -> Mapping[str, object]:
    """Return what a tool of the MCP server answers."""
    return tool_named(name, memory).run(memory, given, ToolCall(name))


def main() -> None:
    """List the files that a call crosses, each with the calls that do."""
    crossed = calls()
    for name in sorted({name for one in crossed.values() for name in one.files}):
        by = [call for call, one in crossed.items() if name in one.files]
        print(f"{Path(name).relative_to(PACKAGE).as_posix():40}  {', '.join(by)}")


if __name__ == "__main__":
    main()
