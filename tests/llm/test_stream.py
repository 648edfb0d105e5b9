"""Bytes of tokens become text without half characters."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from localmem.llm.stream import TextStream


@given(st.text(), st.lists(st.integers(0, 40)))
def test_any_split_of_the_bytes_gives_the_same_text(text: str, cuts: list[int]) -> None:
    raw = text.encode("utf-8", "replace")
    shown: list[str] = []
    stream = TextStream(shown.append)
    edges = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    for begin, end in pairwise(edges):
        stream.feed(raw[begin:end])
    assert stream.close() == raw.decode() == "".join(shown)


def test_a_character_split_over_tokens_is_shown_when_it_is_whole() -> None:
    shown: list[str] = []
    stream = TextStream(shown.append)
    for byte in "é".encode():
        assert shown == []
        stream.feed(bytes([byte]))
    assert shown == ["é"]


def test_a_character_that_never_ends_is_replaced_at_the_end() -> None:
    stream = TextStream()
    stream.feed(b"ok " + "é".encode()[:1])
    assert stream.text == "ok "
    assert stream.close() == "ok �"


def test_empty_pieces_are_not_shown() -> None:
    shown: list[str] = []
    TextStream(shown.append).feed(b"")
    assert shown == []
