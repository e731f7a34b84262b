"""The shell at a terminal: keys, completion, history."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from tests.servers.cli.conftest import CAPSULE, DRUGS, control_c_in_a_second

import recollect
from recollect.servers.cli.output import Output
from recollect.servers.cli.shell.completion import KipCompleter, KnownNames
from recollect.servers.cli.shell.conversation import NAMES, Conversation
from recollect.servers.cli.shell.loop import converse, history_in, prompt

WORDS = KnownNames(types=("Drug", "DrugClass", 'Od"d'), predicates=("treats", "is_class_of"))


PAPER = 'UPSERT { CONCEPT @p { {type: "Paper", name: "A"} } }'


@pytest.fixture
def conversation() -> Iterator[Conversation]:
    with closing(recollect.open(":memory:")) as nexus:
        nexus.write(CAPSULE)
        yield Conversation(nexus, "default", Output(as_json=False))


def typed(conversation: Conversation, keys: str) -> list[str]:
    """Type the keys, then leave; return the texts that Enter ran."""
    history = InMemoryHistory()
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys + "\x04")
        converse(conversation, prompt(conversation, history, keyboard, DummyOutput()))
    return list(reversed(list(history.load_history_strings())))


def completed(text: str) -> list[str]:
    completer = KipCompleter(lambda: WORDS, NAMES)
    found = completer.get_completions(Document(text), CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


def test_enter_runs_a_whole_text(conversation: Conversation, capsys):
    assert typed(conversation, "DESCRIBE CONCEPT TYPES\r") == ["DESCRIBE CONCEPT TYPES"]
    assert "Symptom" in capsys.readouterr().out


@pytest.mark.parametrize("end", ["\r\r", ";\r"])
def test_an_empty_line_or_a_semicolon_sends_what_could_go_on(
    conversation: Conversation, capsys, end: str
):
    assert typed(conversation, PAPER + end) == [
        PAPER + end.rstrip("\r") + "\n" * (end.count("\r") - 1)
    ]
    assert "1 new" in capsys.readouterr().out


def test_a_whole_question_runs_at_once_though_a_clause_could_follow(
    conversation: Conversation, capsys
):
    assert typed(conversation, f"{DRUGS}\r") == [DRUGS]
    assert "Aspirin" in capsys.readouterr().out
    assert typed(conversation, f"{DRUGS}\x1b\rLIMIT 1\r") == [f"{DRUGS}\nLIMIT 1"]


def test_a_clause_may_follow_on_the_next_line(conversation: Conversation, capsys):
    lines = (
        'UPSERT {\rCONCEPT @p { {type: "Paper", name: "A"} }\r}\rWITH METADATA {source: "typed"}\r'
    )
    assert len(typed(conversation, lines)) == 1
    assert "1 new" in capsys.readouterr().out
    answer = conversation.nexus.read('FIND(?s) WHERE { ?p {type: "Paper"} META(?p, "source", ?s) }')
    assert answer.results[0].rows == [("typed",)]


def test_a_clause_that_comes_too_late_is_told_so(conversation: Conversation, capsys):
    conversation.hear('WITH METADATA {source: "typed"}')
    assert "has already run" in capsys.readouterr().err


@pytest.mark.parametrize(("word", "leaves"), [("exit", True), ("quit", True), ("help", False)])
def test_words_of_other_shells_are_understood(conversation: Conversation, capsys, word, leaves):
    typed(conversation, word + "\r")
    assert conversation.is_over is leaves
    assert ("\\describe" in capsys.readouterr().out) is not leaves


def test_control_c_stops_a_statement_and_the_prompt_returns(conversation: Conversation, capsys):
    types = " ".join(f'?v{n} {{type: "N"}}' for n in range(9))
    blocks = " ".join(f'CONCEPT @c{n} {{ {{type: "N", name: "{n}"}} }}' for n in range(20))
    conversation.nexus.write(f"UPSERT {{ {blocks} }}")
    endless = f"FIND(SUM(?v8) AS ?n) WHERE {{ {types} }};\r"
    with control_c_in_a_second():
        ran = typed(conversation, endless + "DESCRIBE CONCEPT TYPES\r")
    told = capsys.readouterr()
    assert "stopped: nothing of this statement is kept" in told.err
    assert ran[-1] == "DESCRIBE CONCEPT TYPES"
    assert "Symptom" in told.out


def test_enter_begins_a_new_line_in_a_text_that_is_not_whole(conversation: Conversation, capsys):
    ran = typed(conversation, 'FIND(?d)\rWHERE {\r?d {type: "Drug"}\r}\r')
    assert ran == ['FIND(?d)\nWHERE {\n?d {type: "Drug"}\n}']
    assert "2 rows" in capsys.readouterr().out


def test_escape_enter_always_begins_a_new_line(conversation: Conversation):
    assert typed(conversation, "DESCRIBE\x1b\rPRIMER\r") == ["DESCRIBE\nPRIMER"]


def test_an_empty_line_runs_what_is_there(conversation: Conversation, capsys):
    assert typed(conversation, "FIND(\r\r") == ["FIND(\n"]
    assert "KIP_1001" in capsys.readouterr().err


def test_control_c_drops_the_text_and_control_d_leaves(conversation: Conversation):
    assert typed(conversation, "FIND(\x03DESCRIBE PRIMER\r") == ["DESCRIBE PRIMER"]


def test_a_command_runs_at_once(conversation: Conversation):
    assert typed(conversation, "\\q\r") == ["\\q"]
    assert conversation.is_over


def test_tab_completes_a_type_of_the_memory(conversation: Conversation):
    async def type_and_wait() -> str:
        with create_pipe_input() as keyboard:
            session = prompt(conversation, InMemoryHistory(), keyboard, DummyOutput())
            asked = asyncio.create_task(session.prompt_async())
            keyboard.send_text('FIND(?s) WHERE { ?s {type: "Sym\t')
            async with asyncio.timeout(10):
                while not session.default_buffer.text.endswith("Symptom"):
                    await asyncio.sleep(0)
                keyboard.send_text('"} };\r')
                return await asked

    assert asyncio.run(type_and_wait()) == 'FIND(?s) WHERE { ?s {type: "Symptom"} };'


def test_names_are_asked_for_again_after_a_write(conversation: Conversation):
    assert conversation.vocabulary().types == ("Drug", "Symptom")
    conversation.hear('UPSERT { CONCEPT @p { {type: "Paper", name: "A"} } }')
    assert "Paper" in conversation.vocabulary().types


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FI", ["FIND"]),
        ("FIND(?x) WHERE { FI", ["FIND(?x) WHERE { FIND", "FIND(?x) WHERE { FILTER"]),
        ("\\describe type Drugc", ["\\describe type DrugClass"]),
        ("\\describe predicate tr", ["\\describe predicate treats"]),
        ("\\describe pri", ["\\describe primer"]),
        ("fin", ["FIND"]),
        (
            'FIND(?x) WHERE { ?x {type: "Dr',
            ['FIND(?x) WHERE { ?x {type: "Drug', 'FIND(?x) WHERE { ?x {type: "DrugClass'],
        ),
        ('{type: "O', ['{type: "Od\\"d']),
        ('(?x, "tr', ['(?x, "treats']),
        ('(?x, "treats" | "is', ['(?x, "treats" | "is_class_of']),
        ('SET PROPOSITIONS { ("tr', ['SET PROPOSITIONS { ("treats']),
        ('DESCRIBE CONCEPT TYPE "Drugc', ['DESCRIBE CONCEPT TYPE "DrugClass']),
        ('DESCRIBE PROPOSITION TYPE "t', ['DESCRIBE PROPOSITION TYPE "treats']),
        ('SEARCH "x" WITH TYPE "Drugc', ['SEARCH "x" WITH TYPE "DrugClass']),
        ("FIND(?drug) WHERE { ?d", ["FIND(?drug) WHERE { ?drug"]),
        ("CONCEPT @here {} @h", ["CONCEPT @here {} @here"]),
        ("\\de", ["\\describe"]),
        ('{name: "F', []),
        ("", []),
    ],
)
def test_completion_offers_what_may_come_next(text: str, expected: list[str]):
    assert completed(text) == expected


def test_the_history_is_kept_for_its_owner_only(tmp_path: Path):
    file = tmp_path / "state" / "history"
    history_in(file).append_string("DESCRIBE PRIMER")
    assert list(history_in(file).load_history_strings()) == ["DESCRIBE PRIMER"]
    assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0


def test_a_history_that_cannot_be_kept_is_no_reason_to_fail(tmp_path: Path):
    (tmp_path / "file").write_text("")
    history = history_in(tmp_path / "file" / "history")
    history.append_string("DESCRIBE PRIMER")
    assert list(history.load_history_strings()) == ["DESCRIBE PRIMER"]
