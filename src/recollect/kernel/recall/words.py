"""The words of texts and questions: folded, stemmed by their language; and what they mean.

The rule: a text is stemmed in one language, told by its commonest words; a word of a question is
looked for under its stem in each language, so it finds texts of all of them. Words that only hold
sentences together count in texts' lengths, and are not looked for. A line of `lists/everyday.txt`
holds what people use for one another when they speak of a life, in three languages; it is our own.
Of which kind a thing is, as a greyhound a pet, is told by `lists/things.txt`, which
`tools/make_things.py` made of WordNet.

Meaning is that of the static embedding that comes with Recollect, which `tools/make_meanings.py`
made: a text means the sum of what its words mean, the rarer counting more, brought to length 1; a
word that the embedding does not hold is made of the longest words in it that it does. No text
leaves the process, and nothing is downloaded. The embedding knows nine languages that are written
in Latin letters, and what is told in one is near to what is asked in another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from threading import Lock
from typing import Final, NamedTuple

import numpy as np
import Stemmer
from numpy.typing import NDArray

from recollect.kernel.recall.recollection import EMBEDDING
from recollect.kernel.search.tokens import STOP_WORDS, tokens


def listed(name: str) -> list[str]:
    """Return the lines of a list of words that comes with Recollect."""
    place = resources.files("recollect.kernel.recall").joinpath("lists", f"{name}.txt")
    return place.read_text("utf-8").splitlines()


ASKED: Final = {
    key: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for key, _, pattern in (line.partition("\t") for line in listed("asked"))
}
"""What a question looks like that asks for a kind of answer, or for what was so, or came beside ...

... something else; and what people call themselves, a Spanish verb by its end. There *me* is left
out, for who says "tell me" asks of others.
"""

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
    "english": STOP_WORDS | {"much", "many", "ever", "now", "currently", "because", "must"},
    "german": _GERMAN,
    "spanish": _SPANISH,
}
_OR_ENGLISH: Final = {one: asking | _ASKING["english"] for one, asking in _ASKING.items()}
_ANY_ASKING: Final = frozenset().union(*_ASKING.values())
_MOST_STEMS: Final = 200_000

MINE, OURS, SELVES, TITLES, WHATEVER, OF, WHICH, BE, DO, VAGUE = (
    frozenset(line.split()) for line in listed("own")
)
"""What people write before what is theirs, of themselves, before a name, and to ask for all; ...

... between what is asked of something and that, before the former, what a question begins with
that is answered by a thing, what stands before who does, and what says little of what is asked.
"""


_LOCK: Final = Lock()
_STEMMERS: Final = {one: Stemmer.Stemmer(one) for one in LANGUAGES}


@lru_cache(_MOST_STEMS)
def stem(word: str, language: str) -> str:
    """Return the stem of a folded word; itself where that is a word that holds sentences together.

    >>> stem("painting", "english"), stem("gemalten", "german")
    ('paint', 'gemalt')
    >>> stem("went", "english"), stem("gone", "english")
    ('go', 'go')
    >>> stem("theo", "spanish")
    'theo'
    """
    if len(word) < 3 or not word.isalpha():
        return word
    if language == "english":
        word = _BASES.get(word, word)
    with _LOCK:  # a stemmer keeps a state of its own
        stemmed: str = _STEMMERS[language].stemWord(word)
    return word if stemmed in _ANY_ASKING else stemmed


@lru_cache(_MOST_STEMS)
def stems_of(word: str, language: str = "english") -> tuple[str, ...]:
    """Return the stems of a folded word in all languages, each once, first that of its own.

    >>> stems_of("painting"), stems_of("come", "spanish")
    (('paint', 'painting'), ('com', 'come'))
    """
    return tuple(dict.fromkeys(stem(word, one) for one in (language, *LANGUAGES)))


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


@lru_cache(256)
def asked_stems(question: str) -> tuple[tuple[str, ...], ...]:
    """Return, for each telling word of a question, the stems it is looked for under.

    Words that only hold the question together are there if it has no others.

    >>> asked_stems("Where does Ann work?")
    (('ann',), ('work',))
    """
    words = list(dict.fromkeys(tokens(question)))
    language = language_of(words)
    telling = [one for one in words if one not in _ASKING[language]] or words
    return tuple(dict.fromkeys(stems_of(one, language) for one in telling))


def telling_words(words: Sequence[str]) -> list[str]:
    """Return folded words without those that hold sentences together in their language.

    Nor in English, as predicates are. Of each language they cannot be: *son* is a word of Spanish.

    >>> telling_words(["where", "does", "ann", "paint", "4"])
    ['ann', 'paint']
    """
    without = _OR_ENGLISH[language_of(words)]
    return [one for one in words if one not in without and one.isalpha()]


def telling_stems(words: Sequence[str]) -> list[str]:
    """Return the stems of a text of such words that say something, in order.

    >>> telling_stems(["ann", "likes", "the", "old", "paintings"])
    ['ann', 'like', 'old', 'paint']
    """
    language = language_of(words)
    without = _ASKING[language]
    return [stem(one, language) for one in words if one not in without]


@lru_cache(1)
def _everyday() -> dict[str, frozenset[str]]:
    """Return the stems of the lines of `lists/everyday.txt` and `things.txt` that each stands in.

    A line has the words of each language apart: as Spanish, "career" would be a "car". Of those
    after ">" each is of a kind that the others name: who asks for a pet finds a dog, not a cat.
    """
    found: dict[str, frozenset[str]] = {}
    for line in (*listed("everyday"), *listed("things")):
        asked, said = set[str](), set[str]()
        for own, part in zip(LANGUAGES, line.split("|"), strict=True):
            for those, words in zip((asked, said), part.split(">"), strict=False):
                those.update(stem(word, own) for word in tokens(words))
        for one in asked:
            found[one] = found.get(one, frozenset()) | asked | said
        found |= {one: frozenset() for one in said if one not in found}
    return found


@lru_cache(_MOST_STEMS)
def kin_of(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the stems of everyday words that say what a word with these stems says, in order.

    The first stem that is one of an everyday word tells them: in English *care* is no Spanish car.

    >>> "employ" in kin_of(("work",)), "greyhound" in kin_of(("pet",)), "dog" in kin_of(("cat",))
    (True, True, False)
    >>> "auto" in kin_of(stems_of("care")), "auto" in kin_of(stems_of("car"))
    (False, True)
    """
    lines = _everyday()
    known = next((lines[one] for one in stems if one in lines), frozenset())
    return tuple(sorted(known.difference(stems)))


