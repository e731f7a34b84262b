"""What a client sends over standard input: every line is answered, and the session goes on."""

from __future__ import annotations

import json
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from threading import Timer

import pytest
from tests.servers.mcp.conftest import PROGRAM, SECONDS
from tests.servers.mcp.test_ending import INITIALIZE, message, remembering

import postgres
from recollect.faces.operations import limits
from recollect.servers.mcp.lines import Line, id_asked, next_line

MOST = limits.REQUEST_BYTES
CALL = b'{"jsonrpc": "2.0", "id": %s, "method": "tools/call", "params": {"name": "recall", %s}}'
ARGUMENTS = b'"arguments": {"question": "%s"}'


def asking(question: bytes, number: bytes = b"7") -> bytes:
    return CALL % (number, ARGUMENTS % question)


def answers(path: Path, *lines: bytes, unanswered: int = 0) -> list[dict]:
    """What a server answers to lines after a handshake, if it also answers what comes next."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "mcp", "--db", postgres.address_of(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as server:
        sent, told = server.stdin, server.stdout
        watch = Timer(SECONDS, server.kill)  # one that answers less is not waited for
        watch.start()
        assert sent is not None
        assert told is not None

        def exchange(*lines: bytes, count: int) -> list[dict]:
            sent.write(b"".join(line + b"\n" for line in lines))
            sent.flush()
            return [json.loads(told.readline()) for _ in range(count)]

        exchange(message(0, "initialize", INITIALIZE).strip().encode(), count=1)
        found = exchange(*lines, count=len(lines) - unanswered)
        (last,) = exchange(remembering(99).strip().encode(), count=1)
        assert last["id"] == 99
        assert "structuredContent" in last["result"]
        sent.close()
        watch.cancel()
    return found


def test_every_line_that_is_no_message_is_answered_and_the_session_goes_on(path: Path):
    faults = [
        (asking(rb"\ud83d"), -32700, 7, "a message is not JSON"),
        (asking(rb"half \ud83d of it", b'"a-1"'), -32700, "a-1", "a message is not JSON"),
        (asking(b"\xff"), -32700, 7, "is not UTF-8"),
        (asking(b"a" * MOST), -32600, 7, f"larger than {MOST} bytes"),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "ping",}', -32700, 8, "a message is not JSON"),
        (b"[" * 10_000, -32700, None, "recursion"),
        (b"prose", -32700, None, "a message is not JSON"),
        (b"[]", -32600, None, "not one of JSON-RPC"),
        (b'{"jsonrpc": "2.0", "id": 9}', -32600, 9, "not one of JSON-RPC"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None, "the id"),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None, "the id"),
    ]
    told = answers(path, *(line for line, *_ in faults))
    for (line, number, identifier, words), one in zip(faults, told, strict=True):
        assert one["id"] == identifier, line[:80]
        assert one["error"]["code"] == number
        assert words in one["error"]["message"]
        assert {"code", "hint", "retry"} <= one["error"]["data"].keys()


def test_half_a_character_is_told_how_to_be_written(path: Path):
    (one,) = answers(path, asking(rb"\ud83d"))
    hint = one["error"]["data"]["hint"]
    (told,) = answers(path, asking(hint.partition(": ")[2].strip('"').encode()))
    assert not told["result"]["isError"]


def test_blank_lines_and_notifications_are_not_answered(path: Path):
    note = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    assert answers(path, b"", note, b"  \t\r", unanswered=3) == []


def test_a_message_as_large_as_allowed_is_done(path: Path):
    empty = len(asking(b""))
    (told,) = answers(path, asking(b"a" * (MOST - empty)))
    assert told["result"]["isError"]  # the question is too long, and is told so as ever
    assert told["id"] == 7


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ('{"id": 3, "method": "a"', 3),
        ('{"method": "a", "params": {"id": 4, "x": [{"id": 5}]}, "id": "b"}', "b"),
        (r'{"method": "say \"id\": 9, {", "id": "\u00e9"}', "é"),
        (r'{"method": "a", "id": "\ud83d"}', None),
        ('{"method": "a", "params": {"id": 4}}', None),
        ('{"id": true, "method": "a"}', None),
        ('{"id": {"a": 1}, "method": "a"}', None),
        ('{"id": 3, "result": "x"', None),
        ('{"id": 3, "method": "a", "error": 1', 3),
        ('{"text": "it does not end, "id": 3, "method": "a"}', None),
    ],
)
def test_an_id_is_read_at_its_own_place_only(text: str, identifier: str | int | None):
    assert id_asked(Line(text.encode())) == identifier


def test_of_a_line_that_is_too_long_an_id_at_either_end_is_read():
    def asked(text: str) -> str | int | None:
        wire = BytesIO(text.encode() + b"\nnext\n")
        line = next_line(wire, 100)
        assert line is not None
        assert line.end
        assert next_line(wire, 100) == Line(b"next\n")
        assert next_line(wire, 100) is None
        return id_asked(line)

    many = "b" * 200_000
    assert asked(f'{{"id": 1, "method": "{many}"}}') == 1
    assert asked(f'{{"method": "a", "params": "{many}", "jsonrpc": "2.0", "id": "z"}}') == "z"
    assert asked(f'{{"method": "a", "params": {{"many": "{many}", "id": 5}}}}') is None
    assert asked(f'{{"result": "{many}", "id": 5}}') is None


def test_a_line_of_the_most_bytes_is_whole_with_or_without_its_end():
    assert next_line(BytesIO(b"abc\n"), 3) == Line(b"abc\n")
    assert next_line(BytesIO(b"abc"), 3) == Line(b"abc")
    assert next_line(BytesIO(b"abcd"), 3) == Line(b"abcd", b"abcd")
