"""What other languages and half-remembered texts say, and the word or sign of KIP for it.

The rule: this is the only list of them. A row says what is written, what it is here, and where:
the same word can mean two things in two places.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Where(StrEnum):
    """The place where a synonym means its word of KIP."""

    STATEMENT = "at the beginning of a statement"
    CLAUSE = "at the beginning of a clause or a part"
    OPERATOR = "between conditions"
    COMPARISON = "between the sides of a comparison"
    TEST = "as a function of FILTER"
    DIRECTION = "after a key of ORDER BY"
    VALUE = "as a value"


_ROWS: Final = (
    (Where.STATEMENT, "SELECT MATCH GET QUERY ASK", "FIND"),
    (Where.STATEMENT, "INSERT CREATE ADD SET PUT", "UPSERT"),
    (Where.STATEMENT, "REMOVE DROP PURGE", "DELETE"),
    (Where.STATEMENT, "SHOW LIST SCHEMA", "DESCRIBE"),
    (Where.CLAUSE, "SORT", "ORDER"),
    (Where.CLAUSE, "MINUS", "NOT"),
    (Where.CLAUSE, "TOP", "LIMIT"),
    (Where.CLAUSE, "SKIP", "OFFSET"),
    (Where.OPERATOR, "AND &", "&&"),
    (Where.OPERATOR, "OR |", "||"),
    (Where.OPERATOR, "NOT", "!"),
    (Where.OPERATOR, ";", ","),
    (Where.COMPARISON, "<> !== =!", "!="),
    (Where.COMPARISON, "=== :=", "=="),
    (Where.COMPARISON, "=<", "<="),
    (Where.COMPARISON, "=>", ">="),
    (Where.TEST, "BOUND EXISTS", "IS_NOT_NULL"),
    (Where.TEST, "ISNULL", "IS_NULL"),
    (Where.DIRECTION, "ASCENDING", "ASC"),
    (Where.DIRECTION, "DESCENDING", "DESC"),
    (Where.VALUE, "True", "true"),
    (Where.VALUE, "False", "false"),
    (Where.VALUE, "None undefined", "null"),
)


def synonyms(*places: Where) -> Mapping[str, str]:
    """Return the words of KIP by what is written for them in some places.

    >>> synonyms(Where.TEST)
    {'BOUND': 'IS_NOT_NULL', 'EXISTS': 'IS_NOT_NULL', 'ISNULL': 'IS_NULL'}
    """
    return {said: word for where, row, word in _ROWS if where in places for said in row.split()}


OTHER_COMPARISONS: Final = synonyms(Where.COMPARISON)

OTHER_SYMBOLS: Final = {
    "=": ("==", ":"),
    "==": (":",),
    ":": ("==", ","),
    ",": (":", "&&"),
    ";": (",",),
    ".": (",",),
    "&&": (",",),
    "!": ("!=",),
    "IS": ("==",),
}
"""Signs that stand for one another by a slip of the hand, likeliest first."""
