"""Values to SQLite and back: the only package with SQL."""

from localmem.store.engine_errors import sqlite_version
from localmem.store.forget import Gap, Wanted
from localmem.store.rows import Method, NewThread, NewTurn, clean
from localmem.store.runs import RunRow, StepRow, SubgoalRow
from localmem.store.store import Store
from localmem.store.tasks import TaskTurn
from localmem.store.transfer import Shape, shapes

__all__ = [
    "Gap",
    "Method",
    "NewThread",
    "NewTurn",
    "RunRow",
    "Shape",
    "StepRow",
    "Store",
    "SubgoalRow",
    "TaskTurn",
    "Wanted",
    "clean",
    "shapes",
    "sqlite_version",
]
