"""A user turn to clauses, and what each of them is there for.

Code decides what may change the tasks at all: a question, a doubt, a hypothesis or small talk never does. What is
left, the clauses that tell something, is what the model reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from localmem.store.rows import clean
from localmem.tasks.cues import Cue, cues, find, folded, has, language_of, pattern


class Mood(StrEnum):
    """What a clause is there for."""

    TELL = "tell"
    """Says or asks for something that may change the tasks."""
    ASK = "ask"
    SUPPOSE = "suppose"
    """A doubt or a hypothesis; changes nothing."""
    TALK = "talk"


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a turn with one mood."""

    text: str
    mood: Mood
    cues: frozenset[Cue]
    tag: str = ""
    """A word or two in front of a colon: "date" in "date: make it Friday"; else empty."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A user turn, read by code."""

    text: str
    """The whole turn on one line."""
    language: str
    clauses: tuple[Clause, ...]

    def of(self, *moods: Mood) -> tuple[Clause, ...]:
        """The clauses with one of these moods."""
        return tuple(clause for clause in self.clauses if clause.mood in moods)

    @property
    def all_told(self) -> Reading:
        """The same turn as if every clause told something."""
        return replace(self, clauses=tuple(replace(clause, mood=Mood.TELL) for clause in self.clauses))

    @property
    def tag(self) -> str:
        """The tag of the first clause."""
        return self.clauses[0].tag if self.clauses else ""

    @property
    def told(self) -> str:
        """The clauses that may change something, as one text, each with its tag in front."""
        texts = []
        last = ""
        for clause in self.of(Mood.TELL):
            texts.append(f"{clause.tag}: {clause.text}" if clause.tag != last and clause.tag else clause.text)
            last = clause.tag
        return " ".join(texts)

    def only(self, clauses: Sequence[Clause]) -> Reading:
        """The same turn with these clauses alone."""
        return replace(self, clauses=tuple(clauses))

    @property
    def asked(self) -> str:
        """The clauses that ask, and those whose claims or doubts they are about."""
        return " ".join(clause.text for clause in self.of(Mood.ASK, Mood.SUPPOSE))

    @property
    def cues(self) -> frozenset[Cue]:
        """All cues of the clauses that tell something."""
        return frozenset(cue for clause in self.of(Mood.TELL) for cue in clause.cues)


_TAG = re.compile(r"^\s*([^\W\d_][\w /&'-]{0,28}?)(?:\s*(?::|\s[-–—])\s+|\s?=\s?)(?=\S)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[ap]\.?\s?m|e\.g|i\.e|dr|mr|mrs|ms|prof|st|no|vs|approx|z\.b|bzw|ca|evtl|inkl|tel|str|nr|sr|sra|srta|dto|ej|av)|\b\w|\d)\.$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b\d{1,2}\. (?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)\w*", re.IGNORECASE)
_TITLE = re.compile(r"\b(?:dr|mr|mrs|ms|prof|st|sr|sra|srta|hr|fr)\.$", re.IGNORECASE)
_BORDER = re.compile(r"(?<=[.!?…;])[\"”’')]*\s+|\s*(?:—|–|\s--?)\s+|(?<=[^\W\d_])—(?=[^\W\d_])|\n+")
_JOINT = re.compile(
    r"\s*(?:,\s*(?:and |but |so |und |aber |also |y |pero |así que )?\s*|\s+(?:and|but|so|und|aber|y|pero)\s+)(?:then |dann |luego |después )?",
    re.IGNORECASE,
)
_LONGEST_TAG = 3


