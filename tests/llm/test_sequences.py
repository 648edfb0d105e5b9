"""Which evaluated prompts stay in memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.llm.sequences import Kept, Sequences, common_prefix


def filled(capacity: int, *held: tuple[str, int, int], count: int = 8) -> Sequences:
    """Sequences that hold (kind, tokens, fixed tokens), the first used longest ago."""
    sequences = Sequences(count, capacity)
    for kind, tokens, fixed in held:
        kept = sequences.take(kind)
        kept.tokens = list(range(tokens))
        kept.fixed = fixed
    return sequences


def named(cuts: list[tuple[Kept, int]]) -> list[tuple[str, int]]:
    return [(kept.kind, length) for kept, length in cuts]


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_the_common_prefix_is_common_and_cannot_be_longer(first: list[int], second: list[int]) -> None:
    length = common_prefix(first, second)
    assert first[:length] == second[:length]
    assert length == min(len(first), len(second)) or first[length] != second[length]


def test_nothing_is_given_up_while_there_is_room() -> None:
    assert named(filled(100, ("a", 30, 10), ("b", 30, 10)).cuts("c", 40)) == []


def test_the_least_recently_used_kind_is_cut_to_its_fixed_part_first() -> None:
    assert named(filled(100, ("a", 30, 10), ("b", 30, 10)).cuts("c", 50)) == [("a", 10)]


def test_all_kinds_are_cut_to_their_fixed_part_before_one_is_dropped() -> None:
    sequences = filled(100, ("a", 30, 10), ("b", 30, 10))
    assert named(sequences.cuts("c", 80)) == [("a", 10), ("b", 10)]
    assert named(sequences.cuts("c", 81)) == [("a", 0), ("b", 10)]


def test_a_kind_never_gives_up_its_own_tokens() -> None:
    assert named(filled(100, ("a", 30, 10), ("b", 60, 10)).cuts("a", 50)) == [("b", 10)]


def test_use_makes_a_kind_the_last_to_be_cut() -> None:
    sequences = filled(100, ("a", 30, 10), ("b", 30, 10))
    sequences.take("a")
    assert named(sequences.cuts("c", 50)) == [("b", 10)]


held = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=6)


@given(held, st.integers(1, 200))
def test_after_the_cuts_a_prompt_that_fits_the_context_fits(sizes: list[tuple[int, int]], need: int) -> None:
    sequences = filled(200, *((str(n), tokens, fixed) for n, (tokens, fixed) in enumerate(sizes)))
    for kept, length in sequences.cuts("new", need):
        assert length < len(kept.tokens)
        del kept.tokens[length:]
    assert sequences.cells + need <= 200


def test_a_new_kind_takes_the_place_of_the_least_recently_used() -> None:
    sequences = filled(100, ("a", 1, 0), ("b", 1, 0), count=2)
    assert sequences.evictable("a") is None
    evicted = sequences.evictable("c")
    assert evicted is not None
    assert evicted.kind == "a"
    sequences.drop(evicted)
    assert sequences.take("c").number == evicted.number
    assert sequences.get("a") is None


def test_taking_more_sequences_than_there_are_is_a_bug() -> None:
    with pytest.raises(IndexError):
        filled(100, ("a", 1, 0), ("b", 1, 0), count=1)
