"""A chosen memory as it is answered with: its passage, and what its score is made of, in words.

The rule: the points of the shares add up to the score, and a share that gives nothing is not told.
"""

from __future__ import annotations

from typing import Final

from recollect.kernel.recall.asking import Meant
from recollect.kernel.recall.choosing import Pick
from recollect.kernel.recall.recollection import Recalled, Share
from recollect.kernel.recall.remembering import since_text
from recollect.kernel.recall.scoring import KIND, PAST, SHARES, WORDS, Ranking
from recollect.kernel.recall.words import LANGUAGES, asked_stems, language_of, stem
from recollect.kernel.search.tokens import tokens
from recollect.model import FOREVER

_LONGEST: Final = 120  # words of a text that is its own passage
_PASSAGE: Final = 80  # words of a part ...
_STEP: Final = 20  # ... that begins so many after the one before


def told(
    ranking: Ranking,
    question: str,
    meant: Meant,
    place: Pick,
    kinds: tuple[str, ...],
    after: str = "",
) -> Recalled:
    """Return a memory as it is answered with; `after` is what replaced it."""
    row, columns = place.row, ranking.columns
    why: dict[str, Share] = {}
    for name, share in ranking.shares.items():
        points = ranking.weight_of(name) * float(share[row])
        if points:
            why[name] = Share(points, _in_words(name, question, meant, place))
    total = sum(one.points for one in why.values())
    is_past = bool(ranking.is_past[row])
    if is_past:
        why["past"] = Share(-total * (1 - PAST), _ended(ranking, row, after))
    led = 0.0 if ranking.led is None else float(ranking.led[row])
    if led:
        why["led"] = Share(led, "another that is found names it")
    return Recalled(
        element=place.dated,
        kind=kinds[int(columns.kind[row])],
        score=max(0.0, sum(one.points for one in why.values())),
        why=why,
        passage=passage(place.text, question),
        others=tuple(place.others),
        is_past=is_past,
    )


def _in_words(name: str, question: str, meant: Meant, place: Pick) -> str:
    if name == WORDS and (held := _held(question, place)):
        return f"it holds {', '.join(held)}"
    return f"it tells {meant.wanted}" if name == KIND else SHARES[name][1]


def _held(question: str, place: Pick) -> list[str]:
    """Return the words of a question that a text holds, as they are asked."""
    words = dict.fromkeys(tokens(question))
    return [one for one in words if any(stem(one, own) in place.stems for own in LANGUAGES)]


def _ended(ranking: Ranking, row: int, after: str) -> str:
    columns = ranking.columns
    if int(columns.invalid_at[row]) != FOREVER:
        then = f", then: {after}" if after else ""
        return f"until {since_text(int(columns.invalid_at[row]))}{then}"
    return "it no longer counts"


def passage(text: str, question: str) -> str:
    """Return a text, or where it is long the part that holds most of a question's words.

    >>> passage("Ann paints", "Who paints?")
    'Ann paints'
    """
    words = text.split()
    if len(words) <= _LONGEST:
        return text
    asked = {one for ways in asked_stems(question) for one in ways}
    stems = _stems(words)
    starts = range(0, len(words) - _PASSAGE + _STEP, _STEP)
    best = max(starts, key=lambda at: len(asked.intersection(stems[at : at + _PASSAGE])))
    part = " ".join(words[best : best + _PASSAGE])
    return f"{'… ' if best else ''}{part}{' …' if best + _PASSAGE < len(words) else ''}"


def _stems(words: list[str]) -> list[str]:
    """Return the stem of each word of a text, that of the first token of each."""
    folded = [(tokens(one) or [""])[0] for one in words]
    language = language_of(folded)
    return [stem(one, language) for one in folded]
