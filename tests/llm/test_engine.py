"""The engine on a real model: replies, their limits and grammars."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localmem.errors import ContextOverflowError, GrammarError, TruncatedError
from localmem.llm import load
from localmem.settings import Settings
from tests.llm.conftest import CONTEXT
from tests.llm.questions import WORD, question

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel


pytestmark = pytest.mark.engine


def test_a_reply_is_streamed_as_it_is_returned(model: LlamaModel) -> None:
    shown: list[str] = []
    reply = model.generate(question("What is the capital of France?"), max_tokens=60, on_text=shown.append)
    assert "Paris" in reply.text
    assert "".join(shown) == reply.text
    assert "<|" not in reply.text
    assert reply.usage.calls == 1
    assert reply.usage.generated_tokens == len(shown)


def test_nothing_is_printed(
    small_model_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512)) as quiet:
        quiet.generate(question("Hi"), max_tokens=60, grammar=WORD)
        assert quiet.id.startswith(small_model_path.stem)
    assert capfd.readouterr() == ("", "")


# Data and control


def control(model: LlamaModel) -> list[str]:
    vocabulary = model._vocabulary
    return [vocabulary.token_text(token) for token in sorted(vocabulary.control)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(data=st.data())
def test_data_never_becomes_a_control_token_and_comes_out_as_it_went_in(
    model: LlamaModel, data: st.DataObject
) -> None:
    typed = data.draw(st.lists(st.sampled_from(control(model)) | st.text(max_size=8), max_size=8))
    vocabulary = model._vocabulary
    # A small vocabulary lacks some bytes, those of \x06 or of unassigned planes.
    known = {piece[0] for piece in map(vocabulary.piece, range(vocabulary.size)) if len(piece) == 1}
    text = "".join(c for c in "".join(typed) if known.issuperset(c.encode("utf-8", "replace")))
    tokens = vocabulary.data(text)
    assert vocabulary.control.isdisjoint(tokens)
    assert b"".join(map(vocabulary.piece, tokens)) == text.encode("utf-8", "replace")


def test_a_marker_in_a_message_is_more_tokens_than_one_of_the_template(model: LlamaModel) -> None:
    assert len(model._vocabulary.special("<|im_end|>")) == 1
    assert model.count("<|im_end|>") > 1


def test_the_prompt_is_counted_with_its_markers(model: LlamaModel) -> None:
    prompt = question("Where?")
    texts = sum(model.count(message.text) for message in prompt.messages)
    assert texts < model.count_prompt(prompt) < texts + 20


# Limits


def test_a_prompt_that_does_not_fit_is_refused_with_its_counts(model: LlamaModel) -> None:
    prompt = question("word " * CONTEXT)
    with pytest.raises(ContextOverflowError) as caught:
        model.generate(prompt, max_tokens=7)
    for number in (model.count_prompt(prompt), 7, CONTEXT):
        assert str(number) in str(caught.value)
    assert model.context == CONTEXT


def test_a_prompt_that_just_fits_is_answered(small_model_path: Path, tmp_path: Path) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512)) as loaded:
        room = 512 - loaded.count_prompt(question("word " * 100)) - 20
        prompt = question("word " * (100 + room))
        reply = loaded.generate(prompt, max_tokens=20, grammar='root ::= "yes" | "no"')
    assert reply.text in ("yes", "no")
    assert 490 < reply.usage.prompt_tokens <= 492


def test_a_reply_that_reaches_its_limit_is_a_failure_with_its_text(model: LlamaModel) -> None:
    with pytest.raises(TruncatedError) as caught:
        model.generate(question("Tell a long story."), max_tokens=5)
    assert caught.value.text
    assert caught.value.hint


def test_a_reply_of_exactly_the_limit_is_whole(model: LlamaModel) -> None:
    prompt = question("What is the capital of France?")
    reply = model.generate(prompt, max_tokens=60)
    assert model.generate(prompt, max_tokens=reply.usage.generated_tokens).text == reply.text


def test_a_reply_can_be_ended_by_what_it_says(model: LlamaModel) -> None:
    prompt = question("Name some animals.", "until")
    grammar = 'root ::= ([a-z]{3} ","){5}'
    reply = model.generate(prompt, max_tokens=60, grammar=grammar, until=lambda text: text.count(",") == 2)
    assert reply.text.count(",") == 2
    assert not reply.whole
    again = model.generate(prompt, max_tokens=60, grammar=grammar)
    assert again.whole
    assert again.text.startswith(reply.text)


# Grammars


def test_a_grammar_decides_what_can_be_written(model: LlamaModel) -> None:
    reply = model.generate(question("Capital of France?"), max_tokens=20, grammar='root ::= "Ly" "on" [.!]')
    assert reply.text in ("Lyon.", "Lyon!")


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_grammar_holds_for_characters_of_several_tokens(model: LlamaModel, temperature: float) -> None:
    grammar = "root ::= [🙂-🙏]{3} [а-я]{2,5} [^a-z]"
    shown: list[str] = []
    reply = model.generate(
        question("Hi"), max_tokens=60, grammar=grammar, temperature=temperature, on_text=shown.append
    )
    assert "".join(shown) == reply.text
    assert all(ord(character) >= 0x400 for character in reply.text[:-1])


def test_a_grammar_that_does_not_compile_is_refused(model: LlamaModel) -> None:
    with pytest.raises(GrammarError, match="not defined"):
        model.generate(question("Hi"), max_tokens=5, grammar="root ::= nothing")


def test_the_start_of_a_reply_is_given_not_generated(model: LlamaModel) -> None:
    prompt = question("What is the capital of France?", start="The capital of France is")
    reply = model.generate(prompt, max_tokens=60)
    assert reply.text.startswith(" Paris")


def test_equal_seeds_write_equally(model: LlamaModel) -> None:
    def write(seed: int) -> str:
        prompt = question("Name some animals.")
        return model.generate(
            prompt, max_tokens=60, grammar="root ::= [a-z ,]{30}", temperature=1.5, seed=seed
        ).text

    assert write(1) == write(1)
    assert write(1) != write(2)
