"""Texts of parts to items: quantities, lists, times and dates that need no slot of their own name."""

from __future__ import annotations

import re
from dataclasses import replace

from localmem.tasks.context import kind_of
from localmem.tasks.cues import folded
from localmem.tasks.mentions import content
from localmem.tasks.tables import words
from localmem.tasks.trim import Line, Verb
from localmem.tasks.values import fold

UNITS = (
    r"(?:kg|g|mg|l|ml|cl|lbs?|oz|cups?|tbsp|tsp|bags?|rolls?|packs?|packets?|pieces?|bottles?|boxes|box|cans?|tins?|jars?|pairs?|bunch(?:es)?|loaf|loaves|slices?|sticks?|dozen|litres?|liters?|kilos?|grams?|pounds?|sheets?|cartons?|crates?|sets?|pounds?|"
    r"stück|packungen|packung|flaschen?|dosen?|gläser|glas|tüten?|liter|gramm|säcke|sack|rollen?|paar|bund|scheiben?|kisten?|kasten|kästen|becher|beutel|"
    r"kilos?|gramos?|litros?|botellas?|latas?|paquetes?|bolsas?|cajas?|docenas?|pares|par|rollos?|manojos?)"
)
_QUANTITY = re.compile(
    r"(?P<n>(?:\d+(?:[.,/]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half a|a few|a couple of|some|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|eine?n?|ein paar|media|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|una?)"
    rf"(?:\s?{UNITS}\b\.?)?)\s+(?:of\s+|de\s+)?(?P<item>[^\W\d].*)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:an?|one|the|some|an? couple of|eine?n?|una?)\Z", re.IGNORECASE)
LISTED = re.compile(r"\s*(?:,\s*(?:and|und|y|&)?|;|\s(?:and|und|y|&)\s)\s*")


def quantity(text: str) -> bool:
    """Whether a text is so much of something: "4 bags of compost"."""
    match = _QUANTITY.fullmatch(text)
    return match is not None and not _ARTICLE.match(match["n"]) and len(match["item"].split()) <= 3


_HOLLOW = words(
    """
    information info details data provide thing things stuff you me something anything informationen daten
    información datos
    """
)


def meaning(text: str) -> bool:
    """Whether a text says anything by itself."""
    words = content(text) or ([fold(text)] if any(c.isdigit() for c in text) else [])
    return any(word not in _HOLLOW for word in words)


_SLOTS = {
    "en": {"time": "time", "date": "date"},
    "de": {"time": "Uhrzeit", "date": "Datum"},
    "es": {"time": "hora", "date": "fecha"},
}
_TIME_AT = re.compile(
    r"\b(?:(?:at|um|a las?|@)\s+)?(\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]\.?m\.?|uhr|h)\b|\d{1,2}:\d\d|noon|midnight)",
    re.IGNORECASE,
)


def title(text: str) -> str:
    """The name of a task without the words that lead to it: "for the cake" is "cake"."""
    return (
        re.sub(
            r"^(?:for|on|in|at|für|auf|im|para|en)\s+(?:(?:the|my|our|a|an|den|die|das|dem|unser\w*|mein\w*|el|la|los|las|mi|nuestr\w*)\s+)?",
            "",
            text,
            flags=re.IGNORECASE,
        )
        or text
    )


def _when(piece: str, language: str) -> list[tuple[str, str]]:
    """Slots and values of a piece that says when: "friday 7 pm" has a date and a time."""
    kind = kind_of(piece)
    if kind not in ("time", "date") or len(piece.split()) > 5:
        return []
    slots = _SLOTS[language]
    at = _TIME_AT.search(piece)
    if at is None or kind_of(piece[: at.start()]) != "date":
        bare = re.sub(r"^(?:at|on|um|am|a las?|el)\s+", "", piece, flags=re.IGNORECASE)
        return [(slots[kind], bare)] if len(bare.split()) <= 3 else []
    date = re.sub(r"^(?:on|am|el)\s+", "", piece[: at.start()].strip(" ,"), flags=re.IGNORECASE)
    return [(slots["date"], date), (slots["time"], at.group(1))] if len(date.split()) <= 3 else []


