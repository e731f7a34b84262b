"""What the best memories lead to: the things that they name, and the facts about those.

The rule: one step, from the first five alone. A name that many texts hold leads to little, and one
that more than a twentieth of them hold to nothing; nor does anything lead to a name alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

import numpy as np

from recollect.kernel.recall.asking import names_in
from recollect.kernel.recall.choosing import Look
from recollect.kernel.recall.columns import SAYS_ANYTHING, Columns, Floats
from recollect.kernel.recall.scoring import Ranking
from recollect.kernel.search.tokens import tokens

FIRST: Final = 5
OF_SOURCE: Final = 0.7
"""What of a score a memory gives to what it alone names."""

_LOOKED_AT: Final = 16  # the texts that an answer of ten needs, read at once
_COMMON: Final = 0.05  # of the texts, beyond which a name leads nowhere
_FEW: Final = 20  # texts that may hold a name all the same


def led_on(look: Look, ranking: Ranking) -> Ranking:
    """Return a ranking in which what the best name stands higher. Cost: some texts are read."""
    columns, question = ranking.columns, ranking.question
    most = max(_FEW, _COMMON * int(ranking.counted.sum()))
    best = [int(row) for row in islice(ranking.best(_LOOKED_AT), _LOOKED_AT)]
    texts = look(best) if best else {}
    given: dict[int, float] = {}
    for row in (one for one in best[:FIRST] if one in texts):
        for concept, held in _mentioned(ranking, texts[row][1], row):
            if concept not in question.concepts and held <= most:
                gain = OF_SOURCE * float(ranking.scores[row]) / (1 + math.log(1 + held))
                given[concept] = max(gain, given.get(concept, 0.0))
    if not given:
        return ranking
    gains = _of_elements(columns, given)
    gains[~(ranking.candidates & ((columns.flags & SAYS_ANYTHING) > 0))] = 0.0
    base = np.where(ranking.candidates, np.maximum(ranking.scores, 0.0), -1.0)
    scores = np.where(gains > 0, np.minimum(base + gains, 1.0), ranking.scores)
    return replace(ranking, scores=scores, led=np.where(gains > 0, scores - base, 0.0))


def _of_elements(columns: Columns, given: dict[int, float]) -> Floats:
    """Return what each row is given: by what it is, or as a fact by what it is about."""
    elements = np.array(sorted(given), np.int64)
    values = np.array([given[int(one)] for one in elements])
    gains = np.zeros(columns.size)
    for column in (columns.element, columns.subject):
        at = np.minimum(np.searchsorted(elements, column), len(elements) - 1)
        np.maximum(gains, np.where(elements[at] == column, values[at], 0.0), out=gains)
    return gains


def _mentioned(ranking: Ranking, text: str, row: int) -> Iterator[tuple[int, int]]:
    """Yield what a memory names beside what it is about, and how many texts hold the name."""
    columns, counted = ranking.columns, ranking.counted
    for name, concepts in names_in(tokens(text), columns, ranking.number).items():
        words = columns.known.numbers_of(tokens(name))
        held = min(int(counted[columns.of_word(one)[0]].sum()) for one in words)
        for concept in concepts - {int(columns.element[row]), int(columns.subject[row])}:
            yield concept, held
