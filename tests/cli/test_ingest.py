"""`localmem ingest`."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from localmem.cli.ingest import SHOWN
from localmem.errors import StoreError
from localmem.recall.readings import BATCH
from localmem.store import Store
from localmem.transcripts import Format
from tests.cli.conftest import TALK, CommandLine

FILE_KEYS = {
    "path", "format", "transcript", "added", "known", "skipped", "skipped_first", "threads", "seconds", "warnings",
    "details", "error", "hint",
}  # fmt: skip


def test_every_file_has_its_line(localmem: CommandLine, talk: Path) -> None:
    result = localmem("ingest", talk)
    assert (result.code, result.err) == (0, "Times without a zone are taken as local time.\n")
    assert result.out.startswith(f"{talk} (plain): 3 turns added; 1 thread; ")
    assert len(result.out.splitlines()) == 1


def test_ingesting_again_adds_nothing(filled: CommandLine, talk: Path) -> None:
    assert "0 turns added, 3 known" in filled("ingest", talk).out


def test_a_longer_export_adds_the_rest(filled: CommandLine, talk: Path) -> None:
    talk.write_text(TALK + "[2025-03-05 10:00] Bob: I will.\n", encoding="utf-8")
    assert "1 turn added, 3 known" in filled("ingest", talk).out


def test_the_result_is_json_on_demand(localmem: CommandLine, talk: Path) -> None:
    result = localmem("ingest", talk, "--json")
    report = json.loads(result.out)
    assert report.keys() == {"memory", "files"}
    assert report["memory"].endswith("default.db")
    (file,) = report["files"]
    assert file.keys() == FILE_KEYS
    assert (file["added"], file["known"], file["error"], file["transcript"]) == (3, 0, None, "talk")


def test_a_file_that_cannot_be_read_does_not_stop_the_others(localmem: CommandLine, talk: Path) -> None:
    bad = talk.with_name("bad.jsonl")
    bad.write_text('{"speaker": "Ann"\nnot json at all\n', encoding="utf-8")
    result = localmem("ingest", "missing.txt", bad, talk, "--format", "plain")
    assert result.code == 1
    lines = result.out.splitlines()
    assert lines[:2] == [
        "missing.txt: no such file or folder",
        "  Check the spelling; a relative path starts at the current folder.",
    ]
    assert lines[2].startswith(f"{bad}: ")
    assert lines[3].startswith("  ")
    assert any(line.startswith(f"{talk} (plain): 3 turns added") for line in lines)
    assert lines[-1] == "1 file read, 2 not"


def test_several_files_are_summed_up(localmem: CommandLine, talk: Path) -> None:
    other = talk.with_name("other.txt")
    other.write_text("Cleo: One.\nDan: Two.\nCleo: Three.\n", encoding="utf-8")
    assert localmem("ingest", talk, other).out.splitlines()[-1] == "2 files read"


def test_a_file_of_several_conversations_is_one_file(localmem: CommandLine, tmp_path: Path) -> None:
    rows = [{"conversation": name, "speaker": "Ann", "text": f"{name} {n}"} for name in "ab" for n in "123"]
    file = tmp_path / "several.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert "files read" not in localmem("ingest", file).out


def test_what_is_missing_from_a_file_is_not_said_again_when_nothing_is_new(
    localmem: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "other.txt"
    file.write_text("Cleo: One.\nDan: Two.\nCleo: Three.\n", encoding="utf-8")
    first, again = localmem("ingest", file).out, localmem("ingest", file).out
    assert "note: no turn has a time" in first
    assert "note:" not in again


def test_files_that_cannot_be_read_make_no_memory(localmem: CommandLine, tmp_path: Path) -> None:
    empty, blank = tmp_path / "empty.txt", tmp_path / "blank.txt"
    empty.write_bytes(b"")
    blank.write_text("\n\n", encoding="utf-8")
    memory = tmp_path / "new.db"
    assert localmem("ingest", "missing.txt", empty, blank, "-m", memory).code == 1
    assert sorted(tmp_path.iterdir()) == [blank, empty]


def test_files_that_cannot_be_read_are_told_in_json_too(localmem: CommandLine, talk: Path) -> None:
    result = localmem("ingest", "missing.txt", talk, "--json")
    assert result.code == 1
    first, second = json.loads(result.out)["files"]
    assert first["error"] == "missing.txt: no such file or folder"
    assert first["hint"].startswith("Check the spelling")
    assert second["hint"] == ""
    assert (first.keys(), second["added"], second["error"]) == (FILE_KEYS, 3, None)


def test_a_file_that_breaks_off_keeps_what_was_before(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "cut.json"
    session = ", ".join(f'{{"speaker": "Ann", "dia_id": "D1:{n}", "text": "Number {n}."}}' for n in range(9))
    whole = (
        f'{{"conversation": {{"session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": [{session}]}}}}'
    )
    file.write_text(f"[{whole}, {whole[:200]}", encoding="utf-8")
    result = localmem("ingest", file)
    assert result.code == 1
    assert "9 turns added" in result.out
    broken, hint = result.out.splitlines()[-2:]
    assert broken.startswith("  broke off: ")
    assert str(file) not in broken
    assert hint.startswith("    ")


def test_times_without_a_zone_are_told_once_and_of_what_is_new(localmem: CommandLine, tmp_path: Path) -> None:
    zoned = TALK.replace(":32]", ":32:00Z]").replace(":33]", ":33:00Z]").replace(":34]", ":34:00Z]")
    for name, content in {
        "a": TALK,
        "b": TALK.replace("Ann", "Eve"),
        "c": zoned,
        "d": "Ann: a\nBob: b\nAnn: c\n",
    }.items():
        (tmp_path / f"{name}.txt").write_text(content, encoding="utf-8")
    assert localmem("ingest", tmp_path / "c.txt", tmp_path / "d.txt").err == ""
    result = localmem("ingest", tmp_path)
    assert result.err == "Times without a zone in 2 files are taken as local time.\n"
    assert localmem("ingest", tmp_path).err == localmem("ingest", tmp_path, "-q", "-m", "other").err == ""


@pytest.mark.parametrize(("batches", "kept"), [(0, False), (2, True)])
def test_a_full_disk_in_the_middle_says_that_what_was_added_is_kept(
    localmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batches: int, kept: bool
) -> None:
    file = tmp_path / "talk.txt"
    file.write_text("\n".join(f"Ann: Number {n}." for n in range(600)), encoding="utf-8")
    left = [batches]
    add = Store.add_turns

    def full(store: Store, *given: Any, **more: Any) -> list[int]:
        left[0] -= 1
        if left[0] < 0:
            raise StoreError("there is no room left on the disk", hint="Free some space.")
        return add(store, *given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_turns", full)
        result = localmem("ingest", file)
    assert (result.code, result.out) == (1, "")
    assert ("What was added is kept" in result.err) is kept
    (report,) = json.loads(localmem("ingest", file, "--json").out)["files"]
    assert (report["added"], report["known"]) == (600 - batches * BATCH, batches * BATCH)


def test_standard_input_is_read(localmem: CommandLine) -> None:
    result = localmem("ingest", "-", typed=TALK)
    assert result.code == 0
    assert "3 turns added" in result.out


def test_a_folder_is_read(localmem: CommandLine, talk: Path) -> None:
    talk.with_name("second.txt").write_text("Cleo: One.\nDan: Two.\nCleo: Three.\n", encoding="utf-8")
    result = localmem("ingest", talk.parent)
    # The second has no times, which is a note; the last line sums up.
    assert (result.code, len(result.out.splitlines())) == (0, 4)


def test_what_is_left_out_of_a_folder_because_of_its_ending_is_told(
    localmem: CommandLine, talk: Path
) -> None:
    for name in ("a.docx", "b.PDF", "c.pdf", ".hidden.pdf", ".git/d.pdf"):
        file = talk.parent / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"PK")
    result = localmem("ingest", talk.parent)
    assert (result.code, result.out.splitlines()[-1]) == (
        0,
        "1 file read, 3 left out because of their ending (.docx, .pdf)",
    )


@pytest.mark.parametrize("name", [format.value for format in Format])
def test_every_format_can_be_named(localmem: CommandLine, name: str) -> None:
    """It is named in the help, and taken in any case."""
    assert name in localmem("ingest", "--help").out
    assert (
        localmem("ingest", "-", "--format", name.upper(), typed="").code == 1
    )  # an empty file, not wrong usage


def test_the_help_lists_every_format_with_what_it_reads(localmem: CommandLine) -> None:
    lines = localmem("ingest", "--help").out.splitlines()
    for format in Format:
        assert f"    {format.value:9} {format.description}" in lines


def test_verbosely_the_reason_of_the_format_and_the_zone_are_told(localmem: CommandLine, talk: Path) -> None:
    lines = localmem("ingest", talk, "-v").out.splitlines()
    assert lines[1:] == [
        "  read as plain: 3 of 3 lines open with a speaker",
        "  its times have no zone and are taken as local time",
    ]
    assert json.loads(localmem("ingest", talk, "--json").out)["files"][0]["details"] == [
        line.strip() for line in lines[1:]
    ]


def test_dates_that_can_be_read_in_two_ways_name_the_option_and_the_option_reads_them(
    localmem: CommandLine, tmp_path: Path
) -> None:
    file = tmp_path / "chat.txt"
    file.write_text("04/03/25, 11:25 - Ann: a\n04/03/25, 11:26 - Bob: b\n", encoding="utf-8")
    assert "or say it with --date-order dmy or mdy" in localmem("ingest", file).out
    result = localmem("ingest", file, "--date-order", "DMY", "-m", tmp_path / "other.db")
    assert (result.code, "note:" in result.out) == (0, False)


def test_an_unknown_order_of_dates_is_wrong_usage(localmem: CommandLine, talk: Path) -> None:
    result = localmem("ingest", talk, "--date-order", "dym")
    assert (result.code, result.err) == (
        2,
        "localmem: There is no date order 'dym'.\n  The orders are: dmy, mdy, ymd.\n",
    )


def test_of_many_conversations_of_a_file_some_have_a_line_and_the_others_a_sum(
    localmem: CommandLine, tmp_path: Path
) -> None:
    rows = [{"conversation": f"c{n:02}", "speaker": "Ann", "text": f"{n}"} for n in range(SHOWN + 5)]
    file = tmp_path / "several.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    lines = localmem("ingest", file, "-q").out.splitlines()
    assert len(lines) == SHOWN + 1
    assert lines[-1] == f"{file}: 5 more conversations: 5 turns added"


def test_a_pattern_that_the_shell_did_not_read_is_read(localmem: CommandLine, talk: Path) -> None:
    talk.with_name("second.txt").write_text("Cleo: One.\nDan: Two.\nCleo: Three.\n", encoding="utf-8")
    assert localmem("ingest", talk.parent / "*.txt").out.splitlines()[-1] == "2 files read"


def test_a_zip_that_was_made_to_do_harm_is_one_clear_line_and_a_hint(
    localmem: CommandLine, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("good.txt", TALK)
        archive.writestr("../../evil.txt", TALK)
    result = localmem("ingest", tmp_path / "evil.zip", "-m", tmp_path / "new.db")
    assert (result.code, len(result.out.splitlines())) == (1, 2)
    assert "leads out of it" in result.out
    assert [file.name for file in tmp_path.iterdir()] == ["evil.zip"]
    assert not (tmp_path.parent / "evil.txt").exists()


@pytest.mark.slow
def test_files_may_be_read_by_several_processes(localmem: CommandLine, talk: Path) -> None:
    talk.with_name("second.txt").write_text("Cleo: One.\nDan: Two.\nCleo: Three.\n", encoding="utf-8")
    result = localmem("ingest", talk.parent, "--jobs", "2")
    assert (result.code, result.out.splitlines()[-1]) == (0, "2 files read")


def test_an_unknown_format_is_wrong_usage_and_names_the_known_ones(localmem: CommandLine, talk: Path) -> None:
    result = localmem("ingest", talk, "--format", "docx")
    assert (result.code, result.out) == (2, "")
    assert result.err == (f"localmem: There is no format 'docx'.\n  The formats are: {', '.join(Format)}.\n")


def test_what_was_skipped_is_told(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    rows = ['{"speaker": "Ann", "text": "Hello"}', *["broken"] * 9, '{"speaker": "Bob", "text": "Hi"}']
    file.write_text("\n".join(rows), encoding="utf-8")
    lines = localmem("ingest", file, "--format", "jsonl").out.splitlines()
    assert "9 skipped" in lines[0]
    assert sum(line.startswith("  skipped line ") for line in lines) == 5
    assert "  ... and 4 more (all with --json)" in lines


def test_quietly_only_the_counts_are_told(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    file.write_text('{"speaker": "Ann", "text": "Hello"}\nbroken\n', encoding="utf-8")
    assert len(localmem("ingest", file, "-q", "--format", "jsonl").out.splitlines()) == 1


def test_a_name_of_a_file_cannot_move_the_cursor(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "talk\x1b[2J\u202etxt.txt"
    file.write_text(TALK, encoding="utf-8")
    result = localmem("ingest", file)
    assert result.code == 0
    assert not {"\x1b", "\u202e"} & set(result.out + result.err)


def test_a_name_of_a_file_cannot_make_lines_of_its_own(localmem: CommandLine, tmp_path: Path) -> None:
    good, bad = tmp_path / "talk\nx.txt (plain): 9 turns added\r.txt", tmp_path / "a\n\u2028b.txt"
    good.write_text(TALK, encoding="utf-8")
    bad.write_bytes(b"")
    lines = localmem("ingest", good, bad).out.splitlines()
    assert len(lines) == 4  # one each, a hint, and the sum
    assert "3 turns added" in lines[0]


def test_an_empty_path_is_wrong_usage(localmem: CommandLine, talk: Path) -> None:
    result = localmem("ingest", talk, "")
    assert (result.code, result.out) == (2, "")
    assert "empty path" in result.err


def test_a_file_of_which_nothing_became_a_turn_has_failed(localmem: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    for content in ('{"speaker": "Ann", "text": ""}\n', '{"messages": []}\n', "[]"):
        file.write_text(content, encoding="utf-8")
        result = localmem("ingest", file, "--format", "jsonl")
        assert (result.code, len(result.out.splitlines())) == (1, 2)


def test_a_memory_that_cannot_be_one_changes_nothing(localmem: CommandLine, talk: Path) -> None:
    before = talk.read_bytes()
    talk = talk.rename(talk.with_suffix(".db"))
    result = localmem("ingest", talk, "--memory", talk)
    assert (result.code, result.out) == (1, "")
    assert "is not a localmem memory" in result.err
    assert talk.read_bytes() == before


def test_progress_is_shown_on_a_terminal_and_the_results_are_the_same(
    localmem: CommandLine, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    first = localmem("ingest", talk, talk)
    assert "turns" in first.err
    assert "2/2 files" in first.err
    assert [line.split(": ")[1][:13] for line in first.out.splitlines()] == ["3 turns added", "0 turns added"]


def test_quietly_no_progress_is_shown(
    localmem: CommandLine, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert localmem("ingest", talk, "-q").err == ""
