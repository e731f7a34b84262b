"""Make the static embedding that recall compares meanings by: `python tools/make_meanings.py DIR`.

DIR holds all-MiniLM-L6-v2 (Apache-2.0) as its makers publish it: `model.safetensors` and
`tokenizer.json`. Each word piece alone goes through the model once. Of the vectors the mean is
taken away, the rest is kept in its strongest 128 directions; a piece weighs less the commoner it
is, by its rank in the vocabulary. Kept are the 13,000 commonest words and all pieces of others, as
int8 numbers with one scale a piece. Only NumPy is needed; it takes a minute.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

TARGET = Path(__file__).parents[1] / "src" / "recollect" / "kernel" / "recall" / "meanings.npz"
DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the published files."""

DIMENSION = 128
LAYERS, HEADS, WIDTH = 6, 12, 384
AT_ONCE = 256
FIRST_PIECE = 999  # in the vocabulary, before which stand its marks
LAST_WORD = 14_000  # after which words are made of pieces
RARE = 1e-3  # how common a piece is whose weight is a half


def tensors(path: Path) -> dict[str, Floats]:
    """Return the tensors of a file of safetensors."""
    held = path.read_bytes()
    size = int.from_bytes(held[:8], "little")
    head = json.loads(held[8 : 8 + size])
    found = {}
    for name, one in head.items():
        if name != "__metadata__" and one["dtype"] == "F32":
            begin, end = one["data_offsets"]
            numbers = np.frombuffer(held[8 + size + begin : 8 + size + end], "<f4")
            found[name] = numbers.reshape(one["shape"]).copy()  # aligned: a hundred times faster
    return found


def normal(values: Floats, weights: dict[str, Floats], name: str) -> Floats:
    """Return values after a layer's normalisation."""
    mean = values.mean(-1, keepdims=True)
    spread = np.sqrt(values.var(-1, keepdims=True) + 1e-12)
    made: Floats = (values - mean) / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return made


def line(values: Floats, weights: dict[str, Floats], name: str) -> Floats:
    """Return values after a linear layer."""
    made = values.reshape(-1, values.shape[-1]) @ weights[f"{name}.weight"].T
    return (made + weights[f"{name}.bias"]).reshape(*values.shape[:-1], -1)


def embedded(pieces: NDArray[np.int64], weights: dict[str, Floats]) -> Floats:
    """Return the mean vector of each row of pieces."""
    head = "embeddings."
    values = (
        weights[f"{head}word_embeddings.weight"][pieces]
        + weights[f"{head}position_embeddings.weight"][: pieces.shape[1]]
        + weights[f"{head}token_type_embeddings.weight"][0]
    )
    values = normal(values, weights, f"{head}LayerNorm")
    rows, length, _ = values.shape
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        query, key, value = (
            line(values, weights, f"{layer}attention.self.{one}")
            .reshape(rows, length, HEADS, -1)
            .transpose(0, 2, 1, 3)
            for one in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / float(np.sqrt(WIDTH / HEADS))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        seen = (scores @ value).transpose(0, 2, 1, 3).reshape(rows, length, WIDTH)
        seen = line(seen, weights, f"{layer}attention.output.dense")
        values = normal(values + seen, weights, f"{layer}attention.output.LayerNorm")
        inner = line(values, weights, f"{layer}intermediate.dense")
        inner = (
            inner * 0.5 * (1 + np.tanh(0.7978845608 * (inner + 0.044715 * inner * inner * inner)))
        )
        inner = line(inner, weights, f"{layer}output.dense")
        values = normal(values + inner, weights, f"{layer}output.LayerNorm")
    mean: Floats = values.mean(1)
    return mean


def main() -> None:
    """Make the file."""
    folder = Path(sys.argv[1])
    for name, digest in DIGESTS.items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            sys.exit(f"{folder / name} is not the one that its makers published")
    weights = tensors(folder / "model.safetensors")
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    numbers_of: dict[str, int] = tokenizer["model"]["vocab"]
    vocabulary = sorted(numbers_of, key=numbers_of.__getitem__)
    begin, end = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    kept = [
        at
        for at in range(FIRST_PIECE, len(vocabulary))
        if at < LAST_WORD or vocabulary[at].startswith("##")
    ]
    vectors = []
    for first in range(0, len(kept), AT_ONCE):
        part = kept[first : first + AT_ONCE]
        vectors.append(embedded(np.array([[begin, one, end] for one in part]), weights))
    made = np.concatenate(vectors)
    made -= made.mean(0)
    _, _, directions = np.linalg.svd(made, full_matrices=False)
    made = made @ directions[:DIMENSION].T
    common = 1 / (np.arange(len(kept)) + 1)
    common /= common.sum()
    made *= (RARE / (RARE + common))[:, None]
    scales = np.abs(made).max(1) / 127
    numbers = np.round(made / scales[:, None]).astype(np.int8)
    pieces = "\n".join(vocabulary[at] for at in kept).encode()
    np.savez_compressed(
        TARGET,
        numbers=numbers,
        scales=scales.astype(np.float16),
        pieces=np.frombuffer(pieces, np.uint8),
    )
    with zipfile.ZipFile(TARGET) as made_file:
        print(sum(one.file_size for one in made_file.infolist()), "bytes, unpacked")


if __name__ == "__main__":
    main()
