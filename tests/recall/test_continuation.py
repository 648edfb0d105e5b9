"""Which transcript a conversation continues."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from localmem.recall.continuation import Outline, Shared, continued
from localmem.recall.turns import Identifier, content_key, repeated
from localmem.values import Turn
from tests.recall.support import NOON, talk, turn

GREETING = ["hi", "Hello! How can I help you today?", "My sister lives in {}", "Got it!", "thanks"]
BOILERPLATE = [
    *GREETING,
    "What is the weather?",
    "I cannot look that up.",
    "ok",
    "You're welcome!",
    "Tell me more",
]


NEW = "new"


def keys_of(turns: Sequence[Turn]) -> dict[bytes, int]:
    identifier = Identifier(repeated(b"".join(map(content_key, turns))))
    return {identifier.key(content_key(one)): place for place, one in enumerate(turns)}


def outline(turns: Sequence[Turn]) -> Outline:
    contents = list(map(content_key, turns))
    said = [
        len(one.text) if key == content else 0
        for one, content, key in zip(turns, contents, keys_of(turns), strict=True)
    ]
    timed = bytearray(one.at is not None for one in turns)
    repeated = bytearray(contents.count(one) > 1 for one in contents)
    return Outline(NEW, array("I", said), timed, repeated)


def continues(
    turns: Sequence[Turn], *transcripts: Sequence[Turn], old: str = "old", kin: bool = False
) -> int | None:
    """Number, from 1, of the transcript that these turns continue."""
    keys, shared = keys_of(turns), []
    for number, transcript in enumerate(transcripts, start=1):
        positions = keys_of(transcript)
        there = [key for key in keys if key in positions]
        places = array("q", [keys[key] for key in there])
        known = array("q", [positions[key] for key in there])
        shared.append(Shared(number, old, len(transcript), kin, places, known))
    found = continued(outline(turns), shared)
    return None if found is None else found.transcript


def untimed(texts: Sequence[str]) -> list[Turn]:
    return [turn(text, "You" if place % 2 else "Me") for place, text in enumerate(texts)]


def chat(count: int, *, start: int = 0) -> list[Turn]:
    """Turns without times that are all different."""
    return untimed([f"Word{n} about topic{n // 5}, said once." for n in range(start, start + count)])


def about(city: str) -> list[Turn]:
    return untimed([text.format(city) for text in GREETING])


def test_two_chats_that_share_boilerplate_are_two() -> None:
    assert continues(about("Rome"), about("Oslo")) is None


@pytest.mark.parametrize("more", [1, 5, 500])
def test_a_longer_export_is_the_same_chat_and_so_is_a_shorter_one(more: int) -> None:
    longer = [*about("Oslo"), *chat(more)]
    assert continues(longer, about("Oslo")) == 1
    assert continues(about("Oslo"), longer) == 1


def test_a_beginning_that_says_nothing_is_not_a_shorter_export() -> None:
    assert continues(about("Oslo"), about("Oslo")[:2]) is None
    assert continues(untimed(["ok", "thanks", "bye", "It snows"]), untimed(["ok", "thanks", "bye"])) is None


def test_a_killed_ingest_left_the_beginning() -> None:
    assert continues(chat(2000), chat(128)) == 1


@pytest.mark.parametrize("start", [0, 10, 150, 290])
def test_a_window_is_of_the_chat_that_it_runs_into(start: int) -> None:
    assert continues(chat(200, start=start), chat(300)) == 1
    assert continues(chat(300), chat(200, start=start)) == 1


@pytest.mark.parametrize("every", [2, 3, 10])
def test_a_window_with_equal_turns_is_of_its_chat(every: int) -> None:
    """The window cannot know how many of them came before it, so its first is taken for the chat's first."""
    whole = [turn(f"ok {place % 4}") if place % every == 1 else one for place, one in enumerate(chat(400))]
    assert continues(whole[203:350], whole) == 1
    assert continues(whole[200:400], whole[:350]) == 1


def test_two_chats_that_share_a_long_beginning_are_two() -> None:
    """The examples that an agent is shown, say."""
    assert continues([*chat(40), *chat(30, start=100)], [*chat(40), *chat(30, start=200)]) is None


