"""Parts of the report about a file."""

from __future__ import annotations

from typing import Any

from localmem.errors import TranscriptError
from localmem.recall.readings import First, Second
from localmem.values import FileReport


def changed(path: str, second: Second, name: str) -> TranscriptError | None:
    """That turns of a conversation were there at the first reading only."""
    lost = second.lost(name)
    if not lost:
        return None
    why = f" ({str(second.error).removeprefix(f'{path}: ')})" if second.error else ""
    return TranscriptError(
        f"{path}: the file changed while it was read: {lost:,} of {second.surveys[name].turns:,} turns"
        f" were not there any more{why}",
        hint="What was added stays; the same command again adds what the file holds now.",
    )


def nothing(path: str, found: First, seconds: float) -> FileReport:
    """The report of a file without turns, which always has an error."""
    survey = next(iter(found.surveys.values()), None)
    format = survey.format if survey else ""
    error = found.error or TranscriptError(
        f"{path}: no turn was found in it", hint=f"It was read as {format}; --format names another format."
    )
    return FileReport(
        path=path,
        format=format,
        transcript=survey.name if survey else "",
        added=0,
        known=0,
        skipped=tuple(survey.skipped) if survey else (),
        skipped_count=survey.skipped_count if survey else 0,
        threads=0,
        seconds=seconds,
        warnings=tuple(found.notes),
        details=tuple(found.details),
        **reason(error),
    )


def unread(path: str, error: TranscriptError) -> FileReport:
    """The report of a path that gives no file."""
    return FileReport(path, "", "", 0, 0, (), 0, 0, 0.0, **reason(error))


def reason(error: TranscriptError | None) -> dict[str, Any]:
    """The fields of a report that tell an error."""
    return {} if error is None else {"error": str(error), "hint": error.hint}
