"""Threads by the model, window by window: nothing is lost, whenever it ends and whoever writes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem import llm
from localmem.errors import EmbedderMismatchError, GrammarError, StoreError, TruncatedError
from localmem.llm.protocol import LanguageModel
from localmem.recall import forget, refine
from localmem.recall.pipeline import Recall
from localmem.recall.refine import WINDOW_TURNS, Refined
from localmem.recall.threads import MAXIMUM_TURNS, centre, sittings
from localmem.store import Store
from localmem.values import StoredTurn, Thread, Transcript, Turn
from tests.fakes import HashingEmbedder
from tests.recall.refiner import Refiner, shown
from tests.recall.support import ingest, stored_threads, talk

EMBEDDER = HashingEmbedder()
TURNS = 80
"""Of the talk in most tests: at least five windows."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "memory.db") as opened:
        ingest(opened, talk(TURNS))
        yield opened


def refined(
    store: Store,
    model: LanguageModel | None = None,
    *,
    limit: int | None = None,
    transcripts: tuple[int, ...] = (1,),
    progress: Callable[[Transcript, int, int], None] | None = None,
) -> list[Refined]:
    writer = model or Refiner()
    return refine.refine(store, transcripts, lambda: EMBEDDER, lambda: writer, limit=limit, progress=progress)


def marks(store: Store) -> list[bool]:
    """Whether each turn, in order, is in a thread that the model made; every turn must be in exactly one thread."""
    stored_threads(store, 1)
    assert store.check() + store.disorder() == []
    return [thread.refined for thread in store.threads_of(1) for _ in range(thread.turns)]


def by_model(store: Store) -> list[Thread]:
    return [thread for thread in store.threads_of(1) if thread.refined]


@given(
    st.lists(st.sampled_from([1, 1, 1, 1, 6 * 60]), min_size=1, max_size=70),
    st.sampled_from([min, max]),
)
@settings(max_examples=12)
def test_every_turn_ends_in_exactly_one_thread_that_the_model_made(
    tmp_path_factory: pytest.TempPathFactory, minutes: list[int], choose: Callable[[list[int]], int]
) -> None:
    turns = talk(len(minutes))
    at = turns[0].at
    assert at is not None
    for place, pause in enumerate(minutes):
        at += timedelta(minutes=pause)
        turns[place] = replace(turns[place], at=at)
    with Store.open(tmp_path_factory.mktemp("refine") / "memory.db") as store:
        ingest(store, turns)
        (report,) = refined(store, Refiner(choose))
        assert marks(store) == [True] * len(turns)
        assert (report.turns, report.failed, report.remaining) == (len(turns), 0, 0)
        assert report.threads == store.thread_count(1)
        ends = {end for _, end in sittings(turns)}
        assert ends <= {thread.last + 1 for thread in store.threads_of(1)}


def test_the_model_sees_each_turn_once_in_windows_of_one_sitting(store: Store) -> None:
    model = Refiner()
    refined(store, model)
    seen = [list(shown(prompt).values()) for prompt in model.prompts]
    assert [text for window in seen for _, text in window] == [turn.text for turn in talk(TURNS)]
    assert max(map(len, seen)) <= WINDOW_TURNS


def test_heads_are_those_of_the_model_with_people_and_day(store: Store) -> None:
    refined(store)
    first = store.threads_of(1)[0]
    assert first.head == "Bob says that Word0 about topic0 (Ann, 4 March 2025)"


def test_a_second_run_has_nothing_to_do_and_loads_no_model(store: Store) -> None:
    refined(store)
    before = store.threads_of(1), store.stamp("threads")

    def none() -> LanguageModel:
        raise AssertionError("there is nothing to write")

    (report,) = refine.refine(store, [1], lambda: EMBEDDER, none)
    assert (report.turns, report.remaining) == (0, 0)
    assert (store.threads_of(1), store.stamp("threads")) == before


@pytest.mark.parametrize("replies", range(5))
@pytest.mark.parametrize("end", [KeyboardInterrupt, RuntimeError])
def test_whenever_it_ends_the_next_run_goes_on_to_the_same_threads(
    store: Store, tmp_path: Path, replies: int, end: type[BaseException]
) -> None:
    with Store.open(tmp_path / "whole.db") as whole:
        ingest(whole, talk(TURNS))
        refined(whole)
        expected = stored_threads(whole, 1)

    def stop(count: int) -> None:
        if count == replies:
            raise end

    with pytest.raises(end):
        refined(store, Refiner(before=stop))
    done = marks(store)
    assert done == sorted(done, reverse=True)  # a beginning, window by window
    assert (sum(done) > 0) == (replies > 0)
    model = Refiner()
    refined(store, model)
    assert stored_threads(store, 1) == expected
    assert sum(len(shown(prompt)) for prompt in model.prompts) == TURNS - sum(done)


def test_the_limit_ends_a_run_and_the_next_one_goes_on(store: Store) -> None:
    (report,) = refined(store, limit=1)
    assert 1 <= report.turns <= WINDOW_TURNS
    assert report.remaining == TURNS - report.turns
    assert sum(marks(store)) == report.turns
    (rest,) = refined(store)
    assert (rest.turns, rest.remaining) == (report.remaining, 0)


