"""A turn to operations: code reads what it can, the model reads the rest, guards check both, the graph decides last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from localmem.errors import TaskError, TruncatedError
from localmem.llm import prompts
from localmem.llm.protocol import LanguageModel
from localmem.tasks import trim
from localmem.tasks.context import NOTE, Context, Part
from localmem.tasks.coverage import completed
from localmem.tasks.cues import Cue, folded, language_of
from localmem.tasks.direct import ASKS_FOR, direct
from localmem.tasks.examples import chosen
from localmem.tasks.facts import Situation
from localmem.tasks.frame import frame
from localmem.tasks.graph import STEP, TaskGraph
from localmem.tasks.guards import guard
from localmem.tasks.meant import gives_reason
from localmem.tasks.plan import plan
from localmem.tasks.reading import FRAGMENT, Clause, Mood, Reading
from localmem.tasks.render import walk
from localmem.tasks.rules import Moment
from localmem.tasks.subgraph import lines as node_lines
from localmem.tasks.trim import Frame, Line, Verb
from localmem.tasks.update import after
from localmem.tasks.values import Node, Op, Operation
from localmem.values import Dropped, TaskStep, Usage

KIND = "decompose"
TRIM_TOKENS = 320
TRIES = 2
"""How often the model reads a turn of which the guards leave nothing."""
MOST_FOCUS = 12
COURTESY = 4
"""Words of a clause that is small talk and no more, where the tables say so."""


@dataclass(frozen=True, slots=True)
class Understood:
    """What a turn asks of the tasks."""

    operations: tuple[Operation, ...]
    """In order; a `QUERY` where what was told is so already."""
    dropped: tuple[Dropped, ...]
    written: str
    """Lines of the model; empty: code read the turn alone."""
    missed: bool
    """The turn asks for something that could not be understood."""
    usage: Usage


def understand(
    graph: TaskGraph,
    reading: Reading,
    focus: tuple[int, ...],
    model: Callable[[], LanguageModel],
    *,
    temperature: float = 0.0,
    seed: int = 0,
    ablate: frozenset[Part] = frozenset(),
) -> Understood:
    """Turn what was told into operations that the graph takes.

    Args:
        graph: before the turn.
        reading: of the turn.
        focus: nodes that were spoken of last, the latest first.
        model: gives the model; not called for what code can read alone.
        temperature: of the model.
        seed: of the model.
        ablate: parts that are left out, to measure what they are good for.

    Raises:
        EngineError: the model cannot run.
    """
    if Part.TRIM in ablate:
        reading = reading.all_told
    context = Context(graph, reading, focus, ablate)
    work = _Work(context)
    left = work.direct()
    if left:
        rest = replace(context, reading=reading.only(left))
        work.read(rest, model, temperature, seed)
    operations = work.possible()
    if work.by_code and not operations:
        operations = (Operation(Op.QUERY),)
    missed = not operations and bool(left) and not work.nothing
    return Understood(operations, tuple(work.dropped), work.written, missed, work.usage)


def doubtful(graph: TaskGraph, reading: Reading, focus: tuple[int, ...]) -> bool:
    """Whether code cannot be sure what a turn is there for: an order that it cannot read, a question without its mark.

    Args:
        graph: before the turn.
        reading: by the tables alone.
        focus: nodes that were spoken of last, the latest first.
    """
    context = Context(graph, reading, focus)
    return any(
        direct(replace(context, reading=reading.only([clause]))) is None
        if clause.mood is Mood.TELL
        else not clause.text.endswith("?") and len(clause.text.split()) > COURTESY
        for clause in reading.clauses
    )


class _Work:
    """One turn on its way through the stages."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._planned: list[Operation] = []
        self.dropped: list[Dropped] = []
        self.written = ""
        self.nothing = False
        """The model says that the turn asks for nothing."""
        self.by_code = False
        self.usage = Usage()

    def direct(self) -> list[Clause]:
        """Read clauses by code; those that are left for the model."""
        told = self._context.reading.of(Mood.TELL)
        if Part.TRIM in self._context.ablate:
            return list(told)
        left: list[Clause] = []
        swapped = any(Cue.SWAP in clause.cues for clause in told)
        for together in _together(told):
            one = replace(self._context, reading=self._context.reading.only(together))
            waits = swapped and Cue.ABSENT in together[0].cues  # what is not to be had is what goes
            known = None if waits else direct(one)
            if known is None:
                left += together
            else:
                self.by_code = True
                self._take(known, one)
        if self.by_code:
            left = [clause for clause in left if not self._is_reason(clause)]
        return left

    def _is_reason(self, clause: Clause) -> bool:
        """Whether a clause beside an order only says why: it names nothing that stands and asks for nothing."""
        one = replace(self._context, reading=self._context.reading.only([clause]))
        names = any(mention.node.live and mention.own for mention in one.mentions)
        return not names and not clause.cues & ASKS_FOR and gives_reason(clause.text)

    def read(
        self, context: Context, model: Callable[[], LanguageModel], temperature: float, seed: int
    ) -> None:
        """Let the model read the clauses of the context, once more where the guards leave nothing of it."""
        allowed = frame(context)
        for place in range(TRIES):
            written = self._written(allowed, context, model(), temperature, seed + place)
            self.written = f"{self.written}\n{written}".strip()
            lines = completed(trim.parse(written, allowed), context)
            self.nothing = all(line.verb is Verb.NONE for line in lines) and written == "none"
            kept = self._take(lines, context)
            if kept or self.nothing:
                return
            narrower = _without(allowed, lines)
            if narrower is None:
                return
            allowed = narrower

    def _written(
        self, allowed: Frame, context: Context, model: LanguageModel, temperature: float, seed: int
    ) -> str:
        former = bool(context.cues & {Cue.BACK, Cue.FIRST}) and Part.GRAPH not in context.ablate
        flat = Part.GRAPH in context.ablate
        state = trim.shown_text(node_lines(context.graph, allowed.shown, former=former, flat=flat))
        kind = prompts.load(KIND)
        like = (
            () if Part.EXAMPLES in context.ablate else chosen(context.told, state, context.reading.language)
        )
        shots = [
            message for one in like for message in kind.example(one.reply, state=one.state, said=one.said)
        ]
        prompt = kind.prompt(*shots, kind.ask(state=state, said=context.told))
        try:
            generation = model.generate(
                prompt,
                max_tokens=TRIM_TOKENS,
                grammar=trim.grammar(allowed),
                temperature=temperature,
                seed=seed,
            )
        except TruncatedError as error:
            return error.text.rpartition("\n")[0]  # the last line may be half of one
        self.usage += generation.usage
        return generation.text

    def _take(self, lines: Sequence[Line], context: Context) -> bool:
        """Guard and plan lines; whether anything came of them."""
        guarded = guard(lines, context)
        self.dropped += guarded.dropped
        operations = plan(guarded.lines, context, -1 - 100 * len(self._planned))
        self._planned += operations
        return bool(operations)

    def possible(self) -> tuple[Operation, ...]:
        """Those of the operations that the graph takes, in order."""
        graph = self._context.graph
        good: list[Operation] = []
        moment = Moment(graph.turn + 1, datetime.now().astimezone())
        for operation in self._planned:
            try:
                after(graph, [*good, operation], moment)
            except TaskError as error:
                target = operation.target
                stands = target is not None and target in graph
                named = graph[target].slot if stands and target is not None else operation.slot
                written = f"{operation.op} {named} {operation.value or ''}".strip()
                self.dropped.append(Dropped(written, str(error)))
            else:
                good.append(operation)
        return tuple(good)


