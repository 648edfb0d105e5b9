"""How each format is found and read: one table that detection and tests are made from."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import localmem.transcripts.chatgpt as chatgpt
import localmem.transcripts.claude as claude
import localmem.transcripts.delimited as delimited
import localmem.transcripts.discord as discord
import localmem.transcripts.jsonl as jsonl
import localmem.transcripts.locomo as locomo
import localmem.transcripts.otter as otter
import localmem.transcripts.plain as plain
import localmem.transcripts.slack as slack
import localmem.transcripts.subrip as subrip
import localmem.transcripts.telegram as telegram
import localmem.transcripts.webvtt as webvtt
import localmem.transcripts.whatsapp as whatsapp
import localmem.transcripts.whisper as whisper
from localmem.formats import Format
from localmem.transcripts.archive import Archive
from localmem.transcripts.events import Event
from localmem.transcripts.source import SAMPLE, Sample, Source


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """What is known about a format."""

    sniff: Callable[[Sample], str]
    """Why a sample is of this format, or an empty string when it is not."""
    parse: Callable[[Source], Iterator[Event]]
    """Events of a source. Raises TranscriptError, and nothing else, on any text."""
    exported: bool = False
    """Whether a program exports it, with other files beside it that are no transcripts."""
    marks: tuple[tuple[str, ...], ...] = ()
    """Files that together tell that a folder is one export; any of these sets does."""
    export: Callable[[Archive, str], Iterator[Event]] | None = None
    """Events of such an export, given the beginning of the paths in it; None: its texts are read one by one."""


# In the order in which detection asks: what can be told for certain first, plain text last.
FORMATS: Mapping[Format, FormatSpec] = MappingProxyType(
    {
        Format.SRT: FormatSpec(subrip.sniff, subrip.parse),
        Format.WEBVTT: FormatSpec(webvtt.sniff, webvtt.parse),
        Format.CHATGPT: FormatSpec(
            chatgpt.sniff,
            chatgpt.parse,
            exported=True,
            marks=(("conversations.json", "chat.html"), ("conversations-000.json", "chat.html")),
        ),
        Format.CLAUDE: FormatSpec(
            claude.sniff, claude.parse, exported=True, marks=(("conversations.json", "users.json"),)
        ),
        Format.SLACK: FormatSpec(
            slack.sniff,
            slack.parse,
            exported=True,
            marks=(("channels.json", "users.json"),),
            export=slack.export,
        ),
        Format.DISCORD: FormatSpec(discord.sniff, discord.parse, exported=True),
        Format.TELEGRAM: FormatSpec(telegram.sniff, telegram.parse, exported=True),
        Format.WHISPER: FormatSpec(whisper.sniff, whisper.parse),
        Format.LOCOMO: FormatSpec(locomo.sniff, locomo.parse),
        Format.JSONL: FormatSpec(jsonl.sniff, jsonl.parse),
        Format.WHATSAPP: FormatSpec(whatsapp.sniff, whatsapp.parse, exported=True),
        Format.OTTER: FormatSpec(otter.sniff, otter.parse),
        Format.CSV: FormatSpec(delimited.sniff, delimited.parse),
        Format.PLAIN: FormatSpec(plain.sniff, plain.parse),
    }
)


def detect(head: bytes, name: str) -> tuple[Format, str]:
    """Format of a file by its first bytes, and the reason in a few words.

    Args:
        head: the beginning of the file, best a quarter megabyte (`source.SAMPLE`); less is taken as the whole file.
        name: name of the file; its ending decides only between formats that the content fits.

    Raises:
        TranscriptError: no format fits; the hint says what is read.
    """
    source = Source(io.BytesIO(head), name)
    source.sample = replace(source.sample, complete=len(head) < SAMPLE)
    return detect_source(source)


def detect_source(source: Source) -> tuple[Format, str]:
    """`detect`, for a source that is open already."""
    if not source.sample.text.strip():
        raise source.error("the file is empty", hint="There is nothing to read in it.")
    if source.sample.text.startswith(_EXPORT):
        raise source.error(
            "this is an exported memory, not a transcript", hint="Read it with: localmem import FILE"
        )
    for format, spec in FORMATS.items():
        if reason := spec.sniff(source.sample):
            return format, reason
    if kind := _binary(source.sample.text):
        raise source.error(f"this is {kind}, not a transcript", hint="Give the text that it was made from.")
    if no_columns := delimited.wants_columns(source):
        raise no_columns
    maybe = (
        f" If it is a conversation, --format {Format.PLAIN} reads it."
        if plain.has_openings(source.sample)
        else ""
    )
    raise source.error("no known format fits", hint=_READ + maybe)


_EXPORT = '{"row": "memory", "format": "localmem-memory"'
"""How what `localmem export` writes begins, which has speakers and texts too."""
_READ = (
    f"Conversations are read: lines 'Speaker: text', and {', '.join(Format)} (localmem ingest --help says more)."
    " A transcript needs speakers; notes, Markdown and code have none."
)
_SIGNATURES = {
    "%PDF-": "a PDF file",
    "\x1f": "a gzip file",
    "SQLite format 3": "an SQLite database",
    "GGUF": "a model file",
    "<!DOCTYPE": "a web page",
    "<html": "a web page",
}


def _binary(text: str) -> str:
    for start, kind in _SIGNATURES.items():
        if text.startswith(start):
            return kind
    sample = text[:4096]
    odd = sum(1 for letter in sample if letter < "\t" or "\r" < letter < " " or letter == "\ufffd")
    return "a binary file" if odd > len(sample) / 10 else ""
