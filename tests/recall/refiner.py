"""A model that cuts threads and writes their heads as the grammar allows, without understanding anything."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from localmem.llm import grammar as grammars
from localmem.llm.protocol import Generation, Prompt
from localmem.memory import Memory
from localmem.values import Usage
from tests.fakes import HashingEmbedder, ScriptedModel

_RULE = re.compile(r'^from-(\d+) ::= "\d+-" \((.*)\)$', re.MULTILINE)
_TURN = re.compile(r"(\d+) ([^:]*): (.*)")


def shown(prompt: Prompt) -> dict[int, tuple[str, str]]:
    """Speaker and text of the turns that a prompt shows, by number."""
    lines = prompt.messages[-1].text.split("\n")
    return {int(match[1]): (match[2], match[3]) for line in lines if (match := _TURN.fullmatch(line))}


class Refiner(ScriptedModel):
    """Takes one of the ways through each window, and the first words of each thread as its head.

    Args:
        choose: takes the numbers with which a thread may end.
        before: called before each reply with the number of replies so far.
    """

    def __init__(
        self,
        choose: Callable[[list[int]], int] = max,
        before: Callable[[int], object] = lambda replies: None,
    ) -> None:
        super().__init__()
        self._choose = choose
        self._before = before

    def generate(self, prompt: Prompt, **options: Any) -> Generation:
        self._before(len(self.prompts))
        self.prompts.append(prompt)
        self.grammars.append(options["grammar"])
        turns = shown(prompt)
        ways = {int(start): body for start, body in _RULE.findall(options["grammar"])}
        lines = []
        at = 1
        while at in ways:
            end = self._choose([int(number) for number in re.findall(r'"(\d+) "', ways[at])])
            speaker, text = turns[at]
            words = re.findall(r"[\w.]+", text)[:6]
            lines.append(f"{at}-{end} {speaker} says that {' '.join(words)}")
            at = end + 1
        reply = "\n".join(lines)
        assert grammars.accepts(options["grammar"], reply), (options["grammar"], reply)
        return Generation(reply, Usage(100, 50, 10, calls=1))


def main() -> None:
    """Refine all of a memory in this process, with a line before each reply: python -m tests.recall.refiner MEMORY."""
    model = Refiner(before=lambda replies: print(replies, flush=True))
    with Memory(Path(sys.argv[1]), embedder=HashingEmbedder, model=lambda: model) as memory:
        memory.refine()


if __name__ == "__main__":
    main()
