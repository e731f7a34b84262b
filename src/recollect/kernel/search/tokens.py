"""The text by which an element is found, its tokens, and what people call it.

The rule: Python alone decides where a token begins and ends and what it is folded to; the
engine only stems. Scripts written with spaces give one token a word. Scripts written without
give overlapping pairs of characters, and the last character of a run once more alone, so that
a query of one character, looked for as a prefix, finds it wherever it stands. Words that questions
are made of are dropped from queries, never from documents, and never when nothing is left.

A document holds only what its own row says. The names of a link's ends are not in it; otherwise
renaming one concept would rewrite the documents of all its links. It has the strings in attributes
and metadata, at any depth, except those that the memory itself keeps there; numbers and flags are
found by FILTER. An element may list in its metadata the attributes to be searched; then only those,
its name or predicate and its aliases are. A concept that says `false` there has no words at all,
and one may say that its name is an id, which is not searched. A name that says nothing to a person
gives way to words it is found by.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from recollect.kernel.plan.scope import without_long_runs
from recollect.kernel.store.text_index import Term
from recollect.model import SEARCH_ATTRIBUTES, SEARCH_NAME, Attributes, Value

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


ALIASES = "aliases"
"""The attribute that lists what else a concept is called: always searched."""


def concept_text(
    name: str, given_id: str | None, attributes: Attributes, metadata: Attributes
) -> str:
    r"""Return a concept's document: name, id if it was given, then what was said of it.

    >>> concept_text("Aspirin", None, {"forms": ["tablet", 2]}, {"source": "FDA"})
    'Aspirin\ntablet\nFDA'
    """
    if metadata.get(SEARCH_ATTRIBUTES) is False:
        return ""
    found = [] if metadata.get(SEARCH_NAME) is False else [name]
    if given_id is not None and not _lists(metadata):
        found.append(given_id)
    _add_strings(_searched(attributes, metadata), found)
    return "\n".join(found)


def link_text(predicate: str, attributes: Attributes, metadata: Attributes) -> str:
    r"""Return a link's document: predicate, attributes, metadata.

    >>> link_text("treats", {"note": "fever"}, {})
    'treats\nfever'
    """
    found = [predicate]
    _add_strings(_searched(attributes, metadata), found)
    return "\n".join(found)


def _lists(metadata: Attributes) -> bool:
    """Whether an element lists the attributes that are searched."""
    return isinstance(metadata.get(SEARCH_ATTRIBUTES), list)


def _searched(attributes: Attributes, metadata: Attributes) -> list[Value]:
    """Return the attributes that an element lists, else all that people wrote of it."""
    if not metadata:
        return [*attributes.values()]
    listed = metadata.get(SEARCH_ATTRIBUTES)
    if listed == []:  # as links have it that say nothing in words
        return [attributes.get(ALIASES)]
    if isinstance(listed, list):
        keys = dict.fromkeys([*(key for key in listed if isinstance(key, str)), ALIASES])
        return [attributes.get(key) for key in keys]
    told = [value for key, value in metadata.items() if key[0] != "_"]  # not by the memory itself
    return [*attributes.values(), *told]


def _add_strings(values: Iterable[Value], found: list[str]) -> None:
    for value in values:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, (dict, list)):
            _add_strings(value.values() if isinstance(value, dict) else value, found)


LONGEST_CALL: Final = 80  # characters

_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SAYING: Final = ("name", "label", "title", "text", "body", "content")


def is_wordless(name: str) -> bool:
    """Whether a name is a UUID, which tells a person nothing."""
    return _UUID.fullmatch(name) is not None


def called(name: str, attributes: Attributes, metadata: Attributes) -> str:
    """Return what a concept is called where people read.

    >>> called("5f0c7f2a-0000-4000-8000-000000000001", {"text": "payments uses sagas"}, {})
    'payments uses sagas'
    >>> called("Aspirin", {"text": "a drug"}, {})
    'Aspirin'
    """
    if not is_wordless(name):
        return name
    searched = metadata.get(SEARCH_ATTRIBUTES)
    keys = [str(one) for one in searched] if isinstance(searched, list) else []
    words = next(filter(None, (_one_line(attributes.get(one)) for one in (*keys, *_SAYING))), "")
    if not words and keys:  # it has words, and none in what is searched: such as the id of a tool
        words = " ".join(filter(None, map(_one_line, attributes.values())))
    if len(words) > LONGEST_CALL:
        words = words[: LONGEST_CALL - 1].rstrip() + "…"
    return words or name


def _one_line(value: object) -> str:
    """Return a text on one line; nothing for a UUID and for what is no text."""
    return " ".join(value.split()) if isinstance(value, str) and not is_wordless(value) else ""


def storable(text: str) -> str:
    """Return a text without NUL, lone surrogates and long runs of marks, which no name holds."""
    return without_long_runs(text.encode("utf-8", "replace").decode().replace("\0", "?"))
