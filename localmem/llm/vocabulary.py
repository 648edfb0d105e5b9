"""Text to tokens and back, with data kept apart from control tokens."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from localmem.errors import EngineError

_GUARD = "\n"


class Vocabulary:
    """The tokens of a loaded model.

    Args:
        lib: the module `llama_cpp.llama_cpp`.
        model: pointer to the loaded model; it must outlive this object.
    """

    def __init__(self, lib: Any, model: Any) -> None:
        self._lib = lib
        self.pointer = lib.llama_model_get_vocab(model)
        self.size: int = lib.llama_vocab_n_tokens(self.pointer)
        marked = (
            lib.LLAMA_TOKEN_ATTR_CONTROL | lib.LLAMA_TOKEN_ATTR_USER_DEFINED | lib.LLAMA_TOKEN_ATTR_UNKNOWN
        )
        control = lib.LLAMA_TOKEN_ATTR_CONTROL
        attributes = [lib.llama_vocab_get_attr(self.pointer, token) for token in range(self.size)]
        self.control = frozenset(token for token, a in enumerate(attributes) if a & control)
        """Tokens that are never text."""
        named = {lib.llama_vocab_eos(self.pointer), lib.llama_vocab_eot(self.pointer)} - {-1}
        self.end = frozenset(
            token
            for token, a in enumerate(attributes)
            if (a & marked or token in named) and lib.llama_vocab_is_eog(self.pointer, token)
        )
        """Tokens that end a reply."""
        texts = {
            token: (lib.llama_vocab_get_text(self.pointer, token) or b"").decode("utf-8", "replace")
            for token, a in enumerate(attributes)
            if a & marked
        }
        # White space and single characters can be tokens of their own; as data they mean what they say.
        self._markers = {token: text for token, text in texts.items() if len(text.strip()) > 1}
        longest_first = sorted(set(self._markers.values()), key=len, reverse=True)
        self._marker = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        self._pieces: dict[int, bytes] = {}
        self._guard: list[int] = []
        if b"".join(map(self.piece, self._raw("a", False))) == b" a":
            self._guard = self._raw(_GUARD, False)

    def token_text(self, token: int) -> str:
        """The text of a control token as it stands in the vocabulary; "" for no token."""
        if token < 0:
            return ""
        return str((self._lib.llama_vocab_get_text(self.pointer, token) or b"").decode("utf-8", "replace"))

    def special(self, text: str) -> list[int]:
        """Tokens of a template's text: its markers become control tokens."""
        return self._tokenize(text, True)

    def data(self, text: str) -> list[int]:
        """Tokens of what people typed: none is a control token, whatever the text says.

        Some vocabularies join a marker even when special tokens are off (user-defined tokens, or markers that
        are also ordinary entries); such text is cut after the marker's first character and read in parts.
        """
        tokens = self._tokenize(text, False)
        if self._markers.keys().isdisjoint(tokens):
            return tokens
        parts: list[str] = []
        begin = 0
        found = self._marker.search(text)
        while found:
            parts.append(text[begin : found.start() + 1])
            begin = found.start() + 1
            found = self._marker.search(text, begin)
        parts.append(text[begin:])
        return [token for part in parts for token in self._tokenize(part, False)]

    def piece(self, token: int) -> bytes:
        """Bytes of a token; none for a control token. They may be half a character."""
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._pieces[token] = self._piece(token)
        return piece

    def _piece(self, token: int) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            length = self._lib.llama_token_to_piece(self.pointer, token, buffer, size, 0, False)
            if length >= 0:
                return buffer.raw[:length]
            size = -length

    def _tokenize(self, text: str, special: bool) -> list[int]:
        """Tokens of a text as it stands within a prompt.

        SentencePiece vocabularies put a space in front of a text. They see a line break in front instead, whose
        tokens are taken away again.
        """
        if not text:
            return []
        if self._guard:
            tokens = self._raw(_GUARD + text, special)
            if tokens[: len(self._guard)] == self._guard:
                return tokens[len(self._guard) :]
        return self._raw(text, special)

    def _raw(self, text: str, special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        size = len(raw) + 8
        buffer = (self._lib.llama_token * size)()
        count = self._lib.llama_tokenize(self.pointer, raw, len(raw), buffer, size, False, special)
        if count < 0:
            raise EngineError(
                f"The engine cannot tokenize a text of {len(raw)} bytes", hint="Shorten the text."
            )
        return list(buffer[:count])
