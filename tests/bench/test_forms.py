"""Forms of any length, and their cost beside the flat baseline."""

from __future__ import annotations

from dataclasses import replace

import pytest

from localmem.bench.forms import LONGEST, SHORTEST, form, form_rows
from localmem.bench.meter import Tokens
from tests.bench.test_summary import result


@pytest.mark.parametrize("turns", [SHORTEST, 6, 40, LONGEST])
def test_a_form_has_the_wanted_turns_and_asks_for_what_was_said(turns: int) -> None:
    made = form(turns)
    assert (made.name, len(made.turns)) == (f"form-{turns}", turns)
    said = " ".join(turn.user for turn in made.turns)
    assert all(pattern.search(said) for pattern in made.turns[-1].reply)


def test_equal_seeds_make_equal_forms() -> None:
    assert form(12, 3) == form(12, 3) != form(12, 4)


def test_what_was_corrected_holds_no_longer() -> None:
    made = form(40)
    for number, turn in enumerate(made.turns):
        for entry in turn.absent:
            assert any(entry.matches(earlier.user) for earlier in made.turns[:number])
            assert not entry.matches(turn.user)
    corrected = [turn for turn in made.turns if turn.intents == (frozenset({"update"}),)]
    assert len(corrected) == 6
    assert len(made.turns[-1].reply_not) == 6


def test_a_form_costs_what_its_replies_cost() -> None:
    ours = result(case="form-40")
    flat = replace(result(case="form-40", system="flat"), reply_usage=Tokens(240, 6, 0, 8, 1))
    row = form_rows([ours, flat])[0]
    assert (row.reply, row.flat_reply, row.ratio) == (62, 248, 0.25)
    assert (row.whole, row.flat_whole, row.whole_ratio) == (103, 103, 1.0)


def test_seeds_that_only_one_of_them_has_do_not_count() -> None:
    turns = [result(case="form"), result(case="form", seed=1), result(case="form", system="flat")]
    assert form_rows(turns)[0].turns == 1
    assert form_rows(turns[:2]) == []
    assert form_rows([result(), result(system="flat")]) == []
