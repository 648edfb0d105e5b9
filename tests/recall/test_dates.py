"""Relative dates in what people said."""

from __future__ import annotations

import itertools
import time
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
        "on Thursday",
        "went",
        "will",
        "hier",
        "vor zwei Tagen",
        "el viernes que viene",
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
        ("yesterday", "3 March 2025"),
        ("the day before yesterday", "2 March 2025"),
        ("day before yesterday", "2 March 2025"),
        ("last night", "3 March 2025"),
        ("today", "4 March 2025"),
        ("tonight", "4 March 2025"),
        ("this afternoon", "4 March 2025"),
        ("tomorrow", "5 March 2025"),
        ("the day after tomorrow", "6 March 2025"),
        ("day after tomorrow", "6 March 2025"),
        ("three days ago", "1 March 2025"),
        ("4 days ago", "28 February 2025"),
        ("a couple of days ago", "2 March 2025"),
        ("in 10 days", "14 March 2025"),
        ("a week ago", "the week of 24 February 2025"),
        ("in two weeks", "the week of 17 March 2025"),
        ("last week", "the week before 4 March 2025"),
        ("this week", "the week of 3 March 2025"),
        ("next week", "the week of 10 March 2025"),
        ("last weekend", "the weekend before 4 March 2025"),
        ("this weekend", "the weekend of 8 March 2025"),
        ("two weekends ago", "the weekend of 22 February 2025"),
        ("last month", "February 2025"),
        ("three months ago", "December 2024"),
        ("in 11 months", "February 2026"),
        ("next year", "2026"),
        ("seven years ago", "2018"),
        ("for seven years now", "since 2018"),
        ("last summer", "summer 2024"),
        ("this fall", "fall 2025"),
        ("next spring", "spring 2026"),
        ("last Fri", "Friday 28 February 2025"),
        ("next Thurs", "Thursday 6 March 2025"),
        ("last Friday", "Friday 28 February 2025"),
        ("last Tuesday", "Tuesday 25 February 2025"),
        ("this coming Tuesday", "Tuesday 11 March 2025"),
        ("this past Sunday", "Sunday 2 March 2025"),
        ("last March", "March 2024"),
        ("last January", "January 2025"),
        ("last December", "December 2024"),
        ("YESTERDAY", "3 March 2025"),
        ("Last WEEK", "the week before 4 March 2025"),
    ],
)
def test_a_relative_date_is_resolved(text: str, expected: str) -> None:
    assert meanings(f"We met {text}, I think.") == [expected]


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        (datetime(2025, 1, 1), "yesterday", "31 December 2024"),
        (datetime(2024, 12, 31), "tomorrow", "1 January 2025"),
        (datetime(2024, 3, 1), "yesterday", "29 February 2024"),
        (datetime(2023, 3, 1), "yesterday", "28 February 2023"),
        (datetime(2024, 2, 29), "a year ago", "about February 2023"),
        (datetime(2023, 8, 11), "last summer", "summer 2022"),
        (datetime(2023, 9, 1), "last summer", "summer 2023"),
        (datetime(2023, 5, 31), "next summer", "summer 2023"),
        (datetime(2023, 6, 1), "next summer", "summer 2024"),
        (datetime(2024, 2, 29), "tomorrow", "1 March 2024"),
        (datetime(2025, 1, 15), "last month", "December 2024"),
        (datetime(2024, 12, 15), "next month", "January 2025"),
        (datetime(2025, 1, 2), "last week", "the week before 2 January 2025"),
        (datetime(2025, 3, 3), "last Monday", "Monday 24 February 2025"),
        (datetime(2025, 3, 2), "last weekend", "the weekend before 2 March 2025"),
        (datetime(2025, 3, 2), "this weekend", "the weekend of 1 March 2025"),
        (datetime(2025, 3, 4, 0, 0), "yesterday", "3 March 2025"),
        (datetime(2025, 3, 4, 23, 59, 59), "yesterday", "3 March 2025"),
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
        "last summer's trip",
        "last sunflower",
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # German
        ("Ich habe sie gestern Abend gesehen.", "3 March 2025"),
        ("Vorgestern hat es geregnet.", "2 March 2025"),
        ("Wir treffen uns übermorgen.", "6 March 2025"),
        ("Heute Morgen war es kalt.", "4 March 2025"),
        ("Wir sehen uns morgen früh.", "5 March 2025"),
        ("Das war vor drei Tagen.", "1 March 2025"),
        ("Sie zog vor einem Jahr um.", "about March 2024"),
        ("Sie fährt in zwei Wochen.", "the week of 17 March 2025"),
        ("Letzte Woche war ich krank.", "the week before 4 March 2025"),
        ("Am vergangenen Wochenende waren wir in Ulm.", "the weekend before 4 March 2025"),
        ("Nächsten Monat ziehen wir um.", "April 2025"),
        ("Er kam letzten Freitag.", "Friday 28 February 2025"),
        ("Nächsten Sonnabend gehe ich hin.", "Saturday 8 March 2025"),
        # Spanish
        ("La vi ayer.", "3 March 2025"),
        ("Anteayer llovió mucho.", "2 March 2025"),
        ("Nos vemos pasado mañana.", "6 March 2025"),
        ("Te llamo mañana por la tarde.", "5 March 2025"),
        ("Fue hace tres días.", "1 March 2025"),
        ("Se va dentro de dos semanas.", "the week of 17 March 2025"),
        ("La semana pasada estuve enfermo.", "the week before 4 March 2025"),
        ("El próximo fin de semana voy a casa.", "the weekend of 15 March 2025"),
        ("El mes que viene nos mudamos.", "April 2025"),
        ("Vino el viernes pasado.", "Friday 28 February 2025"),
        ("Voy el próximo sábado.", "Saturday 8 March 2025"),
        ("El año pasado vivía en Cádiz.", "2024"),
        # French
        ("Je l’ai vue hier.", "3 March 2025"),
        ("Avant-hier il a plu.", "2 March 2025"),
        ("On se voit après-demain.", "6 March 2025"),
        ("Aujourd'hui je reste à la maison.", "4 March 2025"),
        ("C’était il y a trois jours.", "1 March 2025"),
        ("Elle part dans deux semaines.", "the week of 17 March 2025"),
        ("La semaine dernière j’étais malade.", "the week before 4 March 2025"),
        ("Le mois prochain on déménage.", "April 2025"),
        ("L'année dernière nous vivions à Lyon.", "2024"),
        ("Il est venu vendredi dernier.", "Friday 28 February 2025"),
        ("J’y vais samedi prochain.", "Saturday 8 March 2025"),
    ],
)
def test_a_relative_date_is_resolved_in_other_languages(text: str, expected: str) -> None:
    assert meanings(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We went to the lake on Sunday and it was great.", "Sunday 2 March 2025"),
        ("I finished the shelf on Saturday!", "Saturday 1 March 2025"),
        ("We will meet on Thursday.", "Thursday 6 March 2025"),
        ("I'm seeing her on Friday. It was a hard week.", "Friday 7 March 2025"),
        ("I'm seeing her on Friday the whole day.", "Friday 7 March 2025"),
        ("We will meet on Thursday, 3 of us at least.", "Thursday 6 March 2025"),
        ("We will meet on Thursday, marching to the lake.", "Thursday 6 March 2025"),
        ("Are you free on Saturday?", "Saturday 8 March 2025"),
        ("Am Sonntag waren wir am See.", "Sunday 2 March 2025"),
        ("Am Donnerstag habe ich ihn getroffen.", "Thursday 27 February 2025"),
        ("Am Donnerstag muss ich zum Arzt.", "Thursday 6 March 2025"),
        ("El domingo fuimos al lago.", "Sunday 2 March 2025"),
        ("El jueves voy a ver al médico.", "Thursday 6 March 2025"),
        ("Dimanche on est allés au lac.", "Sunday 2 March 2025"),
        ("Jeudi je vais voir le médecin.", "Thursday 6 March 2025"),
    ],
)
def test_the_tense_tells_which_weekday_is_meant(text: str, expected: str) -> None:
    assert meanings(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "on Friday",
        "It is on Thursday.",
        "We met and will meet again on Thursday.",
        "I went there on Tuesday.",  # said on a Tuesday
        "I'm moving on Saturday the 12th of April.",
        "We'll meet on Friday, 23 May.",
        "We went there on Saturday, June 14.",
        "I will be there on Thursday the 18th, at noon.",
        "Am Samstag, den 14. Juni muss ich arbeiten.",
        "Am Samstag 14. Juni war ich dort.",
        "Voy a ir el viernes 23 de mayo.",
        "Samedi 14 juin on est allés au lac.",
        "I am tired on Sundays.",
        "Am Donnerstag ist Markt.",
        "El jueves hay mercado.",
        "Le jeudi il y avait toujours du monde.",
        "Hier ist es schön.",
        "Guten Morgen!",
        "Am Morgen war es kalt.",
        "Por la mañana hacía frío.",
        "Vivo aquí desde hace dos años.",
        "Le matin il faisait froid.",
        "Der Film war so lala, vor allem am Ende.",
        "I may come over in a second.",
        "Vor zwei oder drei Jahren.",
    ],
)
def test_without_a_tense_that_tells_the_words_stay_as_they_are(text: str) -> None:
    assert annotate(text, TUESDAY) == text


