"""What a turn changed, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.cues import Cue
from localmem.tasks.graph import TaskGraph
from localmem.tasks.naming import LONG_LIST, Namer, bare, join
from localmem.tasks.values import Change, Node, Status, fold


@dataclass
class Told:
    """Sentences with what they are about."""

    lines: list[str] = field(default_factory=list)
    needed: list[str] = field(default_factory=list)
    about: list[int] = field(default_factory=list)
    wordable: bool = False
    """An answer that a model may put into the words of the question."""

    def add(self, line: str | Sequence[str], *nodes: Node, needed: Sequence[str] = ()) -> None:
        """Add a sentence, or several, unless they are there."""
        for one in [line] if isinstance(line, str) else line:
            if one not in self.lines:
                self.lines.append(one)
        self.about += [node.id for node in nodes if node.id not in self.about]
        self.needed += [word for word in needed if word and word not in self.needed]


def told(namer: Namer, before: TaskGraph, changes: Sequence[Change], cues: frozenset[Cue]) -> Told:
    """Sentences for the changes of one turn: node by node, what came together in one sentence."""
    return _Telling(namer, before, changes, cues).all()


class _Telling:
    def __init__(
        self, namer: Namer, before: TaskGraph, changes: Sequence[Change], cues: frozenset[Cue]
    ) -> None:
        self.namer = namer
        self.phrases = namer.phrases
        self.graph = namer.graph
        self.before = before
        self.cues = cues
        first: dict[int, Node | None] = {}
        self.ops: dict[int, list[Change]] = {}
        for change in changes:
            first.setdefault(change.after.id, change.before)
            self.ops.setdefault(change.after.id, []).append(change)
        self.pairs = [(old, self.graph[id]) for id, old in first.items()]
        self.out = Told()

    def all(self) -> Told:
        self._new()
        self._values()
        self._status()
        self._groups()
        self._places()
        self._notes()
        self._what_stands()
        return self.out

    def _say(self, phrase: str, *nodes: Node, needed: Sequence[str] = (), **words: object) -> None:
        self.out.add(self.phrases.say(phrase, **words), *nodes, needed=needed)

    def _came(self) -> list[Node]:
        return [
            new
            for old, new in self.pairs
            if new.live and (old is None or not old.live) and new.slot not in (NOTE, GROUP)
        ]

    def _new(self) -> None:
        came = self._came()
        ids = {node.id for node in came}
        fresh = [node for node in came if self._is_new(node)]
        for node in fresh:
            if not node.parents:
                parts = self.namer.parts(node)
                items = self.namer.listing(parts)
                phrase = "new_task_with" if parts else "new_task"
                self._say(
                    phrase,
                    node,
                    *parts,
                    name=self.namer.label(node),
                    items=items,
                    needed=_first_words([node, *parts]),
                )
        below = [
            n
            for n in fresh
            if n.parents and not any(id in ids and self._is_new(self.graph[id]) for id in n.parents)
        ]
        roots = [root for root in self.graph.roots() if root.live]
        for parent in dict.fromkeys(node.parents[0] for node in below):
            group = [node for node in below if node.parents[0] == parent]
            needed = [text for node in group for text in _telling(node)]
            here = self.graph[parent]
            fact = len(group) == 1 and self.namer.says_is(group[0]) and not self.namer.notes(group[0])
            if fact and len(roots) == 1 and here.id == roots[0].id:
                self._say(
                    "first", group[0], needed=needed, value=group[0].value, **self.namer.words(group[0])
                )
            elif len(roots) == 1 and here.id == roots[0].id:
                self._say("added", *group, needed=needed, items=self.namer.listing(group))
            else:
                self._say(
                    "added_to",
                    *group,
                    needed=needed,
                    items=self.namer.listing(group),
                    name=here.value if here.slot == GROUP else here.slot,
                )
        back = [
            n
            for n in came
            if not self._is_new(n)
            and not any(id in ids and not self._is_new(self.graph[id]) for id in n.parents)
        ]
        if back:
            self._say(
                "restored",
                *back,
                needed=[text for node in back for text in _telling(node)],
                items=self.namer.listing(back),
            )

    def _is_new(self, node: Node) -> bool:
        """New to the graph, and not brought back."""
        return node.id not in self.before

    def _values(self) -> None:
        for old, new in self.pairs:
            if (
                old is None
                or not new.live
                or (not old.live and (old.slot, old.value) == (new.slot, new.value))
            ):
                continue
            if fold(old.slot) != fold(new.slot):
                where = self.namer.wholes(new) if len(self.graph.live_parents(new)) > 1 else ""
                self._say(
                    "swapped_in" if where else "swapped",
                    new,
                    new=self.namer.label(new),
                    old=self.namer.label(old) if old.value != new.value else old.slot,
                    where=where,
                    needed=[new.slot, new.value if new.value != old.value else ""],
                )
            elif old.value != new.value:
                words = self.namer.words(new)
                if new.slot == GROUP:
                    self._say("swapped", new, new=new.value, old=old.value, needed=[new.value])
                elif not new.value:
                    self._say("unchanged" if not old.value else "removed", new, items=old.value)
                elif not old.value:
                    self._say("first", new, value=new.value, needed=[new.value], **words)
                elif self._people(new):
                    self._say("swapped", new, new=new.value, old=old.value, needed=[new.value])
                else:
                    again = any((past.slot, past.value) == (new.slot, new.value) for past in old.history)
                    self._say(
                        "again" if again else "changed",
                        new,
                        new=new.value,
                        old=old.value,
                        needed=[new.value],
                        **words,
                    )

    def _people(self, node: Node) -> bool:
        """Whether others beside it have the same slot, so that the slot alone names none of them."""
        return any(
            other.live and other.id != node.id and fold(other.slot) == fold(node.slot)
            for id in node.parents
            for other in self.graph.children(id)
        )

    def _status(self) -> None:
        done = [
            new
            for old, new in self.pairs
            if new.status is Status.DONE and (old is None or old.status is not Status.DONE)
        ]
        if done:
            self._say(
                "done",
                *done,
                needed=[n.slot for n in done],
                items=join([self.namer.label(n) for n in done], self.phrases),
            )
        opened = [
            new
            for old, new in self.pairs
            if old and old.status is Status.DONE and new.status is Status.ACTIVE
        ]
        if opened:
            self._say(
                "reopened",
                *opened,
                needed=[n.slot for n in opened],
                items=self.namer.listing(opened, deep=False),
            )
        gone = [
            (old, new)
            for old, new in self.pairs
            if old and old.live and not new.live and new.slot not in (GROUP, NOTE)
        ]
        ids = {new.id for _, new in gone}
        top = [old for old, new in gone if not any(id in ids for id in old.parents)]
        if top:
            swapped = self._swapped(top)
            if swapped is None:
                former = Namer(self.before, self.phrases)
                self._say("removed", *top, items=former.listing(top, deep=False), needed=_first_words(top))

    def _swapped(self, gone: Sequence[Node]) -> Node | None:
        """The one node that came when one node went, where the words say that one is for the other."""
        came = [node for node in self._came() if self._is_new(node)]
        if (
            len(gone) != 1
            or len(came) != 1
            or Cue.SWAP not in self.cues
            or gone[0].parents != came[0].parents
        ):
            return None
        former = Namer(self.before, self.phrases)
        self.out.lines.clear()
        self._say(
            "swapped",
            came[0],
            new=self.namer.label(came[0]),
            old=former.label(gone[0]),
            needed=_telling(came[0]),
        )
        return came[0]

    def _groups(self) -> None:
        groups = [new for _, new in self.pairs if new.slot == GROUP]
        members = [
            self.graph[id] for _, new in self.pairs for id in new.parents if self.graph[id].slot == GROUP
        ]
        parents = list(dict.fromkeys(id for group in [*groups, *members] for id in group.parents))
        for id in parents:
            standing = [child for child in self.graph.children(id) if child.live and child.slot == GROUP]
            if standing:
                items = "; ".join(self.namer.item(group) for group in standing)
                self._say("parts", *standing, items=items, needed=[group.value for group in standing])
        if groups and not any(group.live for group in groups):
            self._say("together", *[self.graph[id] for id in parents if self.graph[id].live])

    def _places(self) -> None:
        regrouped = any(new.slot == GROUP for _, new in self.pairs)
        added: dict[int, list[Node]] = {}
        lost: dict[int, list[Node]] = {}
        moved: dict[tuple[int, int], list[Node]] = {}
        for old, new in self.pairs:
            if old is None or not old.live or not new.live or new.slot in (GROUP, NOTE):
                continue
            plus = [id for id in new.parents if id not in old.parents and self.graph[id].live]
            minus = [id for id in old.parents if id not in new.parents and self.graph[id].live]
            if any(self.graph[id].slot == GROUP for id in [*new.parents, *old.parents]) or regrouped:
                continue
            if len(plus) == len(minus) == 1:
                moved.setdefault((minus[0], plus[0]), []).append(new)
                continue
            for id in plus:
                added.setdefault(id, []).append(new)
            for id in minus:
                lost.setdefault(id, []).append(new)
            for id in new.dependencies:
                if id not in old.dependencies:
                    self._say(
                        "needs", new, name=new.slot, items=self.graph[id].slot, needed=[self.graph[id].slot]
                    )
        for (away, to), nodes in moved.items():
            names = {"old": self.graph[away].slot, "name": self.graph[to].slot}
            self._say(
                "moved",
                *nodes,
                items=self.namer.listing(nodes, deep=False),
                needed=[n.slot for n in nodes],
                **names,
            )
        for id, nodes in added.items():
            self._say(
                "linked",
                *nodes,
                name=self.graph[id].slot,
                items=self.namer.listing(nodes, deep=False),
                needed=[n.slot for n in nodes],
            )
        for id, nodes in lost.items():
            self._say(
                "unlinked", *nodes, name=self.graph[id].slot, items=self.namer.listing(nodes, deep=False)
            )

    def _notes(self) -> None:
        came = {new.id for old, new in self.pairs if old is None}
        for old, new in self.pairs:
            if new.slot != NOTE or not new.live or (old and (old.value, old.live) == (new.value, True)):
                continue
            for id in new.parents[:1]:
                above = self.graph[id]
                if id not in came:
                    short = bare(above.slot) or (above.value[:1].isupper() and self._people(above))
                    name = above.value if short and above.value else above.slot
                    self._say("noted", above, name=name, value=new.value)

    def _what_stands(self) -> None:
        """The rest, after what leaves only a part of it."""
        gone = [new for old, new in self.pairs if old and old.live and not new.live]
        if any(node.slot == GROUP for node in gone):
            for id in self._above(gone)[:1]:
                self.out.add(self.namer.overview(self.graph[id]), self.graph[id])
        elif Cue.ONLY in self.cues and any(node.slot != NOTE for node in gone):
            for id in self._above(gone)[:2]:
                rest = self.namer.parts(self.graph[id])
                slots = {fold(node.slot) for node in gone}
                same = [node for node in rest if fold(node.slot) in slots]
                left = same or rest
                if left and len(left) <= LONG_LIST:
                    self._say("left", *left, items=self.namer.listing(left), needed=_first_words(left))
                elif left:
                    self.out.add(self.namer.overview(self.graph[id]), self.graph[id])

    def _above(self, gone: Sequence[Node]) -> list[int]:
        """The live wholes of nodes that went."""
        ids = dict.fromkeys(id for node in gone for id in node.parents)
        return [id for id in ids if self.graph[id].live and self.graph[id].slot != GROUP]


def _telling(node: Node) -> list[str]:
    return [node.value] if node.value else [node.slot]


def _first_words(nodes: Sequence[Node]) -> list[str]:
    return [word for node in nodes for word in _telling(node)]
