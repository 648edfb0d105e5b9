"""From a path or a stream to events."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, cast

from localmem.errors import TranscriptError
from localmem.formats import DateOrder, Format
from localmem.transcripts import bundle, parts
from localmem.transcripts.archive import SIGNATURES, Folder, Zip, seekable
from localmem.transcripts.events import Conversation, Event, Note
from localmem.transcripts.formats import detect_source
from localmem.transcripts.naming import Names
from localmem.transcripts.source import Source
from localmem.values import Skipped, Turn

LOCAL = "its times have no zone and are taken as local time"
"""A detail, since the command says it once for all files."""

_HELD = 100
_HOPELESS = 10_000
"""Pieces without one turn among them, after which the file is given up as one of another format."""
_MANY = "archive"
"""In place of a format, for an archive in which no conversation began."""
_IN_MEMORY = 1 << 24
"""Bytes of a zip from a pipe that are kept in memory; more go to a temporary file without a name."""


def read(path: Path, *, format: Format | None = None, date_order: DateOrder | None = None) -> Iterator[Event]:
    """Events of a file, as it is read; "-" is not special here, see `read_stream`.

    Args:
        path: the file, or the folder of an export that has many; read once, from the beginning to the end. Of a
            Discord channel that was exported in parts, the parts behind it are read as well.
        format: None: found by content.
        date_order: how dates such as 4/3/2025 are read; None: as the dates of the file show.

    Raises:
        TranscriptError: the file cannot be opened, is empty, of no known format, or breaks off at a line
            that the message names. Events that were yielded before it are good.
    """
    if bundle.is_export(path):
        with closing(Folder(path, date_order)) as folder:
            yield from _events(bundle.events(folder, format), Conversation(path.name, _MANY), str(path))
        return
    behind = parts.behind(path)
    yield from (_parts([path, *behind], format, date_order) if behind else _file(path, format, date_order))


def _file(
    path: Path, format: Format | None, date_order: DateOrder | None, names: Names | None = None
) -> Iterator[Event]:
    try:
        stream = path.open("rb", buffering=0)
    except OSError as error:
        raise TranscriptError(
            f"{path}: {error.strerror or error}", hint="Check the path and that you may read it."
        ) from None
    with stream:
        yield from read_stream(stream, str(path), format=format, date_order=date_order, names=names)
    if names is None and parts.is_later(path):
        yield Note(
            f"this is part {parts.number(path)} of a channel, alone;"
            " given in one command, parts that follow each other are one conversation"
        )


def _parts(paths: list[Path], format: Format | None, date_order: DateOrder | None) -> Iterator[Event]:
    """Events of files that are one conversation; one that cannot be read does not cost those behind it."""
    names = Names()
    started = False
    failed: list[TranscriptError] = []
    for path in paths:
        try:
            for event in _file(path, format or Format.DISCORD, date_order, names):
                started = started or isinstance(event, Conversation)
                yield event
        except TranscriptError as error:
            failed.append(error)
    if started and failed:
        first, *others = failed
        more = f"; {len(others)} more of its parts have faults" if others else ""
        raise TranscriptError(f"{first}{more}", hint=first.hint)
    if failed:
        raise failed[0]
    yield Note(f"read with its parts: {len(paths)} files", minor=True)


def read_stream(
    stream: BinaryIO,
    name: str,
    *,
    format: Format | None = None,
    date_order: DateOrder | None = None,
    names: Names | None = None,
) -> Iterator[Event]:
    """Events of an open binary stream, which only needs `read`.

    Args:
        stream: the bytes.
        name: as in `Source`, "-" for stdin.
        format: None: found by content.
        date_order: how dates such as 4/3/2025 are read; None: as the dates of the file show.
        names: of the conversations of the files that are read with it.

    Raises:
        TranscriptError: as `read`.
    """
    try:
        start = _start(stream)
        if start.startswith(SIGNATURES):
            with _whole(start, stream) as kept:
                archive = Zip(kept, name, date_order)
                default = Conversation(Path(name).stem if name != "-" else "stdin", _MANY)
                yield from _events(bundle.events(archive, format), default, name)
            return
        source = Source(cast(BinaryIO, _Begun(start, stream)), name, date_order=date_order, names=names)
        if format is None:
            format, reason = detect_source(source)
            source.details.append(f"read as {format}: {reason}")
        elif not source.sample.text.strip():
            raise source.error("the file is empty", hint="There is nothing to read in it.")
        source.format = format.value
        yield from _events(bundle.parsed(source, format), source.conversation(), name)
    except OSError as error:
        raise TranscriptError(
            f"{name}: {error.strerror or error}", hint="The file could not be read to its end."
        ) from None


def _start(stream: BinaryIO) -> bytes:
    """The first bytes, four unless there are fewer."""
    start = b""
    while len(start) < 4 and (more := stream.read(4 - len(start))):
        start += more
    return start


class _Begun:
    """A stream of which the first bytes have been read."""

    def __init__(self, start: bytes, stream: BinaryIO) -> None:
        self._start = start
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        if not self._start:
            return self._stream.read(size)
        start, self._start = self._start, b""
        return start


def _whole(start: bytes, stream: BinaryIO) -> BinaryIO:
    """A seekable copy of a stream whose first bytes have been read, or itself if it is seekable."""
    if seekable(stream):
        stream.seek(0)
        return cast(BinaryIO, _Borrowed(stream))
    kept = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed by the caller
    kept.write(start)
    shutil.copyfileobj(stream, kept)
    kept.seek(0)
    return cast(BinaryIO, kept)


class _Borrowed:
    """A stream that somebody else closes."""

    def __init__(self, stream: BinaryIO) -> None:
        self.read = stream.read
        self.seek = stream.seek
        self.tell = stream.tell
        self.seekable = stream.seekable

    def __enter__(self) -> _Borrowed:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _events(parsed: Iterator[Event], default: Conversation, label: str) -> Iterator[Event]:
    """The events of a file or an archive, with a conversation before all and notes that need the whole behind."""
    turns = undated = local = skipped = 0
    format = default.format
    first_skipped: Skipped | None = None
    held: list[Event] = []  # skipped before the first conversation has started, and notes
    started = False
    for event in parsed:
        if isinstance(event, Conversation):
            format = event.format
        if isinstance(event, Skipped):
            first_skipped = first_skipped or event
            skipped += 1
            if not turns and skipped == _HOPELESS and default.format != _MANY:
                break
        if isinstance(event, Turn):
            turns += 1
            undated += event.at is None
            local += event.at is not None and event.at.tzinfo is None
        elif not started and not isinstance(event, Conversation):
            if len(held) < _HELD:
                held.append(event)
            continue
        if not started:
            started = True
            yield event if isinstance(event, Conversation) else default
            yield from held
            if isinstance(event, Conversation):
                continue
        yield event
    if not started:
        yield default
        yield from held
    if not turns and first_skipped:
        raise TranscriptError(
            f"{label}: {first_skipped.where}: {first_skipped.reason}; no turn could be read",
            hint=f"It was read as {format}; --format names another format.",
        )
    if not turns:
        yield Note("no turn was found")
        return
    if undated:
        share = "no turn has a" if undated == turns else f"{undated:,} of {turns:,} turns have no"
        yield Note(f"{share} time, so relative dates in it cannot be resolved")
    if local:
        yield Note(LOCAL, minor=True)
