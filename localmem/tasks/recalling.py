"""Answers about the past: what it was at first, before, in between, why, and when it changed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.mentions import content, within
from localmem.tasks.naming import Namer, beside, join
from localmem.tasks.past import Span, said_in, values
from localmem.tasks.telling import Told
from localmem.tasks.topics import Topics
from localmem.tasks.values import Node, Status, fold

_MOST_EVENTS = 8
_MOST_SAID = 110
"""Characters of what the user said that a reply repeats."""


def past(namer: Namer, topics: Topics, out: Told) -> bool:
    """What something was; whether the histories hold it."""
    question = topics.question
    if not topics.items and question.open and (question.removes or question.changes) and not question.when:
        return _all_events(namer, topics, out)
    nodes = _about(topics)
    if nodes and question.first and not question.all_past and _several(topics, nodes[0]):
        return _at_the_start(namer, topics, nodes[0], out)
    if not nodes:
        if question.first and topics.whole is not None and (topics.wholes or question.lists):
            return _at_the_start(namer, topics, topics.whole, out)
        return False
    for node in nodes[:3]:
        _recall(namer, topics, node, out)
    return bool(out.lines)


def _about(topics: Topics) -> list[Node]:
    """The nodes whose past is asked for: named, or of the kind that is wanted beside them, or spoken of last."""
    question = topics.question
    items = [node for node in topics.items if topics.line(node)]
    changed = [node for node in items if topics.changed(node)]
    if question.wants and not changed:
        near = topics.of_kind([*topics.below(topics.wholes, live=False), *topics.below(items, live=False)])
        near += topics.of_kind([other for node in items for other in topics.beside(node)])
        recent = [topics.graph[id] for id in topics.focus if id in topics.graph]
        if not items and not topics.wholes:
            here = topics.of_kind(topics.below([topics.whole] if topics.whole else []))
            latest = [node for node in topics.of_kind(recent) if topics.changed(node) and node in here]
            near += latest[:1] or here
        moved = [node for node in near if topics.changed(node)]
        if moved:
            return _one_of_each(topics, moved)
        if near:
            return []
    if changed:
        best = max(len(topics.hits[node.id]) for node in changed)
        return _one_of_each(topics, [node for node in changed if len(topics.hits[node.id]) == best])
    if items:
        return _one_of_each(topics, items)
    if not topics.wholes and not question.lists:
        recent = [topics.graph[id] for id in topics.focus if id in topics.graph]
        moved = [node for node in recent if topics.changed(node)]
        if moved and (
            not topics.unknown or question.own or question.between or question.first or question.before
        ):
            return moved[:1]
    return []


def _one_of_each(topics: Topics, nodes: Sequence[Node]) -> list[Node]:
    """Without nodes whose past another one's line already has."""
    kept: list[Node] = []
    for node in sorted(nodes, key=lambda node: (not node.live, -len(topics.line(node)))):
        held = {span.node.id for other in kept for span in topics.line(other)}
        if node.id not in held:
            kept.append(node)
    return kept


def _recall(namer: Namer, topics: Topics, node: Node, out: Told) -> None:
    question = topics.question
    line = topics.line(node)
    words = namer.words(node)
    gone = line[-1].last is not None
    if question.most:
        figures = [(number, span) for span in line if (number := _number(span.value)) is not None]
        if figures:
            _, span = min(figures, key=lambda f: f[0]) if question.least else max(figures, key=lambda f: f[0])
            out.add(
                namer.phrases.say("most", value=span.value, most=question.most, turn=span.first, **words),
                node,
                needed=[span.value],
            )
            return
    if question.when:
        _events(namer, node, line, out)
        return
    if len({(span.slot, span.value) for span in line}) == 1 and not gone:
        if question.first or question.before or question.between or question.all_past:
            text = line[0].value or namer.label(node)
            if node.value:
                out.add(
                    namer.phrases.say("only_ever", value=text, turn=line[0].first, **words),
                    node,
                    needed=[text],
                )
            else:
                out.add(
                    namer.phrases.say("was_added", name=namer.label(node), turn=line[0].first),
                    node,
                    needed=[node.slot],
                )
        return
    if question.between and len(line) > 2:
        middle = _between(topics, line)
        if middle:
            old = join([span.text for span in middle], namer.phrases)
            out.add(
                namer.phrases.say("between", old=old, new=_now(line), **words),
                node,
                needed=[span.text for span in middle],
            )
            return
    if question.first and not question.all_past:
        if gone:
            out.add(
                namer.phrases.say(
                    "at_first_gone", old=line[0].text, turn=line[-1].last, **_slot(namer, node, line)
                ),
                node,
                needed=[line[0].text],
            )
        elif line[0].slot != node.slot or not node.value:
            new = line[1]
            out.add(
                namer.phrases.say(
                    "before", new=_label(new, line[0]), old=_label(line[0], new), turn=line[0].last
                ),
                node,
                needed=[line[0].text],
            )
        else:
            out.add(
                namer.phrases.say("at_first", old=line[0].text, new=_now(line), **words),
                node,
                needed=[line[0].text],
            )
        return
    if question.before and not question.all_past:
        place = next(
            (p for p in range(len(line) - 1, 0, -1) if topics.fits(line[p])),
            len(line) - 1 if len(line) > 1 else 0,
        )
        if place:
            new, old = line[place], line[place - 1]
            out.add(
                namer.phrases.say("before", new=_label(new, old), old=_label(old, new), turn=old.last),
                node,
                needed=[old.text],
            )
            return
    everything(namer, node, line, out)


