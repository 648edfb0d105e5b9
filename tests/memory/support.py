"""A memory with engines that are not real, and a talk to put into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localmem.memory import Memory
from localmem.store import Store
from tests.fakes import HashingEmbedder, ScriptedModel

TALK = "Ann: The ferry to Ullapool leaves at nine.\nBob: Thanks!\nAnn: Bring a coat, it is cold.\n"


def refuse() -> ScriptedModel:
    raise AssertionError("a model of language was made")


def no_embedder() -> HashingEmbedder:
    raise AssertionError("an embedder was made")


def opened(
    path: Path,
    *,
    embedder: Callable[[], HashingEmbedder] = HashingEmbedder,
    model: Callable[[], ScriptedModel] = refuse,
) -> Memory:
    return Memory(Store.open(path), embedder=embedder, model=model)
