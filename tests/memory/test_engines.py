"""Engines are made at first use, once, and freed."""

from __future__ import annotations

from pathlib import Path

import pytest

from localmem.errors import (
    EmbedderMismatchError,
    ModelError,
)
from localmem.recall.answer import NOT_IN_MEMORY
from localmem.settings import Settings
from tests.fakes import HashingEmbedder, ScriptedModel
from tests.memory.support import no_embedder, opened, refuse


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
