"""Turns of one sitting to threads with heads, by a model of language.

The model reads numbered turns and writes one line a thread: where it ends, and what it tells. A grammar made for
these turns leaves it only ways through them in which every turn is in exactly one thread, with borders where the
talk turns to something else by the drift of the vectors. It is weak at telling who said what when, so code adds people
and days, and looks up every name and number of a head in the thread's own turns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from localmem.errors import EngineError, GrammarError
from localmem.llm import grammar as grammars
from localmem.llm import prompts
from localmem.llm.protocol import LanguageModel, Prompt
from localmem.recall.calendar_days import day_name, short_day
from localmem.recall.dates import annotate
from localmem.recall.facts import facts, inner_names, plain, stands_in
from localmem.recall.query import READ_CHARACTERS, STOP_WORDS, words
from localmem.recall.threads import centre, drifts, head
from localmem.values import Turn, Usage

KIND = "refine"
LEAST_TURNS, MOST_TURNS = 5, 12
"""Of a thread. Those of 5 to 8 turns are found best (`scripts/LOG.md`)."""
HEAD_WORDS = 20
"""At most, by the grammar. A model that wants to go on writes words as one."""
LINE_TOKENS = 96
"""Room for a line of the reply."""
TURN_CHARACTERS = (240, 120, 60)
"""So much of a turn is read; less where a window does not fit the context else."""
LATIN_WORD = r"[!-'*-:<-~\u00A1-\u036F\u2010-\u2026]{1,24}"
SHOWN_PEOPLE = 3
STEM = 5
"""Letters that two forms of a word have in common."""

_OTHER_LETTERS = re.compile("[\u0370-\u1fff\u2c00-\ua6ff\uac00-\ud7ff\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"(?<=[^\W\d_]{3})[.!?] ")
_LINE = re.compile(r"(\d+)-(\d+) (.+)")


@dataclass(frozen=True, slots=True)
class Part:
    """A thread that is proposed: turns `first` to `last` of the window, inclusive, from 0."""

    first: int
    last: int
    head: str
    written: bool = True
    """Whether the head is the model's; else it is the most central turn."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the model made of a window."""

    parts: tuple[Part, ...]
    again: int
    """Heads that it was asked for a second time."""
    usage: Usage


def propose(
    turns: Sequence[Turn], vectors: NDArray[np.float32], borders: Collection[int], model: LanguageModel
) -> Proposal:
    """Threads of a window, with heads; together they hold every turn exactly once.

    A head that cannot stand is asked for once more, with the turns of its thread alone in view.

    Args:
        turns: n turns of one sitting, one after the other.
        vectors: their unit vectors, shape (n, d).
        borders: places at which threads begin so far; they stay possible.
        model: reads and writes.

    Raises:
        TruncatedError, GrammarError: the reply cannot be used.
        EngineError: the model cannot run, or the turns do not fit its context.
    """
    ways = routes(len(turns), {*turning_points(vectors), *borders})
    parts, usage = _write(turns, ways, model)
    wrong = faults(parts, turns)
    for place in wrong if len(parts) > 1 else ():
        own = parts[place]
        (again,), more = _write(turns[own.first : own.last + 1], {0: (own.last - own.first + 1,)}, model)
        parts[place] = Part(own.first, own.last, again.head)
        usage += more
    failed = faults(parts, turns)
    made = tuple(
        Part(part.first, part.last, _extract(part, turns, vectors), written=False)
        if place in failed
        else Part(part.first, part.last, _complete(part, turns))
        for place, part in enumerate(parts)
    )
    return Proposal(made, len(wrong), usage)


def turning_points(vectors: NDArray[np.float32]) -> list[int]:
    """Gaps at which the talk moves more than at those beside them; gap g is before turn g."""
    drift = drifts(vectors)
    around = np.concatenate([drift, [0.0]])
    return [gap for gap in range(1, len(drift)) if drift[gap] >= max(around[gap - 1], around[gap + 1])]


def routes(count: int, borders: Collection[int]) -> dict[int, tuple[int, ...]]:
    """For each place where a thread may begin, the places where the next one may; `count` is the end.

    From each of them the end can be reached by threads of `LEAST_TURNS` to `MOST_TURNS` turns. Where the borders
    do not allow that, every gap is one; what is too short for it is one thread.
    """
    if count < LEAST_TURNS:
        return {0: (count,)}
    for places in (sorted({0, *borders} - {count}), range(count)):
        found: dict[int, tuple[int, ...]] = {}
        for start in reversed(places):
            ends = [
                end
                for end in range(start + LEAST_TURNS, min(count, start + MOST_TURNS) + 1)
                if end == count or end in found
            ]
            if ends:
                found[start] = tuple(ends)
        if 0 in found:
            return {start: found[start] for start in _reached(found)}
    raise AssertionError(f"{count} turns can always be cut")


def grammar(ways: Mapping[int, Sequence[int]], *, latin: bool = False) -> str:
    """GBNF of all ways through a window; numbers are shown from 1.

    Args:
        ways: of `routes`.
        latin: whether heads have no letters of other scripts: a small model slips from one language into another.
    """
    end = max(max(ends) for ends in ways.values())
    text = grammars.with_rule(grammars.load(KIND), "root", "from-1")
    if latin:
        text = grammars.with_rule(text, "word", LATIN_WORD)
    rules = [text.rstrip()]
    for start, ends in ways.items():
        lines = [f'"{last} " head' + (f' "\\n" from-{last + 1}' if last < end else "") for last in ends]
        rules.append(f'from-{start + 1} ::= "{start + 1}-" ({" | ".join(lines)})')
    return "\n".join(rules) + "\n"


