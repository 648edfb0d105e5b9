"""The vector index and its cache file."""

from __future__ import annotations

import os
import stat

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.errors import EmbedderMismatchError
from localmem.index import build, cachefile, open_index
from localmem.index.vectors import VectorIndex


def unit_vectors(n: int, dimension: int = 8, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class Source:
    """Ids and vectors that count how often they are asked for."""

    def __init__(self, n: int = 50, seed: int = 0) -> None:
        self.known = np.arange(n, dtype=np.int64) * 7 + 3
        self.vectors = unit_vectors(n, seed=seed)
        self.calls = 0
        """How often all ids were read."""
        self.read = 0
        """Vectors read."""

    @classmethod
    def given(cls, ids: list[int], vectors: np.ndarray) -> Source:
        source = cls(0)
        order = np.argsort(ids)
        source.known, source.vectors = np.array(ids, dtype=np.int64)[order], vectors[order]
        return source

    def ids(self, above: int = -1) -> np.ndarray:
        self.calls += above < 0
        return self.known[self.known > above]

    def count(self) -> int:
        return len(self.known)

    def after(self, id: int, limit: int):
        begin = int(np.searchsorted(self.known, id, side="right"))
        part = slice(begin, begin + limit)
        self.read += len(self.known[part])
        return self.known[part], self.vectors[part]

    def of(self, ids: np.ndarray) -> np.ndarray:
        self.read += len(ids)
        return self.vectors[np.searchsorted(self.known, ids)]

    def add(self, n: int, seed: int = 5) -> None:
        first = int(self.known[-1]) + 1
        self.known = np.concatenate([self.known, np.arange(first, first + n)])
        self.vectors = np.concatenate([self.vectors, unit_vectors(n, self.vectors.shape[1], seed)])

    def drop(self, *places: int) -> None:
        self.known = np.delete(self.known, places)
        self.vectors = np.delete(self.vectors, places, axis=0)


@pytest.fixture(autouse=True)
def _cache_always(monkeypatch):
    monkeypatch.setattr(cachefile, "WORTHWHILE", 0)


def answers(index: VectorIndex):
    ids, scores = index.search(unit_vectors(4, seed=9), 5)
    return ids.tolist(), scores.tolist()


def test_search_gives_the_largest_inner_products_and_their_ids():
    source = Source()
    queries = unit_vectors(3, seed=1)
    ids, scores = open_index(None, "s", source).search(queries, 4)
    expected = np.sort(queries @ source.vectors.T, axis=1)[:, ::-1][:, :4]
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    assert ids.tolist() == source.known[np.argsort(-(queries @ source.vectors.T), axis=1)[:, :4]].tolist()
    assert (ids.dtype, scores.dtype) == (np.int64, np.float32)


def test_missing_neighbours_are_minus_1_and_minus_infinity():
    ids, scores = open_index(None, "s", Source(2)).search(unit_vectors(1), 4)
    assert (ids[0, 2:].tolist(), scores[0, 2:].tolist()) == ([-1, -1], [-np.inf, -np.inf])


def test_an_empty_index_finds_nothing():
    empty = open_index(None, "s", Source(0))
    assert empty.size == 0
    assert empty.search(unit_vectors(2), 3)[0].tolist() == [[-1] * 3] * 2


def test_no_queries_give_no_rows():
    assert open_index(None, "s", Source()).search(np.zeros((0, 8), np.float32), 3)[0].shape == (0, 3)


def test_equal_scores_come_in_order_of_id_whatever_the_order_of_the_vectors():
    same = np.repeat(unit_vectors(1), 6, axis=0)
    index = open_index(None, "s", Source.given([9, 2, 40, 7, 1, 3], same))
    assert index.search(same[:1], 4)[0].tolist() == [[1, 2, 3, 7]]


def test_queries_of_another_dimension_are_refused_with_a_hint():
    with pytest.raises(EmbedderMismatchError, match="length 8") as error:
        open_index(None, "s", Source()).search(unit_vectors(1, dimension=9), 3)
    assert error.value.hint


def test_an_id_that_occurs_twice_is_refused():
    with pytest.raises(ValueError, match="twice"):
        open_index(None, "s", Source.given([4, 4], unit_vectors(2)))


def test_a_sound_cache_serves_without_asking_for_the_vectors(tmp_path):
    first, again = Source(), Source()
    built = open_index(tmp_path / "m.index", "s", first)
    served = open_index(tmp_path / "m.index", "s", again)
    assert (first.calls, again.calls) == (1, 0)
    assert answers(served) == answers(built)


def test_only_the_owner_may_read_the_cache(tmp_path):
    open_index(tmp_path / "m.index", "s", Source())
    assert stat.S_IMODE((tmp_path / "m.index").stat().st_mode) == 0o600


def test_a_deleted_cache_is_made_again(tmp_path):
    path = tmp_path / "m.index"
    before = answers(open_index(path, "s", Source()))
    path.unlink()
    assert answers(open_index(path, "s", Source())) == before
    assert path.exists()


def test_a_cache_with_another_stamp_is_replaced(tmp_path):
    path = tmp_path / "m.index"
    open_index(path, "old", Source(seed=1))
    source = Source(seed=2)
    assert answers(open_index(path, "new", source)) == answers(open_index(None, "new", source))
    unasked = Source()
    open_index(path, "new", unasked)
    assert unasked.calls == 0


def test_the_cache_of_a_memory_that_became_small_is_deleted(tmp_path, monkeypatch):
    path = tmp_path / "m.index"
    open_index(path, "large", Source())
    monkeypatch.setattr(cachefile, "WORTHWHILE", 1000)
    open_index(path, "small", Source(5))
    assert not path.exists()


def test_a_cache_path_with_letters_of_any_script_works(tmp_path):
    path = tmp_path / "память é 記憶.index"
    open_index(path, "ключ", Source())
    unasked = Source()
    open_index(path, "ключ", unasked)
    assert unasked.calls == 0


@pytest.mark.parametrize("kind", ["missing folder", "file for a folder", "folder in the way"])
def test_where_nothing_can_be_written_it_works_without_cache(tmp_path, kind):
    path = tmp_path / "there" / "m.index"
    if kind == "file for a folder":
        path.parent.write_text("")
    if kind == "folder in the way":
        (path / "full").mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    assert answers(open_index(path, "s", Source())) == answers(open_index(None, "s", Source()))
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_means_no_cache(tmp_path):
    tmp_path.chmod(0o500)
    assert open_index(tmp_path / "m.index", "s", Source()).size == 50


def test_what_a_killed_writer_left_is_swept_and_what_another_writes_now_is_kept(tmp_path):
    dead, alive = tmp_path / ".m.index.dead.tmp", tmp_path / ".m.index.live.tmp"
    dead.write_bytes(b"half")
    alive.write_bytes(b"half")
    os.utime(dead, (0, 0))
    open_index(tmp_path / "m.index", "s", Source())
    assert sorted(path.name for path in tmp_path.iterdir()) == [".m.index.live.tmp", "m.index"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder, the bytes of a sound cache file, and the answers of its index."""
    folder = tmp_path_factory.mktemp("sound")
    cachefile.write(folder / "m.index", "s", VectorIndex.build(Source().known, Source().vectors).to_bytes())
    return folder, (folder / "m.index").read_bytes(), answers(open_index(None, "s", Source()))


def assert_rebuilt(sound, damaged: bytes) -> None:
    folder, _, expected = sound
    (folder / "m.index").write_bytes(damaged)
    assert cachefile.read(folder / "m.index", "s") is None
    source = Source()
    assert answers(open_index(folder / "m.index", "s", source)) == expected
    assert source.calls == 1


@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_faiss_never_sees_flipped_bytes(sound, data):
    content = bytearray(sound[1])
    for place in data.draw(st.sets(st.integers(0, len(content) - 1), min_size=1, max_size=5)):
        content[place] ^= data.draw(st.integers(1, 255))
    assert_rebuilt(sound, bytes(content))


@given(data=st.data())
@settings(deadline=None, max_examples=50)
def test_faiss_never_sees_a_truncated_file(sound, data):
    assert_rebuilt(sound, sound[1][: data.draw(st.integers(0, len(sound[1]) - 1))])


@given(st.binary(max_size=300))
@settings(deadline=None, max_examples=50)
def test_faiss_never_sees_another_file(sound, content):
    assert_rebuilt(sound, content)


def test_faiss_never_sees_a_file_with_something_behind_it(sound):
    assert_rebuilt(sound, sound[1] + b"x")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_what_is_no_file_is_no_cache(tmp_path, make):
    make(tmp_path / "cache")
    assert answers(open_index(tmp_path / "cache", "s", Source())) == answers(open_index(None, "s", Source()))


def test_a_small_index_beside_a_pipe_is_built(tmp_path, monkeypatch):
    monkeypatch.setattr(cachefile, "WORTHWHILE", 1000)
    os.mkfifo(tmp_path / "cache")
    assert open_index(tmp_path / "cache", "s", Source()).size == 50


def the_same(index: VectorIndex, source: Source) -> bool:
    return (
        answers(index) == answers(open_index(None, "s", source))
        and index.ids().tolist() == source.known.tolist()
    )


@pytest.mark.parametrize("change", ["add", "drop", "both", "neither"])
@pytest.mark.parametrize("where", ["held", "cache"])
def test_an_older_state_is_brought_up_to_date_without_reading_all(tmp_path, change, where):
    path = tmp_path / "m.index"
    source = Source(60)
    held = open_index(path, "old", source)
    if change in ("add", "both"):
        source.add(3)
    if change in ("drop", "both"):
        source.drop(0, 17, 59)
    source.read = 0
    index = open_index(path, "new", source, held=held if where == "held" else None)
    assert source.read < 20
    assert the_same(index, source)


def test_an_older_state_of_another_memory_is_built_anew(tmp_path):
    open_index(tmp_path / "m.index", "old", Source(60, seed=1))
    source = Source(60, seed=2)
    assert the_same(open_index(tmp_path / "m.index", "new", source), source)


def test_a_memory_that_was_put_back_and_went_on_otherwise_is_built_anew(tmp_path):
    source = Source(60)
    source.add(10, seed=7)
    open_index(tmp_path / "m.index", "old", source)
    other = Source(60)
    other.add(12, seed=8)
    assert the_same(open_index(tmp_path / "m.index", "new", other), other)


def test_a_memory_that_lost_most_of_its_vectors_is_built_anew(tmp_path):
    source = Source(60)
    open_index(tmp_path / "m.index", "old", source)
    source.drop(*range(50))
    assert the_same(open_index(tmp_path / "m.index", "new", source), source)


def test_a_cache_is_written_again_when_enough_has_changed(tmp_path, monkeypatch):
    path = tmp_path / "m.index"
    source = Source(100)
    open_index(path, "a", source)
    before = path.read_bytes()
    source.add(1)
    open_index(path, "b", source)
    assert path.read_bytes() == before
    source.add(9)
    open_index(path, "c", source)
    assert path.read_bytes() != before


@pytest.fixture
def large(monkeypatch):
    """A source from which an approximate index is made: talk about fifty topics."""
    monkeypatch.setattr(build, "APPROXIMATE_FROM", 1000)
    rng = np.random.default_rng(3)
    topics = unit_vectors(50, 16)
    rows = topics[rng.integers(0, 50, 4000)] + 0.15 * rng.normal(size=(4000, 16)).astype(np.float32)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return Source.given(list(range(1, 4001)), rows)


def test_many_vectors_get_an_approximate_index_that_finds_nearly_all_of_the_nearest(large):
    index = open_index(None, "s", large)
    assert index.approximate
    assert index.size == 4000
    queries = large.vectors[::40] + 0.05 * np.random.default_rng(1).normal(size=(100, 16)).astype(np.float32)
    exact = np.argsort(-(queries @ large.vectors.T), axis=1)[:, :50] + 1
    found = index.search(queries, 50)[0]
    share = np.mean([len(set(a) & set(b)) / 50 for a, b in zip(exact.tolist(), found.tolist(), strict=True)])
    assert share >= 0.95


def test_an_approximate_index_comes_out_of_its_cache_as_it_went_in(tmp_path, large):
    built = open_index(tmp_path / "m.index", "s", large)
    large.read = 0
    served = open_index(tmp_path / "m.index", "s", large)
    assert large.read == 0
    query = large.vectors[:3]
    assert served.search(query, 9)[0].tolist() == built.search(query, 9)[0].tolist()


def test_an_approximate_index_takes_what_is_added_and_loses_what_is_deleted(large):
    held = open_index(None, "a", large)
    large.add(5)
    large.drop(10, 11)
    index = open_index(None, "b", large, held=held)
    assert index.ids().tolist() == large.known.tolist()
    assert index.search(large.vectors[-1:], 3)[0][0, 0] == large.known[-1]


@pytest.mark.parametrize(("places", "all_read"), [((58, 59), 0), ((0, 59), 1), ((0, 1), 1)])
def test_all_ids_are_read_only_when_more_went_than_the_newest(monkeypatch, places, all_read):
    monkeypatch.setattr(build, "_LATE", 10)
    source = Source(60)
    held = open_index(None, "a", source)
    source.add(3)
    source.drop(*places)
    source.calls = 0
    refreshed = open_index(None, "b", source, held=held)
    assert source.calls == all_read
    assert answers(refreshed) == answers(open_index(None, "b", source))


def test_an_index_knows_its_ids_after_every_change(large):
    for index in (VectorIndex.build(large.known, large.vectors), open_index(None, "a", large)):
        known = index.ids().tolist()
        index.add(np.array([10**6 + 1, 10**6]), unit_vectors(2, index.dimension))
        known += [10**6, 10**6 + 1]
        assert index.ids().tolist() == known
        index.add(np.array([1]), unit_vectors(1, index.dimension))
        index.remove(np.array(known[5:9]))
        assert index.ids().tolist() == [1, *known[:5], *known[9:]]


def test_an_exact_index_that_grew_large_becomes_an_approximate_one(large):
    small = Source.given(large.known[:900].tolist(), large.vectors[:900])
    held = open_index(None, "a", small)
    assert not held.approximate
    assert open_index(None, "b", large, held=held).approximate
