"""The guards of both clocks: which rows are there, and which content they had.

*Now* is `expired_at = LIVING`; *as known at transaction n* is `expired_at > n` and an id not
beyond the last one given out by then. A content is the row's own unless it changed later.
"""

from __future__ import annotations

from functools import lru_cache

from recollect.kernel.sql import nodes
from recollect.model import LIVING
from recollect.node import dataclass

GROUP = nodes.Param("group", "bigint")
KNOWN = nodes.Param("known", "bigint")
LAST_ID = nodes.Param("last_id", "bigint")
VALID = nodes.Param("valid", "bigint")


@lru_cache(1024)
def of_group(alias: str) -> nodes.Expr:
    """Return the guard that every alias of every SELECT carries."""
    return nodes.equal(nodes.Column(alias, "group_id"), GROUP)


@dataclass(frozen=True, slots=True)
class Clock:
    """Which clocks a query asks about; the instants themselves are parameters."""

    has_known: bool = False
    has_valid: bool = False

    def alive(self, alias: str, table: str) -> tuple[nodes.Expr, ...]:
        """Return the conditions for a row of `concept` or `link` to be matched by a clause."""
        if not self.has_valid:
            return self.held(alias)
        valid_at = self.content(alias, table, "valid_at")
        invalid_at = self.content(alias, table, "invalid_at")
        is_true = nodes.Binary("<=", valid_at, VALID), nodes.Binary(">", invalid_at, VALID)
        return (*self.held(alias), *is_true)

    def held(self, alias: str) -> tuple[nodes.Expr, ...]:
        """Return the conditions for a row to be in the memory, whenever what it says is true."""
        return _held_then(alias) if self.has_known else _held_now(alias)

    def content(self, alias: str, table: str, column: str) -> nodes.Expr:
        """Return a content column as it was known: one look-up where it changed since."""
        current = nodes.Column(alias, column)
        if not self.has_known:
            return current
        past = f"{alias}_past"
        look_up = nodes.Select(
            columns=((nodes.Column(past, column), ""),),
            tables=(nodes.From(f"{table}_past", past),),
            where=(
                of_group(past),
                nodes.equal(nodes.Column(past, "id"), nodes.Column(alias, "id")),
                nodes.Binary(">", nodes.Column(past, "until"), KNOWN),
            ),
            order_by=(nodes.Order(nodes.Column(past, "until")),),
            limit=nodes.Number(1),
        )
        return nodes.Case(((is_current(alias), current),), nodes.Scalar(look_up))


@lru_cache(1024)
def open_then(alias: str) -> nodes.Expr:
    """Return the condition for a row not to have been closed by the moment that is asked about."""
    return nodes.Binary(">", nodes.Column(alias, "expired_at"), KNOWN)


def open_since(alias: str) -> tuple[nodes.Expr, nodes.Expr]:
    """Return the same in two: for rows that are open still, and for those closed since."""
    expired_at, living = nodes.Column(alias, "expired_at"), nodes.Number(LIVING)
    is_closed = nodes.Binary("<", expired_at, living)
    return nodes.equal(expired_at, living), nodes.All((open_then(alias), is_closed))


@lru_cache(1024)
def _held_now(alias: str) -> tuple[nodes.Expr, ...]:
    is_living = nodes.equal(nodes.Column(alias, "expired_at"), nodes.Number(LIVING))
    return (of_group(alias), is_living)


@lru_cache(1024)
def _held_then(alias: str) -> tuple[nodes.Expr, ...]:
    is_open = open_then(alias)
    own_id = nodes.SqlCall(
        "hidden", (nodes.Column(alias, "id"),)
    )  # else engines seek by this range
    is_born = nodes.Binary("<=", own_id, LAST_ID)
    return (of_group(alias), is_open, is_born)


def is_current(alias: str) -> nodes.Expr:
    """Return whether a row's content is the one that was known."""
    return nodes.Binary("<=", nodes.Column(alias, "changed_at"), KNOWN)


def superseded(past: str, alias: str, table: str) -> nodes.Expr:
    """Return the condition that joins the content a row had, where it has changed since.

    Where it has not, the id to look for is NULL, so that nothing is looked up.
    """
    own_id = nodes.Column(alias, "id")
    is_superseded = nodes.Binary(">", nodes.Column(alias, "changed_at"), KNOWN)
    first = f"{past}_first"
    until = nodes.Select(
        columns=((nodes.FoldOf("min", nodes.Column(first, "until")), ""),),
        tables=(nodes.From(f"{table}_past", first),),
        where=(
            of_group(first),
            nodes.equal(nodes.Column(first, "id"), own_id),
            nodes.Binary(">", nodes.Column(first, "until"), KNOWN),
        ),
    )
    return nodes.All(
        (
            of_group(past),
            nodes.equal(nodes.Column(past, "id"), nodes.Case(((is_superseded, own_id),))),
            nodes.equal(nodes.Column(past, "until"), nodes.Scalar(until)),
        )
    )
