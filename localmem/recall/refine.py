"""Threads that code has cut to threads that a model has cut and written heads for, window by window.

A window is a run of threads that were made fast, of one sitting. The model reads it once (see `localmem.recall.heads`),
and what it makes of it takes the place of those threads in one transaction. What is done is marked in the threads
themselves (their method), so a kill at any moment loses one window at most, and the next run goes on behind it. A window that
somebody has changed meanwhile is looked at again; one that the model cannot manage stays as it was.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

import numpy as np
from numpy.typing import NDArray

from localmem.embed.protocol import Embedder
from localmem.errors import GrammarError, StoreError, TruncatedError
from localmem.llm.protocol import LanguageModel
from localmem.recall.heads import TURN_CHARACTERS, Proposal, propose
from localmem.recall.threads import centre, sittings
from localmem.recall.workspace import tokens
from localmem.store import NewThread, Store
from localmem.values import StoredTurn, Thread, Transcript, Usage

WINDOW_TURNS = 16
"""Turns that the model reads at once, at most, but for a single thread that has more."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refined:
    """What became of a transcript in one run."""

    transcript: Transcript
    turns: int
    """That were refined now."""
    threads_before: int
    """That these turns were in."""
    threads: int
    """That they are in now."""
    again: int
    """Heads that the model was asked for a second time, for a name or number that none of its turns has, say."""
    extracted: int
    """Heads that are a turn of the thread all the same."""
    failed: int
    """Turns that the model could not manage; their threads are as they were."""
    remaining: int
    """Turns of the transcript that are not refined, these included."""
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class Planned:
    """What refining a transcript would take."""

    transcript: Transcript
    remaining: int
    """Turns that are not refined."""
    windows: int
    tokens: int
    """That the model would read, without its instructions, by a rough count."""


@dataclass(frozen=True, slots=True)
class _Window:
    threads: tuple[Thread, ...]
    turns: tuple[StoredTurn, ...]

    @property
    def borders(self) -> list[int]:
        """Places of the turns that begin a thread."""
        return [thread.first - self.threads[0].first for thread in self.threads]


@dataclass(slots=True)
class _Sum:
    turns: int = 0
    before: int = 0
    threads: int = 0
    again: int = 0
    extracted: int = 0
    failed: int = 0
    usage: Usage = field(default_factory=Usage)


Progress = Callable[[Transcript, int, int], None]
"""Called with the transcript at hand, the turns that this run is done with, and all that it has to do."""


def plan(store: Store, transcripts: Sequence[int]) -> list[Planned]:
    """What refining would take. Loads no engine."""
    found = []
    for id in transcripts:
        windows = list(_windows(store, id))
        said = [one.turn for window in windows for one in window.turns]
        cost = sum(tokens(f"{turn.speaker} {turn.text[: TURN_CHARACTERS[0]]}") for turn in said)
        transcript = store.transcript(id)
        found.append(Planned(transcript, store.unrefined_turns(id), len(windows), cost))
    return found


def refine(
    store: Store,
    transcripts: Sequence[int],
    embedder: Callable[[], Embedder],
    model: Callable[[], LanguageModel],
    *,
    limit: int | None = None,
    progress: Progress | None = None,
    on_transcript: Callable[[Refined], None] | None = None,
) -> list[Refined]:
    """Give the turns of some transcripts that have none yet threads and heads by the model.

    Args:
        store: the memory file.
        transcripts: ids.
        embedder: gives what makes the vectors of heads; not called if there is nothing to do, as `model`.
        model: gives the model.
        limit: end after the window in which so many turns are reached; None: go on to the end.
        progress: told after each window.
        on_transcript: told of each transcript when it is done.

    Raises:
        EmbedderMismatchError: the memory holds vectors of another embedder.
        EngineError: the model cannot run. What was done before is kept.
        StoreError: the memory cannot be written. What was done before is kept.
        KeyboardInterrupt: Ctrl-C. What was done before is kept.
    """
    found: list[Refined] = []
    total = sum(map(store.unrefined_turns, transcripts))
    total = total if limit is None else min(total, limit)
    done = 0
    if total:
        with (
            store.transaction()
        ):  # a memory that cannot be written is an error before the model has worked for it
            pass

    def told(transcript: Transcript, turns: int) -> None:
        nonlocal done
        done += turns
        if progress is not None:
            progress(transcript, min(done, total), total)

    for one in list(map(store.transcript, transcripts)):
        if limit is not None and done >= limit:
            break
        work = _Refining(store, one, embedder, model, told)
        found.append(work.run(None if limit is None else limit - done))
        if on_transcript is not None:
            on_transcript(found[-1])
    return found


class _Outcome(Enum):
    DONE = auto()
    FAILED = auto()
    CHANGED = auto()


