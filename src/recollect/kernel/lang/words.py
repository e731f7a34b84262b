"""The vocabulary of KIP: each word with its kind, its form, its meaning, and the text it is since.

The rule: this is the only list of words. Lexer, parsers, formatter, messages, completion, colours,
the syntax card and docs/kip/words.md read it. Every form can be pasted and filled in, and every
meaning is one sentence. A function that tests two texts is one row of `TEXT_TEST` here, and one
line of SQL, under its name in small letters, in the dialect of each engine.
"""

from __future__ import annotations

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


STATEMENT, CLAUSE, AGGREGATE = WordKind.STATEMENT, WordKind.CLAUSE, WordKind.AGGREGATE
TEXT_TEST, TEST, ARITHMETIC_ = WordKind.TEXT_TEST, WordKind.TEST, WordKind.ARITHMETIC
PART = WordKind.PART

DRAFT_3, DRAFT_5, DRAFT_7 = "1.0-draft3", "1.0-draft5", "1.0-draft7"
RC4, RC9 = "1.0-RC4", "1.0-RC9"
OURS = "Recollect"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the language: how it is written, what it means, and which text has it first."""

    word: str
    kind: WordKind
    since: str
    form: str
    text: str


_MERGE = (
    'MERGE CONCEPT ?x INTO ?y WHERE { ?x {type: "...", name: "..."} ?y {type: "...", name: "..."} }'
)

# fmt: off - two lines a word, as a table is read
WORDS: Final = (
    Word(
        "FIND",
        STATEMENT,
        DRAFT_3,
        'FIND(?x) WHERE { ?x {type: "..."} }',
        "Asks for rows: the columns in parentheses, for every solution of WHERE.",
    ),
    Word(
        "UPSERT",
        STATEMENT,
        DRAFT_3,
        'UPSERT { CONCEPT @x { {type: "...", name: "..."} } }',
        "Creates concepts and propositions, or changes those that are there.",
    ),
    Word(
        "UPDATE",
        STATEMENT,
        RC9,
        'UPDATE ?x SET ATTRIBUTES {key: "value"} WHERE { ?x {type: "..."} }',
        "Changes attributes and metadata of every element that WHERE finds; it creates nothing.",
    ),
    Word(
        "MERGE",
        STATEMENT,
        RC9,
        _MERGE,
        "Makes one concept of two: links, attributes and aliases of the source go to the target.",
    ),
    Word(
        "DELETE",
        STATEMENT,
        DRAFT_3,
        'DELETE CONCEPT {type: "...", name: "..."} DETACH',
        "Deletes concepts, links, attributes or metadata; the past stays readable.",
    ),
    Word(
        "DESCRIBE",
        STATEMENT,
        DRAFT_3,
        "DESCRIBE PRIMER",
        "Tells what the memory is about: its types, predicates and domains.",
    ),
    Word(
        "SEARCH",
        STATEMENT,
        DRAFT_3,
        'SEARCH "words"',
        "Finds concepts and propositions by their words, best first.",
    ),
    Word(
        "EXPORT",
        STATEMENT,
        RC9,
        'EXPORT ?x WHERE { ?x {type: "..."} }',
        "Writes what WHERE finds as a capsule: a text that another memory can run.",
    ),
    Word(
        "EXPLAIN",
        STATEMENT,
        OURS,
        'EXPLAIN FIND(?x) WHERE { ?x {type: "..."} }',
        "Tells how a query is answered, instead of its answer.",
    ),
    Word(
        "ATTR",
        CLAUSE,
        DRAFT_3,
        'ATTR(?x, "key", ?value)',
        "Reads an attribute, or the field `id`, `type` or `name`, of an element into a "
        "variable; null if there is none.",
    ),
    Word(
        "META",
        CLAUSE,
        DRAFT_3,
        'META(?x, "key", ?value)',
        "Reads a metadata key of an element into a variable; null if there is none.",
    ),
    Word(
        "FILTER",
        CLAUSE,
        DRAFT_3,
        'FILTER(?value == "...")',
        "Keeps the solutions for which the condition is true.",
    ),
    Word(
        "NOT",
        CLAUSE,
        DRAFT_3,
        'NOT { (?x, "predicate", ?y) }',
        "Drops the solutions for which the block can be satisfied.",
    ),
    Word(
        "OPTIONAL",
        CLAUSE,
        DRAFT_3,
        'OPTIONAL { (?x, "predicate", ?y) }',
        "Adds what the block finds, and null where it finds nothing.",
    ),
    Word(
        "UNION",
        CLAUSE,
        DRAFT_3,
        'UNION { ?x {type: "..."} }',
        "Adds the solutions of the block to those of everything before it in the same block.",
    ),
    Word(
        "COUNT",
        AGGREGATE,
        DRAFT_3,
        "FIND(COUNT(?x) AS ?n)",
        "Counts the values of a variable that are not null.",
    ),
    Word(
        "COLLECT",
        AGGREGATE,
        DRAFT_3,
        "FIND(COLLECT(?x) AS ?n)",
        "Gathers the values of a variable in a list.",
    ),
    Word("SUM", AGGREGATE, DRAFT_3, "FIND(SUM(?x) AS ?n)", "Adds the numbers of a variable up."),
    Word(
        "AVG",
        AGGREGATE,
        DRAFT_3,
        "FIND(AVG(?x) AS ?n)",
        "Gives the mean of the numbers of a variable.",
    ),
    Word(
        "MIN", AGGREGATE, DRAFT_3, "FIND(MIN(?x) AS ?n)", "Gives the smallest value of a variable."
    ),
    Word(
        "MAX", AGGREGATE, DRAFT_3, "FIND(MAX(?x) AS ?n)", "Gives the largest value of a variable."
    ),
    Word(
        "CONTAINS",
        TEXT_TEST,
        DRAFT_3,
        'CONTAINS(?value, "part")',
        "Is true if a text contains another.",
    ),
    Word(
        "STARTS_WITH",
        TEXT_TEST,
        DRAFT_3,
        'STARTS_WITH(?value, "part")',
        "Is true if a text begins with another.",
    ),
    Word(
        "ENDS_WITH",
        TEXT_TEST,
        DRAFT_3,
        'ENDS_WITH(?value, "part")',
        "Is true if a text ends with another.",
    ),
    Word(
        "REGEX",
        TEXT_TEST,
        DRAFT_3,
        'REGEX(?value, "pattern")',
        "Is true if a regular expression (RE2) matches somewhere in a text.",
    ),
    Word("IN", TEST, RC4, 'IN(?value, ["...", "..."])', "Is true if a value equals one of a list."),
    Word("IS_NULL", TEST, RC4, "IS_NULL(?value)", "Is true if there is no value."),
    Word("IS_NOT_NULL", TEST, RC4, "IS_NOT_NULL(?value)", "Is true if there is a value."),
    Word("ADD", ARITHMETIC_, RC9, "ADD(?x.attributes.key, 1)", "Adds two numbers in an UPDATE."),
    Word(
        "MUL", ARITHMETIC_, RC9, "MUL(?x.attributes.key, 2)", "Multiplies two numbers in an UPDATE."
    ),
    Word(
        "CLAMP",
        ARITHMETIC_,
        RC9,
        "CLAMP(?x.attributes.key, 0, 1)",
        "Keeps a number between two others in an UPDATE.",
    ),
    Word(
        "COALESCE",
        ARITHMETIC_,
        RC9,
        "COALESCE(?x.attributes.key, 0)",
        "Takes the second value in an UPDATE where the first is null.",
    ),
    Word(
        "WHERE",
        PART,
        DRAFT_3,
        'WHERE { ?x {type: "..."} }',
        "Holds the clauses that a solution satisfies, all of them.",
    ),
    Word(
        "ORDER",
        PART,
        DRAFT_3,
        "ORDER BY ?x",
        "Begins `ORDER BY`, which sorts the rows; nulls come last.",
    ),
    Word(
        "BY",
        PART,
        DRAFT_3,
        "ORDER BY ?x",
        "Belongs to `ORDER BY`, which sorts the rows; nulls come last.",
    ),
    Word(
        "ASC", PART, DRAFT_3, "ORDER BY ?x ASC", "Sorts from the smallest up, which is the default."
    ),
    Word("DESC", PART, DRAFT_3, "ORDER BY ?x DESC", "Sorts from the largest down."),
    Word("LIMIT", PART, DRAFT_3, "LIMIT 10", "Gives at most this many."),
    Word("OFFSET", PART, DRAFT_3, "OFFSET 10", "Leaves out this many rows from the beginning."),
    Word("AS", PART, DRAFT_3, "FIND(COUNT(?x) AS ?n)", "Names the column of an aggregate."),
    Word("DISTINCT", PART, DRAFT_3, "FIND(COUNT(DISTINCT ?x) AS ?n)", "Takes each value once."),
    Word(
        "SET",
        PART,
        DRAFT_3,
        'SET ATTRIBUTES {key: "value"}',
        "Begins `SET ATTRIBUTES`, `SET PROPOSITIONS` or `SET METADATA`.",
    ),
    Word(
        "ATTRIBUTES",
        PART,
        DRAFT_3,
        'SET ATTRIBUTES {key: "value"}',
        "Is followed by attributes: those given are replaced, the others stay.",
    ),
    Word(
        "PROPOSITIONS",
        PART,
        DRAFT_3,
        'SET PROPOSITIONS { ("predicate", @target) }',
        "Is followed by links from the concept of the block, or by the links to delete.",
    ),
    Word(
        "WITH",
        PART,
        DRAFT_3,
        'WITH METADATA {key: "value"}',
        "Begins `WITH METADATA`, or `WITH TYPE` in SEARCH.",
    ),
    Word(
        "METADATA",
        PART,
        DRAFT_3,
        'WITH METADATA {key: "value"}',
        "Is followed by metadata: where the knowledge comes from, how sure it is, when it holds.",
    ),
    Word(
        "FROM",
        PART,
        DRAFT_5,
        'DELETE ATTRIBUTES {"key"} FROM ?x WHERE { ?x {type: "..."} }',
        "Names the variable of the elements to delete from.",
    ),
    Word(
        "CONCEPT",
        PART,
        DRAFT_3,
        'CONCEPT @x { {type: "...", name: "..."} }',
        "Begins a block that creates or changes a concept, or says that concepts are meant.",
    ),
    Word(
        "PROPOSITION",
        PART,
        DRAFT_3,
        'PROPOSITION @x { (@a, "predicate", @b) }',
        "Begins a block that creates or changes a link, or says that links are meant.",
    ),
    Word(
        "DETACH",
        PART,
        DRAFT_3,
        'DELETE CONCEPT {type: "...", name: "..."} DETACH',
        "Confirms that the links of a concept are deleted with it.",
    ),
    Word("PRIMER", PART, DRAFT_3, "DESCRIBE PRIMER", "Is the short introduction to a memory."),
    Word(
        "DOMAINS",
        PART,
        DRAFT_3,
        "DESCRIBE DOMAINS",
        "Are the fields of knowledge that a memory is sorted into.",
    ),
    Word(
        "TYPE",
        PART,
        DRAFT_3,
        'DESCRIBE CONCEPT TYPE "..."',
        "Names a type of concepts, or a predicate of propositions.",
    ),
    Word(
        "TYPES",
        PART,
        DRAFT_3,
        "DESCRIBE CONCEPT TYPES",
        "Lists the types of concepts, or the predicates of propositions.",
    ),
    Word("INTO", PART, RC9, _MERGE, "Names the concept that stays after a MERGE."),
    Word(
        "EXPECT",
        PART,
        RC9,
        "EXPECT VERSION 1",
        "Begins `EXPECT VERSION n`: the element has this version, or nothing of the text is done.",
    ),
    Word(
        "VERSION",
        PART,
        RC9,
        "EXPECT VERSION 1",
        "Belongs to `EXPECT VERSION n`: the element has this version, or nothing of the text "
        "is done.",
    ),
    Word(
        "CURSOR",
        PART,
        DRAFT_7,
        "CURSOR $cursor",
        "Goes on after a page, from the `next_cursor` of its answer.",
    ),
    Word(
        "MODE",
        PART,
        RC9,
        'SEARCH "words" MODE "hybrid"',
        "Chooses how SEARCH looks: `keyword`, `semantic` or `hybrid`.",
    ),
    Word(
        "THRESHOLD",
        PART,
        RC9,
        'SEARCH "words" THRESHOLD 0.5',
        "Drops the hits of a SEARCH whose score, from 0 to 1, is lower.",
    ),
)
# fmt: on

TWO_WORDS: Final = {
    "MERGE CONCEPT": _MERGE,
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


STATEMENTS: Final = words_of(STATEMENT)
CLAUSES: Final = words_of(CLAUSE)
AGGREGATES: Final = words_of(AGGREGATE)
TEXT_TESTS: Final = words_of(TEXT_TEST)
TESTS: Final = words_of(TEXT_TEST, TEST)
ARITHMETIC: Final = words_of(ARITHMETIC_)

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
