"""Free text through a model, which may answer badly, late or not at all."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.endpoint import Endpoint, serving
from tests.faces.knowledge.conftest import TRACE

from recollect.errors import RecollectError
from recollect.faces.knowledge import (
    KnowledgeBase,
    KnowledgeDataLoader,
    KnowledgeIngestionCLI,
)
from recollect.faces.knowledge.llm import StructuringModel
from recollect.kernel import Nexus

TEXT = "Initialize LES from RANS for 40% speedup"
GOOD = json.dumps(TRACE)


class Scripted:
    """A model that answers by a script, and remembers what it was asked."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_text_becomes_knowledge(kb: KnowledgeBase) -> None:
    report = KnowledgeIngestionCLI(Scripted(GOOD)).ingest(TEXT, kb)
    assert report == {"metadata": 1, "pieces": 1, "graph_nodes": 2, "graph_edges": 1}
    assert kb.get_piece("les-rans-init") is not None


def test_the_prompt_tells_all_that_the_specification_asks_for(kb: KnowledgeBase) -> None:
    llm = Scripted(GOOD)
    KnowledgeIngestionCLI(llm).ingest(TEXT, kb)
    (prompt,) = llm.prompts
    for words in (
        *("fact", "instruction", "preference", "procedure", "note", "episodic"),
        *("user_profile", "instructions", "context", "skills"),
        *("passwords", "API keys", "tokens", "entities", "procedures", "relationships"),
        *("metadata", "pieces", "graph", "embedding_text", "edge_type", TEXT),
    ):
        assert words in prompt, words


@pytest.mark.parametrize(
    "answer",
    [
        f"```json\n{GOOD}\n```",
        f"Here it is:\n{GOOD}\nAnything else?",
        f"\ufeff{GOOD}",
        f'I thought about {{"this": 1}} and made {GOOD}',
    ],
)
def test_fences_and_prose_are_accepted(kb: KnowledgeBase, answer: str) -> None:
    assert KnowledgeIngestionCLI(Scripted(answer)).ingest(TEXT, kb)["pieces"] == 1


def without(name: str) -> str:
    piece = {key: value for key, value in TRACE["pieces"][0].items() if key != name}
    return json.dumps({"pieces": [piece]})


@pytest.mark.parametrize(
    "answer",
    [
        "I cannot.",
        "{",
        "[1]",
        "{}",
        '{"pieces": {}}',
        '{"pieces": [1]}',
        without("piece_id"),
        without("content"),
        without("knowledge_type"),
        without("info_type"),
        GOOD.replace('"procedure"', '"rumour"'),
        '{"metadata": {"a": {}}}',
    ],
)
def test_a_malformed_answer_is_asked_again_with_its_fault(kb: KnowledgeBase, answer: str) -> None:
    llm = Scripted(answer, GOOD)
    assert KnowledgeIngestionCLI(llm).ingest(TEXT, kb)["pieces"] == 1
    assert TEXT in llm.prompts[1]
    assert "could not be used" in llm.prompts[1]


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_there_is_one_call_and_so_many_more(
    kb: KnowledgeBase, nexus: Nexus, tmp_path: Path, retries: int
) -> None:
    llm = Scripted(*["no"] * 9)
    ingestion = KnowledgeIngestionCLI(llm, max_retries=retries, check_in_dir=tmp_path)
    with pytest.raises(RecollectError) as caught:
        ingestion.ingest(TEXT, kb)
    assert caught.value.details["attempts"] == len(llm.prompts) == retries + 1
    told = {0: "in 1 attempt:", 1: "in 2 attempts:", 3: "in 4 attempts:"}[retries]
    assert f"not structured {told} the answer holds no JSON object" in caught.value.message
    assert nexus.groups() == ["decoy"]
    assert list(tmp_path.iterdir()) == []


def test_what_a_callable_raises_is_an_attempt(kb: KnowledgeBase) -> None:
    llm = Scripted(ZeroDivisionError(), TimeoutError(), GOOD)
    assert KnowledgeIngestionCLI(llm).ingest(TEXT, kb)["pieces"] == 1


def test_a_secret_reaches_neither_model_nor_record(kb: KnowledgeBase, tmp_path: Path) -> None:
    llm = Scripted(GOOD)
    ingestion = KnowledgeIngestionCLI(llm, check_in_dir=tmp_path)
    ingestion.ingest(f"{TEXT}\npassword: hunter2", kb)
    assert "hunter2" not in llm.prompts[0]
    (record,) = tmp_path.iterdir()
    assert (record / "raw_input.txt").read_text() == f"{TEXT}\n[REDACTED]"


def test_a_record_holds_what_came_in(kb: KnowledgeBase, tmp_path: Path, caplog) -> None:
    folder, files = tmp_path / "records", tmp_path / "files"
    for name in ("a", "b"):
        (files / name).mkdir(parents=True)
        (files / name / "plot.txt").write_text(name)
    ingestion = KnowledgeIngestionCLI(Scripted(GOOD, GOOD), check_in_dir=folder)
    artifacts = [files / "a/plot.txt", files / "b/plot.txt", files / "gone"]
    ingestion.ingest(TEXT, kb, artifacts)
    (record,) = folder.iterdir()
    assert sorted(one.name for one in record.iterdir()) == [
        *("artifacts", "raw_input.txt", "report.json", "structured.json")
    ]
    kept = {one.name: one.read_text() for one in (record / "artifacts").iterdir()}
    assert kept == {"plot.txt": "a", "plot-2.txt": "b"}
    assert "gone" in caplog.text
    report = json.loads((record / "report.json").read_text())
    assert (report["counts"]["pieces"], report["attempts"]) == (1, 1)
    assert kb.get_piece("les-rans-init").source == f"check-in:{record.name}"
    ingestion.ingest(TEXT, kb)
    assert len(list(folder.iterdir())) == 2