class Relation(NamedTuple):
    """A line of `lists/relations.txt`: words for somebody's wife, boss or dog, say."""

    words: frozenset[str]
    others: frozenset[str]  # for who stands at the other end


@lru_cache(1)
def relations() -> dict[str, tuple[Relation, ...]]:
    """Return the lines of relations that each folded word stands in."""
    found: dict[str, tuple[Relation, ...]] = {}
    for line in listed("relations"):
        words, _, others = (frozenset(part.split()) for part in line.partition("|"))
        for word in words:
            found[word] = (*found.get(word, ()), Relation(words, words if "=" in words else others))
    return found


Vector = NDArray[np.float32]

_LONGEST: Final = 30  # characters of a word that is cut into others
_SHORTEST: Final = 3  # characters of those
_TEXTS_AT_ONCE: Final = 1_000


class Meaning:
    """The embedding, read once a process."""

    def __init__(self, numbers: NDArray[np.int8], scales: Vector, words: list[str]) -> None:
        self._numbers = numbers
        self._scales = scales
        self._places = {word: at for at, word in enumerate(words)}

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        return int(self._numbers.shape[1])

    def of_word(self, word: str) -> Vector:
        """Return what a folded word means; zeros where nothing is known of it."""
        nothing = np.zeros(self.dimension, np.float32)
        return sum((self._numbers[at] * self._scales[at] for at in self._pieces(word)), nothing)

    def _pieces(self, word: str) -> list[int]:
        """Return the place of a word, or of the longest words that it is made of, as it begins."""
        if word in self._places:
            return [self._places[word]]
        found: list[int] = []
        at, word = 0, word[:_LONGEST]
        while at <= len(word) - _SHORTEST:
            ends = range(len(word), at + _SHORTEST - 1, -1)
            end = next((one for one in ends if word[at:one] in self._places), None)
            if end is not None:
                found.append(self._places[word[at:end]])
            elif not found:
                break
            at = end or at + 1
        return found


@lru_cache(1)
def meaning() -> Meaning:
    """Return the embedding; one that knows nothing where it was left out of what is installed.

    Cost: the first time a few hundredths of a second.
    """
    if not EMBEDDING.is_file():
        return Meaning(np.zeros((0, 0), np.int8), np.zeros(0, np.float32), [])
    with EMBEDDING.open("rb") as stream:
        held = np.load(stream)
        words = held["words"].tobytes().decode().split("\n")
        return Meaning(held["numbers"], held["scales"].astype(np.float32), words)


class MeantWords(dict[str, int]):
    """Words that were met: where each stands in `vectors`, by what it means."""

    def __init__(self) -> None:
        super().__init__()
        self.vectors = np.zeros((1, meaning().dimension), np.float32)

    def __missing__(self, word: str) -> int:
        """Look up what a word means that is met for the first time."""
        at = len(self)
        if at == len(self.vectors):
            self.vectors = np.concatenate([self.vectors, np.zeros_like(self.vectors)])
        self.vectors[at] = meaning().of_word(word)
        self[word] = at
        return at

    def of_words(self, words: Sequence[str]) -> Vector | None:
        """Return what words mean together, of length 1, and keep none that is new.

        None where nothing is known of them.
        """
        total = sum(map(self._of_word, words), np.zeros(self.vectors.shape[1], np.float32))
        return of_length_1(total[None])[0] if total.any() else None

    def of_each(self, words: Sequence[str]) -> Vector:
        """Return what each word means, a row each, the rarer longer, and keep none that is new."""
        places = [self.get(one, -1) for one in words]
        made = self.vectors[places]
        for at in (at for at, place in enumerate(places) if place < 0):
            made[at] = meaning().of_word(words[at])
        return made

    def _of_word(self, word: str) -> Vector:
        """Return what a word means, whether or not it was met."""
        return np.asarray(self.vectors[self[word]]) if word in self else meaning().of_word(word)

    def of_texts(self, texts: Sequence[list[str]]) -> Vector:
        """Return what texts of such words mean, a row each, of length 1; zeros where unknown."""
        made = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            worded = texts[first : first + _TEXTS_AT_ONCE]
            lengths = np.array([len(own) for own in worded])
            places = np.array([at for own in worded for at in map(self.__getitem__, own)], np.int64)
            starts = np.cumsum(lengths) - lengths
            for many in np.unique(lengths):
                alike = np.flatnonzero(lengths == many)
                words = places[starts[alike][:, None] + np.arange(many)]
                made[first + alike] = self.vectors[words].sum(1)
        return of_length_1(made)


def of_length_1(rows: Vector) -> Vector:
    """Return rows brought to length 1, but for those that are zero."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / np.where(norms, norms, 1)[:, None], np.float32)
