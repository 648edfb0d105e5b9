"""Examples for the model that reads a turn: those of a bank that are worded most like it, by TF-IDF.

The bank stands in `prompts/examples/LANGUAGE.txt`: blocks with a blank line between, each a list of tasks, a line "said: ..."
and the lines that follow from it. None shares five words in a row with a case of an evaluation (`localmem.bench.leaks`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from localmem import resources
from localmem.tasks.cues import folded
from localmem.tasks.trim import EMPTY

FOLDER = "examples"
SAID = "said: "
MOST = 3
"""Examples that a turn gets."""
LEAST = 0.2
"""Likeness of wording below which an example says nothing about a turn."""
TOKENS = 160
"""Of all of them, roughly: they are read anew in each turn."""


@dataclass(frozen=True, slots=True)
class Example:
    """A list, what was said, and what follows from it."""

    state: str
    said: str
    reply: str

    @property
    def cost(self) -> int:
        """Tokens, roughly, with those of the frame around the messages."""
        return 14 + sum(len(text) for text in (self.state, self.said, self.reply)) // 3


@dataclass(frozen=True, slots=True)
class Bank:
    """Examples of one language with the weights of their words."""

    examples: tuple[Example, ...]
    vectors: tuple[Mapping[str, float], ...]
    """Of each example: its features, weighted by rarity, of length 1."""
    rarity: Mapping[str, float]
    """Inverse document frequency of each feature: log((1 + examples) / examples that have it)."""


@cache
def bank(language: str) -> Bank:
    """The examples of a language; none where there is no file of that language.

    Args:
        language: its code, "en".

    Raises:
        FileNotFoundError: the installation lacks the folder of all of them.
    """
    file = resources.path("prompts", FOLDER) / f"{language}.txt"
    examples = parse(file.read_text(encoding="utf-8")) if file.is_file() else ()
    found = [features(example.said, example.state) for example in examples]
    held = Counter(feature for one in found for feature in one)
    rarity = {feature: math.log((1 + len(examples)) / count) for feature, count in held.items()}
    return Bank(examples, tuple(_weighted(one, rarity) for one in found), rarity)


def parse(text: str) -> tuple[Example, ...]:
    """The examples of a file; lines that begin with # are notes.

    Raises:
        ValueError: a block has no line of what was said, or nothing before or behind it.
    """
    made = []
    rows = [row.rstrip() for row in text.splitlines() if not row.startswith("#")]
    for block in re.split(r"\n{2,}", "\n".join(rows).strip()):
        lines = block.split("\n")
        at = [place for place, line in enumerate(lines) if line.startswith(SAID)]
        if len(at) != 1 or not 0 < at[0] < len(lines) - 1:
            raise ValueError(f"no example: {block!r}")
        said = lines[at[0]].removeprefix(SAID)
        made.append(Example("\n".join(lines[: at[0]]), said, "\n".join(lines[at[0] + 1 :])))
    return tuple(made)


def features(said: str, state: str) -> Counter[str]:
    """How something is worded: its words and pairs of words, without those that the list knows.

    Args:
        said: the turn.
        state: the list that it is about. Its words and all numbers count as one: what they are does not matter.
    """
    known = set(re.findall(r"\w+", folded(state)))
    words = [
        "#" if word[0].isdigit() else "@" if word in known and len(word) > 2 else word
        for word in re.findall(r"\w+", folded(said))
    ]
    ends = ["^", *words, "$"]
    pairs = (f"{one} {other}" for one, other in pairwise(ends))
    stems = (f"{word[:5]}~" for word in words if len(word) > 5)
    return Counter([*words, *pairs, *stems])


def _weighted(found: Mapping[str, int], rarity: Mapping[str, float]) -> dict[str, float]:
    """Root of the count times rarity, of length 1; features that no example has are left out."""
    known = {
        feature: math.sqrt(count) * rarity[feature] for feature, count in found.items() if feature in rarity
    }
    length = math.sqrt(sum(weight * weight for weight in known.values())) or 1.0
    return {feature: weight / length for feature, weight in known.items()}


def ranked(said: str, state: str, language: str) -> Sequence[tuple[float, Example]]:
    """Examples of a language, most alike first, each with the cosine of its wording to that of the turn, in [0, 1].

    Args:
        said: the turn.
        state: the list that it is about, as the model reads it.
        language: code.
    """
    held = bank(language)
    mine = _weighted(features(said, state), held.rarity)
    scores = [
        sum(weight * vector[feature] for feature, weight in mine.items() if feature in vector)
        for vector in held.vectors
    ]
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    return [(scores[place], held.examples[place]) for place in order]


def chosen(said: str, state: str, language: str) -> tuple[Example, ...]:
    """The examples that a turn gets, most alike last, where the model looks first.

    Args:
        said: the turn.
        state: the list that it is about, as the model reads it; empty, or `trim.EMPTY`: there is none.
        language: code.
    """
    taken: list[Example] = []
    spent = 0
    for score, example in ranked(said, state, language):
        if score < LEAST or len(taken) == MOST:
            break
        if (example.state == EMPTY) != (not state or state == EMPTY):
            continue  # to begin something is another thing than to go on with it
        if spent + example.cost <= TOKENS:
            taken.append(example)
            spent += example.cost
    return tuple(reversed(taken))
