"""A workspace to an answer that rests on its turns.

The model writes the numbers of the turns first and the answer after them, under a grammar that can only
name turns it was shown. Code does what the model is weak at: it resolves relative dates, looks up every
name, number and date of the answer in the turns, and finds the turn that says most of it, which is often not
the one that the model cites. Then the model is asked the narrower question whether these turns give this
answer. What fails a check is written once more: after a fact that stands nowhere, with that fact named; after
turns that do not answer, with these turns out of reach. Nothing is shown before it has passed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from localmem.errors import EngineError, TruncatedError
from localmem.llm import grammar as grammars
from localmem.llm import prompts, templates
from localmem.llm.protocol import Generation, LanguageModel, Message, Prompt, Speaker
from localmem.recall.answer_changes import asks_for_present, changes, stems
from localmem.recall.answer_evidence import Before, Evidence, days, evidence, line, times_told, worth_reading
from localmem.recall.answer_grammar import KIND, MORE_TO_A_LIST, grammar
from localmem.recall.answer_lists import added, without_asked
from localmem.recall.answer_subject import about_somebody_else, subject
from localmem.recall.answer_support import Ground
from localmem.recall.answer_text import (
    as_told,
    asks_for_likely,
    asks_for_several,
    asks_for_time,
    can_be_judged,
    concise,
    dated,
    echoes,
    repeats,
    says_unknown,
    split,
    verdicts,
)
from localmem.values import Answer, Citation, Turn, Usage, Workspace

NOT_IN_MEMORY = "I don't have that in memory."
ANSWER_TOKENS = 200
CHECK_TOKENS = 4
CHECK = "check"
REST = "answer-rest"
ENOUGH, ENOUGH_FOR_TIME = 0.75, 0.4
"""Share of the question's words from which the cited turns need no check by the model. A time was chosen from those that
the turns name, so less is enough. With 0.6 and 0.2 more answers are invented than refusals spared."""
MORE = 2
"""How often it is asked what else belongs to a list."""
TRIES = 2
"""How often an answer is written before the memory is said not to hold one."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """An answer, or its beginning, before it is shown."""

    reply: str
    """As the model wrote it."""
    text: str
    cited: tuple[Evidence, ...]
    whole: bool


def answer(
    question: str,
    workspace: Workspace,
    model: Callable[[], LanguageModel],
    *,
    before: Before = lambda turn: None,
    started: float | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Answer:
    """Answer a question from a workspace.

    Args:
        question: the question.
        workspace: what was found for it.
        model: gives the model; not called when the workspace is empty.
        before: gives the turn before a cited one; a reply often makes sense only after it.
        started: `time.perf_counter()` when the work began; None: now.
        on_text: called with each piece of the answer that has passed the checks.

    Raises:
        EngineError: the model cannot run, or not even one turn fits its context.
    """
    begun = time.perf_counter() if started is None else started
    text, cited, supported, usage = NOT_IN_MEMORY, list[Evidence](), True, Usage()
    if workspace.units:
        writer = _Writer(question, workspace, model(), before, on_text)
        draft = writer.draft()
        if draft is not None:
            text, cited, supported = writer.finish(draft)
        usage = writer.usage
    if not cited and on_text is not None:
        on_text(text)
    citations = tuple(
        Citation(place, one.unit.stored, workspace.transcripts[one.unit.stored.transcript])
        for place, one in enumerate(cited, 1)
    )
    seconds = time.perf_counter() - begun
    return Answer(question, text, citations, bool(citations), supported, workspace, usage, seconds)


class _Writer:
    """Writes one answer."""

    def __init__(
        self,
        question: str,
        workspace: Workspace,
        model: LanguageModel,
        before: Before,
        on_text: Callable[[str], None] | None,
    ) -> None:
        self._model = model
        self._before = before
        self._on_text = on_text
        self._question = " ".join(question.split())
        speakers = sorted({unit.turn.speaker for unit in workspace.units})
        self._subject = subject(self._question, speakers)
        worth = worth_reading(self._question, workspace.units, self._subject, before)
        self._shown = self._fitting(evidence(worth))
        self._ground = Ground.of(self._question, self._shown, speakers)
        self._told = times_told(self._shown) if asks_for_time(self._question) else None
        self._likely = asks_for_likely(self._question)
        self._texts = verdicts(self._question)
        self._several = asks_for_several(self._question)
        self.usage = Usage(dropped_units=len(worth) - len(self._shown))

    def draft(self) -> _Draft | None:
        """An answer, or its beginning, that the cited turns give; None: the memory does not hold it."""
        numbers = [one.number for one in self._shown]
        more: tuple[Message, ...] = ()
        for _ in range(TRIES):
            draft = self._write(self._prompt(*more), numbers)
            missing = self._ground.missing(draft.text)
            echo = draft.text.strip(" .") if draft.whole and echoes(self._question, draft.text) else ""
            if not draft.cited or says_unknown(draft.text) or (echo and more):
                return None
            if (missing or echo) and not more:
                again = templates.render("answer-again.j2", missing=missing[:1], echo=echo)
                more = (Message(Speaker.ASSISTANT, draft.reply), Message(Speaker.USER, again))
                continue
            if draft.text and self._of_another(draft):
                return None
            if draft.text and self._answers(draft):
                return self._with_more(draft) if self._several else self._latest(draft)
            more = ()
            numbers = [number for number in numbers if number not in {one.number for one in draft.cited}]
            if not numbers:
                return None
        return None

    def _with_more(self, draft: _Draft) -> _Draft:
        """A list with what further turns add to it."""
        if not draft.whole:
            return draft
        text, cited = without_asked(self._question, draft.text), list(draft.cited)
        used = [*cited, *self._ground.support(draft.text, cited)]
        asked = [
            Message(Speaker.ASSISTANT, draft.reply),
            Message(Speaker.USER, templates.render(MORE_TO_A_LIST)),
        ]
        for _ in range(MORE):
            numbers = [one.number for one in self._shown if one not in used]
            if not numbers:
                break
            new = self._write(self._prompt(*asked), numbers)
            if not new.cited or not new.whole or self._of_another(new):
                break
            items = added(self._question, text, new.text, new.cited)
            if not items:
                break
            text = ", ".join([text.strip(" ."), *items])
            used += new.cited
            cited += new.cited
            asked += [Message(Speaker.ASSISTANT, new.reply), asked[1]]
        return _Draft(draft.reply, text, tuple(cited), True)

    def _latest(self, draft: _Draft) -> _Draft:
        """The answer of a later turn that tells the same anew, with this one named as former; or this one."""
        if not draft.whole or "," in draft.text or not asks_for_present(self._question):
            return draft
        told = self._ground.support(draft.text, draft.cited)[0]
        stored, person = told.unit.stored, self._ground.speakers
        later = [one for one in self._shown if changes(self._question, stored, one.unit.stored, person)]
        if not later:
            return draft
        last = later[-1]
        both = [one for one in self._shown if one in (told, last)]
        new = self._write(self._prompt_of(both), [last.number])
        if not new.cited or not new.whole or says_unknown(new.text) or self._ground.missing(new.text):
            return draft
        if stems(new.text) <= stems(draft.text) or not stems(new.text) & stems(last.text):
            return draft
        former = draft.text.strip(" .")
        named = "formerly" in new.text or not stems(former) - stems(new.text)
        text = new.text if named else f"{new.text.strip(' .')}, formerly {former}"
        return _Draft(new.reply, text, (last, told), True)

    def finish(self, draft: _Draft) -> tuple[str, list[Evidence], bool]:
        """The whole answer, its evidence, and whether all that it claims stands in the evidence."""
        self._tell(draft.text)
        text = draft.text if draft.whole else self._rest(draft)
        return text, self._ground.support(text, draft.cited), not self._ground.missing(text)

    def _prompt(self, *more: Message, start: str = "") -> Prompt:
        return self._prompt_of(self._shown, *more, start=start)

    def _prompt_of(self, shown: Sequence[Evidence], *more: Message, start: str = "") -> Prompt:
        kind = prompts.load(KIND)
        return kind.prompt(kind.ask(days=days(shown), question=self._question), *more, start=start)

    def _fitting(self, shown: list[Evidence]) -> list[Evidence]:
        """Evidence that fits the context beside two replies.

        What does not fit by itself, a pasted book, is left out first, then the lowest priority.
        """
        room = self._model.context - 2 * ANSWER_TOKENS - 64
        if self._model.count_prompt(self._prompt_of(shown)) > room:
            fitting = [one for one in shown if self._model.count_prompt(self._prompt_of([one])) <= room]
            shown = evidence([one.unit for one in fitting])
        while shown and self._model.count_prompt(self._prompt_of(shown)) > room:
            lowest = min(shown, key=lambda one: one.unit.priority)
            shown = evidence([one.unit for one in shown if one is not lowest])
        if not shown:
            raise EngineError(
                f"The question and one turn do not fit {self._model.context} tokens of context.",
                hint="Ask a shorter question, or set LOCALMEM_CONTEXT higher.",
            )
        return shown

    def _write(self, prompt: Prompt, numbers: Sequence[int]) -> _Draft:
        """An answer that cites `numbers` only, up to where it can be judged; empty if it came to no end."""

        def until(reply: str) -> bool:
            text = split(reply)[1]
            return can_be_judged(text) or repeats(text) is not None

        try:
            generation = self._generate(
                prompt,
                grammar(
                    numbers,
                    self._told,
                    likely=self._likely and self._subject is not None,
                    texts=self._texts,
                ),
                until=until,
            )
        except TruncatedError as error:
            return _Draft(error.text, "", self._cited(split(error.text)[0]), False)
        numbers, text = split(generation.text)
        cited = self._cited(numbers)
        end = repeats(text)
        if end is not None or generation.whole:
            return _Draft(generation.text, self._shortened(text[:end], cited), cited, True)
        # The last word of a beginning may be half a word.
        return _Draft(generation.text, text[: text.rfind(" ") + 1], cited, False)

    def _shortened(self, text: str, cited: Sequence[Evidence]) -> str:
        """A whole answer, with dates for relative ones and without the question said over."""
        if not cited:
            return text
        told = self._ground.support(text, cited)[0].unit.turn
        short = concise(self._question, dated(text, told.at), self._ground.speakers)
        return as_told(short, told) if self._told is not None else short

    def _cited(self, numbers: Sequence[int]) -> tuple[Evidence, ...]:
        by_number = {one.number: one for one in self._shown}
        return tuple(by_number[number] for number in dict.fromkeys(numbers) if number in by_number)

    def _rest(self, draft: _Draft) -> str:
        """Write a begun answer to its end, telling each word that is whole; the whole text."""
        begun = split(draft.reply)[1]
        told = len(draft.text)
        text = begun

        def on_text(piece: str) -> None:
            nonlocal told, text
            text += piece
            words_end = text.rfind(" ") + 1
            if words_end > told:
                self._tell(text[told:words_end])
                told = words_end

        def until(more: str) -> bool:
            return repeats(begun + more) is not None

        try:
            prompt = self._prompt(start=draft.reply)
            self._generate(prompt, grammars.load(REST), on_text=on_text, until=until)
        except TruncatedError:
            text = f"{text[:told].rstrip()} …"  # what was told has passed; that it breaks off is told as well
        end = repeats(text)
        if end is not None:
            text = text[: max(end, told)]
        self._tell(text[told:])
        return text

    def _of_another(self, draft: _Draft) -> bool:
        """Whether all turns that give an answer are what others say of themselves, not of whom it was asked about."""
        person = self._subject
        if person is None:
            return False
        for one in self._ground.support(draft.text, draft.cited):
            before = self._before(one.unit.stored)
            if not about_somebody_else(one.unit.turn, before.turn if before else None, person):
                return False
        return True

    def _answers(self, draft: _Draft) -> bool:
        """Whether the cited turns, each after the turn before it, give this answer.

        Code sees it where they have most words of the question; otherwise the model is asked.
        """
        if self._likely:
            return True  # what somebody would do stands in no turn; what was claimed of it has been looked up
        turns: dict[tuple[int, int], Turn] = {}
        for one in self._ground.support(draft.text, draft.cited):
            stored = one.unit.stored
            for turn in (self._before(stored), stored):
                if turn is not None:
                    turns[turn.transcript, turn.position] = turn.turn
        if not self._ground.about_who_was_asked(turns.values()):
            return False
        enough = ENOUGH_FOR_TIME if asks_for_time(self._question) else ENOUGH
        if self._ground.shared(turns.values()) >= enough and not self._ground.missing(draft.text):
            return True
        lines = [
            {"speaker": " ".join(turn.speaker.split()), "text": line(turn)}
            for _, turn in sorted(turns.items())
        ]
        kind = prompts.load(CHECK)
        asked = kind.ask(question=self._question, turns=lines, answer=draft.text.strip())
        prompt = kind.prompt(asked)
        if self._model.count_prompt(prompt) + CHECK_TOKENS > self._model.context:
            return True  # turns of thousands of words: the checks by code have passed
        return self._generate(prompt, grammars.load(CHECK), tokens=CHECK_TOKENS).text == "yes"

    def _generate(
        self,
        prompt: Prompt,
        grammar: str,
        *,
        tokens: int = ANSWER_TOKENS,
        on_text: Callable[[str], None] | None = None,
        until: Callable[[str], bool] | None = None,
    ) -> Generation:
        generation = self._model.generate(
            prompt, max_tokens=tokens, grammar=grammar, on_text=on_text, until=until
        )
        self.usage += generation.usage
        return generation

    def _tell(self, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(text)
