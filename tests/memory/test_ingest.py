"""Files and folders into a memory."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from localmem.errors import (
    TranscriptError,
    UsageError,
)
from localmem.memory import Memory
from localmem.transcripts import Format
from localmem.values import FileReport
from tests.fakes import HashingEmbedder
from tests.memory.support import TALK, no_embedder, opened, refuse


class TestIngest:
    def test_every_file_has_its_report_as_soon_as_it_is_done(
        self, path: Path, file: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "other.txt"
        other.write_text("Cleo: Hello there.\nDan: Hi Cleo.\nCleo: How are you?\n", encoding="utf-8")
        told: list[FileReport] = []
        with opened(path) as memory:
            report = memory.ingest(file, other, on_file=told.append)
        assert list(report.files) == told
        assert [(one.path, one.added, one.error) for one in told] == [
            (str(file), 3, None),
            (str(other), 3, None),
        ]
        assert not report.failed

    def test_a_file_that_cannot_be_read_does_not_stop_the_others(
        self, path: Path, file: Path, tmp_path: Path
    ) -> None:
        bad = tmp_path / "bad.bin"
        bad.write_bytes(b"\x00\x01\x02" * 100)
        with opened(path) as memory:
            report = memory.ingest(tmp_path / "missing.txt", bad, file)
        assert [bool(one.error) for one in report.files] == [True, True, False]
        assert report.failed
        assert report.files[2].added == 3
        with pytest.raises(TranscriptError) as caught:
            report.raise_for_failure()
        assert (str(caught.value), caught.value.hint) == (report.files[0].error, report.files[0].hint)

    def test_when_all_files_were_read_nothing_is_raised(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file).raise_for_failure()

    def test_a_memory_is_made_by_the_first_turn(self, path: Path, file: Path) -> None:
        with Memory(path, embedder=HashingEmbedder, model=refuse) as memory:
            memory.ingest(path.with_name("missing.txt"))
            assert not path.exists()
            memory.ingest(file)
            assert not memory.empty
        assert path.exists()

    def test_a_memory_that_another_process_makes_meanwhile_is_joined(self, path: Path, file: Path) -> None:
        with Memory(path, embedder=HashingEmbedder, model=refuse) as memory:
            with opened(path) as other:
                other.ingest(file)
            (report,) = memory.ingest(file).files
        assert (report.added, report.known) == (0, 3)

    def test_a_folder_is_read_file_by_file(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            report = memory.ingest(file.parent)
        assert [one.path for one in report.files] == [str(file)]

    def test_standard_input_is_read(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TALK.encode())))
        with opened(path) as memory:
            (report,) = memory.ingest("-").files
        assert (report.path, report.added, report.error) == ("-", 3, None)

    def test_large_standard_input_is_read(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """More than is kept in memory: one turn of many lines, and the rest."""
        long = "Ann: " + ("a long line of a long story " * 50 + "\n") * 14_000
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((TALK + long + TALK).encode())))
        with opened(path) as memory:
            (report,) = memory.ingest("-").files
        assert (report.added, report.skipped_count) == (6, 1)

    def test_a_format_can_be_named(self, path: Path, tmp_path: Path) -> None:
        file = tmp_path / "talk.data"
        file.write_text('{"speaker": "Ann", "text": "Hello"}\n', encoding="utf-8")
        with opened(path) as memory:
            (report,) = memory.ingest(file, format=Format.JSONL).files
        assert (report.format, report.added) == ("jsonl", 1)

    def test_a_format_can_be_named_by_text(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            (report,) = memory.ingest(file, format="plain").files
            assert (report.format, report.added) == ("plain", 3)
            with pytest.raises(UsageError) as caught:
                memory.ingest(file, format="docx")
        assert "plain" in caught.value.hint

    @pytest.mark.parametrize("given", [["a.txt"], b"a.txt", None, ""])
    def test_what_is_no_path_is_wrong_usage_and_nothing_is_read(
        self, path: Path, file: Path, given: Any
    ) -> None:
        with opened(path, embedder=no_embedder) as memory, pytest.raises(UsageError) as caught:
            memory.ingest(file, given)
        assert caught.value.hint

    def test_a_folder_inside_that_cannot_be_read_has_a_report_and_the_rest_is_read(
        self, path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        inside = file.parent / "inside"
        inside.mkdir()
        real = os.scandir

        def scandir(folder: str) -> object:
            if Path(folder) == inside:
                raise PermissionError(13, "Permission denied", folder)
            return real(folder)

        monkeypatch.setattr(os, "scandir", scandir)
        with opened(path) as memory:
            first, second = memory.ingest(file.parent).files
        assert (first.path, first.error) == (str(inside), f"{inside}: Permission denied")
        assert (second.path, second.added, second.error) == (str(file), 3, None)

    def test_a_pipe_is_read(self, path: Path, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_text(TALK), daemon=True)
        writer.start()
        with opened(path) as memory:
            (report,) = memory.ingest(pipe).files
        writer.join(10)
        assert (report.path, report.added, report.error) == (str(pipe), 3, None)

    def test_progress_names_the_file(self, path: Path, file: Path) -> None:
        told: list[tuple[str, int, int]] = []
        with opened(path) as memory:
            memory.ingest(file, progress=lambda *one: told.append(one))
        assert told == [(str(file), 3, 3)]


class TestConversations:
    @pytest.fixture
    def several(self, tmp_path: Path) -> Path:
        """Two conversations, turn by turn."""
        rows = [
            f'{{"conversation": "{name}", "speaker": "Ann", "text": "{name} says {n}"}}'
            for n in range(5)
            for name in ("boats", "bread")
        ]
        file = tmp_path / "several.jsonl"
        file.write_text("\n".join(rows), encoding="utf-8")
        return file

    def test_each_has_its_transcript_and_a_note_says_that_they_share_a_memory(
        self, path: Path, several: Path
    ) -> None:
        with opened(path) as memory:
            first, second = memory.ingest(several).files
        assert [(one.transcript, one.added) for one in (first, second)] == [("boats", 5), ("bread", 5)]
        assert any("--conversation" in warning for warning in first.warnings)

    def test_one_of_them_can_be_chosen(self, path: Path, several: Path) -> None:
        with opened(path) as memory:
            (report,) = memory.ingest(several, conversation="bread").files
            units = memory.search("boats").units
        assert (report.transcript, report.added, report.error) == ("bread", 5, None)
        assert {unit.turn.text.split()[0] for unit in units} == {"bread"}

    def test_one_that_is_not_there_is_an_error_that_names_those_that_are(
        self, path: Path, several: Path
    ) -> None:
        with opened(path) as memory:
            report = memory.ingest(several, conversation="cars")
            assert memory.stats().transcripts == 0
        (file,) = report.files
        assert file.error is not None
        assert "'cars'" in file.error
        assert "boats, bread" in file.hint