def test_a_long_text_takes_no_longer_than_its_length() -> None:
    begun = time.perf_counter()
    resolve("on Thursday we went and he ai " * 2000, TUESDAY)
    assert time.perf_counter() - begun < 5


def test_a_date_before_the_calendar_begins_stays_as_it_is() -> None:
    assert annotate("999 weeks ago", datetime(3, 1, 1)) == "999 weeks ago"


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "next week",
        "in 9 days",
        "this weekend",
        "next month",
        "next year",
        "last summer",
        "a year ago",
    ],
)
@pytest.mark.parametrize("said", [datetime.min, datetime.max])
def test_the_ends_of_the_calendar_do_no_harm(text: str, said: datetime) -> None:
    assert annotate(text, said).startswith(text)


def test_without_a_time_nothing_is_resolved() -> None:
    assert annotate("yesterday", None) == "yesterday"


def test_every_date_of_a_text_is_resolved_in_order() -> None:
    assert meanings("today, not yesterday") == ["4 March 2025", "3 March 2025"]


def test_the_longest_expression_counts() -> None:
    assert len(resolve("the day before yesterday", TUESDAY)) == 1


def test_the_meaning_stands_behind_the_words() -> None:
    assert annotate("I saw her yesterday.", TUESDAY) == "I saw her yesterday (3 March 2025)."


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
