from __future__ import annotations

import os
from pathlib import Path

import pytest

from localmem.errors import TranscriptError, UsageError
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


def forbid(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> None:
    """Permissions bind no superuser, as whom tests may run."""
    real = os.scandir

    def scandir(path: str) -> object:
        if Path(path) in folders:
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)


def test_a_folder_inside_that_may_not_be_read_is_told_and_the_rest_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.txt", "in/b.txt", "z/c.txt")
    forbid(monkeypatch, tmp_path / "in")
    told: list[tuple[str, str]] = []
    found = expand([str(tmp_path)], lambda path, error: told.append((path, str(error))))
    assert found == [tmp_path / "a.txt", tmp_path / "z/c.txt"]
    assert told == [(f"{tmp_path / 'in'}", f"{tmp_path / 'in'}: Permission denied")]


def test_files_that_may_not_be_looked_at_are_told_once_for_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a.txt", "in/b.txt", "in/c.txt")
    real = Path.is_file

    def is_file(path: Path) -> bool:
        if path.parent.name == "in":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(Path, "is_file", is_file)
    told: list[str] = []
    assert expand([str(tmp_path)], lambda path, error: told.append(path)) == [tmp_path / "a.txt"]
    assert told == [str(tmp_path / "in")]


def test_an_empty_path_is_not_the_current_folder() -> None:
    with pytest.raises(UsageError):
        expand([""])


def test_a_pattern_that_no_shell_has_read_gives_what_it_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "b.txt", "a.txt", "c.md", "in/deep/d.txt", ".hidden.txt")
    monkeypatch.chdir(tmp_path)
    assert expand(["*.txt"]) == [Path("a.txt"), Path("b.txt")]
    assert expand(["**/*.txt"]) == [Path("a.txt"), Path("b.txt"), Path("in/deep/d.txt")]
    assert expand([f"{tmp_path}/[bc].*"]) == [tmp_path / "b.txt", tmp_path / "c.md"]
    assert expand(["i?"]) == [Path("in/deep/d.txt")]
    with pytest.raises(TranscriptError, match=r"\*\.vtt: no such file"):
        expand(["*.vtt"])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    make(tmp_path, "part [2].txt", "part 2.txt")
    assert expand([str(tmp_path / "part [2].txt")]) == [tmp_path / "part [2].txt"]


def test_a_zip_in_a_folder_is_read(tmp_path: Path) -> None:
    make(tmp_path, "export.zip", "other.rar")
    assert expand([str(tmp_path)]) == [tmp_path / "export.zip"]


def test_nothing_gives_nothing() -> None:
    assert expand([]) == []
