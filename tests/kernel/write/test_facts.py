"""Facts as changes of a batch: the memory's own rule, whoever writes them."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

import recollect
from recollect.errors import (
    DUPLICATE_EXISTS,
    INVALID_IDENTIFIER,
    INVALID_VALUE,
    NOT_FOUND,
    RecollectError,
)
from recollect.kernel import Nexus
from recollect.model import (
    LONGEST_FACT_KEY,
    AsOf,
    BatchReport,
    Change,
    Delete,
    Hits,
    Key,
    LinkRecord,
    Local,
    Merge,
    Operation,
    PutConcept,
    PutFact,
    PutLink,
    Retype,
    Rows,
)

A, B, C = (Key("Person", name) for name in "ABC")


def fact(text: str, since: str | None = None, **more: Any) -> PutFact:
    given: dict[str, Any] = {"subject": A, "predicate": "knows", "object": B} | more
    metadata = {} if since is None else {"valid_from": since}
    return PutFact(text=text, metadata=metadata | given.pop("metadata", {}), **given)


def written(nexus: Nexus, *changes: Change) -> BatchReport:
    (report,) = nexus.write(changes).results
    assert isinstance(report, BatchReport)
    return report


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as opened:
        people = [PutConcept("Person", name) for name in "ABC"]
        for group in ("decoy", "default"):
            opened.group(group).write([*people, fact("of old", id="f")])
        yield opened
        assert opened.verify().is_whole
        assert opened.doctor().is_well
        (old,) = opened.group("decoy").elements.look_up(["f"]).values()
        assert old.expired_at is None


def test_closing_a_fact_and_ending_it_is_one_change(nexus: Nexus) -> None:
    report = written(nexus, fact("of late", "2020", id="g"))
    assert (report.created, report.closed) == (1, 1)
    (last,) = nexus.changes(nexus.stats().transactions - 1)
    assert [(one.id, one.operation) for one in last.changes] == [
        ("f", Operation.CLOSE),
        ("g", Operation.CREATE),
    ]
    (life,) = nexus.history("f")
    assert [one.operation for one in life.versions] == [
        Operation.CREATE,
        Operation.UPDATE,
        Operation.CLOSE,
    ]
    closed = nexus.elements.look_up(["f"], closed=True)["f"]
    assert closed.invalid_at == recollect.kernel.parse_instant("2020")
    assert closed.element.metadata["valid_until"] == "2020-01-01T00:00:00.000Z"
    assert nexus.elements.look_up(["f"]) == {}


def test_the_past_of_a_closed_fact_is_as_it_was(nexus: Nexus) -> None:
    number = nexus.stats().transactions
    written(nexus, fact("of late", "2020", id="g"))
    as_of = AsOf(transaction=number)
    then = nexus.elements.look_up(["f", "g"], as_of=as_of, closed=True)
    assert [*then] == ["f"]
    assert (then["f"].invalid_at, then["f"].expired_at) == (None, None)
    (hits,) = nexus.search("old", "link", as_of=as_of).results
    assert isinstance(hits, Hits)
    assert [one.element.id for one in hits.hits] == ["f"]


def test_links_about_a_fact_go_with_it(nexus: Nexus) -> None:
    written(nexus, PutLink("f", "doubted_by", C, id="about"))
    assert written(nexus, fact("of late", "2020")).closed == 2
    assert nexus.elements.look_up(["about"]) == {}


def test_a_batch_puts_facts_on_what_it_has_just_put(nexus: Nexus) -> None:
    report = written(
        nexus,
        PutConcept("Person", "D", handle="d"),
        fact("new friends", object=Local("d"), handle="f2"),
        PutLink(Local("f2"), "doubted_by", C),
    )
    assert (report.created, report.closed) == (3, 0)


@pytest.mark.parametrize("moved", [Retype(A, "Boss"), Merge(A, Key("Person", "A2"))])
def test_a_new_fact_takes_the_place_of_an_old_one_that_its_batch_moves(
    nexus: Nexus, moved: Change
) -> None:
    written(nexus, PutConcept("Person", "A2"), fact("of youth", object=C))
    subject = Key("Boss", "A") if isinstance(moved, Retype) else Key("Person", "A2")
    written(nexus, moved, fact("of late", subject=subject, object=C))
    (rows,) = nexus.read('FIND(?l.attributes.fact) WHERE { ?l (?a, "knows", {name: "C"}) }').results
    assert isinstance(rows, Rows)
    assert list(rows.rows) == [("of late",)]


def test_of_two_facts_of_one_batch_the_last_stands_though_the_first_was_moved(nexus: Nexus) -> None:
    late = fact("of late", subject=Key("Boss", "A"), object=C)
    report = written(nexus, fact("of youth", object=C), Retype(A, "Boss"), late)
    assert [one.id for one in report.ended] == [report.ids[0]]


def test_a_fact_that_is_deleted_contradicts_nothing(nexus: Nexus) -> None:
    written(nexus, Delete("f"))
    assert written(nexus, fact("of late", id="g")).closed == 0
    assert nexus.elements.look_up(["g"])["g"].invalid_at is None


def test_the_id_of_a_closed_fact_means_it_though_a_concept_had_it_since(nexus: Nexus) -> None:
    written(nexus, Delete("f"))
    written(nexus, PutConcept("Note", "n", new_id="f"))
    report = written(nexus, Delete(Key("Note", "n")), fact("of old", id="f"))
    assert (report.created, report.closed) == (0, 1)


def test_keys_keep_facts_apart(nexus: Nexus) -> None:
    written(nexus, fact("as a friend", key="friend"), fact("as a foe", key="foe"))
    assert nexus.elements.look_up(["f"])["f"].expired_at is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (fact(" "), INVALID_VALUE),
        (fact("x", key="a\nb"), INVALID_VALUE),
        (fact("x", key="k" * (LONGEST_FACT_KEY + 1)), INVALID_IDENTIFIER),
        (fact("x", object=Key("Person", "Z")), NOT_FOUND),
        (fact("x", object=C, id="f"), DUPLICATE_EXISTS),
        (fact("x", predicate="likes", id="f"), DUPLICATE_EXISTS),
    ],
)
def test_a_fact_that_cannot_be_changes_nothing(nexus: Nexus, change: PutFact, code: object) -> None:
    before = nexus.stats().transactions
    with pytest.raises(RecollectError) as caught:
        nexus.write([fact("fine", object=C), change])
    assert caught.value.code is code
    assert nexus.stats().transactions == before


def keys_restored(nexus: Nexus) -> set[str]:
    """Return the keys of the links of a memory that was made of the dump of another."""
    stream = io.BytesIO()
    nexus.dump(stream)
    stream.seek(0)
    with recollect.open(":memory:") as other:
        other.restore(stream)
        return {one.key for one in other.elements.records() if isinstance(one, LinkRecord)}


@pytest.mark.parametrize(
    ("since", "key"),
    [
        ("2020", "\n2020-01-01T00:00:00.000Z"),
        ("2020-01-01T01:00+01:00", "\n2020-01-01T00:00:00.000Z"),
        ("de\u0301cembre", ""),
        ("then " * 1_000, ""),
        ("now\n", ""),
    ],
)
def test_the_key_of_a_fact_holds_the_instant_since_when_it_is_true(
    nexus: Nexus, since: str, key: str
) -> None:
    written(nexus, fact("of late", since, object=C))
    assert keys_restored(nexus) == {"", key}


def test_the_longest_keys_and_ids_of_facts_come_back_from_a_dump(nexus: Nexus) -> None:
    key, ids = "k" * LONGEST_FACT_KEY, ("a" * 4_096, "b" * 4_096)
    since = f"{key}\n2020-01-01T00:00:00.000Z"
    written(nexus, *(fact(one, "2020", key=key, id=one, is_settled=True) for one in ids))
    keys = keys_restored(nexus) - {""}
    assert len(keys) == 2
    assert since in keys
    assert all(one.startswith(since) for one in keys)


def test_a_batch_run_twice_changes_nothing(nexus: Nexus) -> None:
    batch = [fact("one", "2020", id="1", source="s"), fact("two", "2021", id="2", source="s")]
    written(nexus, *batch)
    assert nexus.write(batch).transaction is None


@pytest.mark.parametrize("source", ["a\0b", "\ud800", 2**64, float("nan"), [], {}])
def test_a_source_is_an_id(nexus: Nexus, source: Any) -> None:
    changes: list[Change] = [
        PutConcept("Person", "A", source=source),
        fact("of old", id="f", source=source),
        fact("of old", source=source),
        fact("of late", id="g", source=source),
    ]
    before = nexus.stats().transactions
    for one in changes:
        with pytest.raises(RecollectError) as caught:
            nexus.write([one])
        assert caught.value.code is INVALID_VALUE
    assert nexus.stats().transactions == before


def test_distances_follow_links_in_both_directions(nexus: Nexus) -> None:
    ids = written(nexus, *(PutConcept("Person", name) for name in "ABCD")).ids
    written(nexus, PutLink(C, "knows", B), PutLink(C, "knows", Key("Person", "D")))
    assert nexus.elements.distances(ids[0], ids, 2) == {ids[0]: 0, ids[1]: 1, ids[2]: 2}
    assert nexus.elements.distances(ids[0], ids, 3)[ids[3]] == 3
    with pytest.raises(RecollectError):
        nexus.elements.distances("nobody", ids, 3)
