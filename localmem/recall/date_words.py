"""How people say relative dates: English, German, Spanish and French.

Patterns only; what they mean is counted in `calendar_days`. dateparser and dateutil were looked at: on 45 sentences in
these languages dateparser read 22 as meant, took "we", "may" and "second" for dates, and needed 14 ms each;
dateutil reads no relative dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from localmem.recall.calendar_days import (
    MONTHS,
    WEEKDAYS,
    days_from,
    last_month,
    season_from,
    span_from,
    unit_from,
    weekday_from,
    years_from,
)

Match = re.Match[str]
Rule = tuple[str, Callable[[Match, date], str]]
"""A pattern, and what it means on a day; `KeyError`, `OverflowError` or `ValueError`: nothing."""

# "1.5 years ago", "2-3 days ago", "two or three weeks ago", "half a year ago", "once in a week": not what the rest says.
_WHOLE = r"(?<!\d[.,:/–-])(?<!\bor )(?<!\bto )(?<!\bhalf )(?<!\bonce )(?<!\btwice )(?<!\btimes )"
_DIRECTION = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}


def _numbered(*words: str) -> dict[str, int]:
    return {form: value for value, forms in enumerate(words, 1) for form in forms.split("|")}


def _any(forms: Mapping[str, object] | Sequence[str]) -> str:
    return "|".join(sorted(map(re.escape, forms), key=len, reverse=True))


def _count(text: str, numbers: Mapping[str, int]) -> int:
    return int(text) if text.isdigit() else numbers[text]


def _counted(day: date, unit: str, count: int) -> str:
    return years_from(day, count) if unit == "year" else unit_from(day, unit, count)


def _english() -> tuple[Rule, ...]:
    numbers = _numbered(
        "one|a|an",
        "two|a couple of",
        *["three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    )
    count = rf"(?P<count>\d{{1,3}}|{_any(numbers)})"
    unit = "(?P<unit>day|week|weekend|month|year)"
    which = "(?:the |this )?(?P<which>last|past|previous|next|coming)"
    weekdays = {form: place for place, name in enumerate(WEEKDAYS) for form in (name, name[:3])}
    weekdays |= {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}
    return (
        (r"(?:the )?day before yesterday", lambda m, day: days_from(day, -2)),
        (r"(?:the )?day after tomorrow", lambda m, day: days_from(day, 2)),
        (r"yesterday|last night", lambda m, day: days_from(day, -1)),
        (r"today|tonight|this (?:morning|afternoon|evening)", lambda m, day: days_from(day, 0)),
        (r"tomorrow", lambda m, day: days_from(day, 1)),
        (
            rf"{_WHOLE}{count} {unit}s? (?:ago|back|earlier)",
            lambda m, day: _counted(day, m["unit"], -_count(m["count"], numbers)),
        ),
        (
            rf"{_WHOLE}{count} years now",
            lambda m, day: f"since {unit_from(day, 'year', -_count(m['count'], numbers))}",
        ),
        (
            rf"{_WHOLE}in {count} {unit}s?(?! or)",
            lambda m, day: unit_from(day, m["unit"], _count(m["count"], numbers)),
        ),
        (
            rf"{which} (?P<unit>week|weekend|month|year)(?!s|'s)",
            lambda m, day: span_from(day, m["unit"], _DIRECTION[m["which"]]),
        ),
        (r"this (?P<unit>week|weekend|month|year)", lambda m, day: unit_from(day, m["unit"], 0)),
        (
            r"(?:the |this )?(?P<which>last|past|previous|this|next|coming) (?P<season>spring|summer|autumn|fall)(?!s|'s)",
            lambda m, day: season_from(day, m["season"], _DIRECTION[m["which"]]),
        ),
        (
            rf"{which} (?P<weekday>{_any(weekdays)})",
            lambda m, day: weekday_from(day, weekdays[m["weekday"]], _DIRECTION[m["which"]]),
        ),
        (rf"last (?P<month>{_any(MONTHS)})", lambda m, day: last_month(day, MONTHS.index(m["month"]) + 1)),
    )


_GERMAN_DAYS = ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag")
_SPANISH_DAYS = ("lunes", "martes", "miércoles|miercoles", "jueves", "viernes", "sábado|sabado", "domingo")
_FRENCH_DAYS = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")


def _german() -> tuple[Rule, ...]:
    numbers = _numbered(
        "ein|eine|einem|einer",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
    )
    units = {"tag": "day", "tagen": "day", "woche": "week", "wochen": "week", "wochenende": "weekend",
             "wochenenden": "weekend", "monat": "month", "monaten": "month", "jahr": "year", "jahren": "year"}  # fmt: skip
    days = {form: place - 1 for form, place in _numbered(*_GERMAN_DAYS).items()}
    back, ahead = "letzte|vergangene|vorige", "nächste|kommende"
    which = rf"(?P<which>{back}|{ahead}|diese)(?:[nmrs]?)"

    def direction(m: Match) -> int:
        return 0 if m["which"] == "diese" else 1 if m["which"] in ahead.split("|") else -1

    return (
        (r"vorgestern", lambda m, day: days_from(day, -2)),
        (r"übermorgen", lambda m, day: days_from(day, 2)),
        (r"gestern", lambda m, day: days_from(day, -1)),
        (r"heute", lambda m, day: days_from(day, 0)),
        # "Guten Morgen" and "am Morgen" are written with a capital; people forget it after "guten" and "am".
        (
            r"(?<!guten )(?<!heute )(?<!gestern )(?<!jeden )(?<!am )(?<!der )(?<!den )(?-i:morgen)",
            lambda m, day: days_from(day, 1),
        ),
        (
            rf"(?P<way>vor|in) (?P<count>\d{{1,3}}|{_any(numbers)}) (?P<unit>{_any(units)})",
            lambda m, day: _counted(
                day, units[m["unit"]], _count(m["count"], numbers) * (-1 if m["way"] == "vor" else 1)
            ),
        ),
        (
            rf"{which} (?P<unit>woche|wochenende|monat|jahr)",
            lambda m, day: span_from(day, units[m["unit"]], direction(m)),
        ),
        (
            rf"(?P<which>{back}|{ahead})[nmr]? (?P<weekday>{_any(days)})",
            lambda m, day: weekday_from(day, days[m["weekday"]], direction(m)),
        ),
    )


def _spanish() -> tuple[Rule, ...]:
    numbers = _numbered(
        "un|una|uno",
        "dos|un par de",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "diez",
        "once",
        "doce",
    )
    units = {"día": "day", "dia": "day", "días": "day", "dias": "day", "semana": "week", "semanas": "week",
             "fin de semana": "weekend", "mes": "month", "meses": "month", "año": "year", "años": "year"}  # fmt: skip
    days = {form: place - 1 for form, place in _numbered(*_SPANISH_DAYS).items()}
    spans = r"(?P<unit>fin de semana|semana|mes|año)"
    back, ahead = "pasad[oa]", "próxim[oa]|proxim[oa]|que viene"

    def direction(m: Match) -> int:
        return -1 if m["which"].startswith("pasad") else 1

    return (
        (r"anteayer|antes de ayer", lambda m, day: days_from(day, -2)),
        (r"pasado mañana", lambda m, day: days_from(day, 2)),
        (r"ayer|anoche", lambda m, day: days_from(day, -1)),
        (r"hoy|esta (?:mañana|tarde|noche)", lambda m, day: days_from(day, 0)),
        (r"(?<!la )(?<!una )(?<!cada )(?<!media )(?<!buena )mañana", lambda m, day: days_from(day, 1)),
        (
            rf"(?<!desde )hace (?P<count>\d{{1,3}}|{_any(numbers)}) (?P<unit>{_any(units)})(?! que)",
            lambda m, day: _counted(day, units[m["unit"]], -_count(m["count"], numbers)),
        ),
        (
            rf"(?:dentro de|en) (?P<count>\d{{1,3}}|{_any(numbers)}) (?P<unit>{_any(units)})",
            lambda m, day: unit_from(day, units[m["unit"]], _count(m["count"], numbers)),
        ),
        (
            rf"(?:la|el) {spans} (?P<which>{back}|{ahead})",
            lambda m, day: span_from(day, units[m["unit"]], direction(m)),
        ),
        (
            rf"(?:la|el) (?P<which>{back}|próxim[oa]|proxim[oa]) {spans}",
            lambda m, day: span_from(day, units[m["unit"]], direction(m)),
        ),
        (rf"est[ae] {spans}", lambda m, day: unit_from(day, units[m["unit"]], 0)),
        (
            rf"el (?P<weekday>{_any(days)}) (?P<which>{back}|{ahead})",
            lambda m, day: weekday_from(day, days[m["weekday"]], direction(m)),
        ),
        (
            rf"el (?P<which>{back}|próximo|proximo) (?P<weekday>{_any(days)})",
            lambda m, day: weekday_from(day, days[m["weekday"]], direction(m)),
        ),
    )


def _french() -> tuple[Rule, ...]:
    numbers = _numbered(
        "un|une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"
    )
    units = {"jour": "day", "jours": "day", "semaine": "week", "semaines": "week", "week-end": "weekend",
             "week-ends": "weekend", "weekend": "weekend", "weekends": "weekend", "mois": "month", "an": "year",
             "ans": "year", "année": "year", "années": "year"}  # fmt: skip
    days = {form: place - 1 for form, place in _numbered(*_FRENCH_DAYS).items()}
    which = "(?P<which>derni(?:er|ère)|pass[ée]e?|prochaine?)"

    def direction(m: Match) -> int:
        return 1 if m["which"].startswith("prochain") else -1

    return (
        (r"avant[- ]hier", lambda m, day: days_from(day, -2)),
        (r"après[- ]demain", lambda m, day: days_from(day, 2)),
        (r"(?:hier)", lambda m, day: days_from(day, -1)),
        (r"aujourd['’]hui|ce (?:matin|soir)|cet après-midi|cette nuit", lambda m, day: days_from(day, 0)),
        (r"demain", lambda m, day: days_from(day, 1)),
        (
            rf"il y a (?P<count>\d{{1,3}}|{_any(numbers)}) (?P<unit>{_any(units)})(?! que)",
            lambda m, day: _counted(day, units[m["unit"]], -_count(m["count"], numbers)),
        ),
        (
            rf"dans (?P<count>\d{{1,3}}|{_any(numbers)}) (?P<unit>{_any(units)})",
            lambda m, day: unit_from(day, units[m["unit"]], _count(m["count"], numbers)),
        ),
        (
            rf"(?:la |le |l['’])(?P<unit>semaine|week-?end|mois|an|année) {which}",
            lambda m, day: span_from(day, units[m["unit"]], direction(m)),
        ),
        (
            r"(?:cette|ce) (?P<unit>semaine|week-?end|mois|année)(?:-ci)?",
            lambda m, day: unit_from(day, units[m["unit"]], 0),
        ),
        (
            rf"(?P<weekday>{_any(days)}) {which}",
            lambda m, day: weekday_from(day, days[m["weekday"]], direction(m)),
        ),
    )


@dataclass(frozen=True, slots=True)
class Bare:
    """A weekday without "last" or "next", which the tense of its sentence tells."""

    pattern: str
    """With a group `weekday`."""
    days: Mapping[str, int]
    past: str
    """What only a sentence about the past has."""
    future: str


BARE = (
    Bare(
        rf"on (?P<weekday>{_any(WEEKDAYS)})(?! (?:mornings|afternoons|evenings|nights))",
        {name: place for place, name in enumerate(WEEKDAYS)},
        r"\b(?:was|were|did|had|went|saw|got|came|took|met|made|said|told|bought|found|gave|left|felt|ate|ran|won|lost|"
        r"sent|spent|wrote|brought|began|broke|drove|fell|flew|heard|held|kept|paid|read|sang|sat|slept|swam|taught|"
        r"thought|wore)\b|(?<!\bam )(?<!'m )(?<!\bis )(?<!'s )(?<!\bare )(?<!'re )(?<!\bbe )(?<!\bso )(?<!\bvery )"
        r"(?<!\breally )(?<!\bget )\b[a-z]+[a-df-z]ed\b",
        r"\b(?:will|won't|shall|gonna|going to|want|wants|plan|plans|planning|hope|hoping|can|could|would|should|let's|"
        r"may|might|must|need|free|tomorrow|next|soon|can't|looking forward)\b|'ll\b|\b(?:am|is|are|'m|'re) \w+ing\b|'(?:m|re) \w+ing\b",
    ),
    Bare(
        rf"am (?P<weekday>{'|'.join(_GERMAN_DAYS)})(?!abends|morgens)",
        {form: place - 1 for form, place in _numbered(*_GERMAN_DAYS).items()},
        r"\b(?:war|warst|waren|wart|hatte|hatten|ging|gingen|kam|kamen|sah|sahen|gab|fuhr|fuhren|traf|wurde|wurden)\b"
        r"|\b(?:habe?|hast|hat|haben|habt|bin|bist|ist|sind|seid)\b.*\b(?:\w*ge\w+(?:t|en)|ver\w+(?:t|en)|be\w+(?:t|en))\b",
        r"\b(?:werde|wirst|wird|werden|will|willst|wollen|möchte|möchten|soll|sollen|muss|müssen|kann|können|könnte|"
        r"morgen|nächste\w?|bald|hoffentlich)\b",
    ),
    Bare(
        rf"el (?P<weekday>{'|'.join(_SPANISH_DAYS)})",
        {form: place - 1 for form, place in _numbered(*_SPANISH_DAYS).items()},
        r"\b(?:fui|fue|fuimos|fueron|estuve|estuvo|estuvimos|hice|hizo|hicimos|tuve|tuvo|tuvimos|vi|vio|vimos|vine|vino|"
        r"era|había|dije|dijo|compré)\b|\b\w+(?:aron|ieron|amos ayer|aste|iste)\b|\b\w{2,}(?<!r)é\b|\b\w{2,}ó\b",
        r"\b(?:voy|vas|va|vamos|van) a\b|\b\w+r(?:é|ás|á|emos|án)\b|\b(?:quiero|queremos|tengo que|puedo|podemos|mañana)\b",
    ),
    Bare(
        rf"(?<!le )(?<!les )(?<!chaque )(?<!ce )(?<!du )(?P<weekday>{'|'.join(_FRENCH_DAYS)})",
        {form: place - 1 for form, place in _numbered(*_FRENCH_DAYS).items()},
        r"(?:\b|['’])(?:ai|as|a|avons|avez|ont|suis|es|est|sommes|êtes|sont) (?:\w+ment |bien |déjà |pas )?\w+(?:é|ée|és|ées|i|is|it|u|ue|us)\b"
        r"|\b(?:était|étais|étions|étaient|avait|avais|avions|avaient)\b",
        r"\b(?:vais|vas|va|allons|allez|vont) \w+(?:er|ir|re)\b|\b\w{2,}r(?:ai|as|a|ons|ez|ont)\b|\b(?:veux|voudrais|peux|peut|demain|bientôt)\b",
    ),
)  # fmt: skip

RULES: tuple[Rule, ...] = (*_english(), *_german(), *_spanish(), *_french())

HERE = "hier"
"""Yesterday in French, here in German."""
FRENCH = re.compile(
    r"\b(?:je|tu|il|elle|on|nous|vous|ils|elles|les|une|des|du|est|était|avec|pas|mais|pour|qui|que|ce|cette|mon|ma|mes|et|chez|au|aux)\b"
    r"|(?:\b[jlcdmnst]|qu)['’]\w",
    re.IGNORECASE,
)
"""Small words that a French sentence has and a German one has not."""
