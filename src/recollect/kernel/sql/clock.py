"""The guards of both clocks: which rows are there, and which content they had.

*Now* is `expired_at = LIVING`; *as known at transaction n* is `expired_at > n` and an id not
beyond the last one given out by then. A content is the row's own unless it changed later.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.kernel.sql import nodes
from recollect.model import LIVING

GROUP = nodes.Param("group")
KNOWN = nodes.Param("known")
LAST_ID = nodes.Param("last_id")
VALID = nodes.Param("valid")


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
        expired_at = nodes.Column(alias, "expired_at")
        if not self.has_known:
            return (of_group(alias), nodes.equal(expired_at, nodes.Number(LIVING)))
        is_open = nodes.Binary(">", expired_at, KNOWN)
        is_born = nodes.Binary("<=", nodes.Column(alias, "id"), LAST_ID)
        return (of_group(alias), is_open, is_born)

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


def is_current(alias: str) -> nodes.Expr:
    """Return whether a row's content is the one that was known."""
    return nodes.Binary("<=", nodes.Column(alias, "changed_at"), KNOWN)


def superseded(past: str, alias: str, table: str) -> nodes.Expr:
    """Return the condition that joins the content a row had, where it has changed since."""
    first = f"{past}_first"
    until = nodes.Select(
        columns=((nodes.Aggregate("min", nodes.Column(first, "until")), ""),),
        tables=(nodes.From(f"{table}_past", first),),
        where=(
            of_group(first),
            nodes.equal(nodes.Column(first, "id"), nodes.Column(alias, "id")),
            nodes.Binary(">", nodes.Column(first, "until"), KNOWN),
        ),
    )
    return nodes.All(
        (
            nodes.Binary(">", nodes.Column(alias, "changed_at"), KNOWN),
            of_group(past),
            nodes.equal(nodes.Column(past, "id"), nodes.Column(alias, "id")),
            nodes.equal(nodes.Column(past, "until"), nodes.Scalar(until)),
        )
    )
