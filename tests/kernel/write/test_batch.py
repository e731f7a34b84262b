from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import pytest
from tests.kernel.write.memory import Memory

from recollect.errors import RecollectError
from recollect.model import (
    BatchReport,
    Change,
    Delete,
    Key,
    Local,
    PutConcept,
    PutLink,
    RemoveKeys,
)


def test_a_batch_puts_concepts_and_links_and_says_their_ids(memory: Memory) -> None:
    written = memory.write(
        [
            PutConcept("T", "A", {"x": 1}, id="a", handle="one"),
            PutConcept("T", "B"),
            PutLink("a", "p", Key("T", "B"), {"w": 1}, {"m": 2}, id="l", handle="link"),
            PutLink(Local("link"), "about", Local("one")),
        ]
    )
    (report,) = written.reports
    assert isinstance(report, BatchReport)
    assert (report.ids[0], report.ids[2]) == ("a", "l")
    assert (report.created, report.updated, report.closed) == (4, 0, 0)
    assert memory.links() == [("A p B", {"w": 1}, {"m": 2}), ("(A p B) about A", {}, {})]


def test_a_batch_run_twice_changes_nothing(memory: Memory) -> None:
    batch = [
        PutConcept("T", "A", {"x": 1}, id="a"),
        PutLink("a", "p", "a", {"w": 1}, key="k", id="l"),
    ]
    memory.write(batch)
    before = memory.everything()
    assert memory.write(batch).number is None
    assert memory.everything() == before


def test_links_of_one_triple_live_side_by_side_under_their_keys(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", id="a")])
    memory.write([PutLink("a", "p", "a", {"n": key}, key=key) for key in ("", "j", "k")])
    memory.write([PutLink("a", "p", "a", {"n": "new"}, key="j")])
    rows = memory.rows("SELECT key, attributes FROM link WHERE group_id = :group ORDER BY key")
    assert rows == [("", '{"n":""}'), ("j", '{"n":"new"}'), ("k", '{"n":"k"}')]
    assert memory.tally()["keyed", "p"] == 2


def test_removed_keys_are_gone_and_absent_ones_ignored(memory: Memory) -> None:
    memory.write([PutConcept("T", "A", {"x": 1, "y": 2}, {"m": 1}, id="a")])
    (report,) = memory.write([RemoveKeys("a", frozenset({"x", "z"}), frozenset({"m"}))]).reports
    assert memory.concepts() == {"T A": ({"y": 2}, {})}
    assert isinstance(report, BatchReport)
    assert report.updated == 1
    assert memory.write([RemoveKeys("a", frozenset({"x"}))]).number is None


def test_a_delete_closes_every_link_that_hangs_on_the_element(memory: Memory) -> None:
    (report,) = memory.write(
        [
            PutConcept("T", "A", id="a"),
            PutConcept("T", "B", id="b"),
            PutLink("a", "p", "b", handle="l"),
            PutLink(Local("l"), "about", "b", handle="m"),
            PutLink("b", "says", Local("m")),
            PutLink("b", "p", "b"),
        ]
    ).reports
    (report,) = memory.write([Delete("a")]).reports
    assert isinstance(report, BatchReport)
    assert report.closed == 4
    assert [text for text, *_ in memory.links()] == ["B p B"]
    counts = memory.tally()
    assert {key: counts[key] for key in counts if key[0] in ("concept", "link")} == {
        ("concept", "T"): 1,
        ("link", "p"): 1,
    }


def test_a_delete_sees_the_links_put_before_it_in_the_batch(memory: Memory) -> None:
    memory.write(
        [
            PutConcept("T", "A", id="a"),
            PutConcept("T", "B", id="b"),
            PutLink("b", "p", "a"),
            Delete("a"),
        ]
    )
    assert memory.links() == []
    assert list(memory.concepts()) == ["T B"]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (PutConcept("", "A"), "KIP_1002"),
        (PutConcept("T", ""), "KIP_1002"),
        (PutConcept("T", "A", id=""), "KIP_1002"),
        (PutConcept("T", "a\0b"), "KIP_2003"),
        (PutConcept("T", "\ud800"), "KIP_2003"),
        (PutConcept("T", "A", {"x": 2**63}), "KIP_2003"),
        (PutConcept("T", "A", {"x": -(2**63) - 1}), "KIP_2003"),
        (PutConcept("T", "A", {"x": 10**40}), "KIP_2003"),
        (PutConcept("T", "A", {"x": [{"y": float("nan")}]}), "KIP_2003"),
        (PutConcept("T", "A", {"x": float("inf")}), "KIP_2003"),
        (PutConcept("T", "A", {"x": "\ud800"}), "KIP_2003"),
        (PutConcept("T", "A", {"x": ["a\0b"]}), "KIP_2003"),
        (PutConcept("T", "A", {"x": {"a\0b": 1}}), "KIP_2003"),
        (PutConcept("T", "A", {"x": object()}), "KIP_2003"),  # type: ignore[dict-item]
        (PutConcept("T", "A", {1: 1}), "KIP_2003"),  # type: ignore[dict-item]
        (PutConcept("T", "A", {"": 1}), "KIP_2003"),
        (PutConcept("T", "A", {"_version": 1}), "KIP_2002"),
        (PutConcept("T", "A", {}, {"_x": 1}), "KIP_2002"),
        (PutLink("nobody", "p", "nobody"), "KIP_3002"),
        (PutLink(Key("T", "Ghost"), "p", Key("T", "Ghost")), "KIP_3002"),
        (PutLink(Local("h"), "p", Local("h")), "KIP_3001"),
        (PutLink(Key("Drug", "D"), "p{1,2}", Key("Drug", "D")), "KIP_1001"),
        (Delete("nobody"), "KIP_3002"),
        (RemoveKeys(Key("Drug", "Durg")), "KIP_3002"),
    ],
)
def test_a_batch_with_one_bad_change_changes_nothing(
    memory: Memory, change: Change, code: str
) -> None:
    memory.write([PutConcept("Drug", "D")])
    before = memory.everything()
    with pytest.raises(RecollectError) as caught:
        memory.write([PutConcept("T", "First"), change])
    assert caught.value.code.code == code
    assert memory.everything() == before


