"""The README's chat, turn by turn: what is shown there is what is replied."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import CommandLine

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def shown() -> list[tuple[str, str]]:
    """What is typed in the README's chat, and what is replied."""
    (block,) = re.findall(r"^```\n\$ localmem chat\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    turns = re.split(r"^> ", block, flags=re.MULTILINE)[1:]
    return [(said, reply.strip()) for said, _, reply in (turn.partition("\n") for turn in turns)]


WRITTEN = (
    "new: farewell party\n+ Marek\n+ date = Friday\n+ time = 6 pm\n+ Dana\n+ Yusuf\n+ Li",
    "none",
)
"""By the model, for the turns that code alone does not read."""


def test_the_replies_are_those_of_the_readme(localmem: CommandLine) -> None:
    localmem.replies.extend(WRITTEN)
    turns = shown()
    assert len(turns) >= 9
    result = localmem("chat", "-q", typed="".join(f"{said}\n" for said, _ in turns))
    assert [line.strip() for line in result.out.splitlines() if line.strip()] == [reply for _, reply in turns]
    assert (result.code, list(localmem.replies)) == (0, [])
