"""The embedder of ONNX models, with a tiny one of random numbers that is made here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from fastembed import TextEmbedding
from fastembed.common.model_description import ModelSource, PoolingType
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

import recollect
from recollect.embeddings.fastembed import FastEmbedder
from recollect.errors import RecollectError
from recollect.faces.operations import Operations

NAME, DIMENSION = "recollect/tiny", 16
WORDS = ["[PAD]", "[UNK]", "Ann", "Acme", "works", "at", "sails", "the", "ship"]


def graph() -> onnx.ModelProto:
    """Return a model that draws a vector for each token; fastembed takes the mean of a text."""
    rows = np.random.default_rng(7).standard_normal((len(WORDS), DIMENSION), dtype=np.float32)
    tokens = onnx.helper.make_tensor_value_info("input_ids", onnx.TensorProto.INT64, ["b", "t"])
    vectors = onnx.helper.make_tensor_value_info(
        "last_hidden_state", onnx.TensorProto.FLOAT, ["b", "t", DIMENSION]
    )
    gather = onnx.helper.make_node("Gather", ["rows", "input_ids"], ["last_hidden_state"])
    tensor = onnx.numpy_helper.from_array(rows, "rows")
    made = onnx.helper.make_graph([gather], "tiny", [tokens], [vectors], [tensor])
    opset = onnx.helper.make_opsetid("", 17)
    return onnx.helper.make_model(made, opset_imports=[opset], ir_version=9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the model, which fastembed knows by its name."""
    folder = tmp_path_factory.mktemp("tiny")
    onnx.save(graph(), folder / "model.onnx")
    vocabulary = {word: at for at, word in enumerate(WORDS)}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    said = {"model_max_length": 64, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    TextEmbedding.add_custom_model(
        NAME, PoolingType.MEAN, True, ModelSource(hf=NAME), DIMENSION, "model.onnx"
    )
    return folder


def test_texts_become_vectors_of_length_one(folder: Path) -> None:
    embedder = FastEmbedder(NAME, folder=folder, batch=2)
    vectors = embedder.documents(["Ann works at Acme", "the ship sails", "the ship"])
    rows = np.stack([np.frombuffer(one, "<f4") for one in vectors])
    assert (embedder.dimension, rows.shape) == (DIMENSION, (3, DIMENSION))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    assert embedder.question("the ship sails") == pytest.approx(vectors[1])
    asked = np.frombuffer(embedder.question("ship"), "<f4")
    assert (rows @ asked).argsort().tolist()[-1] == 2


def test_a_memory_is_searched_by_its_meanings(folder: Path) -> None:
    with recollect.open(":memory:", embedder=FastEmbedder(NAME, folder=folder)) as nexus:
        service = Operations(nexus)
        for name in ("Ann", "Acme"):
            service.add_entity_node(group_id="g", uuid=name, name=name)
        ends = {"source_node_uuid": "Ann", "target_node_uuid": "Acme"}
        for fact in ("Ann works at Acme", "Ann sails the ship"):
            told = service.add_fact(group_id="g", name=fact.split()[1], fact=fact, **ends)
            assert told["status"] == "OK", told
        (hits,) = nexus.group("g").search("sails ship", "link", mode="semantic").results
        assert hits.hits[0].element.attributes["fact"] == "Ann sails the ship"
        again = nexus.group("g").vectors.reindex()
        assert (again.model, again.embedded) == (NAME, 0)


@pytest.mark.parametrize(("name", "place"), [("no/such model", None), (NAME, "nowhere")])
def test_a_model_that_cannot_be_loaded_is_told_by_its_name(
    folder: Path, tmp_path: Path, name: str, place: str | None
) -> None:
    del folder
    embedder = FastEmbedder(name, folder=place and tmp_path / place)
    with pytest.raises(RecollectError) as caught:
        embedder.documents(["Ann"])
    assert caught.value.code.code == "EMBEDDER_UNAVAILABLE"
    assert f'the model "{name}" cannot be loaded' in caught.value.message
