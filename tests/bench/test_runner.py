"""Cases through a system: what is asked, what is kept, what a second run does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from localmem.bench.cases import parse
from localmem.bench.journal import Journal, TurnResult, from_row, to_row
from localmem.bench.meter import Meter, Tokens
from localmem.bench.runner import run
from localmem.bench.systems import Localmem
from localmem.errors import BenchError, TruncatedError
from localmem.llm.protocol import Message, Prompt, Speaker
from tests.bench.talks import FERRY, Played, played
from tests.fakes import HashingEmbedder, ScriptedModel

__all__ = ["played"]

CASE = parse(FERRY, "ferry.json", "ferry")


def go(out: Path | None = None, seeds: int = 1, **changed: object) -> list[TurnResult]:
    case = parse({**FERRY, **changed}, "ferry.json", "ferry")
    with Journal(out) as journal:
        system = Localmem(Meter(ScriptedModel()), HashingEmbedder)
        return run([case], [system], model="m", seeds=seeds, journal=journal)


def test_a_turn_has_all_that_came_of_it(played: Played) -> None:
    first, second = go()
    assert (first.intents, first.paths, first.reply_usage) == (
        ("new",), ("crossing = Islay",), Tokens(60, 12, 0, 6, 1),
    )  # fmt: skip
    assert (first.right, second.right) == (True, True)


def test_each_case_has_an_empty_memory_that_is_gone_afterwards(played: Played) -> None:
    go(seeds=2)
    assert len(set(played.memories)) == 2
    assert not any(path.exists() for path in played.memories)


def test_a_turn_that_fails_is_a_confusion_and_the_case_goes_on(played: Played) -> None:
    played.fails = True
    first, second = go()
    assert [failure.kind for failure in first.failures] == ["error", "intent", "active", "reply"]
    assert first.confused and second.turn == 2


def test_a_line_holds_a_result_whole(played: Played) -> None:
    played.says = lambda text, ablate: "Jura!\n\u2028"
    for result in go():
        assert from_row(json.loads(json.dumps(to_row(result)))) == result


def test_what_is_finished_is_not_run_again(played: Played, tmp_path: Path) -> None:
    first = go(tmp_path / "out.jsonl")
    assert go(tmp_path / "out.jsonl") == first
    assert len(played.calls) == 2


def test_another_seed_is_another_run(played: Played, tmp_path: Path) -> None:
    go(tmp_path / "out.jsonl")
    go(tmp_path / "out.jsonl", seeds=2)
    assert [options["seed"] for _, options in played.calls] == [0, 0, 1, 1]


def test_what_is_finished_is_judged_by_the_expectations_as_they_are_now(
    played: Played, tmp_path: Path
) -> None:
    go(tmp_path / "out.jsonl")
    turns = [{**FERRY["turns"][0], "absent": [["islay"]]}, FERRY["turns"][1]]
    first, _ = go(tmp_path / "out.jsonl", turns=turns, half="tune")
    assert (len(played.calls), first.half, [one.kind for one in first.failures]) == (2, "tune", ["absent"])


@pytest.mark.parametrize("lost", [1, 2, 40, 400])
def test_a_case_that_was_cut_off_starts_again(played: Played, tmp_path: Path, lost: int) -> None:
    out = tmp_path / "out.jsonl"
    go(out)
    whole = out.read_bytes()
    lost = min(lost, len(whole.splitlines()[-1]) - 2) + 1
    out.write_bytes(whole[:-lost])  # killed while it wrote
    assert [result.turn for result in go(out)] == [1, 2]
    assert len(played.calls) == 4
    assert out.read_bytes().startswith(whole[:-lost] + b"\n" + whole.splitlines()[0][:99])
    assert len(go(out)) == 2 and len(played.calls) == 4


def test_a_file_with_something_else_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "notes.txt"
    out.write_text("milk\n")
    with pytest.raises(BenchError, match=r"notes\.txt, line 1: that is no result"):
        go(out)
    assert out.read_text() == "milk\n"


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be used"):
        go(tmp_path)


def prompt(*texts: str) -> Prompt:
    return Prompt("reply", tuple(Message(Speaker.USER, text) for text in texts), 1)


def test_fixed_parts_are_counted_apart() -> None:
    meter = Meter(ScriptedModel(["a b c"]))
    meter.generate(prompt("six words that never do change", "new"), max_tokens=9)
    assert meter.take() == {"reply": Tokens(prompt=15, evaluated=5, fixed=10, written=3, calls=1)}
    assert meter.take() == {}


def test_a_call_that_fails_costs_too() -> None:
    meter = Meter(ScriptedModel([TruncatedError("too long", text="a b")]))
    with pytest.raises(TruncatedError):
        meter.generate(prompt("one", "two"), max_tokens=2)
    assert meter.take() == {"reply": Tokens(prompt=10, evaluated=5, fixed=5, written=2, calls=1)}


def test_a_lent_model_stays_open() -> None:
    closed = []

    class Closing(ScriptedModel):
        def close(self) -> None:
            closed.append(self)

    Meter(Closing()).close()
    assert closed == []
