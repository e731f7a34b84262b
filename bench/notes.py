"""Documents to search: words as a language has them, a few everywhere and most of them rare.

The rule: the same documents in every run; a question is eight words of one of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate

from recollect.model import PutConcept

VOCABULARY = 50_000
LENGTH = 14
ASKED = 8

_SYLLABLES = tuple(
    first + vowel for first, vowel in zip("bcdfgklmnprstvz", "aeiouaeioueoiuu", strict=True)
)
_WEIGHTS = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))  # Zipf's law


def word(rank: int) -> str:
    """Return the word of that rank of frequency: none contains another as its stem."""
    syllables = []
    for _ in range(4):
        rank, at = divmod(rank, len(_SYLLABLES))
        syllables.append(_SYLLABLES[at])
    return "".join(syllables)


_WORDS = [word(rank) for rank in range(VOCABULARY)]


def notes(count: int) -> Iterator[PutConcept]:
    """Yield that many documents."""
    chance = random.Random(3)
    for at in range(count):
        text = " ".join(chance.choices(_WORDS, cum_weights=_WEIGHTS, k=LENGTH))
        yield PutConcept("Note", f"note {at}", {"text": text})


def questions(count: int, documents: int) -> list[str]:
    """Return questions about documents among the first of `notes`."""
    chance = random.Random(4)
    found = []
    for note in notes(min(documents, 20 * count)):
        words = list(dict.fromkeys(str(note.attributes["text"]).split()))
        if len(words) >= ASKED:
            found.append(" ".join(chance.sample(words, ASKED)))
    return chance.sample(found, count)
