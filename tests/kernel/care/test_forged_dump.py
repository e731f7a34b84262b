"""A dump whose log agrees with its rows is still refused when its rows make no graph."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

import recollect
from recollect import RecollectError
from recollect.kernel.care.dump import write_dump
from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.store.group import Terms, create_group
from recollect.kernel.store.sqlite.store import SqliteStore
from recollect.kernel.write.element import ElementContent
from recollect.kernel.write.unit import Unit
from recollect.model import FOREVER, Instant, PutConcept, silent

OTHERS = 2  # the id of an element of another group


def forged(forge: Callable[[Unit], None]) -> bytes:
    """Return the dump of a group into which something was written that no face would write."""
    store = SqliteStore(":memory:")
    with store.writing() as session:
        for name, write in (("other", ordinary), ("default", ordinary), ("default", forge)):
            group = create_group(session, name)
            _, last = Catalogs().for_writing(session, group.name)
            unit = Unit(session, group, Terms(group.group_id), last, Instant(0))
            write(unit)
            unit.commit()
    stream = io.BytesIO()
    with store.reading() as session:
        write_dump(session, ["default"], stream, silent)
    store.close()
    return stream.getvalue()


def ordinary(unit: Unit) -> None:
    unit.create_concept("T", "A")


def linked(unit: Unit, target: int, predicate: str = "p") -> None:
    subject = unit.create_concept("T", "B")
    unit.create_link((subject.id, unit.terms.intern(predicate), target))


def its_own_end(unit: Unit) -> None:
    subject = unit.create_concept("T", "B")
    unit.create_link((subject.id, unit.terms.intern("p"), subject.id + 3))


def closed_end(unit: Unit) -> None:
    end = unit.directory.concept((unit.terms.intern("T"), "A"))
    assert end is not None
    unit.create_link((end.id, unit.terms.intern("p"), end.id))
    found = end.content
    unit.set_content(end, ElementContent({"n": 1}, {}, Instant(0), FOREVER))
    end.is_living = False
    unit.set_content(end, found)


FORGED: dict[str, tuple[Callable[[Unit], None], str]] = {
    "another group's element": (lambda unit: linked(unit, OTHERS), "link ends in an element"),
    "nothing": (lambda unit: linked(unit, 99_998), "link ends in an element"),
    "itself": (its_own_end, "link is older than an end"),
    "a path": (lambda unit: linked(unit, 4, "p|q{1,3}"), "plain predicate"),
    "no name": (lambda unit: _create(unit, "T", ""), "not a text that is not empty"),
    "no type": (lambda unit: _create(unit, "", "B"), "not a text that is not empty"),
    "an end that is closed": (closed_end, "link is alive after an end"),
}


def _create(unit: Unit, kind: str, name: str) -> None:
    unit.create_concept(kind, name)


@pytest.mark.parametrize("what", list(FORGED))
def test_what_no_face_would_write_is_not_restored(what: str) -> None:
    forge, why = FORGED[what]
    with recollect.open(":memory:") as nexus, pytest.raises(RecollectError) as caught:
        nexus.restore(io.BytesIO(forged(forge)))
    assert caught.value.code.code == "INVALID_ARGUMENT"
    assert why in caught.value.message
    with recollect.open(":memory:") as nexus:
        assert nexus.restore(io.BytesIO(forged(ordinary_too))) == ["default"]


def ordinary_too(unit: Unit) -> None:
    linked(unit, 4)


def test_a_content_that_no_dump_could_hold_is_not_written() -> None:
    with recollect.open(":memory:") as nexus:
        large = {"x": "a" * (24 * 2**20)}
        with pytest.raises(RecollectError) as caught:
            nexus.write([PutConcept("T", "A", large)])
        assert caught.value.code.code == "KIP_4002"
        assert nexus.stats().transactions == 0


def test_a_hostile_line_is_not_repeated_in_full() -> None:
    with recollect.open(":memory:") as nexus:
        for line in (b'{"recollect_dump":1}\n{"%s":1}\n', b'{"recollect_dump":"%s"}\n'):
            with pytest.raises(RecollectError) as caught:
                nexus.restore(io.BytesIO(line % (b"x" * 100_000)))
            assert len(caught.value.message) < 200


def test_a_dump_of_version_true_is_no_dump_of_version_1() -> None:
    with recollect.open(":memory:") as nexus, pytest.raises(RecollectError) as caught:
        nexus.restore(io.BytesIO(b'{"recollect_dump":true}\n{"end":1}\n'))
    assert "of version True" in caught.value.message
