"""The grammar of one answer: which turns it can cite, and which times it can name."""

from __future__ import annotations

from collections.abc import Sequence

from localmem.llm import grammar as grammars

KIND = "answer"
"""Of the prompt."""


def grammar(numbers: Sequence[int], dates: Sequence[str] | None = None, *, likely: bool = False) -> str:
    """GBNF of an answer that can cite these numbers only.

    Args:
        numbers: of the turns.
        dates: where a time is asked for, those that the turns name; an answer that begins with a figure is one of them.
        likely: what is likely is asked of somebody who speaks, so there is always something to conclude it from.
    """
    rules = grammars.with_rule(grammars.load(KIND), "number", grammars.alternatives(map(str, numbers)))
    if likely:
        rules = grammars.with_rule(rules, "root", "answer")
    if dates is None:
        return rules
    free = r"[^\n\[\] 0-9] [^\n\[\]]{0,400}"
    return grammars.with_rule(rules, "text", f"{grammars.alternatives(dates)} | {free}" if dates else free)