def test_the_limit_counts_over_all_transcripts(store: Store) -> None:
    ingest(store, [replace(turn, text=f"Other {turn.text}") for turn in talk(20)], path="b.txt", name="b")
    reports = refined(store, limit=TURNS + 1, transcripts=(1, 2))
    assert [report.transcript.name for report in reports] == ["talk", "b"]
    assert [report.remaining > 0 for report in reports] == [False, True]
    assert len(refined(store, limit=1, transcripts=(2, 1))) == 1


def test_progress_counts_the_turns_of_all_that_is_to_do(store: Store) -> None:
    ingest(store, [replace(turn, text=f"Other {turn.text}") for turn in talk(20)], path="b.txt", name="b")
    told: list[tuple[str, int, int]] = []
    refined(store, transcripts=(1, 2), progress=lambda one, done, total: told.append((one.name, done, total)))
    assert {total for _, _, total in told} == {TURNS + 20}
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})
    assert told[-1] == ("b", TURNS + 20, TURNS + 20)
    assert {name for name, _, _ in told} == {"talk", "b"}


@pytest.mark.parametrize("error", [TruncatedError("too long"), GrammarError("broken")])
def test_a_window_that_the_model_cannot_manage_stays_and_the_rest_goes_on(
    store: Store, error: Exception
) -> None:
    def fail(count: int) -> None:
        if count == 1:
            model.prompts.append(model.prompts[0])
            raise error

    model = Refiner(before=fail)
    (report,) = refined(store, model)
    assert report.failed > 0
    assert report.turns == TURNS - report.failed
    assert report.remaining == report.failed
    assert sum(marks(store)) == report.turns
    (again,) = refined(store)
    assert (again.turns, again.remaining) == (report.failed, 0)


def test_turns_that_are_added_while_the_model_writes_are_refined_as_well(store: Store) -> None:
    turns = talk(TURNS)
    more = [Turn("Cleo", f"Between {n}.", turns[5].at, f"line b{n}") for n in range(4)]

    def add(count: int) -> None:
        if count == 0:  # into the window that is being read
            with Store.open(store.path) as other:
                ingest(other, [*turns[:6], *more, *turns[6:]])
        if count == 3:  # behind what is done
            with Store.open(store.path) as other:
                ingest(other, [Turn("Dan", "First of all.", None, "line 0"), *turns])

    (report,) = refined(store, Refiner(before=add))
    assert marks(store) == [True] * (TURNS + 5)
    assert report.remaining == 0


def test_turns_that_are_forgotten_while_the_model_writes_leave_no_trace(store: Store) -> None:
    def drop(count: int) -> None:
        if count == 1:
            with Store.open(store.path) as other:
                gone = [one.id for one in other.turns_between(1, 16, 30)]
                forget.forget(other, gone)

    refined(store, Refiner(before=drop))
    assert marks(store) == [True] * (TURNS - 15)
    assert not any(f"Word{n} " in thread.head for thread in store.threads_of(1) for n in range(16, 31))


def test_a_transcript_that_is_forgotten_meanwhile_ends_its_run(store: Store) -> None:
    def drop(count: int) -> None:
        if count == 1:
            with Store.open(store.path) as other:
                forget.forget(other, [one.id for one in other.turns_between(1, 0, TURNS)])

    ingest(store, [replace(turn, text=f"Other {turn.text}") for turn in talk(20)], path="b.txt", name="b")
    first, second = refined(store, Refiner(before=drop), transcripts=(1, 2))
    assert (first.remaining, second.turns, second.remaining) == (0, 20, 0)


def test_the_vector_of_a_thread_is_of_its_turns_and_its_head(store: Store) -> None:
    refined(store)
    for thread in store.threads_of(1):
        turns = store.turns_between(1, thread.first, thread.last)
        expected = centre(store.vectors([one.id for one in turns]), EMBEDDER.encode([thread.head])[0])
        np.testing.assert_allclose(store.thread_vectors([thread.id])[0], expected, atol=1e-6)


def test_search_finds_everything_before_after_and_in_between(store: Store) -> None:
    recall = Recall(store, lambda: EMBEDDER)
    for limit in (None, 15, 15, TURNS):
        if limit is not None:
            refined(store, limit=limit)
        for n in (0, 17, 44, 59):
            for searcher in (recall, Recall(store, lambda: EMBEDDER)):  # its index held, and read anew
                found = searcher.search(f"Word{n} about topic{n // 5}")
                assert talk(TURNS)[n].text in [unit.turn.text for unit in found.units]
                assert {unit.stored.thread for unit in found.units} == {one.id for one in found.threads}
        index = recall._index("threads")
        ids, vectors = store.head_vectors()
        near, _ = index.search(vectors, 1)
        assert index.size == len(ids)
        np.testing.assert_allclose(
            (vectors * store.thread_vectors(near[:, 0].tolist())).sum(axis=1), 1, atol=1e-5
        )


