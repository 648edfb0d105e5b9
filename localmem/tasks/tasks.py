"""The tasks of one memory: turns go in, the graph of any turn comes out.

The file keeps what was asked for, turn by turn, and the graph is folded from that. This gives undo and the state as
of any turn for nothing, and the fold of ten thousand operations takes a fraction of a second; tables of nodes that
are valid from turn to turn would have to be kept in step by every kind of operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from localmem.errors import TaskError
from localmem.store import Store, TaskTurn
from localmem.store.rows import clean
from localmem.tasks import render
from localmem.tasks.graph import TaskGraph
from localmem.tasks.log import arguments, folded
from localmem.tasks.rules import Moment
from localmem.tasks.update import after
from localmem.tasks.values import Change, Node, Operation, Revision


class Tasks:
    """The task graph of a memory file. Several chats may use one file at the same time.

    Turns are counted by the tasks themselves: `next_turn` is the number of the next one, and an undo is a turn too.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: tuple[str, TaskGraph] | None = None

    @property
    def graph(self) -> TaskGraph:
        """The graph as it is now; read again when another chat has changed it. Not to be changed.

        Raises:
            StoreError: the memory cannot be read.
        """
        with self._store.snapshot():
            stamp = self._store.stamp("tasks")
            if self._held is None or self._held[0] != stamp:
                self._held = (stamp, folded(self._store.task_turns(), self._store.path))
        return self._held[1]

    @property
    def next_turn(self) -> int:
        """The number of the next turn; settled only inside a transaction of the store."""
        return self.graph.turn + 1

    def apply(
        self,
        turn: int | None,
        operations: Iterable[Operation],
        *,
        said: str = "",
        reply: str = "",
        at: datetime | None = None,
    ) -> list[Change]:
        """Do what one user turn asks for: all of it, or nothing.

        Args:
            turn: its number, larger than that of the last turn; None: the next.
            operations: in order; there may be none.
            said: what the user said.
            reply: what was replied, if it is known already.
            at: when; None: now.

        Returns:
            What changed, node by node, in order.

        Raises:
            TaskError: the graph refuses one of them, or the turn is not later than the last one.
            StoreError: the memory cannot be written.
        """
        at = at or datetime.now().astimezone()
        with self._store.transaction():
            number = self.next_turn if turn is None else turn
            outcome = after(self.graph, operations, Moment(number, at, clean(said), clean(reply)))
            rows = tuple((str(operation.op), arguments(operation)) for operation in outcome.operations)
            self._store.add_task_turn(TaskTurn(number, at, said, reply, None, rows))
            # If this joins a transaction that fails later, the stamp goes back and the graph is read again.
            self._held = (self._store.stamp("tasks"), outcome.graph)
        return list(outcome.changes)

    def reply(self, turn: int, text: str) -> None:
        """Say what was replied in a turn, once it is known.

        Raises:
            StoreError: there is no such turn, or the memory cannot be written.
        """
        self._store.set_task_reply(turn, text)

    def undo(self, *, said: str = "", reply: str = "", at: datetime | None = None) -> int:
        """Take the last turn that changed anything away; again, the one before it.

        Args:
            said: what the user said, if they said it in a turn.
            reply: what was replied to that.
            at: when; None: now.

        Returns:
            Its number.

        Raises:
            TaskError: there is none left.
            StoreError: the memory cannot be written.
        """
        with self._store.transaction():
            turns = self._store.task_turns()
            last = _last_change(turns)
            if last is None:
                raise TaskError("There is nothing to undo.", hint="No turn has changed the tasks yet.")
            now = at or datetime.now().astimezone()
            self._store.add_task_turn(TaskTurn(turns[-1].turn + 1, now, said, reply, last.turn))
        return last.turn

    def without_last(self) -> tuple[TaskTurn, TaskGraph] | None:
        """What `undo` would take away, and the graph that it would leave; None: there is nothing to undo.

        Raises:
            StoreError: the memory cannot be read.
        """
        turns = self._store.task_turns()
        last = _last_change(turns)
        if last is None:
            return None
        undo = TaskTurn(turns[-1].turn + 1, datetime.now().astimezone(), "", "", last.turn)
        return last, folded([*turns, undo], self._store.path)

    def as_of(self, turn: int) -> TaskGraph:
        """The graph right after that turn, also if it was undone later.

        Raises:
            StoreError: the memory cannot be read.
        """
        return folded(self._store.task_turns(turn), self._store.path)

    def paths(self, all: bool = False) -> list[str]:
        """Every way from a root to an active node: "make soup > prepare mushrooms = wash and chop".

        Args:
            all: done and deleted nodes too, marked as such.
        """
        return render.paths(self.graph, all=all)

    def show(self, slot: str) -> list[Node]:
        """The nodes that a slot or a path names, see `TaskGraph.find`.

        Raises:
            TaskError: there is none.
        """
        return self.graph.find(slot)

    def history(self, slot: str) -> list[Revision]:
        """Every change of the nodes that a slot or a path names, oldest first.

        Raises:
            TaskError: there is none.
        """
        return sorted((past for node in self.show(slot) for past in node.history), key=lambda past: past.turn)

    def export(self, format: render.Format) -> str:
        """All nodes with their histories as JSON, or the live ones as a diagram."""
        return render.export(self.graph, format)


def _last_change(turns: Sequence[TaskTurn]) -> TaskTurn | None:
    """The last turn that changed anything and was not undone."""
    gone = {turn.undoes for turn in turns}
    standing = [turn for turn in turns if turn.operations and turn.turn not in gone]
    return standing[-1] if standing else None
