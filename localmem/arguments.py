"""Arguments of the Python API, checked: what makes no sense is an error of ours, in one line and a hint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import date, datetime, time
from pathlib import Path

from localmem.errors import UsageError
from localmem.formats import DateOrder, Format

MOST_HOPS = 8
MOST_JOBS = 64


def memory(given: object) -> str:
    """A memory's name or path as text."""
    if not isinstance(given, (str, Path)):
        raise UsageError(
            f"A memory is named by text or a Path, not by {_kind(given)}.",
            hint='For example: Memory.open("work")',
        )
    try:
        possible = b"\0" not in os.fsencode(given)
    except UnicodeEncodeError:
        possible = False
    if not possible:
        raise UsageError(
            f"{str(given)!r} is no name for a memory.",
            hint="Use letters and digits, or a path that ends in .db.",
        )
    return str(given)


def paths(given: Sequence[object]) -> list[str]:
    """Paths as text; an empty one is not the current folder."""
    for path in given:
        if not isinstance(path, (str, Path)):
            raise UsageError(
                f"A path is text or a Path, not {_kind(path)}.",
                hint='Give several one after the other: ingest("a.txt", "b.txt"), or ingest(*paths).',
            )
        if not str(path):
            raise UsageError("An empty path is no file.", hint="The current folder is written as a dot: .")
    return [str(path) for path in given]


def format(given: object) -> Format | None:
    """A format, by its name too."""
    if given is None:
        return None
    by_name = {str(one): one for one in Format}
    try:
        return by_name[str(given).lower()]
    except KeyError:
        raise UsageError(
            f"There is no format {given!r}.", hint=f"The formats are: {', '.join(Format)}."
        ) from None


def date_order(given: object) -> DateOrder | None:
    """An order of day and month, by its name too."""
    if given is None:
        return None
    try:
        return DateOrder(str(given).lower())
    except ValueError:
        raise UsageError(
            f"There is no date order {given!r}.", hint=f"The orders are: {', '.join(DateOrder)}."
        ) from None


def question(given: object) -> None:
    """A question says something."""
    if not isinstance(given, str):
        raise UsageError(
            f"A question is text, not {_kind(given)}.", hint="For example: 'Who bought the car?'"
        )
    if not given.strip():
        raise UsageError("The question is empty.", hint="For example: 'Who bought the car?'")


def number(name: str, given: object, least: int, most: int | None = None) -> None:
    """A whole number within its limits."""
    whole = given if isinstance(given, int) and not isinstance(given, bool) else None
    if whole is None or whole < least or (most is not None and whole > most):
        limits = f"at least {least}" if most is None else f"from {least} to {most}"
        raise UsageError(
            f"{name} is a whole number, {limits}, not {given!r}.", hint=f"For example: {name}={max(least, 2)}"
        )


def moment(name: str, given: object) -> datetime | None:
    """A moment; a day is its first one. Without a zone it is local time, and so it comes back aware."""
    if given is None:
        return None
    if not isinstance(given, date):
        raise UsageError(
            f"{name} is a date or a datetime, not {_kind(given)}.",
            hint=f"For example: {name}=date(2025, 6, 1)",
        )
    when = given if isinstance(given, datetime) else datetime.combine(given, time())
    try:
        return when if when.tzinfo else when.astimezone()
    except (OverflowError, OSError, ValueError):
        raise UsageError(f"{name} is no time that this system knows.", hint="Name a later one.") from None


def _kind(given: object) -> str:
    return f"{type(given).__name__} ({str(given)[:40]!r})"
