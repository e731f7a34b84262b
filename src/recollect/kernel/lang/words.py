"""The vocabulary of KIP: each word with its kind, its form, its meaning, and the text it is since.

The rule: the table `words.txt` is the only list of words. Lexer, parsers, formatter, messages,
completion, colours, the syntax card and docs/kip/words.md read it. Every form can be pasted and
filled in, and every meaning is one sentence. A function that tests two texts is one row there, a
"test of two texts", and one line of SQL, under its name in small letters, in the dialect of each
engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Final

from recollect.node import dataclass, replace


class WordKind(StrEnum):
    """Where a word may stand."""

    STATEMENT = "statement"
    CLAUSE = "clause"
    AGGREGATE = "aggregate"
    TEXT_TEST = "test of two texts"
    TEST = "test"
    ARITHMETIC = "arithmetic"
    PART = "part of a statement"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the language: how it is written, what it means, and which text has it first."""

    word: str
    kind: WordKind
    since: str
    form: str
    text: str


def _read_table() -> Iterator[Word]:
    """Yield the words of `words.txt`, of which each has three lines: names, form, meaning."""
    text = files("recollect.kernel.lang").joinpath("words.txt").read_text("utf-8")
    for row in text.strip().split("\n\n"):
        named, form, meaning = row.split("\n")
        word, kind, since = named.split(" | ")
        yield Word(word, WordKind(kind), since, form, meaning)


WORDS: Final = tuple(_read_table())

TWO_WORDS: Final = {
    "MERGE CONCEPT": (
        "MERGE CONCEPT ?x INTO ?y"
        ' WHERE { ?x {type: "...", name: "..."} ?y {type: "...", name: "..."} }'
    ),
    "DELETE CONCEPT": 'DELETE CONCEPT {type: "...", name: "..."} DETACH',
    "DELETE PROPOSITIONS": 'DELETE PROPOSITIONS WHERE { (?x, "predicate", ?y) }',
    "DELETE ATTRIBUTES": 'DELETE ATTRIBUTES {"key"} WHERE { ?x {type: "..."} }',
    "DELETE METADATA": 'DELETE METADATA {"key"} WHERE { ?x {type: "..."} }',
    "DESCRIBE CONCEPT": "DESCRIBE CONCEPT TYPES",
    "DESCRIBE PROPOSITION": "DESCRIBE PROPOSITION TYPES",
    "PROPOSITION TYPE": 'DESCRIBE PROPOSITION TYPE "..."',
    "SEARCH CONCEPT": 'SEARCH CONCEPT "words"',
    "SEARCH PROPOSITION": 'SEARCH PROPOSITION "words"',
    "WITH TYPE": 'SEARCH "words" WITH TYPE "..."',
}
"""The forms of words that mean something of their own after another one."""

_BY_WORD: Final = {one.word: one for one in WORDS}
KEYWORDS: Final = frozenset(_BY_WORD)


def words_of(*kinds: WordKind) -> tuple[str, ...]:
    """Return the words of some kinds, in the order of the table."""
    return tuple(one.word for one in WORDS if one.kind in kinds)


STATEMENTS: Final = words_of(WordKind.STATEMENT)
CLAUSES: Final = words_of(WordKind.CLAUSE)
AGGREGATES: Final = words_of(WordKind.AGGREGATE)
TEXT_TESTS: Final = words_of(WordKind.TEXT_TEST)
TESTS: Final = words_of(WordKind.TEXT_TEST, WordKind.TEST)
ARITHMETIC: Final = words_of(WordKind.ARITHMETIC)

COMPARISONS: Final = ("==", "!=", "<", ">", "<=", ">=")
PATTERN_KEYS: Final = ("type", "name", "id")
SECTIONS: Final = ("attributes", "metadata")
FIELDS: Final = ("id", "type", "name", "subject", "predicate", "object", *SECTIONS)
VALUES: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None}
REGEX: Final = "REGEX"

BEGINNINGS: Final = f"begin with {', '.join(STATEMENTS[:-1])} or {STATEMENTS[-1]}"


def form_of(word: str, before: str = "") -> str:
    """Return how the construct of a keyword is written that stands after the word `before`."""
    return TWO_WORDS.get(f"{before} {word}") or _BY_WORD[word].form


def meaning_of(word: str, before: str = "") -> Word | None:
    """Return the meaning of a keyword that stands after the word `before`, None if it is none.

    >>> meaning_of("LIMIT").form
    'LIMIT 10'
    """
    found = _BY_WORD.get(word)
    return None if found is None else replace(found, form=form_of(word, before))


@lru_cache(1)
def syntax_card() -> str:
    """Return the language in one page, for a prompt: at most 5 KiB.

    >>> "STARTS_WITH" in syntax_card()
    True
    """
    card = files("recollect.kernel.lang").joinpath("syntax_card.md").read_text("utf-8")
    lists = {"{text tests}": TEXT_TESTS, "{aggregates}": AGGREGATES}
    for place, names in lists.items():
        card = card.replace(place, ", ".join(names))
    return card
