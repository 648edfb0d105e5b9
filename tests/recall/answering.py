"""Asking a scripted model about turns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from localmem.recall.answer import answer
from localmem.values import Answer, Workspace
from tests.fakes import ScriptedModel
from tests.recall.support import turn

UNKNOWN_REPLY = "[0] Not in memory."
MARCH = datetime(2025, 3, 4, 18, 30)
FERRY = turn("The ferry to Ullapool leaves at nine.", "Ann", at=MARCH)
CAR = turn("Dilip bought the Saab yesterday for 1,050.", "Ruben", at=MARCH)
CAT = turn("The cat is fine.", "Bob", at=MARCH)


def ask(
    question: str,
    shown: Workspace,
    *replies: str | Exception,
    context: int = 4096,
    verdicts: Sequence[str] = (),
) -> tuple[Answer, ScriptedModel, list[str]]:
    """The answer, the model and what was told while it was written. No scripted reply may be left."""
    model = ScriptedModel(replies, context=context, verdicts=verdicts)
    told: list[str] = []
    result = answer(question, shown, lambda: model, on_text=told.append)
    assert not model.replies
    return result, model, told


def cited(result: Answer) -> list[str]:
    assert [one.number for one in result.citations] == list(range(1, len(result.citations) + 1))
    return [one.stored.turn.text for one in result.citations]


def asked_of(model: ScriptedModel, call: int = 0) -> str:
    return model.prompts[call].messages[model.prompts[call].fixed].text
