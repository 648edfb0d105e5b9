"""Prompts for the tests of the engine."""

from __future__ import annotations

from localmem.llm.protocol import Message, Prompt, Speaker

RULES = "You answer questions about cities in one short sentence. " * 6
WORD = "root ::= [a-zA-Z ]{1,40}"


def question(text: str, kind: str = "answer", rules: str = RULES, start: str = "") -> Prompt:
    messages = (Message(Speaker.SYSTEM, f"{kind}: {rules}"), Message(Speaker.USER, text))
    return Prompt(kind, messages, fixed=1, start=start)
