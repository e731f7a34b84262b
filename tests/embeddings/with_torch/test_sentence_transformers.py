"""The embedder of sentence-transformers, with a tiny model of random numbers that is made here.

PyTorch takes gigabytes, so these tests are not among the others: `make torch` runs them, and so does `.ci/run`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast

import recollect
from recollect.embeddings.sentence_transformers import SentenceTransformersEmbedder
from recollect.errors import RecollectError
from recollect.servers.settings import EmbeddingSettings
from recollect.servers.wiring import make_embedder

DIMENSION = 16
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "ann", "works", "at", "acme", "the", "ship", "sails"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a model of one small layer."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=DIMENSION,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    bert = folder / "bert"
    BertModel(config).save_pretrained(bert)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(bert)
    layers = [Transformer(str(bert), max_seq_length=64), Pooling(DIMENSION)]
    SentenceTransformer(modules=layers, device="cpu").save(str(folder / "model"))
    return folder / "model"


def test_texts_become_vectors_of_length_one(folder: Path) -> None:
    embedder = SentenceTransformersEmbedder(str(folder), batch=2)
    vectors = embedder.documents(["Ann works at Acme", "the ship sails", "the ship"])
    rows = np.stack([np.frombuffer(one, "<f4") for one in vectors])
    assert (embedder.dimension, rows.shape) == (DIMENSION, (3, DIMENSION))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    asked = np.frombuffer(embedder.question("the ship sails"), "<f4")
    assert asked @ rows[1] == pytest.approx(1.0, abs=1e-5)
    assert (rows @ asked).argmax() == 1


def test_a_memory_is_searched_by_its_meanings(folder: Path) -> None:
    embedder = make_embedder(EmbeddingSettings("sentence-transformers", str(folder)))
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.write(
            'UPSERT { CONCEPT { {type: "Note", name: "the ship sails"} } '
            'CONCEPT { {type: "Note", name: "Ann works at Acme"} } }'
        )
        (hits,) = nexus.search("the ship sails", mode="semantic").results
        assert hits.hits[0].element.name == "the ship sails"
        assert hits.hits[0].score == pytest.approx(1.0, abs=1e-5)
        again = nexus.vectors.reindex()
        assert (again.model, again.embedded) == (str(folder), 0)


def test_a_model_that_cannot_be_loaded_is_told_by_its_name(tmp_path: Path) -> None:
    name = str(tmp_path / "nothing")
    with pytest.raises(RecollectError) as caught:
        SentenceTransformersEmbedder(name).documents(["Ann"])
    assert caught.value.code.code == "EMBEDDER_UNAVAILABLE"
    assert f'the model "{name}" cannot be loaded' in caught.value.message