class _Refining:
    """One run over one transcript."""

    def __init__(
        self,
        store: Store,
        transcript: Transcript,
        embedder: Callable[[], Embedder],
        model: Callable[[], LanguageModel],
        told: Callable[[Transcript, int], None],
    ) -> None:
        self._store = store
        self._transcript = transcript
        self._embedder = embedder
        self._model = model
        self._told = told
        self._sum = _Sum()

    def run(self, limit: int | None) -> Refined:
        """Go on until nothing is left, or so many turns are done."""
        started = time.perf_counter()
        failed: set[int] = set()
        changed: set[tuple[int, ...]] = set()
        done = at = 0
        while limit is None or done < limit:
            window = next(_windows(self._store, self._transcript.id, at, failed), None)
            if window is None:
                if at == 0:
                    break
                at = 0  # somebody may have added turns further up meanwhile
                continue
            outcome = self._window(window)
            ids = tuple(thread.id for thread in window.threads)
            if outcome is _Outcome.CHANGED and ids not in changed:
                changed.add(ids)
                continue
            if outcome is _Outcome.CHANGED:  # a damaged memory may never agree with itself
                self._sum.failed += len(window.turns)
            at = window.threads[-1].last + 1
            done += len(window.turns)
            if outcome is not _Outcome.DONE:
                failed.update(ids)
            self._told(self._transcript, len(window.turns))
        return Refined(
            transcript=self._transcript,
            turns=self._sum.turns,
            threads_before=self._sum.before,
            threads=self._sum.threads,
            again=self._sum.again,
            extracted=self._sum.extracted,
            failed=self._sum.failed,
            remaining=self._store.unrefined_turns(self._transcript.id),
            usage=self._sum.usage,
            seconds=time.perf_counter() - started,
        )

    def _window(self, window: _Window) -> _Outcome:
        embedder = self._embedder()
        self._store.check_embedder(embedder.id, embedder.dimension)
        turns = [stored.turn for stored in window.turns]
        try:
            vectors = self._store.vectors([stored.id for stored in window.turns])
        except StoreError:  # forgotten meanwhile
            return _Outcome.CHANGED
        try:
            proposal = propose(turns, vectors, window.borders, self._model())
        except (TruncatedError, GrammarError) as error:
            log.warning("%s, turn %d: %s", self._transcript.name, window.threads[0].first, error)
            self._sum.failed += len(turns)
            return _Outcome.FAILED
        self._sum.usage += proposal.usage
        heads = embedder.encode([part.head for part in proposal.parts])
        made = [
            centre(vectors[p.first : p.last + 1], one) for p, one in zip(proposal.parts, heads, strict=True)
        ]
        if not self._replace(window, proposal, made):
            return _Outcome.CHANGED
        self._sum.turns += len(turns)
        self._sum.before += len(window.threads)
        self._sum.threads += len(proposal.parts)
        self._sum.again += proposal.again
        self._sum.extracted += sum(not part.written for part in proposal.parts)
        return _Outcome.DONE

    def _replace(self, window: _Window, proposal: Proposal, vectors: Sequence[NDArray[np.float32]]) -> bool:
        """Whether the window's threads could be replaced: they hold the turns that the model has read."""
        ids = [thread.id for thread in window.threads]
        with self._store.transaction():
            try:
                now = self._store.threads(ids)
                turns = self._store.turns_of_threads(ids)
            except StoreError:
                return False
            if [one.id for one in turns] != [one.id for one in window.turns]:
                return False
            first = now[0].first  # turns that were added before it have moved it
            threads = [
                NewThread(first + part.first, first + part.last, part.head, vector, "llm")
                for part, vector in zip(proposal.parts, vectors, strict=True)
            ]
            self._store.note_refiner(self._model().id)
            self._store.replace_threads(
                self._transcript.id, first, threads, to_position=first + len(turns) - 1
            )
        return True


def _windows(store: Store, transcript: int, at: int = 0, skip: Collection[int] = ()) -> Iterator[_Window]:
    """Windows of threads that are not refined, in order, from position `at` on, without the threads `skip`."""
    while True:
        with store.snapshot():
            threads = store.unrefined_threads(transcript, at, WINDOW_TURNS)
            run: list[Thread] = []
            size = 0
            for thread in threads:
                fits = not run or (thread.first == run[-1].last + 1 and size + thread.turns <= WINDOW_TURNS)
                if thread.id in skip or not fits:
                    if run:
                        break
                    continue
                run.append(thread)
                size += thread.turns
            if not run:
                if len(threads) < WINDOW_TURNS:
                    return
                at = threads[-1].last + 1
                continue
            turns = store.turns_of_threads([thread.id for thread in run])
        end = sittings([stored.turn for stored in turns])[0][1]
        within = [thread for thread in run if thread.last - run[0].first < end] or run[:1]
        size = within[-1].last - run[0].first + 1
        yield _Window(tuple(within), tuple(turns[:size]))
        at = within[-1].last + 1
