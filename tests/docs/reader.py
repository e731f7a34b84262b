"""Somebody who follows a page from top to bottom, in one folder, and believes every word.

`python`, `pycon`, `sh` and `console` blocks run where they stand. A `kip` block goes to
`recollect run` on the `memory.db` of the folder, and prints what a `text` block right after it
shows, so a comment in its head is a comment. A `json` block that names a tool and its arguments is a call of
that tool over MCP; a `json` block right after one is its answer. `"…"` stands for
anything, and as a member for all members that are not shown. Any other `json` must be JSON.
The pages of `docs/kip` run on a graph of their own (tests/faces/kip).
"""

from __future__ import annotations

import configparser
import doctest
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import anyio
from mcp import Client
from tests.docs.forms import check_form, is_form
from tests.docs.pages import Block, Command, blocks, commands, name_of
from tests.docs.terminal import Terminal
from tests.faces.kip.examples import Example, check, read_examples

import recollect
from recollect.servers.mcp.server import build_server
from recollect.servers.mcp.tool import Memory
from recollect.servers.service import make_service

ANYTHING = "…"
FLAGS = doctest.ELLIPSIS


class Reader:
    def __init__(self, page: Path, folder: Path, not_run: Mapping[str, str]) -> None:
        self.page = page
        self.folder = folder
        self.not_run = not_run
        self.names: dict[str, object] = {"__name__": "__page__"}
        self.terminal = Terminal(folder)
        self.is_reference = page.parent.name == "kip"
        self._asked: dict[str, object] | None = None  # the answer that the next block shows
        self._kip = iter(read_examples(page))

    def follow(self) -> None:
        try:
            for block in blocks(self.page):
                try:
                    self._read(block)
                except AssertionError as error:
                    error.add_note(f"{name_of(self.page)}, below line {block.line}")
                    raise
        finally:
            self.terminal.close()

    def _read(self, block: Block) -> None:
        match block.language:
            case "python":
                self._run_python(block)
            case "pycon":
                self._run_pycon(block)
            case "sh" | "console":
                for command in commands(block):
                    self._run_command(command)
            case "kip":
                example = next(self._kip)
                if not self.is_reference:
                    self._run_kip(example)
            case "json":
                self._read_json(json.loads(block.code))
            case "toml":
                tomllib.loads(block.code)
            case "ini":
                check_unit(block.code)

    def _run_python(self, block: Block) -> None:
        code = "\n" * block.line + block.code  # so that a traceback names the line of the page
        exec(compile(code, str(self.page), "exec"), self.names)  # the page is ours

    def _run_pycon(self, block: Block) -> None:
        example = doctest.DocTestParser().get_doctest(
            block.code, self.names, self.page.name, str(self.page), block.line
        )
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        runner.run(example, out=report.append, clear_globs=False)
        self.names.update(example.globs)  # the parser works on a copy
        assert not runner.failures, "".join(report)

    def _run_command(self, command: Command) -> None:
        if any(command.text.startswith(one) for one in self.not_run):
            return
        if is_form(command.text):
            assert name_of(self.page) == "docs/cli.md", f"line {command.line}: say it whole"
            check_form(command.text)
            return
        done = self.terminal.run(command.text)
        shown = f"line {command.line}: {command.text}\n{done.output}"
        assert (done.code == 0) != is_error(command.output), shown
        if command.output:
            assert is_as_shown(command.output, done.output), shown

    def _run_kip(self, example: Example) -> None:
        assert not example.arguments, "a reader pastes the block, and a comment sets nothing"
        is_table = example.kind == "text"
        form = "" if is_table else " --json"
        done = self.terminal.pipe(example.command, f"recollect run - --db memory.db{form}")
        if is_table:
            assert done.code == 0, done.output
            assert is_as_shown(example.expected, done.output), done.output
        else:
            check(example, json.loads(done.output))

    def _read_json(self, value: object) -> None:
        if self._asked is not None:
            answer, self._asked = self._asked, None
            assert_shown(answer, value)
        elif isinstance(value, dict) and value.keys() == {"name", "arguments"}:
            self._asked = anyio.run(self._call, value["name"], value["arguments"])

    async def _call(self, tool: str, arguments: dict[str, object]) -> dict[str, object]:
        with recollect.open("memory.db") as nexus:
            service = make_service(nexus, has_worker=False)
            async with Client(build_server(Memory(service, "agent"))) as client:
                answer = await client.call_tool(tool, arguments)
        assert not answer.is_error, answer.content
        return answer.structured_content


def check_unit(text: str) -> None:
    """Assert that a unit of systemd can be read, and starts a command that there is."""
    unit = configparser.ConfigParser()
    unit.optionxform = str  # as systemd tells big letters from small
    unit.read_string(text)
    check_form(unit["Service"]["ExecStart"])


def is_error(shown: str) -> bool:
    """Whether a page shows an error: a code begins it."""
    return re.match(r"[A-Z]{3,}(_[A-Z0-9]+)+[: ]", shown) is not None


def is_as_shown(shown: str, printed: str) -> bool:
    """Whether a terminal printed what a page shows, where `...` stands for anything."""
    texts = [
        "\n".join(line.rstrip() for line in one.strip().splitlines()) for one in (shown, printed)
    ]
    return doctest.OutputChecker().check_output(f"{texts[0]}\n", f"{texts[1]}\n", FLAGS)


def assert_shown(found: object, shown: object) -> None:
    """Assert that an answer is what a page shows of it."""
    match shown:
        case "…":
            return
        case dict():
            assert isinstance(found, dict), found
            if ANYTHING not in shown:
                assert found.keys() == shown.keys()
            for name in shown.keys() - {ANYTHING}:
                assert name in found, f"{name} is not in {found}"
                assert_shown(found[name], shown[name])
        case list():
            assert isinstance(found, list), found
            assert len(found) == len(shown), found
            for one, expected in zip(found, shown, strict=True):
                assert_shown(one, expected)
        case _:
            assert found == shown
