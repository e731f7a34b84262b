"""A memory as KIP capsules: texts that make the living graph again in another memory.

A capsule names concepts that it does not hold by type and name, and links by subject, predicate and
object, so it depends on the capsules before it and on nothing else.

The capsules that come with Recollect, and loading them into a memory.

The rule: a capsule is an ordinary KIP text, so loading it twice changes nothing, and what it
brings can be read, exported and purged like all else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import TextIO

from recollect.errors import INVALID_SYNTAX, Notice, not_among
from recollect.kernel import Capsule, Nexus, parse, read_as_of
from recollect.model import AsOf, Concept, Found, Kinds, Operation, PutConcept, Record, Value
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
    notices: list[Notice] | None = None,
) -> Iterator[Imported]:
    """Run capsules in order, each one transaction, and yield what was done so far after each.

    `notices` gets the warnings about them.
    A text that holds anything but UPSERT is not a capsule: KIP_1001. The target of a link that is
    not there is an error, not left out. Saying again what the memory already holds changes nothing,
    so an import that was cut short can be run again.
    """
    done = Imported(0, 0, 0)
    for text in capsules:
        _refuse_other_than_upsert(text)
        answer = nexus.write(text, on_missing="error", actor=actor, request_id=request_id)
        if notices is not None:
            notices += answer.notices
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
            raise INVALID_SYNTAX.error(
                "a capsule holds only UPSERT statements, and this is another",
                "recollect run",
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
        says_something = says_something or line.strip()[:2] not in ("", "//")
    if lines:
        yield "".join(lines)


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


STARTERS = {
    "core": "the types of types and predicates, domains and belonging to them",
    "memory": "Person, Event, Preference, Insight and Commitment, and the agent itself",
    "life": "predicates of which a subject has one object at a time, such as lives_in",
}
"""What each capsule brings; each depends only on those before it, and life on none."""

_CORE = "core"
_LIFE = "life"
_DEFINED = 'FIND(?one) WHERE { ?one {type: "$PropositionType"} }'
_HAS_CORE = 'FIND(?type) WHERE { ?type {type: "$ConceptType", name: "$ConceptType"} }'


def starter_capsule(name: str) -> str:
    """Return the text of a capsule; INVALID_ARGUMENT, with the names there are, for no name."""
    if name not in STARTERS:
        message = f'no capsule that comes with Recollect is named "{name}"'
        raise not_among(message, name, STARTERS, 'use "{}"')
    file = resources.files("recollect").joinpath("capsules", f"{name}.kip")
    return file.read_text(encoding="utf-8")


def load_capsules(
    nexus: Nexus, names: Iterable[str], *, actor: str | None = None, request_id: str | None = None
) -> Imported:
    """Load capsules by name, each as one transaction, in the order they need.

    Capsules that one depends on are loaded with it, unless the memory has a bootstrap of its own.
    KIP_3004 if that bootstrap says other things about the same protected concepts.
    """
    wanted = {name: starter_capsule(name) for name in names}
    needs_core = wanted.keys() - {_CORE, _LIFE} and _CORE not in wanted
    if needs_core and not nexus.read(_HAS_CORE).rows:
        wanted[_CORE] = starter_capsule(_CORE)
    texts = [wanted[name] for name in STARTERS if name in wanted]
    done = Imported(0, 0, 0)
    for so_far in import_capsules(nexus, texts, actor=actor, request_id=request_id):
        done = so_far
    return done


def begin_life(nexus: Nexus, *, actor: str | None = None) -> bool:
    """Give a group the life capsule once, and tell whether this call did.

    What the group says itself of a predicate stays as it is. Cost: one read if it was done before.

    >>> import recollect
    >>> with recollect.open(":memory:") as nexus:
    ...     begin_life(nexus), begin_life(nexus)
    (True, False)
    """
    if _has_life(_definitions(nexus)):
        return False
    with nexus.transaction():
        own = _definitions(nexus)
        if _has_life(own):
            return False
        load_capsules(nexus, [_LIFE], actor=actor)
        if own:
            kept = [PutConcept(one.type, one.name, one.attributes, one.metadata) for one in own]
            nexus.write(kept, actor=actor)
    return True


def _definitions(nexus: Nexus) -> list[Concept]:
    found = nexus.read(_DEFINED).rows
    return [one for (one,) in found if isinstance(one, Concept)]


def _has_life(definitions: Iterable[Concept]) -> bool:
    return any(one.metadata.get("source") == f"recollect:{_LIFE}" for one in definitions)
