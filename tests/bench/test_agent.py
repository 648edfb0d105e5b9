"""`localmem bench agent`: the runner, its file, its figures and its test over pairs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from localmem.agent.environments.pddl import domain_text
from localmem.agent.environments.problems import generate
from localmem.agent.values import Actions, Assist, Mode, Part
from localmem.bench.agent import MEASURED, Problem, System, found, games, made, run, systems
from localmem.bench.agent_results import Results, RunKey, RunResult, compare, rows, wilcoxon
from localmem.cli.bench_agent import Without
from localmem.errors import AgentError, BenchError, UsageError
from localmem.llm.protocol import Generation, Prompt
from localmem.values import Usage
from tests.cli.conftest import CommandLine, localmem
from tests.fakes import ScriptedModel

pytest.importorskip("jupyddl")
pytest.importorskip("scipy")
__all__ = ["localmem"]


class Player(ScriptedModel):
    """Writes the first action that its grammar allows, and keeps to one subgoal."""

    def generate(self, prompt: Prompt, *, grammar: str | None = None, **_: Any) -> Generation:
        assert grammar is not None
        self.prompts.append(prompt)
        root = re.search(r"^root ::= (.*)$", grammar, re.MULTILINE)
        act = re.search(r'^act ::= \W*"((?:[^"\\]|\\.)*)"', grammar, re.MULTILINE)
        line = act[1] if act else "look around"
        text = {
            '"."': ".",
            "subgoal": "Subgoal: Go on.",
            "act": line,
        }.get(root[1] if root else "", f"Action: {line}")
        read = self.count_prompt(prompt)
        return Generation(text, Usage(read, 10, self.count(text), calls=1))


PROBLEMS = made(["gripper", "blocksworld"], 2)
WAYS = systems([Mode.HIAGENT, Mode.STANDARD], [Actions.VALID], [])


def test_every_problem_is_run_in_every_way() -> None:
    told: list[tuple[str, str, bool]] = []
    results = run(
        PROBLEMS,
        WAYS,
        Player(),
        Results(None),
        lambda r, known: told.append((r.key.problem, r.key.system, known)),
    )
    assert [name for name, _, _ in told[:3]] == ["gripper-2-0", "gripper-2-0", "gripper-3-1"]
    assert not any(known for _, _, known in told)
    assert [one.key.system for one in results] == ["hiagent valid"] * 4 + ["standard valid"] * 4
    for one in results:
        assert 0 < one.steps <= 30
        assert (
            len(one.valid) == len(one.context) == len(one.evaluated) == len(one.progress_by_step) == one.steps
        )
        assert one.success == (one.progress == 1)
        assert all(one.valid)


def test_the_fixed_part_of_a_prompt_is_read_before_anything_is_counted() -> None:
    model = Player()
    run(PROBLEMS, WAYS, model, Results(None))
    first = [prompt.kind for prompt in model.prompts if prompt.messages[-1].text == "Goal: none."]
    assert first == [
        "hiagent-gripper-parts", "standard-gripper", "hiagent-blocksworld-parts", "standard-blocksworld",
    ]  # fmt: skip


def test_a_way_without_a_part_is_a_system_of_its_own() -> None:
    ways = systems([Mode.HIAGENT, Mode.STANDARD], [Actions.VALID, Actions.FREE], [Part.SUMMARY, Assist.GOALS])
    assert [way.name for way in ways] == [
        "hiagent valid", "hiagent valid without summary", "hiagent valid without goals", "standard valid",
        "hiagent free", "hiagent free without summary", "hiagent free without goals", "standard free",
    ]  # fmt: skip
    assert ways[1].options.without == {Part.SUMMARY}
    assert ways[2].options.assists == MEASURED[Mode.HIAGENT] - {Assist.GOALS}
    assert ways[3].options.assists == MEASURED[Mode.STANDARD]
    for assists in ((), (Assist.SEARCH,)):
        both = systems(list(Mode), [Actions.FREE], [], assists=assists)
        assert [way.options.assists for way in both] == [frozenset(assists)] * 2


def test_each_part_and_each_assist_can_be_ablated_by_its_name() -> None:
    assert [(one.name, one.value) for one in Without] == [(one.name, one.value) for one in (*Part, *Assist)]


def test_runs_in_the_file_are_not_made_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    with Results(file) as results:
        first = run(PROBLEMS[:1], WAYS, Player(), results)
    model = Player()
    told: list[bool] = []
    with Results(file) as results:
        again = run(PROBLEMS[:2], WAYS, model, results, lambda _, known: told.append(known))
    assert told == [True, True, False, False]
    assert [one for one in again if one.key.problem == "gripper-2-0"] == first
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4


def test_other_options_problems_and_models_are_other_runs(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    with Results(file) as results:
        run(PROBLEMS[:1], WAYS[:1], Player(), results)
    other = Player()
    other.id = "another"
    shorter = [System(way.name, replace(way.options, max_steps=1)) for way in WAYS[:1]]
    changed = [Problem("gripper-2-0", "gripper", PROBLEMS[1].world)]
    for problems, ways, model in (
        (PROBLEMS[:1], shorter, Player()),
        (changed, WAYS[:1], Player()),
        (PROBLEMS[:1], WAYS[:1], other),
    ):
        told: list[bool] = []
        with Results(file) as results:
            run(problems, ways, model, results, lambda _, known, told=told: told.append(known))  # type: ignore[misc]
        assert told == [False]


def test_a_line_that_was_cut_off_is_run_again(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    with Results(file) as results:
        run(PROBLEMS[:1], WAYS, Player(), results)
    whole = file.read_bytes()
    file.write_bytes(whole[:-40])
    told: list[bool] = []
    with Results(file) as results:
        run(PROBLEMS[:1], WAYS, Player(), results, lambda _, known: told.append(known))
    assert told == [True, False]
    with Results(file) as results:
        assert all(results.known(one.key) for one in run(PROBLEMS[:1], WAYS, Player(), results))


@pytest.mark.parametrize("text", ["hello\n", '{"a": 1}\n', "[]\n", '"x"\n', "\x00\n"])
def test_another_file_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match="line 1"):
        Results(file)
    assert file.read_text(encoding="utf-8") == text


def result(system: str, problem: str, **more: Any) -> RunResult:
    values: dict[str, Any] = {
        "domain": "gripper", "status": "reached", "success": True, "progress": 1.0, "steps": 2, "subgoals": 1,
        "valid": (True, False), "progress_by_step": (0.0, 1.0), "context": (100, 300), "evaluated": (20, 40),
        "generated": (5, 5), "seconds": 2.0, "lines": (),
    }  # fmt: skip
    return RunResult(RunKey(system, problem, "d", "{}", "m"), **{**values, **more})


def test_a_row_is_the_mean_over_runs() -> None:
    late = {"steps": 22, "valid": (True,) * 20 + (True, False), "context": (1000,) * 22}
    [row] = rows([result("a", "p"), result("a", "q", success=False, progress=0.5, **late)])
    assert (row.runs, row.success, row.progress, row.steps, row.context) == (2, 0.5, 0.75, 12, 600)
    assert (row.valid, row.valid_late) == (pytest.approx(22 / 24), 0.5)
    assert row.valid_by_step == (pytest.approx(11 / 12), 1.0, 0.5)


def test_domains_have_rows_below_their_system() -> None:
    table = rows([result("a", "p"), result("a", "q", domain="barman"), result("b", "p")])
    assert [(row.system, row.domain, row.runs) for row in table] == [
        ("a", "", 2), ("a", "gripper", 1), ("a", "barman", 1), ("b", "", 1),
    ]  # fmt: skip


def test_systems_are_compared_over_the_problems_that_both_have_run() -> None:
    own = [result("a", str(place), context=(100 + place,)) for place in range(8)]
    other = [result("b", str(place), context=(200 + 3 * place,)) for place in range(6)]
    compared = {one.figure: one for one in compare([*own, *other])}
    context = compared["context"]
    assert (context.pairs, context.mean, context.other_mean) == (6, 102.5, 207.5)
    assert context.ratio == pytest.approx(102.5 / 207.5)
    assert context.p == pytest.approx(2 / 2**6)
    assert (compared["success"].p, compared["success"].ratio) == (None, 1.0)


def test_pairs_that_do_not_differ_have_no_p() -> None:
    assert wilcoxon([1, 2, 3], [1, 2, 3]) is None
    assert wilcoxon([1, 2, 3, 4], [1, 2, 3, 9]) == pytest.approx(1.0)


def test_a_single_system_is_compared_with_none() -> None:
    assert compare([result("a", "p")]) == []


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for domain, count in (("gripper", 3), ("barman", 2)):
        (tmp_path / "problems" / domain).mkdir(parents=True)
        (tmp_path / "problems" / domain / "domain.pddl").write_text(domain_text(domain), encoding="utf-8")
        for seed in range(count):
            text = generate(domain, seed=seed, size=1)
            (tmp_path / "problems" / domain / f"p{seed}.pddl").write_text(text, encoding="utf-8")
    return tmp_path / "problems"


def test_problems_of_a_folder_are_found_by_domain(folder: Path) -> None:
    assert [one.name for one in found(folder, [], 2)] == [
        "barman/p0",
        "barman/p1",
        "gripper/p0",
        "gripper/p1",
    ]
    assert [one.name for one in found(folder, ["gripper"], None)] == [
        "gripper/p0",
        "gripper/p1",
        "gripper/p2",
    ]
    with pytest.raises(AgentError, match="no such problems"):
        found(folder, ["chess"], None)


def test_an_unknown_domain_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="chess"):
        made(["chess"], 1)


def test_games_are_read_from_a_list(tmp_path: Path) -> None:
    (tmp_path / "s.z3").write_bytes(b"story")
    listed = {"one": {"story": "s.z3", "goal": "Win.", "milestones": ["Attic"]}, "note": "not a game"}
    (tmp_path / "games.json").write_text(json.dumps(listed), encoding="utf-8")
    [problem] = games(tmp_path / "games.json")
    assert (problem.name, problem.domain, problem.world.goal) == ("one", "game", "Win.")  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["", "[]", '{"a": {"story": 1}}', '{"a": {}}'])
def test_what_is_no_list_of_games_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "games.json").write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match="is no list of games"):
        games(tmp_path / "games.json")


@pytest.fixture
def playing(localmem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    player: Callable[..., Generation] = Player.generate
    monkeypatch.setattr("tests.fakes.ScriptedModel.generate", player)
    return localmem


def test_the_command_prints_a_table_and_the_comparison(playing: CommandLine) -> None:
    done = playing("bench", "agent", "--domain", "gripper", "--count", "2")
    assert done.code == 0, done.err
    assert done.err.splitlines()[0].startswith("hiagent valid, gripper-2-0: ")
    lines = done.out.splitlines()
    assert lines[0].split() == [
        "runs", "success", "progress", "steps", "context", "read", "wrote", "valid", "late", "goals", "s",
    ]  # fmt: skip
    assert [line.split()[0] for line in lines[1:3]] == ["hiagent", "standard"]
    assert "hiagent valid and standard valid" in done.out
    assert any(line.startswith("  context") for line in lines)


def test_the_command_prints_json(playing: CommandLine, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    arguments = (
        "bench",
        "agent",
        "--problems",
        folder,
        "--count",
        "1",
        "--mode",
        "hiagent",
        "--ablate",
        "state",
        "--json",
        "-q",
    )
    done = playing(*arguments, "--out", out)
    assert done.err == ""
    shown = json.loads(done.out)
    assert [(row["system"], row["domain"]) for row in shown["rows"]] == [
        ("hiagent valid", ""), ("hiagent valid", "barman"), ("hiagent valid", "gripper"),
        ("hiagent valid without state", ""), ("hiagent valid without state", "barman"),
        ("hiagent valid without state", "gripper"),
    ]  # fmt: skip
    assert {one["figure"] for one in shown["compared"]} >= {
        "success",
        "progress",
        "steps",
        "context",
        "evaluated",
    }
    assert playing(*arguments, "--out", out).out == done.out
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--domain", "chess"), 2),
        (("--count", "0"), 2),
        (("--mode", "other"), 2),
        (("--problems", "missing"), 1),
        (("--games", "missing.json"), 1),
    ],
)
def test_what_cannot_be_measured_is_one_clear_line(
    playing: CommandLine, arguments: tuple[str, ...], code: int
) -> None:
    done = playing("bench", "agent", *arguments)
    assert (done.code, done.out) == (code, "")
    assert "Traceback" not in done.err
