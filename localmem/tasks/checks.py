"""Whether a sentence that a model wrote says what the facts say, and nothing else. Each fault has a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from localmem.tasks.cues import folded, language_of
from localmem.tasks.mentions import alike, content
from localmem.tasks.tables import words

_YES = {
    "en": r"(yes|yeah|yep|correct|right|indeed)",
    "de": r"(ja|doch|richtig|stimmt|genau)",
    "es": r"(sí|si|correcto|cierto|exacto)",
}
_NO = {"en": r"(no|nope|not)", "de": r"(nein|nicht)", "es": r"(no|ya no)"}
_ASKS = r"[¿\W]*(who|what|when|where|which|how|why|wer|was|wann|wo|wie|welche[rsn]?|quién(es)?|qué|cuándo|dónde|cuál(es)?|cuánt[oa]s?|cómo)\b"
"""A sentence that turns a question around: "Quién viene es Pedro"."""
_NEVER = r"\b(never|nie|niemals|nunca|jamás)\b"
_FORMER = {
    "en": r"\b(was|were|had|before|earlier|previous\w*|former\w*|no longer|not|never|no|none|instead|replac\w*|remov\w*|delet\w*|dropped|gone|original\w*|first|until|from|rather|off|anymore|without|used to)\b|n't\b",
    "de": r"\b(war|waren|wurde\w*|hatte\w*|vorher|zuvor|früher|nicht|nie|kein\w*|statt|anstatt|ersetz\w*|entfernt|gelöscht|gestrichen|weg|ursprünglich\w*|zuerst|bis|von|vor|stand|standen|kam|kamen|dazwischen|nein)\b",
    "es": r"\b(era\w*|fue\w*|estaba\w*|estuvo|había\w*|antes|anterior\w*|ya no|no|nunca|lugar|vez|reemplaz\w*|quit\w*|elimin\w*|original\w*|principio|hasta|de|sin)\b",
}
_PRESENT = r"\b(now|currently|jetzt|aktuell|nun|ahora|actualmente)\W+(\w+\W+){0,1}$"
_PAST_BEFORE = r"\b(was|were|instead of|rather than|statt|anstatt|vorher|antes|era|eran|en lugar de|en vez de)\W+(the |der |die |das |el |la |los |las )?$"
_OWN = r"\b(i|i'm|i've|my|me|we|our|us|ich|mein\w*|mir|wir|unser\w*|uns|yo|mi|mis|nuestr\w*|nos)\b"
_PROMISES = (
    r"\b(i|we)('ll| will| can| am going to|'m going to)\b|\blet me\b|\b(ich|wir) (werde\w*|kann|können)\b|\bpuedo\b|\bvoy a\b|"
    r"\b(booked|ordered|sent|submitted|reserved|paid|e-?mailed|called|contacted|purchased|bought|reminded|reminder|gebucht|bestellt|abgeschickt|gesendet|reserviert|bezahlt|reservado|enviado|pedido|comprado|pagado)\b"
)
_ACTIONS = {
    "added": r"\b(added|hinzugefügt|añadid[oa]s?|agregad[oa]s?)\b",
    "removed": r"\b(removed|deleted|dropped|entfernt|gelöscht|gestrichen|quitad[oa]s?|eliminad[oa]s?)\b",
    "changed": r"\b(changed|updated|moved|set to|set for|switched|replaced|rescheduled|geändert|ersetzt|verschoben|aktualisiert|cambiad[oa]s?|actualizad[oa]s?|movid[oa]s?|reemplazad[oa]s?)\b",
    "done": r"\b(finished|completed|done|erledigt|fertig|hech[oa]s?|completad[oa]s?|terminad[oa]s?)\b",
}
_REPLACES = r"\b(replac\w*|ersetz\w*|reemplaz\w*|sustitu\w*)\b"
_AFTER = r"\b(before|vor|antes de)\W+(the |der |die |das |dem |den |el |la |los |las )?$"
_SIGNS = {
    "added": r"\b(added|new|now|is|are|back|also|noted|hinzugefügt|neue?|wieder|jetzt|notiert|kam|añadid[oa]|nueva?|ahora|vuelta|anotado|añadió)\b|:",
    "removed": r"\b(removed|no longer|instead|replaced|gone|entfernt|nicht mehr|statt|ersetzt|quitad[oa]|ya no|lugar|reemplazó|quitó)\b",
    "changed": r"\b(now|again|before|instead|changed|moved|replaced|jetzt|wieder|vorher|statt|geändert|verschoben|ersetzt|ahora|otra vez|antes|lugar|cambió|pasado|reemplazó)\b",
    "done": r"\b(done|erledigt|hecho)\b",
}
_WORDING = words(
    """
    había habían hubo hay personas horas tienes debes puedes van viene vienen quedó empezó kostet kosten geht gehen kommt kommen beginnt
    findet heißt musst brauchst hast haben du kam kamen stand standen habt vor um chosen chose picked planned put down moving leave
    okay ok sure great noted got updated update changed change changes added removed set moved switched replaced place places
    place's placed back again now currently still already longer before earlier previously previous originally original first
    initially instead until since turn yes no not never nothing everything anything else only also too both all each list listed
    plan plans planned task tasks item items stands stand remains remain remaining left open done finished completed includes
    include including included consists contains part parts single one mentioned said say told tells stated note recorded right
    correct correctly actually indeed current scheduled here there new old value time date day so far as well been being will
    takes take taking per your you're you'll you've yours they're it's there's that's have has had keep kept keeping goes go going
    come comes coming means mean details detail information following using used use uses needs need needed at later total two
    three four five six seven eight nine ten gut alles klar notiert hinzugefügt entfernt geändert jetzt wieder vorher zuvor nicht
    mehr noch schon bleibt bleiben steht stehen gilt gelten wurde wurden wird werden statt ersetzt zuerst ursprünglich nein ja nie
    dabei drauf liste aufgabe aufgaben änderung nachricht seit bis offen erledigt übrig aktuell insgesamt dazu davon außerdem gibt
    es sind ist dann bisher anfang dein deine deinen deiner dem ihr ihre vale anotado añadido quitado cambiado ahora otra vez
    antes ya sí nunca queda quedan sigue siguen está están era eran fue fueron lugar reemplazado principio lista tarea tareas
    pendiente pendientes hecho hechos todo todos desde hasta mensaje actualmente incluye tu tus también además hay son geworden
    standen haben besteht bestehen
    """
)
"""Words that a sentence may have without saying anything."""


@dataclass(frozen=True)
class Check:
    """What sentences are held against."""

    facts: str
    said: str
    language: str
    former: tuple[str, ...] = ()
    """Values that stand no more."""
    needed: tuple[str, ...] = ()
    changed: bool = False
    """The facts tell changes of this turn."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Slots and their values."""
    current: tuple[str, ...] = ()
    """Slots and values of the facts that stand."""

    @cached_property
    def _fact_words(self) -> list[str]:
        return content(self.facts)

    @cached_property
    def _said_words(self) -> list[str]:
        return content(self.said)

    def opening(self, text: str) -> str:
        """Why the beginning of a reply is refused; empty: it is not."""
        ours, theirs = _answers(self.facts, self.language), _answers(text, self.language)
        if ours != theirs:
            return f"begins with {theirs or 'neither yes nor no'}, the facts with {ours or 'neither'}"
        asks = re.match(_ASKS, folded(text))
        if asks is not None and not folded(self.facts).startswith(asks.group().strip("¿ ")):
            return "begins as a question does"
        return ""

    def fault(self, sentence: str) -> str:
        """Why a sentence is refused; empty: it is not."""
        text = folded(sentence)
        facts = folded(self.facts)
        if re.match(r"\W*(please|bitte|por favor)\b", text):
            return "asks for something"
        if re.search(_OWN, text) and not re.search(_OWN, facts):
            return "speaks as the user"
        if "?" in sentence or "¿" in sentence:
            return "asks back"
        if re.search(_PROMISES, text) and not all(m.group() in facts for m in re.finditer(_PROMISES, text)):
            return "says that something was or will be done that the tasks do not say"
        if re.search(_NEVER, text) and not re.search(_NEVER, facts):
            return "says never"
        if language_of(sentence, self.language) != self.language:
            return "another language"
        for action, pattern in _ACTIONS.items():
            if re.search(_REPLACES, text) and not re.search(_REPLACES, facts):
                return "says what replaced what"  # which of the two did, no word shows
            said = re.search(pattern, facts) or any(
                alike(found.group(), word)
                for found in re.finditer(pattern, text)
                for word in self._said_words
            )
            shown = self.changed and re.search(_SIGNS[action], facts)
            if re.search(pattern, text) and not said and not shown:
                return f"says that something was {action}"
        marked = re.search(_FORMER[self.language], text) is not None
        for word in content(sentence):
            known = any(
                word == other if word[:1].isdigit() else alike(word, other) for other in self._fact_words
            )
            if known:
                continue
            if any(word == other if word[:1].isdigit() else alike(word, other) for other in self._said_words):
                if not marked and (word[:1].isdigit() or self._is_name(word)):
                    return f"{word!r} is in no fact"
                continue
            if word not in _WORDING:
                return f"{word!r} is in no fact"
        return self._roles(text) or self._mixed(text)

    def _mixed(self, text: str) -> str:
        """Why a value is said of the slot of another one; empty: none is."""
        slots = {folded(slot) for slot, _ in self.pairs}
        if len(slots) < 2:
            return ""
        for clause in re.split(r"[,;]|\b(?:and|und|y|but|aber|pero)\b", text):
            named = {slot for slot in slots if _stands(slot, clause)}
            for _, value in self.pairs:
                own = {folded(slot) for slot, other in self.pairs if other == value}
                if named and not named & own and _stands(folded(value), clause):
                    return f"{value!r} is said of {min(named)!r}"
        return ""

    def _is_name(self, word: str) -> bool:
        return any(
            folded(piece).strip(".,;:!?'\"") == word and piece[:1].isupper()
            for piece in self.said.split()[1:]
        )

    def _roles(self, text: str) -> str:
        """Why what was and what is are mixed up; empty: they are not."""
        for value in self.former:
            for found in re.finditer(rf"(?<!\w){re.escape(folded(value))}(?!\w)", text):
                near = (
                    " ".join(text[: found.start()].split()[-5:])
                    + " | "
                    + " ".join(text[found.end() :].split()[:5])
                )
                if re.search(_PRESENT, text[: found.start()]) or not re.search(_FORMER[self.language], near):
                    return f"{value!r} stands no more"
                if re.search(_AFTER, text[: found.start()]) and not _follows(_AFTER, value, self.facts):
                    return f"{value!r} did not come later"
        for value in (*self.needed, *self.current):
            if value in self.former:
                continue
            for found in re.finditer(rf"(?<!\w){re.escape(folded(value))}(?!\w)", text):
                past = re.search(_PAST_BEFORE, text[: found.start()])
                if past and not _follows(_PAST_BEFORE, value, self.facts):
                    return f"{value!r} is not past"
        return ""

    def missing(self, text: str) -> list[str]:
        """Needed words that a text does not have."""
        flat = folded(text)
        there = content(text)
        return [
            word
            for word in self.needed
            if folded(word) not in flat
            and not all(
                any(one == o if one[:1].isdigit() else alike(one, o) for o in there)
                for one in (content(word) or [folded(word)])
            )
        ]


def _answers(text: str, language: str) -> str:
    head = folded(text)
    if re.match(rf"\W*{_YES[language]}\b", head):
        return "yes"
    return "no" if re.match(rf"\W*{_NO[language]}\b", head) else ""


def _follows(before: str, words: str, text: str) -> bool:
    """Whether words stand in a text right behind an expression."""
    flat = folded(text)
    return any(
        re.search(before, flat[: found.start()]) for found in re.finditer(re.escape(folded(words)), flat)
    )


def _stands(words: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None
