"""The commands that copy, carry, examine and index a memory."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest
from tests.servers.cli.conftest import DRUGS, Cli, answer

import behind
from behind import COPIES

QUERY = 'FIND(?l) WHERE { ?l (?d, "treats", ?s) }'


def rows(cli: Cli, path: str | Path) -> list[list[object]]:
    return answer(cli("query", DRUGS, "--db", str(path), "--json"))["result"]["rows"]


@pytest.mark.parametrize("command", ["dump", "export"])
@pytest.mark.parametrize("path", [(), ("-",)])
def test_what_standard_output_holds_is_never_mixed_with_json(
    cli: Cli, memory: str, command: str, path: tuple[str, ...]
):
    refused = cli(command, *path, "--db", memory, "--json")
    assert refused.exit_code == 2
    assert "name one, or leave it out" in answer(refused)["error"]["message"]


@COPIES
def test_a_backup_answers_as_the_memory_does(cli: Cli, memory: str):
    report = answer(cli("backup", "copy.db", "--db", memory, "--json"))["result"]
    assert report == {"path": "copy.db", "size_bytes": Path("copy.db").stat().st_size}
    assert rows(cli, "copy.db") == rows(cli, memory)
    again = cli("backup", "copy.db", "--db", memory)
    assert again.exit_code == 1
    assert "nothing is overwritten" in again.stderr


def test_a_dump_goes_through_files_and_through_pipes(cli: Cli, memory: str):
    to_file = cli("dump", "d.jsonl", "--db", memory)
    assert to_file.exit_code == 0
    assert to_file.stdout.endswith("lines to d.jsonl\n")
    dump = Path("d.jsonl").read_bytes()
    assert cli("dump", "--db", memory).stdout_bytes == dump
    restored = answer(cli("restore", "d.jsonl", "--db", "one.db", "--json"))
    assert restored == {"result": {"groups": ["default"]}}
    assert cli("restore", "-", "--db", "two.db", input=dump).exit_code == 0
    assert rows(cli, "one.db") == rows(cli, "two.db") == rows(cli, memory)
    assert cli("dump", "-", "--db", "two.db").stdout_bytes == dump


def test_all_groups_are_dumped_when_asked_for(cli: Cli, memory: str):
    assert (
        cli(
            "run",
            "-",
            "--db",
            memory,
            "--group",
            "other",
            input='UPSERT { CONCEPT @a { {type: "T", name: "x"} } }',
        ).exit_code
        == 0
    )
    lines = cli("dump", "--all", "--db", memory).stdout.splitlines()
    groups = [json.loads(line)["group"] for line in lines if line.startswith('{"group"')]
    assert groups == ["default", "other"]
    other = cli("dump", "--group", "other", "--db", memory).stdout
    assert "Aspirin" not in other
    assert '"x"' in other


def test_what_is_no_dump_is_refused(cli: Cli, memory: str):
    for source in (memory, "absent.jsonl", "."):
        refused = cli("restore", source, "--db", "new.db")
        assert refused.exit_code == 1
        assert refused.stderr.startswith("INVALID_ARGUMENT")
    assert not Path("new.db").exists()


@COPIES
def test_a_backup_is_told_to_be_a_memory_already(cli: Cli, memory: str):
    assert cli("backup", "b 1.db", "--db", memory).exit_code == 0
    refused = cli("restore", "b 1.db", "--db", "new.db")
    assert "b 1.db is an SQLite file, not a Recollect dump" in refused.stderr
    assert "a memory already: copy it, or use it with --db 'b 1.db'" in refused.stderr
    assert not Path("new.db").exists()


def test_an_export_is_taken_in_by_another_memory(cli: Cli, memory: str):
    exported = answer(cli("export", "all.kip", "--db", memory, "--json"))
    assert exported == {"result": {"path": "all.kip", "capsules": 2 - 1}}
    taken = answer(cli("import", "all.kip", "--db", "new.db", "--json"))
    (report,) = taken["result"]["files"]
    assert (report["format"], report["created"], report["updated"]) == ("kip", 4, 0)
    assert rows(cli, "new.db") == rows(cli, memory)
    text = cli("export", "--db", "new.db").stdout_bytes
    assert text == Path("all.kip").read_bytes()
    again = cli("import", "-", "--db", "new.db", input=text)
    assert "standard input (kip): 1 record, 0 created, 0 updated" in again.stdout
    assert cli("export", "all.kip", "--db", memory).exit_code == 1
    assert Path("all.kip").read_bytes() == text


def test_an_export_of_a_query_and_of_another_time(cli: Cli, memory: str):
    part = cli("export", "--db", memory, "--query", QUERY).stdout
    assert "Aspirin" in part
    assert "Ibuprofen" not in part
    assert cli("export", "--db", memory, "--transaction", "0").stdout == ""
    named = 'FIND(?d) WHERE { ?d {type: "Drug", name: $name} }'
    one = cli("export", "--db", memory, "--query", named, "-p", "name=Ibuprofen").stdout
    assert "Ibuprofen" in one
    assert "Aspirin" not in one
    wrong = cli("export", "part.kip", "--db", memory, "--query", "FIND(?x) WHERE { }")
    assert wrong.exit_code == 1
    assert "?x" in wrong.stderr
    assert not Path("part.kip").exists()


@pytest.mark.parametrize("command", [pytest.param("backup", marks=COPIES), "dump", "export"])
def test_a_folder_that_is_not_there_is_told_how_to_make(cli: Cli, memory: str, command: str):
    failed = cli(command, "no/such/out", "--db", memory)
    assert failed.exit_code == 1
    assert "the folder no/such does not exist" in failed.stderr
    assert "hint: create it: mkdir -p no/such" in failed.stderr


@pytest.mark.parametrize(
    ("command", "name"),
    [pytest.param("backup", "memory.db", marks=COPIES), ("dump", "memory.jsonl")],
)
def test_a_folder_in_the_place_of_a_file_is_told_with_a_fitting_name(
    cli: Cli, memory: str, command: str, name: str
):
    Path("kept").mkdir()
    failed = cli(command, "kept", "--db", memory)
    assert failed.exit_code == 1
    assert "kept is a folder, not a file" in failed.stderr
    assert f"hint: use kept/{name}" in failed.stderr


def test_an_import_that_fails_says_what_came_in(cli: Cli):
    Path("good.kip").write_text('UPSERT { CONCEPT @a { {type: "T", name: "a"} } }')
    Path("bad.kip").write_text("UPSERT { CONCEPT }")
    failed = cli("import", "good.kip", "bad.kip", "--db", "new.db")
    assert failed.exit_code == 1
    assert "good.kip (kip): 1 record, 1 created" in failed.stdout
    assert failed.stderr.startswith("KIP_1001")
    absent = cli("import", "absent.kip", "--db", "new.db", "--json")
    assert answer(absent)["error"]["code"] == "INVALID_ARGUMENT"
    Path("latin.kip").write_bytes(b"\xff")
    assert "not UTF-8" in cli("import", "latin.kip", "--db", "new.db").stderr


def test_what_begins_like_no_dump_is_called_so(cli: Cli):
    Path("capsule.kip").write_text("UPSERT { }")
    Path("other.jsonl").write_text('{"a": 1}\n')
    told = cli("restore", "capsule.kip", "--db", "new.db").stderr
    assert "capsule.kip is not a Recollect dump" in told
    told = cli("restore", "other.jsonl", "--db", "new.db").stderr
    assert "other.jsonl is not a Recollect dump" in told
    assert not Path("new.db").exists()
    piped = cli("restore", "-", "--db", "new.db", input="hello\n").stderr
    assert "standard input is not a Recollect dump" in piped


def test_an_import_of_nothing_tells_only_why(cli: Cli):
    failed = cli("import", "nothere.kip", "--db", "new.db")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert "nothere.kip: No such file" in failed.stderr


def test_a_text_that_is_no_capsule_is_not_imported(cli: Cli, memory: str):
    text = 'DELETE CONCEPT {type: "Drug", name: "Aspirin"} DETACH'
    refused = cli("import", "-", "--db", memory, input=text)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("KIP_1001")
    assert "hint: recollect run" in refused.stderr
    assert len(rows(cli, memory)) == 2


def test_the_doctor_finds_and_mends(cli: Cli, memory: str):
    well = answer(cli("doctor", memory, "--json"))["result"]
    assert well == {
        "groups": 1,
        "elements": 4,
        "findings": [],
        "is_optimised": False,
        "counting": [],
        "engine": well["engine"],  # a server says how it is set
        "is_well": True,
        "recall": "words and meaning",
        "both_hold": [],
    }
    behind.tampered(memory, "UPDATE tally SET count = 9")
    ill = cli("doctor", memory)
    assert ill.exit_code == 1
    assert "counts in the group default" in ill.stdout
    assert "doctor --fix" in ill.stdout
    mended = cli("doctor", memory, "--fix")
    assert mended.exit_code == 0
    assert "mended: counts" in mended.stdout
    again = cli("doctor", memory).stdout
    assert again.endswith(
        "all is well: looked at 4 elements of 1 group\nrecall compares words and meaning\n"
    )


def test_the_doctor_sends_to_a_backup_when_nothing_is_left_to_mend(cli: Cli, memory: str):
    behind.tampered(memory, "DELETE FROM tx")
    behind.tampered(memory, "UPDATE tally SET count = 9")
    assert "recollect doctor --fix" in cli("doctor", memory).stdout
    for more in (["--fix"], []):
        told = cli("doctor", memory, *more)
        assert told.exit_code == 1
        assert "doctor --fix" not in told.stdout
        assert "recollect restore DUMP" in told.stdout


@pytest.mark.sqlite_only("damages pages of a file")
def test_the_doctor_opens_what_all_else_refuses(cli: Cli, memory: str):
    connection = apsw.Connection(memory)
    size = connection.pragma("page_size")
    page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'link_in'").get
    connection.close()
    with Path(memory).open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    refused = cli("query", DRUGS, "--db", memory)
    assert refused.exit_code == 1
    assert "hint: see what is broken: recollect doctor" in refused.stderr
    told = cli("doctor", memory)
    assert told.exit_code == 1
    assert "not all is well" in told.stdout


def test_indexes_are_listed_added_and_dropped(cli: Cli, memory: str):
    assert cli("index", "--db", memory).stdout == "no indexes\n"
    index = {"type": "Drug", "attribute": "risk_level"}
    added = answer(cli("index", "add", "Drug.risk_level", "--db", memory, "--json"))
    assert added == {"result": {"indexes": [index]}}
    assert cli("index", "list", "--db", memory).stdout == "Drug.risk_level\n"
    assert rows(cli, memory)
    assert "use Drug.risk_level" in cli("index", "drop", "Drug.risk_lvl", "--db", memory).stderr
    assert cli("index", "drop", "Drug.risk_level", "--db", memory).stdout == "no indexes\n"
    assert cli("index", "add", "risk_level", "--db", memory).exit_code == 2
    assert cli("index", "add", "--db", memory).exit_code == 2
    assert cli("index", "list", "Drug.x", "--db", memory).exit_code == 2


@pytest.mark.parametrize(
    ("written", "type_", "attribute"),
    [
        ('Drug."half life"', "Drug", "half life"),
        ('Drug."a.b"', "Drug", "a.b"),
        ('"Drug 2.0"."say \\"hi\\" \\\\"', "Drug 2.0", 'say "hi" \\'),
        ("Drug.risk-level", "Drug", "risk-level"),
    ],
)
def test_an_index_is_named_in_quotes_where_a_name_needs_them(
    cli: Cli, memory: str, written: str, type_: str, attribute: str
):
    added = answer(cli("index", "add", written, "--db", memory, "--json"))["result"]
    assert added == {"indexes": [{"type": type_, "attribute": attribute}]}
    assert cli("index", "--db", memory).stdout == f"{written}\n"
    assert cli("index", "drop", written, "--db", memory).stdout == "no indexes\n"


@pytest.mark.parametrize(
    "written", ["Drug.a.b", 'Drug."a', 'Drug.a"b"', 'Drug."a\\q"', 'Drug."a"b', '"Drug"']
)
def test_an_index_whose_name_is_not_clear_is_refused(cli: Cli, memory: str, written: str):
    refused = cli("index", "add", written, "--db", memory)
    assert refused.exit_code == 2
    assert "write it like" in refused.stderr
    assert cli("index", "--db", memory).stdout == "no indexes\n"


def test_an_index_of_a_type_that_is_not_there_is_added_with_a_warning(cli: Cli, memory: str):
    added = cli("index", "add", "Durg.risk_level", "--db", memory)
    assert (added.exit_code, added.stdout) == (0, "Durg.risk_level\n")
    assert added.stderr == 'warning: no concept type is named "Durg" (use "Drug")\n'
    assert cli("index", "add", "Drug.risk_level", "--db", memory).stderr == ""
    assert cli("index", "add", "Drug.x", "--db", "new.db").stderr.startswith("warning: ")


def test_only_a_near_index_is_proposed_where_there_is_no_such(cli: Cli, memory: str):
    assert cli("index", "add", "Drug.risk_level", "--db", memory).exit_code == 0
    for far in ("Drug.nope", "Drug.risk", "Symptom.risk_level"):
        assert "hint: list them" in cli("index", "drop", far, "--db", memory).stderr
    for near in ("Drug.risk_lvl", "Drugs.risk_level", "drug.Risk_level"):
        assert "hint: use Drug.risk_level" in cli("index", "drop", near, "--db", memory).stderr
