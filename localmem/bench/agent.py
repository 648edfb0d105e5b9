"""`localmem bench agent`: HiAgent's evaluation on planning problems and text games, run by run."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from localmem.agent import prompt, worlds
from localmem.agent.environments import pddl
from localmem.agent.loop import Loop
from localmem.agent.values import DEFAULT_ASSISTS, Actions, Assist, Kind, Mode, Options, Part, Trajectory
from localmem.agent.worlds import GameWorld, PddlWorld
from localmem.bench.agent_results import Results, RunKey, RunResult
from localmem.errors import AgentError, BenchError, TruncatedError
from localmem.llm.protocol import LanguageModel

SIZES = {"blocksworld": (3, 4, 5), "gripper": (2, 3, 4), "tyreworld": (1, 1, 2), "barman": (1, 2, 2)}
"""Of the problems that are made, in turn."""

MEASURED: Mapping[Mode, frozenset[Assist]] = {
    Mode.HIAGENT: DEFAULT_ASSISTS,
    Mode.STANDARD: frozenset({Assist.GOALS, Assist.LOOKAHEAD}),
}
"""What code adds unless it is said otherwise: for STANDARD, what needs neither subgoals nor a search."""

OnRun = Callable[[RunResult, bool], None]
"""Called with a result, and whether it was known from before."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something to be solved."""

    name: str
    domain: str
    world: PddlWorld | GameWorld

    @property
    def digest(self) -> str:
        """Of all that the world is made from, but not of where its files are."""
        facts = {name: value for name, value in worlds.row(self.world).items() if name != "story"}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class System:
    """One way of working."""

    name: str
    options: Options


def made(domains: Iterable[str], count: int, seed: int = 0) -> list[Problem]:
    """Problems of our own: `count` a domain, of growing sizes, with the seeds from `seed` on.

    Raises:
        UsageError: no such domain.
    """
    problems = []
    for domain in domains:
        sizes = SIZES.get(domain, (3,))
        for place in range(count):
            world = PddlWorld.made(domain, seed=seed + place, size=sizes[place % len(sizes)])
            problems.append(Problem(world.problem_name, domain, world))
    return problems


def found(folder: Path, domains: Sequence[str], count: int | None) -> list[Problem]:
    """The PDDL problems below a folder; at most `count` a domain, the first by name.

    Args:
        folder: see `pddl.folder`.
        domains: those that are wanted, by our names or those of their folders; none: all.
        count: None: all.

    Raises:
        AgentError: there are none, or one cannot be read.
    """
    chosen: dict[str, list[Problem]] = {}
    for name, rules, text in pddl.folder(folder):
        world = PddlWorld(name, rules, text)
        above = name.rpartition("/")[0]
        domain = pddl.PddlEnvironment.of(rules, text).domain or above or "pddl"
        if not domains or {domain, above} & set(domains):
            chosen.setdefault(domain, []).append(Problem(name, domain, world))
    problems = [problem for group in chosen.values() for problem in group[:count]]
    if not problems:
        raise AgentError(f"There are no such problems in {folder}.", hint="Name other domains with --domain.")
    return problems


