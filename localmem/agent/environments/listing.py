"""Turns and transcripts as lines that a model reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localmem.agent.environments.library import Library
from localmem.values import StoredTurn, Transcript

LONGEST_TURN = 400
"""Characters of a turn that are shown."""
MOST_LISTED = 20
"""Transcripts, and notes, that are listed."""


def line(library: Library, stored: StoredTurn) -> str:
    """Who said what, on one line."""
    text = library.text(stored)
    shown = text if len(text) <= LONGEST_TURN else f"{text[:LONGEST_TURN].rstrip()}…"
    return f"{' '.join(stored.turn.speaker.split())}: {shown}"


def lines(library: Library, turns: Sequence[StoredTurn], numbers: Mapping[int, int]) -> str:
    """Turns with their numbers, under their threads.

    Args:
        library: has their texts.
        turns: what to show, thread by thread.
        numbers: turn id to number.
    """
    told = []
    thread = None
    for stored in turns:
        if stored.thread != thread:
            thread = stored.thread
            day = f", {stored.turn.at:%Y-%m-%d}" if stored.turn.at else ""
            told.append(f"Thread {thread}{day}:")
        told.append(f"[{numbers[stored.id]}] {line(library, stored)}")
    return "\n".join(told)


def listed(library: Library) -> str:
    """The transcripts of a memory, in a line."""
    transcripts = library.transcripts()
    if not transcripts:
        return "The memory is empty."
    named = [_named(library, one) for one in transcripts[:MOST_LISTED]]
    more = f" and {len(transcripts) - MOST_LISTED} more" if len(transcripts) > MOST_LISTED else ""
    return f"Transcripts: {', '.join(named)}{more}."


def _named(library: Library, transcript: Transcript) -> str:
    days = [f"{at:%Y-%m-%d}" for at in library.span(transcript.id) if at]
    said = f", {' to '.join(dict.fromkeys(days))}" if days else ""
    return f"{' '.join(transcript.name.split())} ({transcript.turns} turns{said})"
