"""Values of a JSON file one at a time, so that its size does not matter."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from localmem.transcripts.source import Source

_DECODER = json.JSONDecoder(strict=False)  # a raw newline or tab inside a string is no reason to lose it

_ESCAPE = re.compile(r'(\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))|\\')
_SPACE = re.compile(r"[\s\ufeff]*+")
_STRING_PART = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_STRUCTURE = re.compile(r'["{}\[\]]')
_SCALAR_END = re.compile(r'["{}\[\],\s]')


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that could not be read; its end was found, so the next ones can be."""

    reason: str


def loads(text: str, line: int | None = None) -> object:
    """The value of a JSON text, or `Broken` for anything that the decoder cannot take.

    Args:
        text: one value.
        line: line of the file that it starts on, when the reason should say where it breaks.
    """
    value = _decode(text, line)
    if isinstance(value, Broken) and "escape" in value.reason:
        # Old versions of some programs write \x and \' into strings, which JSON does not know.
        mended = _decode(_ESCAPE.sub(lambda match: match[1] or "\\\\", text), line)
        return value if isinstance(mended, Broken) else mended
    return value


def _decode(text: str, line: int | None) -> object:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if line is None else f"line {line + error.lineno - 1}"
        return Broken(f"not JSON: {error.msg} at {where}")
    except RecursionError:
        return Broken("not a message: nested too deeply")
    except ValueError as error:  # a number of thousands of digits
        return Broken(f"not JSON: {str(error).split(';')[0]}")


def elements(source: Source, limit: int) -> Iterator[object]:
    """Elements of the top-level array, or the one top-level value if it is none.

    A value that is malformed, or longer than `limit` characters, is given as `Broken` and the walk goes on
    behind it; its end is where its brackets balance.

    Raises:
        TranscriptError: the file ends inside a value or before the end of the array.
    """
    walk = _Walk(source)
    if walk.peek() != "[":
        yield walk.value(limit)
        return
    walk.at += 1
    while (letter := walk.peek()) != "]":
        if not letter:
            raise source.error("the file ends before its list does", walk.line(), hint=_TRUNCATED)
        if letter == ",":
            walk.at += 1
        elif letter in "}:":
            walk.at += 1
            yield Broken(f"not JSON: unexpected {letter}")
        else:
            yield walk.value(limit)
    walk.at += 1
    if walk.peek():
        yield Broken("text behind the end of the list")


OPENED = object()
"""Given by `walk` where a list or an object begins that it goes into."""

Path = tuple[str, ...]


def walk(source: Source, limit: int, into: Container[Path]) -> Iterator[tuple[Path, object]]:
    """Values inside of objects and lists, one at a time, with their paths; the file is never held.

    A path is made of the keys that lead to a value, and "" for any element of a list: `("chats", "list", "", "name")`.

    Args:
        source: what to read.
        limit: characters of one value.
        into: paths of the objects and lists that are not given whole; first `OPENED` is given for them, then what is
            in them.

    Raises:
        TranscriptError: the file ends inside a value, an object or a list.
    """
    walk = _Walk(source)
    stack: list[tuple[Path, str]] = []
    wanted: Path | None = ()
    while True:
        letter = walk.peek()
        if not letter:
            if stack or wanted:
                raise source.error("the file ends before its list does", walk.line(), hint=_TRUNCATED)
            return
        if wanted is not None:
            place, wanted = wanted, None
            if letter in "[{" and place in into:
                walk.at += 1
                stack.append((place, "]" if letter == "[" else "}"))
                yield place, OPENED
            elif letter in "]},:":
                yield place, Broken("not JSON: a value is missing")
            else:
                yield place, walk.value(limit)
            continue
        if not stack:
            yield (), Broken("text behind the end of the list")
            return
        place, closing = stack[-1]
        if letter == closing:
            walk.at += 1
            stack.pop()
        elif letter in ",]}:":
            walk.at += 1
            if letter != ",":
                yield place, Broken(f"not JSON: unexpected {letter}")
        elif closing == "]":
            wanted = (*place, "")
        else:
            key = walk.value(_LONGEST_KEY)
            if isinstance(key, str) and walk.peek() == ":":
                walk.at += 1
                wanted = (*place, key)
            else:
                yield place, Broken("not JSON: a value without a name")