def everything(namer: Namer, node: Node, line: Sequence[Span], out: Told) -> None:
    """All that stood in a place, with the turns."""
    phrases = namer.phrases
    if len(line) == 1 and line[0].last is not None:
        name = namer.label(node, slot=line[0].slot, value=line[0].value)
        out.add(phrases.say("was_removed", name=name, turn=line[0].last), node)
        return
    pieces = []
    for span in line:
        value = span.value if span.slot == line[-1].slot and span.value else beside(span.slot, span.value)
        if span.last is None:
            pieces.append(phrases.span_now.format(value=value, first=span.first))
        else:
            pieces.append(phrases.span.format(value=value, first=span.first, last=span.last))
    if line[-1].last is not None:
        pieces.append(phrases.span_gone.format(first=line[-1].last))
    name = node.slot if node.value else line[-1].slot
    out.add(
        phrases.say("spans", name=name, items=", ".join(pieces)),
        node,
        needed=list(dict.fromkeys(span.text for span in line)),
    )


def _slot(namer: Namer, node: Node, line: Sequence[Span]) -> dict[str, str]:
    return namer.words(node, slot=line[0].slot)


def _now(line: Sequence[Span]) -> str:
    return _label(line[-1], line[0])


def _label(span: Span, other: Span) -> str:
    """What tells a span from another one: the value where the slot is the same."""
    return span.value if span.value and span.slot == other.slot else span.slot


def _between(topics: Topics, line: Sequence[Span]) -> list[Span]:
    """Spans between two that are named, or between the first and the last."""
    named = [place for place, span in enumerate(line) if topics.fits(span)]
    if len(named) >= 2 and named[-1] - named[0] > 1:
        return [*line[named[0] + 1 : named[-1]]]
    ends = (line[0].text, line[-1].text)
    inner = [span for span in line[1:-1] if span.text not in ends]
    return inner or [*line[1:-1]]


def _returned(span: Span, line: Sequence[Span]) -> bool:
    """Whether it stands again."""
    return line[-1].last is None and (span.slot, span.value) == (line[-1].slot, line[-1].value)


def _number(text: str) -> float | None:
    found = re.search(r"\d+(?:[.,]\d+)*", text)
    if found is None:
        return None
    digits = found.group()
    digits = re.sub(r"[.,](?=\d{3}\b)", "", digits).replace(",", ".")
    try:
        return float(digits)
    except ValueError:
        return None


def _several(topics: Topics, node: Node) -> bool:
    """Whether others stand beside a node under the same slot, as guests do."""
    return any(fold(other.slot) == fold(node.slot) for other in topics.beside(node))


def _at_the_start(namer: Namer, topics: Topics, node: Node, out: Told) -> bool:
    """What a task held right after the turn that filled it; of a part that is one of several: all of these."""
    whole, slot = node, ""
    if node.parents and not namer.parts(node):
        whole, slot = topics.graph[node.parents[0]], fold(node.slot)
    firsts = [c.history[0] for c in topics.graph.children(whole.id) if c.slot not in (NOTE, GROUP)]
    firsts = [first for first in firsts if not slot or fold(first.slot) == slot]
    if not firsts:
        return False
    turn = min(first.turn for first in firsts)
    texts = [
        first.value if slot and first.value else beside(first.slot, first.value)
        for first in firsts
        if first.turn == turn
    ]
    out.add(namer.phrases.say("listed_then", turn=turn, items=join(texts, namer.phrases)), whole)
    out.needed += [first.value or first.slot for first in firsts if first.turn == turn]
    return True


def _all_events(namer: Namer, topics: Topics, out: Told) -> bool:
    """All that was removed, or changed, in the order in which it was."""
    question = topics.question
    told: list[tuple[int, str, Node]] = []
    for node in topics.graph:
        if node.slot in (NOTE, GROUP) or (
            topics.wholes and not topics.ever_above(node) & {w.id for w in topics.wholes}
        ):
            continue
        line = values(node)
        if question.removes and line and not node.live:
            turn = node.deleted.turn
            told.append((turn, namer.phrases.say("was_removed", name=namer.label(node), turn=turn), node))
        if not question.removes or question.changes:
            lines = Told()
            for old, new in itertools.pairwise(line):
                _change(namer, node, old, new, lines)
                told.append((new.first, lines.lines[-1], node))
    told.sort(key=lambda one: one[0])
    for _, text, node in told[-_MOST_EVENTS:]:
        out.add(text, node)
    if not told:
        out.add(namer.phrases.say("none_removed" if question.removes else "none_changed"))
    return True


