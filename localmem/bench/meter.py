"""What a system's calls cost, measured where they reach the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from localmem.errors import EngineError
from localmem.llm.protocol import Generation, LanguageModel, Prompt, StateModel, States


@dataclass(frozen=True, slots=True)
class Tokens:
    """Sums over some calls."""

    prompt: int = 0
    evaluated: int = 0
    """Prompt tokens that the model really read, without the fixed parts of prompts, which are read once."""
    fixed: int = 0
    """Tokens of fixed parts that it really read."""
    written: int = 0
    calls: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        """Sum, field by field."""
        return Tokens(
            self.prompt + other.prompt,
            self.evaluated + other.evaluated,
            self.fixed + other.fixed,
            self.written + other.written,
            self.calls + other.calls,
        )


class Meter:
    """A model lent to one system after the other: counts what goes through it, and stays open when they close it."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._fixed: dict[tuple[object, ...], int] = {}
        self._spent: dict[str, Tokens] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    @property
    def id(self) -> str:
        """As the model's."""
        return self._model.id

    @property
    def context(self) -> int:
        """As the model's."""
        return self._model.context

    def close(self) -> None:
        """Do nothing: the model belongs to who lends it."""

    def take(self) -> dict[str, Tokens]:
        """What was spent since the last time, by kind of prompt."""
        spent, self._spent = self._spent, {}
        return spent

    def count(self, text: str) -> int:
        """As the model's."""
        return self._model.count(text)

    def count_prompt(self, prompt: Prompt) -> int:
        """As the model's."""
        return self._model.count_prompt(prompt)

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
        """Write a reply: see `LanguageModel.generate`."""
        try:
            made = self._model.generate(
                prompt,
                max_tokens=max_tokens,
                grammar=grammar,
                temperature=temperature,
                seed=seed,
                on_text=on_text,
                until=until,
            )
        except EngineError as error:
            # What such a call read is not told; its whole prompt is the most that it can be.
            size = self._model.count_prompt(prompt)
            written = self._model.count(getattr(error, "text", ""))
            self._add(prompt, size, size, written, 1)
            raise
        usage = made.usage
        self._add(prompt, usage.prompt_tokens, usage.evaluated_tokens, usage.generated_tokens, usage.calls)
        return made

    def states(self, lead: str, pieces: Sequence[str]) -> States:
        """As the model's: see `StateModel.states`."""
        if not isinstance(self._model, StateModel):
            raise EngineError(f"{self.id} gives no states")
        found = self._model.states(lead, pieces)
        usage = found.usage
        tokens = Tokens(usage.prompt_tokens, usage.evaluated_tokens, 0, 0, usage.calls)
        self._spent["states"] = self._spent.get("states", Tokens()) + tokens
        return found

    def _add(self, prompt: Prompt, size: int, evaluated: int, written: int, calls: int) -> None:
        changing = min(evaluated, max(size - self._fixed_tokens(prompt), 0))
        tokens = Tokens(size, changing, evaluated - changing, written, calls)
        self._spent[prompt.kind] = self._spent.get(prompt.kind, Tokens()) + tokens

    def _fixed_tokens(self, prompt: Prompt) -> int:
        fixed = prompt.messages[: prompt.fixed]
        key = (prompt.kind, fixed)
        if key not in self._fixed:
            count = getattr(self._model, "count_fixed", None)
            self._fixed[key] = (
                count(prompt)
                if count is not None
                else self._model.count_prompt(Prompt(prompt.kind, fixed, prompt.fixed))
            )
        return self._fixed[key]
