"""The commands that take in the files of other programs, and write for them."""

from __future__ import annotations

import json
import os
import pty
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests.servers.cli.conftest import Cli, answer

import postgres
import recollect
from behind import COPIES

SOURCES = Path(recollect.__file__).parents[1]
TABLE = "subject,predicate,object\nAnn,works_at,Acme\nBob,works_at,Acme\n"
WHO = 'FIND(?a.name) WHERE { (?a, "works_at", ?b) } ORDER BY ?a.name'


def reports(cli: Cli, *words: str, **more: str) -> list[dict]:
    return answer(cli("import", *words, "--json", **more))["result"]["files"]


def test_a_dry_run_reports_and_leaves_no_memory(cli: Cli):
    Path("t.csv").write_text(TABLE)
    told = cli("import", "t.csv", "--dry-run", "--db", "new.db")
    assert told.exit_code == 0
    assert "t.csv (csv): 2 records, 5 would be created, 0 would be updated" in told.stdout
    assert not Path("new.db").exists()
    (dry,) = reports(cli, "t.csv", "--dry-run", "--db", "new.db")
    (done,) = reports(cli, "t.csv", "--db", "new.db")
    assert {**dry, "dry_run": False} == done
    (again,) = reports(cli, "t.csv", "--dry-run", "--db", "new.db")
    assert (again["created"], again["updated"], again["links"][0]["is_new"]) == (0, 0, False)


def test_a_dry_run_of_several_files_reports_what_the_import_after_it_reports(cli: Cli, memory: str):
    Path("a.kip").write_text('UPSERT { CONCEPT @a { {type: "T", name: "a"} } }')
    link = 'UPSERT { PROPOSITION @l { ({type: "T", name: "a"}, "is", {type: "T", name: "a"}) } }'
    Path("b.kip").write_text(link)
    Path("t.csv").write_text(TABLE)
    Path("u.csv").write_text(TABLE.replace("Bob", "Cid"))
    for db in ("new.db", memory):
        files = ("a.kip", "b.kip", "t.csv", "u.csv", "--db", db)
        dry = reports(cli, *files, "--dry-run")
        assert [one["created"] for one in dry] == [1, 1, 5, 2]
        assert reports(cli, *files, "--dry-run") == dry
        assert [{**one, "dry_run": False} for one in dry] == reports(cli, *files)


def test_a_file_is_whole_or_not_at_all_and_says_which_line_is_bad(cli: Cli):
    Path("good.csv").write_text(TABLE)
    Path("bad.csv").write_text(f"{TABLE}Eve,,Acme\n")
    refused = cli("import", "good.csv", "bad.csv", "--db", "new.db")
    assert refused.exit_code == 1
    assert "good.csv (csv): 2 records, 5 created" in refused.stdout
    assert "bad.csv: line 4 cannot be imported: predicate is missing" in refused.stderr
    assert "add --skip-bad" in refused.stderr
    error = answer(cli("import", "good.csv", "bad.csv", "--db", "json.db", "--json"))["error"]
    assert [one["line"] for one in error["details"]["lines"]] == [4]
    (came_in,) = error["details"]["files"]
    assert (came_in["path"], came_in["created"]) == ("good.csv", 5)
    left = cli("import", "bad.csv", "--skip-bad", "--db", "new.db")
    assert left.exit_code == 0
    assert "1 record left out: predicate is missing or blank (line 4)" in left.stderr
    alone = cli("import", "bad.csv", "--db", "other.db")
    assert alone.exit_code == 1
    assert not Path("other.db").exists()


def test_standard_input_is_taken_in_with_a_source_and_a_type(cli: Cli):
    words = ("-", "--db", "new.db", "--source", "HR", "--type", "Person", "--format", "csv")
    (report,) = reports(cli, *words, input=TABLE)
    assert (report["path"], report["source"]) == ("standard input", "HR")
    assert [one["name"] for one in report["concepts"]] == ["Person"]
    found = answer(cli("query", WHO, "--db", "new.db", "--json"))["result"]["rows"]
    assert found == [["Ann"], ["Bob"]]


@pytest.mark.parametrize("format", ["jsonl", "turtle", "ntriples"])
def test_what_is_written_is_read_by_another_memory(cli: Cli, memory: str, format: str):
    written = answer(cli("export", "out", "--format", format, "--db", memory, "--json"))
    assert written == {"result": {"path": "out", "elements": 4}}
    piped = cli("export", "--format", format, "--db", memory).stdout_bytes
    assert piped == Path("out").read_bytes()
    (report,) = reports(cli, "out", "--format", format, "--db", "new.db")
    assert report["created"] == 4
    (again,) = reports(cli, "out", "--format", format, "--db", "new.db")
    assert (again["created"], again["updated"]) == (0, 0)
    refused = cli("export", "out", "--format", format, "--db", memory)
    assert "nothing is overwritten" in refused.stderr
    assert Path("out").read_bytes() == piped


