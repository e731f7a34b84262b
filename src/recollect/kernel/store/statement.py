"""A text of SQL that every engine understands, once its dialect has spelt it.

A statement is written in the part of SQL that the engines share. What they say differently is a
word in braces: its name, then its arguments, `{numbers ids w}`. A dialect has a text for each
word, in which `{0}`, `{1}` stand for the arguments. An argument with blanks in it stands in
parentheses, and may hold words. Types, `:limit::bigint`, are for engines that cannot tell
them; others drop them. What one engine must say in quite another way it has of its own
(`Dialect.overrides`). A statement is spelt once for each dialect (`Dialect.spelt`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import orjson

from recollect.kernel.store.cells import SqlValue

_WORD: Final = re.compile(r"\{(\w+)([^{}]*)\}")
_TYPE: Final = re.compile(r"::\w+(\[\])?")


class Statement:
    """A named text of SQL, the same for every engine; equal to itself alone.

    >>> Statement("SELECT {greatest :a :b}").text
    'SELECT {greatest :a :b}'
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def __repr__(self) -> str:
        return f"Statement({self.text!r})"


def of_both(select: str, around: str = "{both}") -> Statement:
    """Return a statement of concepts and of links: `{element}` is their table, `{term}` of which.

    >>> of_both("SELECT e.{term} FROM {element} AS e").text
    'SELECT e.type FROM concept AS e UNION ALL SELECT e.predicate FROM link AS e'
    """
    concepts = select.replace("{element}", "concept").replace("{term}", "type")
    links = select.replace("{element}", "link").replace("{term}", "predicate")
    return Statement(around.replace("{both}", f"{concepts} UNION ALL {links}"))


_AT_ONCE: Final = 1_000
"""Rows of one statement."""

_MOST_BYTES: Final = 2**20
"""Texts and bytes of one statement: with more, an engine takes longer than any turn of a thread."""


class Insertion:
    """How rows come into `target`: a table, with the names of its columns unless all have a value.

    `types` are those of the values in a row: bigint, text or bytea. `Session.put` runs it.

    >>> Insertion("tag (id)", "bigint").many.text
    'INSERT INTO tag (id) SELECT {cell w.value 0 bigint} FROM {rows all w}'
    """

    def __init__(self, target: str, types: str) -> None:
        cells = [
            f"{{octets w.value {at}}}" if one == "bytea" else f"{{cell w.value {at} {one}}}"
            for at, one in enumerate(types.split())
        ]
        marks, values = ", ".join("?" * len(cells)), ", ".join(cells)
        self.one = Statement(f"INSERT INTO {target} VALUES ({marks})")  # noqa: S608
        self.many = Statement(f"INSERT INTO {target} SELECT {values} FROM {{rows all w}}")  # noqa: S608

    def at_once(
        self, rows: Sequence[tuple[SqlValue, ...]]
    ) -> Iterator[tuple[Statement, Sequence[tuple[SqlValue, ...] | Mapping[str, SqlValue]]]]:
        """Yield statements of a thousand rows each, those of long texts apart, and their values."""
        for start in range(0, len(rows), _AT_ONCE):
            block = rows[start : start + _AT_ONCE]
            texts = (cell for row in block for cell in row if isinstance(cell, str | bytes))
            if sum(map(len, texts)) <= _MOST_BYTES:
                yield self.many, [{"all": orjson.dumps(block, default=bytes.hex).decode()}]
            else:
                yield self.one, block


MOST_FEW: Final = 16
"""Rows that one statement puts as they are, if they are all."""

_VALUES: Final = re.compile(r"(\([?, ]+\))")


@cache
def of_rows(one: Statement, many: int) -> Statement:
    """Return a statement that puts so many rows where another one puts one."""
    head, marks, tail = _VALUES.split(one.text)
    return Statement(head + ", ".join([marks] * many) + tail)


def spell(text: str, words: Mapping[str, str], *, has_types: bool) -> str:
    """Return a text in the words of an engine; KeyError for a word that it has not.

    >>> spell("SELECT {least :a::bigint 1}", {"least": "min({0}, {1})"}, has_types=False)
    'SELECT min(:a, 1)'
    """
    while (found := _WORD.search(text)) is not None:
        said = words[found[1]].format(*_arguments(found[2]))
        text = text[: found.start()] + said + text[found.end() :]
    return text if has_types else _TYPE.sub("", text)


class Spelling(dict[Statement, str]):
    """The texts of statements in the words of one engine, each made when it is first looked up."""

    def __init__(
        self, words: Mapping[str, str], own: Mapping[Statement, str], *, has_types: bool
    ) -> None:
        super().__init__()
        self._words, self._own, self._has_types = words, own, has_types

    def __missing__(self, statement: Statement) -> str:
        """Spell a statement, and keep its text."""
        text = self._own.get(statement, statement.text)
        self[statement] = found = spell(text, self._words, has_types=self._has_types)
        return found


def _arguments(text: str) -> tuple[str, ...]:
    """Split at blanks that are in no parentheses."""
    found, depth = [""], 0
    for letter in text.strip():
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter.isspace() and not depth:
            found.append("")
        else:
            found[-1] += letter
    return tuple(one for one in found if one)