def read(text: str, last_language: str = "en") -> Reading:
    """Split a turn into clauses and tell what each is there for.

    Args:
        text: what the user typed.
        last_language: of the turns before, for a turn that does not tell.
    """
    rows = _rows(clean(text))
    whole = " ".join(rows)
    language = language_of(whole, last_language)
    clauses: list[Clause] = []
    tag = ""
    for sentence in _pieces("\n".join(map(_colon, rows))):
        for tagged, piece in _tagged(sentence):
            tag = tagged or tag
            if not re.search(r"\w", piece):
                continue
            for part in _parts(piece, language):
                mood = _mood(part, language)
                back = _cues(part, language) & {Cue.BACK, Cue.FIRST}
                if tag and back and mood is Mood.ASK and not part.endswith("?"):
                    mood = Mood.TELL
                if mood is Mood.TELL and _ASKING_TAG.search(folded(tag)):
                    mood = Mood.ASK
                found = _cues(part, language)
                if _NO_TAG.match(folded(tag)) and not _OTHER_TAG.match(folded(tag)):
                    found |= {Cue.ADD}
                if _OTHER_TAG.match(folded(tag)):
                    found |= {Cue.START}
                clauses.append(Clause(part, mood, found, "" if _NO_TAG.match(folded(tag)) else tag))
    return Reading(whole, language, tuple(_settled(clauses)))


_BULLET = re.compile(r"(?:[-*•–—]|\d{1,2}[.)])\s+(?=\S)")


def _rows(text: str) -> list[str]:
    """Lines of a text with single spaces; the items of a list stand behind the line that leads to them."""
    rows: list[str] = []
    listing = False
    for line in (" ".join(line.split()) for line in text.splitlines()):
        if not line:
            continue
        bare = _BULLET.sub("", line, count=1) if _BULLET.match(line) else line
        short = listing and len(bare.split()) <= 4 and not bare.endswith((".", "!", "?", ":"))
        if rows and (bare != line or short):
            rows[-1] += f" {bare}" if rows[-1].endswith((":", ",", ";")) else f", {bare}"
            continue
        rows.append(bare)
        listing = bare.endswith(":")
    return rows


def _colon(row: str) -> str:
    """A line whose tag has a dash behind it, with a colon there."""
    tag, rest = _tag(row)
    return f"{tag}: {rest}" if tag and row[len(tag) :].lstrip()[:1] in "-–—" else row


_ASKING_TAG = re.compile(
    r"\b(recap|summary|status|overview|questions?|check|frage|übersicht|zusammenfassung|stand|resumen|pregunta)$"
)
_OTHER_TAG = re.compile(
    r"^(other|another|separate|different|unrelated|second|andere\w*|zweite\w*|otr[oa]|segund[oa]|"
    r"(?:new|next|neue|nächste|nuev[oa]) (?:task|project|topic|list|plan|aufgabe|projekt|thema|liste|tarea|proyecto|tema|lista))\b"
)
_NO_TAG = re.compile(
    r"^((other|another|separate|different|unrelated|second|new|next|one more|last|first|quick|andere\w*|neue\w*|noch|otr[oa]|nuev[oa]|una)\b.*\b(thing|one|topic|task|item|note|update|things|question|recap|sache|punkt|frage|cosa|tema)s?|"
    r"(ps|note|update|edit|fyi|correction|reminder|also|and|so|ok|hey|hi|listen|okay|nachtrag|korrektur|hinweis|nota|ojo))$"
)


def _tagged(text: str) -> list[tuple[str, str]]:
    """Stretches with the tag in front of each: "salary: 900, start: 1 May" has two."""
    tag, rest = _tag(text)
    if not tag:
        return [("", text)]
    for place in re.finditer(r"[,;.]\s+(?=[^\W\d_][^,;.:]{0,28}:\s)", rest):
        if _tag(rest[place.end() :])[0]:
            return [(tag, rest[: place.start()]), *_tagged(rest[place.end() :])]
    return [(tag, rest)]


