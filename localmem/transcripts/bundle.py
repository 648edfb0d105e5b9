"""Which texts of an archive are transcripts, and their events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from localmem.errors import TranscriptError
from localmem.formats import Format
from localmem.transcripts.archive import Archive
from localmem.transcripts.events import Conversation, Event, Note
from localmem.transcripts.formats import FORMATS, detect_source
from localmem.transcripts.source import Source
from localmem.values import Skipped

_DOCUMENTS = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub")
"""What has the form of a zip, too."""
_TOLD = 5
"""Texts that are no transcripts, of which the details name the reason."""


def is_export(path: Path) -> bool:
    """Whether a path is a folder that is read as one."""
    try:
        return path.is_dir() and any(_has(path, marks) for spec in FORMATS.values() for marks in spec.marks)
    except (OSError, ValueError):
        return False


def _has(folder: Path, names: tuple[str, ...]) -> bool:
    return all((folder / name).is_file() for name in names)


def parsed(source: Source, format: Format) -> Iterator[Event]:
    """The parser's events, with the source's notes between them."""
    for event in FORMATS[format].parse(source):
        yield event
        yield from source.told()
    source.finish()
    yield from source.told()


def events(archive: Archive, format: Format | None) -> Iterator[Event]:
    """Events of all transcripts of an archive, one after the other.

    An archive with the marks of a program's export is read by that format as a whole. Else every text is looked at:
    if some are of a format that programs export, only those are read, since what lies beside them (settings,
    ratings, feedback) may look like messages; if none is, all transcripts are read.

    Args:
        archive: what was opened.
        format: read only those of this format; None: all.

    Raises:
        TranscriptError: there is no transcript in it, or the only one cannot be read.
    """
    names = archive.names()
    for one, spec in FORMATS.items():
        for marks in spec.marks if spec.export is not None and format in (None, one) else ():
            root = _root(names, marks)
            if spec.export is not None and root is not None:
                yield Note(f"read as {one}: {' and '.join(marks)} are in it", minor=True)
                yield from spec.export(archive, root)
                return
    found, refused = _transcripts(archive, names, format)
    if not found:
        raise _nothing(archive, names, refused, format)
    for reason in refused[:_TOLD]:
        yield Note(f"not read: {reason}", minor=True)
    if len(refused) > _TOLD:
        yield Note(f"not read: {len(refused) - _TOLD:,} more texts", minor=True)
    for name, (kind, reason) in found.items():
        yield Note(f"{name} read as {kind}: {reason}", minor=True)
        try:
            yield from _one(archive.source(name), kind)
        except TranscriptError as error:
            if len(found) == 1:
                raise
            yield Skipped(name, str(error).removeprefix(f"{archive.label}/{name}: "))


def _root(names: list[str], marks: tuple[str, ...]) -> str | None:
    """The beginning of the paths of an export, which may be in a folder of the archive; None: it is none."""
    there = set(names)
    for name in names:
        root, slash, last = name.rpartition("/")
        if last == marks[0] and all(root + slash + mark in there for mark in marks):
            return root + slash
    return None


def _one(source: Source, format: Format) -> Iterator[Event]:
    """Events of a text of an archive, with a conversation before all."""
    source.format = format.value
    started = False
    for event in parsed(source, format):
        if not started and not isinstance(event, Note | Skipped):
            started = True
            if not isinstance(event, Conversation):
                yield source.conversation(source.names.name(source.conversation().name))
        yield event


def _transcripts(
    archive: Archive, names: list[str], format: Format | None
) -> tuple[dict[str, tuple[Format, str]], list[str]]:
    """The texts to read with their formats, and why others are none."""
    found: dict[str, tuple[Format, str]] = {}
    refused: list[str] = []
    for name in names:
        try:
            found[name] = detect_source(archive.source(name))
        except TranscriptError as error:
            refused.append(str(error).removeprefix(f"{archive.label}/"))
    if format is not None:
        named = {name: kind for name, kind in found.items() if kind[0] is format}
        return named or dict.fromkeys(names[: len(names) == 1], (format, "as was said")), refused
    exported = {name: kind for name, kind in found.items() if FORMATS[kind[0]].exported}
    return exported or found, refused


def _nothing(
    archive: Archive, names: list[str], refused: list[str], format: Format | None
) -> TranscriptError:
    if archive.label.lower().endswith(_DOCUMENTS):
        return TranscriptError(
            f"{archive.label}: this is a document, not a transcript", hint="Save it as text, and give that."
        )
    if not names:
        return TranscriptError(
            f"{archive.label}: there is no text in this archive",
            hint="Give the export itself; pictures, sound and archives inside are not read.",
        )
    if format is not None:
        return TranscriptError(
            f"{archive.label}: no text of the format {format} in this archive",
            hint="Without --format, all that can be read in it is read.",
        )
    return TranscriptError(
        f"{archive.label}: no transcript in this archive"
        + (f" ({refused[0]})" if len(refused) == 1 else f"; {len(names):,} texts were looked at"),
        hint="Exports of WhatsApp, ChatGPT, Claude, Slack, Discord and Telegram are read, and zipped transcripts.",
    )
