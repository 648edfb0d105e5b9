"""What happened, and in which turn: replaced, changed, removed, done; and what the user said then."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from localmem.tasks.context import GROUP, NOTE
from localmem.tasks.mentions import content, within
from localmem.tasks.naming import Namer
from localmem.tasks.past import Span, label, said_in, values
from localmem.tasks.phrases import Phrases
from localmem.tasks.signs import Sign, Want
from localmem.tasks.telling import Told
from localmem.tasks.topics import Topics, is_kind
from localmem.tasks.values import Node, Status

_MOST_EVENTS = 8
_MOST_SAID = 110
"""Characters of what the user said that a reply repeats."""


def _returned(span: Span, line: Sequence[Span]) -> bool:
    """Whether it stands again."""
    return line[-1].last is None and (span.slot, span.value) == (line[-1].slot, line[-1].value)


def all_events(namer: Namer, topics: Topics, out: Told) -> bool:
    """All that was removed, or changed, in the order in which it was."""
    question = topics.question
    told: list[tuple[int, str, Node]] = []
    asked = question.wants & {Want.DATE, Want.TIME, Want.PLACE}
    kinds = {node.id for node in topics.graph if any(is_kind(node, want) for want in asked)}
    for node in topics.graph:
        if kinds and node.id not in kinds:
            continue  # "who changed the time?"
        if node.slot in (NOTE, GROUP) or (
            topics.wholes and not topics.ever_above(node) & {w.id for w in topics.wholes}
        ):
            continue
        line = values(node)
        if question.has(Sign.REMOVES) and line and not node.live:
            turn = node.deleted.turn
            told.append((turn, namer.phrases.say("was_removed", name=namer.label(node), turn=turn), node))
        if not question.has(Sign.REMOVES) or question.has(Sign.CHANGES):
            lines = Told()
            for old, new in itertools.pairwise(line):
                if label(old, new) == label(new, old):
                    continue  # it was gone in between
                _change(namer, node, old, new, lines)
                told.append((new.first, lines.lines[-1], node))
    told.sort(key=lambda one: one[0])
    for _, text, node in told[-_MOST_EVENTS:]:
        out.add(text, node)
    if not told:
        out.add(namer.phrases.say("none_removed" if question.has(Sign.REMOVES) else "none_changed"))
    return True


def events(namer: Namer, node: Node, line: Sequence[Span], out: Told) -> None:
    """When a node changed."""
    for old, new in itertools.pairwise(line):
        if label(old, new) == label(new, old):
            continue  # it was gone in between
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
    if old.slot == new.slot and not old.value:
        text = _first_value(namer, new)
    elif old.slot == new.slot and new.value and old.value:
        words = namer.words(node)
        text = namer.phrases.say("was_changed", old=old.value, new=new.value, turn=new.first, **words)
    else:
        text = namer.phrases.say("was_replaced", name=label(old, new), new=label(new, old), turn=new.first)
    out.add(text, node, needed=[str(new.first)])


def _first_value(namer: Namer, new: Span) -> str:
    """That something was said of what stood already, which replaced nothing."""
    name = namer.label(new.node, slot=new.slot, value=new.value)
    return namer.phrases.say("was_added", name=name, turn=new.first)


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
    elif after.slot == span.slot and not span.value:
        out.add(_first_value(namer, after), node, after.node, needed=[after.value])
    else:
        new = label(after, span)
        name = label(span, after)
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
    if not items and topics.wholes and (question.has(Sign.CHANGES) or question.has(Sign.REMOVES)):
        moved = [node for node in topics.below(topics.wholes) if topics.changed(node) and node.slot != GROUP]
        items = sorted(moved, key=lambda node: -topics.line(node)[-1].first)[:1]
    if not items and question.wants and (question.has(Sign.CHANGES) or question.has(Sign.REMOVES)):
        items = _of_kind(topics)  # "the time": whatever holds one
    if not items:
        if topics.wholes and not topics.unknown:
            whole = topics.wholes[0]
            because(namer, whole, whole.history[0].turn, out)
            return True
        recent = [topics.graph[id] for id in topics.focus if id in topics.graph]
        if not recent or topics.unknown or not (question.has(Sign.CHANGES) or question.has(Sign.REMOVES)):
            return False
        # What was spoken of last; of that, what changed, and what went only if that is asked.
        fitting = [node for node in recent if node.live or question.has(Sign.REMOVES)]
        items = sorted(fitting, key=lambda node: not topics.changed(node))[:1]
    for node in items[:2]:
        words = (
            None if topics.items else [word for span in topics.line(node)[:-1] for word in content(span.text)]
        )
        turn = ending(namer, topics, node, out, words)
        if turn is None:
            if question.has(Sign.REMOVES):
                out.add(
                    namer.phrases.say("not_removed", name=namer.label(node)),
                    node,
                    needed=[node.value or node.slot],
                )
                continue
            line = topics.line(node)
            if question.has(Sign.CHANGES) and len(line) == 1 and node.live:
                out.add(namer.phrases.say("not_changed", name=namer.label(node), turn=line[0].first), node)
                continue
            out.add(
                namer.phrases.say("was_added", name=namer.label(node), turn=line[-1].first),
                node,
            )
            turn = line[-1].first
        because(namer, node, turn, out)
    return bool(out.lines)


def _of_kind(topics: Topics) -> list[Node]:
    """What holds a value of the kind that is asked for: the one that changed last, or else the latest one."""
    wholes = topics.wholes or ([topics.whole] if topics.whole else [])
    found = topics.of_kind(topics.below(wholes))
    found.sort(key=lambda node: (not topics.changed(node), -topics.line(node)[-1].first))
    return found[:1]


def because(namer: Namer, node: Node, turn: int, out: Told) -> None:
    """What the user said in that turn, joined to the last sentence so that it is told as past."""
    said = said_in(node, turn) or next(
        (r.why for other in namer.graph for r in other.history if r.turn == turn), ""
    )
    if not said:
        return
    if not out.lines:
        out.add(namer.phrases.say("was_added", name=namer.label(node), turn=turn), node)
    out.lines[-1] = with_words(out.lines[-1], said, namer.phrases)
    out.needed.append(str(turn))


def with_words(line: str, said: str, phrases: Phrases) -> str:
    """A sentence about a turn with what the user said in it."""
    text = said if len(said) <= _MOST_SAID else said[:_MOST_SAID].rsplit(" ", 1)[0] + " …"
    end = "" if text[-1] in ".!?…" else "."
    return f"{line.rstrip('.')}; {phrases.said.format(text=text)}{end}"
