"""llama.cpp's model and context behind a few calls that raise our errors and never print."""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from localmem.errors import EngineError
from localmem.llm import hardware

log = logging.getLogger("localmem.llm.engine")
_LEVELS = {3: logging.INFO, 4: logging.INFO}
"""Engine level (3 is a warning, 4 an error) to ours. What goes wrong is told by an exception, so nothing here is
loud enough to be printed where logging is not set up."""
_errors: list[str] = []
_callback: Any = None
_MAGIC = b"GGUF"
WAIT_POLICY = "OMP_WAIT_POLICY"
"""The person's own choice, where set, counts."""


def library() -> Any:
    """The module `llama_cpp.llama_cpp`, with its log going to `logging`.

    Raises:
        EngineError: it is not installed, or its shared library does not load here.
    """
    global _callback
    try:
        with _patient_threads():
            import llama_cpp.llama_cpp as lib
    except (ImportError, OSError, RuntimeError) as error:
        raise EngineError(
            f"llama.cpp does not load: {error}",
            hint="Install it again: pip install --force-reinstall llama-cpp-python",
        ) from None
    if _callback is None:
        _callback = lib.llama_log_callback(_log)
    # llama_cpp sets a callback of its own when it is imported, perhaps after us.
    lib.llama_log_set(_callback, ctypes.c_void_p(0))
    return lib


@contextlib.contextmanager
def _patient_threads() -> Iterator[None]:
    """Lets OpenMP's threads sleep, not spin, while they wait for each other.

    OpenMP reads the variable when its library is loaded. Where another program has a core, a spinning thread
    holds up the one that it waits for, hundreds of times a token.
    """
    if WAIT_POLICY in os.environ:
        yield
        return
    os.environ[WAIT_POLICY] = "passive"
    try:
        yield
    finally:
        del os.environ[WAIT_POLICY]


def version() -> str:
    """Version of the binding, which is tied to one version of llama.cpp."""
    import llama_cpp

    return str(llama_cpp.__version__)


def _log(level: int, text: bytes, _: Any) -> None:
    line = text.decode("utf-8", "replace").strip()
    if level == 4 and len(_errors) < 100:
        _errors.append(line)
    if line:
        log.log(_LEVELS.get(level, logging.DEBUG), "%s", line)


def check_file(path: Path) -> None:
    """Refuse what is no GGUF file before the engine sees it.

    Raises:
        EngineError: missing, unreadable, or of another kind.
    """
    try:
        with path.open("rb") as file:
            head = file.read(24)
    except FileNotFoundError:
        raise EngineError(f"There is no model file {path}", hint="See: localmem models list") from None
    except OSError as error:
        raise EngineError(
            f"Cannot read {path}: {error.strerror}", hint="Check the path and its permissions."
        ) from None
    if head[:4] != _MAGIC:
        raise EngineError(f"{path.name} is not a GGUF file", hint="Models for llama.cpp end in .gguf.")
    number = int.from_bytes(head[4:8], "little")
    if len(head) < 24 or not 2 <= number <= 3:
        raise EngineError(
            f"{path.name} is a GGUF file of version {number}, or is damaged", hint="Download the model again."
        )


class Model:
    """A loaded model file; `check_file` has seen it."""

    def __init__(self, lib: Any, path: Path, gpu_layers: int) -> None:
        self._lib = lib
        params = lib.llama_model_default_params()
        everything = 2**31 - 1
        params.n_gpu_layers = 0
        if lib.llama_supports_gpu_offload():
            params.n_gpu_layers = gpu_layers if gpu_layers >= 0 else everything
        _errors.clear()
        with _interrupts_later(self.close):
            self.pointer = lib.llama_model_load_from_file(os.fsencode(path), params)
        if not self.pointer:
            raise EngineError(
                f"{path.name} cannot be loaded: {_reason()}",
                hint="Verify it (localmem models verify) or download it again.",
            )

    def close(self) -> None:
        """Free it; further calls do nothing."""
        if self.pointer:
            self._lib.llama_model_free(self.pointer)
            self.pointer = None


