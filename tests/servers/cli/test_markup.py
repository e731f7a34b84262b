"""Knowing Markup at a terminal: trees shown, changed, converted, asked about and run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

LION = "- ID: new-1 [created]\n  Label: Lion\n  - ID: new-2 [created]\n    Label: Mane\n"
NOTHING = "Context: command\nResponse: no-data-available\n"


class Script:
    """A chat endpoint that answers by a script."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, str, str]] = []  # status, text, finish_reason
        self.asked: list[dict] = []
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                script.asked.append(
                    json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                )
                status, text, finish = script.answers.pop(0)
                message = {"role": "assistant", "content": text}
                choice = {"index": 0, "message": message, "finish_reason": finish}
                body = json.dumps(
                    {
                        "id": "c",
                        "object": "chat.completion",
                        "created": 1,
                        "model": "m",
                        "choices": [choice],
                    }
                ).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)


@pytest.fixture
def endpoint(monkeypatch) -> Iterator[Script]:
    script = Script()
    thread = threading.Thread(target=script.server.serve_forever, args=(0.01,))
    thread.start()
    monkeypatch.setenv("RECOLLECT_LLM_MODEL", "m")
    monkeypatch.setenv("RECOLLECT_LLM_KEY", "secret-key")
    monkeypatch.setenv("RECOLLECT_LLM_URL", f"http://127.0.0.1:{script.server.server_port}/v1")
    yield script
    script.server.shutdown()
    thread.join()
    script.server.server_close()


@pytest.fixture
def zoo(cli):
    assert cli("markup", "apply", "-", input=LION).exit_code == 0


def told(result) -> dict:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["result"]


@pytest.mark.parametrize("command", ["apply", "load", "import"])
def test_a_dry_run_shows_what_would_change_and_makes_no_memory(cli, command):
    Path("lion.md").write_text("- Lion\n" if command == "import" else LION)
    told = cli("markup", command, "lion.md", "--dry-run", "--db", "new.db")
    assert 'created 1 "Lion" in main' in told.stdout
    assert "nothing was kept" in told.stdout
    assert not Path("new.db").exists()


def test_a_text_that_is_not_there_or_not_read_is_named(cli):
    assert "name a text of Knowing Markup" in cli("markup", "check", "none.km").stderr
    Path("bad.km").write_text("- Lion")
    assert "bad.km: " in cli("markup", "fmt", "bad.km").stderr


def test_a_dry_run_of_a_question_makes_no_memory(cli, endpoint):
    endpoint.answers = [(200, NOTHING, "stop")]
    assert cli("markup", "ask", "Why?", "--dry-run", "--db", "new.db").exit_code == 0
    assert not Path("new.db").exists()


def test_a_tree_is_applied_shown_and_listed(cli):
    done = cli("markup", "apply", "-", input=LION)
    assert 'created 1 "Lion" in main' in done.stdout
    assert "transaction 1" in done.stdout
    assert cli("markup", "show", "1").stdout == (
        "---\n- BRANCH ID: 1\n  Label: Lion\n  - ID: 2\n    Label: Mane\n"
    )
    assert told(cli("markup", "spaces", "--json")) == {
        "spaces": [{"id": "main", "kind": "CONCEPTUAL SPACE", "label": "Main"}]
    }


@pytest.mark.usefixtures("zoo")
def test_a_diff_and_a_dry_run_keep_nothing(cli):
    for command in (("diff", "-"), ("apply", "-", "--dry-run"), ("load", "-", "--dry-run")):
        result = told(cli("markup", *command, "--json", input=LION))
        assert result["is_dry_run"]
        assert result["transaction"] is None
    assert "Lion" not in cli("markup", "show", "--transaction", "0").stdout
    assert cli("markup", "show", "--depth", "1").stdout.count("- ID:") == 1


def test_faults_are_told_on_standard_error_with_exit_code_1(cli):
    for command in ("check", "apply", "load", "fmt"):
        failed = cli("markup", command, "-", input="- ID: 1 [new]\n")
        assert failed.exit_code == 1
        assert "KM_1006" in failed.stderr
    assert cli("markup", "check", "-", input=LION).exit_code == 0
    files = json.loads(cli("markup", "check", "-", "--json", input="- Node").stdout)["result"][
        "files"
    ]
    assert files[0]["diagnostics"][0]["code"] == "KM_1003"


def test_texts_are_formatted_in_their_files(cli, tmp_path):
    file = tmp_path / "a.km"
    file.write_text("- ID:   1\n     Label:   x\n")
    assert cli("markup", "fmt", str(file), "--check").exit_code == 1
    assert cli("markup", "fmt", str(file)).exit_code == 0
    assert file.read_text() == "---\n- ID: 1\n  Label: x\n"
    assert cli("markup", "fmt", str(file), "--check").exit_code == 0


def test_outlines_come_in_and_go_out(cli, tmp_path):
    file = tmp_path / "zoo.md"
    file.write_text("# Zoo\n- Owl\n")
    assert "Owl" in cli("markup", "import", str(file)).stdout
    assert "** Zoo\n*** Owl" in cli("markup", "export", "--format", "org").stdout
    assert cli("markup", "import", "-", input="x").exit_code == 1


