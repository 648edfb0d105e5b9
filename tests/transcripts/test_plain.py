from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.errors import TranscriptError
from localmem.transcripts import Format, Turn
from localmem.transcripts.speakers import opening_of
from localmem.transcripts.text import MAX_TEXT

from .helpers import notes, said, skipped, turns


@pytest.mark.parametrize(
    ("line", "name", "text"),
    [
        ("Anna: hello", "Anna", "hello"),
        ("Anna:", "Anna", ""),
        ("Anna Lena Berg: a: b", "Anna Lena Berg", "a: b"),
        ("Dr. O'Neil-Smith (Acme): hi", "Dr. O'Neil-Smith (Acme)", "hi"),
        ("Speaker 1: hi", "Speaker 1", "hi"),
        ("SPEAKER_00: hi", "SPEAKER_00", "hi"),
        ("@ben: hi", "@ben", "hi"),
        ("[Anna]: hello", "Anna", "hello"),
        ("**Anna:** hello", "Anna", "hello"),
        ("**Anna**: hello", "Anna", "hello"),
        ("用户：你好", "用户", "你好"),
        ("[00:01:23] Anna: hello", "Anna", "hello"),
        ("(01:23) Anna: hello", "Anna", "hello"),
        ("00:01:23 Anna: hello", "Anna", "hello"),
        ("[00:01:23] [Anna]: hello", "Anna", "hello"),
        ("[2025-03-04 18:32] Anna: hello", "Anna", "hello"),
        ("2025-03-04 18:32 - Anna: hello", "Anna", "hello"),
        ("Anna (0:21): hello", "Anna", "hello"),
    ],
)
def test_a_line_of_this_shape_names_its_speaker(line: str, name: str, text: str) -> None:
    opening = opening_of(line)
    assert opening is not None
    assert (opening.name, opening.text) == (name, text)


@pytest.mark.parametrize(
    "line",
    [
        *(
            "1: first item",
            "- Anna: hello",
            "  indented: text",
            "> Anna: hello",
            "# Anna: x",
        ),
        *("a" * 61 + ": long", "what? no: yes", "", ":", "nothing here", '{"a": 1}', "[see 1] Anna: x"),
    ],
)
def test_a_line_of_another_shape_names_nobody(line: str) -> None:
    assert opening_of(line) is None


def test_an_address_is_part_of_the_text() -> None:
    assert said("Anna: look\nhttps://example.org/a\nBen: ok\nAnna: good\nBen: ok\n")[0] == (
        "Anna",
        "look\nhttps://example.org/a",
    )


NAMES = [
    *(
        "~ Zoë 🌸",
        "+44 7700 900123",
        "\u202a+44 7700 900123\u202c",
        "Ann (she/her)",
        "🌸",
        "mum of tom",
        "Q&A?!",
    ),
    "Dr. Anna-Lena Müller-Lüdenscheidt von und zu Hohenstein",
]
STAMPS = [
    *("[10:02]", "[00:10:02]", "[13/03/2025, 10:02:00]", "(10:02)", "00:10:02", "2025-03-04 10:02 -"),
    *("10:02", "10:02 -", "10:02 pm", "13/03/2025, 18:32 -", "13.03.25, 18:32 -", "13/03/2025 10:02"),
    *("13.03.2025", "3/13/25, 6:32\u202fPM -"),
]


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("name", NAMES)
def test_behind_a_time_any_name_is_a_speaker(stamp: str, name: str) -> None:
    content = f"{stamp} Bob: hi\nMilk: two\n{stamp} {name}: see: this\n{stamp} Bob: ok\n"
    shown = name.strip("\u202a\u202c")
    assert said(content, Format.PLAIN) == [("Bob", "hi\nMilk: two"), (shown, "see: this"), ("Bob", "ok")]


