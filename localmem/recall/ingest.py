"""Events of a transcript file to turns, vectors and threads in the store.

A file is read twice. The first time finds out which conversations are in it and which transcript of the
memory each one continues; the second time adds what is new, batch by batch, each batch with its
vectors, words and threads in one transaction. So a kill at any moment leaves whole batches, and reading
the file again adds the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from localmem.embed.protocol import Embedder
from localmem.errors import TranscriptError
from localmem.recall.threads import LOOKBACK, WINDOW, segment
from localmem.recall.turns import (
    KEY_BYTES,
    Identifier,
    belongs_to,
    content_key,
    embedding_text,
    landmarks,
    repeated,
)
from localmem.store import NewThread, NewTurn, Store
from localmem.transcripts import Conversation, Event, Note
from localmem.values import FileReport, Skipped, Turn

BATCH = 128
"""Turns of a transaction: a few seconds of work that a kill can cost."""
REPORTED_SKIPS = 100
KEYS_AT_ONCE = 20_000

Progress = Callable[[int, int], None]
"""Called with the turns of the file that are done, and all of them."""


@dataclass
class _Survey:
    """What the first reading found of one conversation."""

    name: str
    format: str
    keys: bytearray = field(default_factory=bytearray)
    """Content keys of the turns, end to end."""
    timed: int = 0
    """How many of the turns have a time."""
    skipped: list[Skipped] = field(default_factory=list)
    skipped_count: int = 0

    @property
    def turns(self) -> int:
        """How many turns the conversation has."""
        return len(self.keys) // KEY_BYTES

    def chunks(self) -> Iterator[list[bytes]]:
        """The keys of the turns, in order, some at a time."""
        identifier = Identifier(repeated(self.keys))
        step = KEYS_AT_ONCE * KEY_BYTES
        for start in range(0, len(self.keys), step):
            part = bytes(self.keys[start : start + step])
            yield [identifier.key(part[at : at + KEY_BYTES]) for at in range(0, len(part), KEY_BYTES)]


@dataclass
class _Target:
    """Where the turns of one conversation go, while the file is read the second time."""

    survey: _Survey
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

    Raises:
        EmbedderMismatchError: the store holds vectors of another embedder.
    """

    def __init__(self, store: Store | Callable[[], Store], embedder: Embedder) -> None:
        self._open = store
        self._embedder = embedder
        if isinstance(store, Store):
            _ = self._store

    @cached_property
    def _store(self) -> Store:
        store = self._open if isinstance(self._open, Store) else self._open()
        store.bind_embedder(self._embedder.id, self._embedder.dimension)
        return store

    def file(
        self, path: str, events: Callable[[], Iterator[Event]], *, progress: Progress | None = None
    ) -> list[FileReport]:
        """Add what is new in a file; a report for each conversation in it, in order of appearance.

        Args:
            path: the file, as reports and the store name it.
            events: reads the file from the beginning, each time it is called.
            progress: told after each batch.

        Raises:
            EmbedderError: the embedder cannot run, or is another one than before; whole batches before it are kept.
            StoreError: the memory cannot be written; whole batches before it are kept.
        """
        started = time.perf_counter()
        surveys, notes, error = _survey(events)
        total = sum(survey.turns for survey in surveys.values())
        if not total:
            return _nothing(path, surveys, notes, error, time.perf_counter() - started)
        if len(surveys) > 1:
            notes += (
                f"{len(surveys)} conversations go into one memory, and an answer may join them;"
                " with --conversation NAME --memory NAME each gets its own",
            )
        targets = {name: self._target(survey) for name, survey in surveys.items()}
        done = 0
        for name, batch in _batches(events, {name: survey.turns for name, survey in surveys.items()}):
            target = targets[name]
            begun = time.perf_counter()
            self._add(target, path, batch)
            target.seconds += time.perf_counter() - begun
            done += len(batch)
            if progress is not None:
                progress(done, total)
        for target in targets.values():
            if target.transcript is not None:
                self._store.set_source(target.transcript, target.survey.format, path)
        return self._reports(path, targets, notes, error, time.perf_counter() - started)

    def _target(self, survey: _Survey) -> _Target:
        target = _Target(survey, Identifier(repeated(survey.keys)), self._store.stamp("turns"))
        self._find_transcript(target)
        return target

    def _find_transcript(self, target: _Target) -> None:
        overlaps: dict[int, int] = {}
        with self._store.snapshot():
            for keys in target.survey.chunks():
                for id, count in self._store.overlaps(keys).items():
                    overlaps[id] = overlaps.get(id, 0) + count
            sizes = {id: self._store.transcript(id).turns for id in overlaps}
            survey = target.survey
            timed = survey.timed == survey.turns
            target.transcript = belongs_to(overlaps, sizes, survey.turns, timed=timed)
            if target.transcript is None:
                return
            for keys in target.survey.chunks():
                known = self._store.known(target.transcript, keys)
                if known:
                    target.first_known = next(key for key in keys if key in known)
                    return

    def _add(self, target: _Target, path: str, turns: Sequence[Turn]) -> None:
        batch = {target.identifier.key(content_key(turn)): turn for turn in turns}
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
                self._thread(transcript, first, last)
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

    def _thread(self, transcript: int, first: int, last: int) -> None:
        """Thread the turns at positions `first` to `last` again, with as much around as can change."""
        store = self._store
        end = store.last_position(transcript)
        assert end is not None
        around = store.threads_at(transcript, max(0, first - LOOKBACK), min(end, last + LOOKBACK))
        begin = min([first, *(thread.first for thread in around)])
        stop = end if last == end else max([last, *(thread.last for thread in around)])
        context = max(0, begin - WINDOW)
        stored = store.turns_between(transcript, context, stop)
        vectors = store.vectors([turn.id for turn in stored])
        cuts = segment([turn.turn for turn in stored], vectors, start=begin - context)
        threads = [
            NewThread(context + cut.first, context + cut.last, cut.head, cut.vector, "fast") for cut in cuts
        ]
        store.replace_threads(transcript, begin, threads, to_position=stop)

    def _reports(
        self,
        path: str,
        targets: dict[str, _Target],
        notes: tuple[str, ...],
        error: TranscriptError | None,
        seconds: float,
    ) -> list[FileReport]:
        reports = []
        overhead = (seconds - sum(target.seconds for target in targets.values())) / len(targets)
        for place, target in enumerate(targets.values()):
            survey = target.survey
            threads = 0 if target.transcript is None else self._store.thread_count(target.transcript)
            name = (
                survey.name if target.transcript is None else self._store.transcript(target.transcript).name
            )
            reports.append(
                FileReport(
                    path=path,
                    format=survey.format,
                    transcript=name,
                    added=target.added,
                    known=target.known,
                    skipped=tuple(survey.skipped),
                    skipped_count=survey.skipped_count,
                    threads=threads,
                    seconds=target.seconds + overhead,
                    warnings=notes if place == 0 else (),
                    **(_reason(error) if place == len(targets) - 1 else {}),
                )
            )
        return reports


