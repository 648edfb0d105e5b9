from __future__ import annotations

import os
from pathlib import Path

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import STDIN, expand


def make(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Anna: hi\n", encoding="utf-8")


def test_a_folder_gives_its_files_and_those_inside_sorted(tmp_path: Path) -> None:
    make(tmp_path, "b.txt", "a/z.txt", "a/c/x.jsonl", "no_ending")
    assert expand([str(tmp_path)]) == [
        tmp_path / "a/c/x.jsonl",
        tmp_path / "a/z.txt",
        tmp_path / "b.txt",
        tmp_path / "no_ending",
    ]


def test_hidden_and_binary_files_of_a_folder_are_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.txt", ".hidden", ".git/config", "photo.JPG", "memory.db", "model.gguf")
    assert expand([str(tmp_path)]) == [tmp_path / "a.txt"]


def test_a_file_that_is_named_is_taken_whatever_it_is(tmp_path: Path) -> None:
    make(tmp_path, ".hidden", "photo.jpg")
    named = [str(tmp_path / "photo.jpg"), str(tmp_path / ".hidden")]
    assert expand(named) == [Path(name) for name in named]


def test_stdin_stays_what_it_is(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    assert expand(["-", str(tmp_path / "a.txt")]) == [STDIN, tmp_path / "a.txt"]


def test_a_file_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    assert expand([str(tmp_path / "a.txt"), str(tmp_path)]) == [tmp_path / "a.txt"]


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    make(tmp_path, "a.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert expand([str(tmp_path)]) == [tmp_path / "a.txt"]


def test_a_missing_path_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match=r"gone\.txt: no such file or folder") as caught:
        expand([str(tmp_path / "gone.txt")])
    assert caught.value.hint


def test_a_path_that_cannot_be_is_an_error() -> None:
    with pytest.raises(TranscriptError, match="File name too long"):
        expand(["x" * 5000])


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match="no file to read in this folder"):
        expand([str(tmp_path)])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_a_folder_that_may_not_be_read_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, "in/a.txt")
    (tmp_path / "in").chmod(0)
    try:
        with pytest.raises(TranscriptError, match="Permission denied"):
            expand([str(tmp_path)])
    finally:
        (tmp_path / "in").chmod(0o700)


def test_nothing_gives_nothing() -> None:
    assert expand([]) == []