def test_an_export_that_fails_leaves_no_file(cli: Cli, memory: str):
    for words in (("--query", "FIND(?x) WHERE { }"), ("--valid", "soon")):
        assert cli("export", "out", "--format", "jsonl", "--db", memory, *words).exit_code == 1
        assert not Path("out").exists()


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("export", ("--format", "kip")),
        ("export", ("--format", "jsonl")),
        ("dump", ()),
        pytest.param("backup", (), marks=COPIES),
    ],
)
def test_what_there_is_no_space_for_leaves_no_file(cli: Cli, command: str, more: tuple[str, ...]):
    text = "".join(f'CONCEPT @c{n} {{ {{type: "T", name: "{n:0999}"}} }} ' for n in range(2_000))
    assert cli("run", "-", "--db", "m.db", input=f"UPSERT {{ {text} }}").exit_code == 0
    program = "from recollect.servers.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, command, "out", *more, "--db", postgres.address_of("m.db")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("STORE_UNAVAILABLE: out cannot be written: ")
    assert done.stderr.count("\n") == 2  # the error and its hint
    assert [one.name for one in Path().iterdir() if one.name.startswith("out")] == []


@pytest.mark.parametrize("format", ["kip", "jsonl"])
def test_an_export_of_a_type_that_is_not_there_warns_as_a_query_does(
    cli: Cli, memory: str, format: str
):
    text = 'FIND(?d) WHERE { ?d {type: "Durg"} }'
    asked = cli("query", text, "--db", memory)
    exported = cli("export", "--query", text, "--format", format, "--db", memory)
    assert (exported.exit_code, exported.stdout) == (0, "")
    assert exported.stderr == asked.stderr
    assert '"Durg"' in exported.stderr


def test_a_strict_memory_lets_go_of_what_it_has_not_declared(cli: Cli):
    assert cli("init", "s.db", "--with", "core").exit_code == 0
    drug = 'UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }'
    assert cli("run", "-", "--db", "s.db", input=drug).exit_code == 0
    assert cli("schema", "strict", "--force", "--db", "s.db").exit_code == 0
    found = ("--query", 'FIND(?d) WHERE { ?d {type: "Drug"} }', "--db", "s.db")
    exported, erased = cli("export", *found), cli("purge", *found, "--yes")
    assert (exported.exit_code, erased.exit_code) == (0, 0)
    assert "Aspirin" in exported.stdout
    assert erased.stdout.startswith("erased from the group default: 1 concept")
    assert 'warning: the concept type "Drug" is not declared' in erased.stderr


def test_capsules_tell_how_many_links_they_leave_out(cli: Cli):
    Path("t.csv").write_text("subject,predicate,object,valid_at\nAnn,knows,Bob,2020\n")
    assert cli("import", "t.csv", "--db", "new.db").exit_code == 0
    told = cli("export", "--db", "new.db")
    assert "are left out: 1" in told.stderr
    assert "--format jsonl" in told.stderr
    lines = cli("export", "--format", "jsonl", "--db", "new.db").stdout.splitlines()
    assert [json.loads(one).get("predicate") for one in lines] == [None, None, "knows"]


@pytest.mark.parametrize("format", ["kip", "jsonl"])
def test_an_export_leaves_behind_where_merges_took_from(cli: Cli, memory: str, format: str):
    merge = """
    UPSERT { CONCEPT @a { {type: "Drug", name: "ASA"} SET PROPOSITIONS { ("eases", {type: "Symptom", name: "Headache"}) } } }
    MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Drug", name: "ASA"} ?b {type: "Drug", name: "Aspirin"} }
    """
    assert cli("run", "-", "--db", memory, input=merge).exit_code == 0
    trail = """
    FIND(?from, ?moved) WHERE {
      ?l ({name: "Aspirin"}, "eases", ?s) META(?l, "_moved_from", ?moved)
      ?d {name: "Aspirin"} META(?d, "_merged_from", ?from)
    }
    """
    ((merged, moved),) = answer(cli("query", trail, "--db", memory, "--json"))["result"]["rows"]
    assert merged == ["Drug:ASA"]
    assert moved is not None
    assert cli("export", "out", "--format", format, "--db", memory).exit_code == 0
    assert cli("import", "out", "--format", format, "--db", "new.db").exit_code == 0
    left = answer(cli("query", trail, "--db", "new.db", "--json"))["result"]["rows"]
    assert left == [[None, None]]


@pytest.mark.usefixtures("cli")
def test_the_bars_of_an_import_say_that_they_count_bytes():
    Path("x.kip").write_text('UPSERT { CONCEPT @a { {type: "Drug", name: "Aspirin"} } }')
    screen, terminal = pty.openpty()
    code = "from recollect.servers.cli import main; main()"
    words = [sys.executable, "-c", code, "import", "x.kip", "--db", "new.db"]
    environment = {"PYTHONPATH": str(SOURCES), "TERM": "xterm", "COLUMNS": "100"}
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=terminal, env=environment, check=True)
    os.close(terminal)
    drawn = os.read(screen, 2**16).decode()
    os.close(screen)
    assert "capsules, in bytes" in drawn
    assert "57/57" in drawn


def test_a_dry_run_of_a_text_makes_no_memory(cli: Cli) -> None:
    text = 'UPSERT { CONCEPT ?x { {type: "Drug", name: "Aspirin"} } }'
    for more in ([], ["--each"]):
        told = cli("run", "-", "--dry-run", *more, "--db", "new.db", input=text)
        assert told.exit_code == 0
        assert "dry run" in told.stdout
        assert not Path("new.db").exists()
