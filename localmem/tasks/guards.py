"""What the model wrote, held against the words: a line that these do not bear is dropped, with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from localmem.tasks.context import SURE, Context, Part, kind_of
from localmem.tasks.cues import Cue, find, folded, has, pattern
from localmem.tasks.mentions import content, within
from localmem.tasks.moods import forbids_removal
from localmem.tasks.reading import Mood
from localmem.tasks.trim import BY_CODE, Line, Verb
from localmem.tasks.values import Node, fold
from localmem.values import Dropped


@dataclass(frozen=True, slots=True)
class Guarded:
    """What passed, and what did not."""

    lines: tuple[Line, ...]
    dropped: tuple[Dropped, ...]


def guard(lines: Sequence[Line], context: Context) -> Guarded:
    """Drop what the words do not bear.

    Args:
        lines: as the model wrote them.
        context: of the turn.
    """
    if Part.GUARDS in context.ablate:
        return Guarded(tuple(lines), ())
    kept: list[Line] = []
    dropped: list[Dropped] = []
    texts: set[str] = set()
    values: set[str] = set()
    changed: set[int] = set()
    for line in lines:
        passed, reasons = _checked(line, context)
        dropped += [Dropped(line.written, reason) for reason in reasons]
        if passed is None:
            continue
        if passed.verb is Verb.CHANGE:
            fresh = tuple(id for id in passed.ids if id not in changed)
            spent = folded(passed.text) in values and not context.cues & {Cue.ALL, Cue.ALSO, Cue.REST}
            if not fresh or spent:
                dropped.append(Dropped(line.written, "the node, or the text, was used already in this turn"))
                continue
            changed.update(fresh)
            values.add(folded(passed.text))
            passed = replace(passed, ids=fresh)
        if passed.verb is Verb.PART and _foreign_slot(passed, context):
            dropped.append(Dropped(line.written, f"nothing was said about {passed.slot}"))
            continue
        if passed.verb in (Verb.PART, Verb.CHANGE) and _only_says_what_to_do(passed, context):
            dropped.append(Dropped(line.written, "the words only say what to do"))
            continue
        if passed.verb in (Verb.PART, Verb.NEW):
            key = f"{passed.ids} {folded(passed.slot)} = {folded(passed.text)}"
            if key in texts:
                dropped.append(Dropped(line.written, "it was written twice"))
                continue
            texts.add(key)
        kept.append(passed)
    return Guarded(tuple(kept), tuple(dropped))


def _foreign_slot(line: Line, context: Context) -> bool:
    """Whether a part takes the slot of one that stands beside it, although no word names that."""
    if not line.text or line.within or within(content(line.slot), content(context.told)):
        return False
    beside = [n for id in line.ids if id in context.graph for n in context.graph.children(id) if n.live]
    same = [node for node in beside if fold(node.slot) == fold(line.slot)]
    if len(same) != 1:
        return False
    return kind_of(same[0].value) == "text" or kind_of(same[0].value) != kind_of(line.text)


def _only_says_what_to_do(line: Line, context: Context) -> bool:
    """Whether a text of the line has no word but those of an order: "leave out", "stay"."""
    text = folded(line.text or line.slot)
    if kind_of(text) != "text" or line.written == BY_CODE:
        return False
    language = context.reading.language
    for cue in (Cue.DELETE, Cue.RESTORE, Cue.ALSO, Cue.BACK, Cue.SPLIT, Cue.ALL, Cue.SWAP):
        if cue in context.cues:
            text = pattern(language, cue).sub(" ", text)
    return not content(text)


def bears(verb: Verb, node: Node, context: Context) -> bool:
    """Whether the words allow that a line of this kind names the node; of a change, with some text."""
    return Part.GUARDS in context.ablate or not _refusal(Line(verb, ""), node, context)


def _checked(line: Line, context: Context) -> tuple[Line | None, list[str]]:
    if line.verb in (Verb.NONE, Verb.NEW, Verb.PART):
        return line, []
    if line.within:
        return _checked_whole(line, context)
    if line.verb is Verb.GROUP:
        return line, []
    targets = line.ids[:-1] if line.verb is Verb.LINK else line.ids
    reasons = []
    good = []
    for id in targets:
        reason = _refusal(line, context.graph[id], context)
        if reason:
            reasons.append(reason)
        else:
            good.append(id)
    if not good:
        return None, reasons
    ids = (*good, line.ids[-1]) if line.verb is Verb.LINK else tuple(good)
    return replace(line, ids=ids), reasons


def _checked_whole(line: Line, context: Context) -> tuple[Line | None, list[str]]:
    if context.cues & {Cue.ALL, Cue.REST, Cue.ONLY}:
        return line, []
    return None, ["no word such as all or everything was said"]


def _refusal(line: Line, node: Node, context: Context) -> str:
    """Why the line may not touch the node; empty if it may."""
    touched = node.id in context.touched
    pointed = _pointed(node, context)
    name = node.value or node.slot
    match line.verb:
        case Verb.DELETE | Verb.DONE | Verb.RESTORE | Verb.KEEP | Verb.LINK | Verb.GROUP:
            if not touched and not pointed and not _by_set_word(node, context):
                return f"the words touch no node named {name}"
            if line.verb is Verb.DELETE and _is_to_stay(node, context):
                return f"the words say that {name} is not to be removed"
            if line.verb is Verb.DELETE and _is_constraint(node, context):
                return f"that {name} cannot is a condition, not a removal"
            if touched and not context.touched[node.id].own and _better(node, context):
                return f"the words fit another node better than {name}"
        case Verb.CHANGE:
            return _no_change(line.text, node, context, touched=touched, pointed=pointed)
        case Verb.BACK:
            if touched or pointed or _by_former(node, context):
                return ""
            if not any(mention.own for mention in context.mentions) and node.id in context.focus[:3]:
                return ""
            return f"the words touch no node named {name}"
        case Verb.NOTE:
            if not touched and not pointed:
                return f"the words touch no node named {name}"
    return ""


def _no_change(text: str, node: Node, context: Context, *, touched: bool, pointed: bool) -> str:
    name = node.value or node.slot
    if text and folded(text) in (folded(node.slot), folded(node.value)):
        return f"{node.label} says that already"
    had = kind_of(node.value) if node.value else ""
    if (
        text
        and had in ("text", "number")
        and kind_of(text) in ("time", "date")
        and fold(node.slot) not in context.told_slots
    ):
        return f"a {kind_of(text)} is no value for {name}"
    if (
        text
        and had in ("time", "date")
        and kind_of(text) != had
        and not (touched and kind_of(text) == "number")
    ):
        return f"{text} is no {had}"
    if touched and (context.touched[node.id].own or not _better(node, context)):
        names_task = (
            not node.parents
            and not context.cues & {Cue.SWAP}
            and "nam" not in folded(context.told)
            and "call" not in folded(context.told)
        )
        return f"{name} is the task itself" if names_task else ""
    kinds = context.kinds
    if not node.parents:
        return f"{name} is the task itself"
    if _better_aim(node, context):
        return f"the words name another node than {name}"
    if had in kinds and had != "text":
        return ""
    if pointed and (had in kinds or not kinds - {"text"} or not had):
        return ""
    if context.cues & {Cue.ALL} and had in kinds:
        return ""
    return f"the words touch no node named {name}"


def _better_aim(node: Node, context: Context) -> bool:
    """Whether the words name a node that the change may be for, so that a value's kind alone is not enough."""
    for mention in context.mentions:
        other = mention.node
        if not other.live or not mention.own or other.id == node.id:
            continue
        if not other.parents:
            if context.root_of(node) not in (None, other) and node.id not in context.below([other.id]):
                return True
        elif mention.slot >= SURE and other.value and kind_of(other.value) == kind_of(node.value):
            return True
    return False


