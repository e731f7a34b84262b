"""What was changed behind the memory's back is named as such by every read, and can be erased."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import behind
from recollect import Nexus, RecollectError
from recollect.model import Key, PutConcept, PutLink

TYPELESS = pytest.mark.sqlite_only("puts what the column of a server does not take")

A, B = Key("T", "A"), Key("T", "B")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory.db"
    with Nexus.open(path) as nexus:
        nexus.write([PutConcept("T", "A", {"x": 1}), PutConcept("T", "B"), PutLink(A, "p", B)])
        nexus.write([PutConcept("T", "A", {"x": 2})])
        nexus.write([PutConcept("T", "A", {"x": 3})])
    return path


def tamper(path: Path, sql: str) -> None:
    behind.tampered(path, sql)


ATTRIBUTE = '?a {type: "T"} ATTR(?a, "x", ?x)'
READS: dict[str, Callable[[Nexus], object]] = {
    "history": lambda nexus: nexus.history(A),
    "elements": lambda nexus: list(nexus.elements.records()),
    "write": lambda nexus: nexus.write([PutConcept("T", "A", {"y": 1})]),
    "read": lambda nexus: nexus.read('FIND(?a) WHERE { ?a {type: "T", name: "A"} }'),
    "attribute": lambda nexus: nexus.read(f"FIND(?x) WHERE {{ {ATTRIBUTE} }}"),
    "grouped": lambda nexus: nexus.read(f"FIND(?x, COUNT(?a)) WHERE {{ {ATTRIBUTE} }}"),
    "filtered": lambda nexus: nexus.read(f"FIND(?a) WHERE {{ {ATTRIBUTE} FILTER(?x > 1) }}"),
}


@TYPELESS
@pytest.mark.parametrize("read", list(READS))
@pytest.mark.parametrize("held", ["'{'", "x'ff'", "CAST(x'ff' AS TEXT)"])
def test_attributes_that_are_no_json_are_told_as_damage(path: Path, read: str, held: str) -> None:
    tamper(path, f"UPDATE concept SET attributes = {held} WHERE name = 'A'")
    with Nexus.open(path) as nexus, pytest.raises(RecollectError) as caught:
        READS[read](nexus)
    assert caught.value.code.code == "STORE_CORRUPT"


@pytest.mark.parametrize(
    "held",
    [
        "'[]'",
        *(pytest.param(one, marks=TYPELESS) for one in ("'{'", "x'ff'", "CAST(x'ff' AS TEXT)")),
    ],
)
def test_an_element_whose_attributes_are_no_json_can_be_erased(path: Path, held: str) -> None:
    tamper(path, f"UPDATE concept SET attributes = {held} WHERE name = 'A'")
    with Nexus.open(path) as nexus:
        assert len(nexus.purge(A).ids) == 2
        assert nexus.verify().is_whole
        assert nexus.doctor().findings == ()


def test_a_content_of_no_transaction_is_told_as_damage(path: Path) -> None:
    tamper(path, "UPDATE concept SET changed_at = 99 WHERE name = 'A'")
    with Nexus.open(path) as nexus, pytest.raises(RecollectError) as caught:
        nexus.history(A)
    assert caught.value.code.code == "STORE_CORRUPT"


@TYPELESS
@pytest.mark.parametrize("use", ["history", "write"])
def test_a_version_that_is_no_number_is_told_as_damage(path: Path, use: str) -> None:
    tamper(path, "UPDATE concept SET version = '3x' WHERE name = 'A'")
    with Nexus.open(path) as nexus, pytest.raises(RecollectError) as caught:
        READS[use](nexus)
    assert caught.value.code.code == "STORE_CORRUPT"


def test_a_fact_time_of_no_year_is_told_as_damage(path: Path) -> None:
    tamper(path, "UPDATE concept SET valid_at = 2305843009213693952 WHERE name = 'A'")
    with Nexus.open(path) as nexus, pytest.raises(RecollectError) as caught:
        list(nexus.elements.records())
    assert caught.value.code.code == "STORE_CORRUPT"


def test_an_element_of_the_wrong_kind_is_told_as_damage(path: Path) -> None:
    tamper(path, "UPDATE concept SET id = 99 WHERE name = 'A'")
    with Nexus.open(path) as nexus:
        for shown in ("?a", "COUNT(DISTINCT ?a), ?a"):
            with pytest.raises(RecollectError) as caught:
                nexus.read(f'FIND({shown}) WHERE {{ ?a {{type: "T", name: "A"}} }}')
            assert caught.value.code.code == "STORE_CORRUPT"


def test_the_past_stands_in_the_order_of_the_log(path: Path) -> None:
    tamper(path, "UPDATE past SET version = 3 - version")
    with Nexus.open(path) as nexus:
        (life,) = nexus.history(A)
    said = [version.after and version.after.attributes for version in life.versions]
    assert said == [{"x": 1}, {"x": 2}, {"x": 3}]


def test_an_operation_that_is_none_is_told_as_damage(path: Path) -> None:
    tamper(path, "UPDATE change SET operation = 'bogus' WHERE tx = 2")
    with Nexus.open(path) as nexus, pytest.raises(RecollectError) as caught:
        nexus.changes()
    assert caught.value.code.code == "STORE_CORRUPT"
