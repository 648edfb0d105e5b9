"""Events of a transcript file to turns, vectors and threads in the store.

A file is read twice. The first time finds out which conversations are in it and which transcript of the
memory each one continues; the second time adds what is new, batch by batch, each batch with its
vectors, words and threads in one transaction. So a kill at any moment leaves whole batches, and reading
the file again adds the rest.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from localmem.embed.protocol import Embedder
from localmem.recall.continuation import Shared, continued
from localmem.recall.readings import Events, First, Second, Survey, first
from localmem.recall.reports import changed, nothing, reason
from localmem.recall.threads import LOOKBACK, MAXIMUM_TURNS, WINDOW, segment
from localmem.recall.turns import Identifier, content_key, embedding_text, landmarks
from localmem.store import NewThread, NewTurn, Store
from localmem.transcripts import Event
from localmem.values import FileReport, Turn

Progress = Callable[[int, int], None]
"""Called with the turns of the file that are done, and all of them."""


BATCHES_AHEAD = 8
"""Of a file, whose vectors are begun before they are needed, where they can be."""
COMMON = 50
"""A turn that more transcripts hold leads to none of them."""
LIKELY = 16
"""Transcripts that are compared with a conversation, and as many of its own name and file."""


class Ahead(Protocol):
    """An embedder that begins before it is asked."""

    def ahead(self, owner: str, texts: Iterable[str]) -> bool:
        """Begin with texts of a file; whether there was room for all."""

    def release(self, owner: str) -> None:
        """Drop what was begun for a file."""


@dataclass
class _Target:
    """Where the turns of one conversation go, while the file is read the second time."""

    survey: Survey
    file: str | None
    """None: a pipe, whose name says nothing."""
    identifier: Identifier
    stamp: str
    """Of the store, when `transcript` was found."""
    transcript: int | None = None
    first_known: bytes | None = None
    """The first turn of the file that the transcript has already."""
    previous: bytes | None = None
    """The turn of the transcript where the turns before ended."""
    added: int = 0
    known: int = 0
    seconds: float = 0.0

    @property
    def marks(self) -> list[bytes]:
        """Keys whose positions `_place` needs besides those of the turns themselves."""
        return [key for key in (self.previous, self.first_known) if key is not None]


class Ingest:
    """Adds transcript files to a store.

    Args:
        store: the memory file, or what opens it, which is called when there are turns to add.
        embedder: makes the vectors.
        ahead: the same embedder, where it can begin before it is asked; None: it cannot.

    Raises:
        EmbedderMismatchError: the store holds vectors of another embedder.
    """

    def __init__(
        self, store: Store | Callable[[], Store], embedder: Embedder, *, ahead: Ahead | None = None
    ) -> None:
        self._open = store
        self._embedder = embedder
        self._ahead = ahead
        if isinstance(store, Store):
            _ = self._store

    @cached_property
    def _store(self) -> Store:
        store = self._open if isinstance(self._open, Store) else self._open()
        store.bind_embedder(self._embedder.id, self._embedder.dimension)
        return store

    def file(
        self,
        path: str,
        events: Events,
        *,
        lasting: bool = True,
        found: First | None = None,
        progress: Progress | None = None,
    ) -> list[FileReport]:
        """Add what is new in a file; a report for each conversation in it, in order of appearance.

        Args:
            path: the file, as reports and the store name it.
            events: reads the file from the beginning, each time it is called.
            lasting: whether what has this path now is likely what had it before: a file, not a pipe.
            found: of the first reading, where that was done already.
            progress: told after each batch.

        Raises:
            EmbedderError: the embedder cannot run, or is another one than before; whole batches before it are kept.
            StoreError: the memory cannot be written; whole batches before it are kept.
        """
        started = time.perf_counter()
        found = first(events) if found is None else found
        if not found.turns:
            return [nothing(path, found, time.perf_counter() - started)]
        if len(found.surveys) > 1:
            found.notes.append(
                f"{len(found.surveys)} conversations go into one memory, and an answer may join them;"
                " with --conversation NAME --memory NAME each gets its own"
            )
        targets = {
            name: self._target(survey, path if lasting else None) for name, survey in found.surveys.items()
        }
        second = Second(events, found.surveys)
        done = 0
        all_turns = found.turns
        for name, turns, contents in self._batches(path, second, targets):
            target = targets[name]
            begun = time.perf_counter()
            self._add(target, path, turns, contents)
            target.seconds += time.perf_counter() - begun
            done += len(turns)
            if progress is not None:
                progress(done, all_turns)
        for target in targets.values():
            if target.transcript is not None and lasting:
                self._store.set_source(target.transcript, target.survey.format, path)
        if second.grown:
            found.notes.append("the file grew while it was read; the same command again adds the rest")
        return self._reports(path, targets, found, second, time.perf_counter() - started)

    def prepare(self, path: str, found: First, events: Iterable[Event]) -> None:
        """Begin with the vectors of a file that will come soon.

        Args:
            path: the file.
            found: of its first reading.
            events: what is in it.
        """
        if self._ahead is None or not found.turns:
            return
        turns = {content_key(turn): turn for turn in events if isinstance(turn, Turn)}
        known = self._store.holders(list(turns), 1)
        self._ahead.ahead(path, (embedding_text(turn) for key, turn in turns.items() if key not in known))

    def _batches(
        self, path: str, second: Second, targets: Mapping[str, _Target]
    ) -> Iterator[tuple[str, list[Turn], list[bytes]]]:
        """The batches of the second reading; a few of them are read, and their vectors begun, ahead."""
        if self._ahead is None:
            yield from second.batches()
            return
        waiting: deque[tuple[str, list[Turn], list[bytes]]] = deque()
        try:
            for name, turns, contents in second.batches():
                transcript = targets[name].transcript
                known = {} if transcript is None else self._store.known(transcript, contents)
                new = [turn for turn, key in zip(turns, contents, strict=True) if key not in known]
                self._ahead.ahead(path, map(embedding_text, new))
                waiting.append((name, turns, contents))
                if len(waiting) > BATCHES_AHEAD:
                    yield waiting.popleft()
            while waiting:
                yield waiting.popleft()
        finally:
            self._ahead.release(path)

    def _target(self, survey: Survey, file: str | None) -> _Target:
        target = _Target(survey, file, Identifier(survey.repeated), self._store.stamp("turns"))
        self._find_transcript(target)
        return target

    def _find_transcript(self, target: _Target) -> None:
        first_known: dict[int, bytes] = {}
        with self._store.snapshot():
            candidates = self._likely(target)
            begin = 0
            for keys in target.survey.chunks():
                places = {key: place for place, key in enumerate(keys, start=begin)}
                for one in candidates:
                    positions = self._store.known(one.transcript, keys)
                    known = sorted(positions, key=places.__getitem__)
                    one.places.extend(places[key] for key in known)
                    one.positions.extend(positions[key] for key in known)
                    if known:
                        first_known.setdefault(one.transcript, known[0])
                begin += len(keys)
        found = continued(target.survey.outline, candidates)
        if found is not None:
            target.transcript = found.transcript
            target.first_known = first_known[found.transcript]

    def _likely(self, target: _Target) -> list[Shared]:
        """Transcripts that are worth a comparison turn by turn.

        A turn that a few of them hold counts for more than one that many hold.
        """
        weights: dict[int, float] = {}
        for keys in target.survey.chunks():
            for holders in self._store.holders(keys, COMMON + 1).values():
                for id in holders if len(holders) <= COMMON else ():
                    weights[id] = weights.get(id, 0.0) + 1 / len(holders)
        by_weight = sorted(weights, key=lambda id: (-weights[id], id))[:LIKELY]
        name, file = target.survey.name, target.file
        kin = [] if file is None else self._store.named(name, file, LIKELY)
        found = map(self._store.transcript, dict.fromkeys([*by_weight, *kin]))
        return [Shared(one.id, one.name, one.turns, one.id in kin) for one in found]

    def _add(self, target: _Target, path: str, turns: Sequence[Turn], contents: Sequence[bytes]) -> None:
        batch = dict(zip(map(target.identifier.key, contents), turns, strict=True))
        keys = list(batch)
        there = {}
        if target.transcript is not None:
            there = self._store.known(target.transcript, [*keys, *target.marks])
        new = [key for key in keys if key not in there]
        # The slow part, outside of the transaction: others can write meanwhile.
        texts = [embedding_text(batch[key]) for key in new]
        vectors = dict(zip(new, self._embedder.encode(texts), strict=True)) if new else {}
        if not new:
            target.known += len(turns)
            _place(target, keys, there, end=-1)
            return
        with self._store.transaction():
            transcript = self._transcript(target, path)
            last_there = self._store.last_position(transcript)
            end = -1 if last_there is None else last_there
            runs = _place(target, keys, self._store.known(transcript, [*keys, *target.marks]), end)
            fresh = {key for _, run in runs for key in run}
            missing = [key for key in fresh if key not in vectors]
            if missing:  # they were there before the transaction, and somebody has removed them
                texts = [embedding_text(batch[key]) for key in missing]
                vectors |= dict(zip(missing, self._embedder.encode(texts), strict=True))
            first = last = None
            for after, run in runs:
                made = [NewTurn(key, batch[key], vectors[key]) for key in run]
                self._store.add_turns(transcript, made, after=after)
                begin = after + 1
                first = begin if first is None else min(first, begin)
                # A run that is put before turns of an earlier run moves them back.
                last = begin + len(run) - 1 if last is None else max(last + len(run), begin + len(run) - 1)
            if first is not None and last is not None:
                thread_again(self._store, transcript, first, last)
        target.transcript = transcript
        target.added += len(fresh)
        target.known += len(turns) - len(fresh)

    def _transcript(self, target: _Target, path: str) -> int:
        """The transcript to add to; looked for again if the memory has changed since it was not found."""
        if target.transcript is None and self._store.stamp("turns") != target.stamp:
            self._find_transcript(target)
        if target.transcript is not None:
            return target.transcript
        return self._store.add_transcript(target.survey.name, target.survey.format, path)

    def _reports(
        self, path: str, targets: Mapping[str, _Target], found: First, second: Second, seconds: float
    ) -> list[FileReport]:
        reports = []
        overhead = (seconds - sum(target.seconds for target in targets.values())) / len(targets)
        for place, (name, target) in enumerate(targets.items()):
            survey = target.survey
            last = place == len(targets) - 1
            error = changed(path, second, name) or ((found.error or second.error) if last else None)
            threads = 0 if target.transcript is None else self._store.thread_count(target.transcript)
            stored = None if target.transcript is None else self._store.transcript(target.transcript).name
            reports.append(
                FileReport(
                    path=path,
                    format=survey.format,
                    transcript=survey.name if stored is None else stored,
                    added=target.added,
                    known=target.known,
                    skipped=tuple(survey.skipped),
                    skipped_count=survey.skipped_count,
                    threads=threads,
                    seconds=target.seconds + overhead,
                    conversations=len(targets),
                    warnings=tuple(found.notes) if place == 0 else (),
                    details=tuple(found.details) if place == 0 else (),
                    **reason(error),
                )
            )
        return reports


def thread_again(store: Store, transcript: int, first: int, last: int) -> None:
    """Thread the turns at positions `first` to `last` again, with as much around as can change.

    A thread that a model has made stays; one that new turns have made too long is cut anew.
    """
    end = store.last_position(transcript)
    assert end is not None
    around = store.threads_at(transcript, max(0, first - LOOKBACK), min(end, last + LOOKBACK))
    begin = min([first, *(thread.first for thread in around)])
    stop = end if last == end else max([last, *(thread.last for thread in around)])
    kept = [thread for thread in around if thread.refined and thread.turns <= MAXIMUM_TURNS]
    for thread in kept:
        if begin < thread.first:
            _cut(store, transcript, begin, thread.first - 1)
        begin = thread.last + 1
    if begin <= stop:
        _cut(store, transcript, begin, stop)


def _cut(store: Store, transcript: int, begin: int, stop: int) -> None:
    """Put new threads in place of those at positions `begin` to `stop`."""
    context = max(0, begin - WINDOW)
    stored = store.turns_between(transcript, context, stop)
    vectors = store.vectors([turn.id for turn in stored])
    cuts = segment([turn.turn for turn in stored], vectors, start=begin - context)
    threads = [
        NewThread(context + cut.first, context + cut.last, cut.head, cut.vector, "fast") for cut in cuts
    ]
    store.replace_threads(transcript, begin, threads, to_position=stop)


def _place(
    target: _Target, keys: Sequence[bytes], positions: dict[bytes, int], end: int
) -> list[tuple[int, list[bytes]]]:
    """Runs of new turns, each with the position after which it comes once the runs before it stand.

    Args:
        target: tells where the turns before ended, and is told where these end.
        keys: of turns that follow each other in the file.
        positions: of those that the transcript has; changed.
        end: the last position of the transcript.
    """
    known = [key for key in keys if key in positions]
    cursor = positions.get(target.previous, -1) if target.previous else -1
    marks = set(landmarks([positions[key] for key in known], cursor))
    marked = [key for key in known if positions[key] in marks]
    landmark = frozenset(marked)
    if target.previous not in positions:
        first = next(iter(marked), target.first_known)
        cursor = positions[first] - 1 if first in positions else end
    runs: list[tuple[int, list[bytes]]] = []
    run: list[bytes] = []
    for key in keys:
        if key not in positions:
            run.append(key)
        elif key in landmark:
            _close(runs, run, cursor, positions)
            run = []
            cursor = positions[key]
            target.previous = key
    if run:
        _close(runs, run, cursor, positions)
        target.previous = run[-1]
    return runs


def _close(
    runs: list[tuple[int, list[bytes]]], run: list[bytes], cursor: int, positions: dict[bytes, int]
) -> None:
    """End a run of new turns after `cursor`, moving what lies behind it."""
    if not run:
        return
    runs.append((cursor, run))
    for key, position in positions.items():
        if position > cursor:
            positions[key] = position + len(run)
