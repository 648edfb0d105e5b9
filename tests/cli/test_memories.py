"""`localmem memory`, and passphrases at the terminal."""

from __future__ import annotations

import getpass
import json
import sqlite3
from pathlib import Path

import pytest

from localmem.cli.chat_prompt import history_path
from localmem.settings import settings
from localmem.store import Store, file
from tests.cli.conftest import CommandLine


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the person types when they are asked for a passphrase."""
    pytest.importorskip(
        "sqlcipher3", reason="the wheel of SQLCipher is not installed: pip install 'localmem[encrypted]'"
    )
    answers: list[str] = []
    monkeypatch.setattr(getpass, "getpass", lambda prompt: answers.pop(0))
    return answers


def test_a_memory_is_made_empty(localmem: CommandLine) -> None:
    result = localmem("memory", "new", "work")
    path = settings().memories_dir / "work.db"
    assert (result.code, result.out, result.err) == (0, "", f"Made {path}.\n")
    with Store.open(path, create=False) as store:
        assert store.blank
    assert localmem("memory", "new", "work").code == 1


def test_the_memories_that_have_a_name_are_listed_by_it(localmem: CommandLine, tmp_path: Path) -> None:
    nothing = localmem("memory", "list")
    assert (nothing.code, nothing.out) == (0, "")
    assert nothing.err == "There is no memory yet. Make one with: localmem ingest FILE\n"
    for name in ("work", "Diary", str(tmp_path / "elsewhere.db")):
        assert localmem("memory", "new", name).code == 0
    folder = settings().memories_dir
    listed = localmem("memory", "list")
    assert [line.split("  ")[-1] for line in listed.out.splitlines()] == ["Diary", "work"]
    rows = json.loads(localmem("memory", "list", "--json").out)
    assert rows == [
        {"memory": name, "bytes": path.stat().st_size, "path": str(path)}
        for name in ("Diary", "work")
        for path in [folder / f"{name}.db"]
    ]


def test_what_a_full_disk_leaves_is_not_in_the_way_of_the_next_try(
    localmem: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(file, "migrate", full)
        result = localmem("memory", "new", "work")
    path = settings().memories_dir / "work.db"
    assert (result.code, result.err) == (
        1,
        f"localmem: {path}: there is no room left on the disk; nothing was changed.\n"
        "  Free some space and run the command again.\n",
    )
    assert list(path.parent.iterdir()) == []
    assert localmem("memory", "new", "work").code == 0


def test_a_name_as_long_as_the_disk_takes_can_be_made(localmem: CommandLine) -> None:
    assert localmem("memory", "new", "w" * 240).code == 0


def test_an_encrypted_one_is_made_with_a_passphrase_typed_twice_and_opened_with_it(
    localmem: CommandLine, typed: list[str], talk: Path
) -> None:
    typed += ["two words", "two words"]
    assert localmem("memory", "new", "diary", "--encrypted").err.endswith(", encrypted.\n")
    typed += ["two words"]
    assert localmem("ingest", talk, "-m", "diary").code == 0
    typed += ["other words"]
    result = localmem("stats", "-m", "diary")
    assert (result.code, result.out) == (1, "")
    assert [line[:12] for line in result.err.splitlines()] == ["localmem: Th", "  Try again,"]


def test_two_passphrases_that_differ_make_nothing(localmem: CommandLine, typed: list[str]) -> None:
    typed += ["two words", "too words"]
    assert localmem("memory", "new", "diary", "--encrypted").code == 2
    assert not (settings().memories_dir / "diary.db").exists()


def test_the_environment_may_have_the_passphrase(
    localmem: CommandLine, typed: list[str], talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALMEM_PASSPHRASE", "two words")
    assert localmem("memory", "new", "diary", "--encrypted").code == 0
    assert localmem("ingest", talk, "-m", "diary").code == 0
    assert "Ullapool" in localmem("search", "ferry", "-m", "diary").out


def test_where_nobody_can_be_asked_it_is_one_line_and_a_hint(localmem: CommandLine, typed: list[str]) -> None:
    result = localmem("memory", "new", "diary", "--encrypted", typed="")
    assert (result.code, result.out) == (1, "")
    assert result.err.splitlines()[0] == "localmem: Nobody is there to type a passphrase."


def test_a_memory_in_plain_text_has_no_passphrase_to_keep(localmem: CommandLine) -> None:
    assert localmem("memory", "new", "work", "--keyring").code == 2


def test_a_passphrase_is_changed_by_one_typed_twice_or_from_a_variable(
    localmem: CommandLine, typed: list[str], talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed += ["two words", "two words"]
    localmem("memory", "new", "diary", "--encrypted")
    typed += ["two words", "three words", "three wards"]
    assert localmem("memory", "rekey", "diary").code == 2
    typed += ["two words", "three words", "three words"]
    assert localmem("memory", "rekey", "diary").err.endswith("has another passphrase now.\n")
    monkeypatch.setenv("LOCALMEM_PASSPHRASE", "three words")
    monkeypatch.setenv("NEXT", "four words")
    assert localmem("memory", "rekey", "diary", "--from-env", "NEXT", typed="").code == 0
    assert localmem("stats", "-m", "diary").code == 1
    monkeypatch.setenv("LOCALMEM_PASSPHRASE", "four words")
    assert localmem("stats", "-m", "diary").code == 0
    assert localmem("memory", "rekey", "diary", "--from-env", "UNSET").code == 2
    assert typed == []


def test_a_memory_in_plain_text_is_told_of_before_anything_is_asked(
    localmem: CommandLine, typed: list[str]
) -> None:
    localmem("memory", "new", "work")
    result = localmem("memory", "rekey", "work")
    assert (result.code, "is not encrypted" in result.err) == (1, True)


@pytest.mark.parametrize("answer", ["y\n", "n\n", "\n", ""])
def test_a_memory_is_removed_if_the_person_agrees(filled: CommandLine, answer: str) -> None:
    path = settings().memories_dir / "default.db"
    filled.keyboard = answer
    result = filled("memory", "remove", "default")
    assert result.err.startswith(f"Delete {path} (3 turns of 1 transcript) for good? [y/N] ")
    assert (result.code, path.exists()) == ((0, False) if answer == "y\n" else (2, True))


def test_nobody_in_a_pipe_agrees_to_remove_a_memory_but_yes_does(filled: CommandLine) -> None:
    path = settings().memories_dir / "default.db"
    typed = settings().state_dir / "chat"
    history_path(path, settings()).parent.mkdir(parents=True)
    history_path(path, settings()).touch()
    assert filled("memory", "remove", "default", typed="y\n").code == 2
    result = filled("memory", "remove", "default", "--yes", typed="")
    assert (result.code, result.err) == (0, f"Deleted {path} (3 turns of 1 transcript).\n")
    assert [*path.parent.iterdir(), *typed.iterdir()] == []
    assert filled("memory", "remove", "default", "--yes").code == 1


def test_a_file_of_somebody_else_is_not_removed(localmem: CommandLine, tmp_path: Path) -> None:
    for name, content in {
        "a.db": b"",
        "b.db": b"Ann: hi\n",
        "c.db": b"SQLite format 3\0" + bytes(84),
    }.items():
        file = tmp_path / name
        file.write_bytes(content)
        assert localmem("memory", "remove", file, "--yes").code == 1
        assert file.read_bytes() == content
