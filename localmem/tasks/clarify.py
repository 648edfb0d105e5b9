"""What is said where nothing can be: a question back, or that nothing of it is known."""

from __future__ import annotations

_TEXTS = {
    "en": "I did not get what should change, so I changed nothing. Which entry do you mean, and what should become of it?",
    "de": "Ich habe nicht verstanden, was sich ändern soll, und nichts geändert. Welcher Eintrag ist gemeint, und was soll damit geschehen?",
    "es": "No he entendido qué debe cambiar y no he cambiado nada. ¿A qué entrada te refieres y qué hago con ella?",
}


def ask_back(language: str) -> str:
    """The question, in the user's language."""
    return _TEXTS[language]


_UNKNOWN = {
    "en": "I don't have that in memory.",
    "de": "Davon weiß ich nichts.",
    "es": "No tengo eso en la memoria.",
}


def unknown(language: str) -> str:
    """That neither the tasks nor anything said before holds what is asked, in the user's language."""
    return _UNKNOWN[language]


_KEPT = {
    "en": "That is a long text. I keep it, so you can ask about it; the tasks stay as they are.",
    "de": "Das ist ein langer Text. Er ist gemerkt, du kannst danach fragen; die Aufgaben bleiben, wie sie sind.",
    "es": "Es un texto largo. Lo guardo y puedes preguntar por él; las tareas quedan como están.",
}


def kept_only(language: str) -> str:
    """That a long text was kept and changed no task, in the user's language."""
    return _KEPT[language]
