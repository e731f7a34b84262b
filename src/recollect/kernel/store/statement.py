"""A text of SQL that every engine understands, once its dialect has spelt it.

A statement is written in the part of SQL that the engines share. What they say differently is a
word in braces: its name, then its arguments, `{numbers ids w}`. A dialect has a text for each
word, in which `{0}`, `{1}` stand for the arguments. An argument with blanks in it stands in
parentheses, and may hold words. Types, `:limit::bigint`, are for engines that cannot tell
them; others drop them. What one engine must say in quite another way it has of its own
(`Dialect.overrides`). A statement is spelt once for each dialect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_WORD: Final = re.compile(r"\{(\w+)([^{}]*)\}")
_TYPE: Final = re.compile(r"::\w+(\[\])?")


class Statement:
    """A named text of SQL, the same for every engine; equal to itself alone.

    >>> Statement("SELECT {greatest :a :b}").text
    'SELECT {greatest :a :b}'
    """

    __slots__ = ("spelt", "text")

    def __init__(self, text: str) -> None:
        self.text: Final = text
        self.spelt: Final[dict[str, str]] = {}  # by the name of a dialect, which fills it

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


def spell(text: str, words: Mapping[str, str], *, has_types: bool) -> str:
    """Return a text in the words of an engine; KeyError for a word that it has not.

    >>> spell("SELECT {least :a::bigint 1}", {"least": "min({0}, {1})"}, has_types=False)
    'SELECT min(:a, 1)'
    """
    while (found := _WORD.search(text)) is not None:
        said = words[found[1]].format(*_arguments(found[2]))
        text = text[: found.start()] + said + text[found.end() :]
    return text if has_types else _TYPE.sub("", text)


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
