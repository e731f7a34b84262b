"""A terminal as a reader has it: a folder, an empty home, and `recollect` at hand."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from typer.testing import CliRunner

from recollect.servers.cli import app
from recollect.servers.settings import Settings

ENVIRONMENT = Settings().environment
OF_A_USER = {one for one in ENVIRONMENT if one.startswith(("XDG_", "RECOLLECT_"))}
PROGRAM = "from recollect.servers.cli import main; main()"
SERVED_AT = "http://127.0.0.1:7411"
REDIRECTED = re.compile(r"(.*?)(?: < ([\w./-]+))?(?: > ([\w./-]+))?", re.DOTALL)
QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")


@dataclass(frozen=True)
class Done:
    code: int
    output: str  # both streams, as they come


@dataclass
class Terminal:
    """Runs one command after the other in `folder`, which must be the working directory."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    served_at: str = SERVED_AT
    _servers: list[subprocess.Popen[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        home = self.folder / "home"
        home.mkdir()
        (home / ".curlrc").write_text("silent\nshow-error\nfail-with-body\n")
        self.variables |= {
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{ENVIRONMENT['PATH']}",
            "COLUMNS": "120",
            "TERM": "dumb",
        }

    def run(self, command: str) -> Done:
        command = command.replace(SERVED_AT, self.served_at)
        if command.startswith("recollect serve "):
            return self._serve(shlex.split(command)[1:])
        if told := re.fullmatch(r"export (.+)", command):
            self.variables |= dict(one.split("=", 1) for one in shlex.split(told[1]))
            return Done(0, "")
        if kept := re.fullmatch(r"(\w+)=\$\((.+)\)", command, re.DOTALL):
            done = self.run(kept[2])
            self.variables[kept[1]] = done.output.strip()
            return Done(done.code, "" if done.code == 0 else done.output)
        output = ""
        for part in split(command, "&&"):
            done = self._pipeline(part)
            output += done.output
            if done.code != 0:
                return Done(done.code, output)
        return Done(0, output)

    def pipe(self, text: str, command: str) -> Done:
        """Run a plain `recollect` command that reads a text from its standard input."""
        code, printed, told = self._recollect(shlex.split(command)[1:], text.encode())
        return Done(code, told + printed.decode())

    def close(self) -> None:
        for server in self._servers:
            server.terminate()
            server.communicate()

    def _pipeline(self, command: str) -> Done:
        """What a shell does with `a | b > c`, where a part that is `recollect` starts no process."""
        piped, said = b"", ""
        for part in split(command, "|"):
            bare, source, target = REDIRECTED.fullmatch(part.strip()).groups()
            given = (self.folder / source).read_bytes() if source else piped
            if is_plain(bare):
                code, piped, told = self._recollect(shlex.split(bare)[1:], given)
            else:
                code, piped, told = self._shell(part, given)
                target = None
            said += told
            if target:
                (self.folder / target).write_bytes(piped)
                piped = b""
            if code != 0:
                return Done(code, said + piped.decode())
        return Done(0, said + piped.decode())

    def _recollect(self, words: list[str], given: bytes) -> tuple[int, bytes, str]:
        """The command line in this process: ten times as quick as a process of its own."""
        result = CliRunner().invoke(
            app, words, input=given, env=dict.fromkeys(OF_A_USER) | self.variables
        )
        is_odd = not isinstance(result.exception, SystemExit | None)
        trouble = f"{result.exception!r}\n" if is_odd else ""
        return result.exit_code, result.stdout_bytes, result.stderr + trouble

    def _shell(self, command: str, given: bytes) -> tuple[int, bytes, str]:
        result = subprocess.run(
            ["bash", "-ec", command],
            cwd=self.folder, env=self._environment(), input=given, capture_output=True, check=False,
        )  # fmt: skip
        return result.returncode, result.stdout, result.stderr.decode()

    def _serve(self, words: list[str]) -> Done:
        """A server in a process of its own, at a port that is free; later commands go there."""
        server = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *words, "--port", "0", "--json", "--log", "none"],
            cwd=self.folder, env=self._environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._servers.append(server)
        assert server.stdout is not None
        self.served_at = json.loads(server.stdout.readline())["result"]["url"].rstrip("/")
        return Done(0, "")

    def _environment(self) -> dict[str, str]:
        clean = {one: ENVIRONMENT[one] for one in ENVIRONMENT.keys() - OF_A_USER}
        return clean | self.variables


def split(command: str, operator: str) -> list[str]:
    """The parts of a command between an operator that stands outside of quotes, between spaces."""
    masked = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "-" * len(found[0]), command)
    cuts = [found.span() for found in re.finditer(rf" {re.escape(operator)} ", masked)]
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(command)]
    return [command[start:end] for start, end in zip(starts, ends, strict=True)]


def is_plain(command: str) -> bool:
    """Whether a command is `recollect` and its words, and nothing that a shell has to do."""
    bare = QUOTED.sub("", command)
    return command.startswith("recollect ") and not re.search(r"[|<>&;$`*?~#\\\"']", bare)
