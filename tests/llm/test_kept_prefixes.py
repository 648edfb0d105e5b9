"""What the engine need not read again: prefixes kept in its sequences and on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from localmem.llm import load
from localmem.llm.engine import SEQUENCES
from localmem.llm.protocol import Prompt
from localmem.settings import Settings
from tests.llm.questions import WORD, question

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel


pytestmark = pytest.mark.engine


def test_the_same_prompt_again_reads_one_token(model: LlamaModel) -> None:
    first = model.generate(question("Where is Rome?"), max_tokens=60)
    again = model.generate(question("Where is Rome?"), max_tokens=60)
    assert again.usage.evaluated_tokens == 1
    assert again.text == first.text


def test_going_from_one_kind_to_another_reads_no_fixed_part_again(model: LlamaModel) -> None:
    kinds = ("answer", "head", "check")
    for kind in kinds:
        model.generate(question("Where is Oslo?", kind), max_tokens=60, grammar=WORD)
    for kind in kinds:
        prompt = question("Where is Bern?", kind)
        usage = model.generate(prompt, max_tokens=60, grammar=WORD).usage
        assert usage.prompt_tokens == model.count_prompt(prompt) > 80
        assert usage.evaluated_tokens < 20


def test_a_new_process_does_not_read_the_fixed_part_again(small_model_path: Path, tmp_path: Path) -> None:
    config = Settings(prefixes_dir=tmp_path, context=512)
    prompt = question("Where is Madrid?")
    with load(small_model_path, settings=config) as first:
        told = first.generate(prompt, max_tokens=60)
        fixed = first.count_fixed(prompt)
    assert told.usage.evaluated_tokens == told.usage.prompt_tokens
    with load(small_model_path, settings=config) as second:
        again = second.generate(prompt, max_tokens=60)
    assert again.usage.evaluated_tokens == told.usage.prompt_tokens - fixed
    assert again.text == told.text


def test_a_damaged_kept_prefix_is_read_again_and_replaced(small_model_path: Path, tmp_path: Path) -> None:
    config = Settings(prefixes_dir=tmp_path, context=512)
    prompt = question("Where is Madrid?")
    texts, evaluated = [], []
    for damage in (True, True, False, False):
        with load(small_model_path, settings=config) as loaded:
            reply = loaded.generate(prompt, max_tokens=60)
        texts.append(reply.text)
        evaluated.append(reply.usage.evaluated_tokens)
        (kept,) = tmp_path.iterdir()
        if damage:
            raw = bytearray(kept.read_bytes())
            raw[len(raw) // 2] ^= 0xFF
            kept.write_bytes(raw)
    assert len(set(texts)) == 1
    assert evaluated[:3] == [reply.usage.prompt_tokens] * 3
    assert evaluated[3] < 20


def test_only_the_fixed_part_goes_to_disk(small_model_path: Path, tmp_path: Path) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=1024)) as loaded:
        loaded.generate(
            Prompt("free", question("My secret. " * 20).messages, fixed=0), max_tokens=60, grammar=WORD
        )
        assert list(tmp_path.iterdir()) == []
        prompt = question("My secret. " * 20)
        loaded.generate(prompt, max_tokens=60, grammar=WORD)
        (kept,) = tmp_path.iterdir()
        count = int.from_bytes(kept.read_bytes()[8:16], "little")
        assert count == loaded.count_fixed(prompt) < 100


def test_kinds_that_do_not_fit_together_take_turns(small_model_path: Path, tmp_path: Path) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512)) as loaded:
        for kind in ("a", "b", "c", "a", "c", "b"):
            prompt = question("Where is Rome? " * 30, kind)
            usage = loaded.generate(prompt, max_tokens=60, grammar=WORD).usage
            assert usage.prompt_tokens * 3 > loaded._sequences.capacity
            assert loaded._sequences.cells <= loaded._sequences.capacity
        # The fixed part was served all the same, from memory or from disk.
        assert usage.evaluated_tokens == usage.prompt_tokens - loaded.count_fixed(prompt)


def test_more_kinds_than_sequences_take_turns(model: LlamaModel) -> None:
    for number in range(SEQUENCES + 2):
        model.generate(question("Hi", f"kind {number}", "Be kind."), max_tokens=60, grammar=WORD)
    usage = model.generate(question("Ho", f"kind {number}", "Be kind."), max_tokens=60, grammar=WORD).usage
    assert usage.evaluated_tokens < usage.prompt_tokens
    usage = model.generate(question("Hi", "kind 0", "Be kind."), max_tokens=60, grammar=WORD).usage
    assert usage.evaluated_tokens == usage.prompt_tokens
