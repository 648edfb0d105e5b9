from __future__ import annotations

import html
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.transcripts import Conversation, Format, Turn
from localmem.transcripts.speech import MAX_MERGED, SENTENCE_FROM

from .helpers import events, said, skipped, turns


def vtt(*cues: str, header: str = "WEBVTT") -> str:
    return header + "\n\n" + "\n\n".join(cues) + "\n"


def cue(start: float, text: str, length: float = 1.0) -> str:
    return f"{_clock(start)} --> {_clock(start + length)}\n{text}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 3600:02}:{int(seconds) // 60 % 60:02}:{seconds % 60:06.3f}"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "<v Anna Berg>Hello</v>",
            "<v Anna Berg>Hello",
            "<v.loud.first Anna Berg>Hello</v>",
            "<v  Anna  Berg >Hello",
        ),
        *(
            "<v Anna Berg><i>Hel</i>lo</v>",
            "<v Anna Berg>He<00:00:01.500><c.red>llo</c>",
            "<v Anna Berg>\nHello\n</v>",
        ),
    ],
)
def test_a_voice_names_its_speaker(text: str) -> None:
    assert said(vtt(cue(1, text))) == [("Anna Berg", "Hello")]


def test_two_voices_in_one_cue_are_two_turns_with_one_source() -> None:
    found = turns(vtt(cue(1, "<v Anna>Hi</v> <v Ben>Hello</v>")))
    assert [(turn.speaker, turn.text, turn.source) for turn in found] == [
        ("Anna", "Hi", "00:00:01.000"),
        ("Ben", "Hello", "00:00:01.000"),
    ]


def test_entities_are_read_and_stay_text() -> None:
    assert said(vtt(cue(1, "<v Tom &amp; Co>5 &lt; 6 &amp;&nbsp;&lt;b&gt;no tag"))) == [
        ("Tom & Co", "5 < 6 & <b>no tag")
    ]


def test_a_less_than_sign_in_speech_is_no_tag() -> None:
    assert said(vtt(cue(1, "<v Anna>x < y and y > z"))) == [("Anna", "x < y and y > z")]


def test_a_name_before_a_colon_is_the_speaker() -> None:
    content = vtt(
        cue(1, "Anna Berg: Hello"), cue(2, "Ben: Hi: there"), cue(3, "Anna Berg: Bye"), cue(4, "Ben: Bye")
    )
    assert said(content)[:2] == [("Anna Berg", "Hello"), ("Ben", "Hi: there")]


def test_where_names_stand_only_at_a_change_the_last_one_goes_on() -> None:
    content = vtt(
        cue(1, "Anna: Hello"), cue(20, "and more"), cue(40, "Ben: Hi"), cue(60, "Anna: a"), cue(80, "Ben: b")
    )
    assert said(content)[:3] == [("Anna", "Hello"), ("Anna", "and more"), ("Ben", "Hi")]


@pytest.mark.parametrize(
    "names", [["Priya Nair", "Jonas"], ["Ann", "Dr. Bob Berg", "Li", "Zoë", "Max", "Ida"]]
)
def test_names_that_stand_once_are_speakers_where_most_cues_begin_with_one(names: list[str]) -> None:
    cues = [cue(n * 10, f"{name}: Morning\nPlan {n}: lunch") for n, name in enumerate(names)]
    assert said(vtt(*cues)) == [(name, f"Morning Plan {n}: lunch") for n, name in enumerate(names)]


def test_a_name_that_stands_once_is_none_where_most_cues_begin_without() -> None:
    cues = [cue(1, "Remember: x"), cue(9, "Then: y"), cue(20, "a"), cue(30, "b")]
    assert {name for name, _ in said(vtt(*cues))} == {"Unknown"}


def test_the_lines_of_a_header_are_no_names() -> None:
    content = vtt(cue(1, "Hello: there"), cue(9, "plain"), header="WEBVTT\nKind: captions\nLanguage: en")
    assert said(content) == [("Unknown", "Hello: there"), ("Unknown", "plain")]


def test_a_word_with_a_colon_in_captions_without_names_is_speech() -> None:
    cues = [cue(n * 10, f"this is sentence {n}") for n in range(8)]
    assert ("Unknown", "Remember: water them") in said(vtt(*cues, cue(90, "Remember: water them")))


def test_a_new_speaker_mark_without_a_name_is_unknown() -> None:
    content = vtt(cue(1, "&gt;&gt; BOB: hi"), cue(2, ">> who is it?"))
    assert said(content) == [("BOB", "hi"), ("Unknown", "who is it?")]


