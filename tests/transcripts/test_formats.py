from __future__ import annotations

import io
from pathlib import Path

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import FORMATS, Conversation, Format, Note, Skipped, Turn, detect, read, read_stream
from localmem.transcripts.source import SAMPLE

from .helpers import SPEAKERS, VALID, events, turns


def test_every_format_has_a_row_and_an_example() -> None:
    assert set(FORMATS) == set(Format) == set(VALID)


def test_the_readme_lists_every_format_as_the_help_does() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    rows = [f"| `{format.value}` | {format.description} |" for format in Format]
    assert "\n".join(rows) in readme


@pytest.mark.parametrize("format", list(Format))
class TestEveryFormat:
    def test_is_described_in_one_line(self, format: Format) -> None:
        assert format.description.strip()
        assert "\n" not in format.description

    def test_is_found_by_content_whatever_the_name(self, format: Format) -> None:
        found, reason = detect(VALID[format].encode(), "unnamed")
        assert found is format
        assert reason

    def test_starts_with_a_conversation_that_names_the_format(self, format: Format) -> None:
        first = events(VALID[format])[0]
        assert isinstance(first, Conversation)
        assert first.format == format.value

    def test_gives_speakers_and_texts_in_order(self, format: Format) -> None:
        found = turns(VALID[format])
        assert [turn.speaker for turn in found[:2]] == SPEAKERS.get(format, ["Anna", "Ben"])
        assert found[0].text == "I adopted a dog."

    def test_gives_every_turn_a_source(self, format: Format) -> None:
        assert all(turn.source for turn in turns(VALID[format]))

    @pytest.mark.parametrize("newline", ["\r\n", "\r"])
    def test_reads_any_line_ending(self, format: Format, newline: str) -> None:
        assert turns(VALID[format].replace("\n", newline)) == turns(VALID[format])

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_reads_unicode_encodings(self, format: Format, encoding: str) -> None:
        content = VALID[format].replace("a dog", "a dög")
        assert turns(content.encode(encoding)) == turns(content)

    def test_reads_from_a_pipe_that_gives_few_bytes_at_a_time(self, format: Format) -> None:
        class Pipe(io.RawIOBase):
            def __init__(self, data: bytes) -> None:
                self.data = data

            def readable(self) -> bool:
                return True

            def seekable(self) -> bool:
                return False

            def read(self, size: int = -1) -> bytes:
                given, self.data = self.data[:7], self.data[7:]
                return given

        found = list(read_stream(Pipe(VALID[format].encode()), "-"))  # type: ignore[arg-type]
        assert [event for event in found if isinstance(event, Turn)] == turns(VALID[format])

    def test_an_empty_file_is_an_error(self, format: Format) -> None:
        with pytest.raises(TranscriptError, match=r"chat\.txt: the file is empty"):
            events(" \n\n", format)

    def test_a_file_of_nothing_but_broken_pieces_is_an_error_with_a_line(self, format: Format) -> None:
        junk = {
            Format.WEBVTT: "WEBVTT\n\n00:xx --> 00:02\nhello\n",
            Format.LOCOMO: '[{"session_1": 5, "conversation": 3}]',
            Format.JSONL: "{nope\n{nope\n",
            Format.CSV: "speaker,text\nAnna,\n",
            Format.CHATGPT: '[{"title": 5, "mapping": {"a": {"parent": 3, "message": {"author": {"role": "user"}, "content": 7}}}}]',
            Format.CLAUDE: '[{"chat_messages": [{"text": null}, 5]}]',
            Format.SLACK: '[{"ts": "1741113120.000100", "user": "U1"}, {"ts": 5, "text": "x", "subtype": "channel_join"}]',
            Format.DISCORD: '{"guild": {}, "messages": [{"author": 5}, 7, {"type": "Call", "content": "x"}]}',
            Format.TELEGRAM: '{"messages": [{"text": null, "from_id": 5}, 7, {"type": "service", "text": "x"}]}',
            Format.SRT: "1\n00:00:01,000 --> 00:00:02,000\n\n",
            Format.WHISPER: '{"segments": [{"start": 0, "text": []}, 5]}',
            Format.OTTER: "Anna  0:00\n\nBen  0:10\n\n",
            Format.PLAIN: "Anna:\n\nBen:\n",
            Format.WHATSAPP: "20/01/19, 11:25 - Anna left\n20/01/19, 11:26 - Ben left\n",
        }[format]
        with pytest.raises(TranscriptError, match=r"^chat\.txt: .*; no turn could be read") as caught:
            events(junk, format)
        assert caught.value.hint


