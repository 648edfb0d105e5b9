"""Tasks as values: what a node is, what one turn asks for, and what came of it."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from localmem.store.rows import clean


class Status(StrEnum):
    """Where a node stands."""

    ACTIVE = "active"
    DONE = "done"
    INACTIVE = "inactive"
    """Deleted; it can be restored."""


class Intent(StrEnum):
    """What a part of a user turn is there for."""

    NEW = "new"
    UPDATE = "update"
    CHECK = "check"
    NONE = "none"
    """Small talk."""


class Op(StrEnum):
    """What to do with a node. `localmem.tasks.rules` says it in full."""

    ADD = "add"
    """A new node, a root or below `parent`."""
    SET = "set"
    """Another value."""
    REPLACE = "replace"
    """Another slot, value or both; wherever the node is used, or below `parent` only."""
    DELETE = "delete"
    """Make it inactive; with `parent` or `dependencies`: take away these edges only."""
    RESTORE = "restore"
    """Bring it back, or open again what was done."""
    ROLL_BACK = "roll_back"
    """The slot and value before, or the earlier ones that `value` names."""
    LINK = "link"
    """Another parent, other dependencies, or both."""
    DONE = "done"
    QUERY = "query"
    """A question: changes nothing."""

    @property
    def intent(self) -> Intent:
        """The intent that an operation of this kind carries out."""
        return _INTENTS.get(self, Intent.UPDATE)


_INTENTS = {Op.ADD: Intent.NEW, Op.QUERY: Intent.CHECK}


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that a user turn asks for.

    Nodes are named by id. Negative ids name nodes that this very turn adds: an `add` with target -1 makes one,
    and -1 means it in the operations that follow.
    """

    op: Op
    target: int | None = None
    """The node; only an `add` may have none."""
    slot: str = ""
    """For `add` and `replace`; empty in a `replace`: the slot stays."""
    value: str | None = None
    """For `add`, `set` and `replace` (None: the value stays); for `roll_back` the value or slot to go back to."""
    parent: int | None = None
    dependencies: tuple[int, ...] = ()
    """Nodes that the target needs."""
    why: str = ""
    """The reason; empty: what the user said."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A node as one change left it."""

    turn: int
    at: datetime
    op: Op
    by: int
    """The node that the operation named; another one when this node went or came along with it."""
    slot: str
    value: str
    status: Status
    parents: tuple[int, ...]
    dependencies: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Node:
    """A task, a part of one, or a fact that it needs."""

    id: int
    """Never used for another node."""
    slot: str
    """What it is: "destination", "prepare mushrooms"."""
    value: str
    """What it is set to: "Seattle", "wash and chop"; may be empty."""
    status: Status
    parents: tuple[int, ...]
    """Ids of what it is a part of; a shared node has several, a root none."""
    dependencies: tuple[int, ...]
    """Ids of what it needs."""
    history: tuple[Revision, ...]
    """Every change, oldest first; the last one is the present."""
    user_response: str = ""
    """What the user said in the last turn that changed it."""
    ai_response: str = ""
    """What was replied then."""

    @property
    def live(self) -> bool:
        """Active or done: not deleted."""
        return self.status is not Status.INACTIVE

    @property
    def label(self) -> str:
        """What it says: "destination = Seattle"; only the slot if it has no value."""
        return f"{self.slot} = {self.value}" if self.value else self.slot

    @property
    def deleted(self) -> Revision:
        """The revision that made it inactive; of a live node, the last one."""
        past = [*self.history]
        while len(past) > 1 and past[-1].status == past[-2].status == Status.INACTIVE:
            past.pop()
        return past[-1]

    @property
    def versions(self) -> list[tuple[str, str]]:
        """Slot and value before each other, oldest first, the present last: the way that `roll_back` walks.

        A roll-back takes away what came after the version that it went to.
        """
        versions: list[tuple[str, str]] = []
        for revision in self.history:
            version = (revision.slot, revision.value)
            if revision.op is Op.ROLL_BACK and version in versions:
                del versions[_last(versions, version) + 1 :]
            elif not versions or versions[-1] != version:
                versions.append(version)
        return versions


@dataclass(frozen=True, slots=True)
class Change:
    """What an operation did to one node."""

    op: Op
    before: Node | None
    """None: the node is new."""
    after: Node

    @property
    def intent(self) -> Intent:
        """What the user did: a first value is news, even where a node was waiting for it."""
        first = self.before is not None and self.op is Op.SET and not self.before.value
        return Intent.NEW if first else self.op.intent


def tidy(text: str) -> str:
    """A text of a node as it is kept: one line, single spaces, nothing that UTF-8 cannot hold."""
    return " ".join(clean(text).split())


def fold(text: str) -> str:
    """What is compared when nodes are looked up: case, spaces, width and outer punctuation do not count."""
    return " ".join(unicodedata.normalize("NFKC", clean(text)).casefold().split()).strip(
        "\"'`.,:;!?*-–—“”‘’ "
    )


def _last(versions: list[tuple[str, str]], version: tuple[str, str]) -> int:
    return len(versions) - 1 - versions[::-1].index(version)