def _cues(text: str, language: str) -> frozenset[Cue]:
    """The cues of a clause, without those that are only a part of another one: "only free after six" leaves nobody out."""
    found = cues(text, language)
    absent = find(Cue.ABSENT, text, language)
    if absent is not None:
        rest = folded(text)
        rest = pattern(language, Cue.ABSENT).sub(" ", rest)
        found -= {cue for cue in (Cue.ONLY, Cue.DELETE) if not pattern(language, cue).search(rest)}
    return found


def _tag(text: str) -> tuple[str, str]:
    match = _TAG.match(text)
    if match is None or len(match[1].split()) > _LONGEST_TAG or text[match.end(1) :].startswith("://"):
        return "", text
    tag = match[1].strip()
    if _NOT_TAG.search(folded(tag)):
        return "", text
    return tag, text[match.end() :]


_NOT_TAG = re.compile(
    r"\b(groups|parts|shifts|halves|teams|gruppen|teile|grupos|partes|split|add|buy|get|need|remove|delete|drop|change|move|keep|swap|replace|please|put|cancel|skip|i|we|you|it|that|them|needed|wanted|required|nötig|plan|plane|teil\w*|füg\w*|streich\w*|kauf\w*|brauch\w*|nimm|divid\w*|partimos|añade|quita|compra|necesit\w*)\b"
)


def _pieces(text: str) -> list[str]:
    """Sentences, and what stands between dashes."""
    pieces = [""]
    end = 0
    for border in _BORDER.finditer(text):
        piece = text[end : border.start()]
        pieces[-1] += piece
        end = border.end()
        begun = pieces[-1]
        ends_sentence = begun.endswith(".") and text[border.start() :][:1] != "—"
        if ends_sentence and (_TITLE.search(begun) or _ORDINAL.search(begun + " " + text[end : end + 12])):
            pieces[-1] += border.group()
            continue
        if ends_sentence and _ABBREVIATION.search(begun) and not text[end : end + 1].isupper():
            pieces[-1] += border.group()
            continue
        pieces.append("")
    pieces[-1] += text[end:]
    return [piece.strip() for piece in pieces if re.search(r"\w", piece)]


_BECAUSE = re.compile(
    r"^(because|since|as|given that|now that|seeing that|weil|da|nachdem|como|ya que|dado que|puesto que)\s+[^,]{6,}?,\s+(?=\S+\s+\S)",
    re.IGNORECASE,
)
_CORRECTS = re.compile(
    r"\s*[,–—-]\s*(?:(?:no|nope|wait|sorry|that is|äh|ähm|nein|ach|perdón|digo|bueno)[, ]+)*(?:(?:i mean|i meant|or rather|make that|ich meine|vielmehr|quiero decir|digo)[, ]+|(?:sorry|no|nope|quatsch|nein|perdón),\s+)\s*(?=\S)",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:\s(?:is|are|to|at|on|ist|sind|auf|um|es|son|a)(?=\s)|[:=])(?!.*(?:\s(?:is|are|to|at|on|ist|sind|auf|um|es|son|a)\s|[:=]))\s*",
    re.IGNORECASE,
)


def corrected(text: str) -> str:
    """A sentence in which somebody corrects himself, as he meant it: "at two, sorry, I mean three" is "at three"."""
    match = _CORRECTS.search(text)
    if match is None or len(text[: match.start()].split()) < 2:
        return text
    before, after = text[: match.start()], text[match.end() :]
    says = _SAYS.search(before)
    return f"{before[: says.end()]}{after}" if says and len(after.split()) <= 6 else text


_IF = re.compile(
    r"^[¿\s]*(?:(?:and|but|so|und|aber|y|pero)\s+)?(?:what if|if|suppose|supposing|imagine|wenn|falls|angenommen|si|supongamos)\b"
)


