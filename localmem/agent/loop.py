"""goal -> subgoal -> (action -> observation)* -> summary -> next subgoal: HiAgent (arXiv 2408.09559).

What is not of the paper, and why: the end of a subgoal, its verdict and its summary are one line before the next
subgoal, so that nothing is asked for them and no token read twice; every line is held by a grammar; what `Assist`
names can be switched off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from localmem.agent import lines, notices, prompt
from localmem.agent.environments import Deciding, Environment, Outcome, Route
from localmem.agent.lines import Line
from localmem.agent.values import (
    Actions,
    Assist,
    Kind,
    Mode,
    Options,
    Part,
    Status,
    Step,
    Subgoal,
    Trajectory,
)
from localmem.agent.working_memory import WorkingMemory
from localmem.errors import ContextOverflowError, TruncatedError
from localmem.llm.protocol import JudgeModel, LanguageModel, Prompt
from localmem.values import Usage

MOST_PARTS = 2
"""Of the goal, among which the model chooses its next subgoal."""
LINE_TOKENS = 160
"""Of one reply: a summary and a subgoal, or an action."""


class Log(Protocol):
    """Where a run is written down as it happens."""

    def begun(self, subgoal: Subgoal, ended: Subgoal | None) -> None:
        """A subgoal begins, and the one before it has ended."""

    def stepped(self, subgoal: Subgoal, step: Step) -> None:
        """A step was made."""

    def stands(self, status: Status, ended: Subgoal | None) -> None:
        """The run goes no further now; its last subgoal may have ended."""


class NoLog:
    """Writes nothing down."""

    def begun(self, subgoal: Subgoal, ended: Subgoal | None) -> None:
        """Do nothing."""

    def stepped(self, subgoal: Subgoal, step: Step) -> None:
        """Do nothing."""

    def stands(self, status: Status, ended: Subgoal | None) -> None:
        """Do nothing."""


def first_prompt(environment: Environment, options: Options) -> str:
    """All that a model would read at the beginning of a run, for people."""
    if isinstance(environment, Deciding) and _may_decide(options):
        environment.reset()
        return environment.preview()
    opening = prompt.opening(environment.kind, options)
    start = environment.reset()
    memory = WorkingMemory(environment.goal, start, options, environment.tells_all)
    memory.face(*_facing(environment, options, begun=False))
    whole = opening.prompt(memory.messages())
    return "\n\n".join(f"[{message.speaker}]\n{message.text}" for message in whole.messages)


def _route(world: Environment, options: Options) -> Route:
    """What code sees ahead; nothing, if it must not look."""
    return world.route() if options.has(Assist.SEARCH) and not world.done else Route()


def _may_decide(options: Options) -> bool:
    """Whether code may choose an action by what the model holds likely."""
    laid_out = options.has(Assist.FACTS) and options.has(Assist.SEARCH)
    return laid_out and options.actions is Actions.VALID


def _told_next(world: Environment, options: Options) -> str:
    """An action that leads on, where the model is told one."""
    return next(iter(_route(world, options).actions), "") if options.actions is Actions.FREE else ""


def _facing(world: Environment, options: Options, *, begun: bool) -> tuple[str, str]:
    """How things stand, as far as it is told, and an action that leads on."""
    route = _route(world, options)
    now = route.now if route.grammar else ""
    if options.has(Assist.STATE) and begun:
        now = route.now or world.now()
    if options.has(Assist.AHEAD) and begun:
        now = " ".join([now, *notices.about_actions(world)])
    return now, _told_next(world, options)


class Loop:
    """One run, from its beginning or from where it was left.

    Args:
        environment: the world; it is reset here.
        model: writes the lines.
        options: how to work.
        log: where to write down what happens.
        past: subgoals and steps of the run so far.
        stop: asked after each step; true stops the run there.
    """

    def __init__(
        self,
        environment: Environment,
        model: LanguageModel,
        options: Options | None = None,
        *,
        log: Log | None = None,
        past: Sequence[Subgoal] = (),
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self._environment = environment
        self._model = model
        self._options = options or Options()
        self._log = log or NoLog()
        self._stop = stop
        start = environment.reset()
        self._memory = WorkingMemory(environment.goal, start, self._options, environment.tells_all)
        self._opening = prompt.opening(environment.kind, self._options)
        self._seen = {environment.state(): 0}
        self._usage = Usage()  # of the step that is being made
        self._context = 0
        self._recall(past)

    def run(self) -> Trajectory:
        """Work until the goal is reached or something ends the run.

        Raises:
            EngineError: the model cannot go on; all steps so far are in the log.
            KeyboardInterrupt: Ctrl-C; the same.
        """
        while (status := self._status()) is None:
            self._step()
        current = self._memory.current
        ended = None
        if status.over and current is not None:
            ended = self._memory.finish(status is Status.REACHED, self._memory.last_observation())
        self._log.stands(status, ended)
        return self.trajectory(status)

    def trajectory(self, status: Status = Status.RUNNING) -> Trajectory:
        """What has happened so far."""
        return Trajectory(status, tuple(self._memory.subgoals), self._environment.progress())

    def _recall(self, past: Sequence[Subgoal]) -> None:
        """Come to where the run was left: each subgoal begins with what it began with."""
        for subgoal in past:
            self._face()
            self._memory.begin(subgoal.text)
            for step in subgoal.steps:
                self._memory.add(step)
                self._seen.setdefault(step.state, step.number)
                if step.kind is Kind.ACT:
                    told = Outcome(step.observation, step.valid, step.data)
                    self._environment.restore([(step.action, told)])
                    self._route()  # what is found ahead depends on what was found before
            if subgoal.ended:
                self._memory.finish(subgoal.reached, subgoal.summary)

    def _status(self) -> Status | None:
        """Why the run ends here; None: it goes on."""
        made = self.trajectory()
        used = made.usage
        most = self._options.max_tokens
        if self._environment.done:
            return Status.REACHED if self._environment.progress() >= 1 else Status.ENDED
        if not self._environment.valid_actions():
            return Status.DEAD_END
        if len(made.acts) >= self._options.max_steps:
            return Status.STEPS
        if most is not None and used.evaluated_tokens + used.generated_tokens >= most:
            return Status.TOKENS
        return Status.STOPPED if self._stop() else None

    def _step(self) -> None:
        """One line of the model and what comes of it, or more lines, until something was done."""
        begun = time.perf_counter()
        self._usage, self._context = Usage(), 0
        action = self._action()
        numbers = self._opened(action)
        if numbers is not None:
            kind, outcome = Kind.RETRIEVE, Outcome(self._memory.opened(numbers), True)
        else:
            kind, outcome = Kind.ACT, self._act(action)
        current = self._memory.subgoals[-1]
        step = Step(
            number=len(self.trajectory().steps) + 1,
            kind=kind,
            action=action,
            observation=outcome.observation,
            valid=outcome.valid,
            progress=self._environment.progress(),
            state=self._environment.state(),
            usage=self._usage,
            context=self._context,
            seconds=time.perf_counter() - begun,
            data=outcome.data,
        )
        self._memory.add(step)
        self._seen.setdefault(step.state, step.number)
        self._log.stepped(current, step)

    def _act(self, action: str) -> Outcome:
        """Act in the world, and tell what code noticed about it."""
        before, missing = self._environment.state(), self._environment.missing()
        outcome = self._environment.step(action)
        noticed = notices.about_state(
            outcome.valid, action, before, self._environment.state(), self._seen, self.trajectory().acts
        )
        if not self._environment.done and not self._environment.valid_actions():
            noticed.append(notices.DEAD_END)
        if self._options.has(Assist.GOALS):
            noticed += notices.about_goal(missing, self._environment.missing())
        if self._options.has(Assist.AHEAD):
            noticed += notices.about_actions(self._environment)
        short = outcome.changes if self._options.has(Assist.CHANGES) else ""
        text = " ".join([short or outcome.observation, *noticed])
        if ahead := self._told_next():
            text = f"{text}\n{prompt.next_line(ahead)}"
        return Outcome(text, outcome.valid, outcome.data)

    def _action(self) -> str:
        """The next action; a subgoal is begun before it, if the model or the way of working wants one."""
        if self._options.mode is Mode.STANDARD:
            if not self._memory.subgoals:
                self._face()
                self._begin("", None)
            return self._write("action").action
        if self._options.has(Assist.FACTS) and self._parts():
            return self._action_for_part()
        current = self._memory.current
        if current is None:
            self._face()
            self._begin(self._write("subgoal").subgoal, None)
            return self._first_action()
        if not current.acted:
            return self._first_action() if not current.steps else self._write("action").action
        asked = Part.SUMMARY not in self._options.without and Part.MEMORY not in self._options.without
        line = self._write("action | ended" if asked else "action | subgoal")
        if line.action or not line.subgoal:
            return line.action
        ended = self._memory.finish(line.reached, line.summary if asked else self._memory.last_observation())
        self._face()
        self._begin(line.subgoal, ended)
        return self._first_action()

    def _action_for_part(self) -> str:
        """The next action where subgoals are parts of the goal.

        Code sees when one is reached. The next one and its first action are one reply, after nothing but what was
        finished and how things stand: the last pair need not be read.
        """
        parts = self._parts()
        current = self._memory.current
        if current is not None and current.text in parts:
            if decided := self._decided():
                return decided
            return self._write("action").action if current.steps else self._first_action()
        ended = None
        if current is not None:
            told = Part.SUMMARY in self._options.without
            ended = self._memory.finish(True, self._memory.last_observation() if told else "")
        self._face()
        if decided := self._decided():
            self._begin(parts[0], ended)
            return decided
        parts = parts[:MOST_PARTS]
        line = self._write('subgoal "\\n" action', parts=parts)
        self._begin(line.subgoal if line.subgoal in parts else parts[0], ended)
        return line.action

    def _decided(self) -> str:
        """The action that the world comes to by what the model holds likely; empty: the model is to write it."""
        world, model = self._environment, self._model
        if not (isinstance(world, Deciding) and isinstance(model, JudgeModel) and _may_decide(self._options)):
            return ""
        decision = world.decide(model)
        if decision is None:
            return ""
        self._usage += decision.usage
        self._context = max(self._context, decision.context)
        return decision.action

    def _route(self) -> Route:
        return _route(self._environment, self._options)

    def _parts(self) -> tuple[str, ...]:
        """What is open of the goal, as far as code can tell, in the order in which it should be reached."""
        return self._route().parts or self._environment.missing()

    def _told_next(self) -> str:
        """An action that leads on, where the model is told one."""
        return _told_next(self._environment, self._options)

    def _begin(self, text: str, ended: Subgoal | None) -> None:
        self._log.begun(self._memory.begin(text), ended)

    def _face(self) -> None:
        """Have the next subgoal begin with how things stand."""
        begun = bool(self._memory.finished)
        self._memory.face(*_facing(self._environment, self._options, begun=begun))

    def _first_action(self) -> str:
        """The action after a subgoal's line, which the model need not write again."""
        current = self._memory.subgoals[-1]
        start = f"{prompt.subgoal_line(current.text)}\n{prompt.action_line('')}"
        return self._write("act", start).action

    def _write(self, root: str, start: str = "", parts: Sequence[str] = ()) -> Line:
        """Let the model write a line; what was cut off at the token limit is taken as far as it goes."""
        grammar = lines.grammar_for(root, self._allowed(), parts)
        whole = self._fitting(start)
        try:
            generation = self._model.generate(whole, max_tokens=LINE_TOKENS, grammar=grammar)
            text, usage = generation.text, generation.usage
        except TruncatedError as error:
            read = self._model.count_prompt(whole)
            text, usage = error.text, Usage(read, 0, LINE_TOKENS, calls=1)
        self._usage += usage
        self._context = max(self._context, usage.prompt_tokens)
        return lines.read(prompt.action_line(text) if root == "act" else text)

    def _fitting(self, start: str) -> Prompt:
        """The prompt; its oldest steps are left out, half of them at once, when the context is full."""
        while True:
            whole = self._opening.prompt(self._memory.messages(), start)
            tokens = self._model.count_prompt(whole)
            if tokens + LINE_TOKENS <= self._model.context:
                return whole
            hidden = self._memory.hide()
            self._usage += Usage(dropped_units=hidden)
            if not hidden:
                raise ContextOverflowError(
                    f"The run needs {tokens + LINE_TOKENS} tokens of context, and there are {self._model.context}.",
                    hint="Set LOCALMEM_CONTEXT higher, or give a shorter goal.",
                )

    def _allowed(self) -> str | None:
        """GBNF of the actions that may be written; None: any text."""
        if self._options.actions is Actions.FREE and not self._asks_again():
            return None
        world = self._environment
        route = self._route()
        if route.grammar:
            return route.grammar
        if route.actions:
            leading = notices.leading_on(world, route.actions, self._seen)
            return lines.with_retrieve(leading, self._retrievable())
        act = world.grammar()
        if self._options.has(Assist.LOOKAHEAD):
            act = notices.without_known(world, self._seen) or act
        return lines.with_retrieve(act, self._retrievable())

    def _asks_again(self) -> bool:
        """Whether the last action was refused, so that the next one is held to what code sees ahead.

        A small model copies what it wrote before: left alone, it writes what was refused until the steps run out.
        """
        acts = self.trajectory().acts
        return self._options.has(Assist.SEARCH) and bool(acts) and not acts[-1].valid

    def _retrievable(self) -> list[int]:
        """Finished subgoals whose steps are not in the prompt."""
        off = {Part.RETRIEVAL, Part.MEMORY} & self._options.without
        current = self._memory.current
        if off or self._options.mode is Mode.STANDARD or current is None:
            return []
        opened = {
            number
            for step in current.steps
            if step.kind is Kind.RETRIEVE
            for number in lines.retrieved(step.action) or ()
        }
        return [one.number for one in self._memory.finished if one.number not in opened]

    def _opened(self, action: str) -> list[int] | None:
        """The subgoals that an action opens; None: it is for the world."""
        numbers = lines.retrieved(action)
        if numbers is None:
            return None
        known = set(self._retrievable())
        return [number for number in numbers if number in known] or None