def _together(told: Sequence[Clause]) -> list[list[Clause]]:
    """Clauses one by one; what follows "split it in two" belongs to it."""
    for place, clause in enumerate(told):
        if Cue.SPLIT in clause.cues or FRAGMENT.match(folded(clause.text)):
            return [*([one] for one in told[:place]), list(told[place:])]
    return [[clause] for clause in told]


def _without(allowed: Frame, lines: Sequence[Line]) -> Frame | None:
    """The frame without what the guards refused; None: nothing would be left of it."""
    refused = {(line.verb, id) for line in lines for id in line.ids}
    if not refused or allowed.forced:
        return None
    verbs = {
        verb: tuple(id for id in ids if (verb, id) not in refused) if ids else ids
        for verb, ids in allowed.verbs.items()
    }
    bare = (Verb.NEW, Verb.NONE)
    left = {verb: ids for verb, ids in verbs.items() if ids or verb in bare}
    return replace(allowed, verbs={**left, Verb.NONE: ()}) if left else None


def focus_of(graph: TaskGraph, spoken: Sequence[int]) -> tuple[int, ...]:
    """Nodes that were spoken of last, the latest first: those changed last, and those told about since.

    Args:
        graph: as it is now.
        spoken: what replies were about, the latest first.
    """
    changed = sorted(graph, key=lambda node: (-node.history[-1].turn, node.id))
    last = changed[0].history[-1].turn if changed else 0
    fresh = [node.id for node in changed if node.history[-1].turn == last and last == graph.turn]
    ids = [*fresh, *spoken, *(node.id for node in changed)]
    return tuple(dict.fromkeys(id for id in ids if id in graph and graph[id].slot != NOTE))[:MOST_FOCUS]


def last_language(graph: TaskGraph) -> str:
    """Code of the language of what was said last about the tasks."""
    newest = max(graph, key=lambda node: node.history[-1].turn, default=None)
    return "en" if newest is None else language_of(newest.user_response)


def steps(situation: Situation, *, asked: bool) -> tuple[TaskStep, ...]:
    """What a turn did to the tasks and asked of them.

    Args:
        situation: the turn.
        asked: whether a question of it is one about the tasks.
    """
    graph = situation.after
    made = []
    for change in situation.changes:
        node = change.after
        was = "" if change.before is None else change.before.label
        former = was if was != node.label else ""
        path = _path(graph, node)
        made.append(
            TaskStep(str(change.intent), str(change.op), node.slot, node.value, path, node.id, former)
        )
    queries = any(operation.op is Op.QUERY for operation in situation.operations)
    if queries or (asked and situation.reading.of(Mood.ASK, Mood.SUPPOSE)):
        made.append(TaskStep("check", str(Op.QUERY), "", "", "", None))
    return tuple(made)


def _path(graph: TaskGraph, node: Node) -> str:
    ways = (way for way in walk(graph, all=True) if way[-1].id == node.id)
    return STEP.join(one.slot for one in next(ways, (node,)))
