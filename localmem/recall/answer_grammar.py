"""The grammar of one answer: which turns it can cite, and which times each of them can give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localmem.llm import grammar as grammars

KIND = "answer"
"""Of the prompt."""
MORE_TO_A_LIST = "answer-more.j2"
"""The template that asks what else belongs to a list."""

_FREE = r"[^\n\[\] 0-9] [^\n\[\]]{0,400}"
_CITED = 'cite (" " cite){0,2} " " text'


def grammar(
    numbers: Sequence[int],
    told: Mapping[int, Sequence[str]] | None = None,
    *,
    likely: bool = False,
    texts: Sequence[str] = (),
) -> str:
    """GBNF of an answer that can cite these numbers only.

    Args:
        numbers: of the turns.
        told: where a time is asked for, the times that each turn tells, by its number; an answer that begins with a figure
            is a time of the turn that it cites.
        likely: what is likely is asked of somebody who speaks, so there is always something to conclude it from.
        texts: all that the answer can be; empty: anything.
    """
    rules = grammars.with_rule(grammars.load(KIND), "number", grammars.alternatives(map(str, numbers)))
    if likely:
        rules = grammars.with_rule(rules, "root", "answer")
    if texts:
        rules = grammars.with_rule(rules, "text", grammars.alternatives(texts))
    if told is None:
        return rules
    rules = grammars.with_rule(rules, "text", _FREE)
    timed = [f"[{number}] {time}" for number in numbers for time in told.get(number, ())]
    return (
        grammars.with_rule(rules, "answer", f"{grammars.alternatives(timed)} | {_CITED}") if timed else rules
    )
