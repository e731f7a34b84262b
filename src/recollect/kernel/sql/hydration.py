"""The SELECTs that show elements whole, by their integer ids."""

from __future__ import annotations

from functools import lru_cache

from recollect.kernel.sql import nodes
from recollect.kernel.sql.clock import KNOWN, Clock, of_group
from recollect.kernel.sql.dialect import Dialect
from recollect.kernel.sql.ends import given_id
from recollect.model import ElementKind

IDS = "json_each(:ids)"
_CONTENT = ("attributes", "metadata")


@lru_cache(64)
def hydration_sql(kind: ElementKind, clock: Clock, dialect: Dialect) -> str:
    """Return the SELECT of the elements of one kind whose ids are the JSON array `:ids`.

    Columns: id, public_id, then type and name, or predicate, subject, its given id, object
    and its given id; then attributes and metadata as JSON text.
    """
    return _of_ids(kind, _shown(kind, clock), (), dialect)


@lru_cache(64)
def dated_sql(kind: ElementKind, clock: Clock, dialect: Dialect) -> str:
    """Return the same SELECT of what had begun by then, with both clocks.

    More columns: the bounds of the fact time, `expired_at` as a number of a transaction, and
    the instants of birth and of expiry.
    """
    more = (
        clock.content("e", kind.value, "valid_at"),
        clock.content("e", kind.value, "invalid_at"),
        nodes.Column("e", "expired_at"),
        _instant("born", nodes.Column("e", "born_at")),
        _instant("expired", nodes.Column("e", "expired_at")),
    )
    has_begun = nodes.Binary("<=", nodes.Column("e", "born_at"), KNOWN)
    guards = (has_begun,) if clock.has_known else ()
    return _of_ids(kind, (*_shown(kind, clock), *more), guards, dialect)


def _shown(kind: ElementKind, clock: Clock) -> tuple[nodes.Expr, ...]:
    """Return what it takes to show an element whole."""
    fixed: tuple[nodes.Expr, ...]
    if kind is ElementKind.CONCEPT:
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
    content = tuple(clock.content("e", kind.value, column) for column in _CONTENT)
    return (nodes.Column("e", "id"), nodes.Column("e", "public_id"), *fixed, *content)


def _instant(alias: str, number: nodes.Expr) -> nodes.Expr:
    """Return when a transaction was; NULL where there is none of that number."""
    of_number = nodes.equal(nodes.Column(alias, "number"), number)
    at = ((nodes.Column(alias, "at"), ""),)
    return nodes.Scalar(nodes.Select(at, (nodes.From("tx", alias),), (of_group(alias), of_number)))


def _of_ids(
    kind: ElementKind,
    columns: tuple[nodes.Expr, ...],
    guards: tuple[nodes.Expr, ...],
    dialect: Dialect,
) -> str:
    is_wanted = nodes.equal(nodes.Column("e", "id"), nodes.Column("wanted", "value"))
    select = nodes.Select(
        tuple((column, "") for column in columns),
        (nodes.From(IDS, "wanted"), nodes.From(kind.value, "e")),
        (of_group("e"), is_wanted, *guards),
    )
    return select.sql(dialect)
