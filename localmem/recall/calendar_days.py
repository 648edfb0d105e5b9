"""Days, weeks, months and years near a day, in words."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, date, timedelta

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9}
"""The first month."""


def day_name(day: date) -> str:
    """For example: Tuesday 4 March 2025."""
    return f"{WEEKDAYS[day.weekday()].capitalize()} {day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def short_day(day: date) -> str:
    """For example: 4 March 2025."""
    return f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"


def days_from(day: date, count: int) -> str:
    """The day so many days later, or earlier below 0."""
    return short_day(day + timedelta(days=count))


def unit_from(day: date, unit: str, count: int) -> str:
    """The day, week, weekend, month or year so many of these later.

    Raises:
        OverflowError, ValueError: outside the calendar.
    """
    match unit:
        case "day":
            return days_from(day, count)
        case "week":
            return _week(day + timedelta(weeks=count))
        case "weekend":
            return _weekend(day + timedelta(weeks=count))
        case "month":
            return _months(day, count)
        case _:
            return str(_year(day.year + count))


def span_from(day: date, unit: str, direction: int) -> str:
    """The last (direction -1), this (0) or next (1) week, weekend, month or year.

    "Last week" may be the calendar week before or the seven days before, so it stays "the week before 4 March 2025".

    Raises:
        OverflowError, ValueError: outside the calendar.
    """
    if direction < 0 and unit in ("week", "weekend"):
        return f"the {unit} before {short_day(day)}"
    return unit_from(day, unit, direction)


def years_from(day: date, count: int) -> str:
    """The year so many years later; a single year ago is told to about a month.

    Raises:
        ValueError: outside the calendar.
    """
    return f"about {_months(day, -12)}" if count == -1 else unit_from(day, "year", count)


def season_from(day: date, name: str, direction: int) -> str:
    """The last (direction -1) spring, summer or autumn that is over, this year's (0), or the next that begins (1).

    Months as in the north: summer is June to August.

    Raises:
        ValueError: outside the calendar.
    """
    first = _SEASONS[name]
    year = day.year
    if direction < 0:
        year -= day.month <= first + 2
    elif direction > 0:
        year += day.month >= first
    return f"{name} {_year(year)}"


def weekday_from(day: date, wanted: int, direction: int) -> str:
    """The last (direction -1) or next (1) weekday of number `wanted`, Monday being 0; never the day itself."""
    days = (day.weekday() - wanted) % 7 or 7 if direction < 0 else (wanted - day.weekday()) % 7 or 7
    return day_name(day + timedelta(days=direction * days))


def last_month(day: date, number: int) -> str:
    """The last month of this number, 1 to 12, that is over."""
    return f"{MONTHS[number - 1].capitalize()} {day.year - (number >= day.month)}"


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
