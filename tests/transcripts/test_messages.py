"""JSONL, arrays of JSON messages, and CSV."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.errors import TranscriptError
from localmem.transcripts import Conversation, Event, Format, Note, Turn, read_stream
from localmem.transcripts.source import SAMPLE

from .helpers import events, notes, said, skipped, turns


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    "speaker", ["speaker", "role", "author", "name", "from", "sender", "user", "Speaker", "ROLE"]
)
@pytest.mark.parametrize("text", ["text", "content", "message", "body", "msg", "Text"])
def test_fields_go_by_many_names(speaker: str, text: str) -> None:
    assert said(lines({speaker: "Anna", text: "hi"})) == [("Anna", "hi")]
    assert said(f"{speaker},{text}\nAnna,hi\n") == [("Anna", "hi")]


@pytest.mark.parametrize("field", ["timestamp", "time", "date", "datetime", "ts", "created_at", "at"])
def test_times_go_by_many_names(field: str) -> None:
    assert turns(lines({"text": "hi", field: 1741113120}))[0].at == datetime(2025, 3, 4, 18, 32, tzinfo=UTC)
    assert turns(f"text,{field}\nhi,2025-03-04 18:32\n")[0].at == datetime(2025, 3, 4, 18, 32)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "hi"),
        (["a", "b"], "a\nb"),
        ([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}}], "a\n[image]"),
        ({"parts": ["a", {"type": "text", "text": {"value": "b"}}, None]}, "a\nb"),
        ({"text": "a"}, "a"),
        ({"content_type": "image_asset_pointer", "asset_pointer": "x"}, "[image]"),
        ([{"type": "input_audio"}], "[audio]"),
        (5, "5"),
        ("a\u0007b\r\nc\u2028d\te", "ab\nc\nd\te"),
        ("\ud83d half", "\ufffd half"),
    ],
)
def test_content_may_be_text_parts_or_media(content: object, text: str) -> None:
    assert said(lines({"role": "user", "content": content})) == [("user", text)]


@pytest.mark.parametrize(
    "content", ["", "  ", None, [], {}, [{"type": "text", "text": ""}], True, {"x": "y"}]
)
def test_a_message_without_text_is_reported(content: object) -> None:
    found = lines({"role": "a", "content": content}, {"role": "b", "content": "yes"})
    assert skipped(found) == [("line 1", "empty text")]
    assert said(found) == [("b", "yes")]


def test_a_second_text_field_stands_in_for_an_empty_first() -> None:
    assert said(lines({"sender": "a", "text": "", "content": [{"type": "text", "text": "yes"}]})) == [
        ("a", "yes")
    ]


def test_a_name_is_more_than_a_role_and_may_be_an_object() -> None:
    assert said(
        lines({"role": "user", "name": "Anna", "text": "a"}, {"author": {"role": "tool"}, "text": "b"})
    ) == [
        ("Anna", "a"),
        ("tool", "b"),
    ]


def test_without_a_speaker_it_is_unknown() -> None:
    assert said(lines({"text": "a"}, {"text": "b", "name": None})) == [("Unknown", "a"), ("Unknown", "b")]


def test_the_source_is_the_id_or_else_the_line() -> None:
    content = lines({"text": "a", "id": "m1"}, {"text": "b", "message_id": 7}, {"text": "c"})
    assert [turn.source for turn in turns(content)] == ["m1", "7", "line 3"]


def test_in_an_array_the_source_is_the_place() -> None:
    assert [turn.source for turn in turns(json.dumps([{"text": "a"}, {"text": "b"}]))] == [
        "message 1",
        "message 2",
    ]


@pytest.mark.parametrize("field", ["session", "thread_id", "chat"])
def test_a_thread_is_the_session_of_its_turns(field: str) -> None:
    content = lines({"text": "a", field: "t1"}, {"text": "b", field: "t2"})
    assert [turn.session for turn in turns(content)] == ["t1", "t2"]
    assert sum(isinstance(event, Conversation) for event in events(content)) == 1


def test_interleaved_conversations_are_reopened_by_name() -> None:
    content = lines(
        {"text": "1", "conversation_id": "a"},
        {"text": "2", "conversation_id": "b"},
        {"text": "3", "conversation_id": "a"},
        {"text": "4", "conversation_id": "a"},
        {"text": "5"},
    )
    told = [event for event in events(content) if not isinstance(event, Note)]
    found = [event.name if isinstance(event, Conversation) else event.text for event in told]  # type: ignore[union-attr]
    assert found == ["a", "1", "b", "2", "a", "3", "4", "chat", "5"]


def test_a_time_that_cannot_be_read_is_noted_once() -> None:
    content = lines({"text": "a", "time": "soon"}, {"text": "b", "time": "later"}, {"text": "c", "time": ""})
    assert notes(content)[0] == ("2 times could not be read as a date, first 'soon' at line 1")


def test_bad_lines_in_the_middle_are_reported_and_the_others_go_on() -> None:
    content = lines({"text": "a"}) + '{"text": "b\n5\n[]\n\n' + lines({"other": 1}, {"text": "c"})
    assert [text for _, text in said(content)] == ["a", "c"]
    assert [where for where, _ in skipped(content)] == ["line 2", "line 3", "line 4", "line 6"]
    assert skipped(content)[0][1].startswith("not JSON: Unterminated string")
    assert skipped(content)[3][1] == "no text field (text, content, message, body, msg)"


def test_bad_elements_of_an_array_are_reported_and_the_others_go_on() -> None:
    content = '[{"text": "a"}, {bad: 1}, 5 "x", }, nope, {"text": "b", "x": [1, "]"]}]'
    assert [text for _, text in said(content)] == ["a", "b"]
    assert len(skipped(content)) == 5


def test_a_deeply_nested_line_and_an_endless_number_are_reported() -> None:
    content = (
        lines({"text": "a"})
        + '{"text": '
        + "[" * 5000
        + "\n"
        + '{"text": '
        + "9" * 5000
        + "}\n"
        + lines({"text": "b"})
    )
    assert [text for _, text in said(content)] == ["a", "b"]
    assert [where for where, _ in skipped(content)] == ["line 2", "line 3"]


def test_an_array_that_is_cut_off_keeps_what_came() -> None:
    content = json.dumps([{"text": "a"}, {"text": "b"}, {"text": "c"}])[:-8]
    found: list[Event] = []
    with pytest.raises(TranscriptError, match=r"line 1: the file ends inside a value"):
        for event in read_stream(io.BytesIO(content.encode()), "chat.json"):
            found.append(event)  # noqa: PERF402
    assert [event.text for event in found if isinstance(event, Turn)] == ["a", "b"]


def test_a_message_of_more_than_a_million_characters_is_skipped() -> None:
    content = lines({"text": "a"}, {"text": "x" * 1_000_001}, {"text": "y" * 3_000_000}, {"text": "b"})
    assert [text for _, text in said(content)] == ["a", "b"]
    assert [where for where, _ in skipped(content)] == ["line 2", "line 3"]
    array = json.dumps([json.loads(line) for line in content.splitlines()])
    assert [text for _, text in said(array)] == ["a", "b"]
    assert [where for where, _ in skipped(array)] == ["message 2", "message 3"]


@pytest.mark.parametrize("wrap", ["{}", "[{}]"])
def test_a_first_message_longer_than_the_sample_is_found(wrap: str) -> None:
    text = "x" * (SAMPLE + 10)
    assert said(wrap.replace("{}", json.dumps({"role": "a", "content": text}))) == [("a", text)]


HELD = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]


def named(content: str) -> list[tuple[str, str]]:
    """Conversation and text of every turn."""
    found, name = [], ""
    for event in events(content):
        if isinstance(event, Conversation):
            name = event.name
        elif isinstance(event, Turn):
            found.append((name, event.text))
    return found


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("wrap", ["{}", "[{}]", "[{}, {}]"])
def test_an_object_may_hold_the_messages(indent: int | None, wrap: str) -> None:
    content = wrap.replace("{}", json.dumps({"messages": HELD, "model": "m"}, indent=indent))
    assert said(content) == [("user", "hi"), ("assistant", "hello")] * wrap.count("{}")


def test_objects_that_hold_messages_may_stand_one_a_line() -> None:
    content = lines({"messages": HELD}, {"messages": [*HELD, 5]}, {"messages": []})
    assert named(content) == [("chat", "hi"), ("chat", "hello"), ("chat 2", "hi"), ("chat 2", "hello")]
    assert skipped(content) == [("line 2, message 3", "not a JSON object")]
    assert [turn.source for turn in turns(content)][-1] == "line 2, message 2"


def test_an_object_that_holds_messages_names_its_conversation() -> None:
    content = lines(
        {"title": "Trip", "id": 7, "messages": HELD[:1]},
        {"id": "c2", "messages": HELD[:1]},
        {"title": "Trip", "id": "c3", "messages": HELD[:1]},
        {"title": "Trip", "messages": HELD[:1]},
    )
    assert [name for name, _ in named(content)] == ["Trip", "c2", "Trip c3", "Trip 4"]


def test_a_conversation_longer_than_the_sample_is_found() -> None:
    messages = [{"role": "user", "content": f"{number} " + "x" * 1000} for number in range(3000)]
    for indent in (None, 1):
        assert len(turns(json.dumps({"messages": messages}, indent=indent))) == 3000


@given(st.lists(st.text(min_size=1), min_size=1))
@pytest.mark.parametrize("indent", [None, 1])
def test_an_array_gives_what_the_json_module_gives(indent: int | None, texts: list[str]) -> None:
    content = json.dumps([{"text": f"<{text}>"} for text in texts], indent=indent)
    assert [turn.text for turn in turns(content, Format.JSONL)] == [
        turn.text for turn in turns(lines(*json.loads(content)), Format.JSONL)
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_table_may_be_cut_at_these(delimiter: str) -> None:
    content = "date,name,message\n2025-03-04,Anna,hi\n".replace(",", delimiter)
    assert turns(content) == [Turn("Anna", "hi", datetime(2025, 3, 4), "line 2")]


def test_a_quoted_field_may_have_delimiters_quotes_and_newlines() -> None:
    content = 'speaker,text,id\nAnna,"a, ""b""\nc",x\nBen,d,\n'
    assert [(turn.text, turn.source) for turn in turns(content)] == [('a, "b"\nc', "x"), ("d", "line 4")]


def test_the_separator_line_of_spreadsheets_is_skipped() -> None:
    assert said("\ufeffsep=;\r\nName;Text\r\nAnna;hi\r\n".encode()) == [("Anna", "hi")]


def test_a_table_without_a_text_column_names_the_columns_that_are_wanted() -> None:
    with pytest.raises(
        TranscriptError, match=r"line 1: no column for the text in the header \(a, b\)"
    ) as caught:
        events("a,b\n1,2\n", Format.CSV)
    assert "speaker" in caught.value.hint
    assert "content" in caught.value.hint


@pytest.mark.parametrize(
    "header",
    [
        "Datum;Absender;Nachricht",
        "Fecha;Autor;Mensaje",
        "Zeit;Name;Text",
        "Fecha;De;Texto",
        "Datum;Von;Inhalt",
    ],
)
def test_a_header_may_be_german_or_spanish(header: str) -> None:
    assert turns(f"{header}\n2025-02-01 09:00;Kunde;Hallo\n") == [
        Turn("Kunde", "Hallo", datetime(2025, 2, 1, 9), "line 2")
    ]


@pytest.mark.parametrize("header", ["Datum;Uhrzeit", "Fecha;Hora", "date;time", "Uhrzeit;Datum", "time;date"])
def test_a_date_and_a_clock_in_two_columns_are_one_time(header: str) -> None:
    cells = "01.02.2025;09:05" if header[0] in "DFd" else "09:05;01.02.2025"
    assert turns(f"{header};Name;Text\n{cells};Anna;hi\n")[0].at == datetime(2025, 2, 1, 9, 5)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("a,b\n1,2\n", "table.csv"),
        ("04/03/2025;Ann;the code is 12\n05/03/2025;Bob;ok\n", "chat.txt"),
        ("id\twho\twhat\n1\tAnn\thi\n", "chat.txt"),
        ("id,who,what\n1,Ann,hi\n", "-"),
    ],
)
def test_a_table_that_is_found_by_content_names_the_columns_that_are_wanted(content: str, name: str) -> None:
    with pytest.raises(TranscriptError, match="no column for the text") as caught:
        events(content, name=name)
    assert "speaker" in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [
        "Dear Ann, yesterday, after lunch, I left.\nIt rained, it snowed, it froze, it stopped.\n",
        "import sys,os,re\nprint(1)\nprint(1,2,3)\n",
        "one,two,three\n",
    ],
)
def test_text_with_commas_is_no_table(content: str) -> None:
    with pytest.raises(TranscriptError, match="no known format fits"):
        events(content)


def test_rows_that_do_not_fit_the_header_are_reported() -> None:
    content = "speaker,text,time\nAnna,a,\nBen\nAnna,b,,x\n\n,,\nBen,c\n"
    assert [text for _, text in said(content)] == ["a", "c"]
    assert skipped(content) == [
        ("line 3", "only 1 of 3 fields"),
        ("line 4", "4 fields, but the header has 3 columns"),
    ]


def test_delimiters_in_an_unquoted_last_column_belong_to_the_text() -> None:
    assert said("speaker,text\nAnna,well, yes, no\n") == [("Anna", "well, yes, no")]


@pytest.mark.parametrize(
    "end", ["", "Dee,d\n", 'Dee,"d"\n', 'Dee,"d"\n' * 20_000, f"Dee,{'d' * 99}\n" * 12_000]
)
def test_a_quote_that_is_never_closed_does_not_swallow_the_rest(end: str) -> None:
    found = said(f'speaker,text\nAnna,a\nBen,"never closed\nCleo,c\n{end}')
    assert found[:3] == [("Anna", "a"), ("Ben", "never closed"), ("Cleo", "c")]
    assert len(found) == 3 + end.count("\n")


def test_text_behind_a_closing_quote_is_kept() -> None:
    assert said('speaker,text\nAnna,"a" b\nBen,c\n') == [("Anna", "a b"), ("Ben", "c")]


def test_a_field_longer_than_the_csv_module_allows_by_itself_is_read() -> None:
    assert said("speaker,text\nAnna," + "x" * 500_000 + "\n") == [("Anna", "x" * 500_000)]


def test_a_field_of_more_than_a_million_characters_is_skipped() -> None:
    content = "speaker,text\nAnna," + "x" * 1_500_000 + "\nBen," + "y" * 3_000_000 + "\nCleo,c\n"
    assert said(content) == [("Cleo", "c")]
    assert [where for where, _ in skipped(content)] == ["line 2", "line 3"]


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), min_size=1))
def test_what_the_csv_module_writes_comes_back(texts: list[str]) -> None:
    import csv

    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["speaker", "text"])
    writer.writerows(["Anna", text] for text in texts)
    assert [text for _, text in said(out.getvalue(), Format.CSV)] == texts