class Context:
    """The memory and the calculation of one model.

    Args:
        lib: the module `llama_cpp.llama_cpp`.
        model: the loaded model.
        vocabulary_size: number of logits.
        cells: tokens that all sequences may hold together.
        batch: tokens evaluated at once.
        sequences: how many sequences may be kept.
        threads: for single tokens.
        threads_batch: for prompts.
        flash_attention: None lets the engine choose.
    """

    def __init__(
        self,
        lib: Any,
        model: Model,
        *,
        vocabulary_size: int,
        cells: int,
        batch: int,
        sequences: int,
        threads: int,
        threads_batch: int,
        flash_attention: bool | None,
    ) -> None:
        _check_memory(lib, model, cells)
        self._lib = lib
        self._vocabulary_size = vocabulary_size
        self._width: int = lib.llama_model_n_embd(model.pointer)
        self._sequences = sequences
        self._batch_size = min(batch, cells)
        self._worker = ThreadPoolExecutor(1, "llama")
        self._stop = ctypes.create_string_buffer(2)
        """Text that stops a running calculation when it is not empty."""
        params = lib.llama_context_default_params()
        params.n_ctx = cells
        params.n_batch = params.n_ubatch = self._batch_size
        params.n_seq_max = sequences
        params.n_threads, params.n_threads_batch = threads, threads_batch
        params.kv_unified = True
        if flash_attention is not None:
            params.flash_attn_type = (
                lib.LLAMA_FLASH_ATTN_TYPE_ENABLED if flash_attention else lib.LLAMA_FLASH_ATTN_TYPE_DISABLED
            )
        if hasattr(params, "n_outputs_max"):
            # Only the last token of a prompt needs logits; room for a whole batch of them costs 300 MB. The
            # engine wants at least one for each sequence.
            params.n_outputs_max = sequences
        # The engine asks a thousand times a token. A Python function would wait for the interpreter each time
        # that another thread uses it, so the C library's strlen reads the text: its length is true or false.
        params.abort_callback = ctypes.cast(ctypes.CDLL(None).strlen, lib.ggml_abort_callback)
        params.abort_callback_data = ctypes.addressof(self._stop)
        self.settings = (
            f"k{params.type_k} v{params.type_v} flash{params.flash_attn_type} swa{params.swa_full}"
        )
        """What the format of a saved state depends on, besides model and engine."""
        _errors.clear()
        with _interrupts_later(lambda: lib.llama_free(self.pointer)):
            self.pointer = lib.llama_init_from_model(model.pointer, params)
        if not self.pointer:
            raise EngineError(
                f"No memory for a context of {cells} tokens: {_reason()}",
                hint="Set LOCALMEM_CONTEXT to a smaller number.",
            )
        self._memory = lib.llama_get_memory(self.pointer)
        self.cells: int = lib.llama_n_ctx(self.pointer)
        self._batch = lib.llama_batch_init(self._batch_size, 0, 1)

    def close(self) -> None:
        """Free it; further calls do nothing."""
        if self.pointer:
            self._worker.shutdown()
            self._lib.llama_batch_free(self._batch)
            self._lib.llama_free(self.pointer)
            self.pointer = None

    def trim(self, sequence: int, length: int) -> bool:
        """Keep the first `length` tokens of a sequence; False: it could not be cut and is empty now.

        Recurrent models cannot go back within a sequence.
        """
        if self._lib.llama_memory_seq_rm(self._memory, sequence, length, -1):
            return True
        self._lib.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return False

    def length(self, sequence: int) -> int:
        """Tokens that a sequence holds."""
        last: int = self._lib.llama_memory_seq_pos_max(self._memory, sequence)
        return last + 1

    def decode(
        self, sequence: int, tokens: Sequence[int], position: int, done: Callable[[int], None]
    ) -> None:
        """Evaluate tokens at the end of a sequence; logits are kept for the last one.

        Args:
            sequence: id of the sequence.
            tokens: what to read.
            position: how many tokens the sequence holds.
            done: called with the number of tokens after each batch that went in.

        Raises:
            EngineError: the engine refuses.
            KeyboardInterrupt: Ctrl-C; `done` knows nothing of the batch that it fell into.
        """
        for begin in range(0, len(tokens), self._batch_size):
            chunk = tokens[begin : begin + self._batch_size]
            self._fill(sequence, chunk, position)
            if begin + len(chunk) == len(tokens):
                self._batch.logits[len(chunk) - 1] = 1
            self._decode_batch(position)
            position += len(chunk)
            done(len(chunk))

    def states(
        self, sequence: int, tokens: Sequence[int], position: int, done: Callable[[int], None]
    ) -> NDArray[np.float32]:
        """Evaluate tokens at the end of a sequence, and give the last layer's state at each of them.

        The arguments and errors are those of `decode`.

        Returns:
            Shape (tokens, width of the model).
        """
        found = np.empty((len(tokens), self._width), np.float32)
        self._lib.llama_set_embeddings(self.pointer, True)
        try:
            for begin in range(0, len(tokens), self._sequences):  # so many outputs are reserved
                chunk = tokens[begin : begin + self._sequences]
                self._fill(sequence, chunk, position)
                np.ctypeslib.as_array(self._batch.logits, (len(chunk),))[:] = 1
                self._decode_batch(position)
                position += len(chunk)
                done(len(chunk))
                for index in range(len(chunk)):
                    state = self._lib.llama_get_embeddings_ith(self.pointer, index)
                    found[begin + index] = np.ctypeslib.as_array(state, (self._width,))
        finally:
            self._lib.llama_set_embeddings(self.pointer, False)
        return found

    def _fill(self, sequence: int, tokens: Sequence[int], position: int) -> None:
        """Put tokens into the batch, none of them with logits."""
        batch = self._batch
        count = batch.n_tokens = len(tokens)
        np.ctypeslib.as_array(batch.token, (count,))[:] = tokens
        np.ctypeslib.as_array(batch.pos, (count,))[:] = np.arange(position, position + count)
        np.ctypeslib.as_array(batch.n_seq_id, (count,))[:] = 1
        np.ctypeslib.as_array(batch.logits, (count,))[:] = 0
        for index in range(count):
            batch.seq_id[index][0] = sequence

    def _decode_batch(self, position: int) -> None:
        """Evaluate the batch in the worker thread, so that this thread can take Ctrl-C meanwhile."""
        _errors.clear()
        self._stop.value = b""
        try:
            code = self._worker.submit(self._lib.llama_decode, self.pointer, self._batch).result()
        except BaseException:
            self._stop.value = b"!"
            self._settle()
            raise
        if code:
            raise EngineError(
                f"The engine failed at token {position} (code {code}): {_reason()}",
                hint="Try a smaller LOCALMEM_CONTEXT or LOCALMEM_BATCH.",
            )

    def _settle(self) -> None:
        """Wait until the worker is idle; a second Ctrl-C changes nothing, the first is on its way already."""
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                self._worker.submit(_nothing).result()
                return

    def logits(self) -> NDArray[np.float32]:
        """Logits of the last token, shape (vocabulary,); valid and writable until the next `decode`."""
        pointer = self._lib.llama_get_logits_ith(self.pointer, -1)
        return np.ctypeslib.as_array(pointer, (self._vocabulary_size,))

    def save(self, sequence: int) -> bytes:
        """State of a sequence."""
        size = self._lib.llama_state_seq_get_size(self.pointer, sequence)
        buffer = (ctypes.c_uint8 * size)()
        written = self._lib.llama_state_seq_get_data(self.pointer, buffer, size, sequence)
        return memoryview(buffer)[:written].tobytes()

    def restore(self, sequence: int, state: bytes) -> bool:
        """Replace what a sequence holds; False: the state does not fit and the sequence is empty."""
        buffer = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if self._lib.llama_state_seq_set_data(self.pointer, buffer, len(state), sequence):
            return True
        self.trim(sequence, 0)
        return False


