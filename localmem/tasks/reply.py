"""The reply: a model words the facts, code checks every sentence before it is shown, and what fails is told plainly."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from localmem.errors import GrammarError, TruncatedError
from localmem.llm import prompts
from localmem.llm.protocol import LanguageModel
from localmem.tasks.checks import Check
from localmem.tasks.facts import Facts
from localmem.values import Usage

KIND = "reply"
REPLY_TOKENS = 70
_LANGUAGES = {"de": "Antworte auf Deutsch.", "es": "Responde en español."}
"""The examples are in English; a small model goes on so unless it is told."""
_MOST_SENTENCES = 2
_MOST_FACTS = 240
"""Characters of facts that a model words; longer ones are told as they are."""
_MOST_LINES = 3
_MOST_ITEMS = 4
_MOST_SAID = 160
"""Characters of a question that the model sees."""


@dataclass(frozen=True, slots=True)
class Worded:
    """A reply."""

    text: str
    plain: bool
    """The facts as they are."""
    usage: Usage
    refused: tuple[str, ...] = field(default=())
    """What the model wrote and the check refused, with the reasons."""


def reply(
    facts: Facts,
    said: str,
    language: str,
    model: Callable[[], LanguageModel],
    *,
    on_text: Callable[[str], None] | None = None,
    temperature: float = 0.0,
    seed: int = 0,
) -> Worded:
    """Word the facts, in one or two sentences.

    Args:
        facts: what must be said.
        said: what the user typed.
        language: code of the user's language.
        model: asked for only if there is something to word.
        on_text: called with each piece of text that passed its check; joined they are the text.
        temperature: of the model.
        seed: of the model.

    Raises:
        EngineError: the model cannot be run.
    """
    plain = facts.text
    if facts.courteous or not worth_wording(facts):
        if on_text is not None:
            on_text(plain)
        return Worded(plain, True, Usage())
    check = Check(
        plain, said, language, facts.former, facts.needed, facts.changed, facts.pairs, facts.current
    )
    writing = _Writing(check, on_text)
    kind = prompts.load(KIND)
    prompt = kind.prompt(
        kind.ask(facts=plain, asked=_cut(facts.asked), language=_LANGUAGES.get(language, ""))
    )
    usage = Usage()
    try:
        generation = model().generate(
            prompt, max_tokens=REPLY_TOKENS, temperature=temperature, seed=seed, until=writing.read
        )
        usage = generation.usage
        writing.read(generation.text)
        writing.end(generation.text)
    except (TruncatedError, GrammarError) as error:
        writing.refused.append(str(error))
    text, worded = writing.finish(plain)
    return Worded(text, not worded, usage, tuple(writing.refused))


def worth_wording(facts: Facts) -> bool:
    """Whether something is left to word: an answer to a question, but no list and not much.

    What changed is told by sentences that no model says better; a small one says them worse, or of the wrong thing.
    """
    listed = any(line.startswith("- ") for line in facts.lines) or len(facts.needed) > _MOST_ITEMS
    little = len(facts.lines) <= _MOST_LINES and len(facts.text) <= _MOST_FACTS
    return bool(facts.asked) and little and not listed


class _Writing:
    """Sentences as they come: checked, then told."""

    def __init__(self, check: Check, on_text: Callable[[str], None] | None) -> None:
        self._check = check
        self._on_text = on_text
        self._told: list[str] = []
        self._read = 0
        """Characters that belong to sentences already seen."""
        self.refused: list[str] = []

    def read(self, text: str) -> bool:
        """Take in the text so far; True: nothing more is wanted."""
        while not self._full and (end := re.search(r"[.!?][\"'”’)]*\s+", text[self._read :])):
            piece = text[self._read : self._read + end.end()]
            self._read += end.end()
            self._take(piece.strip())
        return self._full

    def end(self, text: str) -> None:
        """The text is complete."""
        rest = text[self._read :].strip()
        if rest and not self._full:
            self._take(rest)

    @property
    def _full(self) -> bool:
        return bool(self.refused) or len(self._told) >= _MOST_SENTENCES

    def _take(self, sentence: str) -> None:
        if not re.search(r"\w", sentence):
            return
        fault = self._check.fault(sentence) or ("" if self._told else self._check.opening(sentence))
        if fault:
            self.refused.append(f"{sentence} ({fault})")
            return
        # A first sentence that says nothing of what is needed waits for the next one.
        self._tell(sentence)

    def _tell(self, sentence: str) -> None:
        piece = sentence if sentence.endswith((".", "!", "”", "»", "“")) else f"{sentence}."
        if self._on_text is not None:
            self._on_text(f" {piece}" if self._told else piece)
        self._told.append(piece)

    def finish(self, plain: str) -> tuple[str, bool]:
        """The whole reply, and whether a part of it is the model's."""
        text = " ".join(self._told)
        if text and not self._check.missing(text):
            return text, True
        whole = f"{text} {plain}" if text else plain
        if self._on_text is not None:
            self._on_text(whole[len(text) :])
        return whole, bool(text)


def _cut(said: str) -> str:
    said = " ".join(said.split())
    return said if len(said) <= _MOST_SAID else said[:_MOST_SAID].rsplit(" ", 1)[0] + " …"
