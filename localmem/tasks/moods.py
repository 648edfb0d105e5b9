"""What a part of a sentence is there for: to tell, to ask, to suppose, or only to talk."""

from __future__ import annotations

import re
from enum import StrEnum

from localmem.tasks.cues import Cue, cues, find, folded, has, pattern


class Mood(StrEnum):
    """What a clause is there for."""

    TELL = "tell"
    """Says or asks for something that may change the tasks."""
    ASK = "ask"
    SUPPOSE = "suppose"
    """A doubt or a hypothesis; changes nothing."""
    TALK = "talk"


ASIDE = re.compile(
    r"^(by the way|one more thing|just (so|to)|quick question|por cierto|übrigens|eine frage|una pregunta)\W*$"
)


ORDERS = re.compile(
    r"^(then |please |instead |rather |dann |bitte |dafür |luego )*(submit|send|add|remove|delete|change|move|set|make|put|drop|cancel|replace|book|mark|keep|leave|restore|bring back|swap|forget|skip|scrap|ditch|take out|"
    r"füg\w*|streich\w*|lösch\w*|änder\w*|setz\w*|verschieb\w*|entfern\w*|nimm|mach\w*|behalt\w*|ersetz\w*|"
    r"añad\w*|quita\w*|cambia\w*|borra\w*|pon|pón\w*|elimina\w*|mueve|deja|cancela)\b"
)


ACTS = frozenset(
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


_SETTLES = re.compile(
    r"\b(but |so |aber |pero )?(let's|please|go with|make it|change it|definitely|decided|on second thoughts?|lass uns|bitte|mach|vamos a|por favor|ponlo|cámbialo)\b"
)


def clause_cues(text: str, language: str) -> frozenset[Cue]:
    """The cues of a clause, without those that are only a part of another one: "only free after six" leaves nobody out."""
    found = cues(text, language)
    absent = find(Cue.ABSENT, text, language)
    if absent is not None:
        rest = folded(text)
        rest = pattern(language, Cue.ABSENT).sub(" ", rest)
        found -= {cue for cue in (Cue.ONLY, Cue.DELETE) if not pattern(language, cue).search(rest)}
    return found


_KEEPS = re.compile(
    r"\b(?:don't|do not|never|must not|mustn't|shouldn't|should not|no)\s+(?:ever\s+|be\s+|to\s+)*"
    r"(?:remov\w*|delet\w*|drop(?:ped)?|skip(?:ped)?|cancel\w*|forget|lose|leave (?:\w+ ){0,4}out|scrap|ditch|throw|erase\w*|"
    r"olvid\w*|quit\w*|borr\w*|elimin\w*|tach\w*)\b"
    r"|\b(?:vergiss|lösch\w*|streich\w*|entfern\w*)\b.*\bnicht\b(?! mehr)|\bnicht (?:löschen|streichen|entfernen|vergessen|weglassen)\b"
)


def forbids_removal(text: str) -> bool:
    """Whether a clause says that something is not to be removed."""
    return _KEEPS.search(folded(text)) is not None


def orders(text: str) -> bool:
    """Whether a part begins with an order."""
    return ORDERS.search(folded(text)) is not None


def mood_of(piece: str, language: str) -> Mood:
    """What a sentence, or a part of one, is there for."""
    text = folded(piece)
    marked = _QUESTION.search(text) is not None or text.startswith("¿")
    if ASIDE.match(text):
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
        if mine and marked and not ORDERS.search(wanted) and not has(Cue.SWAP, wanted, language):
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
        if core and not confirms and mood_of(core, language) is Mood.TELL:
            return Mood.TELL
    if marked or has(Cue.ASK, text, language):
        return Mood.ASK
    return Mood.TELL


def _settles(text: str) -> bool:
    """Whether a doubt is followed by a decision: "I wasn't sure, but let's go with blue"."""
    return _SETTLES.search(text) is not None and not text.rstrip().endswith("?")


def _is_talk(text: str, language: str) -> bool:
    """Whether a clause is nothing but courtesy: at most a few words after it."""
    if (
        has(Cue.CHATTER, text, language)
        and not clause_cues(text, language) & (ACTS - {Cue.ALSO, Cue.ADD, Cue.DONE, Cue.ONLY, Cue.RESTORE})
        and not ORDERS.search(text)
        and not any(c.isdigit() for c in text)
    ):
        return True
    match = find(Cue.TALK, text, language)
    if match is None or match.start():
        return False
    if ORDERS.match(text[match.end() :].lstrip(" ,.!;:-")):
        return False  # "never mind, keep the buns"
    rest = re.sub(r"[^\w\s]", " ", text[match.end() :]).split()
    return len(rest) <= 4 and not any(character.isdigit() for character in text)