def games(file: Path) -> list[Problem]:
    """The games of a JSON file: {name: {"story": path beside the file, "goal", "milestones": [texts]}}.

    Raises:
        BenchError: it cannot be read.
        AgentError: a story cannot be.
    """
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        return [
            Problem(
                name,
                "game",
                GameWorld.read(file.parent / one["story"], one["goal"], [str(m) for m in one["milestones"]]),
            )
            for name, one in told.items()
            if isinstance(one, dict)
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise BenchError(
            f"{file} is no list of games.",
            hint='It holds {"name": {"story": "file.z3", "goal": "...", "milestones": ["..."]}}.',
        ) from None


def systems(
    modes: Sequence[Mode],
    actions: Sequence[Actions],
    without: Sequence[Part | Assist],
    *,
    assists: Iterable[Assist] | None = None,
    max_steps: int = 30,
) -> list[System]:
    """The ways of working: each mode with each kind of actions, and HiAgent without each of some parts.

    Args:
        modes: what stands in the prompt.
        actions: what may be written.
        without: what to take away, one by one.
        assists: what code adds; None: what is `MEASURED` for the mode.
        max_steps: of a run.
    """
    chosen = []
    for kind in actions:
        for mode in modes:
            name = f"{mode} {kind}"
            added = MEASURED[mode] if assists is None else frozenset(assists)
            base = Options(mode=mode, actions=kind, assists=added, max_steps=max_steps)
            chosen.append(System(name, base))
            for part in without if mode is Mode.HIAGENT else ():
                options = base
                if isinstance(part, Part):
                    options = replace(options, without=frozenset({part}))
                else:
                    options = replace(options, assists=options.assists - {part})
                chosen.append(System(f"{name} without {part}", options))
    return chosen


def run(
    problems: Sequence[Problem],
    ways: Sequence[System],
    model: LanguageModel,
    results: Results,
    on_run: OnRun | None = None,
) -> list[RunResult]:
    """Run every problem in every way, problem by problem, so that what is there can be compared at any time.

    Args:
        problems: what is to be solved.
        ways: how.
        model: writes the lines.
        results: keeps what comes of it; runs that it knows are not made again.
        on_run: told of each run.

    Raises:
        EngineError: the model cannot go on; the runs before are kept.
    """
    done = []
    warm: set[str] = set()
    for problem in problems:
        for way in ways:
            key = RunKey(
                way.name,
                problem.name,
                problem.digest,
                json.dumps(way.options.row(), sort_keys=True),
                model.id,
            )
            result = results.known(key)
            known = result is not None
            if result is None:
                result = _run(key, problem, way, model, warm)
                results.add(result)
            done.append(result)
            if on_run is not None:
                on_run(result, known)
    order = {way.name: place for place, way in enumerate(ways)}
    return sorted(done, key=lambda one: order[one.key.system])


def _run(key: RunKey, problem: Problem, way: System, model: LanguageModel, warm: set[str]) -> RunResult:
    environment = problem.world.make("", None)
    _read_fixed(environment.kind, way.options, model, warm)
    made = Loop(environment, model, way.options).run()
    acts = made.acts
    used = _by_act(made)
    return RunResult(
        key=key,
        domain=problem.domain,
        status=str(made.status),
        success=made.progress >= 1,
        progress=round(made.progress, 6),
        steps=len(acts),
        subgoals=len(made.subgoals),
        valid=tuple(step.valid for step in acts),
        progress_by_step=tuple(round(step.progress, 6) for step in acts),
        context=tuple(context for context, _, _ in used),
        evaluated=tuple(evaluated for _, evaluated, _ in used),
        generated=tuple(generated for _, _, generated in used),
        seconds=round(sum(step.seconds for step in made.steps), 3),
        lines=tuple(_lines(made)),
    )


def _read_fixed(kind: str, options: Options, model: LanguageModel, warm: set[str]) -> None:
    """Let the model read the fixed part of a way's prompts before anything is counted: it is read once for good."""
    opening = prompt.opening(kind, options)
    if opening.name in warm:
        return
    warm.add(opening.name)
    with contextlib.suppress(TruncatedError):
        model.generate(opening.prompt([prompt.user("Goal: none.")]), max_tokens=2, grammar='root ::= "."')


def _by_act(made: Trajectory) -> list[tuple[int, int, int]]:
    """Longest prompt, tokens read and written, for each step in the world; retrievals count for the next one."""
    used = []
    context = evaluated = generated = 0
    for step in made.steps:
        context = max(context, step.context)
        evaluated += step.usage.evaluated_tokens
        generated += step.usage.generated_tokens
        if step.kind is Kind.ACT:
            used.append((context, evaluated, generated))
            context = evaluated = generated = 0
    return used


def _lines(made: Trajectory) -> list[str]:
    lines = []
    for subgoal in made.subgoals:
        if subgoal.text:
            lines.append(f"{subgoal.number}. {subgoal.text}")
        lines += [f"  {'' if step.valid else 'x '}{step.action}" for step in subgoal.steps]
        if subgoal.summary:
            lines.append(f"  = {subgoal.reached} {subgoal.summary}")
    return lines
