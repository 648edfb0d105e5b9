"""A chat turn through the stages: reading, subgraph, model, guards, plan, graph, reply."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from localmem.errors import GrammarError, TaskError, TruncatedError
from localmem.llm import prompts
from localmem.llm.protocol import LanguageModel
from localmem.tasks import trim
from localmem.tasks.context import Context
from localmem.tasks.cues import Cue, folded
from localmem.tasks.direct import direct
from localmem.tasks.frame import frame
from localmem.tasks.guards import guard
from localmem.tasks.plan import plan
from localmem.tasks.reading import FRAGMENT, Clause, Mood
from localmem.tasks.rules import Moment
from localmem.tasks.subgraph import lines as node_lines
from localmem.tasks.tasks import Tasks
from localmem.tasks.trim import Line, Verb
from localmem.tasks.update import Outcome, after
from localmem.tasks.values import Op, Operation
from localmem.values import Dropped, Usage

KIND = "decompose"
TRIM_TOKENS = 320
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a turn asks of the tasks."""

    context: Context
    operations: tuple[Operation, ...]
    dropped: tuple[Dropped, ...]
    written: str
    """Lines of the model."""
    missed: bool
    """The turn tells something that could not be understood."""
    usage: Usage


def understand(
    context: Context,
    model: Callable[[], LanguageModel],
    *,
    temperature: float = 0.0,
    seed: int = 0,
    ablate: frozenset[str] = frozenset(),
) -> Understood:
    """Turn what was told into operations that the graph takes."""
    usage = Usage()
    lines: list[Line] = []
    dropped: list[Dropped] = []
    left: list[Clause] = []
    planned: list[Operation] = []
    by_code = False
    told = context.reading.of(Mood.TELL)
    swapped = any(Cue.SWAP in clause.cues for clause in told)
    for together in _together(told):
        clause = together[0]
        one = replace(context, reading=context.reading.only(together))
        waits = swapped and Cue.ABSENT in clause.cues  # what is not to be had is what goes
        known = None if waits else direct(one)
        if known is None:
            left += together
            continue
        by_code = True
        guarded = guard(known, one)
        lines += guarded.lines
        dropped += guarded.dropped
        planned += plan(guarded.lines, one, -1 - 100 * len(planned))
    written = ""
    if left:
        rest = replace(context, reading=context.reading.only(left))
        allowed = frame(rest)
        former = bool(rest.cues & {Cue.BACK, Cue.FIRST})
        state = trim.shown_text(node_lines(context.graph, allowed.shown, former=former))
        kind = prompts.load(KIND)
        prompt = kind.prompt(kind.ask(state=state, said=rest.told))
        try:
            generation = model().generate(
                prompt, max_tokens=TRIM_TOKENS, grammar=trim.grammar(allowed), temperature=temperature, seed=seed
            )
            written, usage = generation.text, usage + generation.usage
        except TruncatedError as error:
            written = error.text
        read_lines = trim.parse(written, allowed)
        guarded = guard(read_lines, rest)
        lines += guarded.lines
        dropped += guarded.dropped
        planned += plan(guarded.lines, rest, -50 - 100 * len(planned))
    operations, refused = _possible(planned, context)
    if by_code and not operations:
        operations = (Operation(Op.QUERY),)
    missed = not operations and any(line.verb is not Verb.NONE for line in lines)
    return Understood(context, operations, (*dropped, *refused), written, missed, usage)


def _together(told: Sequence[Clause]) -> list[list[Clause]]:
    """Clauses one by one; what follows "split it in two" belongs to it."""
    for place, clause in enumerate(told):
        if Cue.SPLIT in clause.cues or FRAGMENT.match(folded(clause.text)):
            return [*([one] for one in told[:place]), list(told[place:])]
    return [[clause] for clause in told]


def _possible(operations: Sequence[Operation], context: Context) -> tuple[tuple[Operation, ...], list[Dropped]]:
    """Those of the operations that the graph takes, in order."""
    good: list[Operation] = []
    dropped: list[Dropped] = []
    moment = Moment(context.graph.turn + 1, datetime.now().astimezone())
    for operation in operations:
        try:
            after(context.graph, [*good, operation], moment)
        except TaskError as error:
            dropped.append(Dropped(f"{operation.op} {operation.target} {operation.slot} {operation.value or ''}", str(error)))
        else:
            good.append(operation)
    return tuple(good), dropped