def test_values_at_the_edges_are_stored_as_they_are(memory: Memory) -> None:
    values = {
        "lowest": -(2**63),
        "highest": 2**63 - 1,
        "text": "null \\u0000 12345678901234567890",
        "nothing": None,
        "large": 1e300,
        "nested": [[{"a": [None, True, 0.1]}]],
    }
    memory.write([PutConcept("T", "A", values)])
    assert memory.concepts() == {"T A": (values, {})}


def test_a_handle_given_twice_is_refused(memory: Memory) -> None:
    with pytest.raises(RecollectError) as caught:
        memory.write([PutConcept("T", "A", handle="h"), PutConcept("T", "B", handle="h")])
    assert caught.value.code.code == "KIP_3003"


def test_a_handle_names_nothing_before_its_change_though_the_concept_is_there(
    memory: Memory,
) -> None:
    memory.write([PutConcept("T", "A", id="a"), PutConcept("T", "B", id="b")])
    with pytest.raises(RecollectError) as caught:
        memory.write([PutLink(Local("h"), "p", "b"), PutConcept("T", "A", handle="h")])
    assert caught.value.code.code == "KIP_3001"
    assert memory.links() == []


def test_a_name_of_another_group_is_not_there(memory: Memory) -> None:
    with pytest.raises(RecollectError) as caught:
        memory.write([Delete("a")])  # the decoy holds an element of this id
    assert caught.value.code.code == "KIP_3002"


def test_a_link_does_not_join_what_was_deleted_before_it_in_the_batch(memory: Memory) -> None:
    a, b = Key("T", "A"), Key("T", "B")
    memory.write([PutConcept("T", "A", id="a"), PutConcept("T", "B", id="b")])
    with pytest.raises(RecollectError) as caught:
        memory.write([PutLink(a, "p", b), Delete("b"), PutLink(a, "q", b)])
    assert caught.value.code.code == "KIP_3002"
    assert memory.links() == []


