"""Turns for the tests of the tasks, and random ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from localmem.errors import TaskError
from localmem.tasks import Change, Moment, Op, Operation, TaskGraph, after, render

START = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)


class Plan:
    """A graph that turns are told to, with its nodes by name."""

    def __init__(self) -> None:
        self.graph = TaskGraph()
        self.changes: tuple[Change, ...] = ()

    def turn(self, *operations: Operation, said: str = "") -> tuple[Change, ...]:
        number = self.graph.turn + 1
        outcome = after(self.graph, operations, Moment(number, START + timedelta(minutes=number), said))
        self.graph, self.changes = outcome.graph, outcome.changes
        return outcome.changes

    def id(self, slot: str) -> int:
        (node,) = self.graph.find(slot)
        return node.id

    def add(self, slot: str, value: str = "", below: str | None = None, needs: Iterable[str] = ()) -> int:
        parent = None if below is None else self.id(below)
        needed = tuple(map(self.id, needs))
        (change,) = self.turn(Operation(Op.ADD, slot=slot, value=value, parent=parent, dependencies=needed))
        return change.after.id

    def do(self, op: Op, slot: str, *, below: str | None = None, **given: str) -> tuple[Change, ...]:
        parent = None if below is None else self.id(below)
        new = given.pop("to", "")
        return self.turn(Operation(op, self.id(slot), slot=new, parent=parent, **given))  # type: ignore[arg-type]

    def paths(self, *, all: bool = False) -> list[str]:
        return render.paths(self.graph, all=all)


KITCHEN = (
    Operation(Op.ADD, -1, "bake bread"),
    Operation(Op.ADD, -2, "flour", "sift", parent=-1),
    Operation(Op.ADD, -3, "fry pancakes"),
    Operation(Op.LINK, -2, parent=-3),
    Operation(Op.ADD, -4, "milk", parent=-3),
)
KITCHEN_PATHS = [
    "bake bread",
    "bake bread > flour = sift",
    "fry pancakes",
    "fry pancakes > flour = sift",
    "fry pancakes > milk",
]


def kitchen() -> Plan:
    """Two dishes that share an ingredient, told in one turn."""
    plan = Plan()
    plan.turn(*KITCHEN)
    return plan


WORDS = st.sampled_from(["oats", "Oats", " rye  flour", "kelp", "no > yes", "a = b"])


@dataclass(frozen=True)
class Choice:
    """An operation whose nodes are named by place, so that most are there in whatever graph it meets."""

    op: Op
    target: int
    parent: int | None
    needed: int | None
    slot: str
    value: str | None

    def of(self, graph: TaskGraph) -> Operation:
        ids = [node.id for node in graph] or [-1]
        own = -1 if self.op is Op.ADD else ids[self.target % len(ids)]
        parent = None if self.parent is None else ids[self.parent % len(ids)]
        needed = () if self.needed is None else (ids[self.needed % len(ids)],)
        return Operation(self.op, own, self.slot, self.value, parent, needed)


_PLACES = st.integers(0, 7)
CHOICES = st.builds(
    Choice,
    op=st.sampled_from([*Op, Op.ADD, Op.ADD, Op.LINK, Op.DELETE, Op.RESTORE]),
    target=_PLACES,
    parent=st.none() | _PLACES,
    needed=st.sampled_from([None, None, None, 0, 1, 2, 3, 4]),
    slot=WORDS,
    value=st.none() | WORDS,
)
TURNS = st.lists(st.lists(CHOICES, min_size=1, max_size=3), max_size=12)


def told(turns: Iterable[list[Choice]]) -> list[TaskGraph]:
    """The graph of a kitchen, and after each turn; an operation that is refused is left out of its turn."""
    graphs = [kitchen().graph]
    for choices in turns:
        number = graphs[-1].turn + 1
        moment = Moment(number, START, f"turn {number}")
        graphs.append(after(graphs[-1], accepted(graphs[-1], choices, moment), moment).graph)
    return graphs


def accepted(graph: TaskGraph, choices: Iterable[Choice | Operation], moment: Moment) -> list[Operation]:
    """The operations without those that the graph refuses after the ones before them."""
    kept: list[Operation] = []
    for choice in choices:
        operation = choice if isinstance(choice, Operation) else choice.of(graph)
        try:
            after(graph, [*kept, operation], moment)
        except TaskError:
            continue
        kept.append(operation)
    return kept
