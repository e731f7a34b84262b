"""A text with one query, and what to know about the answer of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.errors import Notice
from recollect.kernel.lang import ast
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.reader import Reader


@dataclass(frozen=True, slots=True)
class Asked:
    """The one query of a text, with what reads for it."""

    script: ast.Script
    query: ast.Query
    bindings: Bindings
    reader: Reader

    def notices(self) -> tuple[Notice, ...]:
        """Return what to know about the answer, once it is there."""
        return notices_of(self.script, self.bindings, self.reader.notices)


def notices_of(
    script: ast.Script, bindings: Bindings, found: Sequence[Notice]
) -> tuple[Notice, ...]:
    """Return what to know about an answer: of parameters only where some were passed."""
    in_strings = [
        Notice(one.code, one.message, f"write {one.hint} without quotes", one.span)
        for one in script.notices
        if one.hint.removeprefix("$") in bindings.values
    ]
    unused = [
        Notice(
            "unused_parameter",
            f"parameter {name} is not used",
            hint=f"name it {name[1:]}" if name[:1] in ("$", ":") else f"write ${name}",
        )
        for name in bindings.values
        if name not in bindings.used
    ]
    return tuple(dict.fromkeys([*in_strings, *found, *unused]))
