"""One turn judged: what was expected against what came of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from localmem.bench.cases import CaseTurn, Refusal


class Kind(StrEnum):
    """What was wrong in a turn."""

    INTENT = "intent"
    ACTIVE = "active"
    ABSENT = "absent"
    UNCHANGED = "unchanged"
    REPLY = "reply"
    REPLY_NOT = "reply_not"
    ERROR = "error"
    """The system gave up on the turn."""

    @property
    def hallucination(self) -> bool:
        """Whether the reply was wrong; otherwise the intent or the state was, which is a confusion."""
        return self in (Kind.REPLY, Kind.REPLY_NOT)


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that does not hold."""

    kind: Kind
    expected: str
    """The entry of the case."""
    found: str = ""
    """What stands in its place."""


def judge(
    turn: CaseTurn,
    *,
    before: Sequence[str],
    after: Sequence[str],
    intents: Collection[str],
    reply: str,
    loose: bool = False,
) -> tuple[Failure, ...]:
    """All that is wrong with a turn; nothing: the turn is right.

    Args:
        turn: what was expected.
        before: paths of the active nodes before the turn.
        after: those after it.
        intents: what the turn was understood as.
        reply: what was answered.
        loose: paths that a model listed: equal whatever their order, case and marks.
    """
    failures: list[Failure] = []
    if turn.intents is not None and frozenset(intents) not in turn.intents:
        right = " or ".join(_set(one) for one in turn.intents)
        failures.append(Failure(Kind.INTENT, right, _set(intents)))
    failures += [
        Failure(Kind.ACTIVE, str(entry))
        for entry in turn.active
        if not any(entry.matches(path) for path in after)
    ]
    failures += [
        Failure(Kind.ABSENT, str(entry), next(path for path in after if entry.matches(path)))
        for entry in turn.absent
        if any(entry.matches(path) for path in after)
    ]
    if turn.unchanged and _state(before, loose) != _state(after, loose):
        gone, came = set(before) - set(after), set(after) - set(before)
        changes = [f"- {path}" for path in sorted(gone)] + [f"+ {path}" for path in sorted(came)]
        failures.append(Failure(Kind.UNCHANGED, "no change", "; ".join(changes)))
    failures += [Failure(Kind.REPLY, pattern.pattern) for pattern in turn.reply if not pattern.search(reply)]
    for refusal in turn.reply_not:
        sentence = said(reply, refusal)
        if sentence is not None:
            failures.append(Failure(Kind.REPLY_NOT, str(refusal), sentence))
    return tuple(failures)


def said(reply: str, refusal: Refusal) -> str | None:
    """The first sentence that says what it must not, and is not excused; None: there is none."""
    ends = [found.end() for found in re.finditer(r"(?<=[.!?])[\"'”’)*]*\s+|\n+", reply)]
    for found in refusal.pattern.finditer(reply):
        begin = max((end for end in ends if end <= found.start()), default=0)
        end = min((end for end in ends if end >= found.end() and end > found.start()), default=len(reply))
        sentence = reply[begin:end].strip()
        if refusal.unless is None or not refusal.unless.search(sentence):
            return sentence
    return None


def _set(intents: Collection[str]) -> str:
    return "+".join(sorted(intents)) or "none"


def _state(paths: Sequence[str], loose: bool) -> list[str]:
    if loose:
        return sorted({" ".join(re.findall(r"\w+", path.casefold())) for path in paths})
    return sorted(paths)
