"""What each word of the language means, in a sentence: for an editor, and for docs/kip/words.md.

The rule: every keyword has a meaning, and every meaning is one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from recollect.kernel.lang.forms import FORMS

MEANINGS = {
    "FIND": "Asks for rows: the columns in parentheses, for every solution of WHERE.",
    "WHERE": "Holds the clauses that a solution satisfies, all of them.",
    "ATTR": (
        "Reads an attribute, or the field `id`, `type` or `name`, of an element into a "
        "variable; null if there is none."
    ),
    "META": "Reads a metadata key of an element into a variable; null if there is none.",
    "FILTER": "Keeps the solutions for which the condition is true.",
    "NOT": "Drops the solutions for which the block can be satisfied.",
    "OPTIONAL": "Adds what the block finds, and null where it finds nothing.",
    "UNION": "Adds the solutions of the block to those of everything before it in the same block.",
    "CONTAINS": "Is true if a text contains another.",
    "STARTS_WITH": "Is true if a text begins with another.",
    "ENDS_WITH": "Is true if a text ends with another.",
    "REGEX": "Is true if a regular expression (RE2) matches somewhere in a text.",
    "IN": "Is true if a value equals one of a list.",
    "IS_NULL": "Is true if there is no value.",
    "IS_NOT_NULL": "Is true if there is a value.",
    "ORDER": "Begins `ORDER BY`, which sorts the rows; nulls come last.",
    "BY": "Belongs to `ORDER BY`, which sorts the rows; nulls come last.",
    "ASC": "Sorts from the smallest up, which is the default.",
    "DESC": "Sorts from the largest down.",
    "LIMIT": "Gives at most this many.",
    "OFFSET": "Leaves out this many rows from the beginning.",
    "CURSOR": "Goes on after a page, from the `next_cursor` of its answer.",
    "COUNT": "Counts the values of a variable that are not null.",
    "COLLECT": "Gathers the values of a variable in a list.",
    "SUM": "Adds the numbers of a variable up.",
    "AVG": "Gives the mean of the numbers of a variable.",
    "MIN": "Gives the smallest value of a variable.",
    "MAX": "Gives the largest value of a variable.",
    "AS": "Names the column of an aggregate.",
    "DISTINCT": "Takes each value once.",
    "UPSERT": "Creates concepts and propositions, or changes those that are there.",
    "CONCEPT": "Begins a block that creates or changes a concept, or says that concepts are meant.",
    "PROPOSITION": "Begins a block that creates or changes a link, or says that links are meant.",
    "SET": "Begins `SET ATTRIBUTES`, `SET PROPOSITIONS` or `SET METADATA`.",
    "ATTRIBUTES": "Is followed by attributes: those given are replaced, the others stay.",
    "PROPOSITIONS": (
        "Is followed by links from the concept of the block, or by the links to delete."
    ),
    "EXPECT": (
        "Begins `EXPECT VERSION n`: the element has this version, or nothing of the text is done."
    ),
    "VERSION": (
        "Belongs to `EXPECT VERSION n`: the element has this version, or nothing of the text "
        "is done."
    ),
    "WITH": "Begins `WITH METADATA`, or `WITH TYPE` in SEARCH.",
    "METADATA": (
        "Is followed by metadata: where the knowledge comes from, how sure it is, when it holds."
    ),
    "UPDATE": (
        "Changes attributes and metadata of every element that WHERE finds; it creates nothing."
    ),
    "ADD": "Adds two numbers in an UPDATE.",
    "MUL": "Multiplies two numbers in an UPDATE.",
    "CLAMP": "Keeps a number between two others in an UPDATE.",
    "COALESCE": "Takes the second value in an UPDATE where the first is null.",
    "MERGE": (
        "Makes one concept of two: links, attributes and aliases of the source go to the target."
    ),
    "INTO": "Names the concept that stays after a MERGE.",
    "DELETE": "Deletes concepts, links, attributes or metadata; the past stays readable.",
    "DETACH": "Confirms that the links of a concept are deleted with it.",
    "FROM": "Names the variable of the elements to delete from.",
    "DESCRIBE": "Tells what the memory is about: its types, predicates and domains.",
    "PRIMER": "Is the short introduction to a memory.",
    "DOMAINS": "Are the fields of knowledge that a memory is sorted into.",
    "TYPES": "Lists the types of concepts, or the predicates of propositions.",
    "TYPE": "Names a type of concepts, or a predicate of propositions.",
    "SEARCH": "Finds concepts and propositions by their words, best first.",
    "MODE": "Chooses how SEARCH looks: `keyword`, `semantic` or `hybrid`.",
    "THRESHOLD": "Drops the hits of a SEARCH whose score, from 0 to 1, is lower.",
    "EXPORT": "Writes what WHERE finds as a capsule: a text that another memory can run.",
    "EXPLAIN": "Tells how a query is answered, instead of its answer.",
}


@dataclass(frozen=True, slots=True)
class Meaning:
    """A word of the language: how it is written, and what it means."""

    word: str
    form: str
    text: str


def meaning_of(word: str, before: str = "") -> Meaning | None:
    """Return the meaning of a keyword that stands after the word `before`, None if it is none.

    >>> meaning_of("LIMIT").form
    'LIMIT 10'
    """
    text = MEANINGS.get(word)
    if text is None:
        return None
    return Meaning(word, FORMS.get(f"{before} {word}") or FORMS[word], text)
