"""Random candidates for the selector's tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from localmem.select import Candidates, Mix, entity_bits


def candidates(n: int, seed: int = 0, *, dimension: int = 16, names: int = 20) -> Candidates:
    """N candidates in threads of about five, some twins, some without time or entities."""
    rng = np.random.default_rng(seed)
    thread = np.sort(rng.integers(0, max(1, n // 5), n))
    vectors = rng.normal(size=(max(1, n // 5), dimension))[thread] + rng.normal(size=(n, dimension))
    priority = rng.choice([0.0, 1.0, 1.0, 2.0, 5.0], n) + 0.01
    time = np.round(rng.uniform(0, 1e6, n), -4)
    time[rng.random(n) < 0.2] = np.nan
    entities = [set(rng.integers(0, names, rng.integers(0, 4)).tolist()) for _ in range(n)]
    for twin in range(3, n, 7):  # equal in all that counts, so that ties occur
        vectors[twin], priority[twin], time[twin] = vectors[twin - 1], priority[twin - 1], time[twin - 1]
        thread[twin], entities[twin] = thread[twin - 1], entities[twin - 1]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Candidates(
        ids=np.arange(n) + 100,
        priority=priority / max(priority.sum(), 1e-300),
        vectors=vectors.astype(np.float32),
        thread=thread.astype(np.int64),
        entities=entity_bits(entities),
        time=time,
        cost=rng.integers(1, 60, n),
    )


def objective(similarity: np.ndarray, priority: np.ndarray, chosen: list[int]) -> float:
    """F(S) as the formula says it."""
    return float(priority @ similarity[chosen].max(axis=0)) if chosen else 0.0


mixes = st.tuples(
    st.tuples(*(st.integers(0, 4) for _ in range(4))).filter(any), st.sampled_from([0.0, 0.3, 0.8])
).map(lambda w: Mix(*(x / sum(w[0]) for x in w[0]), tau_seconds=50_000.0, floor=w[1]))
