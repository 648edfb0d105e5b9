"""Blocksworld, Gripper, Tyreworld, Barman, and any other STRIPS problem, played by lines of text."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from localmem.agent.environments import simulator
from localmem.agent.environments.protocol import Outcome, Route
from localmem.agent.environments.search import Search
from localmem.agent.environments.simulator import Fact, State, Task
from localmem.agent.environments.wording import DOMAINS, Wording, recognised
from localmem.errors import AgentError
from localmem.llm import grammar

LOOK = "look around"
LIST = "check valid actions"
DOMAIN_FILE = "domain.pddl"
"""In a folder of problems."""
NEAREST = 3
"""Forms of actions that are named to somebody whose line is none."""


def domain_text(name: str) -> str:
    """Our own file of a domain of `DOMAINS`."""
    return (Path(__file__).parent / "domains" / f"{name}.pddl").read_text(encoding="utf-8")


class PddlEnvironment:
    """One problem. Its actions can be written in words or in plain PDDL names."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.domain = recognised(task)
        self._words = DOMAINS.get(self.domain, Wording())
        self._state: State = task.start
        self._best = 0.0
        self._searched: Search | None = None

    @classmethod
    def of(cls, domain: str, problem: str) -> PddlEnvironment:
        """The problem, from the texts of two PDDL files.

        Raises:
            AgentError: no PDDL, or more than STRIPS with typing.
            UsageError: the parser is not installed.
        """
        return cls(simulator.parse(domain, problem))

    @property
    def kind(self) -> str:
        """Prompts of its domain, or those of any PDDL problem."""
        return self.domain or "pddl"

    @property
    def goal(self) -> str:
        """The facts that are to become true."""
        facts = ", ".join(map(self._words.sentence, self.task.goal))
        return f"The goal is to satisfy the following conditions: {facts}"

    @property
    def done(self) -> bool:
        """Whether all facts of the goal are true."""
        return not self.missing()

    def reset(self) -> str:
        """Go to the beginning; all that is true there, and what else there is."""
        self._state = self.task.start
        self._best = self._share()
        told = [self._all(), self._unseen()]
        if not self.domain:  # no instructions name them
            told.append(f"The actions are: {', '.join(self._forms())}.")
        return " ".join(filter(None, told))

    def step(self, action: str) -> Outcome:
        """Act; an action that cannot be carried out is answered with the preconditions that do not hold."""
        asked = " ".join(action.lower().rstrip(".").split())
        if asked == LOOK:
            return Outcome(self._all(), True)
        if asked == LIST:
            return Outcome(f"Valid actions are: {', '.join(self.valid_actions())}.", True)
        read = self._words.read(action, self.task)
        if read is None:
            return Outcome(f"That is no action. Nearest are: {self._nearest(asked)}.", False)
        unknown = [name for name in read[1:] if name not in self.task.objects]
        if unknown:
            return Outcome(f"The action is not valid: there is no {unknown[0]}.", False)
        schema = self.task.schemas[read[0]]
        unmet = simulator.unmet(self.task, schema, read[1:], self._state)
        if unmet:
            return Outcome(f"The action is not valid. {self._unmet(unmet)}", False)
        before, self._state = self._state, simulator.successor(schema, read[1:], self._state)
        self._best = max(self._best, self._share())
        return Outcome(self._seen(before), True, changes=self._changes(before))

    def restore(self, steps: Sequence[tuple[str, Outcome]]) -> None:
        """Do the same again: nothing here depends on chance."""
        for action, told in steps:
            if self.step(action).valid is not told.valid:
                raise AgentError(
                    f"The run cannot go on: its step {action!r} has another outcome now.",
                    hint="The problem is another one than the run began with; start a new run.",
                )

    def valid_actions(self) -> tuple[str, ...]:
        """All actions that can be carried out and change something, in words, sorted."""
        return tuple(sorted(map(self._words.line, simulator.applicable(self.task, self._state))))

    def grammar(self) -> str:
        """One of the valid actions."""
        return grammar.alternatives(self.valid_actions())

    def progress(self) -> float:
        """Facts of the goal that were true at once, at best, of all."""
        return self._best

    def state(self) -> str:
        """A hash of what is true now."""
        return _key(self._state)

    @property
    def tells_all(self) -> bool:
        """Whether every observation is the whole state."""
        return not self._words.only_changes

    def now(self) -> str:
        """All that is true, or, where that is much, what has become true since the beginning."""
        if not self._words.only_changes:
            return self._all()
        return " ".join(self._words.sentences(self._state - self.task.start)) or "All is as at the beginning."

    def missing(self) -> tuple[str, ...]:
        """Facts of the goal that are not true now."""
        return tuple(self._words.sentence(fact) for fact in self.task.goal if fact not in self._state)

    def gains(self, action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Facts of the goal that an action would make true, and those that it would undo."""
        after = self._after(action)
        changed = [fact for fact in self.task.goal if (fact in self._state) != (fact in after)]
        made = tuple(self._words.sentence(fact) for fact in changed if fact in after)
        return made, tuple(self._words.sentence(fact) for fact in changed if fact not in after)

    def route(self) -> Route:
        """The order of a plan that a short search finds, and actions that lead on."""
        self._searched = self._searched or Search(self.task)
        return Route(
            tuple(map(self._words.sentence, self._searched.order(self._state))),
            tuple(map(self._words.line, self._searched.nearer(self._state))),
            " ".join(self._words.sentences(self._searched.needed(self._state))),
        )

    def peek(self, action: str) -> str | None:
        """The key of the state after an action."""
        return _key(self._after(action))

    def _after(self, action: str) -> State:
        """The state after an action; the same one if it cannot be carried out."""
        read = self._words.read(action, self.task)
        if read is None or not set(read[1:]) <= self.task.objects.keys():
            return self._state
        schema = self.task.schemas[read[0]]
        if simulator.unmet(self.task, schema, read[1:], self._state):
            return self._state
        return simulator.successor(schema, read[1:], self._state)

    def _nearest(self, line: str) -> str:
        """The forms of actions that a line resembles most."""
        return ", ".join(difflib.get_close_matches(line, [*self._forms(), LOOK, LIST], n=NEAREST, cutoff=0.0))

    def _forms(self) -> list[str]:
        return [
            self._words.line((name, *(f"<{variable.lstrip('?')}>" for variable, _ in schema.parameters)))
            for name, schema in self.task.schemas.items()
        ]

    def _share(self) -> float:
        return sum(fact in self._state for fact in self.task.goal) / len(self.task.goal)

    def _all(self) -> str:
        return " ".join(self._words.sentences(self._state))

    def _seen(self, before: State) -> str:
        return self._changes(before) if self._words.only_changes else self._all()

    def _changes(self, before: State) -> str:
        return " ".join(self._words.sentences(self._state - before)) or "Nothing changes."

    def _unmet(self, unmet: Sequence[tuple[Fact, bool]]) -> str:
        """What keeps an action from being carried out, in words."""
        needed = sorted(self._words.sentence(fact) for fact, wanted in unmet if wanted)
        hinders = sorted(self._words.sentence(fact) for fact, wanted in unmet if not wanted)
        told = [f"This must be true first: {' '.join(needed)}"] if needed else []
        return " ".join([*told, *([f"This must not be true: {' '.join(hinders)}"] if hinders else [])])

    def _unseen(self) -> str:
        """Objects that no fact of the beginning speaks of; empty if there are none."""
        told = {name for fact in self.task.start if fact[0] not in self._words.kinds for name in fact[1:]}
        kinds: dict[str, list[str]] = {}
        for name, type in self.task.objects.items():
            said = (fact[0] for fact in self.task.start if fact[0] in self._words.kinds and fact[1] == name)
            if name not in told:
                kinds.setdefault(next(said, type), []).append(name)
        if not kinds:
            return ""
        return "There is also: " + "; ".join(f"{kind} {', '.join(all)}" for kind, all in kinds.items()) + "."


def folder(path: Path) -> list[tuple[str, str, str]]:
    """Problems below a folder: name, text of the domain, text of the problem, sorted by name.

    Every folder with a `domain.pddl` is looked into; its other `.pddl` files are problems.

    Raises:
        AgentError: no folder, no problems in it, or a file that cannot be read.
    """
    found = []
    try:
        for domain in sorted(path.rglob(DOMAIN_FILE)):
            rules = domain.read_text(encoding="utf-8")
            for file in sorted(domain.parent.glob("*.pddl")):
                if file != domain:
                    name = file.relative_to(path).with_suffix("").as_posix()
                    found.append((name, rules, file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise AgentError(f"{path} cannot be read: {error}.", hint="Give a folder of PDDL files.") from None
    if not found:
        raise AgentError(
            f"There are no problems in {path}.",
            hint=f"A folder of problems has a {DOMAIN_FILE} and other .pddl files.",
        )
    return found


def _key(state: State) -> str:
    return hashlib.sha256("\n".join(sorted(" ".join(fact) for fact in state)).encode()).hexdigest()[:16]
