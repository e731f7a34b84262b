"""Whether a text tells the kind of thing that a question asks for: a time, a place, how many.

The rule: only what a text surely does not tell is no answer, so each kind asks for the least that
it cannot be told without; and what speaks of other weekdays than the question does is of another.
"""

from __future__ import annotations

import re
from typing import Final

from recollect.kernel.recall.asking import UnderstoodQuestion
from recollect.kernel.recall.spans import is_of_time, weekdays_in
from recollect.kernel.recall.words import listed
from recollect.kernel.search.tokens import folded

_NUMBERS, _NUMBERED, _ONE_OR_NONE, _BEFORE_YEARS, _OF_TIME, _BEFORE_PLACES, _OF_AGE = (
    frozenset(line.split()) for line in listed("kinds")
)
_WORD: Final = re.compile(r"[^\W_]+")
_YEAR: Final = re.compile(r"(?:1[5-9]|2[01])\d\d")


def tells(question: UnderstoodQuestion, text: str, *, is_timed: bool) -> bool:
    """Whether a text may tell what a question asks for; `is_timed` if it has times beside it."""
    days = weekdays_in(question.asked)
    if not (days or question.wants):
        return True
    words = _WORD.findall(text)
    low, asked = [*map(folded, words)], question.names.union(question.asked)
    own = weekdays_in(low)
    if days and own and days.isdisjoint(own):
        return False
    around = zip(["", *words], words, [*low[1:], ""], strict=False)
    if question.wants == "when":
        return is_timed or any(map(_is_of_time, low))
    if question.wants == "where":
        return any(_is_place(asked, *three) for three in around)
    if question.wants != "how many":
        return True
    if not _OF_AGE.isdisjoint(asked):
        return not _OF_AGE.isdisjoint(low) and any(map(_is_number, low))
    return any(_is_count(asked, *three) for three in around)


def _is_of_time(word: str) -> bool:
    is_named = is_of_time(word) or is_of_time(word.removesuffix("s"))  # "on Sundays"
    return is_named or word in _OF_TIME or word in _NUMBERS


def _is_number(word: str) -> bool:
    return word[:1].isdigit() or word in _NUMBERS or word in _ONE_OR_NONE


def _is_place(asked: frozenset[str], before: str, word: str, after: str) -> bool:
    """Whether a word is a new name inside a text, or stands before what is no time."""
    if folded(word) in _BEFORE_PLACES and after:
        return not _is_of_time(after)
    is_name = bool(before) and word[0].isupper()
    return is_name and folded(word) not in asked and not _is_of_time(folded(word))


def _is_count(asked: frozenset[str], before: str, word: str, after: str) -> bool:
    """Whether a word may say how many: no year, no label, nor of days or weeks nobody asks for."""
    if not _is_number(folded(word)):
        return False
    if after and not after[0].isdigit() and is_of_time(after):
        return after in asked
    is_year = _YEAR.fullmatch(word) and folded(before) in ("", *_BEFORE_YEARS)
    is_label = word[0].isdigit() and (before[:1].isupper() or folded(before) in _NUMBERED)
    return not (is_year or is_label)
