from __future__ import annotations

from tests.kernel.write.memory import Memory

from recollect.kernel.lang.ast import Section
from recollect.kernel.read.catalogs import Catalogs
from recollect.kernel.write.found import delete_elements, remove_keys
from recollect.kernel.write.unit import Unit
from recollect.model import DeleteReport, Instant

GRAPH = """
UPSERT {
    CONCEPT @a { {type: "T", name: "A"} SET ATTRIBUTES { x: 1 } SET PROPOSITIONS { ("p", @b) } }
    CONCEPT @b { {type: "T", name: "B"} }
    PROPOSITION @l { (@a, "q", @b) SET ATTRIBUTES { x: 1 } }
    PROPOSITION @m { (@b, "says", @l) }
}
WITH METADATA { source: "s" }
"""


def ids(memory: Memory, sql: str) -> list[int]:
    return [int(str(one)) for (one,) in memory.rows(sql)]


def run(memory: Memory, section: Section | None, chosen: list[int], *keys: str) -> DeleteReport:
    with memory.store.writing() as session:
        _, last = Catalogs().for_writing(session, memory.group.name)
        unit = Unit(session, memory.group, memory.terms, last, Instant(0))
        if section is None:
            report = delete_elements(unit, chosen)
        else:
            report = remove_keys(unit, chosen, section, keys)
        unit.commit()
    return report


def test_a_deleted_concept_takes_its_links_with_it(memory: Memory) -> None:
    memory.write(GRAPH)
    report = memory.write('DELETE CONCEPT {type: "T", name: "A"} DETACH').delete
    assert report.counts == {"deleted_concepts": 1, "deleted_propositions": 3}
    assert report.note == ""
    assert memory.links() == []
    assert list(memory.concepts()) == ["T B"]


def test_what_is_deleted_stays_readable_as_of_before(memory: Memory) -> None:
    memory.write(GRAPH)
    memory.write('DELETE CONCEPT {type: "T", name: "A"} DETACH')
    rows = memory.rows(
        "SELECT name, born_at, expired_at FROM concept WHERE group_id = :group AND expired_at = 2"
    )
    assert rows == [("A", 1, 2)]


def test_a_delete_that_matches_nothing_or_several_says_so_and_deletes_nothing(
    memory: Memory,
) -> None:
    memory.write(GRAPH)
    nothing = memory.write('DELETE CONCEPT {type: "T", name: "Ghost"} DETACH')
    several = memory.write('DELETE CONCEPT {type: "T"} DETACH')
    assert nothing.number is None
    assert several.number is None
    assert nothing.delete.counts == {"deleted_concepts": 0, "deleted_propositions": 0}
    assert nothing.delete.note.startswith("0 concepts match")
    assert several.delete.note.startswith("2 concepts match")


def test_deleted_links_take_the_links_about_them(memory: Memory) -> None:
    memory.write(GRAPH)
    chosen = ids(memory, "SELECT id FROM link WHERE group_id = :group AND attributes != '{}'")
    report = run(memory, None, chosen)
    assert report.counts == {"deleted_concepts": 0, "deleted_propositions": 2}
    assert [text for text, *_ in memory.links()] == ["A p B"]


def test_a_second_delete_of_the_same_elements_deletes_nothing(memory: Memory) -> None:
    memory.write(GRAPH)
    chosen = ids(memory, "SELECT id FROM link WHERE group_id = :group")
    run(memory, None, chosen)
    assert run(memory, None, chosen).counts == {"deleted_concepts": 0, "deleted_propositions": 0}


def test_removing_a_key_counts_the_elements_that_had_it(memory: Memory) -> None:
    memory.write(GRAPH)
    everything = ids(memory, "SELECT id FROM concept WHERE group_id = :group")
    everything += ids(memory, "SELECT id FROM link WHERE group_id = :group")
    report = run(memory, Section.ATTRIBUTES, everything, "x", "absent")
    assert report.counts == {"updated_concepts": 1, "updated_propositions": 1}
    report = run(memory, Section.METADATA, everything, "source")
    assert report.counts == {"updated_concepts": 2, "updated_propositions": 3}
    assert memory.concepts() == {"T A": ({}, {}), "T B": ({}, {})}


def test_an_element_of_another_group_cannot_be_deleted(memory: Memory) -> None:
    theirs = ids(memory, "SELECT id FROM concept WHERE group_id = 1")
    assert theirs
    assert run(memory, None, theirs).counts == {"deleted_concepts": 0, "deleted_propositions": 0}
