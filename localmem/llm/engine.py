"""A GGUF model that keeps the prompts it has read: the `LanguageModel` of llama.cpp."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self, TypeVar

import numpy as np

from localmem.errors import ContextOverflowError, EngineError, GrammarError, TruncatedError
from localmem.llm import grammar as grammars
from localmem.llm import hardware, native
from localmem.llm.chat import ChatTemplate, tokenize
from localmem.llm.constraint import NativeGrammar
from localmem.llm.prefix_store import PrefixStore, prefix_key
from localmem.llm.protocol import Generation, Odds, Prompt, States
from localmem.llm.sampler import Sampler
from localmem.llm.sequences import Kept, Sequences, common_prefix
from localmem.llm.stream import TextStream
from localmem.llm.vocabulary import Vocabulary
from localmem.settings import Settings
from localmem.settings import settings as environment_settings
from localmem.values import Usage

SEQUENCES = 16
"""Kinds of prompts that stay resident; more take turns."""
SMALLEST_SAVED = 32
"""Tokens; a shorter fixed part is read faster than restored."""

STATES = "states"
"""Kind of the sequence that texts are read in for their states."""

log = logging.getLogger(__name__)

_Made = TypeVar("_Made")
_Step = Callable[[int, Sequence[int], int, Callable[[int], None]], _Made]


class LlamaModel:
    """A loaded model. Calls from several threads wait for each other.

    See `localmem.llm.load` for arguments and errors.
    """

    def __init__(
        self,
        path: Path,
        *,
        id: str | None = None,
        digest: str | None = None,
        settings: Settings | None = None,
        template: str | None = None,
    ) -> None:
        settings = settings or environment_settings()
        native.check_file(path)
        self._digest = digest or fingerprint(path)
        self.id = id or f"{path.stem}-{self._digest[:12]}"
        self._lock = threading.Lock()
        self._lib = native.library()
        self._model = native.Model(self._lib, path, settings.gpu_layers)
        try:
            self._open(path, settings, template)
        except BaseException:
            self.close()
            raise

    def _open(self, path: Path, settings: Settings, template: str | None) -> None:
        lib, model = self._lib, self._model.pointer
        self._vocabulary = Vocabulary(lib, model)
        bos = lib.llama_vocab_bos(self._vocabulary.pointer)
        self._bos = bos if bos >= 0 and lib.llama_vocab_get_add_bos(self._vocabulary.pointer) else None
        if lib.llama_model_has_encoder(model) or not lib.llama_model_has_decoder(model):
            raise EngineError(f"{path.name} does not write text", hint="Choose an instruct or chat model.")
        own = lib.llama_model_chat_template(model, None)
        if template is None and own is None:
            raise EngineError(
                f"{path.name} has no chat template: it is not a chat model",
                hint="Choose an instruct or chat model.",
            )
        self._template = ChatTemplate(
            template if template is not None else own.decode("utf-8", "replace"),
            bos=self._vocabulary.token_text(bos),
            eos=self._vocabulary.token_text(lib.llama_vocab_eos(self._vocabulary.pointer)),
        )
        cores = hardware.physical_cores()
        self._context = native.Context(
            lib,
            self._model,
            vocabulary_size=self._vocabulary.size,
            cells=settings.context,
            batch=settings.batch,
            sequences=SEQUENCES,
            threads=settings.threads or cores,
            threads_batch=settings.threads_batch or settings.threads or cores,
            flash_attention=settings.flash_attention,
        )
        self._limit: int = min(settings.context, lib.llama_model_n_ctx_train(model))
        self._sequences = Sequences(SEQUENCES, self._context.cells)
        self._store = PrefixStore(settings.prefixes_dir)
        self._identity = f"{self._digest} {native.version()} {self._context.settings}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the engine's memory; further calls do nothing."""
        with self._lock:
            context = getattr(self, "_context", None)
            if context is not None:
                context.close()
            self._model.close()

    @property
    def context(self) -> int:
        """Tokens that a prompt and its reply may have together."""
        return self._limit

    def count(self, text: str) -> int:
        """Tokens of `text` as data."""
        with self._lock:
            self._check_open()
            return len(self._vocabulary.data(text))

    def count_prompt(self, prompt: Prompt) -> int:
        """Tokens of the whole rendered prompt, template markers included."""
        with self._lock:
            self._check_open()
            return len(self._tokens(prompt)[0])

    def count_fixed(self, prompt: Prompt) -> int:
        """Tokens of the prompt's fixed part, up to the end of its last fixed message."""
        with self._lock:
            self._check_open()
            return self._tokens(prompt)[1]

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
        compiled = None if grammar is None else grammars.compile(grammar)
        with self._lock:
            self._check_open()
            tokens, fixed = self._tokens(prompt)
            if len(tokens) + max_tokens > self._limit:
                raise ContextOverflowError(
                    f"The prompt has {len(tokens)} tokens and the reply may have {max_tokens}; "
                    f"the context holds {self._limit}",
                    hint="Shorten the prompt, or set LOCALMEM_CONTEXT higher.",
                )
            kept, evaluated = self._read(prompt.kind, tokens, fixed, max_tokens)
            constraint = None
            if compiled is not None:
                constraint = NativeGrammar(self._lib, self._vocabulary, compiled.text)
            try:
                sampler = Sampler(
                    temperature=temperature,
                    seed=seed,
                    banned=self._vocabulary.control - self._vocabulary.end,
                    constraint=constraint,
                )
                stream = TextStream(on_text)
                generated, whole = self._write(kept, sampler, constraint, max_tokens, stream, until)
                text = stream.text
            finally:
                if constraint is not None:
                    constraint.close()
        if compiled is not None and whole and not compiled.accepts(text):
            raise GrammarError(
                f"The reply does not match its grammar: {text[:80]!r}", hint="Mend the grammar."
            )
        return Generation(text, Usage(len(tokens), evaluated, generated, calls=1), whole)

    def states(self, lead: str, pieces: Sequence[str]) -> States:
        """What the model makes of a text: see `StateModel.states`."""
        with self._lock:
            self._check_open()
            head = self._vocabulary.data(lead)
            parts = [
                self._vocabulary.data(f" {piece}" if place else piece) for place, piece in enumerate(pieces)
            ]
            tokens = [*head, *(token for part in parts for token in part)]
            if len(tokens) > self._limit:
                raise ContextOverflowError(
                    f"The text has {len(tokens)} tokens; the context holds {self._limit}",
                    hint="Shorten the text, or set LOCALMEM_CONTEXT higher.",
                )
            kept = self._room(STATES, len(tokens))
            kept.fixed = len(head)
            served = self._trim(kept, min(common_prefix(kept.tokens, tokens), len(head)))
            self._decode(kept, head[served:])
            vectors = self._advanced(kept, self._context.states, tokens[len(head) :])
        ends = np.cumsum([len(part) for part in parts])
        return States(
            tuple(np.split(vectors, ends[:-1])), Usage(len(tokens), len(tokens) - served, 0, calls=1)
        )

    def odds(self, prompt: Prompt, replies: tuple[str, str] = ("yes", "no")) -> Odds:
        """How much likelier one reply is than another: see `JudgeModel.odds`."""
        with self._lock:
            self._check_open()
            first, other = (self._vocabulary.data(reply)[0] for reply in replies)
            if first == other:
                raise ValueError(f"{replies[0]!r} and {replies[1]!r} begin alike")
            tokens, fixed = self._tokens(prompt)
            if len(tokens) > self._limit:
                raise ContextOverflowError(
                    f"The prompt has {len(tokens)} tokens; the context holds {self._limit}",
                    hint="Shorten the prompt, or set LOCALMEM_CONTEXT higher.",
                )
            _, evaluated = self._read(prompt.kind, tokens, fixed, 0)
            logits = self._context.logits()
            log_odds = float(logits[first]) - float(logits[other])
        return Odds(log_odds, Usage(len(tokens), evaluated, 0, calls=1))

    def _check_open(self) -> None:
        if self._model.pointer is None:
            raise EngineError("The model is closed", hint="Load it again.")

    def _tokens(self, prompt: Prompt) -> tuple[list[int], int]:
        """Tokens of a prompt, and how many of them are its fixed part."""
        segments = self._template.segments(prompt.messages, prompt.start)
        return tokenize(segments, prompt.fixed, self._vocabulary, self._bos)

    def _read(self, kind: str, tokens: list[int], fixed: int, reply: int) -> tuple[Kept, int]:
        """Bring the sequence of `kind` to hold exactly `tokens`; how many of them were evaluated."""
        kept = self._room(kind, len(tokens) + reply)
        # The last token is always read, for its logits.
        fixed = kept.fixed = min(fixed, len(tokens) - 1)
        served = min(common_prefix(kept.tokens, tokens), len(tokens) - 1)
        if served < len(kept.tokens):
            served = self._trim(kept, served)
        if served < fixed and fixed >= SMALLEST_SAVED:
            key = prefix_key(self._identity, tokens[:fixed])
            served = self._restore(kept, key, tokens[:fixed])
            if served < fixed:
                self._decode(kept, tokens[served:fixed])
                self._store.save(key, tokens[:fixed], self._context.save(kept.number))
        self._decode(kept, tokens[len(kept.tokens) :])
        return kept, len(tokens) - served

    def _room(self, kind: str, cells: int) -> Kept:
        """The sequence of `kind`, with room to grow to so many cells."""
        evicted = self._sequences.evictable(kind)
        if evicted is not None:
            self._cut(evicted, 0)
        for other, length in self._sequences.cuts(kind, cells):
            self._cut(other, length)
        kept = self._sequences.take(kind)
        if self._context.length(kept.number) != len(kept.tokens):
            # An interruption fell between the engine's step and our note of it.
            self._trim(kept, 0)
        return kept

    def _write(
        self,
        kept: Kept,
        sampler: Sampler,
        constraint: NativeGrammar | None,
        max_tokens: int,
        stream: TextStream,
        until: Callable[[str], bool] | None,
    ) -> tuple[int, bool]:
        """Generate until the reply ends: how many tokens it took, and whether the model itself ended it."""
        generated = 0
        while True:
            token = sampler.choose(self._context.logits())
            if token in self._vocabulary.end:
                stream.close()
                return generated, True
            if generated == max_tokens:
                raise TruncatedError(
                    f"The reply reached its limit of {max_tokens} tokens",
                    text=stream.close(),
                    hint="Allow more tokens, or ask for less.",
                )
            if constraint is not None:
                constraint.accept(token)
            self._decode(kept, [token])
            generated += 1
            if stream.feed(self._vocabulary.piece(token)) and until is not None and until(stream.text):
                return generated, False

    def _decode(self, kept: Kept, tokens: list[int]) -> None:
        self._advanced(kept, self._context.decode, tokens)

    def _advanced(self, kept: Kept, step: _Step[_Made], tokens: list[int]) -> _Made:
        """Let the context read tokens at the end of a sequence, and note which it holds then."""
        read = 0

        def done(count: int) -> None:
            nonlocal read
            kept.tokens += tokens[read : read + count]
            read += count

        try:
            return step(kept.number, tokens, len(kept.tokens), done)
        except BaseException:
            # What we know of the sequence must be what it holds.
            self._trim(kept, len(kept.tokens))
            raise

    def _restore(self, kept: Kept, key: str, tokens: list[int]) -> int:
        """Fill a sequence from disk; the number of tokens that it holds then."""
        state = self._store.load(key, tokens)
        if state is None:
            return len(kept.tokens)
        self._trim(kept, 0)
        if self._context.restore(kept.number, state):
            kept.tokens = list(tokens)
            return len(tokens)
        log.warning("The engine refuses a kept prefix; it is evaluated again.")
        self._store.delete(key)
        return 0

    def _cut(self, kept: Kept, length: int) -> None:
        if self._trim(kept, length) == 0:
            self._sequences.drop(kept)

    def _trim(self, kept: Kept, length: int) -> int:
        length = length if self._context.trim(kept.number, length) else 0
        del kept.tokens[length:]
        return length


def fingerprint(path: Path) -> str:
    """A digest of a file's size and of 64 blocks spread over it: as good as unique, and read in milliseconds."""
    size = path.stat().st_size
    digest = hashlib.sha256(str(size).encode("ascii"))
    block, blocks = 1 << 16, 64
    with path.open("rb") as file:
        for index in range(blocks):
            file.seek(max(size - block, 0) * index // (blocks - 1))
            digest.update(file.read(block))
    return digest.hexdigest()
