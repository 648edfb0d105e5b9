"""What a person may write for a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.errors import ModelMissingError, UnknownModelError
from localmem.models import resolve
from localmem.models.local import model_folder


def test_a_catalogue_id_is_its_entry() -> None:
    assert resolve("smollm2-135m").entry.id == "smollm2-135m"


def test_a_path_to_a_gguf_file_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "mein Modell ä.gguf"
    file.write_bytes(b"GGUF")
    assert resolve(str(file)).path == file


def test_a_path_where_nothing_is_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="there is no model file"):
        resolve(str(tmp_path / "gone.gguf"))


def test_a_hub_address_gets_a_folder_of_its_own() -> None:
    entry = resolve("hf:Owner/Some-Model-GGUF/q4/some.Q4_K_M.gguf").entry
    assert entry.id == "hf:Owner/Some-Model-GGUF/q4/some.Q4_K_M.gguf"
    assert entry.folder == "hf--Owner--Some-Model-GGUF"
    assert [file.name for file in entry.files] == ["q4/some.Q4_K_M.gguf"]


def test_any_part_of_a_split_model_names_all_of_it() -> None:
    entry = resolve("hf:o/r/big-00002-of-00003.gguf").entry
    assert [file.name for file in entry.files] == [f"big-0000{n}-of-00003.gguf" for n in (1, 2, 3)]
    assert entry.id == "hf:o/r/big-00001-of-00003.gguf"


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(UnknownModelError, match="did you mean 'smollm2-135m'"):
        resolve("smollm2-135")


@given(st.text(alphabet="ab/.-_\\:~ \n\0é", max_size=30))
def test_no_hub_address_leads_out_of_the_models_folder(text: str) -> None:
    try:
        entry = resolve(f"hf:{text}.gguf").entry
    except UnknownModelError:
        return
    folder = model_folder(entry)
    root = folder.parent
    assert folder.name.startswith("hf--")
    for file in entry.files:
        assert (folder / file.name).resolve().is_relative_to(folder.resolve())
        assert not any(part.startswith(".") for part in Path(file.name).parts)
    assert folder.parent == root