@pytest.mark.parametrize("stamp", STAMPS)
def test_where_times_mark_the_turns_a_line_with_a_time_and_no_name_is_skipped(stamp: str) -> None:
    content = (
        f"{stamp} Messages are encrypted\nand so on\n{stamp} Bob: hi\n{stamp} Ann left at 10:30 today: bye\n"
        f"behind\n{stamp} Ann: ok\nmore\n"
    )
    assert said(content, Format.PLAIN) == [("Bob", "hi"), ("Ann", "ok\nmore")]
    reason = "a time, but no 'Name: ' behind it"
    assert skipped(content, Format.PLAIN) == [("line 1", reason), ("line 4", reason)]


def test_a_line_of_a_phone_export_has_the_time_before_the_name() -> None:
    found = turns("12/03/2025, 18:32 - Mum: hi\n14/03/2025, 6:05 p. m. - Tom: ok\n")
    assert [turn.at for turn in found] == [datetime(2025, 3, 12, 18, 32), datetime(2025, 3, 14, 18, 5)]
    assert turns("12.03.25, 18:32 - Mama: hallo\n")[0].at == datetime(2025, 3, 12, 18, 32)


@pytest.mark.parametrize("stamp", ["[10:02]", "10:02", "10:02 pm"])
def test_a_clock_without_a_date_is_kept_in_the_source(stamp: str) -> None:
    first = turns(f"{stamp} Ann: the code\n{stamp} Bob: ok\n")[0]
    assert (first.source, first.at) == (f"{stamp.strip('[]')}, line 1", None)


@pytest.mark.parametrize("name", ["+44 7700 900123", "~ Zoë 🌸", "Ann (she/her)", "Zoë 🌸", "🌸", NAMES[-1]])
def test_unusual_names_are_speakers_without_times_too(name: str) -> None:
    assert said(f"Dr. Bob van der Berg: ok\n{name}: hello\nAnna: hi\n")[1] == (name, "hello")


def test_what_looks_like_a_speaker_and_is_read_as_text_is_noted_once() -> None:
    content = "Anna: one\nmore\nmore\nBen: two\nmore\nBudget: 300\nmore\n🌸 Zoë: hi\nAnna: x\nmore\nBen: y\n"
    assert [note for note in notes(content) if "look" in note] == [
        "2 lines look like a speaker's and were read as part of the turn before, first line 6 ('Budget');"
        " a speaker is known by speaking twice"
    ]


def test_a_label_of_two_words_that_is_read_as_text_is_noted() -> None:
    content = "You said:\nhow?\nChatGPT said:\nso\nYou said:\nthanks\n"
    assert "first line 3 ('ChatGPT said')" in notes(content)[0]


def test_an_ordinary_talk_has_no_doubts() -> None:
    content = "Anna: a\nsee it: this\nNote: that\nhttp://x.org: y\nBen: b\nAnna: c\nBen: d\n"
    assert [note for note in notes(content) if "speaker" in note] == []


@pytest.mark.parametrize(
    "content",
    [
        "Shopping: milk\nWifi: tulip77\n",
        "A: 1\nBel: 2\nC: 3\n",
        "10:30 Meeting: room 4\n11:00 Dentist: card\n",
    ],
)
def test_a_file_in_which_nobody_speaks_twice_is_noted(content: str) -> None:
    assert notes(content)[0].endswith("is this a list rather than a conversation?")
    assert "rather" not in "".join(notes(content + content))
    assert "rather" not in "".join(
        notes("".join(f"[10:00] {line.lstrip('013: ')}\n" for line in content.splitlines()))
    )


def test_a_list_of_appointments_among_notes_is_no_talk() -> None:
    with pytest.raises(TranscriptError, match="no known format fits"):
        turns("Things to do\nbuy milk\n10:30 Dentist: bring card\nwater the plants\ncall home\n")


