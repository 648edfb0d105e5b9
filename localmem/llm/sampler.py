"""Logits to the next token, under a constraint or free."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from localmem.errors import GrammarError

TOP_P = 0.95
"""Nucleus sampling: the smallest set of tokens with this share of the mass (arXiv 1904.09751)."""
MIN_P = 0.05
"""Tokens less likely than this share of the likeliest are left out (arXiv 2407.01082)."""
_FIRST_LOOK = 256
"""Likeliest tokens that are tried before a grammar is applied to the whole vocabulary."""


class Constraint(Protocol):
    """What may come next."""

    def allows(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of `tokens` may come next."""

    def accept(self, token: int) -> None:
        """Take an allowed token as the next one."""


class Sampler:
    """Chooses tokens; equal seeds and logits give equal choices.

    Args:
        temperature: 0 takes the likeliest token; above, logits are divided by it and a token is drawn.
        seed: of the draws.
        banned: tokens that never come.
        constraint: what may come next, or None.
    """

    def __init__(
        self,
        *,
        temperature: float = 0.0,
        seed: int = 0,
        banned: Iterable[int] = (),
        constraint: Constraint | None = None,
    ) -> None:
        self._temperature = temperature
        self._random = np.random.default_rng(abs(seed))
        self._banned = np.fromiter(banned, dtype=np.int64)
        self._constraint = constraint

    def choose(self, logits: NDArray[np.float32]) -> int:
        """The next token. Writes into `logits`, shape (vocabulary,).

        The token is chosen freely first and only checked against the constraint: asking about one token is
        cheap, about the whole vocabulary is not. A free draw that is allowed, or else a draw among what is
        allowed, has the same distribution as a draw among what is allowed, but for the unlikely tokens that are
        left out of each draw.

        Raises:
            GrammarError: the constraint allows no token at all.
        """
        logits[self._banned] = -np.inf
        token = self._draw(logits)
        constraint = self._constraint
        if constraint is None or constraint.allows(np.array([token], dtype=np.int32))[0]:
            return token
        if self._temperature <= 0:
            first = (
                np.argpartition(logits, -_FIRST_LOOK)[-_FIRST_LOOK:] if len(logits) > _FIRST_LOOK else None
            )
            if first is not None:
                allowed = first[constraint.allows(first.astype(np.int32))]
                if len(allowed) and np.isfinite(logits[allowed]).any():
                    # Equal logits: the lowest id, as argmax over all would give.
                    allowed.sort()
                    return int(allowed[np.argmax(logits[allowed])])
        logits[~constraint.allows(np.arange(len(logits), dtype=np.int32))] = -np.inf
        if not np.isfinite(logits).any():
            raise GrammarError(
                "The grammar allows nothing that the model can write", hint="Mend the grammar."
            )
        return self._draw(logits)

    def _draw(self, logits: NDArray[np.float32]) -> int:
        if self._temperature <= 0:
            return int(np.argmax(logits))
        shares = np.exp((logits - logits.max()).astype(np.float64) / self._temperature)
        candidates = np.flatnonzero(shares >= MIN_P)
        candidates = candidates[np.argsort(-shares[candidates], kind="stable")]
        mass = np.cumsum(shares[candidates])
        # `shares` of all tokens is the mass that top-p is a share of.
        kept = int(np.searchsorted(mass, TOP_P * shares.sum())) + 1
        candidates = candidates[:kept]
        weights = shares[candidates]
        return int(self._random.choice(candidates, p=weights / weights.sum()))
