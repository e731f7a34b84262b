"""Elements are compared with their digests as they are read, and a difference is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import behind
import recollect
from recollect import AsOf, Limits, Nexus, RecollectError
from recollect.model import Key, PutConcept, PutLink

A, B = Key("T", "A"), Key("T", "B")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        for group in (nexus, nexus.group("decoy")):
            group.write([PutConcept("T", "A", {"x": 1}, id="a"), PutConcept("T", "B", {"x": 1})])
            group.write([PutLink(A, "p", B, {"y": 1}, id="l")])
            group.write([PutConcept("T", "A", {"x": 2})])
    return path


def tamper(path: Path, sql: str) -> None:
    behind.tampered(path, sql)


FIND = 'WHERE { ?a {type: "T", name: "A"}'
READS: dict[str, Callable[[Nexus], object]] = {
    "whole": lambda nexus: nexus.read(f"FIND(?a) {FIND} }}"),
    "in a list": lambda nexus: nexus.read(f"FIND(COLLECT(?a)) {FIND} }}"),
    "an attribute": lambda nexus: nexus.read(f'FIND(?x) {FIND} ATTR(?a, "x", ?x) }}'),
    "a page": lambda nexus: nexus.read(f'FIND(?x) {FIND} ATTR(?a, "x", ?x) }} LIMIT 1'),
    "with dots": lambda nexus: nexus.read(f"FIND(?a.attributes.x) {FIND} }}"),
    "by id": lambda nexus: nexus.elements.look_up(["a"]),
    "searched": lambda nexus: nexus.search("A"),
    "newest": lambda nexus: nexus.concepts.newest("T", by="x", limit=5),
    "exported": lambda nexus: list(nexus.elements.records()),
}
LINK: dict[str, Callable[[Nexus], object]] = {
    "whole": lambda nexus: nexus.read('FIND(?l) WHERE { ?l (?a, "p", ?b) }'),
    "an attribute": lambda nexus: nexus.read(
        'FIND(?y) WHERE { ?l (?a, "p", ?b) ATTR(?l, "y", ?y) }'
    ),
    "by id": lambda nexus: nexus.elements.look_up(["l"]),
}
GROUP = "group_id = (SELECT group_id FROM grp WHERE name = 'default')"


def refused(path: Path, read: Callable[[Nexus], object], element: str = "a") -> None:
    with recollect.open(path, compare_every=1) as nexus:
        for _ in range(3):  # the way of a text that was asked before too
            with pytest.raises(RecollectError) as caught:
                read(nexus)
            assert caught.value.code.code == "STORE_CORRUPT"
            assert f"the element {element} " in caught.value.message
            assert caught.value.details["element"] == element
        nexus.group("decoy").read(f"FIND(?a) {FIND} }}")
    with recollect.open(path, compare_every=0) as nexus:
        read(nexus)


@pytest.mark.parametrize("read", list(READS))
def test_a_concept_that_was_changed_is_named_by_whoever_reads_it(path: Path, read: str) -> None:
    tamper(path, f"UPDATE concept SET attributes = '{{\"x\":3}}' WHERE name = 'A' AND {GROUP}")
    refused(path, READS[read])


@pytest.mark.parametrize("read", list(LINK))
def test_a_link_that_was_changed_is_named_by_whoever_reads_it(path: Path, read: str) -> None:
    tamper(path, f"UPDATE link SET attributes = '{{\"y\":3}}' WHERE {GROUP}")
    refused(path, LINK[read], "l")


@pytest.mark.parametrize(
    "changed", ["metadata = '{\"m\":1}'", "invalid_at = 5", "salt = zeroblob(16)", "type = 7"]
)
def test_any_change_of_an_element_is_seen(path: Path, changed: str) -> None:
    if changed.startswith("type"):
        tamper(path, f"INSERT INTO term SELECT group_id, 7, 'U' FROM grp WHERE {GROUP}")
    tamper(path, f"UPDATE concept SET {changed} WHERE name = 'A' AND {GROUP}")
    refused(path, READS["by id"])


def test_a_content_of_the_past_is_compared_when_the_past_is_read(path: Path) -> None:
    tamper(path, f"UPDATE past SET attributes = '{{\"x\":9}}' WHERE {GROUP}")
    then = AsOf(transaction=1)
    for read in (f"FIND(?a) {FIND} }}", f'FIND(?x) {FIND} ATTR(?a, "x", ?x) }}'):
        refused(path, lambda nexus, read=read: nexus.read(read, as_of=then))  # type: ignore[misc]
    refused(path, lambda nexus: nexus.elements.look_up(["a"], as_of=then))
    with recollect.open(path, compare_every=1) as nexus:
        READS["whole"](nexus)


def test_what_is_as_it_was_written_is_read_as_ever(path: Path) -> None:
    with (
        recollect.open(path, compare_every=0) as without,
        recollect.open(path, compare_every=1) as nexus,
    ):
        for read in (*READS.values(), *LINK.values()):
            assert read(nexus) == read(without)
        with nexus.transaction():
            nexus.write([PutConcept("T", "A", {"x": 5})])
            READS["whole"](nexus)
        READS["whole"](nexus)


def test_comparing_changes_no_notice_and_no_limit(path: Path) -> None:
    asked = 'FIND(?x, ?y) WHERE { ?a {type: "T"} ATTR(?a, "x", ?x) ATTR(?a, "z", ?y) }'
    either = 'FIND(?x) WHERE { ?a {type: "T"} ATTR(?a, "x", ?x) UNION { ?a {type: "U"} } }'
    for text in (asked, either):
        with (
            recollect.open(path, compare_every=0) as without,
            recollect.open(path, compare_every=1) as nexus,
        ):
            limits = Limits(max_rows=2)
            assert nexus.read(text) == without.read(text)
            assert nexus.read(asked, limits=limits) == without.read(asked, limits=limits)


@pytest.mark.parametrize("read", ["whole", "an attribute"])
def test_one_in_n_is_compared(path: Path, read: str) -> None:
    tamper(path, f"UPDATE concept SET attributes = '{{\"x\":3}}' WHERE name = 'A' AND {GROUP}")
    with recollect.open(path, compare_every=4) as nexus:
        seen = []
        for _ in range(4):
            try:
                READS[read](nexus)
            except RecollectError:
                seen.append(False)
            else:
                seen.append(True)
        assert seen == [True, True, True, False]


@pytest.mark.parametrize("every", [-1, 1.5, True, "all", None])
def test_a_rate_that_is_none_is_refused(every: object) -> None:
    with pytest.raises(RecollectError) as caught:
        recollect.open(":memory:", compare_every=every)  # type: ignore[arg-type]
    assert caught.value.code.code == "INVALID_ARGUMENT"
