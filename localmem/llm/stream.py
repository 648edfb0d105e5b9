"""Bytes of tokens to text, without half characters."""

from __future__ import annotations

import codecs
from collections.abc import Callable


class TextStream:
    """Collects the bytes of tokens; passes text on as soon as its characters are whole.

    A character may be split over tokens. Bytes that can never become a character turn into U+FFFD.
    """

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._on_text = on_text
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._pieces)

    def feed(self, piece: bytes) -> bool:
        """Add the bytes of a token; whether text came of it."""
        return self._emit(self._decoder.decode(piece))

    def close(self) -> str:
        """Flush what is left of a broken character; return the whole text."""
        self._emit(self._decoder.decode(b"", final=True))
        return self.text

    def _emit(self, text: str) -> bool:
        if text:
            self._pieces.append(text)
            if self._on_text is not None:
                self._on_text(text)
        return bool(text)
