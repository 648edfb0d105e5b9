"""Shares of gold turns, baselines and tables, with a hashing embedder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from localmem.bench.questions import Talk
from localmem.bench.recall import ABLATIONS, COMPARED, TOGETHER, TWICE, TWICE_IDENTITY, Plan, run, said_again
from localmem.bench.recall_tables import figures, tables
from localmem.bench.refined import adopt
from localmem.errors import BenchError
from localmem.recall import refine
from localmem.recall.ingest import Ingest
from localmem.store import Store
from localmem.values import Turn
from tests.bench.locomo import talks
from tests.fakes import HashingEmbedder
from tests.recall.refiner import Refiner


def test_each_answerable_question_has_a_result(tmp_path: Path) -> None:
    results = run(talks(tmp_path), HashingEmbedder(), Plan())
    assert [result.kind for result in results] == ["single-hop", "multi-hop", "temporal"]
    assert {result.shares["localmem"] for result in results} == {1.0}  # six turns all fit
    assert [result.candidate_recall for result in results] == [1.0] * 3


def test_baselines_have_the_same_units_and_the_same_tokens(tmp_path: Path) -> None:
    result = run(talks(tmp_path), HashingEmbedder(), Plan(budget=1))[0]
    assert result.units == 1
    assert result.shares.keys() == {
        "localmem", "dense", "bm25", "rrf", "dense, tokens", "bm25, tokens", "rrf, tokens",
    }  # fmt: skip
    assert result.shares["bm25"] == 1


def test_every_ablation_has_a_share(tmp_path: Path) -> None:
    results = run(talks(tmp_path, "a", "b"), HashingEmbedder(), Plan(ablate=True))
    for result in results:
        assert {*ABLATIONS, TOGETHER, TWICE, TWICE_IDENTITY} <= result.shares.keys()


def test_what_is_said_twice_takes_two_places_without_coverage(tmp_path: Path) -> None:
    results = run(talks(tmp_path), HashingEmbedder(512), Plan(budget=2, ablate=True))
    both = results[1]  # two gold turns
    assert both.shares[TWICE_IDENTITY] <= both.shares[TWICE]


def test_turns_that_are_said_again_keep_their_sources_and_change_their_text(tmp_path: Path) -> None:
    [talk] = talks(tmp_path)
    before = [event for event in talk.events if isinstance(event, Turn)]
    again = [event for event in said_again(talk.events) if isinstance(event, Turn)]
    assert [one.source for one in again] == [one.source for one in before]
    assert all(one.text != other.text for one, other in zip(again, before, strict=True))


def test_the_tables_have_a_row_for_each_kind_and_each_conversation(tmp_path: Path) -> None:
    plan = Plan(ablate=True, fitted_on=("a",))
    results = run(talks(tmp_path, "a", "b"), HashingEmbedder(), plan)
    text = "\n".join(tables(results, plan))
    for label in ("| all |", "| held out: multi-hop |", "| a (fitted on) |", "| b |", "| K = identity |", "| said twice |"):  # fmt: skip
        assert label in text


def test_the_figures_of_a_run(tmp_path: Path) -> None:
    plan = Plan(budget=4)
    found = figures(run(talks(tmp_path), HashingEmbedder(), plan), plan)
    assert (found["questions"], found["budget"], found["units"]) == (3, 4, 4.0)
    assert found["candidate_recall"] == 1
    assert found["units_per_thread"] == pytest.approx(found["units"] / found["threads"])


def refined_memory(tmp_path: Path, *talks: Talk) -> Path:
    path = tmp_path / "refined.db"
    with Store.open(path) as store:
        for talk in talks:
            Ingest(store, HashingEmbedder()).file(talk.name, lambda talk=talk: iter(talk.events))  # type: ignore[misc]
        refine.refine(store, [one.id for one in store.transcripts()], HashingEmbedder, Refiner)
    return path


def test_threads_of_a_model_are_compared_with_the_fast_ones(tmp_path: Path) -> None:
    first, second = talks(tmp_path, "a", "b")
    both = [first, replace(second, events=tuple(said_again(second.events)))]
    plan = Plan(refined=refined_memory(tmp_path, *both))
    results = run(both, HashingEmbedder(), plan)
    for result in results:
        assert {*COMPARED} <= result.shares.keys()
        assert result.shares["fast"] == result.shares["localmem"]
        assert result.shares["fast, candidate recall"] == result.candidate_recall
    found = figures(results, plan)
    assert (found["refined"], found["refined, candidate recall"]) == (1, 1)  # six turns all fit
    assert "| refined, ten threads | 1.000 |" in "\n".join(tables(results, plan))


def test_a_memory_gets_the_threads_heads_and_vectors_of_the_refined_one(tmp_path: Path) -> None:
    [talk] = talks(tmp_path)
    path = refined_memory(tmp_path, talk)
    with Store.open(tmp_path / "fast.db") as store, Store.open(path) as refined:
        Ingest(store, HashingEmbedder()).file(talk.name, lambda: iter(talk.events))
        assert adopt(store, refined) == store.transcripts()[0].turns
        mine, theirs = store.threads_of(1), refined.threads_of(1)
        assert [(one.first, one.last, one.head, one.refined) for one in mine] == [
            (one.first, one.last, one.head, one.refined) for one in theirs
        ]
        assert np.array_equal(store.head_vectors()[1], refined.head_vectors()[1])


def test_a_refined_memory_of_something_else_is_an_error(tmp_path: Path) -> None:
    [talk] = talks(tmp_path)
    kept = [event for event in talk.events if not (isinstance(event, Turn) and event.source == "D1:6")]
    other = replace(talk, events=tuple(kept))
    with pytest.raises(BenchError, match="other turns"):
        run([talk], HashingEmbedder(), Plan(refined=refined_memory(tmp_path, other)))
    with Store.open(tmp_path / "none.db"):
        pass
    with pytest.raises(BenchError, match="no transcript"):
        run([talk], HashingEmbedder(), Plan(refined=tmp_path / "none.db"))
