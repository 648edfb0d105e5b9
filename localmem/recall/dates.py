"""Relative dates to calendar dates, against the day on which a turn was said.

A small model cannot count days; code can. Only forms with one meaning are resolved; "on Friday" may mean
the last or the next one and stays as it is. English.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS = {
    word: value
    for value, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
} | {"a": 1, "an": 1, "a couple of": 2}
# "1.5 years ago", "2-3 days ago", "two or three weeks ago", "half a year ago", "once in a week": not what the rest says.
_WHOLE = r"(?<!\d[.,:/–-])(?<!\bor )(?<!\bto )(?<!\bhalf )(?<!\bonce )(?<!\btwice )(?<!\btimes )"
_COUNT = r"(?P<count>\d{1,3}|a couple of|an?|" + "|".join(word for word in _NUMBERS if " " not in word) + ")"
_DAY = "(?P<weekday>" + "|".join(WEEKDAYS) + ")"
_MONTH = "(?P<month>" + "|".join(MONTHS) + ")"


@dataclass(frozen=True, slots=True)
class Resolved:
    """A relative date in a text."""

    start: int
    end: int
    """The words are text[start:end]."""
    meaning: str
    """"3 March 2025", "the week of 24 February 2025", "February 2025", "2024"."""


def day_name(day: date) -> str:
    """For example: Tuesday 4 March 2025."""
    return f"{WEEKDAYS[day.weekday()].capitalize()} {day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def short_day(day: date) -> str:
    """For example: 4 March 2025."""
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def _week(day: date) -> str:
    return f"the week of {short_day(day - timedelta(days=day.weekday()))}"


def _weekend(day: date) -> str:
    saturday = day - timedelta(days=day.weekday()) + timedelta(days=5)
    return f"the weekend of {short_day(saturday)}"


def _months(day: date, count: int) -> str:
    index = day.year * 12 + day.month - 1 + count
    return f"{MONTHS[index % 12].capitalize()} {_year(index // 12)}"


def _year(year: int) -> int:
    if not MINYEAR <= year <= MAXYEAR:
        raise ValueError(f"no year {year}")
    return year


def _unit(day: date, unit: str, count: int) -> str:
    match unit:
        case "day":
            return day_name(day + timedelta(days=count))
        case "week":
            return _week(day + timedelta(weeks=count))
        case "weekend":
            return _weekend(day + timedelta(weeks=count))
        case "month":
            return _months(day, count)
        case _:
            return str(_year(day.year + count))


def _weekday(day: date, name: str, direction: int) -> str:
    wanted = WEEKDAYS.index(name)
    days = (day.weekday() - wanted) % 7 or 7 if direction < 0 else (wanted - day.weekday()) % 7 or 7
    return day_name(day + timedelta(days=direction * days))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text]


_Match = re.Match[str]
_DIRECTION = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
_RULES: tuple[tuple[str, Callable[[_Match, date], str]], ...] = (
    (r"(?:the )?day before yesterday", lambda m, day: day_name(day - timedelta(days=2))),
    (r"(?:the )?day after tomorrow", lambda m, day: day_name(day + timedelta(days=2))),
    (r"yesterday", lambda m, day: day_name(day - timedelta(days=1))),
    (r"last night", lambda m, day: day_name(day - timedelta(days=1))),
    (r"today|tonight|this (?:morning|afternoon|evening)", lambda m, day: day_name(day)),
    (r"tomorrow", lambda m, day: day_name(day + timedelta(days=1))),
    (
        rf"{_WHOLE}{_COUNT} (?P<unit>day|week|weekend|month|year)s? (?:ago|back|earlier)",
        lambda m, day: _unit(day, m["unit"], -_number(m["count"])),
    ),
    (
        rf"{_WHOLE}in {_COUNT} (?P<unit>day|week|weekend|month|year)s?(?! or)",
        lambda m, day: _unit(day, m["unit"], _number(m["count"])),
    ),
    (
        r"(?:the |this )?(?P<which>last|past|previous|next|coming) (?P<unit>week|weekend|month|year)(?!s|'s)",
        lambda m, day: _unit(day, m["unit"], _DIRECTION[m["which"]]),
    ),
    (r"this (?P<unit>week|weekend|month|year)", lambda m, day: _unit(day, m["unit"], 0)),
    (
        rf"(?:the |this )?(?P<which>last|past|previous|next|coming) {_DAY}",
        lambda m, day: _weekday(day, m["weekday"], _DIRECTION[m["which"]]),
    ),
    (rf"last {_MONTH}", lambda m, day: _last_month(day, m["month"])),
)


def _last_month(day: date, name: str) -> str:
    year = day.year - (MONTHS.index(name) + 1 >= day.month)
    return f"{name.capitalize()} {year}"


_COMPILED = tuple((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), meaning) for pattern, meaning in _RULES)


def resolve(text: str, said: datetime | None) -> list[Resolved]:
    """Relative dates in a text that was said at `said`, in order, not overlapping; none without a time."""
    if said is None:
        return []
    day = said.date()
    found: list[Resolved] = []
    for pattern, meaning in _COMPILED:
        for match in pattern.finditer(text):
            if any(match.start() < other.end and other.start < match.end() for other in found):
                continue
            lowered = pattern.fullmatch(match.group().lower())
            try:
                meant = meaning(lowered, day) if lowered else None
            except (OverflowError, ValueError):  # "900 years ago" may lie before the calendar begins
                meant = None
            except KeyError:  # a letter that only counts as a Latin one when case is ignored: "laſt week"
                meant = None
            if meant is not None:
                found.append(Resolved(match.start(), match.end(), meant))
    return sorted(found, key=lambda one: one.start)


def annotate(text: str, said: datetime | None) -> str:
    """The text with the meaning of each relative date behind it: "yesterday (Monday 3 March 2025)"."""
    parts: list[str] = []
    at = 0
    for one in resolve(text, said):
        parts += (text[at : one.end], f" ({one.meaning})")
        at = one.end
    return "".join([*parts, text[at:]])
