"""From a path or a stream to events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from localmem.errors import TranscriptError
from localmem.transcripts.events import Conversation, Event, Note
from localmem.transcripts.formats import FORMATS, Format, detect_source
from localmem.transcripts.source import Source
from localmem.values import Skipped, Turn

_HELD = 100
_HOPELESS = 10_000
"""Pieces without one turn among them, after which the file is given up as one of another format."""


def read(path: Path, *, format: Format | None = None) -> Iterator[Event]:
    """Events of a file, as it is read; "-" is not special here, see `read_stream`.

    Args:
        path: the file; read once, from the beginning to the end.
        format: None: found by content.

    Raises:
        TranscriptError: the file cannot be opened, is empty, of no known format, or breaks off at a line
            that the message names. Events that were yielded before it are good.
    """
    try:
        stream = path.open("rb", buffering=0)
    except OSError as error:
        raise TranscriptError(
            f"{path}: {error.strerror or error}", hint="Check the path and that you may read it."
        ) from None
    with stream:
        yield from read_stream(stream, str(path), format=format)


def read_stream(stream: BinaryIO, name: str, *, format: Format | None = None) -> Iterator[Event]:
    """Events of an open binary stream, which only needs `read`; `name` as in `Source`, "-" for stdin.

    Raises:
        TranscriptError: as `read`.
    """
    try:
        source = Source(stream, name)
        if format is None:
            format, _ = detect_source(source)
        elif not source.sample.text.strip():
            raise source.error("the file is empty", hint="There is nothing to read in it.")
        source.format = format.value
        yield from _events(source, format)
    except OSError as error:
        raise TranscriptError(
            f"{name}: {error.strerror or error}", hint="The file could not be read to its end."
        ) from None


def _events(source: Source, format: Format) -> Iterator[Event]:
    """The parser's events, with the source's notes between them and a conversation before all."""
    turns = undated = skipped = 0
    first_skipped: Skipped | None = None
    held: list[Event] = []  # skipped before the first conversation has started
    started = False
    for event in FORMATS[format].parse(source):
        if isinstance(event, Skipped):
            first_skipped = first_skipped or event
            skipped += 1
            if not turns and skipped == _HOPELESS:
                break
            if not started and len(held) < _HELD:
                held.append(event)
                continue
        elif isinstance(event, Turn):
            turns += 1
            undated += event.at is None
        if not started:
            started = True
            if not isinstance(event, Conversation):
                yield source.conversation()
                held.append(event)
            else:
                yield event
            yield from _notes(source)
            yield from held
            continue
        yield from _notes(source)
        yield event
    if not started:
        yield source.conversation()
        yield from held
    source.finish()
    yield from _notes(source)
    if not turns and first_skipped:
        raise source.error(
            f"{first_skipped.where}: {first_skipped.reason}; no turn could be read",
            hint=f"It was read as {format}; --format names another format.",
        )
    if not turns:
        yield Note("no turn was found")
    elif undated:
        share = "no turn has a" if undated == turns else f"{undated:,} of {turns:,} turns have no"
        yield Note(f"{share} time, so relative dates in it cannot be resolved")


def _notes(source: Source) -> Iterator[Note]:
    while source.notes:
        yield Note(source.notes.pop(0))
