"""The graph of threads, and activation that spreads along it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.graph import (
    FOLLOWS,
    MINIMUM_SIMILARITY,
    NEAREST_HEADS,
    Link,
    follows,
    settled,
    similar,
    spread,
)
from localmem.values import Thread

CHAIN = [Link(1, 2, 1.0), Link(2, 3, 1.0), Link(3, 4, 1.0)]
SEEDS = st.dictionaries(st.integers(0, 8), st.floats(0.01, 1), min_size=1, max_size=4)
LINKS = st.lists(st.builds(Link, st.integers(0, 8), st.integers(0, 8), st.floats(0.01, 1)), max_size=20)


def thread(id: int, transcript: int = 1) -> Thread:
    return Thread(id, transcript, id * 5, id * 5 + 4, "head", None, 5)


def test_threads_of_a_transcript_follow_each_other() -> None:
    threads = [thread(1), thread(2), thread(3, transcript=2), thread(4, transcript=2)]
    assert follows(threads) == [Link(1, 2, FOLLOWS), Link(3, 4, FOLLOWS)]


def test_alike_heads_are_linked() -> None:
    assert similar(1, [(2, 0.9), (3, 0.6)]) == [Link(1, 2, 0.9), Link(1, 3, 0.6)]


def test_a_thread_is_not_linked_to_itself() -> None:
    assert similar(1, [(1, 1.0), (2, 0.9)]) == [Link(1, 2, 0.9)]


def test_heads_that_are_hardly_alike_are_not_linked() -> None:
    assert similar(1, [(2, MINIMUM_SIMILARITY - 0.01)]) == []


def test_a_thread_has_few_links_by_likeness() -> None:
    assert len(similar(0, [(n, 0.9) for n in range(1, 20)])) == NEAREST_HEADS


def test_the_weight_of_a_link_is_at_most_one() -> None:
    assert similar(1, [(2, 1.0000001)]) == [Link(1, 2, 1.0)]


@pytest.mark.parametrize(
    ("hops", "expected"),
    [
        (0, {1: 1.0}),
        (1, {1: 1.0, 2: 0.5}),
        (2, {1: 1.0, 2: 0.5, 3: 0.25}),
        (9, {1: 1.0, 2: 0.5, 3: 0.25, 4: 0.125}),
    ],
)
def test_activation_is_damped_at_every_hop_and_goes_no_further(hops: int, expected: dict[int, float]) -> None:
    assert spread({1: 1.0}, CHAIN, hops=hops, damping=0.5) == expected


def test_links_are_walked_in_both_directions() -> None:
    assert spread({4: 1.0}, CHAIN, hops=1, damping=0.5) == {4: 1.0, 3: 0.5}


def test_the_best_walk_counts() -> None:
    links = [Link(1, 3, 0.1), Link(1, 2, 1.0), Link(2, 3, 1.0)]
    assert spread({1: 1.0}, links, hops=2, damping=0.5)[3] == 0.25


def test_of_two_links_between_two_threads_the_stronger_counts() -> None:
    assert spread({1: 1.0}, [Link(1, 2, 0.9), Link(2, 1, 0.2)], hops=1, damping=1.0)[2] == 0.9


def test_a_seed_keeps_its_own_activation() -> None:
    assert spread({1: 1.0, 2: 0.9}, CHAIN, hops=2, damping=0.1)[2] == 0.9


def test_no_damping_factor_means_no_spreading() -> None:
    assert spread({1: 1.0}, CHAIN, hops=3, damping=0.0) == {1: 1.0}


@given(SEEDS, LINKS, st.integers(0, 4), st.floats(0, 1))
def test_nothing_is_more_active_than_the_most_active_seed(
    seeds: dict[int, float], links: list[Link], hops: int, damping: float
) -> None:
    active = spread(seeds, links, hops=hops, damping=damping)
    assert max(active.values()) == max(seeds.values())
    assert all(active[seed] >= own for seed, own in seeds.items())


@given(SEEDS, LINKS, st.integers(0, 4), st.floats(0, 1))
def test_more_hops_activate_no_thread_less(
    seeds: dict[int, float], links: list[Link], hops: int, damping: float
) -> None:
    fewer = spread(seeds, links, hops=hops, damping=damping)
    more = spread(seeds, links, hops=hops + 1, damping=damping)
    assert all(more[id] >= value for id, value in fewer.items())


@given(SEEDS, LINKS, st.integers(0, 3), st.floats(0, 1))
def test_activation_is_the_best_over_all_walks(
    seeds: dict[int, float], links: list[Link], hops: int, damping: float
) -> None:
    """By dynamic programming over walks of exactly n links."""
    walks = dict(seeds)
    best = dict(seeds)
    for _ in range(hops):
        longer: dict[int, float] = {}
        for link in links:
            for a, b in ((link.a, link.b), (link.b, link.a)):
                if a in walks:
                    longer[b] = max(longer.get(b, 0.0), walks[a] * link.weight * damping)
        walks = longer
        best = {id: max(best.get(id, 0.0), walks.get(id, 0.0)) for id in {*best, *walks}}
    active = spread(seeds, links, hops=hops, damping=damping)
    assert active == pytest.approx({id: value for id, value in best.items() if value > 0})


@given(
    SEEDS,
    LINKS,
    st.sets(st.integers(0, 8), max_size=4),
    st.integers(1, 3),
    st.integers(1, 4),
    st.floats(0.1, 1),
)
def test_when_spreading_is_settled_another_hop_brings_no_other_threads(
    seeds: dict[int, float],
    links: list[Link],
    found: set[int],
    hops: int,
    places: int,
    damping: float,
) -> None:
    found |= seeds.keys()
    fewer = spread(seeds, links, hops=hops, damping=damping)
    more = spread(seeds, links, hops=hops + 1, damping=damping)
    if settled(fewer, seeds, found, places=places, hops=hops, damping=damping):
        others = [thread for thread in more if thread not in found]
        least = sorted((more[thread] for thread in others), reverse=True)[places - 1]
        assert all(thread in fewer for thread in others if more[thread] >= least)


def test_spreading_is_settled_when_all_places_are_taken_by_more_than_the_next_hop_can_bring() -> None:
    active = {1: 1.0, 2: 0.27, 3: 0.2, 4: 0.05}
    assert settled(active, {1: 1.0}, {1}, places=2, hops=1, damping=0.3)
    assert not settled(active, {1: 1.0}, {1}, places=3, hops=1, damping=0.3)
    assert not settled(active, {1: 1.0}, {1, 2}, places=2, hops=1, damping=0.3)
