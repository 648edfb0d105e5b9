"""Text games: a machine's memory by the standard, and two stories played to their milestones."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from localmem.agent.environments import game
from localmem.agent.environments.game import GameEnvironment
from localmem.agent.environments.zmachine import Picture
from localmem.agent.worlds import GameWorld, of, row
from localmem.errors import AgentError, UsageError
from localmem.llm import grammar


def zchars(*codes: int) -> bytes:
    """Text of a Z-machine, five bits a character."""
    padded = [*codes, *[5] * (-len(codes) % 3)]
    words = [a << 10 | b << 5 | c for a, b, c in zip(padded[::3], padded[1::3], padded[2::3], strict=True)]
    words[-1] |= 0x8000
    return b"".join(word.to_bytes(2, "big") for word in words)


def letters(text: str) -> list[int]:
    return [ord(letter) - ord("a") + 6 for letter in text]


def memory(score: int = 7) -> bytes:
    """A version 3 machine with two objects, a dictionary of two words and an abbreviation."""
    data = bytearray(512)
    data[0] = 3
    for at, value in ((0x08, 0x60), (0x0A, 0x80), (0x0C, 0x40), (0x18, 0x30)):
        data[at : at + 2] = value.to_bytes(2, "big")
    data[0x30:0x32] = (0x1C0 // 2).to_bytes(2, "big")  # abbreviation 0
    data[0x1C0 : 0x1C0 + 4] = zchars(*letters("the"), 0)
    data[0x40:0x46] = b"".join(value.to_bytes(2, "big") for value in (2, score & 0xFFFF, 5))
    data[0x60:0x66] = bytes([2, ord("."), ord(","), 7, 0, 2])
    for at, word in ((0x66, "lamp"), (0x66 + 7, "mailbox")):
        codes = (letters(word) + [5] * 6)[:6]
        data[at : at + 4] = zchars(*codes)
    first = 0x80 + 62
    for number, name in ((1, [*letters("lamp")]), (2, [1, 0, 4, *letters("hall")])):
        start, properties = first + 9 * (number - 1), 0x100 + 32 * number
        data[start + 7 : start + 9] = properties.to_bytes(2, "big")
        text = zchars(*name)
        data[properties] = len(text) // 2
        data[properties + 1 : properties + 1 + len(text)] = text
    data[first + 9 * 2 : 0x120] = bytes(0x120 - first - 9 * 2)
    return bytes(data)


def test_place_and_score_are_the_first_globals() -> None:
    picture = Picture(memory())
    assert (picture.version, picture.status_line, picture.place, picture.score) == (3, True, 2, 7)
    assert Picture(memory(-10)).score == -10


def test_names_are_decoded_with_capitals_and_abbreviations() -> None:
    picture = Picture(memory())
    assert [picture.name(number) for number in (0, 1, 2)] == ["", "lamp", "the Hall"]


def test_the_dictionary_has_words_cut_to_six_letters() -> None:
    assert Picture(memory()).words() == {"lamp", "mailbo"}


def test_an_object_that_moves_changes_the_tree() -> None:
    data = bytearray(memory())
    before = Picture(bytes(data)).objects()
    data[0x80 + 62 + 4] = 2  # the lamp is in the hall now
    after = Picture(bytes(data)).objects()
    assert (len(before), before == after) == (len(after), False)


def test_the_score_is_not_in_the_tree() -> None:
    assert Picture(memory(1)).objects() == Picture(memory(2)).objects()


@pytest.mark.parametrize("length", [64, 65, 100, 140, 300])
def test_memory_that_breaks_off_is_read_without_an_error(length: int) -> None:
    picture = Picture(memory()[:length])
    assert isinstance(picture.name(2), str)
    assert isinstance(picture.objects(), bytes)


def test_a_line_of_status_is_left_out() -> None:
    text = "> West of House      Score: 0      Moves: 3   \nTaken.\n\n\n  A lamp.  \n"
    assert game._clean(text) == "Taken.\n  A lamp."


@pytest.fixture
def stories() -> dict[str, Any]:
    pytest.importorskip("jericho")
    named = os.environ.get("LOCALMEM_TEST_STORIES")
    if not named or not Path(named, "milestones.json").exists():
        pytest.skip("no stories: set LOCALMEM_TEST_STORIES to a folder with milestones.json")
    found = json.loads(Path(named, "milestones.json").read_text(encoding="utf-8"))
    return {
        name: {**told, "path": Path(named, told["story"])}
        for name, told in found.items()
        if isinstance(told, dict)
    }


def opened(told: dict[str, Any]) -> GameEnvironment:
    made = GameEnvironment(told["path"], told["goal"], told["milestones"])
    made.reset()
    return made


def test_the_reference_runs_reach_all_milestones(stories: dict[str, Any]) -> None:
    for told in stories.values():
        world = opened(told)
        seen = [world.progress()]
        for command in told["reference"]:
            assert world.step(command).valid
            seen.append(world.progress())
        assert (world.done, seen[-1], seen) == (True, 1.0, sorted(seen))


def test_place_and_score_are_known_for_a_release_that_jericho_does_not_know(stories: dict[str, Any]) -> None:
    told = stories["zork1"]
    world = opened(told)
    assert (world._game.is_fully_supported, world.place, world.score) == (False, "West of House", 0)
    for command in told["reference"][:4]:
        world.step(command)
    assert (world.place, world.score) == ("Kitchen", 10)


def test_what_can_be_done_is_found_by_trying(stories: dict[str, Any]) -> None:
    told = stories["zork1"]
    world = opened(told)
    before = world.state()
    assert {"north", "south", "open mailbox", "look", "inventory"} <= set(world.valid_actions())
    assert "up" not in world.valid_actions()
    assert world.state() == before
    assert grammar.accepts(f"root ::= {world.grammar()}", "open mailbox")
    for command in world.valid_actions():
        assert world.peek(command) is not None
    assert world.state() == before


def test_words_that_leave_the_game_or_touch_files_are_refused(
    stories: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    world = opened(stories["zork1"])
    before = world.state()
    for command in (
        "quit",
        "SAVE",
        "look. save",
        "open mailbox then restore",
        "q.",
        "script",
        "restart",
        "",
        "\n",
    ):
        assert not world.step(command).valid, command
    assert (world.state(), world.done, list(tmp_path.iterdir())) == (before, False, [])


@pytest.mark.parametrize("command", ["foo", "x" * 500, "take \x00\x1b[1m lamp", "naïve ☃", "north\nquit"])
def test_odd_commands_do_no_harm(stories: dict[str, Any], command: str) -> None:
    world = opened(stories["zork1"])
    world.step(command)
    assert world.step("look").valid


def test_what_the_parser_refuses_is_not_valid(stories: dict[str, Any]) -> None:
    world = opened(stories["zork1"])
    assert [world.step(command).valid for command in ("foo", "take lamp", "open mailbox")] == [
        False,
        False,
        True,
    ]


def test_a_game_is_restored_by_its_commands(stories: dict[str, Any]) -> None:
    told = stories["zork2"]
    world = opened(told)
    steps = [(command, world.step(command)) for command in told["reference"][:6]]
    again = opened(told)
    again.restore(steps)
    assert (again.state(), again.progress(), again.now()) == (world.state(), world.progress(), world.now())


def test_a_story_that_changed_is_not_gone_on_with(stories: dict[str, Any], tmp_path: Path) -> None:
    copy = tmp_path / "story.z3"
    copy.write_bytes(stories["zork1"]["path"].read_bytes())
    world = GameWorld.read(copy, "goal", ["a", "b"])
    assert of(json.loads(json.dumps(row(world)))) == world
    world.make("", None)
    copy.write_bytes(copy.read_bytes() + b"x")
    with pytest.raises(AgentError, match="has changed"):
        world.make("", None)


def test_what_is_no_story_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("jericho")
    (tmp_path / "a.z3").write_bytes(b"no story at all" * 9)
    for name in ("a.z3", "missing.z3", "."):
        with pytest.raises(AgentError):
            GameEnvironment(tmp_path / name, "")


def test_a_missing_file_is_told_before_anything_else(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="cannot be read"):
        GameWorld.read(tmp_path / "missing.z3")


def test_without_jericho_the_mend_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jericho", None)
    with pytest.raises(UsageError) as refused:
        GameEnvironment(tmp_path / "a.z3", "")
    assert "localmem[jericho]" in refused.value.hint
