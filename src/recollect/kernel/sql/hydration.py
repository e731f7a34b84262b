"""The SELECTs that show elements whole, by their integer ids."""

from __future__ import annotations

from functools import lru_cache

from recollect.kernel.lang import ast
from recollect.kernel.sql import nodes
from recollect.kernel.sql.clock import Clock, of_group
from recollect.kernel.sql.dialect import Dialect
from recollect.kernel.sql.ends import given_id
from recollect.kernel.sql.render import Renderer

IDS = "json_each(:ids)"
_CONTENT = ("attributes", "metadata")


@lru_cache(64)
def hydration_sql(kind: ast.Kind, clock: Clock, dialect: Dialect) -> str:
    """Return the SELECT of the elements of one kind whose ids are the JSON array `:ids`.

    Columns: id, public_id, then type and name, or predicate, subject, its given id, object
    and its given id; then attributes and metadata as JSON text.
    """
    table = kind.value
    fixed: tuple[nodes.Expr, ...]
    if kind is ast.Kind.CONCEPT:
        fixed = (nodes.Column("e", "type"), nodes.Column("e", "name"))
    else:
        subject, object_ = nodes.Column("e", "subject"), nodes.Column("e", "object")
        fixed = (
            nodes.Column("e", "predicate"),
            subject,
            given_id(subject, "s", nodes.Null()),
            object_,
            given_id(object_, "o", nodes.Null()),
        )
    content = tuple(clock.content("e", table, column) for column in _CONTENT)
    columns = (nodes.Column("e", "id"), nodes.Column("e", "public_id"), *fixed, *content)
    select = nodes.Select(
        tuple((column, "") for column in columns),
        (nodes.From(IDS, "wanted"), nodes.From(table, "e")),
        (of_group("e"), nodes.equal(nodes.Column("e", "id"), nodes.Column("wanted", "value"))),
    )
    return Renderer(dialect).query(select)