def faults(parts: Sequence[Part], turns: Sequence[Turn]) -> dict[int, str]:
    """Parts whose head cannot stand, by place: with the name or number that is in none of their turns, or "".

    A head has something from its own turns, and not more from those of another part.
    """
    said = [" ".join(map(_searchable, turns[part.first : part.last + 1])) for part in parts]
    people = {word for turn in turns for word in words(turn.speaker)}
    names = frozenset(
        plain(word)
        for turn in turns
        for name in (turn.speaker, *inner_names(turn.text[:READ_CHARACTERS]))
        for word in words(name)
    )
    stems = [{word[:STEM] for word in words(text)} for text in said]
    found: dict[int, str] = {}
    for place, part in enumerate(parts):
        missing = [fact for fact in facts(part.head, names) if not stands_in(fact, said[place])]
        content = {word[:STEM] for word in words(part.head) if word not in STOP_WORDS and word not in people}
        shared = [len(content & one) for one in stems]
        if missing:
            found[place] = missing[0]
        elif not shared[place] or shared[place] < max(shared):
            found[place] = ""
    return found


def people_and_days(turns: Sequence[Turn], text: str) -> str:
    """Who speaks in a thread, but for those whom a text names already, and when; empty if neither is known."""
    there = set(words(text))
    speakers = dict.fromkeys(" ".join(turn.speaker.split()) for turn in turns)
    others = [one for one in speakers if not there & set(words(one))]
    shown = others[:SHOWN_PEOPLE] + ([f"{len(others) - SHOWN_PEOPLE} more"] if others[SHOWN_PEOPLE:] else [])
    days = [turn.at.date() for turn in turns if turn.at is not None]
    when = " to ".join(dict.fromkeys(map(short_day, (days[0], days[-1])))) if days else ""
    return ", ".join(filter(None, [*shown, when]))


def _write(
    turns: Sequence[Turn], ways: Mapping[int, Sequence[int]], model: LanguageModel
) -> tuple[list[Part], Usage]:
    """The parts of these turns as the model writes them."""
    room = LINE_TOKENS * max(1, len(turns) // LEAST_TURNS)
    latin = all(not _OTHER_LETTERS.search(turn.speaker + turn.text) for turn in turns)
    reply = model.generate(_fitting(turns, room, model), max_tokens=room, grammar=grammar(ways, latin=latin))
    return _read(reply.text, len(turns)), reply.usage


def _fitting(turns: Sequence[Turn], room: int, model: LanguageModel) -> Prompt:
    kind = prompts.load(KIND)
    for characters in TURN_CHARACTERS:
        lines = [
            {
                "number": number,
                "speaker": _short(turn.speaker, characters // 4),
                "text": _short(turn.text, characters),
            }
            for number, turn in enumerate(turns, 1)
        ]
        prompt = kind.prompt(kind.ask(turns=lines))
        if model.count_prompt(prompt) + room <= model.context:
            return prompt
    raise EngineError(
        f"{len(turns)} turns do not fit {model.context} tokens of context.",
        hint="Set LOCALMEM_CONTEXT higher, or use another model.",
    )


def _short(text: str, characters: int) -> str:
    line = " ".join(text[:READ_CHARACTERS].split())
    return line if len(line) <= characters else f"{line[: characters - 1].rsplit(' ', 1)[0]}…"


def _read(reply: str, count: int) -> list[Part]:
    """The parts of a reply.

    Raises:
        GrammarError: they do not hold every turn exactly once.
    """
    parts: list[Part] = []
    expected = 0
    for line in reply.split("\n"):
        match = _LINE.fullmatch(line)
        first, last = (int(match[1]) - 1, int(match[2]) - 1) if match else (-1, -1)
        if match is None or first != expected or not first <= last < count:
            raise GrammarError(f"The reply leaves its turns: {line[:40]!r}", hint="Mend the grammar.")
        parts.append(Part(first, last, match[3]))
        expected = last + 1
    if expected != count:
        raise GrammarError(f"The reply ends with turn {expected} of {count}", hint="Mend the grammar.")
    return parts


def _searchable(turn: Turn) -> str:
    """All that a head may take from a turn."""
    day = day_name(turn.at.date()) if turn.at else ""
    return f"{day} {turn.speaker} {annotate(turn.text[:READ_CHARACTERS], turn.at)}"


def _complete(part: Part, turns: Sequence[Turn]) -> str:
    """The head with people and days."""
    text = _whole(part.head)
    more = people_and_days(turns[part.first : part.last + 1], text)
    return f"{text} ({more})" if more else text


def _whole(text: str) -> str:
    """A head without what the model went on with and the grammar has cut off."""
    sentence = _SENTENCE_END.split(text, maxsplit=1)[0]
    said = sentence.split(" ")
    if len(said) == HEAD_WORDS:
        until = max((place for place, word in enumerate(said[:-1], 1) if word.endswith(",")), default=0)
        said = said[:until] if until >= HEAD_WORDS // 2 else said[:-1]
    while len(said) > 1 and (said[-1].lower() in STOP_WORDS or said[-1].endswith(("'s", "’s"))):
        said.pop()
    return " ".join(said).strip(" .,")


def _extract(part: Part, turns: Sequence[Turn], vectors: NDArray[np.float32]) -> str:
    own = vectors[part.first : part.last + 1]
    return head(turns[part.first : part.last + 1], own @ centre(own))


def _reached(ways: Mapping[int, Sequence[int]]) -> list[int]:
    """The places that can be reached from the first, rising."""
    found = {0}
    for start in sorted(ways):
        if start in found:
            found.update(end for end in ways[start] if end in ways)
    return sorted(found)
