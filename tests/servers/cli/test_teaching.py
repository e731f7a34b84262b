"""init, run, stats and where: making a memory and filling it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.servers.cli.conftest import CAPSULE, DRUGS, Cli, answer

import postgres
from recollect.kernel import is_there


def test_init_creates_a_file_once(cli: Cli):
    first = answer(cli("init", "new.db", "--json"))
    again = answer(cli("init", "new.db", "--json"))
    place = postgres.address_of("new.db")
    assert first["result"] == {"path": place, "group": "default", "created": True}
    assert again["result"]["created"] is False


def test_init_without_a_name_makes_the_users_own_memory(cli: Cli, tmp_path: Path):
    made = answer(cli("init", "--json", XDG_DATA_HOME=str(tmp_path / "share")))
    path = tmp_path / "share" / "recollect" / "memory.db"
    assert made["result"]["path"] == postgres.address_of(path)
    assert is_there(made["result"]["path"])


def test_run_teaches_a_capsule_and_a_second_run_changes_nothing(cli: Cli):
    first = answer(cli("run", "-", "--db", "m.db", "--json", input=CAPSULE))["result"]
    again = answer(cli("run", "-", "--db", "m.db", "--json", input=CAPSULE))["result"]
    assert (len(first["upsert_concept_nodes"]), first["created"]) == (3, 4)
    assert (again["created"], again["updated"]) == (0, 0)


def test_run_says_in_words_what_it_did(cli: Cli):
    told = cli("run", "-", "--db", "m.db", input=CAPSULE)
    assert "remembered 3 concepts and 1 link: 4 new, 0 changed" in told.stdout
    assert told.stderr == ""


def test_run_names_what_it_had_to_skip(cli: Cli):
    text = 'UPSERT { CONCEPT @a { {type: "Drug", name: "X"} SET PROPOSITIONS { ("treats", {type: "Symptom", name: "Nothing"}) } } }'
    told = cli("run", "-", "--db", "m.db", input=text)
    assert told.exit_code == 0
    assert 'skipped ("treats", ' in told.stdout
    assert "Nothing" in told.stdout


@pytest.mark.parametrize("mode", ["statements", "commands"])
@pytest.mark.parametrize("text", ["// nothing is due", "\ufeff\n  // one\r\n\n\t// FIND two\n"])
def test_a_text_of_comments_runs_and_makes_no_memory(cli: Cli, tmp_path, mode: str, text: str):
    words = ["run", "-", "--db", "absent.db", *(["--each"] if mode == "commands" else [])]
    done = cli(*words, input=text)
    assert (done.exit_code, done.stdout) == (0, "nothing to run: the text holds only comments\n")
    assert json.loads(cli(*words, "--json", input=text).stdout) == {"result": {mode: []}}
    assert cli("check", "-", input=text).exit_code == 0
    laid_out = cli("fmt", "-", input=text).stdout_bytes.decode()
    assert laid_out == text.removeprefix("\ufeff")
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.parametrize("text", ["", " \n\t\n", "// a\nnothing"])
def test_a_text_that_holds_nothing_is_an_error_since_something_else_may_have_failed(
    cli: Cli, text: str
):
    for command in ("run", "check", "fmt"):
        assert cli(command, "-", input=text).exit_code == 1


def test_run_reads_a_file_with_a_byte_order_mark(cli: Cli):
    Path("capsule.kip").write_text("\ufeff" + CAPSULE, encoding="utf-8")
    assert cli("run", "capsule.kip", "--db", "m.db").exit_code == 0


def test_a_failing_statement_undoes_the_whole_text(cli: Cli, memory: str):
    text = 'UPSERT { CONCEPT @x { {type: "Drug", name: "New"} } } UPSERT { CONCEPT @y { {id: "absent"} } }'
    failed = cli("run", "-", "--db", memory, "--json", input=text)
    assert failed.exit_code == 1
    assert answer(failed)["error"]["code"] == "KIP_3002"
    assert len(answer(cli("query", DRUGS, "--db", memory, "--json"))["result"]["rows"]) == 2


def test_each_keeps_what_ran_before_the_failure(cli: Cli, memory: str):
    text = 'UPSERT { CONCEPT @x { {type: "Drug", name: "New"} } } UPSERT { CONCEPT @y { {id: "absent"} } } UPSERT { CONCEPT @z { {type: "Drug", name: "Never"} } }'
    failed = cli("run", "-", "--each", "--db", memory, "--json", input=text)
    assert failed.exit_code == 1
    first, second = answer(failed)["result"]["commands"]
    assert first["result"]["created"] == 1
    assert second["error"]["code"] == "KIP_3002"
    rows = answer(cli("query", DRUGS, "--db", memory, "--json"))["result"]["rows"]
    assert [row[0] for row in rows] == ["Aspirin", "Ibuprofen", "New"]


def test_each_runs_nothing_of_a_text_with_a_slip_in_its_last_line(cli: Cli, memory: str):
    text = 'UPSERT { CONCEPT @x { {type: "Drug", name: "New"} } }\nFIND('
    failed = cli("run", "-", "--each", "--db", memory, input=text)
    assert failed.exit_code == 1
    assert "KIP_1001" in failed.stderr
    assert "   2 | FIND(" in failed.stderr
    assert len(answer(cli("query", DRUGS, "--db", memory, "--json"))["result"]["rows"]) == 2


def test_an_error_under_each_points_at_the_line_of_the_file(cli: Cli, memory: str):
    text = 'UPSERT { CONCEPT @x { {type: "Drug", name: "New"} } }\n\nFIND(?ghost) WHERE { ?d {type: "Drug"} }'
    failed = cli("run", "-", "--each", "--db", memory, input=text)
    assert "   3 | FIND(?ghost)" in failed.stderr
    wire = answer(cli("run", "-", "--each", "--db", memory, "--json", input=text))
    error = wire["result"]["commands"][1]["error"]
    assert (error["line"], error["span"]["start"]) == (3, text.index("?ghost"))


def test_a_dry_run_keeps_nothing(cli: Cli):
    told = answer(cli("run", "-", "--dry-run", "--db", "m.db", "--json", input=CAPSULE))["result"]
    assert (told["created"], told["dry_run"]) == (4, True)
    assert not Path("m.db").exists()


def test_run_binds_parameters(cli: Cli):
    text = (
        'UPSERT { CONCEPT @x { {type: "Drug", name: $name} SET ATTRIBUTES { risk_level: $risk } } }'
    )
    ran = cli("run", "-", "--db", "m.db", "-p", "name=Aspirin", "--param", "risk=2", input=text)
    assert ran.exit_code == 0, ran.output
    assert answer(cli("query", DRUGS, "--db", "m.db", "--json"))["result"]["rows"] == [
        ["Aspirin", 2]
    ]


def test_a_file_that_is_not_there_is_said_to_be_missing(cli: Cli):
    failed = cli("run", "absent.kip", "--db", "m.db")
    assert failed.exit_code == 1
    assert "absent.kip: No such file" in failed.stderr
    assert not Path("m.db").exists()


def test_a_file_that_is_not_text_is_refused(cli: Cli):
    failed = cli("run", "-", "--db", "m.db", "--json", input=b"\xff\xfe\x00")
    assert failed.exit_code == 1
    assert answer(failed)["error"]["code"] == "INVALID_ARGUMENT"


def test_stats_counts_what_the_group_holds(cli: Cli, memory: str):
    counts = answer(cli("stats", memory, "--json"))["result"]
    assert (counts["concepts"], counts["links"], counts["group"]) == (3, 1, "default")
    assert "concepts" in cli("stats", memory).stdout


def test_groups_do_not_see_one_another(cli: Cli, memory: str):
    zinc = 'UPSERT { CONCEPT { {type: "Drug", name: "Zinc"} } }'
    cli("run", "-", "--db", memory, "--group", "other", input=zinc)
    other = answer(cli("stats", memory, "--group", "other", "--json"))["result"]
    assert (other["concepts"], other["group"]) == (1, "other")
    by_environment = answer(cli("stats", memory, "--json", RECOLLECT_GROUP="other"))["result"]
    assert by_environment["group"] == "other"


def test_where_tells_which_memory_and_why(cli: Cli, memory: str):
    named = answer(cli("where", "--json", RECOLLECT_DB=memory))["result"]
    assert named == {
        "path": postgres.address_of(memory),
        "reason": "named by RECOLLECT_DB",
        "exists": True,
        "group": "default",
        "recall": "words and meaning",
    }
    assert "named on the command line" in cli("where", "x.db").stdout
    Path("memory.db").touch()
    assert "found in the current directory" in cli("where").stdout


def test_where_opens_nothing(cli: Cli, tmp_path: Path):
    assert answer(cli("where", "absent.db", "--json"))["result"]["exists"] is False
    assert not (tmp_path / "absent.db").exists()
