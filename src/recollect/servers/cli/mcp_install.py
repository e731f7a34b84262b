"""The command that makes a memory known to an agent's program.

The rule: it prints what belongs into the program's file, and edits the file only when it is told
to, after making a copy beside it; everything else in it stays as it is.
"""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import orjson

from recollect.errors import CONFLICT, INVALID_VALUE, STORE_UNAVAILABLE, RecollectError
from recollect.kernel import compared_by
from recollect.servers.cli.loading import require
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import output
from recollect.servers.cli.wanted import Offered
from recollect.servers.mcp.clients import NAME, Client, client_named
from recollect.servers.settings import PROGRAM, Settings


def server_command(on: Invocation, given: Offered) -> list[str]:
    """Return the command that starts the server from anywhere: all paths are absolute."""
    settings = Settings()
    command = [_program(), "mcp", "--db", _place(on), "--group", settings.group(on.group)]
    for folder in settings.import_from(given.import_from or ()):
        command += ["--import-from", str(folder)]
    return [*command, "--read-only"] if given.read_only else command


def _place(on: Invocation) -> str:
    """Return where a memory is; of one on a server without a password, which PGPASSFILE has."""
    located = Settings().database(on.database)
    return located.shown if located.file is None else str(located.file.resolve())


def install_memory(on: Invocation, name: str, given: Offered, *, writes: bool) -> None:
    """Print the snippet of a program, or write it."""
    with output(as_json=on.as_json) as out:
        require("mcp", "mcp", "the MCP server")
        command = server_command(on, given)
        client = client_named(name, Path.home(), Path.cwd())
        backup = _write(client, partial(_edited, client, command)) if writes else None
        snippet = client.snippet(command)
        way = compared_by(_environment(client).get("RECOLLECT_EMBEDDER"))
        memory = f"the memory {_place(on)}, group {Settings().group(on.group)}, recalled by {way}"
        told = {
            "client": name,
            "file": str(client.file),
            "snippet": snippet,
            "written": writes,
            "backup": None if backup is None else str(backup),
            "memory": memory,
        }
        if out.give_json(told):
            return
        out.say(memory, "dim")
        if not writes:
            out.say(f"into {client.file}, or with --write:", "dim")
            for line in snippet.split("\n"):
                out.say(line)
            return
        out.say(f"{client.file} has {NAME} now; start {name} again", "green")
        out.say(f"try it first: recollect mcp doctor {name}", "dim")
        if backup is not None:
            out.say(f"as it was: {backup}", "dim")


def uninstall_memory(on: Invocation, name: str, *, writes: bool) -> None:
    """Tell where a program has the memory, or take it out of there."""
    with output(as_json=on.as_json) as out:
        client = client_named(name, Path.home(), Path.cwd())
        client.read(client.file.read_text("utf-8-sig") if client.file.exists() else "")
        backup = _write(client, partial(_without, client)) if writes else None
        kept = None if backup is None else str(backup)
        told = {"client": name, "file": str(client.file), "written": writes, "backup": kept}
        if out.give_json(told):
            return
        if not writes:
            out.say(f"{client.file} has {NAME}; add --write to take it out", "dim")
            return
        out.say(f"{client.file} has no {NAME} any more; the memory itself stays", "green")
        out.say(f"as it was: {backup}", "dim")


def _program() -> str:
    """Return the whole path of this program."""
    beside = shutil.which(PROGRAM, path=str(Path(sys.executable).parent))
    return str(Path(beside or shutil.which(PROGRAM) or sys.argv[0]).absolute())


def _environment(client: Client) -> Mapping[str, str]:
    """Return the variables that stand in the entry of a program, if it has one."""
    try:
        return client.read(client.file.read_text("utf-8-sig")).environment
    except (RecollectError, OSError, UnicodeDecodeError):
        return {}


def _write(client: Client, edited: Callable[[str], str]) -> Path | None:
    """Edit the file of a program; return the copy of what it was, if it was there."""
    try:
        before = client.file.read_text("utf-8-sig") if client.file.exists() else ""
        after = edited(before)
        if after == before:
            return None
        written = after.encode()
        client.file.parent.mkdir(parents=True, exist_ok=True)
        backup = _copy(client.file) if before else None
        client.file.write_bytes(written)
    except OSError as error:
        raise STORE_UNAVAILABLE.error(
            f"{client.file} cannot be edited: {error.strerror}",
            "leave --write out, and copy the snippet",
        ) from error
    except UnicodeDecodeError as error:
        raise _unreadable(client, "UTF-8") from error
    except UnicodeEncodeError as error:
        raise INVALID_VALUE.error(
            "a path that the file would name is not UTF-8", "use another path"
        ) from error
    return backup


