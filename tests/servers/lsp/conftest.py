"""An editor: it starts the language server as a process and speaks to it over its pipes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

URI = "file:///scratch/text.kip"
SECONDS = 60


class Editor:
    """One editor with one open text."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-c", "from recollect.servers.cli import main; main()", "lsp"]
        self.process = subprocess.Popen(
            [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self._version = 0
        self.published: list[dict] = []
        self.capabilities = self.ask(
            "initialize", {"processId": None, "rootUri": None, "capabilities": {}}
        )["capabilities"]
        self.tell("initialized", {})

    def tell(self, method: str, parameters: object) -> None:
        self._send({"method": method, "params": parameters})

    def ask(self, method: str, parameters: object) -> object:
        """Return the result of a request; diagnostics that come meanwhile are kept."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                assert "error" not in message, message
                return message["result"]
            self._keep(message)

    def write(self, text: str) -> list[dict]:
        """Open the text, or replace all of it, and return its diagnostics."""
        self._version += 1
        document = {"uri": URI, "version": self._version}
        if self._version == 1:
            opened = {**document, "languageId": "kip", "text": text}
            self.tell("textDocument/didOpen", {"textDocument": opened})
        else:
            change = {"textDocument": document, "contentChanges": [{"text": text}]}
            self.tell("textDocument/didChange", change)
        seen = len(self.published)
        while len(self.published) == seen:
            self._keep(self._receive())
        assert self.published[-1]["version"] == self._version
        return self.published[-1]["diagnostics"]

    def at(self, method: str, line: int, character: int) -> object:
        """Return what the server answers about a place of the text."""
        place = {"line": line, "character": character}
        return self.ask(method, {"textDocument": {"uri": URI}, "position": place})

    def proposals(self, text: str) -> list[str]:
        """Return what is proposed at the sign `|` of a text."""
        before = text[: text.index("|")]
        self.write(text.replace("|", ""))
        line = before.count("\n")
        column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        return [item["label"] for item in self.at("textDocument/completion", line, column)]

    def close(self) -> int:
        """Leave as an editor does, and return the exit code of the server."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        code = self.process.wait(SECONDS)
        self.process.stdin.close()
        self.process.stdout.close()
        return code

    def _keep(self, message: dict) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published.append(message["params"])

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict:
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            assert line or self.process.poll() is None, "the server has ended"
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        return json.loads(self.process.stdout.read(length))


@pytest.fixture(scope="module")
def start() -> Iterator[Callable[..., Editor]]:
    """Start editors, and end the servers that a failed test leaves."""
    editors: list[Editor] = []

    def begin(*options: str | Path) -> Editor:
        editor = Editor(*map(str, options))
        editors.append(editor)
        return editor

    yield begin
    for editor in editors:
        if editor.process.poll() is None:
            editor.process.kill()
            editor.process.wait(SECONDS)
        editor.process.stdin.close()
        editor.process.stdout.close()


@pytest.fixture(scope="module")
def editor(start: Callable[..., Editor]) -> Editor:
    return start()
