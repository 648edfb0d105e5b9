"""A short question back, where a turn asks for something that could not be understood."""

from __future__ import annotations

_TEXTS = {
    "en": "I did not get what should change, so I changed nothing. Which entry do you mean, and what should become of it?",
    "de": "Ich habe nicht verstanden, was sich ändern soll, und nichts geändert. Welcher Eintrag ist gemeint, und was soll damit geschehen?",
    "es": "No he entendido qué debe cambiar y no he cambiado nada. ¿A qué entrada te refieres y qué hago con ella?",
}


def ask_back(language: str) -> str:
    """The question, in the user's language."""
    return _TEXTS[language]
