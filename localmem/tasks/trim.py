"""What a user turn asks of the tasks: the model writes lines under a grammar that is made for this very turn.

Nodes are an enumeration of names of those shown, and of those only that the words bear; texts are runs of words of the
turn itself; the kinds of lines are those that the words allow. So an unknown node, a value that nobody said, or a line
that cannot be read cannot come out.

    new: TASK            a task of its own; lines with + behind it are its parts
    in NODE:             parts of what stands there, one a line behind it
    + SLOT = TEXT        a part: "+ TEXT" for one without a value
    change NODE: TEXT    another value, or another name
    delete NODE, NODE    also "delete all in NODE"
    keep NODE, NODE      what is beside them goes
    restore NODE         what was removed
    back NODE            to what it was before, or at first
    link NODE to NODE    a part of another task too
    done NODE
    note NODE: TEXT      something that holds for it: who cannot, and when
    part TEXT: NODE      these stand together, apart from the others; also "the rest"
    none                 nothing of that

A name is easier for a small model to get right than a number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from localmem.llm import grammar as grammars
from localmem.tasks.graph import TaskGraph
from localmem.tasks.tables import words
from localmem.tasks.values import fold

MOST_WORDS = 160
"""Of a turn that the grammar knows as values; the rest of a longer one is not read."""
MOST_LINES = 24
BY_CODE = "(by code)"
"""What is written in a line that no model wrote."""
EMPTY = "(nothing yet)"
"""The state where nothing stands."""
REST = "the rest"
"""Those that are in no other group."""


NO_START = words(
    """
    a an the to is are was were be at on in of for with and or but by it its it's that this these those i i'm
    i've i'd i'll we we're we've you he she they them my our your his her their me us please actually sorry
    just also so then now wait ok okay oh hm hmm hey let's let do does did have has had can could will would
    should need want make take use put set add get about like via some any more than as not if too well all
    provide information info details no nope again quizás der die das den dem des ein eine einen einem einer
    und oder aber ist sind war im am zu zum zur bei mit ich wir du sie es mein meine unser unsere mir mich uns
    bitte doch auch noch nur mal dann jetzt ja el la los las un una unos unas y o pero son de del al en con
    por para yo nos mi mis lo le se que también ahora sí
    """
)
"""Words that no value begins with."""


SLOTS = {
    "en": "date time place person guest name color size price budget start end day room host song dish drink tool kind number".split(),
    "de": "Datum Uhrzeit Ort Person Gast Name Farbe Größe Preis Budget Beginn Ende Tag Raum Gericht Getränk Werkzeug Art Anzahl".split(),
    "es": "fecha hora lugar persona invitado nombre color talla precio presupuesto inicio fin día sala plato bebida herramienta tipo número".split(),
}
"""Slots that a part may have although nobody says them; any other is a run of the turn's own words."""


class Verb(StrEnum):
    """What a line begins with."""

    NEW = "new"
    PART = "+"
    CHANGE = "change"
    DELETE = "delete"
    KEEP = "keep"
    RESTORE = "restore"
    BACK = "back"
    LINK = "link"
    DONE = "done"
    NOTE = "note"
    GROUP = "part"
    NONE = "none"
    DELETE_ALL = "delete all in"
    DONE_ALL = "done all in"


WHOLE = {Verb.DELETE: Verb.DELETE_ALL, Verb.DONE: Verb.DONE_ALL}


@dataclass(frozen=True, slots=True)
class Line:
    """One line, read."""

    verb: Verb
    written: str
    ids: tuple[int, ...] = ()
    """The nodes; of a part the one that it belongs to (negative: a task that is new in this turn)."""
    within: bool = False
    """ "all in ID": the parts of the node are meant."""
    slot: str = ""
    text: str = ""


_TOKEN = re.compile(r"\S+")
_OPENING = "\"'“‘„«([{<¿¡*_-–—"
_CLOSING = "\"'”’“»)]}>.,;:!?…*_-–—"


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    gap: str
    """What stands between this word and the next."""