def _events(namer: Namer, node: Node, line: Sequence[Span], out: Told) -> None:
    """When a node changed."""
    for old, new in itertools.pairwise(line):
        _change(namer, node, old, new, out)
    if line[-1].last is not None:
        ending_turn = line[-1].last
        out.add(
            namer.phrases.say("was_removed", name=line[-1].text, turn=ending_turn),
            node,
            needed=[str(ending_turn)],
        )
    elif node.status is Status.DONE:
        turn = node.history[-1].turn
        out.add(namer.phrases.say("was_done", name=namer.label(node), turn=turn), node, needed=[str(turn)])
    elif len(line) == 1:
        turn = line[0].first
        out.add(namer.phrases.say("was_added", name=namer.label(node), turn=turn), node, needed=[str(turn)])


def _change(namer: Namer, node: Node, old: Span, new: Span, out: Told) -> None:
    """That one thing took the place of another."""
    if old.slot == new.slot and new.value and old.value:
        words = namer.words(node)
        text = namer.phrases.say("was_changed", old=old.value, new=new.value, turn=new.first, **words)
    else:
        text = namer.phrases.say("was_replaced", name=_label(old, new), new=_label(new, old), turn=new.first)
    out.add(text, node, needed=[str(new.first)])


def ending(
    namer: Namer, topics: Topics, node: Node, out: Told, words: Sequence[str] | None = None
) -> int | None:
    """How what the words name ended: replaced, changed, or removed; the turn.

    Args:
        namer: how nodes are spoken of.
        topics: the question.
        node: one that it names.
        out: where the sentence goes.
        words: those that a former slot or value must have; None: those of the question.
    """
    line = topics.line(node)
    wanted = topics.words if words is None else words
    past = [span for span in line if span.last is not None]
    named = [
        span
        for span in past
        if within(wanted, [*content(span.value), *content(span.slot)]) and not _returned(span, line)
    ]
    fitting = [span for span in named if topics.fits(span, wanted)] or named
    if not fitting:
        return None
    span = fitting[-1]
    after = next((other for other in line if other.first == span.last), None)
    if after is None:
        out.add(
            namer.phrases.say(
                "was_removed", name=namer.label(span.node, slot=span.slot, value=span.value), turn=span.last
            ),
            node,
        )
    else:
        new = _label(after, span)
        name = _label(span, after)
        out.add(
            namer.phrases.say("was_replaced", name=name, new=new, turn=span.last),
            node,
            after.node,
            needed=[new],
        )
    return span.last


def why(namer: Namer, topics: Topics, out: Told) -> bool:
    """Why something is so, is gone, or became so: what the user said in that turn."""
    question = topics.question
    items = topics.items
    if not items:
        if topics.wholes and not topics.unknown:
            whole = topics.wholes[0]
            because(namer, whole, whole.history[0].turn, out)
            return True
        recent = [topics.graph[id] for id in topics.focus if id in topics.graph]
        if not recent or topics.unknown or not (question.changes or question.removes):
            return False
        items = recent[:1]
    for node in items[:2]:
        turn = ending(namer, topics, node, out)
        if turn is None:
            if question.removes:
                out.add(
                    namer.phrases.say("not_removed", name=namer.label(node)),
                    node,
                    needed=[node.value or node.slot],
                )
                continue
            line = topics.line(node)
            if question.changes and len(line) == 1:
                out.add(namer.phrases.say("not_changed", name=namer.label(node), turn=line[0].first), node)
                continue
            out.add(
                namer.phrases.say("was_added", name=namer.label(node), turn=line[-1].first),
                node,
            )
            turn = line[-1].first
        because(namer, node, turn, out)
    return bool(out.lines)


def because(namer: Namer, node: Node, turn: int, out: Told) -> None:
    """What the user said in that turn, joined to the last sentence so that it is told as past."""
    said = said_in(node, turn) or next(
        (r.why for other in namer.graph for r in other.history if r.turn == turn), ""
    )
    if not said:
        return
    text = said if len(said) <= _MOST_SAID else said[:_MOST_SAID].rsplit(" ", 1)[0] + " …"
    quote = namer.phrases.said.format(text=text)
    if not out.lines:
        out.add(namer.phrases.say("was_added", name=namer.label(node), turn=turn), node)
    end = "" if text[-1] in ".!?…" else "."
    out.lines[-1] = f"{out.lines[-1].rstrip('.')}; {quote}{end}"
    out.needed.append(str(turn))