@pytest.mark.parametrize("dash", ["-", "- ", "– ", "—"])
def test_dashes_in_a_cue_part_its_speakers_and_are_not_of_who_spoke_before(dash: str) -> None:
    content = vtt(
        cue(1, "HELEN: We came in 1987."),
        cue(2, f"{dash}Was it here\nin Girona?\n{dash}No, in Figueres."),
        cue(3, "HELEN: So it was."),
    )
    assert said(content) == [
        ("HELEN", "We came in 1987."),
        ("Unknown", "Was it here in Girona? No, in Figueres."),
        ("HELEN", "So it was."),
    ]


def test_names_behind_dashes_are_those_of_the_speakers() -> None:
    content = vtt(
        cue(1, "- Anna: Hi.\n- Ben: Ho."), cue(2, "Anna: Off?"), cue(3, "- Ben: Yes.\n- Anna: Well.")
    )
    assert said(content) == [
        ("Anna", "Hi."),
        ("Ben", "Ho."),
        ("Anna", "Off?"),
        ("Ben", "Yes."),
        ("Anna", "Well."),
    ]


def test_a_dash_in_one_line_is_text() -> None:
    assert said(vtt(cue(1, "ANNA: It was\n- well - late."), cue(2, "ANNA: So."))) == [
        ("ANNA", "It was - well - late. So.")
    ]


def test_no_name_at_all_is_unknown() -> None:
    assert said(vtt(cue(1, "hello"))) == [("Unknown", "hello")]


def test_the_source_is_the_start_with_the_id_of_the_cue() -> None:
    found = turns(
        vtt("12\n01:23.400 --> 01:24.000\n<v Anna>a", "id-x\n100:00:01.000 --> 100:00:02.000\n<v Ben>b")
    )
    assert [turn.source for turn in found] == ["00:01:23.400 (cue 12)", "100:00:01.000 (cue id-x)"]


def test_settings_behind_the_time_are_no_text() -> None:
    assert said("WEBVTT\n\n00:01.000 --> 00:02.000 align:start position:10%\n<v Anna>hi\n") == [
        ("Anna", "hi")
    ]


def test_notes_styles_regions_and_the_header_are_no_text() -> None:
    content = vtt(
        "NOTE a comment\nof two lines",
        "STYLE\n::cue(v) { color: red }",
        "REGION\nid:fred",
        cue(1, "<v Anna>hi"),
        "NOTE",
        "NOTE\n00 --> 99",
        cue(2, "<v Ben>NOTE this"),
        header="WEBVTT - A title\nKind: captions\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000",
    )
    assert said(content) == [("Anna", "hi"), ("Ben", "NOTE this")]
    assert skipped(content) == []


def test_an_arrow_in_speech_is_speech() -> None:
    assert said(vtt(cue(1, "<v Anna>from a --> b\nand x --> y"))) == [("Anna", "from a --> b and x --> y")]


def test_missing_blank_lines_do_not_join_cues() -> None:
    content = "WEBVTT\n1\n00:01.000 --> 00:02.000\n<v Anna>a\n2\n00:02.000 --> 00:03.000\n<v Ben>b 2\n00:04.000 --> 00:05.000\n<v Anna>c"
    assert [(turn.speaker, turn.text) for turn in turns(content)] == [
        ("Anna", "a"),
        ("Ben", "b 2"),
        ("Anna", "c"),
    ]


def test_a_number_said_right_before_the_next_cue_is_no_id() -> None:
    content = "WEBVTT\n\n1\n00:01.000 --> 00:02.000\n<v Anna>how many?\n42\n00:02.000 --> 00:03.000\n<v Ben>b"
    assert said(content)[0] == ("Anna", "how many? 42")


def test_an_id_as_teams_writes_it_is_no_speech_even_without_a_blank_line() -> None:
    id = "0a1b2c3d-0000-1111-2222-333344445555/12-0"
    content = f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>a\n{id}\n00:02.000 --> 00:03.000\n<v Ben>b"
    assert [turn.source for turn in turns(content)] == ["00:00:01.000", f"00:00:02.000 (cue {id})"]


def test_a_blank_line_inside_a_text_loses_nothing() -> None:
    assert said(vtt(cue(1, "<v Anna>a\n\nb\nc"), cue(2, "<v Ben>d\n\ne"))) == [
        ("Anna", "a b c"),
        ("Ben", "d e"),
    ]


def test_a_broken_time_skips_its_cue_and_says_so() -> None:
    content = vtt(cue(1, "<v Anna>a"), "00:xx --> 00:03\n<v Ben>lost", cue(4, "<v Ben>b"))
    assert said(content) == [("Anna", "a"), ("Ben", "b")]
    assert skipped(content) == [("line 6", "not the time of a cue")]


