"""Files of questions, and the draw from them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from localmem import resources
from localmem.bench.questions import Question, draw, load
from localmem.errors import BenchError, LocalmemError
from tests.bench.locomo import talks, write


def test_a_question_names_the_turns_that_answer_it(tmp_path: Path) -> None:
    questions = talks(tmp_path)[0].questions
    assert [(one.kind, sorted(one.gold), one.answer) for one in questions] == [
        ("single-hop", ["D1:2"], "Dilip"),
        ("multi-hop", ["D1:4", "D1:5"], "herons, birds"),
        ("temporal", ["D1:1"], "Friday"),
        ("adversarial", ["D1:3"], ""),
    ]


def test_questions_on_the_sample_are_read_with_its_transcript() -> None:
    [talk] = load(resources.path("samples", "two-friends.questions.json"))
    assert talk.name == "two-friends.txt"
    assert len(talk.events) > 200
    assert all(one.answer for one in talk.questions if one.kind != "unknown")


def test_only_the_conversations_that_were_named_are_read(tmp_path: Path) -> None:
    assert [talk.name for talk in load(write(tmp_path, "a", "b", "c"), ["c", "a"])] == ["a", "c"]


def test_a_conversation_that_is_not_there_is_an_error_that_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="no conversation z") as caught:
        load(write(tmp_path, "a", "b"), ["z"])
    assert "a, b" in caught.value.hint


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"qa": 3}]', '{"transcript": "x.txt"}', "not json"])
def test_a_file_without_questions_is_an_error(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LocalmemError):
        load(file)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="cannot be read"):
        load(tmp_path / "none.json")


def pile(conversation: str, kind: str, count: int) -> list[Question]:
    return [Question(conversation, f"{kind} {n}", kind, frozenset(), "") for n in range(count)]


def test_a_draw_is_even_by_conversation_and_kind() -> None:
    questions = [one for name in "ab" for kind in "xyz" for one in pile(name, kind, 10)]
    drawn = draw(questions, 12, seed=1)
    assert set(Counter((one.conversation, one.kind) for one in drawn).values()) == {2}


def test_kinds_that_run_out_leave_their_place_to_others() -> None:
    drawn = draw([*pile("a", "x", 1), *pile("a", "y", 9)], 6, seed=1)
    assert Counter(one.kind for one in drawn) == {"x": 1, "y": 5}


def test_the_same_seed_draws_the_same_and_another_one_others() -> None:
    questions = pile("a", "x", 50)
    assert draw(questions, 5, 1) == draw(questions, 5, 1) != draw(questions, 5, 2)


def test_no_more_are_drawn_than_there_are() -> None:
    assert len(draw(pile("a", "x", 3), 80, 0)) == 3
    assert json.dumps(draw([], 80, 0)) == "[]"
