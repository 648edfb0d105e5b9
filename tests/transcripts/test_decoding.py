from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.transcripts.decoding import CHUNK, decode

from .helpers import notes, said


def decoded(data: bytes) -> tuple[str, list[str]]:
    found: list[str] = []
    return "".join(decode(io.BytesIO(data), found.append)), found


GERMAN = "Anna: Schöne Grüße aus Köln, es wäre nett, wenn du nächste Woche Zeit für uns hättest.\n" * 4
RUSSIAN = "Анна: Привет! Как дела? Я вчера вернулась из Москвы, там было очень холодно.\n" * 4


def test_utf8_needs_no_note() -> None:
    assert decoded((GERMAN + RUSSIAN).encode()) == (GERMAN + RUSSIAN, [])


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(GERMAN, "cp1252"), (RUSSIAN, "cp1251"), ("Anna: it’s “fine” – yes…\n" * 3, "cp1252")],
)
def test_a_legacy_encoding_is_read_and_noted(text: str, encoding: str) -> None:
    found, warnings = decoded(text.encode(encoding))
    assert found == text
    assert warnings == [f"not UTF-8; read as {encoding}, which is a guess"]


def test_a_legacy_encoding_far_into_an_ascii_file_is_found() -> None:
    text = "Anna: hello\n" * 40_000 + GERMAN
    assert len(text) > CHUNK
    assert decoded(text.encode("cp1252"))[0] == text


def test_a_stray_byte_in_utf8_becomes_a_replacement_character_with_one_note() -> None:
    found, warnings = decoded("Anna: Grüße, schön\n".encode() + b"Ben: a\xffb\xfe\n")
    assert found == "Anna: Grüße, schön\nBen: a\ufffdb\ufffd\n"
    assert warnings == ["some bytes are not valid utf-8; they became \ufffd"]


def test_a_replacement_character_of_the_writer_is_no_reason_for_a_note() -> None:
    assert decoded("Anna: a\ufffdb é\n".encode()) == ("Anna: a\ufffdb é\n", [])


def test_a_character_cut_at_a_chunk_border_is_whole() -> None:
    text = "é" + "a" * (CHUNK - 3) + "€" + "b" * 10
    assert decoded(text.encode()) == (text, [])


def test_a_character_cut_at_the_end_of_the_file_is_noted() -> None:
    found, warnings = decoded("Anna: schön, Grüße €".encode()[:-1])
    assert found.endswith("\ufffd")
    assert len(warnings) == 1


def test_a_line_break_cut_at_a_chunk_border_is_one() -> None:
    assert decoded(b"a" * (CHUNK - 1) + b"\r\nb")[0] == "a" * (CHUNK - 1) + "\nb"


def test_zero_bytes_are_removed() -> None:
    assert decoded(b"Anna: a\0b and so on, long enough\n")[0] == "Anna: ab and so on, long enough\n"


@given(text=st.text(st.characters(exclude_characters="\0\r\ufeff", exclude_categories=["Cs"])))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_in_unicode_comes_back_as_it_was(encoding: str, text: str) -> None:
    assert decoded(text.encode(encoding)) == (text, [])


def test_the_note_reaches_the_reader() -> None:
    content = "Anna: Schöne Grüße\nBen: Danke schön\nAnna: Tschüß\n".encode("cp1252")
    assert said(content)[0] == ("Anna", "Schöne Grüße")
    assert notes(content)[0].startswith("not UTF-8; read as ")
