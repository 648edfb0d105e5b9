"""Questions about conversations, with the turns that answer them: LoCoMo files, and questions on a transcript."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localmem.errors import BenchError
from localmem.transcripts import Conversation, Event, Format
from localmem.transcripts import read as read_transcript

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
"""Of LoCoMo (Maharana and others 2024, arXiv:2402.17753), by number."""
ADVERSARIAL = CATEGORIES[5]
UNKNOWN = (ADVERSARIAL, "unknown")
"""Kinds of questions that the conversation does not answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, the sources of the turns that answer it, and the answer."""

    conversation: str
    text: str
    kind: str
    gold: frozenset[str]
    answer: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation and what is asked about it."""

    name: str
    events: tuple[Event, ...]
    questions: tuple[Question, ...]


def load(data: Path, only: Sequence[str] = ()) -> list[Talk]:
    """The conversations of a LoCoMo file, or the one that a file of questions names, in order.

    A file of questions is `{"transcript": FILE, "questions": [{"question", "kind", "gold", "expected"}]}`.

    Args:
        data: the file.
        only: names of conversations; empty: all.

    Raises:
        BenchError: the file cannot be read, is neither, or has no conversation of a name.
    """
    content = _json(data)
    try:
        talks = [_on_a_transcript(data, content)] if isinstance(content, dict) else _locomo(data, content)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise BenchError(
            f"{data} holds no questions that can be read: {type(error).__name__} {error}.",
            hint="Give a LoCoMo file, or a file of questions like samples/two-friends.questions.json.",
        ) from error
    names = [talk.name for talk in talks]
    missing = [name for name in only if name not in names]
    if missing:
        raise BenchError(
            f"{data} has no conversation {missing[0]}.", hint=f"There are: {', '.join(names[:20])}."
        )
    return [talk for talk in talks if not only or talk.name in only]


def draw(questions: Iterable[Question], count: int, seed: int) -> list[Question]:
    """So many questions, evenly by conversation and kind, the same for the same seed."""
    groups: defaultdict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.conversation, question.kind].append(question)
    chance = random.Random(seed)
    piles = [chance.sample(groups[key], len(groups[key])) for key in sorted(groups)]
    chance.shuffle(piles)
    drawn: list[Question] = []
    while len(drawn) < count and any(piles):
        # Kinds take turns, so that a count that does not come out even leaves no kind far behind.
        piles.sort(key=lambda pile: sum(one.kind == pile[0].kind for one in drawn) if pile else 0)
        for pile in piles:
            if pile and len(drawn) < count:
                drawn.append(pile.pop())
    return drawn


def _json(data: Path) -> Any:
    try:
        return json.loads(data.read_text("utf-8"))
    except OSError as error:
        raise BenchError(f"{data} cannot be read: {error.strerror}.", hint="Check the path.") from error
    except (ValueError, RecursionError) as error:
        raise BenchError(f"{data} is no JSON: {error}.", hint="Give a LoCoMo file.") from error


def _on_a_transcript(data: Path, content: dict[str, Any]) -> Talk:
    name = content["transcript"]
    questions = [
        Question(
            name,
            row["question"],
            row["kind"],
            frozenset(row["gold"]),
            "; ".join(forms[0] for forms in row.get("expected", ())),
        )
        for row in content["questions"]
    ]
    return Talk(name, tuple(read_transcript(data.parent / name)), tuple(questions))


def _locomo(data: Path, content: list[Any]) -> list[Talk]:
    events: dict[str, list[Event]] = {}
    current: list[Event] = []
    for event in read_transcript(data, format=Format.LOCOMO):
        if isinstance(event, Conversation):
            current = events.setdefault(event.name, [])
        current.append(event)
    return [
        Talk(name, tuple(events[name]), tuple(_question(name, row) for row in sample["qa"]))
        for sample in content
        if (name := sample["sample_id"]) in events
    ]


def _question(conversation: str, row: dict[str, Any]) -> Question:
    gold = frozenset(re.findall(r"D\d+:\d+", " ".join(row.get("evidence") or ())))
    answer = str(row.get("answer", ""))
    return Question(conversation, row["question"], CATEGORIES[row["category"]], gold, answer)