def _nothing(
    path: str,
    surveys: Mapping[str, _Survey],
    notes: tuple[str, ...],
    error: TranscriptError | None,
    seconds: float,
) -> list[FileReport]:
    """The report of a file without turns."""
    survey = next(iter(surveys.values()), _Survey("", ""))
    return [
        FileReport(
            path=path,
            format=survey.format,
            transcript=survey.name,
            added=0,
            known=0,
            skipped=tuple(survey.skipped),
            skipped_count=survey.skipped_count,
            threads=0,
            seconds=seconds,
            warnings=notes,
            **_reason(error),
        )
    ]


def _reason(error: TranscriptError | None) -> dict[str, str]:
    return {} if error is None else {"error": str(error), "hint": error.hint}


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


def _survey(
    events: Callable[[], Iterator[Event]],
) -> tuple[dict[str, _Survey], tuple[str, ...], TranscriptError | None]:
    """First reading: conversations by name, notes about the file, and why it broke off, if it did."""
    surveys: dict[str, _Survey] = {}
    notes: list[str] = []
    current: _Survey | None = None
    try:
        for event in events():
            if isinstance(event, Conversation):
                current = surveys.setdefault(event.name, _Survey(event.name, event.format))
            elif isinstance(event, Note):
                notes.append(event.text)
            elif current is None:
                raise AssertionError("a reader yields a conversation before anything in it")
            elif isinstance(event, Skipped):
                current.skipped_count += 1
                if len(current.skipped) < REPORTED_SKIPS:
                    current.skipped.append(event)
            else:
                current.keys += content_key(event)
                current.timed += event.at is not None
    except TranscriptError as error:
        return surveys, tuple(notes), error
    return surveys, tuple(notes), None


def _batches(
    events: Callable[[], Iterator[Event]], sizes: Mapping[str, int]
) -> Iterator[tuple[str, list[Turn]]]:
    """Second reading: turns of one conversation, `BATCH` at a time or all that are left of it.

    A conversation that is mixed with others has batches as large as one that is not: a kill must leave enough
    of it, or nothing, so that it is known again. Ends where the file breaks off.

    Args:
        events: reads the file.
        sizes: how many turns the first reading found of each conversation; others are left out.
    """
    waiting: dict[str, list[Turn]] = {}
    left = dict(sizes)
    name = ""
    try:
        for event in events():
            if isinstance(event, Conversation):
                name = event.name
            elif isinstance(event, Turn) and name in left:
                batch = waiting.setdefault(name, [])
                batch.append(event)
                left[name] -= 1
                if len(batch) == BATCH or left[name] == 0:
                    yield name, waiting.pop(name)
    except TranscriptError:
        pass  # reported by the first reading
    yield from waiting.items()  # the file has changed since the first reading
