"""Memories with a decoy group, and files as other programs write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import recollect
from recollect.faces.operations import Operations
from recollect.integrations.exchange import ImportReport, hand_out, take_in
from recollect.kernel import Nexus
from recollect.model import Concept, ConceptRecord, Link, LinkRecord, Record, Stats

Write = Callable[[str, object], Path]

DECOY = """
UPSERT {
  CONCEPT @ann { {type: "Entity", name: "Ann"} }
  CONCEPT @acme { {type: "Entity", name: "Acme"} SET PROPOSITIONS { ("employs", @ann) } }
}
"""


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:", "team") as nexus:
        nexus.group("decoy").write(DECOY)
        yield nexus
        assert nexus.group("decoy").stats().transactions == 1


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file: a text as it is, a list as lines of JSON, anything else as JSON."""

    def written(name: str, content: object) -> Path:
        path = tmp_path / name
        match content:
            case bytes():
                path.write_bytes(content)
            case str():
                path.write_text(content, encoding="utf-8")
            case list():
                path.write_text("".join(f"{json.dumps(one)}\n" for one in content))
            case _:
                path.write_text(json.dumps(content, indent=2))
        return path

    return written


def _counts(nexus: Nexus) -> Stats:
    """Return what is counted, without bytes: a server's tables grow by what was taken back."""
    return replace(nexus.stats(), size_bytes=0, free_bytes=0, log_bytes=0, relations={})


def twice_is_once(nexus: Nexus, path: Path, **options: object) -> ImportReport:
    """Take in a file: dry, for real, and again; return what the real run reports."""
    before = _counts(nexus)
    dry = take_in(nexus, path, dry_run=True, **options)
    assert _counts(nexus) == before
    report = take_in(nexus, path, **options)
    wires = dry.to_wire(), report.to_wire()
    assert [one.pop("dry_run") for one in wires] == [True, False]
    assert wires[0] == wires[1]
    after = nexus.stats()
    again = take_in(nexus, path, **options)
    assert (again.created, again.updated) == (0, 0)
    assert nexus.stats().transactions == after.transactions
    assert nexus.doctor().is_well
    return report


def exported(nexus: Nexus, path: Path, format: str) -> Path:
    with path.open("xb") as stream:
        hand_out(nexus, stream, format)
    return path


def elements(nexus: Nexus) -> list[object]:
    """What a group holds, said without the ids that memories give out themselves."""
    return sorted((spelled(record) for record in nexus.elements.records()), key=repr)


def spelled(record: Record) -> object:
    match record:
        case ConceptRecord(Concept(_, type, name, attributes, metadata)):
            return type, name, ordered(attributes), ordered(metadata)
        case LinkRecord(Link(_, _, predicate, _, attributes, metadata)):
            ends = called(record.subject), called(record.object)
            return *ends, predicate, record.key, ordered(attributes), ordered(metadata)


def called(record: Record) -> object:
    match record:
        case ConceptRecord(concept):
            return concept.type, concept.name
        case LinkRecord():
            return spelled(record)


def ordered(members: object) -> str:
    return json.dumps(members, sort_keys=True)


def asked(operations: Operations, name: str, **given: object) -> dict:
    """What an operation answers about the group of the tests."""
    return operations.call(name, {"group_ids": ["team"], **given})["output"]


def words_found(nexus: Nexus, question: str) -> list[str]:
    """The words of the facts that a question finds, best first."""
    (hits,) = nexus.search(question, "link").results
    return [str(hit.element.attributes["fact"]) for hit in hits.hits]


def rows(nexus: Nexus, text: str) -> list[tuple[object, ...]]:
    (found,) = nexus.read(text).results
    return [tuple(row) for row in found.rows]
