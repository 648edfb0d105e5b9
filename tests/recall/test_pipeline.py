"""From a question to a workspace, over a real memory file."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from localmem.errors import EmbedderMismatchError
from localmem.index import cachefile
from localmem.recall.neighbourhood import Limits
from localmem.recall.pipeline import Recall, cache_path
from localmem.recall.workspace import Options
from localmem.select import Budget, Mix
from localmem.store import Store
from localmem.values import Role, Turn, Workspace
from tests.fakes import HashingEmbedder
from tests.recall.support import NOON, ingest, talk, turn

FERRY = "The ferry to Ullapool leaves the harbour at nine."


def recall(store: Store) -> Recall:
    return Recall(store, HashingEmbedder)


def conversation() -> list[Turn]:
    """200 turns of chatter over days, with one that matters."""
    turns = talk(200, every=timedelta(minutes=40))
    turns[120] = replace(turns[120], text=FERRY)
    return turns


def chosen(workspace: Workspace) -> list[tuple[int, Role, float]]:
    return [(unit.stored.id, unit.role, unit.priority) for unit in workspace.units]


def texts(workspace: Workspace) -> list[str]:
    return [unit.turn.text for unit in workspace.units]


def test_the_turn_that_answers_is_found(store: Store) -> None:
    ingest(store, conversation())
    workspace = recall(store).search("When does the ferry to Ullapool leave?")
    best = max(workspace.units, key=lambda unit: unit.scores["relevance"])
    assert (best.turn.text, best.role) == (FERRY, Role.ANCHOR)
    assert best.priority == max(unit.priority for unit in workspace.units)


def test_a_workspace_says_where_everything_comes_from(store: Store) -> None:
    ingest(store, conversation())
    workspace = recall(store).search("When does the ferry to Ullapool leave?")
    assert len(workspace.units) == 16
    assert {unit.stored.thread for unit in workspace.units} == {thread.id for thread in workspace.threads}
    assert {thread.transcript for thread in workspace.threads} == set(workspace.transcripts) == {1}
    assert 16 < workspace.candidates < 200
    assert 0 < workspace.coverage < 1
    assert sum(workspace.demands.values()) == pytest.approx(1)
    assert set(workspace.seconds) == {"embed", "find", "score", "spread", "select"}


def test_units_are_in_the_order_of_time(store: Store) -> None:
    ingest(store, conversation())
    positions = [unit.stored.position for unit in recall(store).search("topic3 topic9 ferry").units]
    assert positions == sorted(positions)


def test_units_of_two_transcripts_are_in_the_order_of_time(store: Store) -> None:
    ingest(store, [turn("The ferry was late.", at=NOON + timedelta(days=1))], name="later")
    ingest(store, [turn("The ferry is blue.", at=NOON)], name="earlier")
    assert texts(recall(store).search("ferry")) == ["The ferry is blue.", "The ferry was late."]


def test_the_budget_is_kept(store: Store) -> None:
    ingest(store, conversation())
    assert len(recall(store).search("ferry", options=Options(Budget(units=3))).units) == 3


def test_two_searches_give_the_same(store: Store) -> None:
    ingest(store, conversation())
    one = recall(store)
    assert (
        chosen(one.search("the ferry"))
        == chosen(one.search("the ferry"))
        == chosen(recall(store).search("the ferry"))
    )


def test_an_empty_memory_gives_an_empty_workspace(store: Store) -> None:
    workspace = recall(store).search("Anything?")
    assert (workspace.units, workspace.threads, workspace.candidates, workspace.coverage) == ((), (), 0, 0.0)


def test_a_memory_of_one_turn_gives_that_turn(store: Store) -> None:
    ingest(store, [turn("Hello.")])
    assert texts(recall(store).search("What?")) == ["Hello."]


@pytest.mark.parametrize(
    "question", ["", "?", "the of and", '" OR * NEAR(', "ferry\x00\ud800", "x" * 10_000, "日本"]
)
def test_any_text_can_be_searched_for(store: Store, question: str) -> None:
    ingest(store, conversation())
    question = question.encode("utf-8", "replace").decode()
    assert len(recall(store).search(question).units) == 16


def test_turns_that_are_all_the_same_can_be_searched(store: Store) -> None:
    ingest(store, [turn("Ok.")] * 40)
    assert len(recall(store).search("Ok?").units) == 16


def test_no_hops_mean_that_the_graph_brings_nothing(store: Store) -> None:
    ingest(store, conversation())
    without = recall(store).search("ferry Ullapool", limits=Limits(hops=0))
    assert FERRY in texts(without)


@pytest.mark.parametrize(
    "options",
    [Options(roles=False), Options(mix=Mix(identity=True)), Options(Budget(units=16, coverage=0.9))],
    ids=["no roles", "identity", "coverage"],
)
def test_every_ablation_finds_the_turn_that_answers(store: Store, options: Options) -> None:
    ingest(store, conversation())
    assert FERRY in texts(recall(store).search("When does the ferry to Ullapool leave?", options=options))


def test_what_is_added_later_is_found(store: Store) -> None:
    ingest(store, talk(100))
    held = recall(store)
    assert FERRY not in texts(held.search("ferry to Ullapool"))
    ingest(store, [*talk(100), turn(FERRY)])
    assert FERRY in texts(held.search("ferry to Ullapool"))


def test_a_search_while_turns_are_without_a_thread_sees_whole_batches(store: Store) -> None:
    """Another process searches in the middle of a transaction of this one."""
    ingest(store, talk(100))
    with Store.open(store.path) as other, store.transaction():
        store.set_meta("note", "a write that is not committed")
        assert len(recall(other).search("topic3").units) == 16


def test_a_query_of_another_embedder_is_refused(store: Store) -> None:
    ingest(store, talk(10))
    with pytest.raises(EmbedderMismatchError):
        Recall(store, lambda: HashingEmbedder(32, id="another")).search("topic3")


class TestCache:
    """The FAISS files beside the memory are copies: whatever happens to them, the answer is the same."""

    @pytest.fixture(autouse=True)
    def _worth_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cachefile, "WORTHWHILE", 10)

    @pytest.fixture
    def expected(self, store: Store) -> list[tuple[int, Role, float]]:
        ingest(store, conversation())
        return chosen(recall(store).search("ferry topic3"))

    @pytest.mark.usefixtures("expected")
    def test_searching_leaves_both_caches(self, store: Store) -> None:
        assert all(cache_path(store.path, what).exists() for what in ("turns", "threads"))

    def test_the_cache_gives_the_same(
        self, store: Store, expected: list[object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse() -> None:
            raise AssertionError("the index was built again")

        held = recall(store)
        monkeypatch.setattr(store, "all_vectors", refuse)
        monkeypatch.setattr(store, "head_vectors", refuse)
        assert chosen(held.search("ferry topic3")) == expected

    @pytest.mark.parametrize("what", ["turns", "threads"])
    @pytest.mark.parametrize("harm", ["deleted", "empty", "cut", "one bit", "garbage", "folder"])
    def test_a_harmed_cache_gives_the_same(
        self, store: Store, expected: list[object], what: str, harm: str
    ) -> None:
        cache = cache_path(store.path, what)
        good = cache.read_bytes()
        cache.unlink()
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 1
        match harm:
            case "empty":
                cache.touch()
            case "cut":
                cache.write_bytes(good[:-7])
            case "one bit":
                cache.write_bytes(flipped)
            case "garbage":
                cache.write_bytes(np.random.default_rng(1).bytes(len(good)))
            case "folder":
                cache.mkdir()
        assert chosen(recall(store).search("ferry topic3")) == expected
        assert harm == "folder" or cache.read_bytes() == good

    def test_a_stale_cache_gives_what_a_new_one_gives(self, store: Store, expected: list[object]) -> None:
        stale = {what: cache_path(store.path, what).read_bytes() for what in ("turns", "threads")}
        ingest(store, [*conversation(), turn("A second ferry to Ullapool leaves at ten.")])
        fresh = chosen(recall(store).search("ferry topic3"))
        for what, old in stale.items():
            cache_path(store.path, what).write_bytes(old)
        assert chosen(recall(store).search("ferry topic3")) == fresh != expected

    def test_a_cache_of_another_memory_is_not_taken(
        self, store: Store, expected: list[object], tmp_path: Path
    ) -> None:
        with Store.open(tmp_path / "other.db") as other:
            ingest(other, talk(200, start=3000))
            recall(other).search("anything")
            for what in ("turns", "threads"):
                cache_path(other.path, what).replace(cache_path(store.path, what))
        assert chosen(recall(store).search("ferry topic3")) == expected


@pytest.mark.parametrize("turns", [[], [turn("Hello there.")]], ids=["new", "filled"])
def test_a_search_writes_nothing(tmp_path: Path, turns: list[Turn]) -> None:
    def files() -> dict[str, bytes]:
        kept = (file for file in tmp_path.iterdir() if file.suffix in (".db", ".db-wal"))
        return {file.name: content for file in kept if (content := file.read_bytes())}

    with Store.open(tmp_path / "memory.db") as store:
        if turns:
            ingest(store, turns)
        before = files()
        with store.snapshot():  # where every write is an error
            workspace = recall(store).search("Who is there?")
        assert len(workspace.units) == len(turns)
        assert files() == before
    with Store.open(tmp_path / "memory.db") as store:
        assert (store.meta("embedder") is None) == (not turns)
