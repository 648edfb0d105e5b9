"""Prompt files (`prompts/KIND.toml`) to prompts.

A file holds the instructions, a Jinja template for what is asked, and examples as data that the same
template renders. Instructions and examples are the fixed part of a prompt, which the engine keeps.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from localmem import resources
from localmem.llm.protocol import Message, Prompt, Speaker


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt kind: its fixed messages and its templates."""

    kind: str
    fixed: tuple[Message, ...]
    templates: Mapping[str, str]
    """Jinja sources by name; "turn" is what is asked."""

    def render(self, template: str, **values: Any) -> str:
        """Text of a template. An undefined name is an error, not an empty text."""
        return _render(self.templates[template], values)

    def prompt(self, *messages: Message, start: str = "") -> Prompt:
        """A prompt of this kind: the fixed messages, then these."""
        return Prompt(self.kind, (*self.fixed, *messages), len(self.fixed), start)


@cache
def load(kind: str) -> PromptFile:
    """The prompt file of a kind.

    Raises:
        FileNotFoundError: there is none.
    """
    data = tomllib.loads(resources.text("prompts", f"{kind}.toml"))
    examples = data.pop("examples", [])
    fixed = [Message(Speaker.SYSTEM, data.pop("system").strip())]
    for example in examples:
        reply = example.pop("reply")
        fixed.append(Message(Speaker.USER, _render(data["turn"], example)))
        fixed.append(Message(Speaker.ASSISTANT, reply))
    return PromptFile(kind, tuple(fixed), data)


def _render(source: str, values: Mapping[str, Any]) -> str:
    from jinja2 import Environment, StrictUndefined

    # The values are data for a model, not for a browser: nothing is escaped, and nothing in them is a template.
    environment = Environment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
    return environment.from_string(source).render(values).strip()