def test_a_link_joins_what_was_made_again_before_it_in_the_batch(memory: Memory) -> None:
    a, b = Key("T", "A"), Key("T", "B")
    memory.write([PutConcept("T", "A", id="a"), PutConcept("T", "B", {"x": 1}, id="b")])
    memory.write(
        [
            PutLink(a, "p", b),
            Delete(b),
            PutConcept("T", "B", {"x": 2}),
            PutLink(a, "q", b),
        ]
    )
    assert memory.links() == [("A q B", {}, {})]


class Ring(Sequence[Change]):
    """Links from each concept to the next, made anew each time they are gone through."""

    def __len__(self) -> int:
        return 9

    def __getitem__(self, at: object) -> PutLink:  # type: ignore[override]
        assert isinstance(at, int)
        return PutLink(Key("T", str(at)), "p", Key("T", str((at + 1) % len(self))))

    def __iter__(self) -> Iterator[Change]:
        yield from map(self.__getitem__, range(len(self)))


def test_changes_that_are_made_as_they_are_asked_for_are_told_apart(memory: Memory) -> None:
    memory.write([PutConcept("T", str(at)) for at in range(9)])
    memory.write(Ring())
    assert sorted(memory.links()) == [(f"{at} p {(at + 1) % 9}", {}, {}) for at in range(9)]


def test_a_delete_sees_the_links_put_since_the_last_one(memory: Memory) -> None:
    a, b = Key("T", "A"), Key("T", "B")
    memory.write(
        [
            PutConcept("T", "A"),
            PutConcept("T", "B"),
            PutConcept("T", "C"),
            PutLink(a, "p", b, handle="first"),
            Delete(Local("first")),
            PutLink(a, "q", b),
            PutLink(Key("T", "C"), "r", a),
            Delete(b),
        ]
    )
    assert memory.links() == [("C r A", {}, {})]


@pytest.mark.parametrize("part", [["T"], None, 1])
def test_a_name_that_is_no_text_is_refused(memory: Memory, part: object) -> None:
    text = cast(str, part)
    memory.write([PutConcept("T", "A")])
    a = Key("T", "A")
    for change in (
        PutLink(a, text, a),
        PutLink(Key(text, "A"), "p", a),
        PutLink(a, "p", Key("T", text)),
        PutConcept(text, "A"),
    ):
        with pytest.raises(RecollectError) as caught:
            memory.write([PutLink(a, "p", a), change])
        assert caught.value.code.code == "KIP_2003"
    assert memory.links() == []


def test_a_long_batch_changes_deletes_and_makes_again_what_it_put_long_before(
    memory: Memory,
) -> None:
    between: list[Change] = [PutConcept("Filler", f"filler {at}") for at in range(1_500)]
    written = memory.write(
        [
            PutConcept("T", "A", {"x": 1}, handle="a"),
            PutConcept("T", "B", id="b"),
            PutLink(Local("a"), "p", "b", {"w": 1}, id="l"),
            PutLink(Local("a"), "q", "b", {"w": 1}, handle="kept"),
            *between,
            PutConcept("T", "A", {"x": 2}),
            RemoveKeys(Local("kept"), frozenset({"w"})),
            Delete("l"),
            *between,
            PutLink(Local("a"), "p", "b", {"w": 2}, id="l"),
            PutLink("b", "about", "l"),
        ]
    )
    (report,) = written.reports
    assert isinstance(report, BatchReport)
    assert (report.created, report.updated, report.closed) == (1_505, 0, 1)
    assert memory.links() == [
        ("A q B", {}, {}),
        ("A p B", {"w": 2}, {}),
        ("B about (A p B)", {}, {}),
    ]
    said = "SELECT attributes, version FROM concept WHERE name = 'A' AND group_id = :group"
    assert memory.rows(said) == [('{"x":2}', 1)]
    assert memory.rows("SELECT count(*) FROM change WHERE group_id = :group") == [(1_505,)]
    assert (memory.tally()["link", "p"], memory.tally()["link", "q"]) == (1, 1)
