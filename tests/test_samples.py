"""The bundled transcript and its questions are what tests, benchmarks and the quick start rely on."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date, datetime
from typing import Any

import pytest

from localmem import resources
from localmem.transcripts import Note, Turn, read

LINE = re.compile(r"\[(\d{4}-\d\d-\d\d \d\d:\d\d)\] (\w+): (.+)")
KINDS = {"fact", "time", "list", "changed fact", "preference", "unknown"}
MONTHS = {"March": 3, "April": 4, "May": 5, "June": 6}
NAMED_DAY = re.compile(r"(\w+day) the (\d+)(?:st|nd|rd|th) of (\w+)")


def numbered_lines() -> dict[str, str]:
    lines = resources.text("samples", "two-friends.txt").splitlines()
    return {f"line {number}": line for number, line in enumerate(lines, start=1)}


def turns() -> dict[str, re.Match[str]]:
    return {source: match for source, line in numbered_lines().items() if (match := LINE.fullmatch(line))}


def questions() -> list[dict[str, Any]]:
    found = json.loads(resources.text("samples", "two-friends.questions.json"))["questions"]
    assert isinstance(found, list)
    return found


def text_of(question: dict[str, Any]) -> str:
    return str(question["question"])


def test_every_line_is_a_turn_a_day_heading_or_empty() -> None:
    others = [line for source, line in numbered_lines().items() if source not in turns() and line]
    assert [line for line in others if not re.fullmatch(r"## 2025-\d\d-\d\d", line)] == []


def test_the_sample_has_two_speakers_and_is_long_enough() -> None:
    speakers = Counter(match[2] for match in turns().values())
    days = [match[1][:10] for match in turns().values()]
    assert set(speakers) == {"Ines", "Ruben"}
    assert len(turns()) >= 200
    assert len(set(days)) >= 8
    assert (date.fromisoformat(days[-1]) - date.fromisoformat(days[0])).days >= 90


def test_times_never_go_back() -> None:
    times = [datetime.fromisoformat(match[1]) for match in turns().values()]
    assert times == sorted(times)


def test_every_turn_stands_under_the_heading_of_its_day() -> None:
    day = ""
    for line in numbered_lines().values():
        if line.startswith("## "):
            day = line.removeprefix("## ")
        elif line:
            assert line.startswith(f"[{day} ")


def test_named_days_fall_on_their_weekday_in_2025() -> None:
    named = NAMED_DAY.findall(resources.text("samples", "two-friends.txt"))
    assert len(named) >= 5
    for weekday, day, month in named:
        assert f"{date(2025, MONTHS[month], int(day)):%A}" == weekday


def test_there_are_questions_of_every_kind() -> None:
    kinds = Counter(question["kind"] for question in questions())
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 3
    assert kinds.total() >= 24


def test_no_question_is_asked_twice() -> None:
    assert [text for text, count in Counter(map(text_of, questions())).items() if count > 1] == []


@pytest.mark.parametrize("question", questions(), ids=text_of)
def test_gold_turns_exist_for_what_can_be_known(question: dict[str, Any]) -> None:
    assert set(question["gold"]) <= set(turns())
    assert bool(question["gold"]) == bool(question["expected"]) == (question["kind"] != "unknown")


@pytest.mark.parametrize(
    "question",
    [question for question in questions() if question["kind"] not in ("time", "unknown")],
    ids=text_of,
)
def test_expected_words_are_said_in_the_gold_turns(question: dict[str, Any]) -> None:
    said = "\n".join(turns()[source][0] for source in question["gold"]).lower()
    for alternatives in question["expected"]:
        assert any(alternative.lower() in said for alternative in alternatives), alternatives


def test_the_parser_reads_every_turn_with_the_line_as_its_source() -> None:
    events = list(read(resources.path("samples", "two-friends.txt")))
    read_turns = [event for event in events if isinstance(event, Turn)]
    assert {turn.source: (turn.at, turn.speaker, turn.text) for turn in read_turns} == {
        source: (datetime.fromisoformat(match[1]), match[2], match[3]) for source, match in turns().items()
    }
    assert len({turn.session for turn in read_turns}) == 14
    notes = [event.text for event in events if isinstance(event, Note)]
    assert notes == [
        "read as plain: 260 of 274 lines open with a speaker",
        "its times have no zone and are taken as local time",
    ]
    assert len(events) == len(read_turns) + 1 + len(notes)
