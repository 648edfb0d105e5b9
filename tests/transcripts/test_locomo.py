from __future__ import annotations

import io
import json
import os
from datetime import datetime
from pathlib import Path

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import Conversation, Format, Note, Skipped, Turn, detect, read, read_stream

from .helpers import events, notes, said, skipped, turns


def sample(name: str | None = "conv-a", **keys: object) -> dict[str, object]:
    return {"sample_id": name, "conversation": keys} if name else {"conversation": keys}


def turn(number: int, text: object = "hello", **keys: object) -> dict[str, object]:
    return {"speaker": "Anna", "dia_id": f"D1:{number}", "text": text, **keys}


def test_a_turn_has_the_time_and_the_name_of_its_session_and_its_own_id() -> None:
    content = json.dumps([sample(session_2_date_time="1:56 pm on 8 May, 2023", session_2=[turn(1)])])
    assert [event for event in events(content) if not isinstance(event, Note)] == [
        Conversation("conv-a", "locomo"),
        Turn("Anna", "hello", datetime(2023, 5, 8, 13, 56), "D1:1", "session_2"),
    ]


def test_sessions_come_in_the_order_of_their_numbers() -> None:
    content = json.dumps([sample(session_10=[turn(3)], session_2=[turn(2)], session_1=[turn(1)])])
    assert [turn.session for turn in turns(content)] == ["session_1", "session_2", "session_10"]


def test_a_session_without_a_time_or_turns_is_no_error() -> None:
    content = json.dumps([sample(session_1=[], session_2_date_time="8 May", session_3=[turn(1)])])
    assert [turn.at for turn in turns(content)] == [None]


def test_a_time_that_cannot_be_read_is_noted() -> None:
    content = json.dumps([sample(session_1_date_time="in spring", session_1=[turn(1)])])
    assert "first 'in spring' at session_1_date_time" in notes(content)[0]


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"blip_caption": "a photo of a dog on a beach"}, "look [shares a photo: a dog on a beach]"),
        ({"blip_caption": "two dogs"}, "look [shares a photo: two dogs]"),
        ({"img_url": ["https://example.org/a.jpg"]}, "look [shares a photo]"),
        ({"query": "dog", "re-download": True}, "look"),
    ],
)
def test_a_picture_is_part_of_the_text(keys: dict[str, object], text: str) -> None:
    assert said(json.dumps([sample(session_1=[turn(1, "look", **keys)])])) == [("Anna", text)]


def test_a_picture_without_words_is_a_turn() -> None:
    content = json.dumps([sample(session_1=[turn(1, "", blip_caption="a photo of a cat")])])
    assert said(content) == [("Anna", "[shares a photo: a cat]")]


def test_every_conversation_of_a_file_is_one_of_its_own() -> None:
    content = json.dumps([sample("a", session_1=[turn(1)]), sample("b", session_1=[turn(1)])])
    assert [event.name for event in events(content) if isinstance(event, Conversation)] == ["a", "b"]


def test_without_a_sample_id_the_file_names_the_conversation() -> None:
    assert events(json.dumps([sample(None, session_1=[turn(1)])]), name="talk.json")[0] == Conversation(
        "talk", "locomo"
    )


def test_one_conversation_without_a_list_is_read() -> None:
    assert said(json.dumps(sample(session_1=[turn(1)]))) == [("Anna", "hello")]
    assert said(json.dumps({"session_1": [turn(1)]})) == [("Anna", "hello")]


def test_questions_before_the_conversation_do_not_hide_the_format() -> None:
    questions = [{"question": "q" * 50, "answer": 1, "evidence": ["D1:3"], "category": 1}] * 4000
    content = json.dumps([{"qa": questions, **sample(session_1=[turn(1)])}])
    assert detect(content.encode(), "x")[0] is Format.LOCOMO
    assert said(content) == [("Anna", "hello")]


def test_what_is_no_turn_is_reported_and_the_others_go_on() -> None:
    content = json.dumps(
        [
            3,
            {"x": 1},
            sample(session_1=[turn(1), "x", turn(2, ""), {"speaker": "Ben", "text": "yes"}], session_2={}),
        ]
    )
    assert said(content) == [("Anna", "hello"), ("Ben", "yes")]
    assert skipped(content) == [
        ("conversation 1", "not a JSON object"),
        ("conversation 2", "no session_1, session_2, ... in it"),
        ("session_1, turn 2", "not a JSON object"),
        ("D1:2", "empty text"),
        ("session_2", "not a list of turns"),
    ]


def test_a_turn_without_an_id_is_found_by_its_place() -> None:
    content = json.dumps([sample(session_1=[{"speaker": "Ben", "text": "yes"}])])
    assert turns(content)[0].source == "session_1, turn 1"


def test_half_a_surrogate_pair_becomes_a_replacement_character() -> None:
    content = json.dumps([sample(session_1=[turn(1, "a\ud83d b \ud83d\ude00")])])
    assert said(content) == [("Anna", "a\ufffd b \U0001f600")]


def test_a_malformed_conversation_is_skipped_with_its_line_and_the_next_is_read() -> None:
    good = json.dumps(sample("b", session_1=[turn(1)]))
    content = '[\n{"sample_id": "a", "conversation":\n {"session_1": [oops]}},\n' + good + "]"
    assert events(content)[:2] == [
        Conversation("b", "locomo"),
        Skipped("conversation 1", "not JSON: Expecting value at line 3"),
    ]


def test_a_file_that_is_cut_off_keeps_what_came_before_and_names_the_line() -> None:
    whole = json.dumps([sample("a", session_1=[turn(1)]), sample("b", session_1=[turn(1)])], indent=1)
    found = []
    with pytest.raises(
        TranscriptError, match=r"chat\.json: line \d+: the file ends inside a value"
    ) as caught:
        for event in read_stream(io.BytesIO(whole[:-60].encode()), "chat.json"):
            found.append(event)  # noqa: PERF402
    assert [event.source for event in found if isinstance(event, Turn)] == ["D1:1"]
    assert "cut off" in caught.value.hint


def test_the_published_file_is_read_whole() -> None:
    named = os.environ.get("LOCALMEM_TEST_LOCOMO")
    if not named:
        pytest.skip("set LOCALMEM_TEST_LOCOMO to a LoCoMo JSON file")
    raw = json.loads(Path(named).read_text(encoding="utf-8"))
    expected = [
        turn["dia_id"]
        for one in raw
        for number in range(1, 100)
        for turn in one["conversation"].get(f"session_{number}", [])
    ]
    found = [event for event in read(Path(named)) if isinstance(event, Turn)]
    assert [turn.source for turn in found] == expected
    assert all(turn.at and turn.text and turn.speaker for turn in found)


def test_two_conversations_of_one_name_are_two_and_a_note_names_them() -> None:
    names = ["x", "x", "x (2)", "x", None, None]
    content = json.dumps([sample(name, session_1=[turn(1, f"{place}")]) for place, name in enumerate(names)])
    found = [event.name for event in events(content) if isinstance(event, Conversation)]
    assert len(set(found)) == 6
    assert found[:2] == ["x", "x (2)"]
    assert [note for note in notes(content) if "sample_id" in note] == [
        "3 conversations have the sample_id of another one: 'x' is 'x (2)' now, and so on"
    ]
