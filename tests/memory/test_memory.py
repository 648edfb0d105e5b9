"""The class that joins the parts: searching, asking, telling what is there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from localmem.errors import (
    StoreError,
    UsageError,
)
from localmem.index import cachefile
from localmem.recall.pipeline import cache_path
from localmem.values import Answer
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.memory.support import TALK, no_embedder, opened


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


def test_another_thread_is_told_to_open_its_own(path: Path) -> None:
    with opened(path) as memory, ThreadPoolExecutor(1) as pool:
        for use in (lambda: memory.search("ferry?"), memory.stats, memory.transcripts):
            with pytest.raises(StoreError, match="opened by another thread"):
                pool.submit(use).result()


def test_the_last_turns_of_a_transcript_are_at_hand(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    with opened(path, embedder=HashingEmbedder) as memory:
        memory.ingest(file)
        (transcript,) = memory.transcripts()
        assert [one.turn.speaker for one in memory.recent(transcript.id, 2)] == ["Bob", "Ann"]
        assert len(memory.recent(transcript.id, 9)) == 3
        assert memory.recent(transcript.id + 1, 2) == []
