"""Turns to rows and notes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from localmem.bench.journal import Run, TurnResult
from localmem.bench.meter import Tokens
from localmem.bench.notes import PROBED, notes
from localmem.bench.scoring import Failure, Kind
from localmem.bench.summary import rows, slope, wilson


def result(
    *kinds: Kind, case: str = "a", system: str = "localmem", half: str = "", seed: int = 0, turn: int = 1
) -> TurnResult:
    run = Run(case, "d", system, "", seed, 0.0, "m")
    failures = tuple(Failure(kind, "x") for kind in kinds)
    return TurnResult(
        run, turn, 1, half, "hi", (), (), "", failures, Tokens(100, 10, 5, 3, 2), Tokens(60, 6, 0, 2, 1), 1.5
    )  # fmt: skip


def test_a_turn_is_one_confusion_and_one_hallucination_at_most() -> None:
    row = rows(
        [
            result(Kind.INTENT, Kind.ACTIVE, Kind.REPLY, Kind.REPLY_NOT),
            result(case="b"),
            result(Kind.ERROR, case="c"),
        ]
    )[0]
    assert (row.turns, row.right, row.confusions, row.hallucinations) == (3, 1, 2, 1)
    assert (row.consistent, row.conversations, row.errors_a_seed) == (1, 3, 3)


def test_each_half_has_a_row_below_the_whole() -> None:
    table = rows(
        [result(half="tune"), result(half="check", case="b"), result(case="c"), result(system="flat")]
    )
    assert [(row.system, row.half, row.turns) for row in table] == [
        ("localmem", "", 3), ("localmem", "tune", 1), ("localmem", "check", 1), ("flat", "", 1),
    ]  # fmt: skip


def test_errors_are_told_for_each_seed() -> None:
    row = rows([result(Kind.INTENT), result(Kind.INTENT, Kind.REPLY, seed=1)])[0]
    assert (row.seeds, row.cases, row.conversations, row.errors_a_seed) == (2, 1, 2, 1.5)


def test_tokens_and_seconds_are_sums() -> None:
    row = rows([result(), result(case="b")])[0]
    assert (row.tokens, row.reply_tokens, row.seconds) == (
        Tokens(200, 20, 10, 6, 4),
        Tokens(120, 12, 0, 4, 2),
        3.0,
    )
    assert row.evaluated_a_turn == 10


def test_wilson_is_that_of_the_books() -> None:
    assert wilson(0, 0) == (0, 1)
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)  # Newcombe 1998, table I
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(28, 28) == pytest.approx((0.8794, 1.0), abs=1e-4)


def test_growth_is_that_within_long_conversations() -> None:
    assert slope([[1, 2, 3]]) is None
    assert slope([list(range(20)), list(range(500, 520)), [900, 0]]) == pytest.approx(1)
    assert slope([[7] * 30]) == 0


def test_baselines_are_noted_and_so_is_what_was_cut() -> None:
    plain, probed = [result()], [replace(result(system="flat"), details={"turns_cut": 4})]
    assert PROBED not in notes(plain, rows(plain))
    told = notes(probed, rows(probed))
    assert PROBED in told
    assert told[0] == "flat in a: the context was full, and the first 4 turns were cut from the front."
