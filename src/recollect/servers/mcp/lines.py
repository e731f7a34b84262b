"""The messages of a client: over standard input one a line, over HTTP one a body.

The rule: every line is answered. One that is no message is answered with an error under the id
that can be read in it, and the session goes on. Of a line that is too long only its ends are kept.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any, BinaryIO, Final, Protocol

import anyio
import mcp_types as types
from anyio import to_thread
from anyio.abc import ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from recollect.errors import INVALID_ARGUMENT, LIMIT_EXCEEDED, Code, RecollectError
from recollect.faces.operations import limits
from recollect.node import dataclass

_END: Final = 1_024  # bytes of the end of a line that is too long
_PART: Final = 2**16

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
_LAST_ID: Final = re.compile(r',\s*"id"\s*:\s*(-?\d+|"[^"\\]*")\s*\}\s*$')

_UTF_8: Final = "send JSON in UTF-8, one message a line"
_WHOLE: Final = r'write the character itself, or both its halves: "\ud83d\ude00"'

_Incoming = SessionMessage | Exception  # what the library's server reads
_Send = Callable[[SessionMessage], Awaitable[None]]


class Wire(Protocol):
    """What lines are read from."""

    def readline(self, size: int, /) -> bytes:
        """Return a line, or as much of it as `size` bytes hold; nothing after the last."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line; of one that is too long the beginning and the end, else the end is empty."""

    beginning: bytes
    end: bytes = b""


async def serve_lines(server: Server[Any]) -> None:
    """Serve one client over standard input and output, until it closes them."""
    nothing = anyio.wrap_file(StringIO())  # the library drops a line that is no message
    with _own_input() as wire:
        async with stdio_server(stdin=nothing) as (unused, outgoing):
            await unused.aclose()
            into, incoming = anyio.create_memory_object_stream[_Incoming](0)
            async with anyio.create_task_group() as beside:
                beside.start_soon(_read, wire, into, outgoing.send)
                await server.run(incoming, outgoing, server.create_initialization_options())


def refusal(line: Line, fault: MCPError) -> types.JSONRPCError:
    """Return what is answered to a line that is no message."""
    return types.JSONRPCError(jsonrpc="2.0", id=id_asked(line), error=fault.error)


async def _read(wire: Wire, into: ObjectSendStream[_Incoming], answer: _Send) -> None:
    """Hand on every message, and answer every other line."""
    try:
        async with into:
            while (line := await to_thread.run_sync(next_line, wire)) is not None:
                try:
                    message = message_in(line)
                except MCPError as fault:
                    await answer(SessionMessage(refusal(line, fault)))
                    continue
                if message is not None:
                    await into.send(SessionMessage(message))
    except (anyio.ClosedResourceError, anyio.BrokenResourceError):
        return  # the server has ended first


def next_line(wire: Wire, most: int = limits.REQUEST_BYTES) -> Line | None:
    """Return the next line, None after the last; of one beyond `most` bytes its ends."""
    beginning = wire.readline(most + 1)
    if len(beginning) <= most or beginning.endswith(b"\n"):
        return Line(beginning) if beginning else None
    end = beginning[-_END:]
    while not end.endswith(b"\n") and (part := wire.readline(_PART)):
        end = (end + part)[-_END:]
    return Line(beginning, end)


def message_in(line: Line) -> types.JSONRPCMessage | None:
    """Return the message of a line, None for a blank one; MCPError where it is none."""
    text = line.beginning.strip()
    if line.end:
        message = f"a message is larger than {limits.REQUEST_BYTES} bytes"
        raise _fault(types.INVALID_REQUEST, message, "send less at a time", LIMIT_EXCEEDED)
    if not text:
        return None
    try:
        text.decode()
        found = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} of a message is not UTF-8"
        raise _fault(types.PARSE_ERROR, message, _UTF_8) from error
    except ValidationError as error:
        raise _misread(error) from error
    if isinstance(found, types.JSONRPCNotification) and "id" in _members(text.decode()):
        raise _no_message("the id of a message is neither a text nor a whole number")
    return found


def id_asked(line: Line) -> types.RequestId | None:
    """Return the id under which a line asks for something, if one can be read in it."""
    members = _members(line.beginning.decode(errors="replace"))
    if "method" not in members and members.keys() & {"result", "error"}:
        return None  # it answers, and its id is one of ours
    written = members.get("id")
    if not written and (last := _LAST_ID.search(line.end.decode(errors="replace"))):
        written = last[1]
    try:
        value = json.loads(written or "null")
        str(value).encode()
    except ValueError:  # not JSON, or half a character
        return None
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


def _members(text: str) -> dict[str, str]:
    """Return the members of the outer object as far as it can be read, each with its first word."""
    found: dict[str, str] = {}
    depth, key, before = 0, "", ""
    for token in _TOKEN.findall(text):
        if token == '"':
            break  # a text that does not end
        if depth == 1:
            if before == ":":
                found[key] = token
            elif token == ":":
                key = before[1:-1]
                found[key] = ""
        if token in ("{", "["):
            depth += 1
        elif token in ("}", "]"):
            depth -= 1
        before = token
    return found


def _misread(error: ValidationError) -> MCPError:
    """Return the fault of a text that is not JSON, or not a message."""
    (first, *_) = error.errors(include_url=False)
    if first["type"] != "json_invalid":
        return _no_message("a message is not one of JSON-RPC")
    message = f"a message is not JSON: {first['ctx']['error']}"
    is_half = "escape" in first["ctx"]["error"]
    return _fault(types.PARSE_ERROR, message, _WHOLE if is_half else _UTF_8)


def _no_message(message: str) -> MCPError:
    hint = 'send it like {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    return _fault(types.INVALID_REQUEST, message, hint)


def _fault(number: int, message: str, hint: str, code: Code = INVALID_ARGUMENT) -> MCPError:
    told = RecollectError(code, message, hint=hint)
    return MCPError(number, f"{code.code}: {message}", told.to_wire())


@contextmanager
def _own_input() -> Iterator[BinaryIO]:
    """Yield standard input for this server alone: what it starts finds nothing there."""
    private = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    try:
        # A thread may still wait for it at the end, so it is not closed.
        yield os.fdopen(private, "rb", closefd=False)
    finally:
        os.dup2(private, 0)
