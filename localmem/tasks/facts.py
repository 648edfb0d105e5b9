"""What a reply must say, by code: from what changed, and from the graph and its histories."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from localmem.tasks.asking import answer
from localmem.tasks.context import NOTE
from localmem.tasks.courtesy import courtesy
from localmem.tasks.cues import Cue, has
from localmem.tasks.graph import TaskGraph
from localmem.tasks.mentions import content, mentions, within
from localmem.tasks.naming import Namer
from localmem.tasks.phrases import phrases
from localmem.tasks.question import Question, question
from localmem.tasks.reading import Mood, Reading
from localmem.tasks.signs import Sign
from localmem.tasks.telling import Told, told
from localmem.tasks.values import Change, Op, Operation, fold


@dataclass(frozen=True, slots=True)
class Situation:
    """One turn, after it was carried out."""

    before: TaskGraph
    after: TaskGraph
    reading: Reading
    changes: tuple[Change, ...]
    operations: tuple[Operation, ...]
    """With those that only ask."""
    focus: tuple[int, ...]
    """Nodes spoken of last, the latest first."""
    turn: int


@dataclass(frozen=True, slots=True)
class Facts:
    """What a reply rests on."""

    lines: tuple[str, ...]
    """Short sentences in the user's language that say all of it, true by construction."""
    needed: tuple[str, ...] = ()
    """Values and names that a reply must have."""
    about: tuple[int, ...] = ()
    """Ids of the nodes that they are about."""
    found: bool = True
    """False: something is asked that the tasks do not hold."""
    courteous: bool = False
    """Nothing was told or asked: the lines are a courtesy."""
    changed: bool = False
    """They tell changes of this turn."""
    asked: str = ""
    """The question, if a model may word its answer; else the lines are told as they are."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Slots and values that the lines are about, past ones too: no value may be said of another slot."""
    current: tuple[str, ...] = ()
    """Slots and values in the lines that stand."""
    former: tuple[str, ...] = ()
    """Values in the lines that stand no more."""

    @property
    def text(self) -> str:
        """The lines as one text; items of a list on lines of their own."""
        return joined(self.lines)


def joined(lines: Sequence[str]) -> str:
    """Sentences behind each other, items of a list on lines of their own."""
    text = ""
    for line in lines:
        mark = "\n" if line.startswith("- ") or (text and text.rsplit("\n", 1)[-1].startswith("- ")) else " "
        text = f"{text}{mark}{line}" if text else line
    return text


def facts(situation: Situation) -> Facts:
    """What the reply to a turn must say."""
    reading = situation.reading
    namer = Namer(situation.after, phrases(reading.language))
    out = told(namer, situation.before, situation.changes, reading.cues)
    changed = tuple(dict.fromkeys(change.after.id for change in situation.changes))
    asked = question(reading, all=not situation.changes)
    reasons = _reasons(reading)
    found, wordable = True, False
    changes = bool(situation.changes)
    wants_answer = asked is not None or any(operation.op is Op.QUERY for operation in situation.operations)
    if asked is not None:
        supposes = (not reading.of(Mood.ASK) and not asked.claims) or asked.has(Sign.SUPPOSES)
        focus = tuple(dict.fromkeys([*out.about, *changed, *situation.focus]))
        answered, found = answer(namer, asked, focus, supposes=supposes)
        if reasons is not None and not supposes:
            answered, found = _both(namer, reasons, focus, answered, found)
        if found and not supposes and not changes and _strange(reading, situation.after):
            answered, found = Told(), False
        if found or not out.lines:
            for line in answered.lines:
                out.add(line)
            out.needed += [word for word in answered.needed if word not in out.needed]
            out.about += [id for id in answered.about if id not in out.about]
            wordable = answered.wordable and asked.open and not supposes and not changes
        if out.lines and not found:
            found = True
    if not out.lines and found and (wants_answer or reading.of(Mood.TELL)):
        _standing(namer, situation, out)
    if not out.lines and found:
        return Facts((courtesy(reading, namer.phrases),), courteous=True)
    return Facts(
        tuple(out.lines),
        tuple(out.needed),
        tuple(out.about),
        found,
        changed=changes,
        asked=_asked(reading) if wordable else "",
        pairs=_pairs(situation.after, out.about),
        current=_current(situation.after, out.about, joined(out.lines)),
        former=_former(situation.after, joined(out.lines)),
    )