def _parts(piece: str, language: str) -> list[str]:
    """A sentence in two where "and" or a comma leads from telling to asking: "make it two and tell me the rest"."""
    piece = corrected(piece)
    if _IF.match(folded(piece)) and _mood(piece, language) is Mood.SUPPOSE:
        return [piece]  # "if we moved it, would it fit?" is one thought
    if (reason := _BECAUSE.match(piece)) is not None:
        rest = piece[reason.end() :]
        return (
            [rest]
            if Cue.ABSENT not in cues(reason.group(), language)
            else [reason.group().strip(" ,"), *_parts(rest, language)]
        )
    for joint in _JOINT.finditer(piece):
        before, after = piece[: joint.start()].strip(), piece[joint.end() :].strip()
        short = len(after.split()) < 2 and not has(Cue.ABSENT, before, language)
        if len(before.split()) < 2 or short or _ASIDE.match(folded(before)):
            continue
        moods = _mood(before, language), _mood(after, language)
        if moods == (Mood.TELL, Mood.TELL) and _stands_alone(joint.group(), before, after, language):
            return [before, *_parts(after, language)]
        if moods[1] is Mood.ASK and moods[0] is Mood.TELL and _asks_by_itself(after, language, joint.group()):
            return [before, *_parts(after, language)]
        if (
            moods[0] is Mood.ASK
            and moods[1] is Mood.TELL
            and not piece.endswith("?")
            and _orders(after, language)
        ):
            return [before, *_parts(after, language)]
    return [piece]


_ASIDE = re.compile(
    r"^(by the way|one more thing|just (so|to)|quick question|por cierto|übrigens|eine frage|una pregunta)\W*$"
)


def _asks_by_itself(text: str, language: str, joint: str) -> bool:
    """Whether a part that may be a list's last item, or a relative clause, is surely a question: "and what is left"."""
    joined = _JOINED.search(joint) is not None
    asks = find(Cue.ASK, text, language)
    begins = asks is not None and asks.start() == 0
    if text.rstrip().endswith("?"):
        return begins or joined
    return begins and joined and _BARE_AUXILIARY.match(folded(text)) is None


_JOINED = re.compile(r"\b(and|but|then|also|und|aber|y|pero)\b", re.IGNORECASE)
_BARE_AUXILIARY = re.compile(
    r"^(is|are|was|were|do|does|did|has|have|had|ist|sind|war|hat|es|son|está|están)\b"
)


_ORDERS = re.compile(
    r"^(then |please |instead |rather |dann |bitte |dafür |luego )*(submit|send|add|remove|delete|change|move|set|make|put|drop|cancel|replace|book|mark|keep|leave|restore|bring back|swap|forget|skip|scrap|ditch|take out|"
    r"füg\w*|streich\w*|lösch\w*|änder\w*|setz\w*|verschieb\w*|entfern\w*|nimm|mach\w*|behalt\w*|ersetz\w*|"
    r"añad\w*|quita\w*|cambia\w*|borra\w*|pon|pón\w*|elimina\w*|mueve|deja|cancela)\b"
)


_ACTS = frozenset(
    {
        Cue.DELETE,
        Cue.RESTORE,
        Cue.CHANGE,
        Cue.ADD,
        Cue.DONE,
        Cue.BACK,
        Cue.ABSENT,
        Cue.SWAP,
        Cue.ONLY,
        Cue.ALSO,
    }
)


def _stands_alone(joint: str, before: str, after: str, language: str) -> bool:
    """Whether two parts that tell something are two orders: "keep the lamp and drop the rope"."""
    first, second = _cues(before, language), _cues(after, language)
    if _ORDERS.search(folded(after)) is not None:
        return bool(first & _ACTS)
    if Cue.ABSENT in first:
        led = re.search(r"\b(so|also|así que)\b", joint)
        return (
            bool(led)
            or re.match(
                r"(mejor|lieber|rather|better|then|dann|so|let's|use|take|nimm\w*|nehm\w*|usa\w*)\b",
                folded(after),
            )
            is not None
        )
    if Cue.ABSENT in second and "," in joint and first & _ACTS:
        return True
    return bool(second & {Cue.RESTORE, Cue.DELETE} and "so" in joint and first)


