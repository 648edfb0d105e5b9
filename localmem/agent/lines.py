"""The lines that the model writes: which grammar they are written under, and what they say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from localmem.llm import grammar

MOST_OPENED = 3
"""Finished subgoals that one line shows again."""
VERDICTS = {True: "Reached", False: "Not reached"}
_RETRIEVE = re.compile(r"\s*retrieve\s*\(([\d,\s]+)\)\.?\s*", re.IGNORECASE)
_ENDED = re.compile(r"(Reached|Not reached): ?")


@dataclass(frozen=True, slots=True)
class Line:
    """What the model wrote, taken apart. What was not written is empty."""

    action: str = ""
    subgoal: str = ""
    reached: bool | None = None
    summary: str = ""


def grammar_for(root: str, act: str | None = None, subgoals: Sequence[str] = ()) -> str:
    """The grammar of the next line.

    Args:
        root: its rule `root`, such as "action | ended".
        act: GBNF of the actions that may be written; None: any text.
        subgoals: those that may be written; none: any text.
    """
    text = grammar.with_rule(grammar.load("subgoal"), "root", root)
    if subgoals:
        text = grammar.with_rule(text, "phrase", grammar.alternatives(subgoals))
    return text if act is None else grammar.with_rule(text, "act", act)


def with_retrieve(act: str | None, numbers: Sequence[int]) -> str | None:
    """Actions, and the retrieval of any of these finished subgoals."""
    if act is None or not numbers:
        return act
    number = grammar.alternatives(map(str, numbers))
    more = grammar.repeat(f'", " {number}', 0, MOST_OPENED - 1)
    return f'({act} | "retrieve(" {number} {more} ")")'


def read(text: str) -> Line:
    """Take a reply apart."""
    action = subgoal = summary = ""
    reached: bool | None = None
    for line in text.split("\n"):
        if line.startswith("Action:"):
            action = line.removeprefix("Action:").strip()
        elif line.startswith("Subgoal:"):
            subgoal = line.removeprefix("Subgoal:").strip()
        elif found := _ENDED.match(line):
            reached, summary = found[1] == VERDICTS[True], line[found.end() :].strip()
    return Line(action, subgoal, reached, summary)


def retrieved(action: str) -> list[int] | None:
    """Numbers of the subgoals that an action wants to see again; None: it is no retrieval."""
    found = _RETRIEVE.fullmatch(action)
    if found is None:
        return None
    return [int(number) for number in re.findall(r"\d{1,6}", found[1])][:MOST_OPENED]
