"""What is being done and how it changed: the task graph, its updates, its past, and how it is shown."""

from localmem.tasks.graph import TaskGraph
from localmem.tasks.render import Format
from localmem.tasks.rules import Moment
from localmem.tasks.tasks import Tasks
from localmem.tasks.update import Outcome, after
from localmem.tasks.values import Change, Intent, Node, Op, Operation, Revision, Status

__all__ = [
    "Change",
    "Format",
    "Intent",
    "Moment",
    "Node",
    "Op",
    "Operation",
    "Outcome",
    "Revision",
    "Status",
    "TaskGraph",
    "Tasks",
    "after",
]
