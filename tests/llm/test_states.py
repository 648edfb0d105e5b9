"""Hidden states of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from localmem.errors import ContextOverflowError
from localmem.llm.engine import SEQUENCES
from tests.llm.conftest import CONTEXT
from tests.llm.questions import question

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel


pytestmark = pytest.mark.engine


def test_states_are_one_row_a_token_and_the_same_each_time(model: LlamaModel) -> None:
    first = model.states("What is it?\n", ["the harp goes", "who plays the drums instead"])
    assert [len(piece) for piece in first.pieces] == [
        model.count("the harp goes"),
        model.count(" who plays the drums instead"),
    ]
    again = model.states("What is it?\n", ["the harp goes", "who plays the drums instead"])
    for one, other in zip(first.pieces, again.pieces, strict=True):
        assert abs(one - other).max() < 1e-3 * abs(one).max()
    assert again.usage.evaluated_tokens == sum(len(piece) for piece in again.pieces)


def test_states_of_more_tokens_than_the_engine_gives_at_once_are_as_those_of_few(model: LlamaModel) -> None:
    text = "the drums and the harp and the long red curtain go to the hall on Friday with two lamps"
    whole = model.states("", [text]).pieces[0]
    assert len(whole) > SEQUENCES
    short = model.states("", [" ".join(text.split()[:5])]).pieces[0]
    assert abs(whole[: len(short)] - short).max() < 0.05 * abs(short).max()


def test_states_leave_replies_as_they_were(model: LlamaModel) -> None:
    before = model.generate(question("What is the capital of Peru?"), max_tokens=60)
    model.states("What is it?\n", ["the harp goes"])
    after = model.generate(question("What is the capital of Peru?"), max_tokens=60)
    assert after.text == before.text
    assert after.usage.evaluated_tokens == 1


def test_states_of_a_text_that_does_not_fit_are_refused(model: LlamaModel) -> None:
    with pytest.raises(ContextOverflowError, match="tokens"):
        model.states("", ["harp " * CONTEXT])
