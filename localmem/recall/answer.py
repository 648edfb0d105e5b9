"""A workspace to an answer that rests on its turns.

The model writes the numbers of the turns first and the answer after them, under a grammar that can only
name turns it was shown. Code does what the model is weak at: it resolves relative dates, looks up every
name, number and date of the answer in the cited turns, adds the turn that has a missing one, and asks
again once when no turn has it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from localmem.errors import EngineError, TruncatedError
from localmem.llm import grammar as grammars
from localmem.llm import prompts, templates
from localmem.llm.protocol import LanguageModel, Message, Prompt, Speaker
from localmem.recall.dates import annotate, day_name
from localmem.recall.query import STOP_WORDS, words
from localmem.values import Answer, Citation, Unit, Usage, Workspace

NOT_IN_MEMORY = "I don't have that in memory."
UNKNOWN_REPLY = "[0] Not in memory."
ANSWER_TOKENS = 200
KIND = "answer"

_CITED = re.compile(r"\A((?:\[\d+\] ?)+)")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W_]*(?:['’][^\W_]+)?")
_SENTENCE_END = re.compile(r"[.!?…]['\"’”)]*\s|\n")


class _StopWritingError(Exception):
    """What the model has begun to say stands in no turn."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A unit as the model reads it."""

    number: int
    unit: Unit
    text: str
    """With the meaning of relative dates."""
    day: str
    """"Tuesday 4 March 2025", or empty."""

    @property
    def searchable(self) -> str:
        """All that an answer may take from it."""
        return f"{self.day} {self.unit.turn.speaker} {self.text}"


def evidence(units: Sequence[Unit]) -> list[Evidence]:
    """Units, numbered from 1, as the model reads them."""
    found = []
    for number, unit in enumerate(units, 1):
        turn = unit.turn
        day = day_name(turn.at.date()) if turn.at else ""
        found.append(Evidence(number, unit, annotate(" ".join(turn.text.split()), turn.at), day))
    return found


