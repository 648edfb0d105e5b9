"""What of a run stands in the prompt: the current subgoal in full, finished ones as a line each.

The message with goal, beginning and finished subgoals only grows at its end, and so does what follows it within a
subgoal: of each prompt the engine has read all but the newest part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from localmem.agent import prompt
from localmem.agent.values import Mode, Options, Part, Step, Subgoal
from localmem.llm.protocol import Message

LONGEST = 200
"""Characters of an observation that stands for a summary."""


class WorkingMemory:
    """The subgoals of a run, and what of them is shown."""

    def __init__(self, goal: str, start: str, options: Options, tells_all: bool) -> None:
        self._goal = goal
        self._start = start
        self._options = options
        self._tells_all = tells_all
        self._hidden = 0  # of the newest pairs that would be shown, how many of the oldest are not
        self._now = self._next = ""
        self.subgoals: list[Subgoal] = []

    @property
    def current(self) -> Subgoal | None:
        """The subgoal that is being worked on."""
        return self.subgoals[-1] if self.subgoals and not self.subgoals[-1].ended else None

    @property
    def finished(self) -> list[Subgoal]:
        """The others, in order."""
        return [subgoal for subgoal in self.subgoals if subgoal.ended]

    def face(self, now: str, next: str = "") -> None:
        """Have the next subgoal begin with this.

        Args:
            now: how things stand.
            next: an action that leads on.
        """
        if self._restarts or not self.subgoals:  # else it would stand before steps that come before it
            self._now, self._next = now, next

    def begin(self, text: str) -> Subgoal:
        """Begin a subgoal: `text` is to be reached."""
        if self._restarts:
            self._hidden = 0
        new = Subgoal(len(self.subgoals) + 1, text)
        self.subgoals.append(new)
        return new

    def add(self, step: Step) -> None:
        """Append a step to the current subgoal."""
        self.subgoals[-1] = self.subgoals[-1].plus(step)

    def finish(self, reached: bool | None, summary: str) -> Subgoal:
        """End the current subgoal."""
        self.subgoals[-1] = replace(self.subgoals[-1], reached=reached, summary=summary, ended=True)
        return self.subgoals[-1]

    def last_observation(self) -> str:
        """What was seen last in the current subgoal, shortened: what stands for a summary that nobody wrote."""
        steps = self.subgoals[-1].steps
        seen = " ".join(steps[-1].observation.split()) if steps else ""
        return seen if len(seen) <= LONGEST else f"{seen[:LONGEST].rstrip()}…"

    def messages(self) -> list[Message]:
        """All that is shown, in order."""
        return [self._task(), *self._pairs()]

    def hide(self) -> int:
        """Show only the newer half of the steps from now on; how many more are hidden, 0 if none can be."""
        shown = len(self._steps()) - self._hidden
        more = (shown + 1) // 2 if shown > 1 else 0
        self._hidden += more
        return more

    def opened(self, numbers: Iterable[int]) -> str:
        """All steps of finished subgoals, as `retrieve` shows them."""
        wanted = [subgoal for subgoal in self.finished if subgoal.number in set(numbers)]
        return "\n".join(
            f"{subgoal.number}. {subgoal.text}\n"
            + "\n".join(f"{prompt.action_line(step.action)}\n{step.observation}" for step in subgoal.steps)
            for subgoal in wanted
        )

    @property
    def _restarts(self) -> bool:
        """Whether the steps of a subgoal vanish when it ends."""
        return self._options.mode is Mode.HIAGENT and Part.MEMORY not in self._options.without

    def _task(self) -> Message:
        if not self._restarts:
            return prompt.task(self._goal, self._start, next=self._next)
        lines = [
            prompt.finished_line(one.number, one.text, one.reached, one.summary) for one in self.finished
        ]
        start = "" if self._now and self._tells_all and lines else self._start
        return prompt.task(self._goal, start, finished=lines, now=self._now, next=self._next)

    def _steps(self) -> list[tuple[Subgoal, Step]]:
        """The steps that are shown in full."""
        shown = [self.current] if self._restarts else self.subgoals
        return [(subgoal, step) for subgoal in shown if subgoal for step in subgoal.steps]

    def _pairs(self) -> list[Message]:
        messages: list[Message] = []
        told = 0
        for subgoal, step in self._steps()[self._hidden :]:
            lead = ""
            if subgoal.number != told and subgoal.text:
                lead = f"{prompt.subgoal_line(subgoal.text)}\n"
            told = subgoal.number
            messages.append(prompt.assistant(lead + prompt.action_line(step.action)))
            messages.append(prompt.user(step.observation))
        return messages
