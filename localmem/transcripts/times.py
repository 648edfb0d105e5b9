"""Times as people and programs write them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

_MONTH_NAMES = (
    ("jan", "january"),
    ("feb", "february"),
    ("mar", "march"),
    ("apr", "april"),
    ("may",),
    ("jun", "june"),
    ("jul", "july"),
    ("aug", "august"),
    ("sep", "sept", "september"),
    ("oct", "october"),
    ("nov", "november"),
    ("dec", "december"),
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names}
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\d)(?P<year>\d{4})[-/.](?P<number>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th)?[ -](?:of )?" + _MONTH + r",?[ -](?P<year>\d{4})(?!\d)",
        r"\b" + _MONTH + r" (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})(?!\d)",
        r"(?<![\d.])(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>\d{4})(?!\d)",
    )
)
_SHORT_DOTTED = re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.(?P<number>\d{1,2})\.(?P<year>\d{2})(?!\d|\.\d)")
"""Among words, 1.2.25 is rather the number of a version."""
_TWO = r"(?P<number>\d{1,2})(?P<sep>[/-])(?P<day>\d{1,2})(?P=sep)(?P<year>\d{4}|(?<=/)\d{2})(?![\d/-])"
_MONTH_FIRST = re.compile(r"(?<![\d/-])" + _TWO)
_DAY_FIRST = re.compile(
    _MONTH_FIRST.pattern.replace("number", "_").replace("day", "number").replace("_", "day")
)
_LEADING = re.compile(r"^[^\w\n]{0,6}" + _TWO, re.MULTILINE)
_SPAN = timedelta(days=14)
"""Within which dates of one month that have two readings lie; read the other way they are months apart."""
_CLOCK = re.compile(
    r"(?<![\d:.+-])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?: ?(?P<half>[ap])\.? ?m\b\.?)?"
    r"(?: ?(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\w:]))?",
    re.IGNORECASE,
)
_SPACES = re.compile(r"[\s\u00a0\u2009\u202f]+")
_NOISE = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b\.?|\bat\b|\bon\b|[T,()\[\]|-]", re.I
)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d+)?")

# An epoch number is taken as the largest unit in which it lies between 1973 and 5138.
_EPOCH_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))
_EPOCH_LEAST = 1e8


def parse_time(value: object, *, day_first: bool | None = None) -> datetime | None:
    """Time of a field: a number or text; None when it is none, or can be read in two ways.

    Args:
        value: what stands in the field.
        day_first: how to read `4/3/2025` and `4-3-2025`: True is 4 March, False April 3, None is not at all.

    Numbers, also as text, are seconds, milliseconds, microseconds or nanoseconds since 1970, by their
    size, and give an aware UTC time. Text is a date and a clock time in either order, with nothing else but
    a weekday: year first (ISO 8601), a named English month, or `4.3.2025` and `4.3.25`; 24 hours or am/pm. It is aware when it
    has an offset, Z, UTC or GMT; a date alone is midnight.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _epoch(value)
    if not isinstance(value, str) or len(value) > 100:
        return None
    text = _SPACES.sub(" ", value).strip()
    if _NUMBER.fullmatch(text):
        return _epoch(float(text))
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        found = find_date(text, day_first=day_first)
        return found[0] if found and not found[1] else None


@dataclass(frozen=True, slots=True)
class Order:
    """How dates such as `4/3/2025` or `4-3-2025` are read."""

    day_first: bool | None
    """None when nothing tells."""
    why: str = ""
    """What speaks for it, where it is likely and not certain."""


def order_of(text: str) -> Order:
    """The order of day and month in a text, from all its dates, or those that begin lines.

    A number over 12 tells, unless two disagree. Else, the dates of a transcript rise: where they rise in one order
    only, or are within 14 days of each other in one order only, it is that one.
    """
    leading = list(_LEADING.finditer(text))
    found = leading if len(leading) > 1 else list(_MONTH_FIRST.finditer(text))
    return order_of_dates([(int(one["number"]), int(one["day"]), int(one["year"])) for one in found])


