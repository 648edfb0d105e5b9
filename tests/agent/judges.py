"""A model that judges turns by a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from localmem.llm.protocol import Odds, Prompt
from localmem.values import Usage
from tests.fakes import ScriptedModel


class Judge(ScriptedModel):
    """Gives odds by a rule over what it reads of a turn; replies from a queue."""

    def __init__(self, rule: Callable[[str], float], replies: Iterable[str | BaseException] = ()) -> None:
        super().__init__(replies)
        self.rule = rule
        self.judged: list[str] = []
        """Turns that it was asked about, in order."""
        self.asked: list[Prompt] = []

    def odds(self, prompt: Prompt, replies: tuple[str, str] = ("yes", "no")) -> Odds:
        assert replies == ("yes", "no")
        turn = prompt.messages[-1].text.partition("Turn: ")[2]
        self.asked.append(prompt)
        self.judged.append(turn)
        read = self.count(prompt.messages[-1].text)
        return Odds(self.rule(turn), Usage(self.count_prompt(prompt), read, 0, calls=1))