NOTES = [
    "Once upon a time there was a letter.\nIt had no speakers.\n",
    "# Garden\n\nTomatoes planted on 3 May.\n\n- order copper tape\n",
    'import sys\n\n\ndef main():\n    print("hi")\n',
    "From: anna@example.com\nTo: ben@example.com\nSubject: lunch\n\nHi Ben,\nlunch at noon.\n",
    '[{"title": "Trip", "mapping": {}}]',
]


@pytest.mark.parametrize("content", NOTES)
def test_where_no_format_fits_the_hint_says_what_is_read_and_that_speakers_are_needed(content: str) -> None:
    with pytest.raises(TranscriptError, match=r"no known format fits$") as caught:
        events(content)
    for kind in ("Speaker: text", *Format, "needs speakers", "Markdown"):
        assert kind in caught.value.hint
    assert "--format" not in caught.value.hint
    assert "\n" not in caught.value.hint


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n...", "a PDF file"),
        (b"\x1f\x8b\x08\x00rest", "a gzip file"),
        (b"<!DOCTYPE html><title>x</title>", "a web page"),
        (bytes(range(1, 9)) * 40, "a binary file"),
    ],
)
def test_a_file_that_is_no_text_is_named_for_what_it_is(data: bytes, kind: str) -> None:
    with pytest.raises(TranscriptError, match=f"this is {kind}"):
        events(data)


def test_a_first_message_that_the_head_cuts_off_is_found() -> None:
    assert detect(b'{"role": "user", "content": "' + b"x" * SAMPLE, "x")[0] is Format.JSONL


def test_an_exported_memory_is_no_transcript() -> None:
    with pytest.raises(TranscriptError, match="this is an exported memory") as caught:
        events(
            '{"row": "memory", "format": "localmem-memory", "version": 2}\n'
            '{"row": "turn", "speaker": "Ann", "text": "Hello."}\n'
        )
    assert "localmem import" in caught.value.hint


def test_a_settings_file_is_no_transcript() -> None:
    with pytest.raises(TranscriptError, match="no known format fits") as caught:
        events("host: a\nport: 1\nuser: b\npath: c\nmode: d\nsize: 2\nname: e\n")
    assert "--format plain" in caught.value.hint


def test_a_format_can_be_forced() -> None:
    assert turns("host: a\nport: 1\n", Format.PLAIN)[1].speaker == "port"


def test_a_file_is_read_by_path_and_names_its_conversation(tmp_path: Path) -> None:
    path = tmp_path / "Anna & Ben.txt"
    path.write_text(VALID[Format.PLAIN], encoding="utf-8")
    assert next(iter(read(path))) == Conversation("Anna & Ben", "plain")


def test_stdin_names_its_conversation_so() -> None:
    assert events(VALID[Format.PLAIN], name="-")[0] == Conversation("stdin", "plain")


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match=r"gone\.txt: No such file"):
        list(read(tmp_path / "gone.txt"))


def test_a_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="Is a directory"):
        list(read(tmp_path))


def test_a_stream_that_fails_is_a_transcript_error_and_keeps_what_came() -> None:
    class Failing(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if data := super().read(size):
                return data
            raise OSError(5, "Input/output error")

    line = "Anna: " + "word " * 100 + "\n"
    found = []
    with pytest.raises(TranscriptError, match="Input/output error"):
        for event in read_stream(Failing((line * 2000).encode()), "chat.txt"):
            found.append(event)  # noqa: PERF402
    assert sum(isinstance(event, Turn) for event in found) > 400


def test_what_was_skipped_first_comes_after_its_conversation() -> None:
    found = events('{"text": ""}\n{"text": "hello", "conversation": "c1"}\n')
    assert found[:2] == [Conversation("c1", "jsonl"), Skipped("line 1", "empty text")]


def test_missing_times_are_noted_once_with_their_number() -> None:
    found = events('{"text": "a", "time": "2025-03-04"}\n{"text": "b"}\n{"text": "c"}\n')
    assert [event for event in found if isinstance(event, Note) and not event.minor] == [
        Note("2 of 3 turns have no time, so relative dates in it cannot be resolved")
    ]


def test_a_big_file_read_as_the_wrong_format_is_given_up_early() -> None:
    lines = 0

    class Lines(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            nonlocal lines
            lines += 100
            return b"no message\n" * 100 if lines < 1_000_000 else b""

    with pytest.raises(TranscriptError, match=r"line 1: not JSON: .*; no turn could be read"):
        list(read_stream(Lines(), "chat.txt", format=Format.JSONL))  # type: ignore[arg-type]
    assert lines < 100_000
