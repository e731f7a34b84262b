"""What the text index is asked besides "which": how long a document is, and how well it fits.

The rule: a score is computed from the numbers it is given and the counts of the one document,
never from the engine's totals, which span every group.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import apsw

SATURATION = 1.2
"""BM25's k1: how soon one more occurrence of a word stops counting."""

LENGTH_NORMALISATION = 0.75
"""BM25's b: how much a document longer than the mean is held back, 0 to 1."""


def register(connection: apsw.Connection) -> None:
    """Add `text_length(text_index)` and `text_score(text_index, weights)` to a connection.

    `weights` is what `pack_weights` returns, a weight for each term of the MATCH, in order.
    The score is 0 to 1: the share of what a document could reach that holds every term
    endlessly often. Both may stand in any query with `text_index` in its FROM.
    """
    connection.register_fts5_function("text_length", _length)
    connection.register_fts5_function("text_score", _score)


def pack_weights(mean_length: float, ideal: float, weights: list[float]) -> bytes:
    """Return the second argument of `text_score`.

    `mean_length` is in tokens; `ideal` is the score that counts as 1, at least the sum of
    the weights.
    """
    return struct.pack(f"{len(weights) + 2}d", mean_length, ideal, *weights)


def _length(api: apsw.FTS5ExtensionApi, *_: apsw.SQLiteValue) -> int:
    return api.column_size(0)


@dataclass(frozen=True, slots=True)
class _Weights:
    """What a statement's scores are computed from: once a statement, not once a row."""

    still: float  # BM25's damping of a count, the part that does not depend on the length ...
    rising: float  # ... and the part for each token
    shares: tuple[tuple[int, float], ...]  # by phrase: the most it adds to a score


def _unpacked(packed: apsw.SQLiteValue) -> _Weights:
    if not isinstance(packed, bytes):
        raise TypeError("text_score takes packed weights")
    mean_length, ideal, *weights = struct.unpack(f"{len(packed) // 8}d", packed)
    return _Weights(
        still=SATURATION * (1 - LENGTH_NORMALISATION),
        rising=SATURATION * LENGTH_NORMALISATION / mean_length,
        shares=tuple(enumerate(weight / ideal for weight in weights)),
    )


def _score(api: apsw.FTS5ExtensionApi, *arguments: apsw.SQLiteValue) -> float:
    weights: _Weights | None = api.aux_data
    if weights is None:
        weights = api.aux_data = _unpacked(*arguments)
    damping = weights.still + weights.rising * api.column_size(0)
    score = 0.0
    for phrase, share in weights.shares:
        count = len(api.phrase_column_offsets(phrase, 0))
        if count:
            score += share * count / (count + damping)
    return score
