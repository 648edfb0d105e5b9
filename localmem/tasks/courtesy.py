"""Short answers to what neither tells nor asks anything."""

from __future__ import annotations

import re

from localmem.tasks.cues import folded
from localmem.tasks.phrases import Phrases
from localmem.tasks.reading import Reading

_THANKS = r"\b(thank|thx|cheers|appreciate|danke|dank|gracias)\w*"
_HELLO = r"^\W*(hello|hi|hiya|hey|good (morning|afternoon|evening)|hallo|moin|guten (morgen|tag|abend)|hola|buen(os|as) (días|tardes))\b"
_BYE = r"\b(bye|goodbye|see (you|ya)|good night|brb|tschüss|bis (bald|später|dann|morgen)|gute nacht|adiós|hasta (luego|pronto|mañana))\b"
_FINE = r"^\W*(ok(ay)?|great|perfect|cool|nice|sure|alright|all right|sounds good|super|toll|prima|perfekt|alles klar|passt|genial|perfecto|vale|de acuerdo)\W*$"


def courtesy(reading: Reading, phrases: Phrases) -> str:
    """An answer that says nothing about the tasks."""
    text = folded(reading.text)
    for pattern, answer in (
        (_THANKS, phrases.welcome),
        (_BYE, phrases.bye),
        (_HELLO, phrases.hello),
        (_FINE, phrases.fine),
    ):
        if re.search(pattern, text):
            return answer
    return phrases.chatter
