"""What localmem is compared with, on the same model: the whole conversation in the prompt, in three ways.

They hold no graph. So after each turn a probe asks them, over their own history and without a trace in it or in the
costs, what the turn was and what holds now, as lines "task > slot = value"; these lines are matched as paths.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from localmem.bench.meter import Meter, Tokens
from localmem.bench.names import Name
from localmem.bench.systems import REFUSED, Conversation, Outcome
from localmem.llm import grammar, prompts, templates
from localmem.llm.protocol import Generation, Message, Prompt, Speaker

REPLY_TOKENS = 320
"""Of one call; what is longer is cut."""
PROBE_TOKENS = 480
STEPS = 3
"""Actions of a turn of ReAct, the answer included."""
_SLACK = 32
"""Tokens that a call may have beyond its limit: a piece of text can take several."""
_KEPT = 0.75
"""Share of the context that is kept when it is full, so that the next turns find a kept prefix again."""
FOUND = 5
"""Lines that a search brings back."""
LINE = 240
"""Characters of such a line, at most."""


class Baseline:
    """A system that reads the whole conversation each time.

    Args:
        name: which.
        meter: the model.
    """

    ablation = ""
    loose = True

    def __init__(self, name: Name, meter: Meter) -> None:
        self.name = name
        self._meter = meter

    @contextmanager
    def start(self, *, temperature: float, seed: int) -> Iterator[Conversation]:
        """A conversation without a history."""
        yield _TALKS[self.name](self.name, self._meter, temperature, seed)


class Flat:
    """The whole conversation in the prompt of a plain assistant.

    `ROOM` tokens are kept free for a turn's replies and for the probe.

    Args:
        kind: name of the prompt kind.
        meter: the model.
        temperature: of the replies; the probe takes the likeliest tokens.
        seed: of the replies.
    """

    ROOM = 1024

    def __init__(self, kind: str, meter: Meter, temperature: float, seed: int) -> None:
        self._kind = prompts.load(str(kind))
        self._meter = meter
        self._temperature = temperature
        self._seed = seed
        self._history: list[Message] = []
        self._cut = 0
        """Turns that were cut from the front of the history."""

    def say(self, text: str) -> Outcome:
        """Take the next user turn, then probe the state."""
        self._meter.take()
        begun = time.perf_counter()
        self._history.append(Message(Speaker.USER, text))
        error = ""
        try:
            self._fit()
            reply, written = self.answer(text)
        except REFUSED as refused:
            error = f"{type(refused).__name__}: {refused}"
            reply = written = "..."
        seconds = time.perf_counter() - begun
        spent = self._meter.take()
        self._history.append(Message(Speaker.ASSISTANT, written))
        listed = self._probe()
        self._meter.take()
        intents, paths = read_probe(listed)
        return Outcome(
            reply=reply,
            intents=intents,
            paths=paths,
            kinds=spent,
            reply_tokens=sum(spent.values(), Tokens()),
            seconds=seconds,
            error=error,
            details={"written": written, "probe": listed, "turns_cut": self._cut},
        )

    def answer(self, text: str) -> tuple[str, str]:
        """The reply to the last message of the history, and all that was written for it.

        Args:
            text: the last message.
        """
        reply = self._write().text.strip()
        return reply, reply

    def _write(self, start: str = "", stop: Callable[[str], bool] = lambda text: False) -> Generation:
        """Go on after the history.

        Args:
            start: what the reply begins with.
            stop: whether the text so far is all that is wanted.
        """
        pieces = 0

        def until(text: str) -> bool:
            nonlocal pieces
            pieces += 1
            return pieces >= REPLY_TOKENS or stop(text)

        return self._meter.generate(
            self._prompt(start),
            max_tokens=REPLY_TOKENS + _SLACK,
            temperature=self._temperature,
            seed=self._seed,
            until=until,
        )

    def _prompt(self, start: str = "") -> Prompt:
        return self._kind.prompt(*self._history, start=start)

    def _fit(self) -> None:
        """Cut the oldest turns when the next one might not fit."""
        limit = self._meter.context - self.ROOM
        if self._meter.count_prompt(self._prompt()) <= limit:
            return
        while len(self._history) > 2 and self._meter.count_prompt(self._prompt()) > limit * _KEPT:
            del self._history[:2]
            self._cut += 1

    def _probe(self) -> str:
        """What the model says that holds now; empty if it cannot."""
        asked = Message(Speaker.USER, templates.render("probe.j2"))
        pieces = 0

        def until(text: str) -> bool:
            nonlocal pieces
            pieces += 1
            return pieces >= PROBE_TOKENS

        try:
            return self._meter.generate(
                self._kind.prompt(*self._history, asked),
                max_tokens=PROBE_TOKENS + _SLACK,
                grammar=grammar.load("probe"),
                until=until,
            ).text
        except REFUSED:
            return ""


class Cot(Flat):
    """The same, told to think step by step; what stands behind "Answer:" is the reply."""

    def answer(self, text: str) -> tuple[str, str]:
        """See `Flat.answer`."""
        written = self._write().text.strip()
        return re.split(r"\banswer\W*:\W*", written, flags=re.IGNORECASE)[-1].strip() or written, written


class React(Flat):
    """Thought and Action lines over a scratchpad; `Finish[...]` is the reply."""

    ROOM = 2560

    def __init__(self, kind: str, meter: Meter, temperature: float, seed: int) -> None:
        super().__init__(kind, meter, temperature, seed)
        self._lines: list[str] = []
        """What was said so far."""

    def answer(self, text: str) -> tuple[str, str]:
        """See `Flat.answer`."""
        pad = "Thought:"
        reply = ""
        for step in range(STEPS):
            if step == STEPS - 1:
                pad += " I can answer.\nAction: Finish["
            pad = self._go_on(pad)
            action = _last_action(pad)
            if action is None:  # it did not keep to the form, as small models do not
                pad = self._go_on(f"{pad.rstrip()}\nAction: Finish[")
                action = _last_action(pad)
            name, words = action or ("Finish", "")
            if name.casefold() != "search":
                reply = words
                break
            pad = f"{pad.rstrip()}\nObservation: {self._search(words)}\nThought:"
        self._lines += [
            " ".join(f"{who}: {what}".split()) for who, what in (("user", text), ("assistant", reply))
        ]
        return reply, pad.strip()

    def _go_on(self, pad: str) -> str:
        """The scratchpad with the next action; an observation that the model makes up is cut off."""
        more = self._write(pad, partial(_acted, pad)).text
        return pad + more.split("\nObservation")[0]

    def _search(self, words: str) -> str:
        wanted = set(re.findall(r"\w+", words.casefold()))
        found = [line for line in self._lines if wanted & set(re.findall(r"\w+", line.casefold()))]
        return "; ".join(line[:LINE] for line in found[-FOUND:]) or "nothing found"


def _acted(before: str, more: str) -> bool:
    """Whether the last action of what is written is complete, or the model begins to observe by itself."""
    if "\nObservation" in more:
        return True
    text = _latest(before) + more
    begin = text.rfind("Action:")
    opened = re.match(r"Action:\s*(\w+)\s*\[", text[begin:]) if begin >= 0 else None
    if opened is None:
        return False
    rest = text[begin + opened.end() :]
    if opened[1].casefold() == "search":
        return "]" in rest or "\n" in rest
    return rest.rstrip().endswith("]") or "\nThought:" in rest


def _latest(pad: str) -> str:
    """What was written after the last observation, which is one line and holds what people typed."""
    begin = pad.rfind("\nObservation:")
    return pad if begin < 0 else pad[begin + 1 :].partition("\n")[2]


def _last_action(pad: str) -> tuple[str, str] | None:
    """Name and words of the last action after the last observation."""
    found = re.search(r"Action:\s*(\w+)\s*\[(.*)", _latest(pad), re.DOTALL)
    if found is None:
        return None
    if found[1].casefold() == "search":
        return found[1], re.split(r"[\]\n]", found[2])[0].strip()
    return found[1], found[2].split("\nThought:")[0].strip().removesuffix("]").strip()


_TALKS: dict[Name, type[Flat]] = {Name.FLAT: Flat, Name.COT: Cot, Name.REACT: React}


def read_probe(listed: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Intents and paths of what a probe brought."""
    head, _, rest = listed.partition("\n")
    intents = set(re.findall(r"new|update|check", head.removeprefix("intent:")))
    lines = [re.sub(r"^[-*\s]+", "", line).strip() for line in rest.split("\n")]
    return frozenset(intents), tuple(line for line in lines if line)