def _orders(text: str, language: str) -> bool:
    return _ORDERS.search(folded(text)) is not None


_QUESTION = re.compile(r"\?[\s\"”’')]*$")
_SUGGESTS = re.compile(
    r"^(so |and |ok(ay)?,? |actually,? |hmm+,? |wait,? )*(how about|what about .*\binstead\b|why (don't|not)|let's|wie wäre es|wie wär's|warum (machen|nehmen) wir nicht|qué tal si|y si mejor)\b"
)
_QUERY_VERB = re.compile(
    r"^(please |just |quickly |bitte |mal |mir |por favor )*(show|list|tell|repeat|remind (me|us) (of|what|which|who|when|where|how|why)|recap|summari[sz]e|give (me|us) (a|an|the|my) ?(list|overview|summary|recap|status|rundown|current|full|complete)?|"
    r"double-?\s?check|check (if|whether|that|what|again|my|the)|re-?check|explain|confirm|read|see|know|generate|describe|look up|say|verify|remember|print|display|count|"
    r"zeig\w*|nenn\w*|sag\w*|wiederhol\w*|auflist\w*|prüf\w*|überprüf\w*|erklär\w*|zusammenfass\w*|"
    r"(mir |uns |nochmal |noch einmal |alle\w* |die |das |den )*(sagen|zeigen|nennen|wiederholen|auflisten|erklären|zusammenfassen|nachsehen|nachschauen|prüfen|überprüfen)|"
    r"decir\w*|mostrar\w*|muestra\w*|muéstra\w*|repetir\w*|repite\w*|listar\w*|resum\w*|recordar\w*|explicar\w*|comprobar\w*|confirmar\w*|revisar\w*|ver)\b"
)
_GERMAN_QUERY_END = re.compile(
    r"\b(sagen|zeigen|nennen|wiederholen|auflisten|erklären|zusammenfassen|nachsehen|prüfen|überprüfen)\b[\s?.!]*$"
)
_TAG_QUESTION = re.compile(
    r"[,.]\s*(right|correct|ok(ay)?|alright|please|isn't it|does that work|is that ok(ay)?|thanks|can you|could you|would you|will you|geht das|bitte|in ordnung|vale|por favor|puede ser|sí)\s*\?\s*$"
)


def _mood(piece: str, language: str) -> Mood:
    text = folded(piece)
    marked = _QUESTION.search(text) is not None or text.startswith("¿")
    if _ASIDE.match(text):
        return Mood.TALK
    if _SUGGESTS.search(text) and not has(Cue.SUPPOSE, text[text.find(" ") :], language):
        return Mood.TELL
    if has(Cue.SUPPOSE, text, language) and not _settles(text):
        return Mood.SUPPOSE
    if has(Cue.CLAIM, text, language):
        return Mood.ASK if marked else Mood.SUPPOSE
    request = find(Cue.REQUEST, text, language)
    if request is not None and request.start() == 0:
        wanted = text[request.end() :]
        mine = re.search(
            r"\b(can|could|may|might|kann|können|könnten|puedo|podemos|podríamos) (i|we|ich|wir)\b|\b(puedo|podemos|podríamos)\b",
            request.group(),
        )
        if mine and marked and not _ORDERS.search(wanted) and not has(Cue.SWAP, wanted, language):
            return Mood.ASK
        if _QUERY_VERB.search(wanted) or (language == "de" and _GERMAN_QUERY_END.search(text)):
            return Mood.ASK
        asked = find(Cue.ASK, wanted, language)
        if (
            asked is not None
            and asked.start() == 0
            and request.group().strip().endswith(("please", "bitte", "favor", ","))
        ):
            return Mood.ASK
        return Mood.TELL
    if _is_talk(text, language):
        return Mood.TALK
    if marked and _TAG_QUESTION.search(text):
        core = text[: _TAG_QUESTION.search(text).start()]  # type: ignore[union-attr]
        confirms = re.search(r"[,.]\s*(right|correct|isn't it)\s*\?\s*$", text)
        if core and not confirms and _mood(core, language) is Mood.TELL:
            return Mood.TELL
    if marked or has(Cue.ASK, text, language):
        return Mood.ASK
    return Mood.TELL


