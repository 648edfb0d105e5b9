"""A model's chat template: messages to segments that are either the template's own text or data.

The template comes out of a model file, so it runs in a sandbox. It never sees what people typed: each
message is put in as an unguessable word, and the rendered text is split at these words. So the engine can
read the template's markers as control tokens, and everything else as plain text.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from localmem.errors import EngineError
from localmem.llm.protocol import Message, Speaker

if TYPE_CHECKING:
    import jinja2

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The ChatML format, for models whose file has no template of its own."""

_MAX_TEMPLATE = 200_000
"""Characters; the longest templates in use have about 20,000."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a rendered prompt."""

    text: str
    message: int | None
    """Index of the message that the text is from; None: the template's own text, control tokens included."""


class ChatTemplate:
    """A compiled chat template.

    Raises:
        EngineError: the template is not one, or too long.
    """

    def __init__(self, source: str, *, bos: str = "", eos: str = "") -> None:
        import jinja2

        if len(source) > _MAX_TEMPLATE:
            raise EngineError(
                f"The model's chat template has {len(source)} characters",
                hint="Choose another model; this is no usual template.",
            )
        self._special = {"bos_token": bos, "eos_token": eos}
        try:
            self._template = _environment().from_string(source)
        except jinja2.TemplateError as error:
            raise EngineError(
                f"The model's chat template does not compile: {error}", hint="Choose another model file."
            ) from None

    def segments(self, messages: Sequence[Message], start: str = "") -> tuple[Segment, ...]:
        """The prompt for the assistant's reply to `messages`, in order.

        A template that refuses the messages' order gets them once more with the system message folded into
        the next user message and neighbours of one speaker joined by an empty line.

        Args:
            messages: the conversation so far.
            start: first characters of the reply; their segment has the index `len(messages)`.

        Raises:
            EngineError: the template refuses the messages, or leaves one out.
        """
        word = f"localmem{secrets.token_hex(16)}"
        turns = [(message.speaker.value, f"{word}x{index}x") for index, message in enumerate(messages)]
        try:
            try:
                rendered = self._render(turns)
            except _RefusedError:
                rendered = self._render(_folded(turns))
        except Exception as error:  # it is somebody's program, and may raise anything
            raise EngineError(
                f"The model's chat template refuses the prompt: {error}", hint="Choose another model."
            ) from None
        segments: list[Segment] = []
        for place, piece in enumerate(re.split(f"{word}x([0-9]+)x", rendered)):
            if place % 2:
                segments.append(Segment(messages[int(piece)].text, int(piece)))
            elif piece:
                segments.append(Segment(piece, None))
        missing = set(range(len(messages))) - {segment.message for segment in segments}
        if missing:
            speaker = messages[min(missing)].speaker.value
            raise EngineError(
                f"The model's chat template leaves out a {speaker} message", hint="Choose another model."
            )
        if start:
            segments.append(Segment(start, len(messages)))
        return tuple(segments)

    def _render(self, turns: list[tuple[str, str]]) -> str:
        return self._template.render(
            messages=[{"role": role, "content": content} for role, content in turns],
            add_generation_prompt=True,
            enable_thinking=False,
            **self._special,
        )


class Tokenizer(Protocol):
    """Text to tokens, in two ways."""

    def special(self, text: str) -> list[int]:
        """Tokens of a template's text, its markers as control tokens."""

    def data(self, text: str) -> list[int]:
        """Tokens of a text in which nothing is a control token."""


def tokenize(
    segments: Sequence[Segment], fixed: int, tokenizer: Tokenizer, bos: int | None = None
) -> tuple[list[int], int]:
    """Tokens of a prompt, and how many of them depend on the first `fixed` messages only.

    Segments are tokenized one by one, so that the fixed part has the same tokens whatever follows it; it ends
    with the last fixed message.

    Args:
        segments: of `ChatTemplate.segments`.
        fixed: how many messages never change.
        tokenizer: of the model.
        bos: token that must come first, where the template did not write it itself.
    """
    edge = _fixed_segments(segments, fixed)
    tokens: list[int] = []
    length = 0
    for index, segment in enumerate(segments):
        tokens += (tokenizer.special if segment.message is None else tokenizer.data)(segment.text)
        if index == 0 and bos is not None and tokens[:1] != [bos]:
            tokens.insert(0, bos)
        if index + 1 == edge:
            length = len(tokens)
    return tokens, length


def _fixed_segments(segments: Sequence[Segment], fixed: int) -> int:
    """How many leading segments depend on the first `fixed` messages only, up to the end of the last of them."""
    end = 0
    for index, segment in enumerate(segments):
        if segment.message is not None:
            if segment.message >= fixed:
                break
            end = index + 1
    return end


class _RefusedError(Exception):
    """The template called `raise_exception`."""


def _folded(turns: list[tuple[str, str]]) -> list[tuple[str, str]]:
    folded: list[tuple[str, str]] = []
    for role, content in turns:
        speaker = Speaker.USER.value if role == Speaker.SYSTEM.value else role
        if folded and folded[-1][0] == speaker:
            folded[-1] = (speaker, f"{folded[-1][1]}\n\n{content}")
        else:
            folded.append((speaker, content))
    return folded


def _environment() -> jinja2.Environment:
    import jinja2
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` marks the assistant's text for training; for us it is only its content."""

        tags = {"generation"}  # noqa: RUF012 - the base class declares it so

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    def refuse(message: str) -> NoReturn:
        raise _RefusedError(message)

    def to_json(value: Any, indent: int | None = None, **_: Any) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.Undefined,
        extensions=["jinja2.ext.loopcontrols", Generation],
    )
    environment.filters["tojson"] = to_json
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda pattern: datetime.now().strftime(pattern)
    return environment
