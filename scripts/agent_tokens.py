"""What the agent's prompts cost, without a model: a walker acts, and tokens are counted as the engine would read them.

    python scripts/agent_tokens.py [--problems DIR] [--count 5] [--every 4] [--led]

The walker takes random valid actions that lead to new states, and ends a subgoal after `--every` steps, as both are
what a weak model does at best. With `--led` it takes what a search finds, as where the model may write nothing else. Tokens are counted roughly (letters in sixes), so only ratios mean something. What is
read is what is no prefix of the last prompt.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from localmem.agent.loop import Loop
from localmem.agent.values import DEFAULT_ASSISTS, Actions, Assist, Mode, Options
from localmem.bench.agent import Problem, found, made
from localmem.llm.protocol import Generation, Prompt
from localmem.values import Usage

WAYS = {
    "standard, plain": Options(mode=Mode.STANDARD, assists=frozenset()),
    "hiagent, plain": Options(assists=frozenset()),
    **{
        f"hiagent, {assist}": Options(assists=frozenset({assist}))
        for assist in Assist
        if assist not in (Assist.LOOKAHEAD, Assist.SEARCH)
    },
    "hiagent, as measured": Options(assists=DEFAULT_ASSISTS),
    "the same, free": Options(assists=DEFAULT_ASSISTS, actions=Actions.FREE),
}


def tokens(text: str) -> list[str]:
    """Pieces of a text, about as many as a tokenizer makes."""
    found = re.findall(r"[A-Za-z]+|\d|[^\w\s]", text)
    return [word[start : start + 6] for word in found for start in range(0, len(word), 6)]


class Walker:
    """Acts along a walk, and counts what it reads."""

    id = "walker"
    context = 10**6

    def __init__(self, walk: list[str], every: int) -> None:
        self._walk = iter(walk)
        self._every = every
        self._steps = 0
        self._read: list[str] | None = None

    def count(self, text: str) -> int:
        return len(tokens(text))

    def count_prompt(self, prompt: Prompt) -> int:
        return len(self._tokens(prompt.messages, prompt.start))

    def generate(self, prompt: Prompt, *, grammar: str | None = None, **_: Any) -> Generation:
        whole = self._tokens(prompt.messages, prompt.start)
        known = self._tokens(prompt.messages[: prompt.fixed]) if self._read is None else self._read
        same = next(
            (at for at, pair in enumerate(zip(whole, known, strict=False)) if pair[0] != pair[1]), None
        )
        shared = min(len(whole), len(known)) if same is None else same
        root = re.search(r"^root ::= (.*)$", grammar or "", re.MULTILINE)
        phrase = re.search(r'^phrase ::= \("((?:[^"\\]|\\.)*)"', grammar or "", re.MULTILINE)
        text = self._line(root[1] if root else "", phrase[1] if phrase else "")
        self._read = [*whole, *tokens(text)]
        return Generation(text, Usage(len(whole), max(1, len(whole) - shared), self.count(text), calls=1))

    def _line(self, root: str, fact: str) -> str:
        subgoal = fact or "Do the next part of the way to the goal."
        if root == "subgoal":
            return f"Subgoal: {subgoal}"
        if "ended" in root and self._steps >= self._every:
            self._steps = 0
            return f"Reached: This part is done and all stands as it should.\nSubgoal: {subgoal}"
        self._steps += 1
        if root.startswith("subgoal"):
            return f"Subgoal: {subgoal}\nAction: {next(self._walk)}"
        action = next(self._walk)
        return action if root == "act" else f"Action: {action}"

    def _tokens(self, messages: Any, start: str = "") -> list[str]:
        told = [piece for one in messages for piece in ("<s>", one.speaker, *tokens(one.text), "</s>")]
        return [*told, "<s>", "assistant", *tokens(start)]


def walk(problem: Problem, steps: int, led: bool) -> list[str]:
    """What a search finds, or random valid actions, to new states where there are any."""
    world = problem.world.make("", None)
    world.reset()
    dice = random.Random(problem.name)
    seen = {world.state()}
    taken: list[str] = []
    while len(taken) < steps and not world.done and world.valid_actions():
        actions = (led and world.route().actions[:1]) or world.valid_actions()
        action = dice.choice([one for one in actions if world.peek(one) not in seen] or list(actions))
        world.step(action)
        seen.add(world.state())
        taken.append(action)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=Path, help="folder of PDDL problems; without it they are made")
    parser.add_argument("--count", type=int, default=5, help="problems of a domain")
    parser.add_argument("--every", type=int, default=4, help="steps of a subgoal")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--led", action="store_true", help="the walk is what a search finds")
    arguments = parser.parse_args()
    problems = (
        found(arguments.problems, [], arguments.count)
        if arguments.problems
        else made(("blocksworld", "gripper", "tyreworld", "barman"), arguments.count)
    )
    walks = {problem.name: walk(problem, arguments.steps, arguments.led) for problem in problems}
    first: tuple[float, float] | None = None
    rows = {}
    for name, options in WAYS.items():
        contexts, reads = [], []
        for problem in problems:
            taken = walks[problem.name]
            walker = Walker(taken, arguments.every)
            done = Loop(problem.world.make("", None), walker, replace(options, max_steps=len(taken))).run()
            contexts.append(fmean(step.context for step in done.acts))
            reads.append(fmean(step.usage.evaluated_tokens for step in done.acts))
        context, read = fmean(contexts), fmean(reads)
        first = first or (context, read)
        rows[name] = [round(context / first[0], 3), round(read / first[1], 3)]
        print(
            f"{name:21} context {context:6.0f} ({rows[name][0]:.2f})  read {read:5.0f} ({rows[name][1]:.2f})"
        )
    print(
        json.dumps(
            {
                "benchmark": "agent_tokens",
                "every": arguments.every,
                "led": arguments.led,
                "problems": len(problems),
                "ratios": rows,
            }
        )
    )


if __name__ == "__main__":
    main()