_SETTLES = re.compile(
    r"\b(but |so |aber |pero )?(let's|please|go with|make it|change it|definitely|decided|on second thoughts?|lass uns|bitte|mach|vamos a|por favor|ponlo|cámbialo)\b"
)


def _settles(text: str) -> bool:
    """Whether a doubt is followed by a decision: "I wasn't sure, but let's go with blue"."""
    return _SETTLES.search(text) is not None and not text.rstrip().endswith("?")


def _is_talk(text: str, language: str) -> bool:
    """Whether a clause is nothing but courtesy: at most a few words after it."""
    if (
        has(Cue.CHATTER, text, language)
        and not _cues(text, language) & (_ACTS - {Cue.ALSO, Cue.ADD, Cue.DONE, Cue.ONLY, Cue.RESTORE})
        and not _ORDERS.search(text)
        and not any(c.isdigit() for c in text)
    ):
        return True
    match = find(Cue.TALK, text, language)
    if match is None or match.start():
        return False
    rest = re.sub(r"[^\w\s]", " ", text[match.end() :]).split()
    return len(rest) <= 4 and not any(character.isdigit() for character in text)


FRAGMENT = re.compile(r"^(?:and|und|y|plus|then|also)\s+(?:an?|eine?n?|una?|the|some)\s+\w+(?:\s\w+)?[.!]?$")
_TAKES = re.compile(
    r"\b(take|takes|use|uses|using|go with|get|buy|does it|owns it|owns|nimm\w*|nehm\w*|benutz\w*|usa\w*|tom(a|amos|emos)|pon(emos|gamos)?)\b"
)


def _settled(clauses: list[Clause]) -> list[Clause]:
    """Moods and cues that depend on the neighbours: a claim before "can you check?", what is taken where another is out."""
    for place in range(1, len(clauses)):
        if (
            Cue.ABSENT in clauses[place - 1].cues
            and clauses[place].mood is Mood.TELL
            and Cue.ABSENT not in clauses[place].cues
        ):
            clauses[place] = replace(clauses[place], cues=clauses[place].cues | {Cue.CHANGE})
        if FRAGMENT.match(folded(clauses[place - 1].text)) and clauses[place].mood is Mood.TELL:
            clauses[place - 1] = replace(clauses[place - 1], cues=clauses[place - 1].cues | {Cue.START})
    out = any(Cue.ABSENT in clause.cues for clause in clauses)
    if out:
        clauses = [
            replace(clause, cues=clause.cues | {Cue.SWAP})
            if clause.mood is Mood.TELL and _TAKES.search(folded(clause.text))
            else clause
            for clause in clauses
        ]
    moods = [clause.mood for clause in clauses]
    checks = re.compile(
        r"double-?\s?check|\b(right|correct|true|is that so|am i right|stimmt das|richtig|verdad|cierto|correcto)\b\s*\??$|check (that|again|it)|is that (right|correct|true)|confirm|überprüf|prüf|comprueb"
    )
    for place, clause in enumerate(clauses):
        if place and clause.mood is Mood.ASK and checks.search(folded(clause.text)):
            before = clauses[place - 1]
            past = re.search(
                r"\b(was|were|never|had|did|didn't|wasn't|weren't|said|told|war|waren|nie|hatte|wurde|era|nunca|fue|había)\b",
                folded(before.text),
            )
            if before.mood is Mood.TELL and past:
                moods[place - 1] = Mood.SUPPOSE
    return [replace(clause, mood=mood) for clause, mood in zip(clauses, moods, strict=True)]
