"""The doors to one memory: this process, a client, HTTP as it is, MCP and the command line.

The rule: behind every door stand the methods of `Memory`, with its arguments and its values, and a
read in KIP. An adapter says them as its door does, and adds nothing to what the door answers.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult
from tests.servers.http.started import PROGRAM
from tests.serving import SECONDS, Stage
from typer.testing import CliRunner

import postgres
import recollect
from recollect import Memory, client
from recollect.errors import CODES, RecollectError
from recollect.faces.kip import execute_kip_readonly
from recollect.faces.memory import (
    Brief,
    Corrected,
    Forgotten,
    Listed,
    RecallAnswer,
    Remembered,
    Why,
)
from recollect.node import dataclass
from recollect.servers.cli import app
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.metrics import Metrics
from recollect.servers.service import at_work, make_service

Members = dict[str, Any]
Point = Mapping[str, str | int]
"""A moment on both clocks, as KIP names it: `valid` is an instant, `known` a transaction."""


class SpokenMemory(ABC):
    """The memory behind a door where what is asked and answered is JSON."""

    @abstractmethod
    def ask(self, call: str, given: Members) -> Members:
        """Return what one call answers; raises its error."""

    def remember(self, text: str | None = None, **given: Any) -> Remembered:
        return Remembered.from_dict(self.ask("remember", _said(text=text, **given)))

    def recall(self, question: str, **given: Any) -> RecallAnswer:
        return RecallAnswer.from_dict(self.ask("recall", {"question": question, **given}))

    def correct(self, id: str, **given: Any) -> Corrected:
        return Corrected.from_dict(self.ask("correct", {"id": id, **given}))

    def undo(self, id: str) -> Corrected:
        return Corrected.from_dict(self.ask("undo", {"id": id}))

    def forget(self, what: str | None = None, **given: Any) -> Forgotten:
        return Forgotten.from_dict(self.ask("forget", _said(what=what, **given)))

    def list(self, kind: str | None = None, **given: Any) -> Listed:
        return Listed.from_dict(self.ask("list", _said(kind=kind, **given)))

    def brief(self, topic: str | None = None, **given: Any) -> Brief:
        return Brief.from_dict(self.ask("brief", _said(topic=topic, **given)))

    def why(self, id: str) -> Why:
        return Why.from_dict(self.ask("why", {"id": id}))


def _said(**given: Any) -> Members:
    return {name: one for name, one in given.items() if one is not None}


def _refused(code: str, message: str, hint: str = "") -> RecollectError:
    return CODES[code].error(message, hint)


@dataclass(frozen=True, slots=True)
class Door:
    """What stands behind one door."""

    memory: Memory | client.Memory | SpokenMemory
    kip: Callable[[str, Point], Mapping[str, Any]]  # the response to a text that only reads


@contextmanager
def here(path: Path, stage: Stage) -> Iterator[Door]:
    """Open the memory in this process."""
    del stage
    with recollect.memory(str(path)) as memory:
        yield Door(
            memory, lambda text, as_of: execute_kip_readonly(memory.nexus, text, as_of=as_of)
        )


@contextmanager
def _served(path: Path, stage: Stage) -> Iterator[str]:
    """Serve the memory over HTTP, and yield the address."""
    with recollect.open(str(path)) as nexus, at_work(make_service(nexus), 30) as service:
        stage.app = make_app(service, Options(), Metrics())
        yield stage.url


@contextmanager
def by_client(path: Path, stage: Stage) -> Iterator[Door]:
    """Reach the memory by the client of a server."""
    with _served(path, stage) as url, client.Memory(url) as memory, client.Kip(url) as kip:
        yield Door(memory, lambda text, as_of: kip.execute_readonly(text, as_of=as_of))


class HttpMemory(SpokenMemory):
    """The memory as requests of HTTP, written by hand."""

    _READ: Final = {"list": "memories", "brief": "brief", "why": "why"}

    def __init__(self, http: httpx2.Client) -> None:
        self._http = http

    def ask(self, call: str, given: Members) -> Members:
        if call in self._READ:
            answer = self._http.get(f"/v1/memory/{self._READ[call]}", params=given)
        else:
            answer = self._http.post(f"/v1/memory/{call}", json=given)
        envelope: Members = answer.json()
        if "error" in envelope:
            raise _refused(envelope["error"]["error_code"], envelope["error"]["message"])
        return dict(envelope["output"])


@contextmanager
def by_http(path: Path, stage: Stage) -> Iterator[Door]:
    """Reach the memory by requests of HTTP."""
    with (
        _served(path, stage) as url,
        httpx2.Client(base_url=url, timeout=SECONDS) as http,
    ):

        def kip(text: str, as_of: Point) -> Members:
            asked = {"command": text, "as_of": dict(as_of)}
            return dict(http.post("/v1/kip/readonly", json=asked).json())

        yield Door(HttpMemory(http), kip)


class McpMemory(SpokenMemory):
    """The memory as tools of MCP.

    A tool answers shortly, for a model's context: what a memory is beyond its words is what
    `explain_memory` tells of its id.
    """

    _TOOLS: Final = {"list": "list_memories", "why": "explain_memory", "undo": "correct"}
    _BACK: Final = re.compile(r'correct with \{"id": "([^"]+)", "undo": true\}')

    def __init__(self, call: Callable[[str, Members], CallToolResult]) -> None:
        self._call = call

    def tool(self, name: str, given: Members) -> Members:
        """Return the structured answer of a tool."""
        answer: Members = self._call(name, given).structured_content or {}
        if "error" in answer:
            raise _refused(answer["error"]["code"], answer["error"]["message"])
        return answer

    def ask(self, call: str, given: Members) -> Members:
        said = {"question" if name == "what" else name: one for name, one in given.items()}
        more: Members = {"undo": True} if call == "undo" else {}
        answer = self.tool(self._TOOLS.get(call, call), said | more)
        answer.pop("note", None)
        match call:
            case "remember":
                if "claim" in answer:
                    answer["claim"] = self._whole(answer["claim"])
                answer["facts"] = [self._whole(one) for one in answer.get("facts", ())]
            case "recall":
                for one in answer["memories"]:
                    del one["uri"]
                    one.pop("why", None)
            case "correct" | "undo":
                answer["memory"] = self._whole(answer["memory"])
                answer["before"] = self._whole(answer["before"])
                answer["undo"] = self._BACK.sub(r"undo \1", answer["undo"])
            case "forget":
                answer["is_dry_run"] = answer.pop("dry_run")
                is_there = answer["effect"] != "erase"
                known = self._whole if is_there else _erased
                answer["memories"] = [known(one) for one in answer["memories"]]
                back = 'correct with its id and "undo": true', "undo it by its id"
                answer["undo"] = answer.get("undo", "").replace(*back)
            case "list":
                answer["memories"] = [self._whole(one) for one in answer["memories"]]
            case "why":
                del answer["memory"]["uri"]
        return answer

    def _whole(self, short: Members) -> Members:
        """Return a memory as the tool told it, with what it left out."""
        whole: Members = self.tool("explain_memory", {"id": short["id"]})["memory"]
        left_out = whole.keys() - {"uri", "text", "when", "standing"}
        return {name: whole[name] for name in left_out} | short


def _erased(short: Members) -> Members:
    return {"kind": "fact", **short}


@contextmanager
def by_mcp(path: Path, stage: Stage) -> Iterator[Door]:
    """Reach the memory by a client of the protocol, which starts the server and speaks by pipes."""
    del stage
    words = ["-c", PROGRAM, "mcp", "--db", postgres.address_of(path), "--allow-erase"]
    server = StdioServerParameters(command=sys.executable, args=words)
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(Client(server)) as agent,
    ):
        memory = McpMemory(lambda name, given: portal.call(agent.call_tool, name, given))
        tool = "execute_kip_readonly"
        yield Door(
            memory,
            lambda text, as_of: memory.tool(tool, {"command": text, "as_of": dict(as_of)}),
        )


class CliMemory(SpokenMemory):
    """The memory as commands, whose answers are read from JSON."""

    _OPTIONS: Final = {
        "valid_at": "--from",
        "invalid_at": "--until",
        "effect": "--how",
        "kinds": "--kind",
        "messages": "--message",
    }

    def __init__(self, run: Callable[..., Members]) -> None:
        self._run = run

    def ask(self, call: str, given: Members) -> Members:
        if call == "remember":
            return self._remember(given)
        first = {"recall": "question", "forget": "what", "list": "kind", "brief": "topic"}
        name = first.get(call, "id")
        words = [str(given.pop(name))] if name in given else []
        words += _moment(given.pop("as_of", {}))
        if given.get("effect") == "erase":
            words.append("--yes")
        return self._run(call, *words, *self._options(given))

    def _remember(self, given: Members) -> Members:
        """Tell each fact by a command of its own, since one takes one; answer with all of it."""
        facts = given.pop("facts", ())
        words = [given.pop("text")] if "text" in given else []
        words += self._options(given)
        answer = self._run("remember", *words) if words else {}
        for one in facts:
            fact = dict(one)
            ends = [_typed(fact.pop(name)) for name in ("subject", "predicate", "object")]
            told = self._run("remember", "--fact", *ends, *self._options(fact))
            for name in ("facts", "ended", "also_holds", "warnings"):
                answer[name] = answer.get(name, []) + told.get(name, [])
        return answer

    def _options(self, given: Members) -> list[str]:
        words: list[str] = []
        for name, value in given.items():
            option = self._OPTIONS.get(name, f"--{name.replace('_', '-')}")
            if isinstance(value, list):
                words += [part for one in value for part in (option, _typed(one))]
            elif isinstance(value, bool):
                words += [option] if value else []
            else:
                words += [option, _typed(value)]
        return words


def _typed(value: object) -> str:
    match value:
        case str():
            return value
        case {"kind": kind, "detail": detail}:
            return f"{kind}={detail}"
        case {"role": role, "content": content}:
            return f"{role}: {content}"
        case _:
            return json.dumps(value)


def _moment(as_of: Point) -> list[str]:
    names = {"valid": "--valid", "known": "--transaction"}
    return [word for name, one in as_of.items() for word in (names[name], str(one))]


@contextmanager
def by_commands(path: Path, stage: Stage) -> Iterator[Door]:
    """Reach the memory at a terminal."""
    del stage
    environment = {"HOME": str(path.parent), "RECOLLECT_GROUP": None, "TERM": "dumb"}

    def run(*words: str) -> Members:
        typed = [*words, "--db", str(path), "--json"]
        done = CliRunner().invoke(app, typed, env=environment)
        assert done.stdout, (shlex.join(typed), done.output)
        answer: Members = json.loads(done.stdout)
        if "error" in answer:
            raise _refused(answer["error"]["code"], answer["error"]["message"])
        return answer

    memory = CliMemory(lambda *words: run(*words)["result"])
    yield Door(memory, lambda text, as_of: run("query", text, *_moment(as_of)))


DOORS: Mapping[str, Callable[[Path, Stage], AbstractContextManager[Door]]] = {
    "Python": here,
    "client": by_client,
    "HTTP": by_http,
    "MCP": by_mcp,
    "CLI": by_commands,
}
