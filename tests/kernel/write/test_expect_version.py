"""EXPECT VERSION, the versions it speaks of, and links named by their ids."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.model import (
    Change,
    DeleteReport,
    Instant,
    Key,
    PutConcept,
    PutLink,
    RemoveKeys,
    Rows,
    UpsertReport,
    Value,
)

COUNTER = 'CONCEPT { {type: "Counter", name: "c"} EXPECT VERSION $v SET ATTRIBUTES { n: $n } }'
LINK = """
PROPOSITION {
  ({type: "Counter", name: "c"}, "counts", {type: "T", name: "x"})
  EXPECT VERSION $v SET ATTRIBUTES { n: $n }
}
"""


@pytest.fixture
def nexus() -> Iterator[recollect.Nexus]:
    clock = iter(range(1_000, 100_000, 1_000))
    with recollect.open(":memory:", clock=lambda: Instant(next(clock))) as nexus:
        for one in (nexus, nexus.group("decoy")):
            one.write([PutConcept("T", "x", id="x")])
        nexus.group("decoy").write([PutConcept("Counter", "c", {"n": number}) for number in (1, 2)])
        yield nexus
        assert nexus.verify().is_whole


def value(nexus: recollect.Nexus, key: str = "n") -> object:
    read = "META" if key.startswith("_") else "ATTR"
    query = f'FIND(?v) WHERE {{ ?c {{type: "Counter", name: "c"}} {read}(?c, "{key}", ?v) }}'
    (answer,) = nexus.read(query).results
    assert isinstance(answer, Rows)
    return answer.rows[0][0] if answer.rows else None


def upsert(nexus: recollect.Nexus, block: str, expected: Value, n: int) -> UpsertReport:
    (report,) = nexus.write(f"UPSERT {{ {block} }}", {"v": expected, "n": n}).results
    assert isinstance(report, UpsertReport)
    return report


def conflict(nexus: recollect.Nexus, text: str, **parameters: Value) -> RecollectError:
    with pytest.raises(RecollectError) as caught:
        nexus.write(text, parameters)
    assert caught.value.code.code == "KIP_3005"
    assert caught.value.to_wire()["retry"] == "refresh_then_retry"
    assert caught.value.hint
    return caught.value


def test_a_block_goes_ahead_on_the_version_it_expects(nexus: recollect.Nexus) -> None:
    assert upsert(nexus, COUNTER, 0, 1).created == 1
    assert upsert(nexus, COUNTER, 1, 2).updated == 1
    assert upsert(nexus, COUNTER, 2, 2).updated == 0
    assert upsert(nexus, COUNTER, 2, 3).updated == 1
    assert (value(nexus), value(nexus, "_version")) == (3, 3)


@pytest.mark.parametrize(("expected", "shown"), [(0, "there already"), (1, "not 1"), (9, "not 9")])
def test_another_version_stops_the_whole_text(
    nexus: recollect.Nexus, expected: int, shown: str
) -> None:
    upsert(nexus, COUNTER, 0, 1)
    upsert(nexus, COUNTER, 1, 2)
    other = 'UPSERT { CONCEPT { {type: "T", name: "new"} } }'
    error = conflict(nexus, f"{other} UPSERT {{ {COUNTER} }}", v=expected, n=5)
    assert shown in error.message
    assert "version 2" in error.message
    assert error.hint.endswith("EXPECT VERSION 2")
    assert error.details == {"version": 2, "expected": expected}
    assert error.span is not None
    assert value(nexus) == 2
    assert nexus.stats().concepts == 2


def test_what_is_not_there_has_version_0(nexus: recollect.Nexus) -> None:
    error = conflict(nexus, f"UPSERT {{ {COUNTER} }}", v=1, n=1)
    assert error.details == {"version": 0, "expected": 1}
    assert value(nexus) is None


def test_a_link_has_versions_too(nexus: recollect.Nexus) -> None:
    upsert(nexus, COUNTER, 0, 1)
    assert upsert(nexus, LINK, 0, 1).created == 1
    assert upsert(nexus, LINK, 1, 2).updated == 1
    conflict(nexus, f"UPSERT {{ {LINK} }}", v=0, n=3)
    assert "(id: " in conflict(nexus, f"UPSERT {{ {LINK} }}", v=1, n=3).message


def test_blocks_of_one_statement_expect_what_it_found(nexus: recollect.Nexus) -> None:
    upsert(nexus, f"{COUNTER} {COUNTER.replace('$n', '9')} {LINK} {LINK}", 0, 1)
    assert (value(nexus), value(nexus, "_version")) == (9, 1)
    upsert(nexus, f"{COUNTER} {COUNTER.replace('$n', '8')} {LINK} {LINK}", 1, 1)
    assert (value(nexus), value(nexus, "_version")) == (8, 2)


def test_statements_of_one_text_see_each_other(nexus: recollect.Nexus) -> None:
    block = COUNTER.replace("$n", "2")
    text = f"UPSERT {{ {COUNTER} }} UPSERT {{ {block.replace('$v', '1')} }}"
    nexus.write(text, {"v": 0, "n": 1})
    assert (value(nexus), value(nexus, "_version")) == (2, 1)
    second = f"UPSERT {{ {COUNTER} }} UPSERT {{ {block.replace('$v', '2')} }}"
    nexus.write(second, {"v": 1, "n": 5})
    assert (value(nexus), value(nexus, "_version")) == (2, 1)  # in the end nothing is new


@pytest.mark.parametrize("expected", [-1, 1.5, "1", True, None, [1]])
def test_a_version_is_a_whole_number(nexus: recollect.Nexus, expected: Value) -> None:
    with pytest.raises(RecollectError) as caught:
        upsert(nexus, COUNTER, expected, 1)
    assert caught.value.code.code == "KIP_1001"


def test_a_dry_run_expects_too(nexus: recollect.Nexus) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.write(f"UPSERT {{ {COUNTER} }}", {"v": 4, "n": 1}, dry_run=True)
    assert caught.value.code.code == "KIP_3005"


def test_an_id_that_is_not_there_is_missing_whatever_is_expected(nexus: recollect.Nexus) -> None:
    with pytest.raises(RecollectError) as caught:
        nexus.write('UPSERT { CONCEPT { {id: "none"} EXPECT VERSION 0 } }')
    assert caught.value.code.code == "KIP_3002"


def test_the_time_of_the_last_change_is_read(nexus: recollect.Nexus) -> None:
    upsert(nexus, COUNTER, 0, 1)
    first = value(nexus, "_updated_at")
    upsert(nexus, COUNTER, 1, 1)
    assert value(nexus, "_updated_at") == first == value(nexus, "_created_at")
    upsert(nexus, COUNTER, 1, 2)
    assert isinstance(first, str)
    assert str(value(nexus, "_updated_at")) > first
    assert len(first) == len("1970-01-01T00:00:05.000Z")
    assert first.endswith("Z")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (PutConcept("T", "x", {"n": 1}, expect_version=1), None),
        (PutConcept("T", "new", expect_version=0), None),
        (PutConcept("T", "x", {"n": 1}, expect_version=2), "KIP_3005"),
        (PutConcept("T", "x", expect_version=0), "KIP_3005"),
        (PutConcept("T", "new", expect_version=1), "KIP_3005"),
        (PutLink("x", "p", "x", expect_version=0), None),
        (PutLink("x", "p", "x", expect_version=3), "KIP_3005"),
        (PutConcept("T", "x", expect_version=-1), "INVALID_ARGUMENT"),
        (PutConcept("T", "x", expect_version="1"), "INVALID_ARGUMENT"),  # type: ignore[arg-type]
        (PutLink("x", "p", "x", expect_version=True), "INVALID_ARGUMENT"),
        (RemoveKeys("x", metadata=frozenset({"_version"})), "KIP_2002"),
    ],
)
def test_a_change_of_a_batch_expects_as_a_block_does(
    nexus: recollect.Nexus, change: Change, code: str | None
) -> None:
    before = nexus.stats().transactions
    if code is None:
        assert nexus.write([change]).transaction == before + 1
        return
    with pytest.raises(RecollectError) as caught:
        nexus.write([PutConcept("T", "other"), change])
    assert caught.value.code.code == code
    assert nexus.stats().transactions == before


def test_each_change_of_a_batch_expects_the_version_that_the_batch_found(
    nexus: recollect.Nexus,
) -> None:
    def twice(name: str, first: int, second: int) -> list[Change]:
        return [
            PutConcept("T", name, {"n": 1}, expect_version=first),
            PutConcept("T", name, {"n": 2}, expect_version=second),
        ]

    for name, found in (("x", 1), ("new", 0)):
        with pytest.raises(RecollectError) as caught:
            nexus.write(twice(name, found, found + 1))
        assert caught.value.code.code == "KIP_3005"
        assert caught.value.details == {"version": found, "expected": found + 1}
        assert nexus.write(twice(name, found, found)).transaction is not None


# Links named by their ids


def test_a_link_named_by_its_id_is_only_matched(nexus: recollect.Nexus) -> None:
    nexus.write([PutLink("x", "p", "x", {"n": 1}, id="l"), PutLink("x", "p", "x", key="k", id="k")])
    text = """
    UPSERT {
      PROPOSITION ?l { (id: $id) SET ATTRIBUTES { m: 2 } } WITH METADATA { source: "s" }
      PROPOSITION { (?l, "is_about", (id: "l")) }
      CONCEPT { {id: "x"} SET PROPOSITIONS { ("likes", (id: "l")) ("likes", (id: "none")) } }
    }
    """
    (report,) = nexus.write(text, {"id": "k"}).results
    assert isinstance(report, UpsertReport)
    assert (report.created, report.updated, report.links[0]) == (2, 1, "k")
    assert [(one.predicate, one.target) for one in report.skipped] == [("likes", '(id: "none")')]
    (answer,) = nexus.read('FIND(?l) WHERE { ?l (id: "k") }').results
    assert isinstance(answer, Rows)
    (link,) = answer.rows[0]
    assert isinstance(link, recollect.Link)
    assert (link.attributes, link.metadata) == ({"m": 2}, {"source": "s"})


@pytest.mark.parametrize(("given", "hint"), [("none", "FIND"), ("x", '{id: "x"}')])
def test_a_link_that_is_not_there_is_missing(nexus: recollect.Nexus, given: str, hint: str) -> None:
    for text in (
        "UPSERT { PROPOSITION { (id: $id) SET ATTRIBUTES { n: 1 } } }",
        'UPSERT { PROPOSITION { ((id: $id), "p", {id: "x"}) } }',
    ):
        with pytest.raises(RecollectError) as caught:
            nexus.write(text, {"id": given})
        assert caught.value.code.code == "KIP_3002"
        assert caught.value.span is not None
        assert hint in caught.value.hint


def test_blocks_of_one_link_are_applied_in_the_order_of_the_text(nexus: recollect.Nexus) -> None:
    nexus.write([PutLink("x", "p", "x", id="l")])
    by_id = 'PROPOSITION { (id: "l") SET ATTRIBUTES { n: 1 } }'
    by_ends = 'PROPOSITION { ({id: "x"}, "p", {id: "x"}) SET ATTRIBUTES { n: 2 } }'
    for blocks, expected in ((f"{by_id} {by_ends}", 2), (f"{by_ends} {by_id}", 1)):
        nexus.write(f"UPSERT {{ {blocks} }}")
        (answer,) = nexus.read('FIND(?n) WHERE { ?l (id: "l") ATTR(?l, "n", ?n) }').results
        assert isinstance(answer, Rows)
        assert answer.rows == [(expected,)]


# What a WHERE deletes


def test_every_concept_that_is_found_is_deleted_with_its_links(nexus: recollect.Nexus) -> None:
    nexus.write(
        [
            *(PutConcept("Old", name) for name in "abc"),
            PutLink(Key("Old", "a"), "p", "x", id="l"),
            PutLink("x", "doubts", "l"),
        ]
    )
    text = (
        'DELETE CONCEPT ?old DETACH WHERE { ?old {type: "Old"} FILTER(?old != ?c) ?c {name: "c"} }'
    )
    (report,) = nexus.write(text).results
    assert isinstance(report, DeleteReport)
    assert report.counts == {"deleted_concepts": 2, "deleted_propositions": 2}
    (nothing,) = nexus.write('DELETE CONCEPT ?o DETACH WHERE { ?o {type: "None"} }').results
    assert isinstance(nothing, DeleteReport)
    assert nothing.counts == {"deleted_concepts": 0, "deleted_propositions": 0}


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("?x (?s, ?p, ?o)", "KIP_1001"),
        ("(?s, ?x, ?o)", "KIP_1001"),
        ('?y {type: "T"}', "KIP_3001"),
    ],
)
def test_what_is_no_concept_is_not_deleted(nexus: recollect.Nexus, where: str, code: str) -> None:
    nexus.write([PutLink("x", "p", "x", id="l")])
    with pytest.raises(RecollectError) as caught:
        nexus.write(f"DELETE CONCEPT ?x DETACH WHERE {{ {where} }}")
    assert caught.value.code.code == code
    assert nexus.stats().links == 1