@pytest.mark.parametrize("date", ["04/03/2025", "4-3-2025"])
def test_a_date_that_nothing_decides_is_left_out_and_the_note_says_what_would_tell(date: str) -> None:
    content = f"[{date} 10:02] Ann: hi\n[{date} 10:03] Bob: ok\n"
    assert [turn.at for turn in turns(content)] == [None, None]
    assert notes(content)[0] == (
        f"2 times left out: day/month or month/day, first '{date} 10:02' at line 1;"
        " one date with a day over 12 would tell; or say it with --date-order dmy or mdy"
    )


def test_a_likely_order_of_dates_is_noted() -> None:
    content = "04/03/2025 10:02 Ann: hi\n05/03/2025 10:03 Bob: ok\n"
    assert [turn.at for turn in turns(content)] == [datetime(2025, 3, 4, 10, 2), datetime(2025, 3, 5, 10, 3)]
    assert notes(content) == [
        "dates are read as day/month, since the dates are close to each other in this order only,"
        " first '04/03/2025 10:02' at line 1"
    ]


def test_a_heading_with_slashes_follows_the_order_of_the_file() -> None:
    found = turns("04/03/2025\nAnna: a\nBen: b\n\n13/03/2025\nAnna: c\n")
    assert [turn.at for turn in found] == [datetime(2025, 3, 4)] * 2 + [datetime(2025, 3, 13)]


def test_a_clock_time_is_no_speaker() -> None:
    assert (
        said("Anna: plan\n10:30 Meeting: room 4\nBen: ok\nAnna: fine\n")[0][1]
        == "plan\n10:30 Meeting: room 4"
    )


@pytest.mark.parametrize("word", ["Note", "Agenda", "Warning", "P.S.", "TODO"])
def test_a_heading_word_inside_a_message_stays_in_it(word: str) -> None:
    assert said(f"Anna: hi\n{word}: bring it\nBen: ok\nAnna: a\nBen: b\n")[0] == (
        "Anna",
        f"hi\n{word}: bring it",
    )


def test_settings_in_a_text_are_no_speakers_even_where_most_lines_have_a_colon() -> None:
    settings = "\n".join(f"Option {number}: on" for number in range(20))
    assert said(f"Anna: here\n{settings}\nBen: thanks\nAnna: sure\nBen: bye\n")[0] == (
        "Anna",
        f"here\n{settings}",
    )


def test_a_word_that_stands_once_among_long_texts_is_no_speaker() -> None:
    talk = "Anna: one\nand more\nand more\nBen: two\nand more\nand more\n"
    assert ("Budget", "300") not in said(talk + "Budget: 300\n" + talk)


def test_somebody_who_speaks_once_in_a_chat_of_one_line_messages_is_a_speaker() -> None:
    assert ("Cleo", "hello all") in said("Anna: a\nBen: b\nCleo: hello all\nAnna: c\nBen: d\n")


def test_the_second_of_two_people_may_speak_once() -> None:
    assert [name for name, _ in said("Anna: a\nmore\nmore\nBen: b\nmore\nAnna: c\n")] == [
        "Anna",
        "Ben",
        "Anna",
    ]


def test_a_sentence_with_a_colon_is_no_speaker() -> None:
    assert said("Anna: a\nBen: b\nthe problem is: money\nAnna: c\nBen: d\n")[1] == (
        "Ben",
        "b\nthe problem is: money",
    )


def test_where_times_mark_the_turns_an_unmarked_word_is_no_speaker() -> None:
    content = "[00:00:01] Anna: the list\nMilk: two\nBread: one\n[00:00:09] Ben: ok\nAnna: and eggs\n"
    assert said(content) == [("Anna", "the list\nMilk: two\nBread: one"), ("Ben", "ok"), ("Anna", "and eggs")]


