"""Scenes for the tests of the stages: a graph written down as the model reads it, and what is said about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from localmem.tasks import Moment, Op, Operation, TaskGraph, after, render
from localmem.tasks.context import Context, Part
from localmem.tasks.pipeline import Understood, focus_of, understand
from localmem.tasks.reading import read
from tests.fakes import ScriptedModel
from tests.tasks.support import START

NOTHING = "(nothing yet)"
_MARK = re.compile(r" \((removed|done|was [^()]*)\)")


def graph_of(state: str) -> TaskGraph:
    """The graph that the lines of a state show; a label without a value that stands in two tasks is one node."""
    graph = TaskGraph()
    if state == NOTHING:
        return graph
    above: list[int] = []
    seen: dict[str, int] = {}

    def turn(*operations: Operation) -> None:
        nonlocal graph
        number = graph.turn + 1
        graph = after(graph, operations, Moment(number, START, f"turn {number}")).graph

    for row in state.splitlines():
        depth = len(row) - len(bare := row.replace("- ", "", len(re.match(r"(?:- )*", row)[0]) // 2))
        depth //= 2
        marks = _MARK.findall(bare)
        label = _MARK.sub("", bare)
        slot, _, value = label.partition(" = ")
        del above[depth:]
        parent = above[-1] if above else None
        if not value and depth and label in seen:
            turn(Operation(Op.LINK, seen[label], parent=parent))
            above.append(seen[label])
            continue
        former = [past for mark in marks if mark.startswith("was ") for past in mark[4:].split(", ")]
        first = (former or [value if value else slot])[0]
        id = graph.next_id
        turn(Operation(Op.ADD, slot=slot if value else first, value=first if value else None, parent=parent))
        for text in [*former[1:], value or slot] if former else []:
            turn(Operation(Op.SET, id, value=text) if value else Operation(Op.REPLACE, id, slot=text))
        seen[label] = id
        above.append(id)
        if "done" in marks:
            turn(Operation(Op.DONE, id))
        if "removed" in marks:
            turn(Operation(Op.DELETE, id))
    return graph


def context_of(
    state: str | TaskGraph, said: str, *, focus: Iterable[str] | None = None, ablate: Iterable[Part] = ()
) -> Context:
    """What the stages share about a turn; spoken of last was what is named, or what came last."""
    graph = state if isinstance(state, TaskGraph) else graph_of(state)
    if focus is None:
        ids = [node.id for node in reversed(list(graph))]
    else:
        ids = [graph.find(name)[0].id for name in focus]
    return Context(graph, read(said), tuple(ids), frozenset(ablate))


@dataclass
class Chat:
    """Turns through `understand`, with a model that writes what is scripted."""

    graph: TaskGraph = field(default_factory=TaskGraph)
    spoken: tuple[int, ...] = ()
    language: str = "en"
    last: Understood | None = None
    model: ScriptedModel = field(default_factory=ScriptedModel)

    def say(self, text: str, *written: str) -> list[str]:
        """Take a turn and give the paths after it. What is scripted must be what the grammar accepts, and be used up."""
        self.model = ScriptedModel(written)
        reading = read(text, self.language)
        self.language = reading.language
        focus = focus_of(self.graph, self.spoken)
        self.last = understand(self.graph, reading, focus, lambda: self.model)
        number = self.graph.turn + 1
        outcome = after(self.graph, self.last.operations, Moment(number, START, text))
        self.graph = outcome.graph
        self.spoken = tuple(dict.fromkeys([*(c.after.id for c in outcome.changes), *self.spoken]))
        if self.model.replies:
            raise AssertionError(f"the model was not asked for {list(self.model.replies)}: {self.last}")
        check_written(self.model, written)
        return self.paths()

    def paths(self, *, all: bool = False) -> list[str]:
        """Every way to an active node."""
        return render.paths(self.graph, all=all)


def understood(
    state: str, said: str, *written: str | Exception, ablate: frozenset[Part] = frozenset()
) -> tuple[Understood, ScriptedModel]:
    """What a turn about these lines comes to, with the model that writes what is scripted."""
    graph = graph_of(state)
    model = ScriptedModel(written)
    found = understand(graph, read(said), focus_of(graph, ()), lambda: model, ablate=ablate)
    check_written(model, [one for one in written if isinstance(one, str)][: len(model.prompts)])
    return found, model


def check_written(model: ScriptedModel, written: Sequence[str]) -> None:
    """A script that no real model could write is no evidence."""
    from localmem.llm import grammar as grammars

    for grammar, reply in zip(model.grammars, written, strict=False):
        assert grammar is not None
        if not grammars.accepts(grammar, reply):
            raise AssertionError(f"the grammar refuses {reply!r}:\n{grammar}")


def chat(state: str = NOTHING, *, focus: Iterable[str] = ()) -> Chat:
    """A chat about what stands already."""
    graph = graph_of(state)
    return Chat(graph, tuple(graph.find(name)[0].id for name in focus))


def tips(paths: Sequence[str]) -> list[str]:
    """Those of the paths that no other one goes on from."""
    return [path for path in paths if not any(other.startswith(f"{path} > ") for other in paths)]


def words(text: str) -> list[str]:
    """Words that random texts are made of."""
    return text.split()
