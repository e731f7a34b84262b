"""The SELECT of the links at many elements, each with what is at its other end."""

from __future__ import annotations

from functools import lru_cache

from recollect.kernel.sql import nodes
from recollect.kernel.sql.clock import Clock, of_group
from recollect.kernel.sql.dialect import Dialect
from recollect.model import ElementKind

NEAR = "json_each(:ids)"


@lru_cache(64)
def joints_sql(end: str, clock: Clock, dialect: Dialect, *, is_every: bool) -> str:
    """Return the SELECT of the links whose `end` is one of the integer ids `:ids`.

    They are of the predicates `:predicates`, unless of every one, born by `:known` and open
    after `:after`, by age. Columns: the near end; id, given id, predicate, key, `expired_at`,
    attributes and metadata of the link; the far end and its given id; its type, name, attributes
    and metadata where it is a concept.
    """
    far = "object" if end == "subject" else "subject"
    link, concept = ElementKind.LINK.value, ElementKind.CONCEPT.value
    far_end = nodes.Column("k", far)
    other = nodes.Select(
        ((nodes.Column("o", "public_id"), ""),),
        (nodes.From(link, "o"),),
        (of_group("o"), nodes.equal(nodes.Column("o", "id"), far_end)),
    )
    is_concept = nodes.All((of_group("f"), nodes.equal(nodes.Column("f", "id"), far_end)))
    columns: tuple[nodes.Expr, ...] = (
        nodes.Column("w", "value"),
        *(nodes.Column("k", one) for one in ("id", "public_id", "predicate", "key", "expired_at")),
        *(clock.content("k", link, one) for one in ("attributes", "metadata")),
        far_end,
        nodes.Call("coalesce", (nodes.Column("f", "public_id"), nodes.Scalar(other))),
        *(nodes.Column("f", one) for one in ("type", "name")),
        *(clock.content("f", concept, one) for one in ("attributes", "metadata")),
    )
    where: list[nodes.Expr] = [
        of_group("k"),
        nodes.equal(nodes.Column("k", end), nodes.Column("w", "value")),
        nodes.Binary("<=", nodes.Column("k", "born_at"), nodes.Param("known")),
        nodes.Binary(">", nodes.Column("k", "expired_at"), nodes.Param("after")),
    ]
    if not is_every:
        wanted = nodes.Select(((nodes.Column("p", "value"), ""),), (nodes.From(_PREDICATES, "p"),))
        where.append(nodes.InSelect(nodes.Column("k", "predicate"), wanted))
    select = nodes.Select(
        tuple((one, "") for one in columns),
        (nodes.From(NEAR, "w"), nodes.From(link, "k"), nodes.From(concept, "f", is_concept)),
        tuple(where),
        order_by=(nodes.Order(nodes.Column("k", "id")),),
    )
    return select.sql(dialect)


_PREDICATES = "json_each(:predicates)"
