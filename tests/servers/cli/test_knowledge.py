"""Knowledge at a terminal: load, ingest, retrieve, provide, add, show, list, remove."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.endpoint import serving
from tests.faces.knowledge.conftest import QUESTION, TRACE
from tests.faces.knowledge.test_ingestion import GOOD, TEXT, said, status

ALICE = ("--entity", "user:alice")


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "knowledge.json"
    path.write_text(json.dumps(TRACE))
    return str(path)


def test_the_journey_of_a_document_into_a_prompt(cli, document: str) -> None:
    cli("knowledge", "add", "Another one.")
    dry = cli("knowledge", "load", document, "--dry-run")
    assert "1 profile, 1 piece, 2 graph nodes, 1 graph edge" in dry.stdout
    assert "nothing was kept" in dry.stdout
    loaded = json.loads(cli("knowledge", "load", document, "--json").stdout)["result"]
    assert (loaded["pieces"], loaded["skipped"]) == (1, [])
    told = cli("knowledge", "provide", QUESTION, *ALICE).stdout
    assert "instructions:\n[procedure] Initialize transient LES" in told
    sections = json.loads(cli("knowledge", "provide", QUESTION, *ALICE, "--json").stdout)
    assert sections["result"]["user_profile"] == "specialization: turbomachinery\nteam: aero"
    found = cli("knowledge", "retrieve", QUESTION, *ALICE, "--top-k", "1").stdout
    assert "[Relationships]\nSPECIALIZES_IN → Technique:les (LES)" in found


def test_a_piece_is_added_shown_listed_and_removed(cli) -> None:
    added = cli(
        *("knowledge", "add", "Check the mesh.", "--id", "mesh", "--type", "Instruction"),
        *("--info-type", "instructions", "--tag", "Mesh", "--tag", "cht"),
    )
    assert added.stdout == "mesh\n"
    assert "tags: mesh, cht" in cli("knowledge", "show", "mesh").stdout
    assert "Check the mesh." in cli("knowledge", "list").stdout
    listed = json.loads(cli("knowledge", "list", "--json").stdout)["result"]["pieces"]
    assert [one["piece_id"] for one in listed] == ["mesh"]
    assert "removed" in cli("knowledge", "remove", "mesh").stdout
    gone = cli("knowledge", "show", "mesh")
    assert gone.exit_code == 1
    assert "recollect knowledge list" in gone.stderr


def test_what_is_skipped_is_told_and_strict_refuses_it(cli, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps({"pieces": [{"content": ""}, {"content": "x"}]}))
    assert "pieces 0 is skipped: content is blank" in cli("knowledge", "load", str(path)).stderr
    refused = cli("knowledge", "load", str(path), "--strict")
    assert refused.exit_code == 1


def test_a_text_is_structured_by_the_model_of_the_settings(cli, tmp_path: Path) -> None:
    path, records = tmp_path / "expert.txt", tmp_path / "records"
    path.write_text(TEXT)
    with serving() as endpoint:
        endpoint.script = [said(GOOD)]
        done = cli(
            *("knowledge", "ingest", str(path), "--check-in", str(records)),
            *("--artifact", str(path)),
            RECOLLECT_LLM_MODEL="m",
            RECOLLECT_LLM_URL=endpoint.url,
        )
    assert "1 piece," in done.stdout
    (record,) = records.iterdir()
    assert (record / "artifacts" / "expert.txt").read_text() == TEXT


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ["--check-in", "records", "--artifact", "gone.pdf"],
            "gone.pdf is not kept: it is no file",
        ),
        (["--artifact", "expert.txt"], "expert.txt is not kept: name a folder with --check-in"),
    ],
)
def test_an_artifact_that_is_not_kept_is_told(
    cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("expert.txt").write_text(TEXT)
    with serving() as endpoint:
        endpoint.script = [said(GOOD)]
        asked = {"RECOLLECT_LLM_MODEL": "m", "RECOLLECT_LLM_URL": endpoint.url}
        done = cli("knowledge", "ingest", "expert.txt", *options, **asked)
    assert done.exit_code == 0
    assert told in done.stderr


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (status(401), "in 1 attempt: the model's service answered 401"),
        (status(404), "in 1 attempt: the model's service answered 404"),
        (said("I cannot."), "in 4 attempts: the answer holds no JSON object"),
        (said('{"pieces": []}'), "0 pieces"),
    ],
)
def test_an_ingestion_that_keeps_nothing_makes_no_memory(
    cli, tmp_path: Path, answer, told: str
) -> None:
    path, records = tmp_path / "expert.txt", tmp_path / "records"
    path.write_text(TEXT)
    with serving() as endpoint:
        endpoint.script = [answer] * 4
        done = cli(
            *("knowledge", "ingest", str(path), "--db", "new.db", "--check-in", str(records)),
            RECOLLECT_LLM_MODEL="m",
            RECOLLECT_LLM_URL=endpoint.url,
        )
    assert told in done.output
    assert not (tmp_path / "new.db").exists()
    assert not records.exists()
    assert ("RECOLLECT_LLM_KEY" in done.stderr) == ("401" in told)
    assert ("RECOLLECT_LLM_MODEL" in done.stderr) == ("404" in told)


@pytest.mark.parametrize(
    ("document", "options"),
    [
        (None, []),
        ({"other": 1}, []),
        ({"pieces": [{"content": ""}]}, []),
        ({"pieces": [{"content": ""}, {"content": "x"}]}, ["--strict"]),
        (TRACE, ["--dry-run"]),
    ],
)
def test_a_load_that_keeps_nothing_makes_no_memory(
    cli, tmp_path: Path, document: object, options: list[str]
) -> None:
    path = tmp_path / "new.json"
    if document is not None:
        path.write_text(json.dumps(document))
    done = cli("knowledge", "load", str(path), "--db", "new.db", *options)
    assert not (tmp_path / "new.db").exists()
    assert (done.exit_code == 0) == ("nothing was kept" in done.output)
    assert cli("knowledge", "add", "password: hunter2", "--db", "new.db").exit_code == 1
    assert not (tmp_path / "new.db").exists()


def test_without_a_model_it_says_how_to_name_one(cli, tmp_path: Path) -> None:
    path = tmp_path / "expert.txt"
    path.write_text(TEXT)
    refused = cli("knowledge", "ingest", str(path))
    assert refused.exit_code == 1
    assert "RECOLLECT_LLM_MODEL" in refused.stderr