@pytest.mark.usefixtures("zoo")
def test_an_outline_with_ids_comes_into_another_memory(cli, tmp_path):
    file = tmp_path / "zoo.json"
    file.write_text(cli("markup", "export", "--format", "json").stdout)
    there = ("--db", str(tmp_path / "other.db"))
    refused = cli("markup", "import", str(file), *there)
    assert "KM_3001" in refused.stderr
    assert "add --ids keep" in refused.stderr
    assert 'created 1 "Lion"' in cli("markup", "import", str(file), "--ids", "keep", *there).stdout
    shown = cli("markup", "show", *there).stdout
    assert shown == cli("markup", "show").stdout
    fresh = told(cli("markup", "import", str(file), "--ids", "fresh", "--json", *there))
    assert fresh["ids"].keys() == {"main", "1", "2"}
    assert cli("markup", "import", str(file), "--ids", "keep", "--target", "1").exit_code == 1


def test_a_dry_run_makes_no_memory(cli, tmp_path):
    there = tmp_path / "other.db"
    for command in ("load", "apply", "import"):
        cli("markup", command, "-", "--dry-run", "--db", str(there), input=LION)
        assert not there.exists()


@pytest.mark.usefixtures("zoo")
@pytest.mark.parametrize("command", ["apply", "diff"])
def test_all_faults_are_told_with_their_places(cli, command):
    text = "- ID: 1 [updated]\n  Colour: tan\n- ID: 9\n- ID: 8 [created]\n"
    failed = cli("markup", command, "-", input=text)
    assert failed.exit_code == 1
    for code, line in (("KM_1011", 2), ("KM_3001", 3), ("KM_3002", 4)):
        told = failed.stderr.partition(code)[2]
        assert told.partition("|")[0].split()[-1] == str(line), failed.stderr
    assert "pass --extra-fields" in failed.stderr


@pytest.mark.usefixtures("zoo")
def test_hints_are_options_and_commands(cli):
    assert "recollect markup show" in cli("markup", "show", "77").stderr
    assert "recollect markup runs" in cli("markup", "run", "77").stderr


@pytest.mark.usefixtures("zoo")
def test_a_model_is_asked_with_the_card_and_the_request_and_a_wrong_id_is_mended(cli, endpoint):
    text = "Context: command\nResponse: data\nData:\n- ID: {} [created]\n  Label: Eating\n"
    endpoint.answers = [
        (200, text.format("99"), "stop"),
        (200, f"Sure!\n```\n{text.format('new-1')}```", "stop"),
    ]
    done = told(cli("markup", "ask", "What do lions eat?", "--root", "1", "--json"))
    assert (done["outcome"], done["attempts"]) == ("data", 2)
    first, second = endpoint.asked
    assert first["messages"][0]["content"].startswith("# Knowing Markup")
    assert first["messages"][-1]["content"] == done["request"]
    assert "response_format" not in first
    assert "KM_3002" in second["messages"][-1]["content"]
    assert "Eating" in cli("markup", "show").stdout


@pytest.mark.usefixtures("zoo")
def test_an_answer_that_was_cut_and_a_service_that_fails_are_attempts(cli, endpoint):
    endpoint.answers = [(200, "Context: comm", "length"), (500, "", "stop"), (200, NOTHING, "stop")]
    assert cli("markup", "ask", "What?").stdout == "no-data-available\n"
    endpoint.answers = [(401, "", "stop")]
    failed = cli("markup", "ask", "What?")
    assert failed.exit_code == 1
    assert "UNAVAILABLE" in failed.stderr
    assert "secret-key" not in failed.output
    assert len(endpoint.asked) == 4


@pytest.mark.usefixtures("zoo")
def test_a_workflow_is_started_answered_and_listed(cli):
    assert (
        cli(
            "markup", "load", "-", input="- WORKFLOW ID: w\n  - ID: s\n    Label: Do it\n"
        ).exit_code
        == 0
    )
    run = told(cli("markup", "start", "w", "--json"))
    assert "Do it" in run["request"]
    assert "waiting, step 1 of 1" in cli("markup", "run", run["id"]).stdout
    answer = "Context: workflow\nResponse: Finished workflow\n"
    assert "finished" in cli("markup", "reply", run["id"], "-", input=answer).stdout
    assert told(cli("markup", "runs", "--json"))["runs"][0]["state"] == "finished"
    assert cli("markup", "run", run["id"], "skip").exit_code == 1


def test_functions_are_named_by_where_they_are(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools_of_mine.py").write_text(
        "from recollect.faces.markup import Functions\nFUNCTIONS = Functions()\nOTHER = 1\n"
    )
    for place, says in (
        ("none:X", "cannot be imported"),
        ("tools_of_mine:OTHER", "is no"),
        ("x", "names no"),
    ):
        failed = cli("markup", "reply", "r", "-", "--functions", place, input="x")
        assert failed.exit_code == 1
        assert says in failed.stderr
    failed = cli("markup", "reply", "r", "-", "--functions", "tools_of_mine:FUNCTIONS", input="x")
    assert "KM_3001" in failed.stderr


def test_the_card_is_printed(cli):
    assert cli("markup", "card").stdout.startswith("# Knowing Markup")
