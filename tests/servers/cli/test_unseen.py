"""What a terminal would obey, or what turns its neighbours, is never written to one."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli, answer

import postgres
import recollect
from recollect.kernel import parse, print_text
from recollect.servers.http.logs import LogLines

C1 = "".join(map(chr, range(0x80, 0xA0)))
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
UNSEEN = f"\x7f{C1}{BIDI}"
HOSTILE = f"a{UNSEEN}b 阿司匹林 👩‍⚕️"
TEXT = json.dumps(HOSTILE)


@pytest.fixture
def hostile(cli: Cli) -> Cli:
    """A memory in the directory whose every part is hostile."""
    text = f"""UPSERT {{
      CONCEPT @a {{ {{type: {TEXT}, name: {TEXT}}}
        SET ATTRIBUTES {{ {TEXT}: {TEXT}, list: [{TEXT}], inner: {{ {TEXT}: {TEXT} }} }}
        SET PROPOSITIONS {{ ({TEXT}, {{type: "Drug", name: {TEXT}}}) }} }}
      CONCEPT @d {{ {{type: "Drug", name: {TEXT}}} }}
    }} WITH METADATA {{ source: {TEXT} }}"""
    taught = cli("run", "-", "--db", "memory.db", input=text)
    assert taught.exit_code == 0, taught.output
    claimed = ("claim", "add", HOSTILE, "--id", "c", "-e", f"user_statement={HOSTILE}")
    assert cli(*claimed, "--tag", HOSTILE, "--domain", HOSTILE, "--actor", HOSTILE).exit_code == 0
    cli("claim", "verify", "c", "--actor", HOSTILE)
    cli("claim", "dispute", "c", "--reason", HOSTILE, "-e", f"url={HOSTILE}", "--actor", HOSTILE)
    return cli


QUESTION = f"FIND(?d, ?l) WHERE {{ ?d {{type: {TEXT}}} ?l (?d, ?p, ?o) }}"


@pytest.mark.parametrize(
    "words",
    [
        ("query", QUESTION),
        ("query", QUESTION.replace("WHERE", f"WHERE {HOSTILE}")),
        ("query", f"FIND(?x) WHERE {{ ?x {{type: {json.dumps('Drog' + UNSEEN)}}} }}"),
        ("explain", QUESTION),
        ("search", "b"),
        ("describe",),
        ("changes",),
        ("history", "--type", HOSTILE, "--name", HOSTILE),
        ("history", HOSTILE),
        ("claim",),
        ("claim", "show", "c"),
        ("claim", "show", HOSTILE),
        ("claim", "history", "c"),
        ("claim", "check", "c"),
        ("claim", HOSTILE),
        ("attention",),
        ("export", "-"),
        ("query", f"EXPORT ?d WHERE {{ ?d {{type: {TEXT}}} }}"),
        ("schema", "show"),
        ("check", "-"),
        ("duplicates", "Drug"),
        ("run", HOSTILE),
        ("query", "FIND(?x) WHERE { ?x {type: $t} }", "-p", f't="{HOSTILE}'),
        (HOSTILE,),
    ],
    ids=lambda words: " ".join(words[:2])[:20].encode("ascii", "replace").decode(),
)
def test_no_command_writes_what_a_terminal_obeys(hostile: Cli, words: tuple[str, ...]) -> None:
    told = hostile(*words, input=f"FIND(?x) WHERE {{ ?x {{type: {HOSTILE}")
    assert not {one for one in told.output if one in UNSEEN}, told.output
    assert not {one for one in told.stderr if one in UNSEEN}, told.stderr


def test_a_capsule_with_escapes_means_the_same(hostile: Cli, tmp_path: Path) -> None:
    capsule = hostile("export", "-").stdout
    assert "阿司匹林 👩‍⚕️" in capsule
    (tmp_path / "out.kip").write_text(capsule, encoding="utf-8")
    again = hostile("run", "out.kip", "--db", "again.db")
    assert again.exit_code == 0, again.output
    rows = [
        answer(hostile("query", QUESTION, "--db", one, "--json"))["result"]["rows"]
        for one in ("memory.db", "again.db")
    ]
    first, second = (
        [(cell["attributes"], cell["metadata"], cell.get("name")) for cell in row[0]]
        for row in rows
    )
    assert first == second
    with recollect.open(":memory:") as nexus:
        assert not set(print_text(parse(QUESTION))) & set(UNSEEN)
        nexus.write(capsule)


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("words", [("dump", "-"), ("export", "-", "--format", "jsonl")])
def test_what_programs_read_is_escaped_where_a_person_looks(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    command = [sys.executable, "-m", "recollect", *words, "--db", postgres.address_of("memory.db")]
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    master, slave = pty.openpty()
    with subprocess.Popen(command, cwd=tmp_path, stdout=slave, stderr=subprocess.DEVNULL) as ran:
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65_536)
            except OSError:  # the other side has closed it
                break
            if not part:
                break
            shown += part
        assert ran.wait() == 0
    os.close(master)
    text = shown.decode().replace("\r\n", "\n")
    assert not set(text) & set(UNSEEN)
    assert HOSTILE in json.dumps(
        [json.loads(one) for one in piped.splitlines()], ensure_ascii=False
    )
    assert [json.loads(one) for one in text.removesuffix("\n").split("\n")] == [
        json.loads(one) for one in piped.splitlines()
    ]


@pytest.mark.parametrize("is_json", [True, False])
def test_no_line_of_a_log_is_obeyed(is_json: bool) -> None:
    record = logging.makeLogRecord({"msg": f"x\n{HOSTILE}", "name": "n", "levelname": "INFO"})
    line = LogLines(is_json=is_json).format(record)
    assert line.isprintable()
    if is_json:
        assert json.loads(line)["event"] == f"x\n{HOSTILE}"