def test_turns_that_follow_leave_the_threads_of_the_model_as_they_are(store: Store) -> None:
    refined(store)
    before = store.threads_of(1)
    ingest(store, talk(TURNS + 9))
    assert store.threads_of(1)[: len(before)] == before
    assert marks(store) == [True] * TURNS + [False] * 9
    refined(store)
    assert store.threads_of(1)[: len(before)] == before
    assert marks(store) == [True] * (TURNS + 9)


def test_turns_between_them_make_one_thread_longer_or_their_own(store: Store) -> None:
    refined(store)
    before = store.threads_of(1)
    short = next(thread for thread in before if thread.turns < MAXIMUM_TURNS - 1)
    turns = talk(TURNS)
    inside = Turn("Cleo", "By the way.", turns[short.first].at, "line x")
    between = Turn("Cleo", "Besides.", turns[short.last].at, "line y")
    split, end = short.first + 1, short.last + 1
    ingest(store, [*turns[:split], inside, *turns[split:end], between, *turns[end:]])
    assert [thread.id for thread in by_model(store)] == [thread.id for thread in before]
    (longer,) = store.threads([short.id])
    assert (longer.turns, longer.head) == (short.turns + 1, short.head)
    assert sum(not mark for mark in marks(store)) == 1


def test_a_thread_into_which_much_is_put_is_cut_anew_and_no_other(store: Store) -> None:
    refined(store)
    before = store.threads_of(1)
    long = before[2]
    turns = talk(TURNS)
    more = [Turn("Cleo", f"Between {n}.", turns[long.first].at, f"line b{n}") for n in range(30)]
    ingest(store, [*turns[: long.first + 1], *more, *turns[long.first + 1 :]])
    assert [thread.id for thread in by_model(store)] == [one.id for one in before if one is not long]
    assert marks(store).count(False) == long.turns + 30


def test_a_forgotten_turn_takes_the_head_of_its_thread_along_and_no_other(store: Store) -> None:
    refined(store)
    before = store.threads_of(1)
    (gone,) = store.turns_between(1, 20, 20)
    forget.forget(store, [gone.id])
    assert [thread.head for thread in by_model(store)] == [
        thread.head for thread in before if thread.id != gone.thread
    ]
    refined(store)
    assert marks(store) == [True] * (TURNS - 1)


def test_the_models_that_made_threads_are_noted_once(store: Store) -> None:
    first, second = Refiner(), Refiner()
    second.id = "another model.gguf"
    refined(store, first, limit=1)
    refined(store, first, limit=15)
    refined(store, second)
    assert store.stats().models == ("fake-hashing", "fake-scripted", "another_model.gguf")
    assert store.stats().refined_threads == store.thread_count(1)


def test_vectors_of_another_embedder_are_an_error_before_the_model_writes(store: Store) -> None:
    model = Refiner()
    other = HashingEmbedder(id="other")
    with pytest.raises(EmbedderMismatchError):
        refine.refine(store, [1], lambda: other, lambda: model)
    assert model.prompts == []


def test_a_memory_that_cannot_be_written_is_an_error_before_the_model_writes(store: Store) -> None:
    store.path.chmod(0o400)
    model = Refiner()
    with Store.open(store.path) as opened:
        opened.read_only = True
        opened._run("PRAGMA query_only = ON")
        with pytest.raises(StoreError):
            refined(opened, model)
    assert model.prompts == []


def test_a_window_that_always_differs_from_what_was_read_is_left(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a damaged memory, where the model would write for ever."""
    read = Store.turns_of_threads
    first = store.threads_of(1)[0].id

    def twisted(self: Store, ids: Sequence[int]) -> list[StoredTurn]:
        found = read(self, ids)
        return found[::-1] if first in ids and self._depth else found

    monkeypatch.setattr(Store, "turns_of_threads", twisted)
    (report,) = refined(store)
    assert 0 < report.failed < TURNS
    assert report.remaining == report.failed


def test_the_plan_counts_what_is_left(store: Store) -> None:
    (planned,) = refine.plan(store, [1])
    model = Refiner()
    refined(store, model)
    assert (planned.remaining, planned.windows) == (TURNS, len(model.prompts))
    assert planned.tokens > TURNS
    (after,) = refine.plan(store, [1])
    assert (after.remaining, after.windows, after.tokens) == (0, 0, 0)


@pytest.mark.engine
@pytest.mark.parametrize("letters", ["", "Привет "])
def test_a_real_model_can_only_write_threads_that_hold_every_turn(
    tmp_path: Path, small_model_path: Path, letters: str
) -> None:
    turns = [replace(turn, text=letters + turn.text) for turn in talk(12)]
    model = llm.load(small_model_path)
    try:
        with Store.open(tmp_path / "memory.db") as store:
            ingest(store, turns)
            (report,) = refined(store, model)
            assert report.turns + report.failed == 12  # a model of 135M may come to no end
            assert sum(marks(store)) == report.turns
    finally:
        model.close()
