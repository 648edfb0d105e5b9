"""Bytes to text as a stream, whatever the encoding."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from typing import BinaryIO

CHUNK = 256 * 1024
"""Bytes read at once; also how far the guess of an encoding looks."""

_EVIDENCE = 16 * 1024
"""Bytes of lines with non-ASCII characters that a legacy encoding is guessed from."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What chats and captions really come in, the likelier first; DOS, Macintosh and EBCDIC pages are left out,
# for they fit the same bytes as well and are never meant.
_LEGACY = [
    *("cp1252", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "cp874"),
]
_AS_GOOD = 0.05
"""Difference in coherence up to which the likelier encoding wins."""


def decode(stream: BinaryIO, note: Callable[[str], None]) -> Iterator[str]:
    """Text of the stream in pieces; every line break is a newline, NULs are gone, no bytes make it raise.

    A byte order mark decides; else zero bytes at every second place mean UTF-16; else the text is ASCII until
    its first other byte, and from what follows it is decided whether it is UTF-8 (more valid sequences than
    broken ones) or a legacy encoding, which is guessed and noted. Bytes that are invalid in the chosen
    encoding become U+FFFD, noted once.
    """
    newlines = io.IncrementalNewlineDecoder(None, translate=True)
    for piece in _pieces(stream, note):
        if text := newlines.decode(piece).replace("\0", ""):
            yield text
    if text := newlines.decode("", final=True):
        yield text


def _pieces(stream: BinaryIO, note: Callable[[str], None]) -> Iterator[str]:
    head = _read(stream)
    encoding, mark = _marked_or_wide(head)
    head = head[mark:]
    if not encoding:
        while head and head.isascii():
            yield head.decode("ascii")
            head = _read(stream)
        if not head:
            return
        head += _read(stream)
        encoding = "utf-8" if _is_utf8(head) else _guess(head)
        if encoding != "utf-8":
            note(f"not UTF-8; read as {encoding}, which is a guess")
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    genuine = "\ufffd".encode(encoding) if encoding.startswith("utf") else None
    broken = False
    while True:
        text = decoder.decode(head, final=not head)
        if not broken and text.count("\ufffd") > (head.count(genuine) if genuine else 0):
            broken = True
            note(f"some bytes are not valid {encoding}; they became \ufffd")
        yield text
        if not head:
            return
        head = _read(stream)


def _read(stream: BinaryIO) -> bytes:
    """The next chunk, whole unless the stream ends; a pipe gives less at a time."""
    parts = []
    missing = CHUNK
    while missing > 0 and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _marked_or_wide(head: bytes) -> tuple[str, int]:
    """Encoding by its byte order mark, with the mark's length; or UTF-16 by its zero bytes; or nothing."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding, len(mark)
    sample = head[: 4096 & ~1]
    if len(sample) >= 4:
        even, odd = sample[::2].count(0) * 2 / len(sample), sample[1::2].count(0) * 2 / len(sample)
        if odd > 0.3 and even < 0.05:
            return "utf-16-le", 0
        if even > 0.3 and odd < 0.05:
            return "utf-16-be", 0
    return "", 0


def _is_utf8(data: bytes) -> bool:
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
    broken = text.count("\ufffd") - data.count("\ufffd".encode())
    valid = sum(1 for letter in text if letter > "\x7f") - broken if broken else 1
    return valid > broken


def _guess(data: bytes) -> str:
    """Legacy encoding of the data by its lines that are not ASCII."""
    from charset_normalizer import from_bytes

    evidence = bytearray()
    for line in data.splitlines(keepends=True):
        if not line.isascii():
            evidence += line[:_EVIDENCE]
            if len(evidence) >= _EVIDENCE:
                break
    matches = from_bytes(bytes(evidence), cp_isolation=_LEGACY, enable_fallback=False)
    best = matches.best()
    if best is None:
        return _LEGACY[0]
    fitting = {
        encoding
        for match in matches
        if match.chaos <= best.chaos and match.coherence >= best.coherence - _AS_GOOD
        for encoding in (match.encoding, *(same.encoding for same in match.submatch))
    }
    return next((encoding for encoding in _LEGACY if encoding in fitting), best.encoding)
