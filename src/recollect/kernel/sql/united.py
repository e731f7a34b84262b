"""The branches of a UNION beside each other: the columns that carry each variable out of all.

A value is carried as JSON text, beside the id of the element it was read from; as a string
where every branch has a string. A column that says the same in every branch stands once.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.kernel.plan import ir
from recollect.kernel.sql import nodes
from recollect.kernel.sql.bindings import (
    Binding,
    Element,
    Held,
    Nothing,
    ReadFrom,
    TextValue,
    json_of,
)
from recollect.kernel.sql.reads import value_of
from recollect.kernel.sql.rows import Rows
from recollect.kernel.sql.steps import owner_id

_Across = tuple[nodes.Expr, ...]  # one expression a branch


class United:
    """The columns of several branches, whose variables stand at the same places."""

    def __init__(self, branches: Sequence[Rows], exports: Sequence[Sequence[ir.Var]]) -> None:
        self._branches = branches
        self._variables = list(zip(*exports, strict=True))  # by place, one a branch
        self._names: dict[_Across, str] = {}

    def binding(self, place: int, table: str) -> Binding:
        """Add the columns of a variable, and return where it is found in `table`."""
        pairs = list(zip(self._branches, self._variables[place], strict=True))
        if self._variables[place][0].is_element:
            elements = [rows.element(var) for rows, var in pairs]
            kinds = {None if one.is_nullable else one.kind for one in elements}
            kind = kinds.pop() if len(kinds) == 1 else None
            column = self._column(tuple(one.id for one in elements), table)
            return Element(column, kind, is_nullable=kind is None)
        values = [value_of(rows, var) for rows, var in pairs]
        texts = tuple(one.expr for one in values if isinstance(one, TextValue))
        is_text = len(texts) == len(values)
        shown = texts if is_text else tuple(json_of(one) for one in values)
        owner = self._column(tuple(owner_id(rows, var) for rows, var in pairs), table)
        is_of_owner = _is_of_owner([rows.bindings[var] for rows, var in pairs])
        return Held(self._column(shown, table), owner, is_text, is_of_owner)

    def columns(self) -> list[list[tuple[nodes.Expr, str]]]:
        """Return the columns of each branch."""
        return [
            [(across[at], name) for across, name in self._names.items()]
            for at in range(len(self._branches))
        ]

    def _column(self, across: _Across, table: str) -> nodes.Expr:
        return nodes.Column(table, self._names.setdefault(across, f"v{len(self._names)}"))


def _is_of_owner(bindings: Sequence[Binding]) -> bool:
    """Whether every branch reads the same of the element that a value comes from."""
    reads = {
        (one.part, one.key) if isinstance(one, ReadFrom) else None
        for one in bindings
        if not isinstance(one, Nothing)
    }
    return len(reads) == 1 and None not in reads