def order_of_dates(pairs: Sequence[tuple[int, int, int]]) -> Order:
    """`order_of`, for dates as two numbers and a year, in the order in which they stand."""
    certain = {first > 12 for first, second, _ in pairs if (first > 12) != (second > 12)}
    if certain:
        return Order(certain.pop() if len(certain) == 1 else None)
    days = {True: _days(pairs, day_first=True), False: _days(pairs, day_first=False)}
    rising = [order for order, dates in days.items() if dates == sorted(dates) and len(set(dates)) > 1]
    close = [order for order in rising if days[order][-1] - days[order][0] <= _SPAN]
    if len(rising) == 1:
        return Order(rising[0], "the dates rise in this order only")
    if len(close) == 1:
        return Order(close[0], "the dates are close to each other in this order only")
    return Order(None)


def has_two_readings(text: str) -> bool:
    """Whether a time has a date whose order of day and month must be known."""
    return _MONTH_FIRST.search(text) is not None


def _days(pairs: Sequence[tuple[int, int, int]], *, day_first: bool) -> list[datetime]:
    """The dates of pairs of numbers up to 12 and a year."""
    made = []
    for first, second, year in pairs:
        month, day = (second, first) if day_first else (first, second)
        try:
            made.append(datetime(year + 2000 if year < 100 else year, month, day))
        except ValueError:  # 0/4/2025
            return []
    return made


def find_date(text: str, *, day_first: bool | None = None) -> tuple[datetime, str] | None:
    """First date in a text that also holds other words, with its clock time if it has one; and the words."""
    text = _SPACES.sub(" ", text)
    slashed = () if day_first is None else (_DAY_FIRST if day_first else _MONTH_FIRST,)
    for pattern in (*_DATES, _SHORT_DOTTED, *slashed):
        if date := pattern.search(text):
            rest = text[: date.start()] + " " + text[date.end() :]
            clock = _CLOCK.search(rest)
            at = _combine(date, clock)
            if at is None and clock:
                clock, at = None, _combine(date, None)
            if at is not None:
                words = rest if clock is None else rest[: clock.start()] + " " + rest[clock.end() :]
                words = _NOISE.sub(" ", words).strip(" ")
                if words and pattern is _SHORT_DOTTED and len(date.group()) < len("04.03.25"):
                    continue
                return at, words
    return None


def _epoch(number: float) -> datetime | None:
    try:
        number = float(number)
    except OverflowError:
        return None
    if not math.isfinite(number) or number < _EPOCH_LEAST:
        return None
    for limit, unit in _EPOCH_UNITS:
        if number < limit:
            return datetime.fromtimestamp(0, UTC) + timedelta(seconds=number / unit)
    return None


def _combine(date: re.Match[str], clock: re.Match[str] | None) -> datetime | None:
    parts = date.groupdict()
    month = int(parts["number"]) if parts.get("number") else _MONTHS[parts["month"].lower()]
    hour = minute = second = micro = 0
    zone: timezone | None = None
    try:
        if clock:
            hour, minute, second = int(clock["hour"]), int(clock["minute"]), int(clock["second"] or 0)
            micro = int((clock["fraction"] or "0")[:6].ljust(6, "0"))
            if half := clock["half"]:
                if not 1 <= hour <= 12:
                    return None
                hour = hour % 12 + (12 if half.lower() == "p" else 0)
            zone = _zone(clock["zone"])
        year = int(parts["year"]) + (2000 if len(parts["year"]) == 2 else 0)
        return datetime(year, month, int(parts["day"]), hour, minute, second, micro, zone)
    except ValueError:
        return None


def _zone(text: str | None) -> timezone | None:
    """Zone of an offset.

    Raises:
        ValueError: an offset of a day or more.
    """
    if not text:
        return None
    if text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if text[0] == "-" else offset)