def test_two_interviews_with_the_same_questions_are_two() -> None:
    def interview(answer: str) -> list[Turn]:
        asked, answers = chat(60)[::2], [turn(f"{answer} {n}", "You") for n in range(30)]
        return [one for pair in zip(asked, answers, strict=True) for one in pair]

    assert continues(interview("Yes"), interview("No")) is None


@pytest.mark.parametrize("kind", ["put in", "taken out", "changed"])
@pytest.mark.parametrize("count", [20, 60, 300])
def test_a_lightly_edited_export_is_the_same_chat(kind: str, count: int) -> None:
    edited = chat(count)
    for place in range(count // 20, 0, -1):
        at = place * 15
        edited[at : at + (kind != "put in")] = [] if kind == "taken out" else [turn(f"Edited {place}.")]
    assert continues(edited, chat(count)) == 1


def test_a_file_is_more_likely_its_own_transcript() -> None:
    edited = [*about("Oslo")[:3], turn("I did not know.", "You"), turn("thanks")]
    assert continues(edited, about("Oslo")) is None
    assert continues(edited, about("Oslo"), old=NEW) is None
    assert continues(edited, about("Oslo"), old=NEW, kin=True) == 1
    assert continues(about("Oslo"), about("Oslo")[:1], old=NEW, kin=True) == 1


def test_one_turn_is_known_to_its_own_file_only() -> None:
    one = untimed(["y"])
    assert continues(one, [*chat(3), *one]) is None
    assert continues(one, one) is None
    assert continues(one, one, old=NEW) == 1
    assert continues(one, [*chat(3), *one], old=NEW) is None
    assert continues(one, [*chat(3), *one], old=NEW, kin=True) == 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_few_turns_with_times_are_proof(size: int) -> None:
    assert continues(talk(5), talk(size)) == 1
    assert continues(talk(size), talk(5)) == 1


def test_two_of_three_turns_with_times_are_no_proof() -> None:
    assert continues([*talk(2), turn("We won!")], [*talk(2), turn("The cat is ill.")]) is None


def test_turns_with_times_need_not_be_in_order() -> None:
    assert continues(talk(50)[::-1], talk(40)) == 1


def test_of_several_it_is_the_one_that_more_is_known_of() -> None:
    edited = [*chat(30), turn("Another end.")]
    assert continues(chat(31), edited, chat(31)) == 2


def test_of_two_equal_ones_it_is_the_older() -> None:
    assert continues(chat(30), chat(31), chat(31)) == 1


def test_nothing_continues_nothing() -> None:
    assert continues([], chat(3)) is None
    assert continues(chat(3)) is None


TEXTS = st.lists(st.sampled_from(BOILERPLATE), min_size=5, max_size=30)


def overlaps(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one begins or ends with the other, or runs into it, by what three turns say."""
    windows = {tuple(one[at : at + 3]) for at in range(len(one) - 2)}
    return any(tuple(other[at : at + 3]) in windows for at in range(len(other) - 2))


@given(TEXTS, TEXTS)
def test_two_chats_of_boilerplate_are_two(one: list[str], other: list[str]) -> None:
    assume(not overlaps(one, other))
    assert continues(untimed(one), untimed(other)) is None


def test_of_many_random_chats_of_boilerplate_each_is_its_own() -> None:
    rng = random.Random(5)
    chats = [untimed(rng.choices(BOILERPLATE, k=rng.randint(5, 25))) for _ in range(120)]
    for number, one in enumerate(chats):
        assert continues(one, *chats[:number]) is None


@given(st.lists(st.text("abc ", min_size=10, max_size=30), min_size=8, max_size=30, unique=True), st.data())
def test_an_extension_and_a_cut_of_a_chat_continue_it(texts: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(7, len(texts)))
    whole = untimed(texts)
    assert continues(whole, whole[:cut]) == 1
    assert continues(whole[:cut], whole) == 1


@given(st.data())
def test_a_window_with_times_continues_its_chat(data: st.DataObject) -> None:
    first = data.draw(st.integers(0, 97))
    size = data.draw(st.integers(3, 100))
    window = talk(size, start=first, every=timedelta(seconds=30))
    assert all(one.at is not None and one.at >= NOON for one in window)
    assert continues(window, talk(100, every=timedelta(seconds=30))) == 1
