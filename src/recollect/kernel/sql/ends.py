"""The public ids of a link's ends, which are concepts or links."""

from __future__ import annotations

from recollect.kernel.sql import nodes
from recollect.kernel.sql.clock import of_group


def given_id(end: nodes.Expr, alias: str, otherwise: nodes.Expr) -> nodes.Expr:
    """Return the public id an end was given, else `otherwise`; `alias` begins its tables' names."""
    given = otherwise
    for table in ("link", "concept"):
        name = f"{alias}_{table}"
        select = nodes.Select(
            ((nodes.Column(name, "public_id"), ""),),
            (nodes.From(table, name),),
            (of_group(name), nodes.equal(nodes.Column(name, "id"), end)),
        )
        given = nodes.Call("coalesce", (nodes.Scalar(select), given))
    return given
