"""Values to what people and programs read."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from localmem.values import Answer, Citation, FileReport, Thread, Unit, Usage, Workspace

# C0 and C1 controls but line feed and tab, and the marks that turn the direction of text around: what people
# typed must not move the cursor, recolour the terminal or show a line in another order than it has.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text without control characters, terminal escapes included."""
    return _CONTROLS.sub("", text)


def one_line(text: str) -> str:
    """The text as one printable line."""
    return " ".join(printable(text).split())


def shortened(text: str, characters: int) -> str:
    """The text, or its beginning and how long it is."""
    if len(text) <= characters:
        return text
    return f"{text[:characters].rstrip()}… ({len(text):,} characters)"


def megabytes(count: int) -> str:
    """Bytes as people compare them: "0.9 MB"."""
    return f"{count / 1e6:,.1f} MB"


def log_to_stderr(verbose: bool) -> None:
    """Show what the parts log; without `verbose`, nothing."""
    logger = logging.getLogger("localmem")
    logger.handlers.clear()
    handler: logging.Handler = logging.StreamHandler() if verbose else logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if verbose else logging.WARNING)
    logger.propagate = False


def console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is: no markup, no emoji codes, no guessing at numbers."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)


def print_json(value: Any, *, line: bool = False) -> None:
    """Print a value as JSON; `line`: on one line, for streams of values."""
    # A stream that cannot hold every character gets them as JSON escapes; nothing else would be JSON.
    escaped = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=escaped, indent=None if line else 2)
    print(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text), flush=line)


def time_text(at: datetime | None) -> str:
    """A time as people read it; empty if unknown."""
    return at.isoformat(" ", "minutes")[:16] if at else ""


def turn_row(unit: Unit) -> dict[str, Any]:
    """A unit's turn as JSON."""
    turn = unit.turn
    return {
        "id": unit.stored.id,
        "speaker": turn.speaker,
        "at": turn.at.isoformat() if turn.at else None,
        "text": turn.text,
        "source": turn.source,
        "session": turn.session,
    }


def workspace_row(workspace: Workspace) -> dict[str, Any]:
    """A workspace as JSON."""
    return {
        "query": workspace.query,
        "candidates": workspace.candidates,
        "coverage": round(workspace.coverage, 4),
        "demands": {name: round(share, 3) for name, share in workspace.demands.items()},
        "threads": [thread_row(thread, workspace) for thread in workspace.threads],
        "units": [
            {
                **turn_row(unit),
                "thread": unit.stored.thread,
                "role": str(unit.role),
                "priority": round(unit.priority, 6),
                "gain": round(unit.gain, 6),
                "scores": {name: round(score, 4) for name, score in unit.scores.items()},
            }
            for unit in workspace.units
        ],
        "left_out": [
            {
                **turn_row(left.unit),
                "role": str(left.unit.role),
                "priority": round(left.unit.priority, 6),
                "gain": round(left.unit.gain, 6),
                "reason": left.reason,
            }
            for left in workspace.left_out
        ],
        "seconds": {name: round(seconds, 4) for name, seconds in workspace.seconds.items()},
    }


def thread_row(thread: Thread, workspace: Workspace) -> dict[str, Any]:
    """A thread as JSON."""
    transcript = workspace.transcripts[thread.transcript]
    return {
        "id": thread.id,
        "head": thread.head,
        "started": thread.started.isoformat() if thread.started else None,
        "turns": thread.turns,
        "transcript": transcript.name,
        "file": transcript.path,
    }


def citation_row(citation: Citation) -> dict[str, Any]:
    """A citation as JSON."""
    turn = citation.stored.turn
    return {
        "number": citation.number,
        "speaker": turn.speaker,
        "at": turn.at.isoformat() if turn.at else None,
        "text": turn.text,
        "source": turn.source,
        "transcript": citation.transcript.name,
        "file": citation.transcript.path,
    }


def usage_row(usage: Usage) -> dict[str, int]:
    """A usage as JSON."""
    return {
        "calls": usage.calls,
        "prompt_tokens": usage.prompt_tokens,
        "evaluated_tokens": usage.evaluated_tokens,
        "generated_tokens": usage.generated_tokens,
        "dropped_units": usage.dropped_units,
    }


def answer_row(answer: Answer) -> dict[str, Any]:
    """An answer as JSON."""
    return {
        "question": answer.question,
        "answer": answer.text,
        "found": answer.found,
        "supported": answer.supported if answer.found else None,
        "citations": [citation_row(citation) for citation in answer.citations],
        "usage": usage_row(answer.usage),
        "seconds": round(answer.seconds, 3),
    }


def report_row(report: FileReport) -> dict[str, Any]:
    """A file report as JSON."""
    return {
        "path": report.path,
        "format": report.format,
        "transcript": report.transcript,
        "added": report.added,
        "known": report.known,
        "skipped": report.skipped_count,
        "skipped_first": [{"where": skip.where, "reason": skip.reason} for skip in report.skipped],
        "threads": report.threads,
        "seconds": round(report.seconds, 3),
        "warnings": list(report.warnings),
        "details": list(report.details),
        "error": report.error,
        "hint": report.hint,
    }


def note(text: str) -> None:
    """A line for people, beside the data."""
    print(printable(text), file=sys.stderr)
