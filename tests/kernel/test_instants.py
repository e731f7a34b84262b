"""One reader of dates for everybody who asks."""

from __future__ import annotations

import asyncio

import pytest

import recollect
from recollect import AsOf, RecollectError
from recollect.faces.claims import MemoryKnowledgeStore
from recollect.faces.operations import Operations
from recollect.kernel import read_as_of
from recollect.model import instant_text

DATES = {
    "2026-11-20": "2026-11-20T00:00:00.000Z",
    "2026-11": "2026-11-01T00:00:00.000Z",
    "2026": "2026-01-01T00:00:00.000Z",
    "2026-11-20T10:00": "2026-11-20T10:00:00.000Z",
    "2026-11-20 10:00:00": "2026-11-20T10:00:00.000Z",
    "2026-11-20T10:00:00Z": "2026-11-20T10:00:00.000Z",
    "2026-11-20T10:00:00.5+02:00": "2026-11-20T08:00:00.500Z",
    " 2026-11-20 ": "2026-11-20T00:00:00.000Z",
}


@pytest.mark.parametrize(("text", "meant"), DATES.items())
def test_a_date_means_the_same_wherever_it_is_asked(text: str, meant: str) -> None:
    at = recollect.instant(text)
    assert instant_text(at) == meant
    assert read_as_of({"valid": text, "known": text}) == AsOf(valid=at, known=at)
    with recollect.open(":memory:") as nexus:
        service = Operations(nexus, worker=False)
        item = {"uuid": "e", "source": "text", "body": "b", "reference_time": text}
        assert service.add_episodes(group_id="default", items=[item])["status"] != "ERROR"  # type: ignore[list-item]
        (kept,) = service.get_episodes(group_id="default", last_n=1)["output"]["episodes"]
        assert kept["reference_time"] == meant


def test_now_is_the_present_on_either_clock() -> None:
    with recollect.open(":memory:") as nexus:
        before = nexus.now()
        asked = read_as_of({"valid": "now", "known": "now"})
        assert asked is not None
        assert asked.valid is not None
        assert before <= asked.valid <= nexus.now()
        assert asked.known is None
        nexus.write(
            'UPSERT { CONCEPT @a { {type: "T", name: "n"} } WITH METADATA {valid_until: "2024"} }'
        )
        question = 'FIND(?x.name) WHERE { ?x {type: "T"} }'
        assert nexus.read(question, as_of=asked).results[0].rows == []
        assert nexus.read(question, as_of=AsOf(valid=recollect.instant("2023"))).results[0].rows


def test_now_is_not_kept_as_a_word() -> None:
    with recollect.open(":memory:") as nexus:
        answer = nexus.write(
            'UPSERT { CONCEPT @a { {type: "T", name: "n"} } WITH METADATA {valid_from: "now"} }'
        )
        assert [one.code for one in answer.notices] == ["fact_time_not_read"]


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13", "NOW!", "0001-01-01T00:00+02:00", 7, None]
)
def test_what_is_no_date_is_refused(text: object) -> None:
    with pytest.raises(RecollectError) as told:
        recollect.instant(text)
    assert (told.value.code.code, "2024-01-31" in told.value.hint) == ("INVALID_ARGUMENT", True)


async def _snoozed(store: MemoryKnowledgeStore) -> list[str]:
    fingerprint = await store.record_rejection("a rumour")
    await store.snooze(fingerprint, "2100-01")
    return [one.fingerprint for one in await store.attention()]


def test_an_item_of_attention_is_put_aside_until_a_date() -> None:
    with MemoryKnowledgeStore() as store:
        assert asyncio.run(_snoozed(store)) == []
