"""Text to tokens, the same for documents and for queries, and the words that nothing is found by.

The rule: Python alone decides where a token begins and ends and what it is folded to; the
engine only stems. Scripts written with spaces give one token a word. Scripts written without
give overlapping pairs of characters, and the last character of a run once more alone, so that
a query of one character, looked for as a prefix, finds it wherever it stands. Words that questions
are made of are dropped from queries, never from documents, and never when nothing is left.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from recollect.kernel.plan.scope import without_long_runs
from recollect.kernel.store.texts import Term

LONGEST = 64
"""Characters kept of a token; what is cut off is cut off in queries too."""

_FIRST_DROPPED_CLASS = 10  # accents and points; kana voicing, virama and vowel signs are below

_UNSPACED = re.compile(
    "["
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3035\u3038-\u303b"  # Han: radicals, marks, numerals
    "\u3041-\u30ff\u3100-\u31ff"  # Hiragana, Katakana, Bopomofo
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
    "]+"
)


class _Folding(dict[int, str]):
    """What each code point becomes, computed when it is first met."""

    def __missing__(self, point: int) -> str:
        """Return the folded letters of a word character, nothing, or a space."""
        folded = unicodedata.normalize("NFKD", chr(point)).casefold()
        kept = [
            one
            for one in unicodedata.normalize("NFKD", folded)
            if unicodedata.combining(one) < _FIRST_DROPPED_CLASS
        ]
        text = unicodedata.normalize("NFC", "".join(_word_or_space(one) for one in kept))
        self[point] = text
        return text


def _word_or_space(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] in "LNM":
        return character
    return "" if category == "Cf" else " "  # a soft hyphen or a joiner is inside its word


_FOLDING = _Folding()
_ASCII_FOLDING = "".join(_FOLDING[point] for point in range(128)).encode().ljust(256)
"""The same for plain letters, which most texts are made of: one byte becomes one byte."""


def tokens(text: str) -> list[str]:
    """Return the tokens of a document, in order.

    Cost: linear in the text.

    >>> tokens("Is_class_of: Caf\u00e9-CR\u00c8ME 2")
    ['is', 'class', 'of', 'cafe', 'creme', '2']
    >>> tokens("\u5317\u4eac\u5e02 GDP")
    ['\u5317\u4eac', '\u4eac\u5e02', '\u5e02', 'gdp']
    """
    if text.isascii():
        words = text.encode().translate(_ASCII_FOLDING).decode().split()
        if len(text) <= LONGEST or max(map(len, words), default=0) <= LONGEST:
            return words
        return [word[:LONGEST] for word in words]
    found: list[str] = []
    for run, is_unspaced in _runs(text):
        if is_unspaced:
            found += [run[at : at + 2] for at in range(len(run))]
        else:
            found.append(run[:LONGEST])
    return found


def terms(text: str) -> list[Term]:
    """Return what a query looks for: distinct terms, in the order they first appear.

    Nothing in the text is an operator. A run of one character of a script without spaces is
    a prefix; a longer run is its pairs.

    >>> [one.text for one in terms('"aspirin" OR NOT aspirin*')]
    ['aspirin', 'or', 'not']
    >>> terms("\u4eac")
    [Term(text='\u4eac', is_prefix=True)]
    """
    found: dict[Term, None] = {}
    for run, is_unspaced in _runs(text):
        if not is_unspaced:
            found[Term(run[:LONGEST])] = None
        elif len(run) == 1:
            found[Term(run, is_prefix=True)] = None
        else:
            found.update((Term(run[at : at + 2]), None) for at in range(len(run) - 1))
    return list(found)


def folded(text: str) -> str:
    """Return a text as search compares it: folded words, one space between them.

    >>> folded("  \u00c9CLAIR, au chocolat ")
    'eclair au chocolat'
    """
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    return unicodedata.normalize("NFKC", without_long_runs(text)).translate(_FOLDING).split()


def _runs(text: str) -> Iterator[tuple[str, bool]]:
    for word in _words(text):
        if word.isascii():
            yield word, False
            continue
        end = 0
        for run in _UNSPACED.finditer(word):
            if run.start() > end:
                yield word[end : run.start()], False
            yield run.group(), True
            end = run.end()
        if end < len(word):
            yield word[end:], False


_WORDS = """
    a about am an and any are aren as at be been being but by can could couldn d did didn do
    does doesn doing don for from had hadn has hasn have haven having he her hers him his how i
    if in into is isn it its ll m me my of on or our ours please re s shall she should shouldn
    so such t tell than that the their theirs them then there these they this those to us ve
    was wasn we were weren what when where which who whom whose why will with won would wouldn
    you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())