def _words(text: str) -> list[_Word]:
    found: list[tuple[str, str, str]] = []
    for match in _TOKEN.finditer(text):
        token = match.group()
        core = token.lstrip(_OPENING)
        before = token[: len(token) - len(core)]
        bare = core.rstrip(_CLOSING)
        if not bare:
            continue
        if re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", bare) and core.startswith(bare + "."):
            bare += "."  # "p.m."
        found.append((before, bare, core[len(bare) :]))
    words = []
    for place, (_, bare, after) in enumerate(found):
        following = found[place + 1][0] if place + 1 < len(found) else ""
        words.append(_Word(bare, f"{after} {following}"))
    return words[:MOST_WORDS]


@dataclass(frozen=True, slots=True)
class Frame:
    """What may be written about a turn."""

    told: str
    """The words that values are runs of."""
    shown: tuple[int, ...]
    """Nodes that the model reads."""
    names: Mapping[int, str]
    """Of the nodes shown, no two alike."""
    verbs: Mapping[Verb, tuple[int, ...]]
    """Kinds of lines, and the nodes that each may name; for `PART` those that may get parts."""
    slot: str = ""
    """The one slot that new parts may have: the turn's tag."""
    language: str = "en"
    slots: tuple[str, ...] = ()
    """Slots that several parts have already, as guests do: one more may have it."""
    forced: bool = False
    """Exactly one line comes, and a value for it is all that is open."""


def grammar(frame: Frame) -> str:
    """GBNF of what may be written about a turn."""
    words = _words(frame.told)
    rules = _span_rules(words) if words else []
    parts: list[str] = []

    def nodes(verb: Verb) -> str:
        name = f"n-{verb.name.lower().replace('_', '-')}"
        rules.append(f"{name} ::= {grammars.alternatives(frame.names[id] for id in frame.verbs[verb])}")
        return name

    def several(verb: Verb) -> str:
        name, count = nodes(verb), len(frame.verbs[verb])
        return f'{name} (", " {name}){{0,{min(MOST_LINES, count) - 1}}}'

    if words:
        known = [*SLOTS.get(frame.language, SLOTS["en"]), *frame.slots]
        rules.append(f"slot ::= {grammars.alternatives(known)}")
        slot = grammars.literal(frame.slot) if frame.slot else "(slot | span)"
        bare = "" if frame.slot else "span | "
        rules.append(f'item ::= "\\n+ " ( {bare}{slot} " = " span )')
        most = 1 if frame.forced else min(MOST_LINES, max(2, len(words)))
        if Verb.NEW in frame.verbs:
            parts.append(f'"new: " span item{{0,{most}}}')
        if frame.verbs.get(Verb.PART):
            parts.append(f'"in " {nodes(Verb.PART)} ":" item{{1,{most}}}')
        parts += [
            f'"{verb} " {nodes(verb)} ": " span' for verb in (Verb.CHANGE, Verb.NOTE) if frame.verbs.get(verb)
        ]
        if frame.verbs.get(Verb.GROUP):
            parts.append(f'"part " span ": " ("{REST}" | {several(Verb.GROUP)})')
    for verb in (Verb.DELETE, Verb.DONE, Verb.RESTORE, Verb.KEEP, Verb.BACK):
        if frame.verbs.get(verb):
            parts.append(f'"{verb} " {several(verb)}')
    for verb in WHOLE:
        if frame.verbs.get(WHOLE[verb]):
            parts.append(f'"{verb} all in " {nodes(WHOLE[verb])}')
    if frame.verbs.get(Verb.LINK) and len(frame.shown) > 1:
        rules.append(f"whole ::= {grammars.alternatives(frame.names[id] for id in frame.shown)}")
        parts.append(f'"link " {several(Verb.LINK)} " to " whole')
    none = ['"none"'] if Verb.NONE in frame.verbs or not parts else []
    borders = len(re.findall(r"[,;.:&]|\b(?:and|but|und|aber|y|pero|so|also)\b", frame.told, re.IGNORECASE))
    many = "{0,0}" if frame.forced else f"{{0,{min(11, 1 + borders)}}}"
    lines = [f'line ("\\n" line){many}'] if parts else []
    rules += ["line ::= " + " | ".join(parts)] if parts else []
    return "\n".join([f"root ::= {' | '.join([*none, *lines])}", *rules]) + "\n"