def test_a_comma_in_the_time_is_read() -> None:
    assert said("1\n00:00:01,000 --> 00:00:02,000\n<v Anna>hi\n", Format.WEBVTT) == [("Anna", "hi")]


SRT = (
    "1\n00:00:01,000 --> 00:00:03,000\nAnna: The box.\n\n2\n00:00:03,500 --> 00:00:05,000\nBen: Which one?\n"
)


@pytest.mark.parametrize(
    "content",
    [SRT, "\ufeff\n" + SRT.replace("\n", "\r\n"), SRT.replace("1\n00", "00", 1), SRT.replace("\n\n2", "\n2")],
)
def test_subrip_is_found_by_content_and_read(content: str) -> None:
    found = events(content, name="film.txt")
    assert found[0] == Conversation("film", "srt")
    assert said(content) == [("Anna", "The box."), ("Ben", "Which one?")]


def test_the_tags_of_subrip_are_no_text() -> None:
    content = '1\n00:00:01,000 --> 00:00:03,000\n{\\an8}<font color="#fff"><i>The box.</i></font> {a}\n'
    assert said(content) == [("Unknown", "The box. {a}")]


def test_a_missing_header_is_no_matter() -> None:
    assert said("00:00:01.000 --> 00:00:02.000\n<v Anna>hi\n") == [("Anna", "hi")]


def test_an_empty_cue_is_reported() -> None:
    assert skipped(vtt(cue(1, "<v Anna> </v>"), cue(2, "<v Ben>b"))) == [("00:00:01.000", "empty text")]


def test_cues_of_one_speaker_become_one_turn() -> None:
    content = vtt(
        cue(1, "<v Anna>one"), cue(2.5, "<v Anna>two"), cue(3.6, "<v Ben>three"), cue(5, "<v Anna>four")
    )
    assert said(content) == [("Anna", "one two"), ("Ben", "three"), ("Anna", "four")]


def test_a_silence_of_more_than_two_seconds_ends_a_turn() -> None:
    assert said(vtt(cue(1, "<v Anna>one"), cue(4.1, "<v Anna>two"))) == [("Anna", "one"), ("Anna", "two")]


def test_a_clock_that_goes_back_ends_a_turn() -> None:
    assert said(vtt(cue(100, "<v Anna>one"), cue(1, "<v Anna>two"))) == [("Anna", "one"), ("Anna", "two")]


def test_merging_ends_at_its_length_and_loses_nothing() -> None:
    texts = [f"word {n} " + "x" * 40 for n in range(60)]
    found = turns(vtt(*(cue(n, f"<v Anna>{text}") for n, text in enumerate(texts))))
    assert " ".join(turn.text for turn in found) == " ".join(texts)
    assert all(len(turn.text) <= MAX_MERGED for turn in found)


def test_a_long_turn_ends_with_its_sentence() -> None:
    long = "a" * SENTENCE_FROM + "."
    assert said(vtt(cue(1, f"<v Anna>{long}"), cue(2, "<v Anna>Next."))) == [
        ("Anna", long),
        ("Anna", "Next."),
    ]


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_escaped_words_come_back_as_they_were(words: list[str]) -> None:
    found = said(
        vtt(*(cue(n, f"<v Anna>{html.escape(word)}") for n, word in enumerate(words))), Format.WEBVTT
    )
    assert " ".join(text for _, text in found) == " ".join(words)


def test_equal_cues_are_kept() -> None:
    assert said(vtt(cue(1, "<v Anna>ha"), cue(2, "<v Anna>ha"))) == [("Anna", "ha ha")]


def test_no_clock_time_is_invented() -> None:
    assert turns(vtt(cue(1, "<v Anna>hi")))[0].at is None


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("GMT20250304-183000_Recording.transcript.vtt", datetime(2025, 3, 4, 18, 31, 40, tzinfo=UTC)),
        ("2025-03-04 standup.vtt", datetime(2025, 3, 4)),
        ("GMT20251399-183000.vtt", None),
        ("standup.vtt", None),
    ],
)
def test_the_name_of_the_file_can_say_when_it_began(name: str, at: datetime | None) -> None:
    assert turns(vtt(cue(100, "<v Anna>hi")), name=name) == [Turn("Anna", "hi", at, "00:01:40.000")]


def test_a_note_can_say_when_it_began() -> None:
    content = vtt("NOTE Recorded 2025-03-04T18:30:00Z", cue(100, "<v Anna>hi"))
    assert turns(content)[0].at == datetime(2025, 3, 4, 18, 31, 40, tzinfo=UTC)
