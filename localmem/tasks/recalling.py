"""Answers about the past: what it was at first, before and in between."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.events import all_events, events
from localmem.tasks.naming import Namer, beside, join
from localmem.tasks.past import Span, label
from localmem.tasks.signs import Sign
from localmem.tasks.telling import Told
from localmem.tasks.topics import Topics
from localmem.tasks.values import Node, fold


def past(namer: Namer, topics: Topics, out: Told) -> bool:
    """What something was; whether the histories hold it."""
    question = topics.question
    if (
        not topics.items
        and not topics.unknown
        and question.open
        and (question.has(Sign.REMOVES) or question.has(Sign.CHANGES))
        and not question.has(Sign.WHEN)
    ):
        return all_events(namer, topics, out)
    nodes = _about(topics)
    if nodes and question.has(Sign.FIRST) and not question.has(Sign.ALL_PAST) and _several(topics, nodes[0]):
        return _at_the_start(namer, topics, nodes[0], out)
    if not nodes:
        if (
            question.has(Sign.FIRST)
            and topics.whole is not None
            and (topics.wholes or question.has(Sign.LISTS))
        ):
            return _at_the_start(namer, topics, topics.whole, out)
        return False
    out.wordable = True
    for node in nodes[:3]:
        recall(namer, topics, node, out)
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
        if not items and not topics.wholes and question.vague(topics.unknown):
            here = topics.of_kind(topics.below([topics.whole] if topics.whole else []))
            latest = [node for node in topics.of_kind(recent) if topics.changed(node) and node in here]
            near += latest[:1] or here
        moved = [node for node in near if topics.changed(node) and node.slot != GROUP]
        if moved:
            return _one_of_each(topics, moved)
        if near:
            return []
    if changed:
        best = max(len(topics.hits[node.id]) for node in changed)
        return _one_of_each(topics, [node for node in changed if len(topics.hits[node.id]) == best])
    if items:
        return _one_of_each(topics, items)
    if not topics.wholes and not question.has(Sign.LISTS):
        recent = [topics.graph[id] for id in topics.focus if id in topics.graph]
        moved = [node for node in recent if topics.changed(node)]
        if moved and not topics.unknown:
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


def recall(namer: Namer, topics: Topics, node: Node, out: Told) -> None:
    """What one node was, as the question wants it: at first, before, in between, or all of it."""
    question = topics.question
    line = topics.line(node)
    words = namer.words(node)
    gone = line[-1].last is not None
    if question.most:
        figures = [(number, span) for span in line if (number := _number(span.value)) is not None]
        if figures:
            _, span = (
                min(figures, key=lambda f: f[0])
                if question.has(Sign.LEAST)
                else max(figures, key=lambda f: f[0])
            )
            out.add(
                namer.phrases.say("most", value=span.value, most=question.most, turn=span.first, **words),
                node,
                needed=[span.value],
            )
            return
    if question.has(Sign.WHEN):
        events(namer, node, line, out)
        return
    if len({(span.slot, span.value) for span in line}) == 1 and not gone:
        if (
            question.has(Sign.FIRST)
            or question.has(Sign.BEFORE)
            or question.has(Sign.BETWEEN)
            or question.has(Sign.ALL_PAST)
        ):
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
    if question.has(Sign.BETWEEN) and len(line) > 2:
        middle = _between(topics, line)
        if middle:
            old = join([span.text for span in middle], namer.phrases)
            out.add(
                namer.phrases.say("between", old=old, new=_now(line), **words),
                node,
                needed=[span.text for span in middle],
            )
            return
    returned = not gone and label(line[0], line[-1]) == label(line[-1], line[0])
    if question.has(Sign.FIRST) and not question.has(Sign.ALL_PAST) and not returned:
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
                    "before", new=label(new, line[0]), old=label(line[0], new), turn=line[0].last
                ),
                node,
                needed=[label(line[0], new)],
            )
        else:
            out.add(
                namer.phrases.say("at_first", old=line[0].text, new=_now(line), **words),
                node,
                needed=[line[0].text],
            )
        return
    if question.has(Sign.BEFORE) and not question.has(Sign.ALL_PAST):
        place = next(
            (p for p in range(len(line) - 1, 0, -1) if topics.fits(line[p])),
            len(line) - 1 if len(line) > 1 else 0,
        )
        if place:
            after, before = line[place], line[place - 1]
            was = label(before, after)
            text = namer.phrases.say("before", new=label(after, before), old=was, turn=before.last)
            out.add(text, node, needed=[was])
            return
    out.wordable = False
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
    return label(line[-1], line[0])


def _between(topics: Topics, line: Sequence[Span]) -> list[Span]:
    """Spans between two that are named, or between the first and the last."""
    named = [place for place, span in enumerate(line) if topics.fits(span)]
    if len(named) >= 2 and named[-1] - named[0] > 1:
        return [*line[named[0] + 1 : named[-1]]]
    ends = (line[0].text, line[-1].text)
    inner = [span for span in line[1:-1] if span.text not in ends]
    return inner or [*line[1:-1]]


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
