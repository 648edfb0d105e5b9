"""Answers of each system, what is kept of them, and how they compare; the model is scripted."""

from __future__ import annotations

from pathlib import Path

import pytest

from localmem.bench.answers import (
    STEP,
    SYSTEMS,
    Journal,
    Result,
    _Listener,
    comparisons,
    row,
    run,
)
from localmem.bench.names import Same
from localmem.errors import BenchError
from localmem.llm import prompts, templates
from localmem.llm.protocol import Message, Speaker
from localmem.recall.answer_grammar import KIND, MORE_TO_A_LIST
from tests.bench.locomo import talks
from tests.fakes import HashingEmbedder, ScriptedModel


def go(
    folder: Path,
    model: ScriptedModel,
    *,
    count: int = 1,
    systems: tuple[str, ...] = SYSTEMS,
    **options: object,
) -> list[Result]:
    found = talks(folder)
    questions = found[0].questions
    asked = [questions[0], *questions[3:]][:count]
    return run(found, asked, model, HashingEmbedder, systems=systems, **options)  # type: ignore[arg-type]


def test_every_system_answers_with_the_same_prompt(tmp_path: Path) -> None:
    model = ScriptedModel(["[1] Dilip."] * 5)
    results = go(tmp_path, model)
    assert [result.key.system for result in results] == list(SYSTEMS)
    assert all(result.f1 == 1 for result in results)
    heads = {prompt.messages[0].text for prompt in model.prompts}
    assert len(heads) == 1


def test_a_baseline_is_shown_no_more_tokens_than_localmem(tmp_path: Path) -> None:
    results = go(tmp_path, ScriptedModel(["[1] Dilip."] * 20), budget=2)
    ours, *others, last = [result.tokens for result in results]
    assert all(0 < tokens <= max(ours, 25) for tokens in others)
    assert 0 < last <= STEP


def test_a_baseline_can_have_as_many_turns_instead(tmp_path: Path) -> None:
    results = go(tmp_path, ScriptedModel(["[1] Dilip."] * 5), budget=1, same=Same.UNITS)
    assert results[2].gold == 1  # bm25
    assert results[4].gold == 0  # the last turn


def test_a_question_without_an_answer_is_right_when_it_is_refused(tmp_path: Path) -> None:
    model = ScriptedModel(["[1] Dilip.", "[0] Not in memory."])
    results = go(tmp_path, model, count=2, systems=("localmem",))
    assert [(one.kind, one.found, one.f1) for one in results] == [
        ("single-hop", True, 1.0),
        ("adversarial", False, 1.0),
    ]
    figures = row("localmem", results)
    assert (figures["macro_f1"], figures["unknown_refused"], figures["unknown_questions"]) == (100, 100, 1)


def test_what_the_file_has_is_not_asked_again(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with Journal(out) as journal:
        first = go(tmp_path, ScriptedModel(["[1] Dilip."] * 5), journal=journal)
    with Journal(out) as journal:
        again = go(tmp_path, ScriptedModel([]), journal=journal)
    assert again == first
    assert len(out.read_text("utf-8").splitlines()) == 5


def test_another_budget_is_another_answer(tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    with Journal(out) as journal:
        go(tmp_path, ScriptedModel(["[1] Dilip."]), systems=("localmem",), journal=journal)
        go(tmp_path, ScriptedModel(["[1] Bob."]), systems=("localmem",), budget=2, journal=journal)
    with Journal(out) as journal:
        assert len(journal.done) == 2


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"key": {"system": "x"}}'])
def test_a_file_of_something_else_is_an_error(tmp_path: Path, line: str) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(BenchError, match="line 1"):
        Journal(file)


def test_localmem_is_compared_with_each_other_system(tmp_path: Path) -> None:
    results = go(tmp_path, ScriptedModel(["[1] Dilip."] * 2 + ["[0] Not in memory."] * 3))
    found = {one["than"]: one["points"] for one in comparisons(results)}
    assert found["dense"] == 0
    assert found["bm25"] == 100


def test_what_was_asked_again_and_stayed_unsupported_is_counted(tmp_path: Path) -> None:
    model = ScriptedModel(["[2] It was Gethin.", "[2] It was Gethin.", "[1] Moby."])
    results = go(tmp_path, model, count=2, systems=("localmem",))
    assert [(one.again, one.supported) for one in results] == [(True, False), (False, True)]
    figures = row("localmem", results)
    assert (figures["asked_again"], figures["unsupported"]) == (50, 50)


def test_no_citation_goes_astray(tmp_path: Path) -> None:
    results = go(tmp_path, ScriptedModel(["[1] [9] Dilip."] * 5))
    assert [one.astray for one in results] == [0] * 5
    assert all(one.cited >= 1 for one in results)


def test_asking_what_else_belongs_to_a_list_is_not_asking_again() -> None:
    listener = _Listener(ScriptedModel(["[2] b", "[2] b"]))
    kind = prompts.load(KIND)
    for text, again in ((templates.render(MORE_TO_A_LIST), False), ("Answer once more.", True)):
        asked = [
            kind.ask(days=[], question="Who?"),
            Message(Speaker.ASSISTANT, "[1] a"),
            Message(Speaker.USER, text),
        ]
        listener.generate(kind.prompt(*asked), max_tokens=5)
        assert listener.again is again
