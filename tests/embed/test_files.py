"""What is decided about a model's folder before any engine loads, and the cleaning of text."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.embed import files, load
from localmem.embed.text import clean
from localmem.errors import EmbedderError


def model_folder(root, pooling, *, onnx=True):
    folder = root / "model"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / files.POOLING).write_text(json.dumps(pooling))
    for name in (files.TOKENIZER, files.SHAPE, files.WEIGHTS, *([files.ONNX] if onnx else [])):
        (folder / name).write_text("{}")
    return folder


MEAN = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False, "include_prompt": True}


@pytest.mark.parametrize(
    ("pooling", "runs"),
    [
        (MEAN, True),
        ({"pooling_mode": "mean"}, True),
        ({"pooling_mode": "cls"}, False),
        ({**MEAN, "pooling_mode_cls_token": True}, False),
        ({"pooling_mode_cls_token": True}, False),
    ],
)
def test_only_models_that_pool_by_mean_run_on_onnx(tmp_path, pooling, runs):
    assert files.runs_on_onnx(model_folder(tmp_path, pooling)) is runs


def test_a_folder_without_onnx_file_does_not_run_on_onnx(tmp_path):
    assert not files.runs_on_onnx(model_folder(tmp_path, MEAN, onnx=False))


def test_a_missing_folder_is_an_error_that_names_the_pull(tmp_path):
    with pytest.raises(EmbedderError, match="not on this machine") as error:
        load("all-minilm-l6-v2", tmp_path / "none")
    assert "models pull all-minilm-l6-v2" in error.value.hint


def test_damaged_configuration_is_an_error(tmp_path):
    folder = model_folder(tmp_path, MEAN)
    (folder / files.POOLING).write_text("[")
    with pytest.raises(EmbedderError, match="cannot be read") as error:
        load("x", folder)
    assert error.value.hint


def test_a_damaged_onnx_file_is_an_error_with_a_hint(tmp_path):
    with pytest.raises(EmbedderError, match="cannot be loaded") as error:
        load("x", model_folder(tmp_path, MEAN), backend="onnx")
    assert error.value.hint


def test_a_model_that_pools_otherwise_is_refused_by_the_onnx_backend(tmp_path):
    with pytest.raises(EmbedderError, match="mean pooling"):
        load("x", model_folder(tmp_path, {"pooling_mode": "cls"}), backend="onnx")


def test_without_the_extra_the_error_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EmbedderError, match="not installed") as error:
        load("x", model_folder(tmp_path, MEAN), backend="sentence-transformers")
    assert error.value.hint == "pip install 'localmem[sentence-transformers]'"


def test_a_catalogue_id_is_the_id_and_a_path_has_the_digest_of_the_weights(tmp_path):
    folder = model_folder(tmp_path, MEAN)
    assert files.identity("all-minilm-l6-v2", folder, files.ONNX) == "all-minilm-l6-v2"
    one = files.identity(str(folder), folder, files.WEIGHTS)
    assert one.startswith("model@")
    (folder / files.WEIGHTS).write_text("other")
    assert files.identity(str(folder), folder, files.WEIGHTS) != one


def test_a_folder_of_the_same_name_in_the_working_folder_does_not_change_the_id(tmp_path, monkeypatch):
    folder = model_folder(tmp_path, MEAN)
    (tmp_path / "elsewhere" / "model").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert files.identity("model", folder, files.ONNX) == "model"
    monkeypatch.chdir(tmp_path)
    assert files.identity("model", folder, files.ONNX).startswith("model@")


def test_importing_the_package_loads_neither_an_engine_nor_numpy():
    code = "import sys, localmem.embed, localmem.index; print(sys.modules.keys() & {'numpy', 'onnxruntime', 'faiss'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_half_an_emoji_is_replaced_and_two_halves_are_joined():
    assert clean("a\ud83d b", 10) == "a\ufffd b"
    assert clean("\ud83d\ude00", 10) == "\U0001f600"


@given(st.text(st.characters()), st.integers(0, 40))
def test_cleaned_text_is_always_unicode_and_sound_text_is_only_cut(text, length):
    cleaned = clean(text, length)
    cleaned.encode("utf-8")
    if text.isascii():
        assert cleaned == text[:length]
