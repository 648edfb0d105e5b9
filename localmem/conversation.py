"""A chat over one memory: each turn goes through the task memory, and to recall where it asks for what no task holds.

What a turn leaves, in the tasks and in the transcript of the chat, is written in one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from localmem.errors import UsageError
from localmem.store.rows import clean
from localmem.tasks.clarify import ask_back, kept_only, unknown
from localmem.tasks.context import Part
from localmem.tasks.facts import Facts, Situation, facts, joined
from localmem.tasks.pipeline import Understood, doubtful, focus_of, last_language, steps, understand
from localmem.tasks.purpose import purposed
from localmem.tasks.reading import Reading, read
from localmem.tasks.reply import Worded, reply
from localmem.tasks.rules import Moment
from localmem.tasks.undoing import asks_undo, nothing_to_undo, told_undone, undone
from localmem.tasks.update import after
from localmem.values import Answer, Reply, TaskStep, Usage

if TYPE_CHECKING:
    from localmem.llm.protocol import LanguageModel
    from localmem.recall.log import ChatLog
    from localmem.store import Store
    from localmem.tasks import Tasks

Ask = Callable[[str, Callable[[str], None] | None], Answer | None]
"""Asks the recall memory; None: there is nothing in it to ask."""


LONGEST = 3000
"""Characters of a turn that the tasks read; a longer one is kept for recall alone."""


class Conversation:
    """Turns of one chat, in order.

    Args:
        store: the memory file.
        tasks: the task memory in it.
        log: the transcript that the chat writes.
        model: gives the model of language.
        ask: asks the recall memory.
    """

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        log: ChatLog,
        model: Callable[[], LanguageModel],
        ask: Ask,
    ) -> None:
        self._store = store
        self._tasks = tasks
        self._log = log
        self._model = model
        self._ask = ask
        self._spoken: tuple[int, ...] = ()
        self._language = ""

    def say(
        self,
        text: str,
        *,
        on_text: Callable[[str], None] | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        ablate: Collection[str] = (),
    ) -> Reply:
        """Take a turn. Ctrl-C while the reply is worded keeps the turn, with the plain facts as its reply."""
        without = _parts(ablate)
        self._store.refuse_read_only()  # before a word of a reply is shown that could not be kept
        text = clean(text)
        begun = time.perf_counter()
        read_usage = Usage()
        graph = self._tasks.graph
        long = len(text) > LONGEST
        last = self._language or last_language(graph)
        if not long and (spoken := asks_undo(text, last)) is not None:
            return self._undo(text, spoken, on_text, begun)
        reading = read(text[:LONGEST], last)
        self._language = reading.language
        if long:  # a pasted text is something to remember, not an order
            reading = reading.only([])
        focus = focus_of(graph, self._spoken)
        if Part.TRIM not in without and doubtful(graph, reading, focus):
            reading, read_usage = purposed(reading, self._model)
        understood = understand(
            graph, reading, focus, self._model, temperature=temperature, seed=seed, ablate=without
        )
        moment = Moment(graph.turn + 1, datetime.now().astimezone(), text)
        outcome = after(graph, understood.operations, moment)
        situation = Situation(
            graph, outcome.graph, reading, outcome.changes, understood.operations, focus, moment.turn
        )
        found = facts(situation)
        answer: Answer | None = None
        worded: Worded | None = None
        try:
            if long:
                worded = _told(kept_only(reading.language), on_text)
            elif understood.missed and not outcome.changes:
                worded = _told(ask_back(reading.language), on_text)
            elif not found.found:
                answer = self._recalled(reading, text, on_text)
                if answer is None and not found.lines:
                    worded = _told(unknown(reading.language), on_text)
            if answer is None and worded is None:
                worded = self._worded(found, text, reading.language, on_text, temperature, seed)
        except KeyboardInterrupt:
            self._keep(text, found.text, understood, moment)
            raise
        if worded is None and answer is not None:
            worded = Worded(answer.text, False, answer.usage)
        assert worded is not None
        sources = [citation.stored.id for citation in answer.citations] if answer else []
        turn = self._keep(text, worded.text, understood, moment, sources)
        self._spoken = tuple(dict.fromkeys([*found.about, *self._spoken]))[:8]
        return Reply(
            text=worded.text,
            turn=turn,
            operations=steps(situation, asked=found.found),
            dropped=understood.dropped,
            facts=found.lines,
            plain=worded.plain,
            asks=understood.missed and not outcome.changes,
            citations=answer.citations if answer else (),
            workspace=answer.workspace if answer else None,
            usage=read_usage + understood.usage + worded.usage,
            reply_usage=worded.usage,
            seconds=time.perf_counter() - begun,
        )

    def _worded(
        self,
        found: Facts,
        text: str,
        language: str,
        on_text: Callable[[str], None] | None,
        temperature: float,
        seed: int,
    ) -> Worded:
        return reply(found, text, language, self._model, on_text=on_text, temperature=temperature, seed=seed)

    def _recalled(self, reading: Reading, text: str, on_text: Callable[[str], None] | None) -> Answer | None:
        """What recall says, in the language of the turn also where it knows nothing."""
        from localmem.recall.answer import NOT_IN_MEMORY

        nothing = unknown(reading.language)

        def translated(piece: str) -> None:
            assert on_text is not None
            on_text(nothing if piece == NOT_IN_MEMORY else piece)

        answer = self._ask(reading.asked or text, None if on_text is None else translated)
        if answer is not None and answer.text == NOT_IN_MEMORY:
            return replace(answer, text=nothing)
        return answer

    def _undo(self, text: str, language: str, on_text: Callable[[str], None] | None, begun: float) -> Reply:
        """Take the last change back, since the turn says only that."""
        self._language = language
        at = datetime.now().astimezone()
        while True:
            with self._store.snapshot():
                before, last = self._tasks.graph, self._tasks.without_last()
            done: tuple[TaskStep, ...] = ()
            lines: tuple[str, ...] = (nothing_to_undo(language),)
            about: list[int] = []
            if last is not None:
                turn, left = last
                graph, changes = undone(before, left)
                told = told_undone(before, graph, changes, turn.turn, turn.said, language)
                lines, about = tuple(told.lines), told.about
                situation = Situation(before, graph, read(text, language), changes, (), (), turn.turn)
                done = steps(situation, asked=False)
            reply = joined(lines)
            turns = self._log.turns(text, reply, at)
            vectors = self._log.vectors(turns)
            with self._store.transaction():
                if self._tasks.graph is not before:
                    continue  # another chat has told something meanwhile
                number = self._tasks.next_turn
                if last is None:
                    self._tasks.apply(None, (), said=text, reply=reply, at=at)
                else:
                    self._tasks.undo(said=text, reply=reply, at=at)
                self._log.add(turns, vectors)
            break
        self._spoken = tuple(dict.fromkeys([*about, *self._spoken]))[:8]
        worded = _told(reply, on_text)
        return Reply(
            text=reply,
            turn=number,
            operations=done,
            facts=lines if last is not None else (),
            plain=worded.plain,
            usage=worded.usage,
            reply_usage=worded.usage,
            seconds=time.perf_counter() - begun,
        )

    def _keep(
        self,
        said: str,
        replied: str,
        understood: Understood,
        moment: Moment,
        sources: Collection[int] = (),
    ) -> int:
        turns = self._log.turns(said, replied, moment.at)
        vectors = self._log.vectors(turns)
        with self._store.transaction():
            turn = self._tasks.next_turn
            self._tasks.apply(None, understood.operations, said=said, reply=replied, at=moment.at)
            self._log.add(turns, vectors, sources)
        return turn


def _parts(names: Collection[str]) -> frozenset[Part]:
    try:
        return frozenset(map(Part, names))
    except ValueError:
        raise UsageError(
            f"There is no part {', '.join(sorted(set(names) - set(Part)))} to leave out.",
            hint=f"There are: {', '.join(Part)}.",
        ) from None


def _told(text: str, on_text: Callable[[str], None] | None) -> Worded:
    if on_text is not None:
        on_text(text)
    return Worded(text, True, Usage())
