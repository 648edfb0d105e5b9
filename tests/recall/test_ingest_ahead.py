"""Vectors that are begun before they are needed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.recall.ingest import Ingest
from localmem.recall.readings import first as survey
from localmem.store import Store
from tests.fakes import HashingEmbedder
from tests.recall.files import counts
from tests.recall.support import events, ingest, talk, turn


class Beginning(HashingEmbedder):
    """Notes what was begun, and for whom."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: dict[str, list[str]] = {}
        self.released: list[str] = []

    def ahead(self, owner: str, texts: Iterable[str]) -> bool:
        self.begun.setdefault(owner, []).extend(texts)
        return True

    def release(self, owner: str) -> None:
        self.released.append(owner)


@given(
    first=st.lists(st.integers(0, 30), max_size=40),
    second=st.lists(st.integers(0, 30), max_size=40),
    prepared=st.booleans(),
)
@settings(max_examples=15, deadline=None)
def test_vectors_that_are_begun_ahead_change_nothing(
    first: list[int], second: list[int], prepared: bool
) -> None:
    files = [[turn(f"Word{n} of topic{n // 5}.") for n in numbers] for numbers in (first, second) if numbers]
    with TemporaryDirectory() as folder:
        stores = [Store.open(Path(folder, f"{name}.db")) for name in "ab"]
        for turns in files:
            embedder = Beginning()
            ahead = Ingest(stores[1], embedder, ahead=embedder)
            if prepared:
                ahead.prepare("talk.txt", survey(events(turns)), turns)
            expected = Ingest(stores[0], HashingEmbedder()).file("talk.txt", events(turns))
            found = ahead.file("talk.txt", events(turns))
            assert [counts(report) for report in found] == [counts(report) for report in expected]
            assert embedder.released == ["talk.txt"]
        tables = ("turn", "thread", "turn_vector", "thread_vector")
        rows = [[list(store._run(f"SELECT * FROM {table}")) for table in tables] for store in stores]
        assert rows[0] == rows[1]
        for store in stores:
            store.close()


def test_only_what_is_not_known_is_begun_ahead(store: Store) -> None:
    ingest(store, talk(200))
    embedder = Beginning()
    ahead = Ingest(store, embedder, ahead=embedder)
    longer = events(talk(300))
    ahead.prepare("talk.txt", survey(longer), talk(300))
    assert embedder.begun == {"talk.txt": [f"{one.speaker}: {one.text}" for one in talk(300)[200:]]}
    embedder.begun.clear()
    assert [counts(report) for report in ahead.file("talk.txt", longer)] == [(100, 200, 0)]
    assert sorted(set(embedder.begun["talk.txt"])) == sorted(set(embedder.encoded))