def test_a_dry_run_stores_and_records_nothing(
    kb: KnowledgeBase, nexus: Nexus, tmp_path: Path
) -> None:
    ingestion = KnowledgeIngestionCLI(Scripted(GOOD), check_in_dir=tmp_path)
    assert ingestion.ingest(TEXT, kb, dry_run=True)["pieces"] == 1
    assert nexus.groups() == ["decoy"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "code"), [("", "INVALID_ARGUMENT"), ("x" * 100_001, "LIMIT_EXCEEDED")]
)
def test_a_text_is_bounded(kb: KnowledgeBase, text: str, code: str) -> None:
    with pytest.raises(RecollectError) as caught:
        KnowledgeIngestionCLI(Scripted()).ingest(text, kb)
    assert caught.value.code.code == code


def said(text: str) -> Callable[[dict[str, Any]], Any]:
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": text},
    }
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return lambda _: (200, {}, json.dumps(body).encode())


def status(code: int, **headers: str) -> Callable[[dict[str, Any]], Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: (code, named, b'{"error": {"message": "no"}}')


def ingested(endpoint: Endpoint, kb: KnowledgeBase, *script: Any, **more: Any) -> int:
    endpoint.script = list(script)
    llm = StructuringModel("m", "key", endpoint.url, **more)
    try:
        return KnowledgeIngestionCLI(llm).ingest(TEXT, kb)["pieces"]
    finally:
        llm.close()


def test_a_server_that_answers_at_the_last_call_is_enough(kb: KnowledgeBase) -> None:
    with serving() as endpoint:
        script = (status(429, retry_after="0"), status(503), said("prose"), said(GOOD))
        assert ingested(endpoint, kb, *script) == 1
        assert len(endpoint.asked) == 4


def test_a_record_holds_no_secret_that_a_model_answers_with(
    kb: KnowledgeBase, tmp_path: Path
) -> None:
    answer = {
        "metadata": {"user:mara": {"entity_type": "user", "properties": {"password": "hunter2x"}}},
        "pieces": [
            {**TRACE["pieces"][0], "content": "The portal has password: hunter2x"},
            {**TRACE["pieces"][0], "piece_id": "password: hunter2x"},
        ],
        "graph": {"nodes": [{"node_id": "hive:3", "node_type": "hive", "label": "Hive 3"}]},
    }
    ingestion = KnowledgeIngestionCLI(Scripted(json.dumps(answer)), check_in_dir=tmp_path)
    report = ingestion.ingest(TEXT, kb)
    assert [(one.section, one.key) for one in report.skipped] == [
        *(("metadata", "user:mara"), ("pieces", "les-rans-init"), ("pieces", "1"))
    ]
    (record,) = tmp_path.iterdir()
    kept = json.loads((record / "structured.json").read_text())
    assert "hunter2x" not in json.dumps(kept)
    assert "hunter2x" not in (record / "report.json").read_text()
    assert kept["pieces"][0]["content"] == "The portal has [REDACTED]"
    assert kept["graph"] == answer["graph"]


@pytest.mark.parametrize("odd", ['{"a":' * 300 + "1" + "}" * 300, "9" * 30, '"\\ud800"'])
def test_an_answer_that_no_record_can_hold_is_asked_again(
    kb: KnowledgeBase, tmp_path: Path, odd: str
) -> None:
    answer = '{"metadata": {"u": {"entity_type": "user", "properties": {"a": ' + odd + "}}}}"
    llm = Scripted(answer, GOOD)
    assert KnowledgeIngestionCLI(llm, check_in_dir=tmp_path).ingest(TEXT, kb)["pieces"] == 1
    assert "the document is no JSON that can be kept" in llm.prompts[1]


def test_a_server_that_is_late_is_an_attempt(kb: KnowledgeBase) -> None:
    with serving() as endpoint:
        assert ingested(endpoint, kb, endpoint.late, said(GOOD), timeout_seconds=0.3) == 1


def test_a_model_is_waited_for_as_long_as_its_timeout(kb: KnowledgeBase) -> None:
    started = time.monotonic()
    with serving() as endpoint:
        script = (status(429, retry_after="3600"), said(GOOD))
        assert ingested(endpoint, kb, *script, timeout_seconds=0.2) == 1
    assert 0.2 <= time.monotonic() - started < 30


@pytest.mark.parametrize(
    "ask",
    [
        lambda kb: KnowledgeIngestionCLI(Scripted(GOOD)).ingest(None, kb),
        lambda _: KnowledgeIngestionCLI(Scripted(GOOD)).ingest(TEXT, "kb"),
        lambda kb: KnowledgeIngestionCLI(Scripted(GOOD)).ingest(TEXT, kb, "notes.pdf"),
        lambda kb: KnowledgeIngestionCLI(Scripted(GOOD)).ingest(TEXT, kb, [5]),
        lambda _: KnowledgeIngestionCLI(None),
        lambda _: KnowledgeIngestionCLI(Scripted(), check_in_dir=5),
        lambda _: KnowledgeIngestionCLI(Scripted(), max_retries=-1),
        lambda _: KnowledgeDataLoader().load("kb", TRACE),
    ],
)
def test_another_kind_of_argument_is_refused(kb: KnowledgeBase, nexus: Nexus, ask) -> None:
    with pytest.raises(RecollectError) as caught:
        ask(kb)
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert nexus.groups() == ["decoy"]


def test_another_refusal_ends_at_once(kb: KnowledgeBase) -> None:
    with serving() as endpoint:
        with pytest.raises(RecollectError) as caught:
            ingested(endpoint, kb, status(401), said(GOOD))
        assert caught.value.details["attempts"] == len(endpoint.asked) == 1
