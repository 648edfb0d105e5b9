"""Threads to links: who follows whom in the source, and whose heads are alike.

Nothing of the graph is stored: neighbours follow from the order of threads, and the nearest heads from
the head index, so it can never be stale.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from localmem.values import Thread

NEAREST_HEADS = 5
MINIMUM_SIMILARITY = 0.5
"""Cosine of two heads below which they are not linked."""
FOLLOWS = 0.7
"""Weight of the link to the thread before and after within a transcript."""


@dataclass(frozen=True, slots=True)
class Link:
    """An undirected edge between two threads."""

    a: int
    b: int
    weight: float
    """In (0, 1]."""


def follows(threads: Sequence[Thread]) -> list[Link]:
    """Links between threads that follow each other; `threads` ordered by transcript and position."""
    return [
        Link(before.id, after.id, FOLLOWS)
        for before, after in pairwise(threads)
        if before.transcript == after.transcript
    ]


def similar(thread: int, nearest: Sequence[tuple[int, float]]) -> list[Link]:
    """Links from a thread to its nearest heads (id, cosine), best first, itself left out."""
    others = [(other, score) for other, score in nearest if other != thread and score >= MINIMUM_SIMILARITY]
    return [Link(thread, other, min(1.0, score)) for other, score in others[:NEAREST_HEADS]]


def spread(
    seeds: Mapping[int, float], links: Sequence[Link], *, hops: int, damping: float
) -> dict[int, float]:
    """Spread the seeds' activation along the links.

    A thread's activation is the largest over all walks of at most `hops` links from a seed: the seed's
    activation times, for each link, its weight and `damping`. Seeds keep at least their own.

    Args:
        seeds: thread id to activation in (0, 1].
        links: edges; both directions are walked.
        hops: how many links a walk has at most.
        damping: alpha, 0 to 1.
    """
    neighbours: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for link in links:
        for a, b in ((link.a, link.b), (link.b, link.a)):
            neighbours[a][b] = max(link.weight, neighbours[a].get(b, 0.0))
    activation = dict(seeds)
    frontier = dict(seeds)
    for _ in range(hops):
        reached: dict[int, float] = {}
        for thread, value in frontier.items():
            for other, weight in neighbours[thread].items():
                arriving = value * weight * damping
                if arriving > activation.get(other, 0.0):
                    activation[other] = reached[other] = arriving
        frontier = reached
    return activation


def settled(
    activation: Mapping[int, float],
    seeds: Mapping[int, float],
    found: Collection[int],
    *,
    places: int,
    hops: int,
    damping: float,
) -> bool:
    """Whether another hop cannot change which threads, besides those found, are the `places` most active.

    What only the next hop reaches has at most a seed's activation, damped once more than the hops so far damped it.

    Args:
        activation: after `hops` hops.
        seeds: what it spread from.
        found: threads that have their place anyway.
        places: how many others have one.
        hops: how many there were.
        damping: alpha, 0 to 1.
    """
    most = max(seeds.values(), default=0.0) * damping ** (hops + 1)
    return sum(value > most for thread, value in activation.items() if thread not in found) >= places
