"""How likely a reply is, without writing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from localmem.errors import ContextOverflowError
from localmem.llm.protocol import JudgeModel, Message, Prompt, Speaker

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel

pytestmark = pytest.mark.engine


def question(text: str) -> Prompt:
    rules = Message(Speaker.SYSTEM, "Answer yes or no.")
    return Prompt("judge", (rules, Message(Speaker.USER, text)), 1)


def test_the_likelier_reply_is_the_one_that_is_written(model: LlamaModel) -> None:
    assert isinstance(model, JudgeModel)
    for text in ("Is water wet?", "Is fire cold?", "Is seven a colour?"):
        written = model.generate(question(text), max_tokens=2, grammar='root ::= "yes" | "no"').text
        assert (model.odds(question(text)).log > 0) is (written == "yes")


def test_odds_are_the_same_each_time_and_turn_with_the_replies(model: LlamaModel) -> None:
    once = model.odds(question("Is water wet?")).log
    model.generate(question("Is fire cold?"), max_tokens=2, grammar='root ::= "yes" | "no"')
    assert model.odds(question("Is water wet?")).log == pytest.approx(once, abs=1e-3)
    assert model.odds(question("Is water wet?"), ("no", "yes")).log == pytest.approx(-once, abs=1e-3)


def test_what_prompts_begin_with_is_read_once(model: LlamaModel) -> None:
    start = "Think of the sea, of ships, of the wind and of the long way home. "
    first = model.odds(question(f"{start}Is it wet?")).usage
    second = model.odds(question(f"{start}Was it dry?")).usage
    assert second.generated_tokens == 0
    assert second.evaluated_tokens < first.prompt_tokens / 2


def test_replies_that_begin_alike_cannot_be_compared(model: LlamaModel) -> None:
    with pytest.raises(ValueError, match="begin alike"):
        model.odds(question("Is it?"), ("yes", "yes"))


def test_a_prompt_that_does_not_fit_is_refused(model: LlamaModel) -> None:
    with pytest.raises(ContextOverflowError):
        model.odds(question("wet " * model.context))
