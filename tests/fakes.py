"""Stand-ins for the engines, so that most tests take milliseconds."""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from localmem.llm.protocol import Generation, Prompt
from localmem.values import Usage


class HashingEmbedder:
    """Bag of hashed word stems: texts that share words get similar vectors, the same on every machine."""

    def __init__(self, dimension: int = 64, id: str = "fake-hashing") -> None:
        self.id = id
        self.dimension = dimension
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.encoded.extend(texts)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                digest = zlib.crc32(word[:6].encode())
                vectors[row, digest % self.dimension] += 1.0 if digest & 0x10000 else -1.0
            vectors[row, zlib.crc32(text.encode()) % self.dimension] += 0.01
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class ScriptedModel:
    """Answers from a queue and records every call. An exception in the queue is raised.

    The question whether turns give an answer (prompts of kind "check") has a queue of its own, and "yes" when
    that is empty.
    """

    def __init__(
        self,
        replies: Iterable[str | BaseException] = (),
        context: int = 4096,
        verdicts: Iterable[str] = (),
    ) -> None:
        self.id = "fake-scripted"
        self.context = context
        self.replies = deque(replies)
        self.verdicts = deque(verdicts)
        self.checks: list[Prompt] = []
        self.prompts: list[Prompt] = []
        self.grammars: list[str | None] = []

    def count(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def count_prompt(self, prompt: Prompt) -> int:
        return sum(self.count(message.text) + 4 for message in prompt.messages)

    def generate(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        grammar: str | None = None,
        temperature: float = 0.0,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
        until: Callable[[str], bool] | None = None,
    ) -> Generation:
        if prompt.kind == "check":
            self.checks.append(prompt)
            verdict = self.verdicts.popleft() if self.verdicts else "yes"
            return Generation(verdict, Usage(calls=1))
        self.prompts.append(prompt)
        self.grammars.append(grammar)
        if not self.replies:
            raise AssertionError(f"no scripted reply left for a {prompt.kind!r} prompt")
        reply = self.replies.popleft()
        if isinstance(reply, BaseException):
            raise reply
        written = ""
        whole = True
        for piece in re.findall(r"\s*\S+\s*", reply):
            written += piece
            if on_text is not None:
                on_text(piece)
            if until is not None and until(written):
                whole = written == reply
                break
        tokens = self.count_prompt(prompt)
        return Generation(written, Usage(tokens, tokens, self.count(written), calls=1), whole)
