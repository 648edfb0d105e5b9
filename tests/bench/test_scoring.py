"""A turn judged, by the rules of the published cases."""

from __future__ import annotations

from typing import Any

import pytest

from localmem.bench.cases import parse
from localmem.bench.scoring import judge, said

BOAT = ("boat > colour = Red", "boat > length = 9 m")


def wrong(turn: dict[str, Any], **found: Any) -> list[str]:
    case = parse({"turns": [{"user": "x", **turn}]}, "x", "x")
    given = {"before": (), "after": BOAT, "intents": set(), "reply": "", **found}
    return [str(failure.kind) for failure in judge(case.turns[0], **given)]


@pytest.mark.parametrize(
    ("sets", "intents", "right"),
    [
        ([["new"]], {"new"}, True),
        ([["new"]], {"new", "check"}, False),
        ([["new", "check"]], {"check", "new"}, True),
        ([["check"], ["check", "new"]], {"check"}, True),
        ([["check"], ["check", "new"]], {"new"}, False),
        ([[]], set(), True),
        ([[]], {"new"}, False),
    ],
)
def test_the_set_of_intents_is_one_of_those_accepted(
    sets: list[list[str]], intents: set[str], right: bool
) -> None:
    assert wrong({"intent": sets}, intents=intents) == ([] if right else ["intent"])


def test_what_is_not_expected_is_not_judged() -> None:
    assert wrong({}, intents={"new"}, reply="anything") == []


@pytest.mark.parametrize(
    ("entry", "matches"),
    [
        (["boat", "red"], True),
        (["^boat > colour = red$"], True),
        (["red", "9 m"], False),  # of two paths
        ({"all": ["colour"], "none": ["red"]}, False),
        ({"all": ["colour"], "none": ["blue"]}, True),
        ({"none": ["colour"]}, True),
    ],
)
def test_an_entry_matches_within_one_path(entry: Any, matches: bool) -> None:
    assert wrong({"active": [entry]}) == ([] if matches else ["active"])
    assert wrong({"absent": [entry]}) == (["absent"] if matches else [])


def test_unchanged_paths_may_come_in_another_order() -> None:
    assert wrong({"unchanged": True}, before=BOAT[::-1]) == []
    assert wrong({"unchanged": True}, before=BOAT[:1]) == ["unchanged"]


def test_what_a_model_listed_may_change_its_case_and_marks() -> None:
    listed = ("Boat: length = 9 m.", "boat > colour = red")
    assert wrong({"unchanged": True}, before=listed) == ["unchanged"]
    assert wrong({"unchanged": True}, before=listed, loose=True) == []


def test_every_pattern_must_be_in_the_reply_and_no_forbidden_one() -> None:
    turn = {"reply": ["red", "9"], "reply_not": ["blue", "^\\W*yes\\b"]}
    assert wrong(turn, reply="RED and 9 m.") == []
    assert wrong(turn, reply="Yes, red.") == ["reply", "reply_not"]
    assert wrong(turn, reply="Red, 9 m. Yes.") == []


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        ("It was blue before.", None),
        ("It is blue. Before, it was red.", "It is blue."),
        ("It was blue before. Now it is blue!", "Now it is blue!"),
        ("Before:\nblue", "blue"),
        ("It cost 2.50 before, blue included.", None),
        ('You said "blue." Before, it was red.', 'You said "blue."'),
        ("It is red.", None),
    ],
)
def test_what_is_forbidden_is_excused_within_its_sentence(reply: str, sentence: str | None) -> None:
    case = parse({"turns": [{"user": "x", "reply_not": [{"re": "blue", "unless": "before"}]}]}, "x", "x")
    assert said(reply, case.turns[0].reply_not[0]) == sentence
