"""A bank of examples for the prompt that reads a turn: those most like the turn stand right before it."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from localmem import resources
from localmem.tasks.cues import Cue, cues, folded, language_of
from localmem.tasks.mentions import stem
from localmem.tasks.trim import Verb

NAME = "decompose-bank.toml"
_IDLE = frozenset({Cue.EVER, Cue.LIST, Cue.CLAIM, Cue.ASK, Cue.TALK})
"""Cues that say little about what a turn that tells something asks for."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example."""

    state: str
    said: str
    reply: str
    language: str
    verbs: frozenset[str]
    """Kinds of lines of the reply."""
    cues: frozenset[Cue]
    stems: frozenset[str]


def nearest(said: str, language: str, verbs: Collection[Verb], count: int) -> list[Example]:
    """The examples most like a turn, the most like last, right before it.

    Like are turns with the same cues, the same language, and the same words. Only examples whose lines the turn
    may have too come into question.

    Args:
        said: what the turn tells.
        language: code of its language.
        verbs: kinds of lines that may be written about it.
        count: examples at most.
    """
    may = {str(verb) for verb in verbs}
    mine, words = cues(said, language) - _IDLE, _stems(said)

    def score(example: Example) -> float:
        return (
            2.0 * _jaccard(mine, example.cues)
            + 1.5 * _jaccard(words, example.stems)
            + (0.6 if example.language == language else 0.0)
            + 0.3 * _jaccard(may, example.verbs)
        )

    fit = [example for example in _bank() if example.verbs <= may]
    return sorted(fit, key=score)[-count:] if count else []


def _jaccard(one: Collection[object], other: Collection[object]) -> float:
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first or second else 1.0


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word.strip(".,;:!?\"'()")) for word in folded(text).split())


@cache
def _bank() -> tuple[Example, ...]:
    data = tomllib.loads(resources.text("prompts", NAME))
    made = []
    for row in data["examples"]:
        said, reply = row["said"], row["reply"].strip("\n")
        language = language_of(said)
        verbs = frozenset(_verb(line) for line in reply.splitlines())
        made.append(
            Example(
                row["state"].strip("\n"),
                said,
                reply,
                language,
                verbs,
                cues(said, language) - _IDLE,
                _stems(said),
            )
        )
    return tuple(made)


def _verb(line: str) -> str:
    for whole in (Verb.DELETE_ALL, Verb.DONE_ALL):
        if line.startswith(whole):
            return str(whole)
    if line.startswith(("in ", "+ ")):
        return str(Verb.PART)
    return line.partition(" ")[0].rstrip(":")