_LONGEST_KEY = 1000
_CAREFUL = 64
"""Values behind a malformed one whose ends are looked for before they are decoded: the decoder's error counts all lines
before it, so that a file of malformed values would take a hundred times as long."""
_EDGE = 16
"""Characters before the end of what was read, in which an error tells of what is missing behind it."""
_TRUNCATED = "The file is cut off; what came before is kept. Export it again to get the rest."


class _Walk:
    """A position in a text that is read piece by piece."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._chunks = source.chunks()
        self._text = ""
        self._line = 1
        self._counted = 0
        self._closed = True  # whether the value that was scanned last has an end
        self._careful = 0
        self.at = 0

    def line(self) -> int:
        """Line of the position; counted on from the last call."""
        self._line += self._text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self._text, self.at)
            assert match is not None  # the pattern matches the empty string
            self.at = match.end()
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._more():
                return ""

    def value(self, limit: int) -> object:
        """The value that starts here."""
        self._careful -= self._careful > 0
        while self.peek() in '{["' and not self._careful:
            # The short way. A bare word, which is rare and mostly wrong, would cost a count of lines here.
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
            except json.JSONDecodeError as error:
                # Only incomplete so far: the scan, which a malformed value needs, takes ten times as long.
                cut = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _EDGE
                if cut and len(self._text) - self.at <= limit and self._more():
                    continue
                break
            except (ValueError, RecursionError):
                break
            if end - self.at > limit:
                break
            self.at = end
            return value
        first_line = self.line()
        text = self._scan(limit)
        if text is None:
            return Broken(f"longer than {limit:,} characters")
        value = loads(text, first_line)
        if isinstance(value, Broken):
            self._careful = _CAREFUL
        if isinstance(value, Broken) and not self._closed:
            raise self._source.error(
                "the file ends inside a value that begins here", first_line, hint=_TRUNCATED
            )
        return value

    def _scan(self, limit: int) -> str | None:
        """Move behind the value that starts here; its text, or None when it was too long to keep."""
        position = self.at
        depth = 0
        kept = self._closed = True
        in_string = False
        while True:
            text = self._text
            if in_string:
                match = _STRING_PART.match(text, position)
                assert match is not None  # the pattern matches the empty string
                position = match.end()
                if position < len(text) and text[position] == '"':
                    position += 1
                    in_string = False
                    if depth == 0:
                        break
                    continue
            else:
                found = (_STRUCTURE if depth else _SCALAR_END).search(text, position)
                position = found.start() if found else len(text)
                if found:
                    letter = found.group()
                    if depth == 0 and letter not in '"{[' and position > self.at:
                        break
                    position += 1
                    if letter == '"':
                        in_string = True
                    elif letter in "{[":
                        depth += 1
                    elif letter in "]}":
                        depth -= 1
                        if depth == 0:
                            break
                    continue
            if position - self.at > limit:
                kept = False
            if not kept:
                self.at = position
            before = self.at
            if not self._more():
                position = len(self._text)
                self._closed = False
                break
            position -= before
        start, self.at = self.at, position
        return self._text[start:position] if kept and position - start <= limit else None

    def _more(self) -> bool:
        """Read on, dropping what lies before the position; as much as is kept, so that growing stays linear."""
        kept = len(self._text) - self.at
        pieces = []
        size = 0
        for chunk in self._chunks:
            pieces.append(chunk)
            size += len(chunk)
            if size >= kept:
                break
        if not size:
            return False
        self.line()
        self._text = self._text[self.at :] + "".join(pieces)
        self.at = self._counted = 0
        return True