def _pointed(node: Node, context: Context) -> bool:
    """Whether a pronoun may mean the node."""
    if Cue.POINT not in context.cues or node.id not in context.below(context.focus[:6]) | {
        id for focus in context.focus[:6] if focus in context.graph for id in context.graph[focus].parents
    }:
        return False
    return not any(mention.own and mention.score >= 0.5 for mention in context.mentions)


def _by_set_word(node: Node, context: Context) -> bool:
    return bool(context.cues & {Cue.ALL, Cue.REST})


def _by_former(node: Node, context: Context) -> bool:
    told = content(context.told)
    return any(within(content(past.value or past.slot), told) for past in node.history)


def _better(node: Node, context: Context) -> bool:
    """Whether a node beside this one is named by more words."""
    mine = context.touched[node.id]
    return any(
        other.node.id != node.id and other.words > mine.words and set(other.node.parents) & set(node.parents)
        for other in context.mentions
    )


def _is_to_stay(node: Node, context: Context) -> bool:
    """Whether all clauses that name the node forbid a removal."""
    told = [c.text for c in context.reading.of(Mood.TELL) if within(content(node.label), content(c.text))]
    return bool(told) and all(map(forbids_removal, told))


def _is_constraint(node: Node, context: Context) -> bool:
    """Whether the only clauses that name the node say that somebody cannot."""
    if Cue.SWAP in context.cues:
        return False
    naming = [
        clause
        for clause in context.reading.of(Mood.TELL)
        if within(content(node.label), content(clause.text))
    ]
    return bool(naming) and all(
        Cue.ABSENT in clause.cues and not _says_delete(clause.text, context.reading.language)
        for clause in naming
    )


def says_delete(context: Context) -> bool:
    """Whether what is told asks for a removal, beyond saying that something is not to be had."""
    return any(
        _says_delete(clause.text, context.reading.language) for clause in context.reading.of(Mood.TELL)
    )


def _says_delete(text: str, language: str) -> bool:
    """Whether a clause asks for a removal, beyond saying that somebody cannot."""
    match = find(Cue.DELETE, text, language)
    if match is None:
        return False
    absent = find(Cue.ABSENT, text, language)
    return (
        absent is None
        or not (absent.start() <= match.start() < absent.end())
        or has(Cue.ONLY, text, language)
    )
