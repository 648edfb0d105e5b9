"""`localmem forget`."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from localmem.errors import StoreError
from localmem.settings import settings
from localmem.store import Store
from tests.cli.conftest import CommandLine
from tests.upkeep.support import chatted


def texts() -> list[str]:
    with Store.open(settings().memories_dir / "default.db") as store:
        return [turn.turn.text for turn in store.turns_between(1, 0, 99)]


def test_without_yes_it_shows_what_would_go_and_changes_nothing(filled: CommandLine, talk: Path) -> None:
    result = filled("forget", "--speaker", "Bob")
    assert result.out.splitlines() == [
        "To be forgotten: 1 turn, 1 thread cut anew or gone.",
        f"  talk (number 1, {talk}): parts of it",
        "    2  2025-03-04 18:33 Bob: Thanks! Dilip bought the Saab yesterday.",
    ]
    assert (result.code, result.err) == (0, "Nothing was changed. Do it with: --yes\n")
    assert len(texts()) == 3


def test_with_yes_it_does_it(filled: CommandLine) -> None:
    result = filled("forget", "--speaker", "Bob", "--yes")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0] == "Forgotten: 1 turn, 1 thread cut anew or gone."
    assert "Saab" not in " ".join(texts())


def test_it_is_json_on_demand(filled: CommandLine, talk: Path) -> None:
    row = json.loads(filled("forget", "--transcript", "talk", "--yes", "--json").out)
    assert row == {
        "done": True, "turns": 3, "threads": 1, "without_time": 0, "task_turns": 0, "tasks": [],
        "transcripts": [{"id": 1, "transcript": "talk", "file": str(talk), "emptied": True}],
        "tasks_blanked": False, "replies": 0, "runs": [], "wiped": True, "unwiped": "",
    }  # fmt: skip


def test_what_nothing_is_meant_by_is_no_error(filled: CommandLine) -> None:
    result = filled("forget", "--before", "2001-01-01", "--yes")
    assert (result.code, result.out.splitlines()) == (
        0, ["Nothing in the memory is meant by that; nothing was changed."],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 2, "localmem: Nothing says what to forget."),
        (("--before", "last week"), 2, "localmem: 'last week' is no date."),
        (("--speaker", "Bop"), 1, "localmem: Nobody called 'Bop' speaks in "),
        (("--transcript", "x"), 1, "localmem: There is no transcript 'x' in "),
        (("--turn", "77"), 1, "localmem: There is no turn 77 in this memory."),
        (("--turn", "9" * 20), 1, "localmem: There is no turn 99999999999999999999 in this memory."),
        (("--thread", "77"), 1, "localmem: There is no thread 77 in this memory."),
    ],
)
def test_what_cannot_be_is_one_line_and_a_hint(
    filled: CommandLine, arguments: tuple[str, ...], code: int, message: str
) -> None:
    result = filled("forget", *arguments, "--yes")
    assert (result.code, result.out) == (code, "")
    first, hint = result.err.splitlines()
    assert first.startswith(message)
    assert hint.startswith("  ")
    assert "again" not in hint  # it would not help
    assert len(texts()) == 3


def test_a_transcript_is_found_however_its_letters_are_put_together(
    localmem: CommandLine, talk: Path
) -> None:
    apart, together = (unicodedata.normalize(form, "café.txt") for form in ("NFD", "NFC"))
    localmem("ingest", talk.rename(talk.with_name(apart)))
    for named in ("café", talk.with_name(together), talk.with_name(apart)):
        assert localmem("forget", "--transcript", named).out.startswith("To be forgotten: 3 turns")


def test_a_file_that_cannot_be_rewritten_is_told_and_can_be_later(
    filled: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Store) -> bool:
        raise StoreError("work.db: there is no room left on the disk; nothing was changed.")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "wipe", full)
        result = filled("forget", "--speaker", "Bob", "--yes")
    assert result.code == 0
    assert result.err.startswith(
        "work.db: there is no room left on the disk. So bytes of what was forgotten may"
    )
    assert filled("forget", "--wipe").err == "The file was rewritten.\n"
    assert filled("forget", "--wipe", "--turn", "1").code == 2
    assert json.loads(filled("forget", "--wipe", "--json").out) == {"wiped": True}


def test_control_characters_of_a_turn_do_not_reach_the_terminal(localmem: CommandLine, talk: Path) -> None:
    talk.write_text("An\x1b[31mn: One \x1b]0;x\x07two.\nBob: Yes.\nAn\x1b[31mn: Three.\n", encoding="utf-8")
    assert localmem("ingest", talk).code == 0
    assert "\x1b" not in localmem("forget", "--transcript", "talk").out


def test_what_was_typed_in_chats_goes_with_what_was_said_in_them(
    localmem: CommandLine, tmp_path: Path
) -> None:
    from localmem.cli.chat_prompt import history_path

    path = tmp_path / "here.db"
    chatted(path, [("My password is quince.", "Noted.", [])])
    typed = history_path(path, settings())
    typed.parent.mkdir(parents=True)
    typed.write_text("# then\n+My password is quince.\n", encoding="utf-8")
    assert localmem("forget", "--memory", path, "--turn", 1).code == 0
    assert typed.exists()
    assert localmem("forget", "--memory", path, "--turn", 1, "--yes").code == 0
    assert not typed.exists()
