"""Transcript files to turns: one file per format.

    for event in read(Path("chat.txt")):
        match event:
            case Conversation(name, format): ...  # what follows belongs to it
            case Turn(): ...
            case Skipped(where, reason): ...      # a piece that became no turn; the rest goes on
            case Note(text): ...                  # a warning about the file

A new format is a module with `sniff` and `parse`, a member of `localmem.formats.Format` and a row of `FORMATS`.
"""

from localmem.formats import DateOrder, Format
from localmem.transcripts.events import Conversation, Event, Note
from localmem.transcripts.expand import STDIN, expand
from localmem.transcripts.formats import FORMATS, FormatSpec, detect
from localmem.transcripts.parts import heads
from localmem.transcripts.reader import read, read_stream
from localmem.transcripts.reopened import Reopened
from localmem.values import Skipped, Turn

__all__ = [
    "FORMATS",
    "STDIN",
    "Conversation",
    "DateOrder",
    "Event",
    "Format",
    "FormatSpec",
    "Note",
    "Reopened",
    "Skipped",
    "Turn",
    "detect",
    "expand",
    "heads",
    "read",
    "read_stream",
]
