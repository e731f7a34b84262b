"""How well documents fit the words of a question: BM25 as a share of the best there could be.

The rule: a score is made of the documents of one namespace and nothing else. It is the weight of
the words that a document holds, each damped by how often it stands there and by the length of the
document, divided by the weight of all words asked for; so it is above 0 and below 1, and says the
same whichever service counted the words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from recollect.faces.knowledge.model import Document
from recollect.kernel import Term, asked_terms, tokens
from recollect.node import dataclass

_Name = TypeVar("_Name", str, int)

_SATURATION: Final = 1.2  # BM25's k1
_LENGTH: Final = 0.75  # BM25's b


@dataclass(frozen=True, slots=True)
class Collection:
    """What scores are relative to: how many documents there are, and how many words in all."""

    documents: int
    words: int


def words_of(document: Document) -> list[str]:
    """Return the words that a document is found by, in order."""
    return [*tokens(document.content), *tokens(document.embedding_text or "")]


def asked(query: str) -> list[Term]:
    """Return the words that a question looks for: stop words only if it has no others."""
    return asked_terms(query)


def scores(
    occurrences: Sequence[Mapping[_Name, int]],
    lengths: Mapping[_Name, int],
    collection: Collection,
    holding: Sequence[int] | None = None,
) -> dict[_Name, float]:
    """Return the score of each document that holds a word asked for.

    For each word `occurrences` says how often it stands in which documents; `lengths` counts the
    words of those. `holding` counts the documents that hold each word, where `occurrences` are not
    all. Cost: every occurrence, once.
    """
    if not collection.words:
        return {}
    mean = collection.words / collection.documents
    many = [len(held) for held in occurrences] if holding is None else holding
    weights = [_weight(one, collection.documents) for one in many]
    ideal = sum(weights)
    found: dict[_Name, float] = {}
    still, rising = _SATURATION * (1 - _LENGTH), _SATURATION * _LENGTH / mean
    for weight, held in zip(weights, occurrences, strict=True):
        most = weight / ideal
        for document, count in held.items():
            share = most * count / (count + still + rising * lengths[document])
            found[document] = found.get(document, 0.0) + share
    return found


def _weight(holding: int, documents: int) -> float:
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))
