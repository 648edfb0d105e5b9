from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.store import Store, words
from tests.store.support import begin, ids_found, new_turns, temporary_store


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("she was running late", "runs"),
        ("a Crème brûlée", "creme"),
        ("a creme brulee", "BRÛLÉE"),
        ("I don't know", "don't"),
        ("see https://example.org/a?b=c", "https://example.org/a?b=c"),
        ("the year-end report", "year-end"),
        ("NEAR and OR are words", "NEAR"),
    ],
)
def test_words_match_by_stem_without_case_and_accents(store: Store, said: str, asked: str) -> None:
    begin(store, said, "nothing of the kind")
    assert ids_found(store.search_words([asked], 9)) == {1}


def test_any_of_the_words_is_enough_and_more_is_better(store: Store) -> None:
    begin(store, "the red house", "the red car", "a green car", "nothing", "more of nothing")
    found = store.search_words(["red", "car", "sky"], 9)
    assert ids_found(found) == {1, 2, 3}
    assert found[0][0] == 2
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_rare_words_weigh_more(store: Store) -> None:
    begin(store, "one apple", "two apple", "three apple", "four pear", "five", "six", "seven")
    assert store.search_words(["apple", "pear"], 1)[0][0] == 4


def test_equal_scores_are_in_order_of_id(store: Store) -> None:
    begin(store, "tea one", "tea two", "tea six", "a", "b", "c", "d", "e")
    assert [id for id, _ in store.search_words(["tea"], 9)] == [1, 2, 3]


def test_the_limit_holds(store: Store) -> None:
    begin(store, "tea a", "tea b", "tea c")
    assert len(store.search_words(["tea"], 2)) == 2
    assert store.search_words(["tea"], 0) == []


@pytest.fixture
def few_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_RANKED", 3)


@pytest.mark.usefixtures("few_are_ranked")
def test_where_too_many_turns_would_be_ranked_rarer_words_go_first(store: Store) -> None:
    begin(store, "go by boat", "go home", "go on", "go now", "by train", "a boat", "a train")
    assert ids_found(store.search_words(["go", "boat"], 9)) == {1, 6}
    assert ids_found(store.search_words(["go", "boat", "none"], 9)) == {1, 6}
    assert ids_found(store.search_words(["go", "train", "boat"], 9)) == {5, 7}


@pytest.mark.usefixtures("few_are_ranked")
def test_of_common_words_alone_the_turns_that_have_the_rarest_two_are_ranked(store: Store) -> None:
    begin(store, "go like", "go", "go on", "go by", "like", "like it", "like me go")
    assert ids_found(store.search_words(["go", "like"], 9)) == {1, 7}


@pytest.mark.usefixtures("few_are_ranked")
def test_of_a_common_word_alone_the_newest_turns_are_ranked(store: Store) -> None:
    begin(store, "go a", "go b", "go c", "go there and back again", "go", "nothing")
    found = store.search_words(["go"], 2)
    assert [id for id, _ in found] == [5, 4]
    assert found[0][1] > found[1][1]


@pytest.mark.usefixtures("few_are_ranked")
def test_common_words_that_no_turn_has_together_are_looked_for_alone(store: Store) -> None:
    begin(store, "go a", "go b", "go c", "go d", "like a", "like b", "like c", "like d", "like e")
    assert ids_found(store.search_words(["go", "like"], 2)) == {3, 4}


@pytest.mark.usefixtures("few_are_ranked")
def test_words_that_no_turn_has_find_none_in_a_large_memory(store: Store) -> None:
    begin(store, "a", "b", "c", "d")
    assert store.search_words(["x", "y"], 9) == []
    assert store.search_words(["x", "y"], 9, index="window") == []


def test_several_words_in_one_are_a_phrase(store: Store) -> None:
    begin(store, "New York is big", "a new house in York")
    assert ids_found(store.search_words(["new york"], 9)) == {1}


def test_the_speaker_is_not_part_of_the_text(store: Store) -> None:
    begin(store, "hello")
    assert store.search_words(["Ann"], 9) == []


def window(store: Store, word: str) -> set[int]:
    return ids_found(store.search_words([word], 99, index="window"))


def test_the_window_of_a_turn_has_its_neighbours(store: Store) -> None:
    begin(store, "alpha", "beta", "gamma", "delta")
    assert window(store, "alpha") == {1, 2}
    assert window(store, "gamma") == {2, 3, 4}
    assert ids_found(store.search_words(["gamma"], 9)) == {3}


def test_a_phrase_does_not_hide_the_border_of_turns(store: Store) -> None:
    begin(store, "the end", "begins anew")
    assert window(store, "anew") == {1, 2}


def test_the_window_of_the_last_turn_is_refreshed_when_others_follow(store: Store) -> None:
    transcript = begin(store, "alpha", "beta")
    store.add_turns(transcript, new_turns("gamma"), after=None)
    assert window(store, "gamma") == {2, 3}
    assert store.check() == []


def test_windows_are_refreshed_when_turns_come_between(store: Store) -> None:
    transcript = begin(store, "alpha", "beta")
    store.add_turns(transcript, new_turns("gamma", "delta"), after=0)
    assert window(store, "beta") == {2, 4}
    assert window(store, "alpha") == {1, 3}
    assert store.check() == []


def test_windows_end_at_their_transcript(store: Store) -> None:
    begin(store, "alpha")
    begin(store, "beta")
    assert window(store, "alpha") == {1}


def test_words_of_a_failed_transaction_are_gone(store: Store) -> None:
    transcript = begin(store, "alpha")
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.add_turns(transcript, new_turns("beta"), after=None)
        raise ZeroDivisionError
    assert window(store, "beta") == set()
    assert window(store, "alpha") == {1}
    assert store.check() == []


def test_thousands_of_words_can_be_asked(store: Store) -> None:
    begin(store, "needle", "hay")
    assert ids_found(store.search_words([f"word{n}" for n in range(5000)] + ["needle"], 9)) == {1}


@pytest.mark.parametrize("words", [[], [""], ["!!!"], ["", "   ", "\0"], ["\ud800"], ['"'], ["*", "(", ")"]])
def test_words_without_letters_find_nothing(store: Store, words: list[str]) -> None:
    begin(store, "hello")
    assert store.search_words(words, 9) == []


@pytest.fixture(scope="module")
def greeting() -> Iterator[Store]:
    with temporary_store() as store:
        begin(store, "hello and good bye")
        yield store


WILD = st.lists(st.text(st.one_of(st.characters(), st.sampled_from("\"'*()^:+-{}\0 ANDORNEAT"))), max_size=6)


@settings(max_examples=150, deadline=None)
@given(WILD)
def test_any_text_can_be_asked_for(greeting: Store, words: list[str]) -> None:
    assert ids_found(greeting.search_words(["hello", *words], 9)) == {1}
    assert ids_found(greeting.search_words(["hello", *words], 9, index="window")) == {1}
