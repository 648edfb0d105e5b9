from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.transcripts.times import find_date, order_of, parse_time

LOCAL = datetime(2025, 3, 4, 18, 32)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2025-03-04 18:32",
            "2025-03-04T18:32",
            "2025-03-04T18:32:00",
            "2025-03-04 18:32:00.000",
            "2025/03/04, 18:32",
        ),
        *(
            "2025-03-04 6:32 PM",
            "2025-03-04 6:32\u202fpm",
            "2025-03-04\u00a06:32 p. m.",
            "4.3.2025 18:32",
            "04.03.2025, 18:32",
            "04.03.25, 18:32",
            "4.3.25 18:32",
        ),
        *("4 March 2025 18:32", "4 Mar 2025, 18:32", "March 4, 2025 at 6:32 PM", "Tue, 4 Mar 2025 18:32:00"),
        *(
            "6:32 pm on 4 March, 2025",
            "Tuesday, March 4th, 2025 18:32",
            " 2025-03-04  18:32 ",
            "18:32 2025-03-04",
        ),
    ],
)
def test_a_time_without_a_zone_is_local(text: str) -> None:
    assert parse_time(text) == LOCAL


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2025-03-04T18:32:00Z", UTC),
        ("2025-03-04 18:32 UTC", UTC),
        ("2025-03-04T18:32:00+01:00", timezone(timedelta(hours=1))),
        ("2025-03-04 18:32:00.123456789-0530", timezone(-timedelta(hours=5, minutes=30))),
        ("Tue, 4 Mar 2025 18:32:00 +0100", timezone(timedelta(hours=1))),
        ("Tue, 4 Mar 2025 18:32:00 GMT", UTC),
    ],
)
def test_a_time_with_a_zone_is_aware(text: str, zone: timezone) -> None:
    found = parse_time(text)
    assert found is not None
    assert found.replace(microsecond=0) == LOCAL.replace(tzinfo=zone)
    assert found.utcoffset() == zone.utcoffset(None)


@pytest.mark.parametrize(
    "value",
    [
        1741113120,
        1741113120.0,
        "1741113120",
        1741113120000,
        "1741113120000",
        1741113120000000,
        1741113120000000000,
    ],
)
def test_an_epoch_number_is_utc_in_the_unit_of_its_size(value: object) -> None:
    assert parse_time(value) == datetime(2025, 3, 4, 18, 32, tzinfo=UTC)


def test_an_epoch_fraction_is_kept() -> None:
    assert parse_time("1741113120.25") == datetime(2025, 3, 4, 18, 32, 0, 250_000, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        *(
            None,
            True,
            "",
            "yesterday",
            "18:32",
            "12",
            0,
            -1,
            12.5,
            float("nan"),
            float("inf"),
            10**400,
            [],
            {},
        ),
        *(
            "2025-13-04",
            "2025-02-30 10:00",
            "2025-03-04 25:00",
            "2025-03-04 13:00 pm",
            "2025-03-04 10:00+99:00",
        ),
        *("1.2.3.25", "v4.3.25", "192.10.10.25", "31.2.25"),
        *("3/4/2025 18:32", "on the 4 March 2025 we met", "1" * 200),
    ],
)
def test_what_is_no_time_or_has_two_readings_is_none(value: object) -> None:
    assert parse_time(value) is None


def test_midnight_and_noon_on_a_twelve_hour_clock() -> None:
    assert parse_time("12:05 am on 8 May, 2023") == datetime(2023, 5, 8, 0, 5)
    assert parse_time("12:05 pm on 8 May, 2023") == datetime(2023, 5, 8, 12, 5)


def test_a_date_alone_is_midnight() -> None:
    assert parse_time("2025-03-04") == parse_time("4 March 2025") == datetime(2025, 3, 4)


def test_slashes_are_read_in_the_order_that_is_known() -> None:
    assert parse_time("3/4/2025 18:32", day_first=True) == datetime(2025, 4, 3, 18, 32)
    assert parse_time("3/4/25 18:32", day_first=False) == LOCAL


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("1/2/2025 and 25/2/2025", True),
        ("1/2/2025 and 2/25/2025", False),
        ("1/2/2025 and 3/4/2025", None),
        ("4/3/2025 5/3/2025", True),
        ("3/4/2025 3/5/2025", False),
        ("4/3/2025 5/3/2025 1/4/2025", True),
        ("03-04-2025 03-05-2025 04-01-2025", False),
        ("4/3/2025 4/3/2025", None),
        ("4/3/2025 2/2/2025 5/9/2025", None),
        ("[1/2/2025, 10:00] a 2/25/2025\n[25/2/2025, 10:00] b", True),
        ("0/4/2025 0/5/2025", None),
        ("25/2/2025 and 2/25/2025", None),
        ("no dates, a path /25/12/2025/x", None),
    ],
)
def test_the_order_of_slashed_dates_comes_from_one_that_tells_or_from_all_of_them(
    text: str, order: bool | None
) -> None:
    assert order_of(text).day_first is order


def test_a_date_among_words_leaves_the_words() -> None:
    assert find_date("Session 3, 4 March 2025") == (datetime(2025, 3, 4), "Session 3")


@given(st.dates(min_value=date(2020, 1, 1), max_value=date(2040, 1, 1)), st.integers(2, 30))
def test_the_order_is_never_a_wrong_one_in_a_chat_of_every_day(start: date, many: int) -> None:
    days = [start + timedelta(days=number) for number in range(many)]
    for form, order in (("%d/%m/%Y", True), ("%m/%d/%y", False)):
        assert order_of("\n".join(day.strftime(form) for day in days)).day_first is order


def test_a_short_date_with_dots_among_words_needs_two_digits_each() -> None:
    assert find_date("Call on 04.03.25") == (datetime(2025, 3, 4), "Call")
    assert find_date("Release 4.3.25") is None


@given(at=st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.none() | st.just(UTC)))
def test_iso_times_come_back_as_they_were(at: datetime) -> None:
    assert parse_time(at.isoformat()) == at
    assert parse_time(at.isoformat(" ")) == at


@given(st.text(max_size=60) | st.integers() | st.floats() | st.text("0123456789-/: .TZ+apm", max_size=30))
def test_no_value_raises(value: object) -> None:
    found = parse_time(value, day_first=True)
    assert found is None or isinstance(found, datetime)
