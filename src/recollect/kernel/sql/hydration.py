"""The SELECTs that show elements by their integer ids: whole, as records, and with their links."""

from __future__ import annotations

from functools import lru_cache

from recollect.kernel.sql import nodes
from recollect.kernel.sql.rows import KNOWN, Clock, given_id, of_group
from recollect.kernel.store.port import Dialect
from recollect.model import ElementKind

IDS = nodes.SqlCall("each", (nodes.Param("ids", "text"),))
"""The integer ids of a bound JSON array, as a table."""

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
        clock.content("e", "valid_at"),
        clock.content("e", "invalid_at"),
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
            given_id(subject, "s", nodes.Null("text")),
            object_,
            given_id(object_, "o", nodes.Null("text")),
        )
    content = tuple(clock.content("e", column) for column in _CONTENT)
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


_IDENTITY = {
    ElementKind.CONCEPT: ("id", "public_id", "type", "name"),
    ElementKind.LINK: ("id", "public_id", "predicate", "subject", "object", "key"),
}
_RECORD = (*_CONTENT, "valid_at", "invalid_at")


@lru_cache(16)
def record_sql(kind: ElementKind, clock: Clock, dialect: Dialect) -> str:
    """Return the SELECT of the elements of one kind whose ids are the JSON array `:ids`.

    Columns: id, public_id, then type and name, or predicate, subject, object and key; then
    attributes and metadata as JSON text, and the two bounds of the fact time.
    """
    table = kind.value
    identity = tuple(nodes.Column("e", column) for column in _IDENTITY[kind])
    content = tuple(clock.content("e", column) for column in _RECORD)
    select = nodes.Select(
        tuple((column, "") for column in (*identity, *content)),
        (nodes.From(IDS, "wanted"), nodes.From(table, "e")),
        (of_group("e"), nodes.equal(nodes.Column("e", "id"), nodes.Column("wanted", "value"))),
    )
    return select.sql(dialect)


@lru_cache(64)
def joints_sql(end: str, clock: Clock, dialect: Dialect, *, is_every: bool) -> str:
    """Return the SELECT of the links whose `end`, or own `id`, is one of the integer ids `:ids`.

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
        *(clock.content("k", one) for one in ("attributes", "metadata")),
        far_end,
        nodes.Case(
            ((nodes.IsNull(nodes.Column("f", "id")), nodes.Scalar(other)),),
            nodes.Column("f", "public_id"),
        ),
        *(nodes.Column("f", one) for one in ("type", "name")),
        *(clock.content("f", one) for one in ("attributes", "metadata")),
    )
    where: list[nodes.Expr] = [
        of_group("k"),
        nodes.equal(nodes.Column("k", end), nodes.Column("w", "value")),
        nodes.Binary("<=", nodes.Column("k", "born_at"), KNOWN),
        nodes.Binary(">", nodes.Column("k", "expired_at"), nodes.Param("after", "bigint")),
    ]
    if not is_every:
        wanted = nodes.Select(((nodes.Column("p", "value"), ""),), (nodes.From(_PREDICATES, "p"),))
        where.append(nodes.InSelect(nodes.Column("k", "predicate"), wanted))
    select = nodes.Select(
        tuple((one, "") for one in columns),
        (nodes.From(IDS, "w"), nodes.From(link, "k"), nodes.From(concept, "f", is_concept)),
        tuple(where),
        order_by=(nodes.Order(nodes.Column("k", "id")),),
    )
    return select.sql(dialect)


_PREDICATES = nodes.SqlCall("each", (nodes.Param("predicates", "text"),))