def itemised(line: Line, told: str, language: str = "en") -> list[Line]:
    """A part as items: "3 kg of flour" has a quantity, "dragon, knight and drums" are three."""
    if line.within or line.verb is not Verb.PART or not (meaning(line.slot) or meaning(line.text)):
        return [line] if line.within or line.verb is not Verb.PART else []
    if not line.text:
        pieces = [piece for piece in LISTED.split(line.slot) if piece]
        made = []
        for piece in pieces:
            when = _when(piece, language)
            if when:
                made += [replace(line, slot=slot, text=text) for slot, text in when]
                continue
            match = _QUANTITY.fullmatch(piece)
            behind = re.fullmatch(r"(?P<item>[^\W\d][^\d]*?)\s+(?P<n>[~x$€£]?\d.*)", piece)
            if re.fullmatch(r"\d{1,2}(:\d\d)?", piece) and re.search(
                rf"(?:\b(?:at|um|a las?|ab|by)|@)\s*{piece}\b", folded(told)
            ):
                made.append(replace(line, slot=_SLOTS[language]["time"], text=piece))
            elif match is None and behind is not None and len(behind["item"].split()) <= 3:
                made.append(replace(line, slot=behind["item"], text=behind["n"]))
            elif match is None:
                made.append(replace(line, slot=piece))
            elif _ARTICLE.match(match["n"]):
                made.append(replace(line, slot=match["item"]))
            else:
                made.append(replace(line, slot=match["item"], text=match["n"]))
        return made
    if fold(line.text) == fold(line.slot):
        return [replace(line, text="")]
    pieces = [piece for piece in LISTED.split(line.text) if piece]
    several = len(pieces) > 1 and (
        _PEOPLE.search(folded(line.slot))
        or f"({line.text}" in told
        or (len(pieces) > 2 and " and " in f" {line.text} ".replace(" und ", " and ").replace(" y ", " and "))
    )
    capital = len(pieces) > 1 and all(piece[:1].isupper() for piece in pieces)
    names = capital and (len(pieces) > 2 or re.search(r"\s(and|und|y|&)\s", line.text))
    counted = len(pieces) > 1 and all(re.fullmatch(r"[^\d]+ \d\S*", piece) for piece in pieces)
    if counted:
        return [
            one for piece in pieces for one in itemised(replace(line, slot=piece, text=""), told, language)
        ]
    if several or names:
        return [replace(line, text=piece) for piece in pieces]
    return [line]


_PEOPLE = re.compile(
    r"\b(person|people|guests?|participants?|attendees?|members?|singers?|gäste|gast|teilnehmer|personen|personas?|invitad\w*|with)\b"
)


_CLOCK = re.compile(
    rf"\d{{1,2}}(?:[:.]\d\d)?(?:\s?(?:[ap]\.?m\b\.?|uhr\b|h\b))?(?!\s?{UNITS}\b)(?![\d.,]*\d)|\b(?:noon|midnight)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:at|um|a las?|to|auf|by)\s+", re.IGNORECASE)


def merged(old: str, new: str) -> str:
    """A new quantity or time in the place of the old one, where the value says more: "5 mg at noon" and "10 mg"."""
    match = re.fullmatch(rf"(\d+(?:[.,]\d+)?)\s?({UNITS})", new, re.IGNORECASE)
    if match is not None:
        same = re.search(rf"\d+(?:[.,]\d+)?\s?{re.escape(match[2])}\b", old, re.IGNORECASE)
        return new if same is None else f"{old[: same.start()]}{new}{old[same.end() :]}"
    time = _LEAD.sub("", new)
    if _CLOCK.fullmatch(time) and len(old.split()) > 2:
        was = [
            place
            for place in _CLOCK.finditer(old)
            if kind_of(place.group()) == "time"
            or re.search(r"\b(?:at|um|a las?)\s+$", old[: place.start()], re.IGNORECASE)
        ]
        was = was or [place for place in _CLOCK.finditer(old) if place.start() == 0]
        if len(was) == 1:
            return f"{old[: was[0].start()]}{time}{old[was[0].end() :]}"
    return new
