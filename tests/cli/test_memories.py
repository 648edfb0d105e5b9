"""`localmem memory new`, and passphrases at the terminal."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from localmem.settings import settings
from localmem.store import Store
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
