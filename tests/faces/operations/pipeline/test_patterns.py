"""What the extractor of patterns reads, measured on sentences and on what looks like them."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from behind import BYTES
from recollect.faces.operations import Operations
from recollect.faces.operations.pipeline import PatternExtractor, StructuredExtractor, Work
from recollect.faces.operations.pipeline.patterns import stated_in

_CASES = ("stated.tsv", "stated_apart.tsv")
_SAID = "2026-11-26T10:00:00Z"


def _cases(name: str) -> list[tuple[str, set[str]]]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines())
    return [
        (body.replace("\\n", "\n"), {one for one in wanted.split("; ") if one})
        for body, wanted in rows
    ]


def _found(body: str) -> set[str]:
    return {
        one.text + (f" @{one.valid_at[:10]}" if one.valid_at else "")
        for one in stated_in(body, _SAID)
    }


@pytest.mark.parametrize("name", _CASES)
def test_of_what_is_read_19_of_20_are_right_and_most_of_what_is_stated_is_read(name: str):
    cases = [(_found(body), wanted) for body, wanted in _cases(name)]
    found = sum(len(told) for told, _ in cases)
    right = sum(len(told & wanted) for told, wanted in cases)
    wanted = sum(len(one) for _, one in cases)
    wrong = [told - wanted for told, wanted in cases if told - wanted]
    assert right / found >= 0.95, wrong
    assert right / wanted >= 0.9, [wanted - told for told, wanted in cases if wanted - told]


def test_a_sentence_says_nothing_of_a_speaker_whom_nobody_names():
    assert not _found("user(): I live in Berlin.")
    assert _found("user(): My name is Kim. I live in Berlin.") == {"Kim lives in Berlin"}


def test_messages_become_facts_whose_source_is_the_episode_only_with_this_extractor():
    message = {
        "role_type": "user",
        "role": "Maria",
        "content": "I moved to Lisbon in 2024.",
        "timestamp": _SAID,
        "uuid": "e1",
    }
    asked = {"query": "Maria Lisbon", "group_ids": ["default"]}
    learnt = [("Maria lives in Lisbon", "e1")]
    for extractor, expected in ((StructuredExtractor(), []), (PatternExtractor(), learnt)):
        with recollect.open(":memory:") as nexus:
            operations = Operations(nexus, extractor=extractor, worker=False)
            operations.call("AddMessages", {"group_id": "default", "messages": [message]})
            Work(extractor).drain(nexus)
            facts = operations.call("SearchFacts", asked)["output"]["facts"]
            assert [(one["fact"], one["source_episode_uuid"]) for one in facts] == expected
            assert all(one["valid_at"] == "2024-01-01T00:00:00.000Z" for one in facts)


@pytest.mark.parametrize(
    ("source", "body", "kind", "quote"),
    [
        ("message", "user(Maria): Hi! I moved to Lisbon in 2024.", "message", None),
        ("text", "Name: Maria\nCity: Lisbon\n", "artifact", "City: Lisbon"),
    ],
)
def test_why_shows_the_sentence_that_a_fact_is_inferred_from_until_it_is_corrected(
    source: str, body: str, kind: str, quote: str | None
) -> None:
    with recollect.memory(":memory:") as memory:
        decoy = recollect.Memory(memory.nexus.group("decoy"))
        decoy.remember(facts=[{"subject": "Maria", "predicate": "lives_in", "object": "Lisbon"}])
        item = {"uuid": "e1", "source": source, "body": body, "reference_time": _SAID}
        operations = Operations(memory.nexus, worker=False)
        operations.call("AddEpisodes", {"group_id": "default", "items": [item]})
        Work(PatternExtractor()).drain(memory.nexus)
        (learnt,) = memory.list("fact").memories
        why = memory.why(learnt.id).memory
        assert why == learnt
        assert (why.text, why.status) == ("Maria lives in Lisbon", "inferred")
        assert why.evidence == ({"kind": kind, "detail": quote or "I moved to Lisbon in 2024."},)
        assert why.attributes == {}
        now = memory.correct(learnt.id, object="Porto").memory
        assert (now.status, now.evidence) == (None, ())
        assert memory.undo(now.id).memory.evidence == why.evidence
        (own,) = decoy.list("fact").memories
        assert (own.status, own.evidence) == (None, ())


@BYTES
def test_the_sentence_that_a_fact_is_inferred_from_is_erased_with_its_message(
    tmp_path: Path,
) -> None:
    bodies = ["user(Maria): Hi! I moved to Lisbon in 2024.", "user(Maria): I work at Siemens."]
    with recollect.memory(tmp_path / "maria.db") as memory:
        operations = Operations(memory.nexus, worker=False)
        for uuid, body in zip(("e1", "e2"), bodies, strict=True):
            item = {"uuid": uuid, "source": "message", "body": body, "reference_time": _SAID}
            operations.call("AddEpisodes", {"group_id": "default", "items": [item]})
        Work(PatternExtractor()).drain(memory.nexus)
        moved = next(one for one in memory.list("fact").memories if one.predicate == "lives_in")
        corrected = memory.correct(moved.id, object="Porto").memory
        back = memory.undo(corrected.id).memory
        assert back.evidence == moved.evidence != ()
        memory.forget(id="e1", effect="erase")
        kept = memory.why(back.id).memory
        assert (kept.text, kept.status, kept.evidence) == (back.text, "inferred", ())
        (other,) = (one for one in memory.list("fact").memories if one.predicate == "works_at")
        assert other.evidence == ({"kind": "message", "detail": "I work at Siemens."},)
        # Another message under the id is not the one that was read.
        told = {"uuid": "e1", "source": "message", "body": f"Ann: {bodies[1]}"}
        told["reference_time"] = _SAID
        operations.call("AddEpisodes", {"group_id": "default", "items": [told]})
        assert memory.why(back.id).memory.evidence == ()
    held = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"I work at Siemens" in held and b"I moved to Lisbon" not in held


def test_what_a_fact_says_of_itself_in_words_of_the_user_is_neither_inferred_nor_lost():
    with recollect.memory(":memory:") as memory:
        memory.nexus.write(
            'UPSERT { CONCEPT @b { {type: "Order", name: "O1"} } CONCEPT @a { {type: "Person", '
            'name: "Ann"} } PROPOSITION @p { (@a, "ordered", @b) SET ATTRIBUTES { status: "shipped", '
            'evidence: {kind: "file", detail: "o1.pdf"}, inferred_from: "a letter", amount: 3 } } }'
        )
        (ordered,) = memory.list("fact").memories
        assert (ordered.status, ordered.evidence) == (None, ())
        assert ordered.attributes == {
            "status": "shipped",
            "evidence": {"kind": "file", "detail": "o1.pdf"},
            "inferred_from": "a letter",
            "amount": 3,
        }
        now = memory.correct(ordered.id, object="O2").memory
        assert (now.attributes, now.object) == (ordered.attributes, "O2")


def test_an_endless_line_of_big_words_is_read_in_no_time():
    assert not _found(f"user(Maria): I live in {'Berlin ' * 20_000}not really.")
