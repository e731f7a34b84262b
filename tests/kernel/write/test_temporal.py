from __future__ import annotations

from typing import Any

import pytest
from tests.kernel.write.memory import Memory

from recollect.errors import RecollectError
from recollect.kernel.read.moment import parse_instant
from recollect.model import BEGINNING, FOREVER, PutConcept, PutLink, RemoveKeys

MAY = 1_714_521_600_000  # 2024-05-01T00:00:00Z


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970", 0),
        ("2024-05", MAY),
        ("2024-05-01", MAY),
        ("20240501", MAY),
        ("2024-122", MAY),
        ("2024-W18-3", MAY),
        ("2024-W18", MAY - 2 * 86_400_000),
        ("2024-05-01T00", MAY),
        ("2024-05-01T00:00", MAY),
        ("2024-05-01T00:00:00", MAY),
        ("2024-05-01T00:00:00Z", MAY),
        ("2024-05-01T02:00:00+02:00", MAY),
        ("2024-05-01T00:00:00.250Z", MAY + 250),
        ("1969-12-31T23:59:59.999Z", -1),
        ("0001", -62_135_596_800_000),
    ],
)
def test_an_iso_time_means_the_start_of_its_period_in_utc(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    "text",
    ["", "soon", "0000", "2024-13", "2024-02-30", "2024-366x", "2023-366", "24-05-01", "\u0662\u0660\u0662\u0664",
     "0001-01-01T00:00:00+23:00 ", "10000-01-01", "9999-12-31T23:59:59-05:00",
     "0001-01-01T00:00:00+14:00"],
)  # fmt: skip
def test_what_is_not_iso_is_no_time(text: str) -> None:
    assert parse_instant(text) is None


def clock(memory: Memory, table: str = "concept") -> list[tuple[object, ...]]:
    sql = f"SELECT valid_at, invalid_at FROM {table} WHERE group_id = :group ORDER BY id"
    return memory.rows(sql)


def test_a_concepts_own_metadata_sets_its_fact_time(memory: Memory) -> None:
    memory.write("""
        UPSERT { CONCEPT { {type: "T", name: "A"} }
            WITH METADATA { valid_from: "2024-05", valid_until: "2024-05-01T00:00:01Z" } }
    """)
    assert clock(memory) == [(MAY, MAY + 1000)]


def test_inherited_metadata_sets_the_fact_time_of_links_only(memory: Memory) -> None:
    memory.write("""
        UPSERT { CONCEPT @a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", @a) } }
                 PROPOSITION { (@a, "q", @a) } }
        WITH METADATA { valid_from: "2024-05" }
    """)
    assert clock(memory) == [(BEGINNING, FOREVER)]
    assert clock(memory, "link") == [(MAY, FOREVER), (MAY, FOREVER)]


def test_null_opens_a_bound_again_and_silence_keeps_it(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {}, {"valid_from": "2024-05", "valid_until": "2025"})])
    memory.write([PutConcept("T", "A", {"x": 1})])
    assert clock(memory)[0][0] == MAY
    memory.write([PutConcept("T", "A", {}, {"valid_from": None})])
    assert clock(memory) == [(BEGINNING, 1_735_689_600_000)]


def test_removing_the_key_opens_the_bound_again(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {}, {"valid_until": "2025"}, id="a")])
    memory.write([RemoveKeys("a", metadata=frozenset({"valid_until"}))])
    assert clock(memory) == [(BEGINNING, FOREVER)]


@pytest.mark.parametrize("value", ["next week", 2024, ["2024"], "9999-12-31T23:59:59-05:00"])
def test_a_time_that_is_not_iso_is_stored_with_a_notice_and_sets_nothing(
    memory: Memory, value: str | int | list[str]
) -> None:
    memory.write([PutConcept("T", "A", {}, {"valid_from": "2024-05"})])
    written = memory.write([PutConcept("T", "A", {}, {"valid_from": value})])  # type: ignore[dict-item]
    assert [notice.code for notice in written.notices] == ["fact_time_not_read"]
    assert clock(memory) == [(MAY, FOREVER)]
    assert memory.concepts()["T A"] == ({}, {"valid_from": value})


def test_only_the_part_called_own_sets_a_concepts_fact_time(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {}, {"valid_from": "2024-05"}, own_metadata={}, id="a")])
    memory.write([PutLink("a", "p", "a", {}, {"valid_from": "2024-05"})])
    assert clock(memory) == [(BEGINNING, FOREVER)]
    assert clock(memory, "link") == [(MAY, FOREVER)]


@pytest.mark.parametrize("until", ["2024-05-20", "2024-05-21"])
def test_a_fact_that_ends_before_it_begins_is_stored_with_a_notice(
    memory: Memory, until: str
) -> None:
    members = {"valid_from": "2024-05-21", "valid_until": until}
    written = memory.write([PutConcept("T", "A", {}, members)])
    assert [notice.code for notice in written.notices] == ["fact_time_empty"]
    assert memory.concepts()["T A"] == ({}, members)


@pytest.mark.parametrize("own", [5, ["valid_from"], {"valid_from": "2020"}, {"confidence": 1}])
def test_what_is_called_own_must_be_a_part_of_the_metadata(memory: Memory, own: Any) -> None:
    before = memory.everything()
    with pytest.raises(RecollectError) as caught:
        memory.write([PutConcept("T", "A", {}, {"valid_from": "2024-05"}, own_metadata=own)])
    assert caught.value.code.code in ("INVALID_ARGUMENT", "KIP_2003")
    assert memory.everything() == before