@pytest.mark.parametrize("shape", ["{}: ", "**{}:** ", "[{}]: "])
def test_a_bold_heading_inside_an_answer_is_no_speaker(shape: str) -> None:
    user, assistant = shape.format("User"), shape.format("Assistant")
    answer = "Sure.\n**Ingredients:** flour\n[Source]: book\nStep 1: mix\nStep 2: bake"
    content = f"{user}cake?\n{assistant}{answer}\n{user}thanks\n{assistant}Welcome.\n"
    assert said(content) == [
        ("User", "cake?"),
        ("Assistant", answer),
        ("User", "thanks"),
        ("Assistant", "Welcome."),
    ]


def test_somebody_who_joins_behind_the_sample_is_a_speaker() -> None:
    talk = "Anna: " + "word " * 20 + "\nBen: ok\n"
    assert said(talk * 3000 + "Cleo: hello\n" + talk)[6000] == ("Cleo", "hello")


def test_lines_that_follow_belong_to_the_turn_with_blank_ones_inside() -> None:
    assert said("Anna: first\n\n  second\nthird\n\n\nBen: ok\nAnna: x\n")[0] == (
        "Anna",
        "first\n\n  second\nthird",
    )


TALK = st.lists(
    st.tuples(
        st.sampled_from(["Anna", "Ben Berg", "李雷"]),
        st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1)
        .map(str.strip)
        .filter(bool),
    ),
    min_size=6,
)


@given(talk=TALK)
def test_a_talk_of_one_line_messages_comes_back_as_it_was(talk: list[tuple[str, str]]) -> None:
    talk = [(name, "hello") for name in ("Anna", "Ben Berg", "李雷") for _ in range(2)] + talk
    assert said("".join(f"{name}: {text}\n" for name, text in talk), Format.PLAIN) == talk


def test_equal_lines_are_kept() -> None:
    assert said("Anna: ha\nAnna: ha\nBen: ha\n") == [("Anna", "ha"), ("Anna", "ha"), ("Ben", "ha")]


def test_marks_before_a_name_are_dropped() -> None:
    assert said("\u200eAnna: a\n\u200f\ufeffBen: b\n\u202aAnna: c\n") == [
        ("Anna", "a"),
        ("Ben", "b"),
        ("Anna", "c"),
    ]


def test_control_characters_are_removed_and_tabs_stay() -> None:
    assert said("Anna: a\x07b\tc\x1b[0m\nBen: x\x00y\nAnna: z\n") == [
        ("Anna", "ab\tc[0m"),
        ("Ben", "xy"),
        ("Anna", "z"),
    ]


def test_text_before_the_first_speaker_is_reported_once() -> None:
    assert skipped("Minutes of today\nin the garden\n\nAnna: a\nBen: b\nAnna: c\n") == [
        ("line 1", "text before the first speaker")
    ]


def test_a_turn_without_text_is_reported() -> None:
    assert skipped("Anna: a\nBen:\nAnna: c\nBen: d\n") == [("line 2", "empty text")]


def test_the_source_is_the_line() -> None:
    assert [turn.source for turn in turns("\nAnna: a\nmore\nBen: b\nAnna: c\n")] == [
        "line 2",
        "line 4",
        "line 5",
    ]


def test_a_place_in_a_recording_is_kept_in_the_source_and_is_no_time() -> None:
    first, second = turns("[00:01:23] Anna: a\n[01:25] Ben: b\n")
    assert (first.source, first.at) == ("00:01:23, line 1", None)
    assert second.source == "01:25, line 2"


def test_a_time_with_a_date_is_the_time_of_the_turn() -> None:
    found = turns(
        "[2025-03-04 18:32] Anna: a\n[2025-03-04T18:33:10+01:00] Ben: b\n2025-03-04 18:34:05 Anna: c\n"
        "[2025-03-04T17:35Z] Ben: d\n[4 March 2025, 6:36\u202fPM] Anna: e\n"
    )
    assert [turn.at for turn in found] == [
        datetime(2025, 3, 4, 18, 32),
        datetime(2025, 3, 4, 18, 33, 10, tzinfo=timezone(timedelta(hours=1))),
        datetime(2025, 3, 4, 18, 34, 5),
        datetime(2025, 3, 4, 17, 35, tzinfo=UTC),
        datetime(2025, 3, 4, 18, 36),
    ]


