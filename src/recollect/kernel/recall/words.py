"""The words of texts and of questions: folded, stemmed by the language they are in.

The rule: a text is stemmed in one language, told by its commonest words; a word of a question is
looked for under its stem in each language, so it finds texts of all of them. Words that only hold
sentences together count in texts' lengths, and are not looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Final

import Stemmer

from recollect.kernel.search.tokens import STOP_WORDS, tokens

_GERMAN_WORDS: Final = """
    ab aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes
    auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den der des dessen dich
    die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer
    eines er es etwas euch euer fuer fur gegen gerade hab habe haben hat hatte hatten hier hin
    hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder
    jedes jene kann kein keine konnen konnte mal man mein meine meinem meinen meiner mich mir mit
    muss nach nicht noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich
    sie sind so soll sollte sonst um und uns unser unsere unter viel vom von vor wann war waren
    warum was weil weiter welche welchem welchen welcher welches wem wen wenn wer werde werden wie
    wieder wieso wird wirst wo woher wohin wollen worden wurde wurden wessen zu zum zur zwar
    zwischen uber ueber gibt denn gar macht mag heisst
"""
_SPANISH_WORDS: Final = """
    a al algo algun alguna algunas alguno algunos ante antes aquel aquella aun aunque bajo bien cada
    casi como con contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos de del desde
    donde dos durante e el ella ellas ello ellos en entre era eran es esa esas ese eso esos esta
    estaba estan estar estas este esto estos estoy fue fueron ha habia hace hacia han hasta hay he
    la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros nuestra nuestro o otra otro
    para pero poco por porque que quien quienes se sea ser si sido sin sobre son su sus suya suyo
    tambien tanto te tengo ti tiene tienen toda todas todo todos tu tus un una unas uno unos usted y
    ya yo adonde donde cuyo
"""
_GERMAN: Final = frozenset(_GERMAN_WORDS.split())
_SPANISH: Final = frozenset(_SPANISH_WORDS.split())

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
    """
    if len(word) < 3 or not word.isalpha():
        return word
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
