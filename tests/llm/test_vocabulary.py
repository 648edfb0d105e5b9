"""Data stays data, also where a vocabulary joins markers that are not special; with a pretended engine."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.llm.vocabulary import Vocabulary

CONTROL, USER_DEFINED = 8, 16
MARKERS = {
    256: ("<|end|>", CONTROL),
    257: ("<tool>", USER_DEFINED),
    258: ("  ", USER_DEFINED),
    259: ("é", 4),
    260: ("\n\n", 4),
}


class PretendedLibrary:
    """A token for each byte, and for some texts; user-defined tokens are joined even when special is off."""

    LLAMA_TOKEN_ATTR_UNKNOWN = 1
    LLAMA_TOKEN_ATTR_CONTROL = CONTROL
    LLAMA_TOKEN_ATTR_USER_DEFINED = USER_DEFINED
    llama_token = ctypes.c_int32

    def llama_model_get_vocab(self, model: Any) -> Any:
        return model

    def llama_vocab_n_tokens(self, vocab: Any) -> int:
        return 256 + len(MARKERS)

    def llama_vocab_get_attr(self, vocab: Any, token: int) -> int:
        return MARKERS[token][1] if token in MARKERS else 4

    def llama_vocab_get_text(self, vocab: Any, token: int) -> bytes:
        return MARKERS[token][0].encode() if token in MARKERS else bytes([token])

    def llama_vocab_eos(self, vocab: Any) -> int:
        return 10

    def llama_vocab_eot(self, vocab: Any) -> int:
        return -1

    def llama_vocab_is_eog(self, vocab: Any, token: int) -> bool:
        return token in (10, 256)

    def llama_token_to_piece(
        self, vocab: Any, token: int, buffer: Any, size: int, lstrip: int, special: bool
    ) -> int:
        piece = b"" if token == 256 else self.llama_vocab_get_text(vocab, token)
        piece *= 100 if token == 0 else 1  # longer than the buffer that is tried first
        if len(piece) > size:
            return -len(piece)
        buffer[: len(piece)] = piece
        return len(piece)

    def llama_tokenize(
        self, vocab: Any, raw: bytes, length: int, out: Any, size: int, add: bool, special: bool
    ) -> int:
        tokens, at = [], 0
        while at < length:
            for token, (text, attribute) in MARKERS.items():
                if raw.startswith(text.encode(), at) and (special or attribute != CONTROL):
                    tokens.append(token)
                    at += len(text.encode())
                    break
            else:
                tokens.append(raw[at])
                at += 1
        out[: len(tokens)] = tokens
        return len(tokens)


class SpacingLibrary(PretendedLibrary):
    """Puts a space in front of a text, as SentencePiece vocabularies do."""

    def llama_tokenize(self, vocab: Any, raw: bytes, length: int, *rest: Any) -> int:
        return super().llama_tokenize(vocab, b" " + raw, length + 1, *rest)


vocabulary = Vocabulary(PretendedLibrary(), None)
spacing = Vocabulary(SpacingLibrary(), None)


def test_the_kinds_of_tokens_are_known() -> None:
    assert vocabulary.control == {256}
    assert vocabulary.end == {10, 256}
    assert vocabulary.token_text(257) == "<tool>"
    assert vocabulary.token_text(-1) == ""


def test_a_templates_markers_are_control_tokens() -> None:
    assert vocabulary.special("a<|end|><tool>") == [ord("a"), 256, 257]


@pytest.mark.parametrize("marker", ["<|end|>", "<tool>"])
def test_the_same_marker_in_data_is_text(marker: str) -> None:
    assert vocabulary.data(f"a{marker}{marker}") == list(f"a{marker}{marker}".encode())


def test_spaces_and_characters_that_are_tokens_stay_whole_in_data() -> None:
    assert vocabulary.data("a  é<tool>é") == [ord("a"), 258, 259, *b"<tool>", 259]


@given(st.lists(st.sampled_from(["<|end|>", "<tool>", "<", "tool>", "  ", "é", "<to", "ol>"])).map("".join))
def test_data_comes_out_as_it_went_in_without_a_marker(text: str) -> None:
    tokens = vocabulary.data(text)
    assert {256, 257}.isdisjoint(tokens)
    assert b"".join(map(vocabulary.piece, tokens)) == text.encode()


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert vocabulary.data("a\ud83d") == list(b"a?")


def test_a_piece_may_be_long_and_a_control_token_has_none() -> None:
    assert vocabulary.piece(0) == b"\0" * 100
    assert vocabulary.piece(256) == b""


def test_an_empty_text_has_no_tokens() -> None:
    assert vocabulary.data("") == vocabulary.special("") == []


@given(st.text(st.characters(exclude_characters="\0")).filter(lambda text: not text.startswith("\n")))
def test_a_vocabulary_that_puts_a_space_in_front_does_not_put_it_into_data(text: str) -> None:
    assert b"".join(map(spacing.piece, spacing.data(text))) == text.encode("utf-8", "replace")
    assert spacing.special("<tool>a") == [257, ord("a")]


def test_where_a_line_break_is_joined_with_what_follows_the_space_stays() -> None:
    assert spacing.data("\nb") == [*b" \nb"]
