"""What a copy of a memory must share with it, in comparable form."""

from __future__ import annotations

import io
from collections.abc import Sequence

import orjson

import recollect
from recollect.kernel.lang import ast, print_text
from recollect.model import AsOf, Attributes, ConceptRecord, Record


def dumped(nexus: recollect.Nexus, *, all_groups: bool = False) -> bytes:
    stream = io.BytesIO()
    nexus.dump(stream, all_groups=all_groups)
    return stream.getvalue()


def restored(dump: bytes) -> recollect.Nexus:
    nexus = recollect.open(":memory:")
    nexus.restore(io.BytesIO(dump))
    return nexus


def tell(nexus: recollect.Nexus, transactions: Sequence[ast.Mutation]) -> None:
    """Write each statement in a transaction; what is refused leaves nothing."""
    for statement in transactions:
        try:
            nexus.write(print_text(statement))
        except recollect.RecollectError:
            continue


def living(
    nexus: recollect.Nexus, as_of: AsOf | None = None, *, with_ids: bool = True
) -> list[object]:
    """Return everything a capsule tells of the living elements, sorted."""
    return sorted((_told(one, with_ids) for one in nexus.elements.records(as_of=as_of)), key=repr)


def _told(record: Record, with_ids: bool) -> object:
    if isinstance(record, ConceptRecord):
        concept = record.concept
        id = concept.id if record.given_id and with_ids else None
        said = _exact(concept.attributes), _written(concept.metadata)
        return *_name(record), id, *said, sorted(record.inherited), _exact(record.earlier)
    link = record.link
    return *_name(record), _exact(link.attributes), _written(link.metadata), _exact(record.earlier)


def _written(metadata: Attributes) -> bytes:
    """Return the metadata that people wrote, without what the memory itself keeps there."""
    return _exact({key: metadata[key] for key in metadata if not key.startswith("_")})


def _name(record: Record) -> tuple[object, ...]:
    if isinstance(record, ConceptRecord):
        return record.concept.type, record.concept.name
    return _name(record.subject), record.link.predicate, _name(record.object)


def _exact(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