def _copy(file: Path) -> Path:
    """Copy a file to a name beside it that is free."""
    number = 1
    while (backup := file.with_name(f"{file.name}.backup{number}")).exists():
        number += 1
    shutil.copy2(file, backup)
    return backup


def _edited(client: Client, command: list[str], before: str) -> str:
    if client.is_toml:
        return _edited_toml(client, before, command)
    return _edited_json(client, before, command)


def _without(client: Client, before: str) -> str:
    """Return a program's file without this server, which it has."""
    if not client.is_toml:
        members = _members(client, before)
        assert isinstance(members, dict)
        del members[client.member][NAME]
        return json.dumps(members, indent=2, ensure_ascii=False) + "\n"
    wanted = tomllib.loads(before)
    del wanted[client.member][NAME]
    section = f"{client.member}.{NAME}"
    kept, is_inside = list[str](), False
    for line in before.split("\n"):
        if line.lstrip().startswith("["):
            header = line.strip()
            is_inside = header.startswith((f"[{section}]", f"[{section}."))
        if not is_inside:
            kept.append(line)
    after = "\n".join(kept).rstrip("\n") + "\n"
    if not wanted[client.member]:
        del wanted[client.member]
    if tomllib.loads(after) != wanted:
        raise CONFLICT.error(
            f"{client.file} has its [{client.member}] in a form that is not edited here",
            f"take [{section}] out of it by hand",
        )
    return after


def _edited_json(client: Client, before: str, command: list[str]) -> str:
    members = _members(client, before) if before.strip() else {}
    servers = members.setdefault(client.member, {}) if isinstance(members, dict) else None
    if not isinstance(servers, dict):
        raise _unreadable(client, "an object of servers")
    there = servers.get(NAME)
    entry = _merged(there, client.entry(command))
    if there == entry:
        return before
    servers[NAME] = entry
    return json.dumps(members, indent=2, ensure_ascii=False) + "\n"


def _members(client: Client, text: str) -> object:
    """Return what a JSON text says, where writing it again says the same to everybody."""
    try:
        orjson.loads(text)  # refuses what no number, text or depth of others can hold
        return json.loads(text, object_pairs_hook=_each_once)  # keeps whole numbers of any size
    except (ValueError, RecursionError) as error:
        raise _unreadable(client, f"JSON that is edited here: {error}") from error


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object has a key twice")
    return members


def _edited_toml(client: Client, before: str, command: list[str]) -> str:
    try:
        servers = tomllib.loads(before).get(client.member, {})
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(client, f"TOML: {error}") from error
    there = servers.get(NAME) if isinstance(servers, dict) else None
    entry = _merged(there, client.entry(command))
    if there == entry:
        return before
    snippet = client.snippet(command)
    if there is None:
        gap = "" if not before else "\n" if before.endswith("\n") else "\n\n"
        after = f"{before}{gap}{snippet}\n"
    else:
        after = _with_lines(before, snippet)
    if not _says(client, after, entry):
        raise CONFLICT.error(
            f"{client.file} has its [{client.member}] in a form that is not edited here",
            "leave --write out, and put the snippet in its place",
        )
    return after


def _merged(there: object, entry: dict[str, object]) -> dict[str, object]:
    """Return the entry with what else somebody wrote into the one that starts a command."""
    return {**there, **entry} if isinstance(there, dict) and "command" in there else entry


def _with_lines(text: str, snippet: str) -> str:
    """Return a TOML text whose section of this server has the lines of the snippet for theirs."""
    header, *lines = snippet.split("\n")
    by_key = {line.partition(" =")[0]: line for line in lines}
    edited, is_inside = [], False
    for line in text.split("\n"):
        if line.startswith("["):
            is_inside = line.strip() == header
        key = line.partition("=")[0].strip()
        edited.append(by_key.get(key, line) if is_inside else line)
    return "\n".join(edited)


def _says(client: Client, text: str, entry: dict[str, object]) -> bool:
    """Whether a TOML text is one, and starts this server by an entry."""
    try:
        return bool(tomllib.loads(text)[client.member][NAME] == entry)
    except tomllib.TOMLDecodeError:
        return False


def _unreadable(client: Client, what: str) -> RecollectError:
    return INVALID_VALUE.error(
        f"{client.file} is not {what}", "leave --write out, and copy the snippet"
    )
