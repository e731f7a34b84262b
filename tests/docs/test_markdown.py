"""Every example of every Markdown page runs, in the order of the page, and prints what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.forms import is_form
from tests.docs.pages import PAGES, ROOT, blocks, commands, name_of
from tests.docs.prepared import PREPARED
from tests.docs.reader import Reader, assert_shown, is_as_shown
from tests.docs.terminal import Terminal, is_plain

RUN = {"python", "pycon", "sh", "console", "kip", "json", "toml", "ini"}
NOT_CODE = {"text"}
SHOWN_ONLY = {
    "javascript": "an extension of VS Code, which runs in VS Code alone",
    "lua": "the configuration of Neovim, which runs in Neovim alone",
}
NOT_RUN = {
    ".venv/bin/": "work on Recollect itself; CI does the same through make",
    "make ": "CI runs the targets; that each exists is tested below",
    "pip install ": "needs the network, and would change the environment of the tests",
    "recollect demo": "takes a minute: tests/servers/cli/test_demo.py",
    "recollect lsp": "speaks to an editor until that ends: tests/servers/lsp",
    "recollect mcp --http": "serves until it is told to stop: tests/servers/mcp/test_http.py",
    "recollect serve memory.db --host 0.0.0.0": "listens to the network: tests/servers/http/test_process.py",
    "recollect studio": "serves until it is told to stop: tests/servers/studio/test_command.py",
    "curl -N": "a stream does not end: tests/servers/http/test_events.py",
    "recollect reindex": "asks an endpoint for vectors: tests/servers/cli/test_reindex.py",
}
"""Commands that begin so are not run, and why. Everything else is."""


@pytest.mark.parametrize("page", [one for one in PAGES if any(blocks(one))], ids=name_of)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    PREPARED.get(name_of(page), lambda _: None)(tmp_path)
    Reader(page, tmp_path, NOT_RUN).follow()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_block_of_a_page_is_in_a_language_that_nobody_runs(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= RUN | NOT_CODE | SHOWN_ONLY.keys()


def test_what_is_not_run_is_there() -> None:
    every = [block for page in PAGES for block in blocks(page)]
    assert SHOWN_ONLY.keys() <= {block.language for block in every}
    lines = [
        command.text
        for block in every
        if block.language in {"sh", "console"}
        for command in commands(block)
    ]
    assert [one for one in NOT_RUN if not any(line.startswith(one) for line in lines)] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    named = re.findall(r"(?:`|^)make ([a-z]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```pycon\n>>> 1 + 1\n3\n```", "Expected:\n    3"),
        ("```python\nassert False, 'no'\n```", "no"),
        ("```console\n$ recollect run - < /dev/null\n$ recollect check x.kip\n```", "KIP_1001"),
        ("```console\n$ recollect where\nsomewhere else\n```", "recollect where"),
        ("```console\n$ cat nothing.kip | recollect run -\n```", "No such file"),
        ("```console\n$ recollect claim show ID\n```", "say it whole"),
        ('```kip\nFIND(?d) WHERE { ?d {type: "Drug"} }\n```', "unknown_type"),
        ('```kip\n// as_of: {"valid": "2024"}\nDESCRIBE PRIMER\n```', "a comment sets nothing"),
        ('```kip\nSEARCH CONCEPT "Ann"\n```\n\n```text\nname\n----\nAnn\n```', "nothing found"),
        ('```json\n{"name": "recall", "arguments": {"question": 1}}\n```', "question"),
    ],
)
def test_an_example_that_does_not_hold_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(text + "\n")
    with pytest.raises(AssertionError) as caught:
        Reader(page, tmp_path, {}).follow()
    assert problem in str(caught.value)


def test_a_terminal_keeps_what_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    terminal = Terminal(tmp_path)
    assert terminal.run("export RECOLLECT_DB=here.db").output == ""
    assert terminal.run("PLACE=$(recollect where --json)").code == 0
    assert "here.db" in terminal.run('echo "$PLACE"').output


@pytest.mark.parametrize(
    ("command", "plain", "form"),
    [
        ("recollect query 'FIND(?d) WHERE { ?d {type: \"Drug\"} }' -p drug=Aspirin", True, False),
        ("recollect claim show $ID", False, False),
        ("recollect dump --all | gzip > memory.jsonl.gz", False, False),
        ("recollect claim show ID", True, True),
        ("recollect init [DATABASE]", True, True),
        ("export RECOLLECT_EMBEDDER=http", False, False),
    ],
)
def test_a_command_is_told_from_a_form(command: str, plain: bool, form: bool) -> None:
    assert (is_plain(command), is_form(command)) == (plain, form)


def test_what_is_left_out_of_an_answer_is_not_compared() -> None:
    assert is_as_shown("one\n...\nthree\n", "one\ntwo\nthree  \n")
    assert_shown({"a": 1, "b": [2]}, {"a": 1, "…": "…"})
    with pytest.raises(AssertionError):
        assert_shown({"a": 1, "b": [2]}, {"a": 1})
