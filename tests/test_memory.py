"""The class that joins the parts."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from localmem.errors import (
    EmbedderMismatchError,
    LocalmemError,
    ModelError,
    ModelMissingError,
    NotAMemoryError,
    StoreError,
    TranscriptError,
    UsageError,
)
from localmem.index import cachefile
from localmem.memory import Memory, locate
from localmem.recall.answer import NOT_IN_MEMORY
from localmem.recall.pipeline import cache_path
from localmem.settings import Settings, settings
from localmem.store import Store
from localmem.transcripts import Format
from localmem.values import Answer, FileReport
from tests.fakes import HashingEmbedder, ScriptedModel

TALK = "Ann: The ferry to Ullapool leaves at nine.\nBob: Thanks!\nAnn: Bring a coat, it is cold.\n"


def refuse() -> ScriptedModel:
    raise AssertionError("a model of language was made")


def no_embedder() -> HashingEmbedder:
    raise AssertionError("an embedder was made")


def opened(
    path: Path,
    *,
    embedder: Callable[[], HashingEmbedder] = HashingEmbedder,
    model: Callable[[], ScriptedModel] = refuse,
) -> Memory:
    return Memory(Store.open(path), embedder=embedder, model=model)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    return file


class TestLocate:
    chosen = Settings(memories_dir=Path("/memories"), memory="mine")

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("work", "/memories/work.db"),
            ("Tag 1 ü 日本", "/memories/Tag 1 ü 日本.db"),
            ("a.b", "/memories/a.b.db"),
            ("work.db", "work.db"),
            ("folder/work.db", "folder/work.db"),
            ("./work.db", "./work.db"),
            ("/elsewhere/work.db", "/elsewhere/work.db"),
            (None, "/memories/mine.db"),
        ],
    )
    def test_a_name_lies_among_the_memories_and_a_path_where_it_says(
        self, given: str | None, expected: str
    ) -> None:
        assert locate(given, self.chosen) == Path(expected)

    def test_a_path_object_is_never_a_name(self) -> None:
        assert locate(Path("work"), self.chosen) == Path("work")

    @pytest.mark.parametrize("given", ["folder/work", "./work", "/elsewhere/", "a/.db", "~"])
    def test_a_path_written_as_text_ends_in_db(self, given: str) -> None:
        with pytest.raises(UsageError) as caught:
            locate(given, self.chosen)
        assert ".db" in caught.value.hint

    def test_a_tilde_is_the_home(self) -> None:
        assert locate("~/work.db", self.chosen) == Path.home() / "work.db"

    @pytest.mark.parametrize(
        "name", ["", ".hidden", "-x", "..", "a:b", "a*", "what?", 'a"b', "a\\b", "a\nb", "a\0b"]
    )
    def test_what_cannot_be_a_name_everywhere_is_refused(self, name: str) -> None:
        with pytest.raises(UsageError) as caught:
            locate(name, self.chosen)
        assert caught.value.hint

    @pytest.mark.parametrize(
        "given", ["a\udc80", "a\ud800", "a\0.db", Path("a\0.db"), Path("a\ud800.db"), 7, b"work", ["work"]]
    )
    def test_what_cannot_be_the_name_of_a_file_is_refused(self, given: Any) -> None:
        with pytest.raises(UsageError) as caught:
            Memory.open(given)
        assert caught.value.hint

    def test_the_home_of_nobody_is_refused(self) -> None:
        with pytest.raises(UsageError):
            locate("~nobody-of-that-name/work.db", self.chosen)


class TestOpen:
    def test_a_name_makes_a_file_among_the_memories(self) -> None:
        with Memory.open("work") as memory:
            assert memory.path == settings().memories_dir / "work.db"
            assert not memory.path.exists()
            assert memory.empty
            assert memory.path.exists()

    def test_opening_loads_no_engine(self) -> None:
        """Neither model is on this machine."""
        with Memory.open("work") as memory:
            assert memory.stats().turns == 0

    def test_two_names_are_two_files(self, file: Path) -> None:
        with opened(locate("one", settings())) as memory:
            memory.ingest(file)
        with Memory.open("two") as memory:
            assert memory.stats().turns == 0

    def test_a_missing_memory_is_one_line_and_a_hint(self, path: Path) -> None:
        with pytest.raises(StoreError) as caught:
            Memory.open(path, create=False)
        assert (str(caught.value), caught.value.hint) == (
            f"There is no memory at {path}.",
            f"Make one with: localmem ingest FILE --memory {path}",
        )
        assert not path.exists()

    def test_the_hint_of_a_missing_memory_names_those_that_there_are(self) -> None:
        for name in ("work", "family"):
            Store.open(locate(name, settings())).close()
        with pytest.raises(StoreError) as caught:
            Memory.open("wrok", create=False)
        assert caught.value.hint == (
            "There are: family, work. Make another with: localmem ingest FILE --memory wrok"
        )

    def test_a_file_of_others_is_left_as_it_is(self, path: Path) -> None:
        path.write_bytes(b"somebody's notes")
        with pytest.raises(NotAMemoryError):
            Memory.open(path)
        assert path.read_bytes() == b"somebody's notes"

    def test_a_folder_is_no_memory(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError):
            Memory.open(tmp_path)

    def test_a_missing_embedder_names_the_command_that_brings_it(self, file: Path) -> None:
        with Memory.open("work") as memory, pytest.raises(ModelMissingError) as caught:
            memory.ingest(file)
        assert "localmem models pull all-minilm-l6-v2" in caught.value.hint

    def test_a_missing_model_names_the_command_that_brings_it(self, path: Path, file: Path) -> None:
        with Memory.open(path, model="smollm2-135m") as memory, pytest.raises(ModelMissingError) as caught:
            _ = memory.model
        assert "localmem models pull smollm2-135m" in caught.value.hint

    def test_an_embedder_is_no_model_of_language(self, path: Path) -> None:
        with Memory.open(path, model="all-minilm-l6-v2") as memory, pytest.raises(ModelError) as caught:
            _ = memory.model
        assert str(caught.value) == "all-minilm-l6-v2 makes vectors, not answers"

    def test_an_unknown_model_is_an_error_of_ours(self, path: Path) -> None:
        with Memory.open(path, model="gpt-99") as memory, pytest.raises(LocalmemError):
            _ = memory.model

    def test_the_settings_can_be_given(self, tmp_path: Path) -> None:
        with Memory.open(settings=Settings(memories_dir=tmp_path, memory="mine")) as memory:
            assert memory.path == tmp_path / "mine.db"


class TestEngines:
    def test_stats_make_no_engine(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file)
        with opened(path, embedder=no_embedder) as memory:
            assert memory.stats().turns == 3

    def test_ingest_and_search_make_no_model_of_language(self, path: Path, file: Path) -> None:
        with opened(path, model=refuse) as memory:
            memory.ingest(file)
            assert len(memory.search("ferry").units) == 3

    def test_an_engine_is_made_once(self, path: Path, file: Path) -> None:
        made: list[object] = []

        def embedder() -> HashingEmbedder:
            made.append(HashingEmbedder())
            return HashingEmbedder()

        with opened(path, embedder=embedder) as memory:
            memory.ingest(file)
            memory.search("ferry")
            memory.search("coat")
        assert len(made) == 1

    def test_asking_an_empty_memory_makes_no_model_of_language(self, path: Path) -> None:
        with opened(path) as memory:
            assert memory.ask("Who?").text == NOT_IN_MEMORY

    def test_another_embedder_is_refused_and_the_mend_is_named(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file)
        other = opened(path, embedder=lambda: HashingEmbedder(32, id="another"))
        with other, pytest.raises(EmbedderMismatchError) as caught:
            other.search("ferry")
        assert "LOCALMEM_EMBEDDER=fake-hashing" in caught.value.hint

    def test_closing_frees_the_model(self, path: Path, file: Path) -> None:
        closed: list[bool] = []

        class Closing(ScriptedModel):
            def close(self) -> None:
                closed.append(True)

        with opened(path, model=lambda: Closing(["[1] at nine"])) as memory:
            memory.ingest(file)
            memory.ask("when does the ferry leave?")
        assert closed == [True]

    def test_closing_twice_does_nothing(self, path: Path) -> None:
        memory = opened(path)
        memory.close()
        memory.close()

    def test_closing_makes_no_engine(self, path: Path) -> None:
        opened(path, embedder=no_embedder).close()


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


class TestSearchAndAsk:
    def test_a_search_between_the_batches_of_an_ingest_finds_what_is_there(
        self, path: Path, tmp_path: Path
    ) -> None:
        file = tmp_path / "long.txt"
        file.write_text("\n".join(f"Ann: Number {n} of them." for n in range(400)), encoding="utf-8")
        seen: list[tuple[int, int]] = []
        with opened(path) as memory:

            def look(name: str, done: int, total: int) -> None:
                best = max(
                    memory.search(f"Number {done - 1}").units, key=lambda one: one.scores["words_window"]
                )
                seen.append((done, int(best.turn.text.split()[1])))

            memory.ingest(file, progress=look)
        assert seen == [(done, done - 1) for done in (128, 256, 384, 400)]

    @pytest.mark.parametrize(
        "limits",
        [
            *({"budget": value} for value in (0, -1, 1.5, "16", None, True)),
            *({"hops": value} for value in (-1, 9, 1.0, "2", None)),
        ],
    )
    def test_a_limit_that_makes_no_sense_is_wrong_usage(self, path: Path, limits: dict[str, Any]) -> None:
        with opened(path, embedder=no_embedder) as memory:
            for call in (memory.search, memory.ask):
                with pytest.raises(UsageError) as caught:
                    call("ferry", **limits)
                assert caught.value.hint
            with pytest.raises(UsageError):
                memory.search("ferry", tokens=0)

    @pytest.mark.parametrize("question", ["", " \n", None, 7, b"ferry", ["ferry"]])
    def test_a_question_that_says_nothing_is_wrong_usage(self, path: Path, question: Any) -> None:
        with opened(path, embedder=no_embedder) as memory:
            for call in (memory.search, memory.ask):
                with pytest.raises(UsageError) as caught:
                    call(question)
                assert caught.value.hint

    def test_the_budget_limits_the_turns(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file)
            assert len(memory.search("ferry", budget=2).units) == 2

    def test_tokens_limit_the_turns(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file)
            assert len(memory.search("ferry", tokens=20).units) == 1

    def test_an_answer_cites_turns_with_their_file(self, path: Path, file: Path) -> None:
        def model() -> ScriptedModel:
            return ScriptedModel(["[1] At nine."])

        with opened(path, model=model) as memory:
            memory.ingest(file)
            answer = memory.ask("When does the ferry leave?")
        assert isinstance(answer, Answer)
        (citation,) = answer.citations
        assert (citation.stored.turn.source, citation.transcript.path) == ("line 1", str(file))
        assert answer.seconds > 0


class TestStats:
    def test_stats_count_what_is_there(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file)
            stats = memory.stats()
        assert (stats.transcripts, stats.turns, stats.indexed_turns) == (1, 3, 3)
        assert stats.threads == stats.indexed_threads >= 1
        assert (stats.embedder, stats.dimension, stats.path) == ("fake-hashing", 64, str(path))

    def test_the_transcripts_are_listed(self, path: Path, file: Path) -> None:
        with opened(path) as memory:
            memory.ingest(file)
            (transcript,) = memory.transcripts()
        assert (transcript.name, transcript.turns, transcript.path) == ("talk", 3, str(file))

    def test_the_caches_count_among_the_bytes(
        self, path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cachefile, "WORTHWHILE", 1)
        with opened(path) as memory:
            memory.ingest(file)
            before = memory.stats().bytes
            memory.search("ferry")
            caches = sum(cache_path(path, what).stat().st_size for what in ("turns", "threads"))
            assert memory.stats().bytes == before + caches


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


def test_another_thread_is_told_to_open_its_own(path: Path) -> None:
    with opened(path) as memory, ThreadPoolExecutor(1) as pool:
        for use in (lambda: memory.search("ferry?"), memory.stats, memory.transcripts):
            with pytest.raises(StoreError, match="opened by another thread"):
                pool.submit(use).result()


def test_another_model_takes_the_place_of_the_one_that_is_closed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []
    asked: list[str] = []

    class Closing(ScriptedModel):
        def close(self) -> None:
            closed.append(self.id)

    def load(spec: str, _: Settings) -> ScriptedModel:
        asked.append(spec)
        return ScriptedModel()

    monkeypatch.setattr("localmem.engines.load_model", load)
    monkeypatch.setattr("localmem.models.locate", lambda spec, **_: None)
    with opened(path, model=Closing) as memory:
        former = memory.model
        memory.change_model("smollm2-135m")
        assert (closed, asked) == ([former.id], [])
        assert memory.model is not former
        assert asked == ["smollm2-135m"]


@pytest.mark.parametrize("model", ["no-such-model", "smollm2-135m", "all-minilm-l6-v2", "missing.gguf"])
def test_a_model_that_cannot_be_used_leaves_the_present_one(path: Path, model: str) -> None:
    with opened(path, model=ScriptedModel) as memory:
        former = memory.model
        with pytest.raises(ModelError):
            memory.change_model(model)
        assert memory.model is former


def test_the_last_turns_of_a_transcript_are_at_hand(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    with opened(path, embedder=HashingEmbedder) as memory:
        memory.ingest(file)
        (transcript,) = memory.transcripts()
        assert [one.turn.speaker for one in memory.recent(transcript.id, 2)] == ["Bob", "Ann"]
        assert len(memory.recent(transcript.id, 9)) == 3
        assert memory.recent(transcript.id + 1, 2) == []