def days(shown: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Evidence grouped by day, as the prompt's template wants it."""
    groups: list[dict[str, Any]] = []
    for one in shown:
        if not groups or groups[-1]["name"] != one.day:
            groups.append({"name": one.day, "units": []})
        speaker = " ".join(one.unit.turn.speaker.split())
        groups[-1]["units"].append({"number": one.number, "speaker": speaker, "text": one.text})
    return groups


def grammar(numbers: Sequence[int]) -> str:
    """GBNF of an answer that can cite these numbers only."""
    return grammars.with_rule(grammars.load(KIND), "number", grammars.alternatives(map(str, numbers)))


def facts(text: str, known_names: frozenset[str]) -> list[str]:
    """Names and numbers that an answer claims, in order.

    A capitalised word that begins a sentence counts only if it is one of `known_names` (lower case).
    """
    found: list[str] = []
    for match in re.finditer(rf"{_NUMBER.pattern}|{_CAPITALISED.pattern}", text):
        word = match.group()
        if not word[0].isdigit():
            before = text[: match.start()].rstrip(" \"'“‘(")
            begins = not before or before[-1] in ".!?:;…\n"
            lowered = _plain(word)
            if lowered in STOP_WORDS or (begins and lowered not in known_names):
                continue
        found.append(word)
    return found


def stands_in(fact: str, text: str) -> bool:
    """Whether a name or number stands in a text, whatever its case and the commas in numbers."""
    if fact[0].isdigit():
        return _digits(fact) in {_digits(number) for number in _NUMBER.findall(text)}
    wanted = _plain(fact)
    return any(word == wanted or (len(wanted) > 3 and word.startswith(wanted)) for word in words(text))


def _plain(word: str) -> str:
    return re.split(r"['’]", word.lower())[0]


def _digits(number: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", number).strip(".,:")


def answer(
    question: str,
    workspace: Workspace,
    model: Callable[[], LanguageModel],
    *,
    started: float | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a question from a workspace.

    Args:
        question: the question.
        workspace: what was found for it.
        model: gives the model; not called when the workspace is empty.
        started: `time.perf_counter()` when the work began; None: now.
        on_text: called with each sentence that has passed the check, and at the end with the rest.

    Raises:
        EngineError: the model cannot run, or not even one turn fits its context.
    """
    begun = time.perf_counter() if started is None else started

    def finish(text: str, cited: Sequence[Evidence], usage: Usage, supported: bool) -> Answer:
        citations = tuple(
            Citation(place, one.unit.stored, workspace.transcripts[one.unit.stored.transcript])
            for place, one in enumerate(cited, 1)
        )
        found = bool(citations)
        if not found and on_text is not None:
            on_text(text)
        seconds = time.perf_counter() - begun
        return Answer(question, text, citations, found, supported, workspace, usage, seconds)

    if not workspace.units:
        return finish(NOT_IN_MEMORY, (), Usage(), True)
    writer = _Writer(question, workspace, model(), on_text)
    text, cited, supported = writer.write()
    if not cited:
        return finish(NOT_IN_MEMORY, (), writer.usage, True)
    return finish(text, cited, writer.usage, supported)


class _Writer:
    """Writes one answer: the first try, and the second one if the first claims what no turn says."""

    def __init__(
        self,
        question: str,
        workspace: Workspace,
        model: LanguageModel,
        on_text: Callable[[str], None] | None,
    ) -> None:
        self._model = model
        self._on_text = on_text
        self._question = question
        self._shown = self._fitting(evidence(workspace.units), len(workspace.units))
        self._names = frozenset(
            _plain(word)
            for one in self._shown
            for word in (one.unit.turn.speaker, *_inner_names(one.text))
            for word in words(word)
        )
        self.usage = Usage(dropped_units=len(workspace.units) - len(self._shown))

    def write(self) -> tuple[str, list[Evidence], bool]:
        """Text, cited evidence (none: not in memory) and whether every fact stands in it."""
        reply, missing = self._generate(self._prompt(), last=False)
        if missing:
            again = templates.render("answer-again.j2", missing=missing[0])
            asked = self._prompt(Message(Speaker.ASSISTANT, reply), Message(Speaker.USER, again))
            reply, missing = self._generate(asked, last=True)
        text, cited = self._split(reply)
        return text, self._support(text, cited), not missing

    def _prompt(self, *more: Message) -> Prompt:
        return self._prompt_of(self._shown, *more)

    def _prompt_of(self, shown: Sequence[Evidence], *more: Message) -> Prompt:
        kind = prompts.load(KIND)
        return kind.prompt(kind.ask(days=days(shown), question=" ".join(self._question.split())), *more)

    def _fitting(self, shown: list[Evidence], units: int) -> list[Evidence]:
        """Evidence that fits the context beside two replies; the lowest priority is left out first."""
        room = self._model.context - 2 * ANSWER_TOKENS - 64
        while shown and self._model.count_prompt(self._prompt_of(shown)) > room:
            lowest = min(shown, key=lambda one: one.unit.priority)
            shown = evidence([one.unit for one in shown if one is not lowest])
        if not shown:
            raise EngineError(
                f"The question and one turn do not fit {self._model.context} tokens of context.",
                hint="Ask a shorter question, or set LOCALMEM_CONTEXT higher.",
            )
        return shown

    def _generate(self, prompt: Prompt, *, last: bool) -> tuple[str, list[str]]:
        """A reply and the facts in it that stand nowhere. Unless `last`, it breaks off at the first of them."""
        written: list[str] = []
        told = 0

        def on_text(piece: str) -> None:
            nonlocal told
            written.append(piece)
            reply = "".join(written)
            done = _sentences(self._split(reply)[0])
            if len(done) > told:
                if not last and self._missing(done):
                    raise _StopWritingError
                self._tell(done[told:])
                told = len(done)

        try:
            generation = self._model.generate(
                prompt,
                max_tokens=ANSWER_TOKENS,
                grammar=grammar([one.number for one in self._shown]),
                on_text=on_text,
            )
        except _StopWritingError:
            reply = "".join(written)
            return reply, self._missing(self._split(reply)[0])
        except TruncatedError as error:
            raise TruncatedError(str(error), hint="Ask for less at once.") from None
        self.usage += generation.usage
        text, cited = self._split(generation.text)
        missing = self._missing(text) if cited else []
        if last or not missing:
            self._tell(text[told:] if cited else "")
        return generation.text, missing

    def _tell(self, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(text)

    def _split(self, reply: str) -> tuple[str, list[Evidence]]:
        """Text and cited evidence of a reply."""
        match = _CITED.match(reply)
        numbers = [int(number) for number in re.findall(r"\d+", match.group())] if match else []
        by_number = {one.number: one for one in self._shown}
        cited = [by_number[number] for number in dict.fromkeys(numbers) if number in by_number]
        return reply[match.end() :].lstrip() if match else reply, cited

    def _missing(self, text: str) -> list[str]:
        """Facts of an answer that stand in no turn that was shown, nor in the question."""
        everything = " ".join([self._question, *(one.searchable for one in self._shown)])
        return [fact for fact in facts(text, self._names) if not stands_in(fact, everything)]

    def _support(self, text: str, cited: list[Evidence]) -> list[Evidence]:
        """The cited evidence, and for each fact that stands in none of it the best turn that has it."""
        if not cited:
            return []
        support = list(cited)
        for fact in facts(text, self._names):
            if any(stands_in(fact, one.searchable) for one in support) or stands_in(fact, self._question):
                continue
            having = [one for one in self._shown if stands_in(fact, one.searchable)]
            if having:
                support.append(max(having, key=lambda one: one.unit.priority))
        return support


def _inner_names(text: str) -> list[str]:
    return [match.group() for match in re.finditer(rf"(?<=[^\W_][ ,]) ?{_CAPITALISED.pattern}", text)]


def _sentences(text: str) -> str:
    """The part of a growing text that is whole sentences."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return text[: ends[-1]] if ends else ""
