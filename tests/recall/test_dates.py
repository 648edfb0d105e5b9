"""Relative dates in what people said."""

from __future__ import annotations

import itertools
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.dates import annotate, day_name, resolve, short_day

TUESDAY = datetime(2025, 3, 4, 18, 30)

WORDS = st.sampled_from(
    [
        "yesterday",
        "today",
        "last",
        "next",
        "this",
        "week",
        "weekend",
        "month",
        "year",
        "Friday",
        "ago",
        "in",
        "a",
        "two",
        "3",
        "999",
        "couple",
        "of",
        "the",
        "day",
        "before",
        "after",
        "tomorrow",
        "night",
        "morning",
        "once",
        "half",
        "May",
        "past",
        "1.5",
        "or",
        "laſt",
        "thıs",
        "(x)",
        "İn",
    ]
)
TEXTS = st.lists(WORDS).map(" ".join) | st.text(max_size=40)
MOMENTS = st.datetimes() | st.sampled_from([datetime.min, datetime.max, TUESDAY])


def meanings(text: str, said: datetime = TUESDAY) -> list[str]:
    return [one.meaning for one in resolve(text, said)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yesterday", "Monday 3 March 2025"),
        ("the day before yesterday", "Sunday 2 March 2025"),
        ("day before yesterday", "Sunday 2 March 2025"),
        ("last night", "Monday 3 March 2025"),
        ("today", "Tuesday 4 March 2025"),
        ("tonight", "Tuesday 4 March 2025"),
        ("this afternoon", "Tuesday 4 March 2025"),
        ("tomorrow", "Wednesday 5 March 2025"),
        ("the day after tomorrow", "Thursday 6 March 2025"),
        ("day after tomorrow", "Thursday 6 March 2025"),
        ("three days ago", "Saturday 1 March 2025"),
        ("4 days ago", "Friday 28 February 2025"),
        ("a couple of days ago", "Sunday 2 March 2025"),
        ("in 10 days", "Friday 14 March 2025"),
        ("a week ago", "the week of 24 February 2025"),
        ("in two weeks", "the week of 17 March 2025"),
        ("last week", "the week of 24 February 2025"),
        ("this week", "the week of 3 March 2025"),
        ("next week", "the week of 10 March 2025"),
        ("last weekend", "the weekend of 1 March 2025"),
        ("this weekend", "the weekend of 8 March 2025"),
        ("two weekends ago", "the weekend of 22 February 2025"),
        ("last month", "February 2025"),
        ("three months ago", "December 2024"),
        ("in 11 months", "February 2026"),
        ("next year", "2026"),
        ("seven years ago", "2018"),
        ("last Friday", "Friday 28 February 2025"),
        ("last Tuesday", "Tuesday 25 February 2025"),
        ("this coming Tuesday", "Tuesday 11 March 2025"),
        ("this past Sunday", "Sunday 2 March 2025"),
        ("last March", "March 2024"),
        ("last January", "January 2025"),
        ("last December", "December 2024"),
        ("YESTERDAY", "Monday 3 March 2025"),
        ("Last WEEK", "the week of 24 February 2025"),
    ],
)
def test_a_relative_date_is_resolved(text: str, expected: str) -> None:
    assert meanings(f"We met {text}, I think.") == [expected]


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        (datetime(2025, 1, 1), "yesterday", "Tuesday 31 December 2024"),
        (datetime(2024, 12, 31), "tomorrow", "Wednesday 1 January 2025"),
        (datetime(2024, 3, 1), "yesterday", "Thursday 29 February 2024"),
        (datetime(2023, 3, 1), "yesterday", "Tuesday 28 February 2023"),
        (datetime(2024, 2, 29), "a year ago", "2023"),
        (datetime(2024, 2, 29), "tomorrow", "Friday 1 March 2024"),
        (datetime(2025, 1, 15), "last month", "December 2024"),
        (datetime(2024, 12, 15), "next month", "January 2025"),
        (datetime(2025, 1, 2), "last week", "the week of 23 December 2024"),
        (datetime(2025, 3, 3), "last Monday", "Monday 24 February 2025"),
        (datetime(2025, 3, 2), "last weekend", "the weekend of 22 February 2025"),
        (datetime(2025, 3, 2), "this weekend", "the weekend of 1 March 2025"),
        (datetime(2025, 3, 4, 0, 0), "yesterday", "Monday 3 March 2025"),
        (datetime(2025, 3, 4, 23, 59, 59), "yesterday", "Monday 3 March 2025"),
    ],
)
def test_borders_of_months_and_years_are_gone_over(said: datetime, text: str, expected: str) -> None:
    assert meanings(text, said) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "on Friday",
        "some day",
        "a while ago",
        "last week's meeting",
        "in a month or so",
        "in a minute",
        "1.5 years ago",
        "1,000 days ago",
        "2-3 weeks ago",
        "two or three weeks ago",
        "half a year ago",
        "once in a week",
        "yesterdays",
        "the lastweek",
        "4000 years ago",
        "laſt week",
        "fıve days ago",
        "",
    ],
)
def test_what_has_no_single_meaning_stays_as_it_is(text: str) -> None:
    assert annotate(text, TUESDAY) == text


def test_a_date_before_the_calendar_begins_stays_as_it_is() -> None:
    assert annotate("999 weeks ago", datetime(3, 1, 1)) == "999 weeks ago"


@pytest.mark.parametrize(
    "text", ["yesterday", "next week", "in 9 days", "this weekend", "next month", "next year"]
)
@pytest.mark.parametrize("said", [datetime.min, datetime.max])
def test_the_ends_of_the_calendar_do_no_harm(text: str, said: datetime) -> None:
    assert annotate(text, said).startswith(text)


def test_without_a_time_nothing_is_resolved() -> None:
    assert annotate("yesterday", None) == "yesterday"


def test_every_date_of_a_text_is_resolved_in_order() -> None:
    assert meanings("today, not yesterday") == ["Tuesday 4 March 2025", "Monday 3 March 2025"]


def test_the_longest_expression_counts() -> None:
    assert len(resolve("the day before yesterday", TUESDAY)) == 1


def test_the_meaning_stands_behind_the_words() -> None:
    assert annotate("I saw her yesterday.", TUESDAY) == "I saw her yesterday (Monday 3 March 2025)."


def test_a_day_has_its_name() -> None:
    assert (day_name(TUESDAY.date()), short_day(TUESDAY.date())) == ("Tuesday 4 March 2025", "4 March 2025")


@given(TEXTS, MOMENTS)
def test_only_meanings_are_put_into_a_text(text: str, said: datetime) -> None:
    shown = annotate(text, said)
    for one in reversed(resolve(text, said)):
        behind = f" ({one.meaning})"
        place = one.end + sum(len(f" ({o.meaning})") for o in resolve(text, said) if o.end < one.end)
        assert shown[place : place + len(behind)] == behind
        shown = shown[:place] + shown[place + len(behind) :]
    assert shown == text


@given(TEXTS, MOMENTS)
def test_expressions_are_in_order_and_apart(text: str, said: datetime) -> None:
    found = resolve(text, said)
    assert all(before.end <= after.start for before, after in itertools.pairwise(found))
    assert all(0 <= one.start < one.end <= len(text) for one in found)
