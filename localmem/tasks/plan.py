"""Lines to operations: code decides what it can know better than the model.

Which version a roll-back goes to, whether a new text takes the place of a node's name or of its value, what "all but"
leaves, and that what is already there is not added twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from localmem.tasks.context import GROUP, NOTE, Context, kind_of
from localmem.tasks.cues import Cue, folded
from localmem.tasks.items import itemised, merged, title
from localmem.tasks.mentions import alike, content, within
from localmem.tasks.trim import Line, Verb
from localmem.tasks.values import Node, Op, Operation, Status, fold

_ATTRIBUTES = re.compile(
    r"^(date|day|time|start|end|from|to|place|location|where|when|venue|room|address|city|destination|origin|budget|price|cost|color|colour|size|"
    r"theme|name|e-?mail|phone|deadline|due|duration|length|hotel|flight|owner|status|priority|frequency|dose|dosage|amount|"
    r"datum|tag|uhrzeit|zeit|ort|ziel|beginn|ende|preis|farbe|grösse|name|adresse|telefon|frist|dauer|besitzer|"
    r"fecha|día|hora|lugar|destino|origen|presupuesto|precio|color|tamaño|nombre|dirección|teléfono|plazo|duración)\b"
)


def plan(lines: Sequence[Line], context: Context, first: int = -1) -> list[Operation]:
    """Operations that carry the lines out, in order.

    Args:
        lines: that passed the guards.
        context: of the turn.
        first: id of the first node that is added; those of the next ones are below it.
    """
    return _Plan(context, first).of(lines)


class _Plan:
    def __init__(self, context: Context, first: int) -> None:
        self._context = context
        self._graph = context.graph
        self._operations: list[Operation] = []
        self._next = first
        self._alias: dict[int, int] = {}
        self._moved: set[int] = set()

    def of(self, lines: Sequence[Line]) -> list[Operation]:
        lines = [
            one
            for line in lines
            for one in itemised(line, self._context.told, self._context.reading.language)
        ]
        grouped = [line for line in lines if line.verb is Verb.GROUP]
        if Cue.MERGE in self._context.cues and not grouped:
            self._merge()
        for line in lines:
            match line.verb:
                case Verb.NEW:
                    self._new(line)
                case Verb.PART:
                    self._part(line)
                case Verb.CHANGE:
                    for id in self._everywhere(line.ids, line.text):
                        self._change(self._graph[id], line.text)
                case Verb.DELETE | Verb.DELETE_ALL:
                    self._each(Op.DELETE, line)
                case Verb.DONE | Verb.DONE_ALL:
                    self._each(Op.DONE, line)
                case Verb.RESTORE:
                    self._restore(line)
                case Verb.KEEP:
                    self._keep(line)
                case Verb.BACK:
                    for id in line.ids:
                        self._back(self._graph[id])
                case Verb.LINK:
                    for id in line.ids[:-1]:
                        self._do(Op.LINK, id, parent=line.ids[-1])
                case Verb.NOTE:
                    for id in line.ids:
                        self._do(Op.ADD, None, slot=NOTE, value=line.text, parent=id)
                case Verb.GROUP:
                    pass
                case Verb.NONE:
                    pass
        if grouped:
            self._group(grouped)
        return self._operations

    def _do(self, op: Op, target: int | None = None, **fields: object) -> None:
        self._operations.append(Operation(op, target, **fields))  # type: ignore[arg-type]

    def _add(self, slot: str, value: str = "", parent: int | None = None) -> int:
        id, self._next = self._next, self._next - 1
        self._do(Op.ADD, id, slot=slot, value=value or None, parent=parent)
        return id

    def _each(self, op: Op, line: Line) -> None:
        ids = (
            [child.id for id in line.ids for child in self._graph.children(id) if child.live]
            if line.within
            else line.ids
        )
        for id in ids:
            self._do(op, id)

    def _new(self, line: Line) -> None:
        standing = next(
            (root for root in self._graph.roots() if root.live and fold(root.slot) == fold(line.text)), None
        )
        if standing is not None:
            self._alias[line.ids[0]] = standing.id
        else:
            self._alias[line.ids[0]] = self._add(title(line.text))

    def _part(self, line: Line) -> None:
        parent = self._alias.get(line.ids[0], line.ids[0]) if line.ids else None
        if line.within:  # a part that gets parts of its own
            self._alias[-1] = self._add(line.slot, parent=parent)
            return
        standing = [] if parent is None or parent < 0 else self._graph.children(parent)
        named = [node for node in standing if _same_name(node.slot, line.slot)]
        equal = [node for node in named if fold(node.value) == fold(line.text)]
        removed = [node for node in named if not node.live and (not line.text or node in equal)]
        live = [node for node in named if node.live]
        if not live and removed:
            self._do(Op.RESTORE, removed[-1].id)
            return
        if live and not line.text:
            return
        if len(live) == 1 and line.text and not equal and self._sets(line, live[0]):
            gone = [o for o in self._operations if o.op is Op.DELETE and o.target == live[0].id]
            self._operations = [o for o in self._operations if o not in gone]
            self._do(Op.SET, live[0].id, value=line.text)
            return
        shared = self._elsewhere(line, parent)
        if shared is not None:
            self._do(Op.LINK, shared.id, parent=parent)
            return
        self._add(line.slot, line.text, parent)

    def _sets(self, line: Line, node: Node) -> bool:
        """Whether a value of a slot that has one takes its place; a second guest stands beside the first."""
        if _ATTRIBUTES.match(folded(line.slot)) or not node.value:
            return True
        cues = self._context.cues
        if cues & {Cue.CHANGE, Cue.SWAP, Cue.ABSENT} or kind_of(node.value) == kind_of(line.text) != "text":
            return not cues & {Cue.ALSO}
        return not cues & {Cue.ALSO, Cue.ADD} and node.slot.casefold() in folded(self._context.told)

    def _elsewhere(self, line: Line, parent: int | None) -> Node | None:
        """The node of another task that a part means, where the words say that it is the same one."""
        if Cue.ALSO not in self._context.cues or parent is None or parent < 0:
            return None
        found = [
            node
            for node in self._graph
            if node.live and node.parents and parent not in node.parents and _same_name(node.slot, line.slot)
        ]
        return found[0] if found and not line.text else None

    def _everywhere(self, ids: Sequence[int], text: str) -> list[int]:
        """With the nodes of the same name elsewhere, unless the words name the task that is meant."""
        context = self._context
        found = dict.fromkeys(ids)
        if not context.cues & {Cue.SWAP, Cue.ALL} or context.reading.tag:
            return list(found)
        said = [m for m in context.mentions if m.node.id in found and m.slot]
        for mention in context.mentions:
            inside = any(mention.words & one.words for one in said) and mention.slot and mention.node.parents
            if (
                inside
                and mention.node.live
                and not mention.node.value
                and Cue.SWAP in context.cues
                and len(said) == 1
            ):
                found[mention.node.id] = None
        named_roots = {
            m.node.id for m in context.mentions if m.node.live and not m.node.parents and m.score >= 0.5
        }
        for id in ids:
            node = self._graph[id]
            for other in self._graph:
                same = (
                    other.live
                    and not _ATTRIBUTES.match(folded(other.slot))
                    and fold(other.slot) == fold(node.slot)
                    and other.parents
                )
                if same and (
                    not named_roots
                    or any(root.id in named_roots for root in [context.root_of(other)] if root)
                ):
                    renamed = Cue.ALL in context.cues and self._takes_name(node, text)
                    if renamed or not other.value or fold(other.value) == fold(node.value):
                        found[other.id] = None
        return list(found)

    def _change(self, node: Node, text: str) -> None:
        if self._takes_name(node, text):
            self._do(Op.REPLACE, node.id, slot=self._renamed(node, text))
        else:
            self._do(Op.SET, node.id, value=merged(node.value, text))

    def _renamed(self, node: Node, text: str) -> str:
        """The new name; of a name of several words only those that were said make room for it."""
        said = within(content(node.slot), content(self._context.told))
        if not said or len(said) == len(content(node.slot)) or node.id not in self._context.touched:
            return text
        words = [word for word in node.slot.split() if any(one in said for one in content(word))]
        return node.slot.replace(words[0], text, 1) if len(words) == 1 else text

    def _takes_name(self, node: Node, text: str) -> bool:
        """Whether a new text takes the place of the node's name rather than of its value."""
        told = content(self._context.told)
        new = content(text)
        names = within(content(node.slot), [word for word in told if word not in new])
        values = within(content(node.value), [word for word in told if word not in new])
        if _ATTRIBUTES.match(folded(node.slot)):
            return False
        if text[:1].isdigit() and not node.slot[:1].isdigit():
            return False
        if self._context.reading.tag and names == within(
            content(node.slot), content(self._context.reading.tag)
        ):
            return False
        if not node.value:
            return (
                Cue.SWAP in self._context.cues
                or not node.parents
                or _RENAMES.search(folded(self._context.told)) is not None
            )
        if values or not names:
            return False
        gone = re.search(
            r"\b(instead of|replac\w*|swap\w*|substitut\w*|rather than|no|without|out of|there's no|isn't any|don't have|rename|statt|anstatt|ersetz\w*|kein\w*|en (?:vez|lugar) de|reemplaz\w*|sustitu\w*|no hay)\b(.{0,24})",
            folded(self._context.told),
        )
        if gone and within(content(node.slot), content(gone[2])):
            return True
        parts = [m for m in self._context.mentions if m.own and m.node.live and m.node.parents]
        return Cue.SWAP in self._context.cues and len(parts) == 1

    def _restore(self, line: Line) -> None:
        ids = [child.id for id in line.ids for child in self._graph.children(id)] if line.within else line.ids
        for id in ids:
            node = self._graph[id]
            if node.status is not Status.ACTIVE:
                self._do(Op.RESTORE, id)

    def _keep(self, line: Line) -> None:
        named = {id for id in line.ids if id in self._graph}
        # "of the small columns only the notices": what holds another one that stays says where, not what.
        kept = {id for id in named if not (self._context.below([id]) - {id}) & named}
        for id in kept:
            if not self._graph[id].live:
                self._do(Op.RESTORE, id)
        slots = {fold(self._graph[id].slot) for id in kept}
        beside = {node.id: node for id in kept for node in self._siblings(self._graph[id])}
        born = {self._graph[id].history[0].turn for id in kept}
        batch = {id: node for id, node in beside.items() if node.history[0].turn in born}
        told = folded(self._context.told)
        if len(batch) > 1 and not re.search(
            r"\b(everything|nothing|reset|only|just|alles|nur|todo|solo|sólo)\b", told
        ):
            beside = batch
        alike_slots = [n for n in beside.values() if fold(n.slot) in slots]
        for node in alike_slots if len(slots) == 1 and alike_slots else beside.values():
            if node.id not in kept and not _ATTRIBUTES.match(folded(node.slot)) and node.slot != NOTE:
                self._do(Op.DELETE, node.id)

    def _siblings(self, node: Node) -> list[Node]:
        return [
            child
            for id in node.parents
            for child in self._graph.children(id)
            if child.live and child.id != node.id
        ]

    def _back(self, node: Node) -> None:
        if not node.live:
            self._do(Op.RESTORE, node.id)
            return
        versions = node.versions
        told = content(self._context.told)
        past = list(dict.fromkeys((r.slot, r.value) for r in node.history))
        for slot, value in reversed(past):
            words = content(value or slot)
            if (slot, value) != (node.slot, node.value) and words and len(within(words, told)) == len(words):
                self._do(Op.ROLL_BACK, node.id, value=value or slot)
                return
        first = past[0]
        if Cue.FIRST in self._context.cues and first != (node.slot, node.value):
            self._do(Op.ROLL_BACK, node.id, value=first[1] or first[0])
        elif len(versions) > 1:
            self._do(Op.ROLL_BACK, node.id)

    def _merge(self) -> None:
        """Groups that stand apart come together again."""
        for node in self._graph:
            if node.live and node.slot == GROUP and node.parents:
                for child in self._graph.children(node.id):
                    if child.live and child.slot != NOTE:
                        self._do(Op.LINK, child.id, parent=node.parents[0])
                self._do(Op.DELETE, node.id)

    def _group(self, lines: Sequence[Line]) -> None:
        first = next((self._graph[id] for line in lines for id in line.ids if self._graph[id].parents), None)
        if first is None:
            return
        above = first.parents[0]
        beside = [n for n in self._graph.children(above) if n.live and _groups_with(n, first)]
        taken: set[int] = set()
        for place, line in enumerate(lines):
            ids = [id for id in line.ids if id not in taken]
            if not line.ids:
                later = {id for other in lines[place + 1 :] for id in other.ids}
                ids = [n.id for n in beside if n.id not in taken | later]
            taken.update(ids)
            if not ids:
                continue
            group = self._add(GROUP, line.text, above)
            for id in ids:
                self._do(Op.LINK, id, parent=group)
                self._do(Op.DELETE, id, parent=above)


_RENAMES = re.compile(
    r"\b(renam\w*|call|umbenenn\w*|nenn\w*|renombr\w*|llám\w*|chang\w* .* (to|into)|änder\w* .* (zu|in)|cambi\w* .* por|turn \w+ into|make (it|that) (a|an)|correct\w*|meant|i mean)\b"
)


def _groups_with(node: Node, first: Node) -> bool:
    """Whether a node is of the kind that is being divided: the other guests, not the date."""
    if node.slot in (NOTE, GROUP) or kind_of(node.value) in ("time", "date"):
        return False
    return not first.value or fold(node.slot) == fold(first.slot)


def _same_name(one: str, other: str) -> bool:
    if fold(one) == fold(other):
        return True
    words, others = content(one), content(other)
    return len(words) == len(others) and bool(words) and all(map(alike, words, others))
