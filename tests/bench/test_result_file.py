"""A file of results: what is whole in it is kept, and anything else is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from localmem.bench.result_file import ResultFile
from localmem.errors import BenchError

ROWS = [{"key": "a", "said": "Dilip"}, {"key": "b", "said": "two\nlines\u2028 and \x85 more, grün"}]


class Rows(ResultFile[dict[str, Any]]):
    """Rows that have a key."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, lambda row: {"key": row["key"], **row}, start='{"key": ')

    @property
    def kept(self) -> list[dict[str, Any]]:
        return self._kept

    def add(self, row: dict[str, Any]) -> None:
        self._write(row)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with two rows."""
    file = tmp_path / "new" / "rows.jsonl"
    with Rows(file) as rows:
        for row in ROWS:
            rows.add(row)
    return file


def test_what_was_added_is_there_the_next_time(file: Path) -> None:
    with Rows(file) as rows:
        assert rows.kept == ROWS


def test_a_row_is_on_disk_at_once(tmp_path: Path) -> None:
    with Rows(tmp_path / "rows.jsonl") as rows:
        rows.add(ROWS[0])
        assert (tmp_path / "rows.jsonl").read_bytes().endswith(b"}\n")


def test_a_file_that_ends_at_any_byte_keeps_its_whole_rows_and_goes_on(file: Path) -> None:
    whole = file.read_bytes()
    first = whole.index(b"\n") + 1
    for end in range(len(whole)):
        file.write_bytes(whole[:end])
        before = [ROWS[0]] if end >= first - 1 else []
        before += [ROWS[1]] if end == len(whole) - 1 else []
        with Rows(file) as rows:
            assert rows.kept == before
            rows.add(ROWS[1])
        with Rows(file) as rows:
            assert rows.kept == [*before, ROWS[1]]


@pytest.mark.parametrize("line", ["milk", "{}", "[]", '"key"', "7", '{"said": "x', "\x00"])
def test_a_file_with_something_else_is_refused_and_left_alone(file: Path, line: str) -> None:
    text = file.read_text("utf-8") + line + "\n"
    file.write_text(text, "utf-8")
    with pytest.raises(BenchError, match="line 3: that is no result of this benchmark") as caught:
        Rows(file)
    assert caught.value.hint
    assert file.read_text("utf-8") == text


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be used"):
        Rows(tmp_path)


def test_without_a_file_nothing_is_kept(tmp_path: Path) -> None:
    with Rows(None) as rows:
        rows.add(ROWS[0])
        assert rows.kept == []
    assert list(tmp_path.iterdir()) == []