def test_a_time_that_cannot_be_is_noted_and_the_turn_kept() -> None:
    content = "[2025-13-04 18:32] Anna: a\n[2025-03-04 18:33] Ben: b\n[2025-03-04 99:99] Anna: c\n"
    assert [turn.at for turn in turns(content)] == [None, datetime(2025, 3, 4, 18, 33), None]
    assert "2 times could not be read" in notes(content)[0]
    assert "'2025-13-04 18:32' at line 1" in notes(content)[0]


def test_dates_with_slashes_follow_the_one_with_a_single_reading() -> None:
    found = turns("[04/03/2025 18:32] Anna: a\n[25/03/2025 18:33] Ben: b\n")
    assert found[0].at == datetime(2025, 3, 4, 18, 32)


@pytest.mark.parametrize(
    ("heading", "session", "at"),
    [
        ("--- 2025-03-04 ---", "2025-03-04", datetime(2025, 3, 4)),
        ("## 2025-03-04 18:30", "2025-03-04 18:30", datetime(2025, 3, 4, 18, 30)),
        ("# Session 3, 4 March 2025", "Session 3, 4 March 2025", datetime(2025, 3, 4)),
        ("=== Team call on 4 March 2025 ===", "Team call on 4 March 2025", datetime(2025, 3, 4)),
        ("# Session three", "Session three", None),
        ("Session 4", "Session 4", None),
        (
            "Session 4: 4 March 2025, 6:30 pm",
            "Session 4: 4 March 2025, 6:30 pm",
            datetime(2025, 3, 4, 18, 30),
        ),
        ("Date: 4 March 2025", "4 March 2025", datetime(2025, 3, 4)),
        ("\n4 March 2025", "4 March 2025", datetime(2025, 3, 4)),
    ],
)
def test_a_heading_starts_a_session_and_dates_its_turns(
    heading: str, session: str, at: datetime | None
) -> None:
    last = turns(f"Anna: a\nBen: b\n{heading}\nAnna: c\n")[-1]
    assert last == Turn("Anna", "c", at, last.source, session)


@pytest.mark.parametrize(
    "line", ["## Groceries", "Session 3 was great", "--- so be it", "4 March 2025 was a day"]
)
def test_a_line_without_a_date_of_its_own_is_no_heading(line: str) -> None:
    assert said(f"Anna: a\n{line}\nBen: b\nAnna: c\n")[0] == ("Anna", f"a\n{line}")


def test_the_time_of_a_turn_wins_over_its_heading() -> None:
    found = turns("# 2025-03-04\n[2025-03-05 10:00] Anna: a\nBen: b\nAnna: c\n")
    assert [turn.at for turn in found[:2]] == [datetime(2025, 3, 5, 10), datetime(2025, 3, 4)]


def test_a_turn_without_end_is_skipped_and_the_next_is_read() -> None:
    content = "Anna: a\nBen: b\n" * 2 + ("word " * 20 + "\n") * (MAX_TEXT // 90) + "Anna: c\nBen: d\n"
    assert skipped(content) == [("line 4", "longer than 1,000,000 characters")]
    assert said(content)[-2:] == [("Anna", "c"), ("Ben", "d")]


def test_a_line_without_end_is_skipped_and_the_next_is_read() -> None:
    content = "Anna: a\nBen: b\n" * 2 + "Anna: " + "word " * 500_000 + "\nBen: d\n"
    assert skipped(content) == [("line 5", "longer than 1,000,000 characters")]
    assert said(content)[-1] == ("Ben", "d")


def test_plain_text_without_speakers_is_an_error_with_a_hint() -> None:
    with pytest.raises(TranscriptError, match="no line opens with a speaker") as caught:
        turns("just words\nand more\n", Format.PLAIN)
    assert "Speaker: text" in caught.value.hint
