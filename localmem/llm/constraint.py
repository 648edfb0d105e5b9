"""llama.cpp's grammar sampler as a constraint: which tokens may come next."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from localmem.errors import GrammarError
from localmem.llm.vocabulary import Vocabulary

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""Layout of `llama_token_data`."""


class NativeGrammar:
    """A running grammar. Close it.

    Args:
        lib: the module `llama_cpp.llama_cpp`.
        vocabulary: of the model that writes.
        text: GBNF that `localmem.llm.grammar.compile` has accepted; others may end the process.

    Raises:
        GrammarError: the engine refuses the grammar.
    """

    def __init__(self, lib: Any, vocabulary: Vocabulary, text: str) -> None:
        self._lib = lib
        self._sampler = lib.llama_sampler_init_grammar(vocabulary.pointer, text.encode("utf-8"), b"root")
        if not self._sampler:
            raise GrammarError("The engine refuses the grammar", hint="Mend the grammar.")

    def allows(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which of `tokens` may come next, the ends of a reply included."""
        candidates = np.zeros(len(tokens), dtype=_CANDIDATE)
        candidates["id"] = tokens
        lib = self._lib
        data = candidates.ctypes.data_as(lib.llama_token_data_p)
        array = lib.llama_token_data_array(data, len(tokens), -1, False)
        lib.llama_sampler_apply(self._sampler, ctypes.byref(array))
        allowed: NDArray[np.bool_] = np.isfinite(candidates["logit"])
        return allowed

    def accept(self, token: int) -> None:
        """Take an allowed token as the next one; any other may end the process."""
        self._lib.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        """Free it."""
        if self._sampler:
            self._lib.llama_sampler_free(self._sampler)
            self._sampler = None