def _span_rules(words: Sequence[_Word]) -> list[str]:
    rules = []
    for place, word in enumerate(words):
        forms = [word.text] if place else [word.text, word.text[0].lower() + word.text[1:]]
        more = f" ({grammars.literal(word.gap)} w{place + 1})?" if place + 1 < len(words) else ""
        rules.append(f"w{place} ::= {grammars.alternatives(forms)}{more}")
    starts = [
        place for place, word in enumerate(words) if word.text.casefold().replace("’", "'") not in NO_START
    ]
    rules.append("span ::= " + " | ".join(f"w{place}" for place in starts or range(len(words))))
    return rules


def parse(written: str, frame: Frame) -> list[Line]:
    """The lines that a model wrote under `grammar`; what cannot be read is left out."""
    ids = {name: id for id, name in frame.names.items()}
    name = (
        "(?:" + "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True)) + ")"
        if ids
        else "(?!)"
    )
    several = f"(?P<ids>{name}(?:, {name})*)"
    patterns = [
        (Verb.NEW, "new: (?P<text>.+)"),
        *((verb, f"{verb} (?P<ids>{name}): (?P<text>.+)") for verb in (Verb.CHANGE, Verb.NOTE)),
        (Verb.GROUP, f"part (?P<text>.+): (?:{REST}|{several})"),
        (Verb.LINK, f"link {several} to (?P<to>{name})"),
        *((verb, f"{verb} all in (?P<whole>{name})") for verb in WHOLE),
        *((v, f"{v} {several}") for v in (Verb.DELETE, Verb.DONE, Verb.RESTORE, Verb.KEEP, Verb.BACK)),
    ]
    lines: list[Line] = []
    within: int | None = None
    new = 0
    for row in written.split("\n"):
        if match := re.fullmatch(f"in ({name}):", row):
            within = ids[match[1]]
            continue
        if row.startswith("+ "):
            slot, mark, text = row[2:].partition(" = ")
            below = () if within is None else (within,)
            lines.append(Line(Verb.PART, row, below, slot=slot, text=text if mark else ""))
            continue
        within = None
        for verb, pattern in patterns:
            match = re.fullmatch(pattern, row)
            if match is None:
                continue
            groups = match.groupdict()
            found = [ids[one] for one in re.findall(name, groups.get("ids") or "")]
            found += [ids[groups[key]] for key in ("whole", "to") if groups.get(key)]
            if verb is Verb.NEW:
                new -= 1
                within = new
                found = [new]
            text = (groups.get("text") or "").strip()
            lines.append(Line(verb, row, tuple(dict.fromkeys(found)), bool(groups.get("whole")), text=text))
            break
    return lines


def names(graph: TaskGraph, shown: Collection[int]) -> dict[int, str]:
    """A short name for each of the nodes, no two alike: its slot, or its value, or with what it belongs to."""
    slots = Counter(fold(graph[id].slot) for id in shown)
    made: dict[int, str] = {}
    taken: set[str] = set()
    for id in shown:
        node = graph[id]
        parent = f" ({graph[node.parents[0]].slot})" if node.parents else ""
        short = node.slot if slots[fold(node.slot)] == 1 or not node.value else node.value
        options = [short, node.label, f"{short}{parent}", f"{node.label}{parent}", f"{node.label} #{id}"]
        made[id] = next(one for one in options if one and fold(one) not in taken)
        taken.add(fold(made[id]))
    return made


def shown_text(lines: Sequence[str]) -> str:
    """The subgraph as the prompt has it."""
    return "\n".join(lines) or EMPTY
