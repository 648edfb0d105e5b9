"""Zips: read as streams, nothing extracted, and nothing taken of one that was made to do harm."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.errors import TranscriptError
from localmem.transcripts import (
    Conversation,
    Event,
    Format,
    Note,
    Skipped,
    Turn,
    archive,
    expand,
    read,
    read_stream,
)

from .helpers import VALID, details, events, turns

TALK = VALID[Format.PLAIN]


def zipped(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return made.getvalue()


def why(data: bytes, **more: Any) -> str:
    """The one line of the error."""
    with pytest.raises(TranscriptError) as caught:
        list(read_stream(io.BytesIO(data), "export.zip", **more))
    assert caught.value.hint
    assert "\n" not in str(caught.value) + caught.value.hint
    return str(caught.value)


@pytest.mark.parametrize("format", list(Format))
def test_every_format_is_read_from_a_zip(format: Format) -> None:
    assert turns(zipped({"one.txt": VALID[format]})) == turns(VALID[format])


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_every_usual_packing_is_read(method: int) -> None:
    assert turns(zipped({"one.txt": TALK}, method)) == turns(TALK)


def test_a_zip_from_a_pipe_is_read() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    found = list(read_stream(Pipe(zipped({"one.txt": TALK})), "-"))
    assert [event for event in found if isinstance(event, Turn)] == turns(TALK)


def test_every_transcript_of_a_zip_is_a_conversation() -> None:
    made = zipped(
        {"b/talk.txt": TALK, "a/talk.txt": TALK, "notes.md": "# Garden\n\nTomatoes.\n", "x.png": b"\x89PNG"}
    )
    names = [event.name for event in events(made, name="export.zip") if isinstance(event, Conversation)]
    assert names == ["talk", "talk (2)"]
    assert any(detail.startswith("not read: notes.md: no known format fits") for detail in details(made))


def test_of_many_texts_that_are_none_the_first_are_told() -> None:
    made = zipped({"talk.txt": TALK, **{f"{number}.md": "notes\n" for number in range(9)}})
    assert "not read: 4 more texts" in details(made)


def test_a_transcript_that_breaks_off_does_not_cost_the_others() -> None:
    cut = VALID[Format.CHATGPT]
    found = events(zipped({"a.json": cut[:-5], "b.json": cut}), name="export.zip")
    assert sum(isinstance(event, Turn) for event in found) == 2
    assert [(one.where, one.reason) for one in found if isinstance(one, Skipped)] == [
        ("a.json", "line 1: the file ends inside a value that begins here")
    ]


@pytest.mark.parametrize(
    "name", ["../x.txt", "a/../../x.txt", "/etc/x.txt", "C:\\x.txt", "..\\x.txt", "a\\..\\..\\x.txt"]
)
def test_a_path_that_climbs_out_is_an_error_and_nothing_is_taken(name: str, tmp_path: Path) -> None:
    assert "leads out of it" in why(zipped({"good.txt": TALK, name: TALK}))
    assert not list(tmp_path.iterdir())


def test_a_text_that_grows_beyond_all_measure_is_a_bomb() -> None:
    message = why(zipped({"good.txt": TALK, "zeros.json": b"0" * (archive.MAX_BYTES_UNRATED + 1)}))
    assert "'zeros.json' grows" in message


def test_a_picture_may_have_any_ratio() -> None:
    made = zipped({"good.txt": TALK, "white.bmp": b"0" * (archive.MAX_BYTES_UNRATED + 1)})
    assert turns(made) == turns(TALK)


def test_too_many_files_are_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 2)
    assert "it has 3 files" in why(zipped({"a.txt": TALK, "b.jpg": b"", "c.jpg": b""}))


def test_too_much_text_is_a_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 100)
    assert "GB of text" in why(zipped({"a.txt": TALK, "b.txt": TALK}))


def test_a_file_never_gives_more_than_the_zip_says() -> None:
    made = zipped({"a.txt": "Anna: hi\nBen: ho\n" * 1000}, zipfile.ZIP_DEFLATED)
    size = (17 * 1000).to_bytes(4, "little")
    assert "the zip is broken" in why(made.replace(size, (170).to_bytes(4, "little")))


def test_a_file_without_a_name_is_left_out() -> None:
    made = bytearray(zipped({"x": TALK, "good.txt": TALK}))
    made[made.index(b"PK\x01\x02") + 46] = 0  # where a name ends
    assert turns(bytes(made)) == turns(TALK)


def test_an_encrypted_zip_is_an_error_that_says_so() -> None:
    made = bytearray(zipped({"a.txt": TALK}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        made[made.index(signature) + offset] |= 1
    assert why(bytes(made)) == "export.zip: the zip is encrypted"


@pytest.mark.parametrize("keep", [10, 60, -30])
def test_a_broken_zip_is_an_error_that_says_so(keep: int) -> None:
    assert "the zip is broken" in why(zipped({"a.txt": TALK})[:keep])


def test_damage_inside_a_text_is_an_error_that_names_it() -> None:
    made = bytearray(zipped({"a.txt": TALK}))
    made[40] ^= 0xFF
    assert why(bytes(made)).startswith("export.zip: no transcript in this archive (a.txt: the zip is broken")


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({}, "there is no text in this archive"),
        (
            {"a.jpg": b"x", "b.zip": b"PK", "__MACOSX/._a.txt": TALK, ".hidden.txt": TALK},
            "there is no text in",
        ),
        ({"a.md": "notes\n"}, "no transcript in this archive"),
        ({"a.md": "notes\n", "b.md": "notes\n"}, "no transcript in this archive; 2 texts were looked at"),
    ],
)
def test_a_zip_without_a_transcript_is_an_error(members: dict[str, str | bytes], reason: str) -> None:
    assert reason in why(zipped(members))


@pytest.mark.parametrize(
    ("format", "beside"),
    [
        (Format.CHATGPT, {"chat.html": "<html>", "message_feedback.json": '[{"id": "f", "content": "{}"}]'}),
        (Format.CLAUDE, {"users.json": '[{"name": "Anna", "text": "x"}]', "projects.json": "[]"}),
    ],
)
def test_an_unpacked_export_is_read_as_its_zip_is(
    format: Format, beside: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "export"
    folder.mkdir()
    for name, text in {"conversations.json": VALID[format], **beside}.items():
        (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "conversations.json").write_text(VALID[format], encoding="utf-8")  # alone it is a file
    assert expand([str(tmp_path)]) == [tmp_path / "conversations.json", folder]
    assert [event for event in read(folder) if isinstance(event, Turn)] == turns(VALID[format])


def test_a_document_is_named_for_what_it_is() -> None:
    with pytest.raises(TranscriptError, match="this is a document, not a transcript"):
        events(zipped({"[Content_Types].xml": "<x/>", "word/document.xml": "<x/>"}), name="letter.docx")


def test_an_export_that_begins_with_thousands_of_joins_is_read_to_its_end() -> None:
    joins = json.dumps([{"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1"}] * 11_000)
    made = {
        "users.json": "[]",
        "channels.json": "[]",
        "a/2025-03-04.json": joins,
        "b/2025-03-04.json": VALID[Format.SLACK],
    }
    assert len(turns(zipped(made))) == 2


def test_a_format_that_is_named_picks_its_texts() -> None:
    made = zipped({"a.txt": TALK, "b.vtt": VALID[Format.WEBVTT]})
    assert turns(made, Format.WEBVTT) == turns(VALID[Format.WEBVTT])
    assert "no text of the format slack in this archive" in why(made, format=Format.SLACK)
    forced = zipped({"a.txt": "host: a\nport: 1\nuser: b\npath: c\nmode: d\nsize: 2\nname: e\n"})
    assert len(turns(forced, Format.PLAIN)) == 7


def check(found: list[Event]) -> None:
    if any(isinstance(event, Turn) for event in found):
        first = next(event for event in found if not isinstance(event, Note | Skipped))
        assert isinstance(first, Conversation)


@given(data=st.data())
def test_a_damaged_zip_gives_events_or_a_transcript_error(data: st.DataObject) -> None:
    made = bytearray(zipped({"a.txt": TALK, "b.json": VALID[Format.CHATGPT]}))
    for _ in range(data.draw(st.integers(1, 6))):
        made[data.draw(st.integers(4, len(made) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, 40))
    try:
        check(list(read_stream(io.BytesIO(bytes(made[: len(made) - cut])), "x.zip")))
    except TranscriptError as error:
        assert "\n" not in str(error)
