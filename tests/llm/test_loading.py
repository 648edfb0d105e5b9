"""Files that are no models, contexts that do not fit, a model that is closed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from localmem.errors import EngineError
from localmem.llm import load
from localmem.llm.protocol import Message, Prompt, Speaker
from localmem.settings import Settings
from tests.llm.questions import question

pytestmark = pytest.mark.engine


def test_importing_the_package_loads_no_engine() -> None:
    code = (
        "import sys, localmem.llm, localmem.llm.grammar; localmem.llm.grammar.compile('root ::= [a-z]');"
        "print(sorted({'llama_cpp', 'jinja2', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("given", "used"), [({"threads": 1}, 1), ({"threads": 1, "threads_batch": 2}, 2)])
def test_prompts_are_read_with_as_many_threads_as_replies_unless_it_is_said_otherwise(
    small_model_path: Path, tmp_path: Path, given: dict[str, int], used: int
) -> None:
    config = Settings(prefixes_dir=tmp_path, context=512, **given)  # type: ignore[arg-type]
    with load(small_model_path, settings=config) as loaded:
        assert loaded._lib.llama_n_threads(loaded._context.pointer) == 1
        assert loaded._lib.llama_n_threads_batch(loaded._context.pointer) == used


def test_a_closed_model_says_so(small_model_path: Path, tmp_path: Path) -> None:
    loaded = load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512))
    loaded.close()
    loaded.close()
    with pytest.raises(EngineError, match="closed"):
        loaded.generate(question("Hi"), max_tokens=5)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"no model file .*nowhere\.gguf"):
        load(tmp_path / "nowhere.gguf")


@pytest.mark.parametrize(
    "content", [b"", b"GGU", b"PK\x03\x04" * 100, b"GGUF", b"GGUF\x63\0\0\0" + bytes(100)]
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(EngineError, match=r"model\.gguf"):
        load(path)


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.5, 0.999])
def test_a_truncated_model_is_refused(small_model_path: Path, tmp_path: Path, share: float) -> None:
    path = tmp_path / "model.gguf"
    with small_model_path.open("rb") as file:
        path.write_bytes(file.read(int(small_model_path.stat().st_size * share)))
    with pytest.raises(EngineError, match=r"model\.gguf") as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_context_that_this_machine_cannot_hold_is_refused(small_model_path: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"context of 2000000000 tokens need .* GB") as caught:
        load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=2_000_000_000))
    assert "LOCALMEM_CONTEXT" in caught.value.hint


def test_a_template_that_is_given_is_used_instead_of_the_models(
    small_model_path: Path, tmp_path: Path
) -> None:
    options = Settings(prefixes_dir=tmp_path, context=512)
    with load(small_model_path, settings=options, template="{{ messages[0].content }}") as loaded:
        assert loaded.count_prompt(Prompt("k", (Message(Speaker.USER, "word"),), 0)) == loaded.count("word")
