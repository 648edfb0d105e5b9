"""The real embedder."""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest

from localmem.embed import load
from tests.embed.texts import TEXTS

pytestmark = pytest.mark.engine

ODD = (
    "",
    " ",
    "\x00",
    "\ud83d",
    "\udc00 x \ud800",
    "\ufeff",
    "a" * 300_000,
    "\u202e\u200d",
    "[CLS] [SEP] [MASK]",
    "\n\t",
)


@pytest.fixture(scope="module")
def onnx(embedder_path):
    return load("all-minilm-l6-v2", embedder_path, backend="onnx")


@pytest.fixture(scope="module")
def full(embedder_path):
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed")
    return load("all-minilm-l6-v2", embedder_path, backend="sentence-transformers")


def test_vectors_are_unit_float32_in_the_order_of_the_texts(onnx):
    vectors = onnx.encode(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((len(TEXTS), onnx.dimension), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[::-1], onnx.encode(TEXTS[::-1]), atol=1e-6)


def test_a_vector_does_not_depend_on_its_batch(onnx):
    alone = np.concatenate([onnx.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(onnx.encode(TEXTS), alone, rtol=0, atol=2e-6)


def test_no_texts_give_no_rows(onnx):
    assert onnx.encode([]).shape == (0, 384)


def test_odd_texts_have_unit_vectors(onnx):
    np.testing.assert_allclose(np.linalg.norm(onnx.encode(ODD), axis=1), 1, atol=1e-5)


def test_text_beyond_the_models_length_changes_nothing(onnx):
    head = "one two three four " * 100
    np.testing.assert_allclose(
        onnx.encode([head]), onnx.encode([head + "and quite another subject"]), atol=1e-6
    )


def test_close_meanings_are_closer_than_others(onnx):
    cat, feline, stocks = onnx.encode(
        ["The cat sat on the mat", "A feline was sitting on a rug", "Stocks fell sharply"]
    )
    assert cat @ feline > 0.5 > 0.2 > cat @ stocks


def test_auto_takes_the_onnx_file(embedder_path):
    assert type(load("all-minilm-l6-v2", embedder_path)).__name__ == "OnnxEmbedder"


def test_both_backends_give_vectors_that_may_stand_in_one_index(onnx, full):
    assert (onnx.id, onnx.dimension) == (full.id, full.dimension)
    cosine = np.einsum("nd,nd->n", onnx.encode(TEXTS), full.encode(TEXTS))
    assert cosine.mean() > 0.98
    assert cosine.min() > 0.95


def test_loading_a_model_leaves_the_hub_open_for_a_pull(full):
    from huggingface_hub import is_offline_mode

    assert not is_offline_mode()
    assert {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}.isdisjoint(os.environ)


def test_sentence_transformers_takes_odd_texts_and_none(full):
    np.testing.assert_allclose(np.linalg.norm(full.encode(ODD), axis=1), 1, atol=1e-5)
    assert full.encode([]).shape == (0, 384)
