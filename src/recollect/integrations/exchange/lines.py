"""A memory as lines of JSON: one for each concept and link, written and read back.

The rule: a line stands on those before it, and names what it ends in by type and name, or, where
that is a link, by the id of its line. Lines that are plain triples are read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final, assert_never, get_args

import orjson

from recollect.faces.kinds import ALL_KINDS
from recollect.faces.operations.inputs import Source as EpisodeSource
from recollect.faces.operations.records import EPISODE
from recollect.integrations.exchange.members import (
    Members,
    json_lines,
    table,
    texts,
    time,
    unreadable,
)
from recollect.integrations.exchange.records import (
    Account,
    Bond,
    ById,
    ByName,
    End,
    Left,
    Record,
    Thing,
)
from recollect.integrations.exchange.source import Source
from recollect.integrations.exchange.triples import triple
from recollect.model import (
    Attributes,
    ConceptRecord,
    Dated,
    LinkRecord,
    Record as Held,
    Value,
    bound_text,
)

_DUMPED: Final = "a part of a claim, which a dump carries: recollect dump"
_KINDS: Final[tuple[str, ...]] = get_args(EpisodeSource)
_EPISODE: Final = frozenset({"name", "body", "source", "source_description", "reference_time"})


def read_jsonl(source: Source, type_: str) -> Iterator[Record]:
    """Yield what the lines of a memory, or triples, say; `type_` is that of ends without one."""
    return json_lines(source, partial(_records, type_))


def written_metadata(metadata: Attributes) -> dict[str, Value]:
    """Return the metadata that people wrote, without what a memory itself keeps there."""
    return {key: one for key, one in sorted(metadata.items()) if not key.startswith("_")}


def line_of(record: Held, dated: Dated) -> bytes:
    """Return an element as a line, without what it does not say."""
    match record:
        case ConceptRecord(concept):
            members: dict[str, object] = {
                "concept": concept.id,
                "type": concept.type,
                "name": concept.name,
                "attributes": concept.attributes,
                "metadata": written_metadata(concept.metadata),
                "timeless": sorted(record.inherited),
                "earlier": written_metadata(record.earlier),
            }
        case LinkRecord(link):
            members = {
                "link": link.id,
                "subject": _end(record.subject),
                "predicate": link.predicate,
                "object": _end(record.object),
                "key": record.key,
                "attributes": link.attributes,
                "metadata": written_metadata(link.metadata),
                "earlier": written_metadata(record.earlier),
            }
        case _:
            assert_never(record)
    said = {key: one for key, one in members.items() if one}
    return orjson.dumps({**said, **clocks(dated)}, option=orjson.OPT_APPEND_NEWLINE)


def clocks(dated: Dated) -> Mapping[str, str]:
    """Return both clocks of an element, as far as they are bounded."""
    return {
        key: told
        for key, instant in (
            ("created_at", dated.created_at),
            ("valid_at", dated.valid_at),
            ("invalid_at", dated.invalid_at),
        )
        if (told := bound_text(instant)) is not None
    }


def _end(record: Held) -> dict[str, str]:
    match record:
        case ConceptRecord(concept):
            return {"type": concept.type, "name": concept.name}
        case LinkRecord(link):
            return {"link": link.id}
        case _:
            assert_never(record)


def _records(type_: str, line: int, members: Members) -> Iterator[Record]:
    if "concept" in members:
        yield _concept(line, members)
    elif "link" in members:
        yield Bond(
            line,
            _read_end(members, "subject"),
            _name(members, "predicate"),
            _read_end(members, "object"),
            _name(members, "link"),
            table(members, "attributes"),
            table(members, "metadata"),
            _note(members, "key") or "",
            table(members, "earlier"),
        )
    else:
        yield from triple(type_, line, members)


def _concept(line: int, members: Members) -> Record:
    kind = _name(members, "type")
    if kind in ALL_KINDS.owned - {EPISODE}:
        return Left(line, _DUMPED)
    if kind == EPISODE:
        return _episode(line, members)
    return Thing(
        line,
        kind,
        _name(members, "name"),
        table(members, "attributes"),
        table(members, "metadata"),
        _name(members, "concept"),
        is_exact=True,
        timeless=frozenset(texts(members, "timeless")),
        earlier=table(members, "earlier"),
    )


def _episode(line: int, members: Members) -> Account:
    said = table(members, "attributes")
    if said.keys() != _EPISODE:
        raise unreadable(f"an episode has the attributes {', '.join(sorted(_EPISODE))}")
    told_at, body = time(said, "reference_time"), _note(said, "body")
    if said["source"] not in _KINDS or body is None or told_at is None:
        raise unreadable(
            f"an episode has a body, a reference_time, and a source: {', '.join(_KINDS)}"
        )
    return Account(
        line,
        _name(members, "name"),
        _note(said, "name"),
        body,
        str(said["source"]),
        _note(said, "source_description"),
        told_at,
        table(members, "metadata"),
        is_exact=True,
    )


def _name(members: Members, key: str) -> str:
    """Return a text that must be there; a memory has names that are blank."""
    found = _note(members, key)
    if not found:
        raise unreadable(f"{key} is missing or empty")
    return found


def _note(members: Members, key: str) -> str | None:
    """Return a text, which may be blank, or None."""
    match members.get(key):
        case str() | None as found:
            return found
        case _:
            raise unreadable(f"{key} is not a text")


def _read_end(members: Members, key: str) -> End:
    end = table(members, key)
    if "link" in end:
        return ById(_name(end, "link"))
    return ByName(_name(end, "type"), _name(end, "name"))
