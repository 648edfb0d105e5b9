"""Many files: several processes read ahead, one writer adds in the order that was given.

Reading is the small part of an ingest, for the vectors take a hundred times as long; it is all that is left when most
of the files are known already, as after an interruption. So what is read ahead is the first reading of each file and, of
small ones, its events, which the writer then need not read again, and of which vectors can be made meanwhile.
"""

from __future__ import annotations

import stat
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from localmem.embed.pool import as_worker
from localmem.errors import TranscriptError
from localmem.formats import DateOrder, Format
from localmem.recall.readings import Events, First, first
from localmem.recall.reports import unread
from localmem.transcripts import Event, Reopened, Turn, expand, heads
from localmem.values import FileReport, IngestReport

if TYPE_CHECKING:
    from concurrent.futures import Future

    from localmem.recall.ingest import Ingest

HELD = 4_000_000
"""Bytes of a file up to which its events are handed over; of a larger one only what the first reading found."""
WINDOW = 4
"""Files that each process may be ahead of the writer."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read."""

    format: Format | None = None
    conversation: str | None = None
    date_order: DateOrder | None = None

    def open(self, path: Path) -> Reopened:
        """A file, to be read twice."""
        return Reopened(path, self.format, self.conversation, self.date_order)


@dataclass(frozen=True, slots=True)
class Refused:
    """A path that gives no file."""

    path: str
    error: TranscriptError


@dataclass(frozen=True, slots=True)
class Opened:
    """A file, ready for the writer."""

    name: str
    events: Events
    lasting: bool
    found: First | None = None
    """What its first reading found, if it was read ahead."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What a process hands over."""

    found: First
    events: list[Event] | None
    error: TranscriptError | None


def plan(paths: Iterable[str]) -> list[Path | Refused]:
    """Files of the paths, in order, and the paths and folders that give none; parts of one channel are one file."""
    found: list[Path | Refused] = []

    def refused(path: str, error: TranscriptError) -> None:
        found.append(Refused(path, error))

    for path in paths:
        try:
            found += expand([path], refused)
        except TranscriptError as error:
            refused(path, error)
    read = set(heads(item for item in found if isinstance(item, Path)))
    return [item for item in found if isinstance(item, Refused) or item in read]


Looked = Callable[[str, First, list[Event]], None]
"""Called with name, first reading and events of a small file that was read ahead, before it is its turn."""


def opened(
    items: Sequence[Path | Refused], reading: Reading, jobs: int, looked_at: Looked | None = None
) -> Generator[Opened | Refused, None, None]:
    """Every item in order, its file open until the next is asked for.

    Args:
        items: of `plan`.
        reading: how they are read.
        jobs: processes that read ahead; 1: none does.
        looked_at: told of what was read ahead.
    """
    files = [item for item in items if isinstance(item, Path) and _ordinary(item)]
    read_ahead = set(files)
    with ExitStack() as stack:
        looking: Iterator[Ahead | None] = iter(())
        if jobs > 1 and len(files) > 1:
            looking = _look_ahead(files, reading, jobs, stack, looked_at)
        for item in items:
            if isinstance(item, Refused):
                yield item
                continue
            looked = next(looking, None) if item in read_ahead else None
            with reading.open(item) as source:
                if looked is None or looked.events is None:
                    found = looked.found if looked else None
                    yield Opened(source.name, source.events, source.lasting, found)
                else:
                    yield Opened(
                        source.name, _again(looked.events, looked.error), source.lasting, looked.found
                    )


def write(
    items: Iterable[Opened | Refused],
    ingest: Ingest,
    *,
    progress: Callable[[str, int, int], None] | None = None,
    on_file: Callable[[FileReport], None] | None = None,
) -> IngestReport:
    """Add what is new in every item, in order; a path that was refused has its report in its place.

    Args:
        items: of `opened`.
        ingest: adds them.
        progress: called with file, turns done and turns in all, after each batch.
        on_file: called with each report as soon as the file is done.

    Raises:
        EmbedderMismatchError, EmbedderError, StoreError: as `Ingest`.
    """
    reports: list[FileReport] = []
    for item in items:
        if isinstance(item, Refused):
            new = [unread(item.path, item.error)]
        else:
            told = None if progress is None else partial(progress, item.name)
            new = ingest.file(item.name, item.events, lasting=item.lasting, found=item.found, progress=told)
        reports += new
        if on_file is not None:
            for report in new:
                on_file(report)
    return IngestReport(tuple(reports))


def _look_ahead(
    files: Sequence[Path], reading: Reading, jobs: int, stack: ExitStack, looked_at: Looked | None
) -> Iterator[Ahead | None]:
    """What other processes read, in order; None for what they could not, so that the writer reads it."""
    import multiprocessing
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    # Not a fork: the memory's file and the engine's threads would be in the copies.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=as_worker)
    stack.callback(pool.shutdown, wait=True, cancel_futures=True)
    running: deque[tuple[Path, Future[Ahead] | None]] = deque()
    waiting = iter(files)
    told = 0  # of those that run, from the first on
    for _ in files:
        for file in islice(waiting, jobs * WINDOW - len(running)):
            try:
                running.append((file, pool.submit(look, file, reading)))
            except BrokenExecutor:
                running.append((file, None))
        while looked_at is not None and told < len(running):
            file, future = running[told]
            if future is not None and not future.done():
                break
            told += 1
            if future is not None and not future.exception() and (events := future.result().events):
                looked_at(str(file), future.result().found, events)
        _, future = running.popleft()
        told = max(0, told - 1)
        try:
            yield None if future is None else future.result()
        except (BrokenExecutor, OSError):
            yield None


def look(path: Path, reading: Reading) -> Ahead:
    """Read a file once, in a process of its own."""
    with reading.open(path) as source:
        if path.is_dir() or path.stat().st_size > HELD:
            return Ahead(first(source.events), None, None)
        events: list[Event] = []
        error = None
        size = 0
        try:
            for event in source.events():
                events.append(event)
                size += len(event.text) if isinstance(event, Turn) else 0
                if size > HELD:  # it was packed
                    return Ahead(first(source.events), None, None)
        except TranscriptError as caught:
            error = caught
    return Ahead(first(_again(events, error)), events, error)


def _again(events: list[Event], error: TranscriptError | None) -> Events:
    def read() -> Iterator[Event]:
        yield from events
        if error is not None:
            raise error

    return read


def _ordinary(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
