"""Shared fixtures: no test touches the network or the real home folder."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# A suite that is started in the background ignores Ctrl-C, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

_real_connect = socket.socket.connect


class NetworkTouchedError(AssertionError):
    """A test opened a connection that it did not ask for."""


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A temporary home, and no setting of the person who runs the tests, but for LOCALMEM_TEST_*."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        ours = name.startswith(("LOCALMEM_", "HF_", "TRANSFORMERS_", "XDG_"))
        if ours and not name.startswith("LOCALMEM_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LOCALMEM_MEMORIES_DIR", str(home / "memories"))
    monkeypatch.setenv("LOCALMEM_MODELS_DIR", str(home / "models"))
    monkeypatch.setenv("LOCALMEM_PREFIXES_DIR", str(home / "prefixes"))
    monkeypatch.setenv("LOCALMEM_STATE_DIR", str(home / "state"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: Any) -> None:
        raise NetworkTouchedError(f"a test connected to {address!r}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def local_network(_no_network: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections to this machine only, for tests against a local server."""

    def connect(self: socket.socket, address: Any) -> None:
        if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in (
            "127.0.0.1",
            "localhost",
            "::1",
        ):
            raise NetworkTouchedError(f"a test connected to {address!r}")
        _real_connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield


def _test_file(variable: str, default: str) -> Path:
    folder = os.environ.get("LOCALMEM_TEST_MODELS_DIR")
    named = os.environ.get(variable)
    found = Path(named) if named else Path(folder) / default if folder else None
    if found is None or not found.exists():
        pytest.skip(f"no model: set {variable}, or LOCALMEM_TEST_MODELS_DIR to a folder that has {default}")
    return found


@pytest.fixture(scope="session")
def small_model_path() -> Path:
    """The 135M model, from LOCALMEM_TEST_MODEL or LOCALMEM_TEST_MODELS_DIR."""
    return _test_file("LOCALMEM_TEST_MODEL", "smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf")


@pytest.fixture(scope="session")
def embedder_path() -> Path:
    """Folder of all-MiniLM-L6-v2: model.onnx, model.safetensors, tokenizer.json and the rest."""
    return _test_file("LOCALMEM_TEST_EMBEDDER", "all-minilm-l6-v2")
