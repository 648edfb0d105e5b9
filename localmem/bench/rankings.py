"""What recall is compared with: the turns of one memory in the order of a plain ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from localmem.embed.protocol import Embedder
from localmem.recall.query import words
from localmem.recall.workspace import tokens
from localmem.store import Store
from localmem.values import StoredTurn

BASELINES = ("dense", "bm25", "rrf")
"""The nearest vectors; the best by words, stemmed, names included; both by reciprocal-rank fusion."""
LAST = "last turns"
"""What fits of the end of the conversation, without a search."""
_RRF = 60
"""The constant of reciprocal-rank fusion (Cormack, Clarke and Büttcher 2009)."""


class Rankings:
    """Rankings over all turns of a memory, which is read once."""

    def __init__(self, store: Store, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder
        self._ids, self._vectors = store.all_vectors()
        self.turns: Mapping[int, StoredTurn] = {turn.id: turn for turn in store.turns(self._ids.tolist())}

    def of(self, question: str) -> dict[str, list[int]]:
        """Turn ids, best first, by the name of the baseline."""
        near = self._vectors @ self._embedder().encode([question])[0]
        dense = self._ids[(-near).argsort(kind="stable")].tolist()
        bm25 = [id for id, _ in self._store.search_words(words(question), len(self._ids))]
        fused: defaultdict[int, float] = defaultdict(float)
        for ranking in (dense, bm25):
            for rank, id in enumerate(ranking):
                fused[id] += 1 / (_RRF + rank + 1)
        rrf = sorted(fused, key=lambda id: (-fused[id], id))
        last = sorted(
            self.turns, key=lambda id: (self.turns[id].transcript, self.turns[id].position), reverse=True
        )
        return {"dense": dense, "bm25": bm25, "rrf": rrf, LAST: last}

    def first(
        self, ranking: Sequence[int], *, units: int | None = None, most: int | None = None
    ) -> list[int]:
        """The beginning of a ranking: so many units, or as many as fit `most` tokens, at least the first one."""
        chosen = list(ranking[:units])
        if most is None:
            return chosen
        left = most
        for place, id in enumerate(chosen):
            left -= tokens(self.turns[id].turn.text)
            if left < 0:
                return chosen[: max(place, 1)]
        return chosen
