"""The words of texts and of questions: folded, stemmed by the language they are in.

The rule: a text is stemmed in one language, told by its commonest words; a word of a question is
looked for under its stem in each language, so it finds texts of all of them. Words that only hold
sentences together count in texts' lengths, and are not looked for. A line of `lists/everyday.txt`
holds what people use for one another when they speak of a life, in three languages; it is our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from threading import Lock
from typing import Final

import Stemmer

from recollect.kernel.search.tokens import STOP_WORDS, tokens


def listed(name: str) -> list[str]:
    """Return the lines of a list of words that comes with Recollect."""
    place = resources.files("recollect.kernel.recall").joinpath("lists", f"{name}.txt")
    return place.read_text("utf-8").splitlines()


_GERMAN: Final = frozenset(" ".join(listed("german")).split())
_SPANISH: Final = frozenset(" ".join(listed("spanish")).split())
_BASES: Final = {form: base for base, *forms in map(str.split, listed("forms")) for form in forms}
"""What English says differently in the past or of several: "went" is of "go"."""

LANGUAGES: Final = ("english", "german", "spanish")
"""What texts are stemmed in; every other as the first."""

_CLUES: Final = {
    "german": _GERMAN - STOP_WORDS - _SPANISH - {"ab", "man", "war", "so", "also", "mag"},
    "spanish": _SPANISH - STOP_WORDS - _GERMAN - {"no", "me", "he", "a", "e", "o", "y"},
    "english": STOP_WORDS - _GERMAN - _SPANISH,
}
_ANY_CLUE: Final = frozenset().union(*_CLUES.values())
_ASKING: Final = {
    "english": STOP_WORDS | {"does", "much", "many", "ever", "there"},
    "german": _GERMAN,
    "spanish": _SPANISH,
}
_MOST_STEMS: Final = 200_000


_LOCK: Final = Lock()
_STEMMERS: Final = {one: Stemmer.Stemmer(one) for one in LANGUAGES}


@lru_cache(_MOST_STEMS)
def stem(word: str, language: str) -> str:
    """Return the stem of a folded word.

    >>> stem("painting", "english"), stem("gemalten", "german")
    ('paint', 'gemalt')
    >>> stem("went", "english"), stem("gone", "english")
    ('go', 'go')
    """
    if len(word) < 3 or not word.isalpha():
        return word
    if language == "english":
        word = _BASES.get(word, word)
    with _LOCK:  # a stemmer keeps a state of its own
        stemmed: str = _STEMMERS[language].stemWord(word)
    return stemmed


def language_of(words: Sequence[str]) -> str:
    """Return the language of folded words, by the words that only one of them has.

    >>> language_of(["wo", "wohnt", "ann"]), language_of(["ann"])
    ('german', 'english')
    """
    held = _ANY_CLUE.intersection(words)
    if not held:
        return LANGUAGES[0]
    counts = {one: len(clues & held) for one, clues in _CLUES.items()}
    return max(LANGUAGES, key=counts.__getitem__)  # the first of equals


def stems(text: str) -> list[str]:
    """Return the stems of a text in order, all its words.

    >>> stems("Ann likes old paintings")
    ['ann', 'like', 'old', 'paint']
    """
    words = tokens(text)
    language = language_of(words)
    return [stem(word, language) for word in words]


@lru_cache(256)
def asked_stems(question: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each telling word of a question, the stems it is looked for under.

    Words that only hold the question together are there if it has no others.

    >>> asked_stems("Where does Ann work?")
    (('ann',), ('work',))
    """
    words = list(dict.fromkeys(tokens(question)))
    without = _ASKING[language_of(words)]
    telling = [one for one in words if one not in without] or words
    found = [tuple(dict.fromkeys(stem(one, language) for language in LANGUAGES)) for one in telling]
    return tuple(dict.fromkeys(found))


def telling_stems(text: str) -> list[str]:
    """Return the stems of a text that say something, in order.

    >>> telling_stems("Ann likes the old paintings")
    ['ann', 'like', 'old', 'paint']
    """
    words = tokens(text)
    language = language_of(words)
    without = _ASKING[language]
    return [stem(one, language) for one in words if one not in without]


@lru_cache(1)
def _everyday() -> dict[str, frozenset[str]]:
    """Return the stems of the lines of `lists/everyday.txt` that each stem stands in."""
    found: dict[str, frozenset[str]] = {}
    for line in listed("everyday"):
        said_alike = frozenset(stem(word, one) for word in tokens(line) for one in LANGUAGES)
        for one in said_alike:
            found[one] = found.get(one, frozenset()) | said_alike
    return found


def kin_of(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems of everyday words that say what a word with these stems says, in order.

    >>> "employ" in kin_of(("work",))
    True
    """
    lines = _everyday()
    return tuple(sorted({kin for one in stems for kin in lines.get(one, ())} - set(stems)))
