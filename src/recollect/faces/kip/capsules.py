"""A memory as KIP capsules: texts that make the living graph again in another memory.

A capsule names concepts that it does not hold by type and name, and links by subject, predicate and
object, so it depends on the capsules before it and on nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TextIO

from recollect.errors import INVALID_SYNTAX, Notice, RecollectError
from recollect.faces.kip.as_of import read_as_of
from recollect.kernel import Capsule, Nexus, parse
from recollect.model import AsOf, Found, Kinds, Operation, Record, Value
from recollect.node import dataclass

MOST_ELEMENTS = 1_000
"""So many elements a capsule holds, if not told otherwise."""

_MOST_CHARACTERS = 2**20
_SEPARATOR = "// capsule "
_MARK = re.compile(rf"{_SEPARATOR}[0-9]+\s*")
_UPSERT = "UPSERT"
_BEGINNING = f"{_UPSERT} {{"


def export_capsules(
    nexus: Nexus,
    query: str | None = None,
    parameters: Mapping[str, Value] | None = None,
    *,
    as_of: AsOf | Mapping[str, object] | None = None,
    most_elements: int = MOST_ELEMENTS,
    notices: list[Notice] | None = None,
) -> Iterator[str]:
    """Yield the capsules that make a group's living graph, or what a FIND finds, once more.

    Run in order on an empty memory they give equal concepts with the ids that were given,
    attributes, metadata, fact times, and links. A link that is found brings its ends. Links with a
    key cannot be expressed in KIP, and KML does not write episodes or the elements of claims: these
    are left out, with the links about them, and `notices` gets warnings of that at the end. The
    same graph gives the same texts. The query may find as much as `read` may answer. KIP
    1.0-draft3, KML.
    """
    found = None if query is None else Found(query, parameters or {})
    records = nexus.elements.records(found, as_of=read_as_of(as_of))
    return _capsules(nexus.kinds, records, most_elements, [] if notices is None else notices)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: elements that each capsule made, or left with another content."""

    capsules: int
    created: int
    updated: int


def import_capsules(
    nexus: Nexus,
    capsules: Iterable[str],
    *,
    actor: str | None = None,
    request_id: str | None = None,
) -> Iterator[Imported]:
    """Run capsules in order, each one transaction, and yield what was done so far after each.

    A text that holds anything but UPSERT is not a capsule: KIP_1001. The target of a link that is
    not there is an error, not left out. Saying again what the memory already holds changes nothing,
    so an import that was cut short can be run again.
    """
    done = Imported(0, 0, 0)
    for text in capsules:
        _refuse_other_than_upsert(text)
        answer = nexus.write(text, on_missing="error", actor=actor, request_id=request_id)
        did = _operations(nexus, answer.transaction)
        done = Imported(
            done.capsules + 1,
            done.created + did[Operation.CREATE],
            done.updated + did[Operation.UPDATE],
        )
        yield done


def _refuse_other_than_upsert(text: str) -> None:
    for statement in parse(text).statements:
        if not text.startswith(_UPSERT, statement.span.start):
            raise RecollectError(
                INVALID_SYNTAX,
                "a capsule holds only UPSERT statements, and this is another",
                hint="recollect run",
                source=text,
                span=statement.span,
            )


def write_capsules(capsules: Iterable[str], stream: TextIO) -> Iterator[int]:
    """Write capsules one after another, as one text that is KIP too; yield how many so far."""
    for number, text in enumerate(capsules, 1):
        stream.write(f"{_SEPARATOR}{number}\n{text}")
        yield number


def read_capsules(text: Iterable[str]) -> Iterator[str]:
    """Yield the capsules of the lines of a text; without a mark between them it is one.

    Joined they are the text. A mark is a line as export writes it, with an UPSERT on the
    line below: any other comment may stand inside a statement. What says nothing above the
    first mark, comments and blank lines, belongs to the first capsule.
    """
    lines: list[str] = []
    says_something = False
    for line in text:
        if says_something and line.startswith(_BEGINNING) and _MARK.fullmatch(lines[-1]):
            yield "".join(lines[:-1])
            lines = lines[-1:]
        lines.append(line)
        says_something = says_something or _says_something(line)
    if lines:
        yield "".join(lines)


def _says_something(line: str) -> bool:
    told = line.strip()
    return bool(told) and not told.startswith("//")


def _operations(nexus: Nexus, transaction: int | None) -> Counter[Operation]:
    """Count what a transaction did in the end: its statements may take back one another's."""
    if transaction is None:
        return Counter()
    logged = nexus.changes(transaction - 1, 1)
    return Counter(change.operation for one in logged for change in one.changes)


def _capsules(
    kinds: Kinds, records: Iterator[Record], most_elements: int, notices: list[Notice]
) -> Iterator[str]:
    capsule = Capsule(kinds, with_ids=True)
    for record in records:
        if capsule.elements >= most_elements or capsule.characters >= _MOST_CHARACTERS:
            yield capsule.text()
            capsule = Capsule(kinds, with_ids=True, keyed=capsule.keyed, owned=capsule.owned)
        capsule.add(record)
    if capsule.elements:
        yield capsule.text()
    hint = "write lines of JSON instead: recollect export --format jsonl"
    notices.extend(capsule.left_out(hint))
