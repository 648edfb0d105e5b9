"""Where a memory lies, and how it is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from localmem.errors import (
    LocalmemError,
    ModelError,
    ModelMissingError,
    NotAMemoryError,
    StoreError,
    UsageError,
)
from localmem.memory import Memory, locate
from localmem.settings import Settings, settings
from localmem.store import Store
from tests.memory.support import opened


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
        "name",
        [
            "",
            ".hidden",
            "-x",
            "..",
            "a:b",
            "a*",
            "what?",
            'a"b',
            "a\\b",
            "a\nb",
            "a\0b",
            " ",
            " a",
            "a\x1b[2Jb",
            "a\u202eb",
        ],
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