_ASKED_ANYHOW = frozenset(
    """show tell say said give list know happen happened go going come coming want wanted pick picked choose chose chosen plan planned set
    book booked buy bought bring bringing take taking start begin end name called named current currently right now exactly still left open
    done finished thing things item items many much often last latest first before between originally change changed replace replaced
    remove removed drop dropped add added move moved session sessions meeting part parts complete full whole summary recap status double check""".split()
)


def _strange(reading: Reading, graph: TaskGraph) -> bool:
    """Whether a plain question is about something that no word of the tasks, of their past, or of what was said names.

    "When does Ana fly home?" is not answered by the day of a dinner that Ana comes to.
    """
    clauses = reading.of(Mood.ASK)
    if (
        len(clauses) != 1
        or reading.language != "en"
        or clauses[0].cues & {Cue.LIST, Cue.EVER, Cue.WHY, Cue.ALL}
    ):
        return False
    if re.match(r"^\W*(when|where|who|what|which|how)\b", clauses[0].text.casefold()) is None:
        return False
    known = {
        word
        for node in graph
        for past in node.history
        for word in content(f"{past.slot} {past.value} {past.why}")
    }
    asked = content(clauses[0].text)
    strange = [word for word in asked if word not in _ASKED_ANYHOW and not within([word], known)]
    return len(strange) >= 2 and 2 * len(strange) > len(asked)


_AND_WHY = re.compile(r"[,;]?\s+(?:and|und|y)\s+(?=(?:why|warum|wieso|weshalb|por qué)\b)", re.IGNORECASE)


def _reasons(reading: Reading) -> tuple[Question, Question] | None:
    """Two questions where one asks for something "and why" for a reason; None: it is one."""
    parts = [(clause, _AND_WHY.split(clause.text)) for clause in reading.of(Mood.ASK)]
    pieces = [replace(clause, text=text) for clause, texts in parts for text in texts]
    if not any(len(texts) > 1 for _, texts in parts):
        return None
    why = [piece for piece in pieces if has(Cue.WHY, piece.text, reading.language)]
    rest = [piece for piece in pieces if piece not in why]
    first, second = question(reading.only(rest)), question(reading.only(why))
    return (first, second) if first is not None and second is not None else None


def _both(
    namer: Namer, questions: tuple[Question, Question], focus: tuple[int, ...], whole: Told, found: bool
) -> tuple[Told, bool]:
    """The answers to two questions, if the tasks hold both; else that to the whole."""
    out = Told()
    for one in questions:
        told, there = answer(namer, one, tuple(dict.fromkeys([*out.about, *focus])), supposes=False)
        if not there:
            return whole, found
        out.add(told.lines)
        out.needed += [word for word in told.needed if word not in out.needed]
        out.about += [id for id in told.about if id not in out.about]
    return out, True


def _asked(reading: Reading) -> str:
    """What was asked, without what was only supposed or told."""
    return " ".join(clause.text for clause in reading.of(Mood.ASK))


def _pairs(graph: TaskGraph, about: Sequence[int]) -> tuple[tuple[str, str], ...]:
    pairs = [(past.slot, past.value) for id in about for past in graph[id].history if past.value]
    return tuple(dict.fromkeys(pairs))


def _current(graph: TaskGraph, about: Sequence[int], text: str) -> tuple[str, ...]:
    parts = [part for id in about if graph[id].live for part in (graph[id].slot, graph[id].value)]
    return tuple(dict.fromkeys(part for part in parts if part and fold(part) in fold(text)))


def _former(graph: TaskGraph, text: str) -> tuple[str, ...]:
    """Slots and values in a text that no live node has any more."""
    live = {fold(part) for node in graph if node.live for part in (node.slot, node.value)}
    past = {part for node in graph for r in node.history for part in (r.slot, r.value) if part}
    flat = fold(text)
    return tuple(
        sorted(part for part in past if fold(part) not in live and fold(part) and fold(part) in flat)
    )


def _standing(namer: Namer, situation: Situation, out: Told) -> None:
    """What was told and changed nothing, since it stands so already."""
    reading = situation.reading
    found = [m for m in mentions(situation.after, reading.told) if m.own or m.score >= 0.5]
    parts = [m.node for m in found if m.node.parents and m.node.slot != NOTE]
    spoken = content(reading.told)
    touched = {word for m in found for word in m.words}
    if not parts or 2 * len(within(spoken, touched)) < len(spoken):
        return
    above = situation.after[parts[0].parents[0]]
    if above.live and reading.cues & {Cue.ONLY, Cue.ALL, Cue.LIST}:
        out.add(namer.overview(above), above, needed=[n.value or n.slot for n in namer.parts(above)])
    else:
        out.add(namer.phrases.say("same", items=namer.listing(parts[:4])), *parts[:4])
