"""CSV with a header: comma, semicolon, tab or | between the fields, quotes as in RFC 4180.

    speaker;text;timestamp
    Anna;"Hello; how are you?";2025-03-04 18:32

Column names are those of `messages.FIELDS`. A row that does not fit the header is skipped with its reason; a
quote that is never closed ends with its line, and does not swallow the rows behind it.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from localmem.errors import TranscriptError
from localmem.transcripts.events import Event
from localmem.transcripts.messages import Messages, kind_of, named
from localmem.transcripts.source import MAX_LINE, Sample, Source
from localmem.transcripts.text import MARKS, MAX_TEXT
from localmem.values import Skipped

_DELIMITERS = (",", ";", "\t", "|")
_HEADER = 64 * 1024
_CELL = 40
"""Characters of a column's name."""


@dataclass(frozen=True, slots=True)
class _Header:
    delimiter: str
    names: list[str]
    line: int


def sniff(sample: Sample) -> str:
    """Whether the first line is a header that has a text column and a speaker or time column."""
    header = _header(sample)
    kinds = {kind_of(name) for name in header.names}
    if "text" in kinds and kinds & {"speaker", "time"}:
        return f"a table with the columns {', '.join(name for name in header.names if kind_of(name))}"
    return ""


def parse(source: Source) -> Iterator[Event]:
    """Events of the rows. Raises TranscriptError when the header has no text column."""
    header = _header(source.sample)
    width = len(header.names)
    kinds = [kind_of(name) for name in header.names]
    if "text" not in kinds:
        raise _no_text(source, header)
    # The module's limit is for the whole process and its default is less than a long message.
    csv.field_size_limit(max(csv.field_size_limit(), 2 * MAX_LINE))
    messages = Messages(source)
    for number, row in _rows(source, header):
        where = f"line {number}"
        if row is None:
            yield Skipped(where, f"longer than {MAX_LINE:,} characters")
            continue
        if not any(row):
            continue
        if len(row) > width and kinds[-1] == "text":
            # The writer did not quote the last column: its delimiters belong to the text.
            row = [*row[: width - 1], header.delimiter.join(row[width - 1 :])]
        if len(row) > width:
            yield Skipped(where, f"{len(row)} fields, but the header has {width} columns")
        elif len(row) <= kinds.index("text"):
            yield Skipped(where, f"only {len(row)} of {width} fields")
        else:
            yield from messages.events(dict(zip(header.names, row, strict=False)), where)


def wants_columns(source: Source) -> TranscriptError | None:
    """The error of a table without a text column; None for what is no table."""
    header = _header(source.sample)
    if "text" in {kind_of(name) for name in header.names}:
        return None
    if source.sample.name.lower().endswith((".csv", ".tsv")) or _is_table(source.sample):
        return _no_text(source, header)
    return None


def _no_text(source: Source, header: _Header) -> TranscriptError:
    return source.error(
        f"no column for the text in the header ({', '.join(header.names)[:80]})",
        header.line,
        hint=f"The first line must name the columns: one of {named('speaker')}; "
        f"one of {named('text')}; and for the time one of {named('time')}; or their German or Spanish names.",
    )


def _is_table(sample: Sample) -> bool:
    """Whether the first lines have the same number of cells, three at least, all short in the first one.

    Sentences have commas too, with a space behind them.
    """
    lines = [line for line in sample.lines()[:20] if line.strip(MARKS + " ")][:3]
    for delimiter in _DELIMITERS:
        rows = [_cut(line, delimiter) for line in lines]
        if len(rows) < 2 or len(rows[0]) < 3 or any(len(row) != len(rows[0]) for row in rows):
            continue
        spaced = delimiter == "," and any(cell.startswith(" ") for cell in rows[0])
        if not spaced and all(len(cell) <= _CELL for cell in rows[0][:-1]):
            return True
    return False


def _header(sample: Sample) -> _Header:
    """The first line that is not empty, cut at the delimiter that gives the most known names."""
    best = _Header(",", [], 1)
    for number, line in enumerate(sample.text[:_HEADER].split("\n"), start=1):
        line = line.strip(MARKS + " ")
        if not line or line.lower().startswith("sep="):  # spreadsheets write sep=; in front
            continue
        for delimiter in _DELIMITERS:
            names = [name.strip(MARKS + " ") for name in _cut(line, delimiter)]
            if _known(names) > _known(best.names) or not best.names:
                best = _Header(delimiter, names, number)
        break
    return best


def _known(names: list[str]) -> tuple[int, int]:
    return len({kind_of(name) for name in names} - {""}), len(names)


def _cut(line: str, delimiter: str) -> list[str]:
    """Fields of one line, whatever its quotes."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


class _UnclosedError(Exception):
    """A record grew past every sane length."""


def _rows(source: Source, header: _Header) -> Iterator[tuple[int, list[str] | None]]:
    """First line and fields of every record behind the header; None instead of fields for an overlong line.

    The strict reader tells when a quote closes at a place where none can, or never. Then the record's first
    line is cut by itself, and its other lines are read again as records of their own.
    """
    lines = source.lines()
    again: deque[tuple[int, str | None]] = deque()
    taken: list[tuple[int, str | None]] = []

    def feed() -> Iterator[str]:
        size = 0
        while item := again.popleft() if again else next(lines, None):
            number, line = item
            if number <= header.line:
                continue
            if not taken:
                size = 0
            taken.append(item)
            size += len(line or "")
            if size > MAX_TEXT or (line is None and len(taken) > 1):
                raise _UnclosedError
            yield (line or "") + "\n"

    while True:
        try:
            for row in csv.reader(feed(), delimiter=header.delimiter, strict=True):
                number, line = taken[0]
                yield number, row if line is not None else None
                taken.clear()
            return
        except (csv.Error, _UnclosedError):
            (number, line), *others = taken
            taken.clear()
            again.extendleft(reversed(others))
            yield number, _cut(line, header.delimiter) if line is not None else None
