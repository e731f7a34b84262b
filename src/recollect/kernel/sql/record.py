"""The SELECTs that read elements with all it takes to make them again, by their integer ids."""

from __future__ import annotations

from functools import lru_cache

from recollect.kernel.sql import nodes
from recollect.kernel.sql.clock import Clock, of_group
from recollect.kernel.sql.dialect import Dialect
from recollect.kernel.sql.hydration import IDS
from recollect.model import ElementKind

_IDENTITY = {
    ElementKind.CONCEPT: ("id", "public_id", "type", "name"),
    ElementKind.LINK: ("id", "public_id", "predicate", "subject", "object", "key"),
}
_CONTENT = ("attributes", "metadata", "valid_at", "invalid_at")


@lru_cache(16)
def record_sql(kind: ElementKind, clock: Clock, dialect: Dialect) -> str:
    """Return the SELECT of the elements of one kind whose ids are the JSON array `:ids`.

    Columns: id, public_id, then type and name, or predicate, subject, object and key; then
    attributes and metadata as JSON text, and the two bounds of the fact time.
    """
    table = kind.value
    identity = tuple(nodes.Column("e", column) for column in _IDENTITY[kind])
    content = tuple(clock.content("e", table, column) for column in _CONTENT)
    select = nodes.Select(
        tuple((column, "") for column in (*identity, *content)),
        (nodes.From(IDS, "wanted"), nodes.From(table, "e")),
        (of_group("e"), nodes.equal(nodes.Column("e", "id"), nodes.Column("wanted", "value"))),
    )
    return select.sql(dialect)
