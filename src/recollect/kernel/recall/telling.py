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

_NUMBERS, _NUMBERED, _ONE_OR_NONE, _BEFORE_YEARS, _OF_TIME, _BEFORE_PLACES, _OF_AGE, _HAS = (
    frozenset(line.split()) for line in listed("kinds")
)
_WORD: Final = re.compile(r"[^\W_]+")
_YEAR: Final = re.compile(r"(?:1[5-9]|2[01])\d\d")


def tells(question: UnderstoodQuestion, text: str, told: str | None, *, is_timed: bool) -> bool:
    """Whether a text may tell what a question asks for; `is_timed` if it has times beside it.

    Of a fact `told` is the name of its object, which may be any place that is no time or number,
    and a number in it an age, or how many days or weeks.
    """
    days = weekdays_in(question.asked)
    if not (days or question.wants):
        return True
    words = _WORD.findall(text)
    low, asked = [*map(folded, words)], question.names.union(question.asked)
    # Who "sat" in the "sun" names no day: short forms of days are written large.
    own = weekdays_in([folded(one) for one in words if len(one) > 3 or one[0].isupper()])
    if days and own and days.isdisjoint(own):
        return False
    around = zip(["", *words], words, [*low[1:], ""], strict=False)
    if question.wants == "when":
        return is_timed or any(map(_is_of_time, low))
    if question.wants == "where":
        ends = {*map(folded, _WORD.findall(told or ""))} - asked
        named = any(not (_is_of_time(one) or _is_number(one)) for one in ends)
        is_had = not (question.names or _HAS.isdisjoint(low))  # who has a thing tells where it is
        return named or is_had or any(_is_place(asked, *three) for three in around)
    if question.wants != "how many":
        return True
    is_of_age = not _OF_AGE.isdisjoint(low)
    if not _OF_AGE.isdisjoint(asked) and (is_of_age or told is None):
        return is_of_age and any(map(_is_number, low))
    return any(
        _is_count(before, word) and (told is not None or after in asked or not _is_unit(after))
        for before, word, after in around
    )


def _is_of_time(word: str) -> bool:
    return is_of_time(word) or word in _OF_TIME or word in _NUMBERS


def _is_number(word: str) -> bool:
    return word[:1].isdigit() or word in _NUMBERS or word in _ONE_OR_NONE


def _is_place(asked: frozenset[str], before: str, word: str, after: str) -> bool:
    """Whether a word is a new name inside a text, or stands before what is no time."""
    if folded(word) in _BEFORE_PLACES:
        return not _is_of_time(after)
    is_name = bool(before) and not word[0].islower()  # many scripts have no capitals
    return is_name and folded(word) not in asked and not _is_of_time(folded(word))


def _is_count(before: str, word: str) -> bool:
    """Whether a word may say how many: it is no year and no label."""
    is_since = before == "" or folded(before) in _BEFORE_YEARS or is_of_time(folded(before))
    is_year = is_since and _YEAR.fullmatch(word)
    is_label = word[0].isdigit() and folded(before) in _NUMBERED
    return _is_number(folded(word)) and not (is_year or is_label)


def _is_unit(word: str) -> bool:
    """Whether a word after a number makes it one of days, weeks or the like."""
    return is_of_time(word) and not word[0].isdigit()
