"""Prompt kinds: `prompts/KIND.toml` holds instructions and examples, `prompts/KIND.j2` what is asked.

The template renders the examples and the real question alike. Instructions and examples are the fixed part
of a prompt, which the engine keeps.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from localmem import resources
from localmem.llm import templates
from localmem.llm.protocol import Message, Prompt, Speaker


@dataclass(frozen=True, slots=True)
class PromptKind:
    """What all prompts of a kind begin with."""

    name: str
    fixed: tuple[Message, ...]

    def ask(self, **values: object) -> Message:
        """What is asked, as a message, from the values that the template uses."""
        return Message(Speaker.USER, templates.render(f"{self.name}.j2", **values))

    def example(self, reply: str, **values: object) -> tuple[Message, Message]:
        """Question and reply of one more example, for a prompt whose fixed ones are not enough."""
        return self.ask(**values), Message(Speaker.ASSISTANT, reply)

    def prompt(self, *messages: Message, start: str = "") -> Prompt:
        """A prompt of this kind: the fixed messages, then these."""
        return Prompt(self.name, (*self.fixed, *messages), len(self.fixed), start)


@cache
def load(name: str) -> PromptKind:
    """The prompt kind of that name.

    Raises:
        FileNotFoundError: there is none.
    """
    data = tomllib.loads(resources.text("prompts", f"{name}.toml"))
    fixed = [Message(Speaker.SYSTEM, data["system"].strip())]
    for example in data["examples"]:
        reply = example.pop("reply")
        fixed.append(Message(Speaker.USER, templates.render(f"{name}.j2", **example)))
        fixed.append(Message(Speaker.ASSISTANT, reply))
    return PromptKind(name, tuple(fixed))