@contextlib.contextmanager
def _interrupts_later(undo: Callable[[], None]) -> Iterator[None]:
    """Holds Ctrl-C back until the block, a second or two of loading, has ended; then `undo` is called first.

    The engine logs while it loads. An interrupt that fell into our Python function for its log could not be
    raised through the engine and would be lost; and an engine that is told to stop loading (by its progress
    callback) now and then ends the process.
    """
    elsewhere = threading.current_thread() is not threading.main_thread()
    if elsewhere or signal.getsignal(signal.SIGINT) is None:  # None: set by code that is not Python
        yield
        return
    caught: list[int] = []
    former = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
    if caught:
        try:
            signal.raise_signal(signal.SIGINT)
        except BaseException:
            undo()
            raise


def _nothing() -> None:
    pass


def _check_memory(lib: Any, model: Model, cells: int) -> None:
    """Refuse a context that would push the machine into swapping, or the process into its end.

    A cell holds keys and values of every layer, in 16 bits each. A graphics card has a memory of its own, which
    the engine knows better; Apple's shares ours.
    """
    memory = hardware.memory_bytes()
    elsewhere = lib.llama_supports_gpu_offload() and sys.platform != "darwin"
    if memory is None or elsewhere:
        return
    pointer = model.pointer
    head = lib.llama_model_n_embd(pointer) // max(lib.llama_model_n_head(pointer), 1)
    cell = 2 * 2 * lib.llama_model_n_layer(pointer) * lib.llama_model_n_head_kv(pointer) * head
    needed = lib.llama_model_size(pointer) + cells * cell
    if needed > memory:
        raise EngineError(
            f"Model and context of {cells} tokens need {needed / 1e9:.1f} GB, "
            f"this machine has {memory / 1e9:.1f} GB",
            hint="Set LOCALMEM_CONTEXT to a smaller number, or choose a smaller model.",
        )


def _reason() -> str:
    return _errors[0] if _errors else "the engine gives no reason"
