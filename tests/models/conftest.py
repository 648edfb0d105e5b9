"""A server on this machine, and a catalogue of small models that it has."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator

import pytest

from localmem import resources
from localmem.models import entries, http
from tests.models.server import LocalServer


@pytest.fixture
def server(local_network: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalServer]:
    """A hub and an index on this machine, and no waiting between tries."""
    running = LocalServer()
    monkeypatch.setenv("HF_ENDPOINT", running.url)
    monkeypatch.setenv("LOCALMEM_INDEX_URL", f"{running.url}/simple/")
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("localmem.models.wheels._pip_configuration", dict)
    monkeypatch.setattr(http, "BACKOFF", (0.0, 0.0))
    # The hub's client reads this when it is imported, which a test of an embedder may have done offline.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    yield running
    running.close()


@pytest.fixture
def use_catalogue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Call it with TOML to put another catalogue in the place of the shipped one."""

    def put(toml: str) -> None:
        monkeypatch.setattr(resources, "text", lambda *parts: toml)
        entries.catalogue.cache_clear()

    yield put
    monkeypatch.undo()
    entries.catalogue.cache_clear()


def content(size: int, seed: int = 1) -> bytes:
    """Bytes that do not compress."""
    return random.Random(seed).randbytes(size)


def language_model(
    body: bytes,
    *,
    sources: tuple[str, ...] = ("hub", "wheels"),
    parts: int = 3,
    sha256: str | None = "",
) -> str:
    """TOML of a model `tiny`, at owner/tiny on the hub and in the wheels tiny-part1 … tiny-partN."""
    digest = hashlib.sha256(body).hexdigest() if sha256 == "" else sha256
    lines = [
        "[[models]]",
        'id = "tiny"',
        'what = "Tiny"',
        'kind = "language"',
        'licence = "Apache-2.0"',
        f"sources = {list(sources)}",
    ]
    lines += ['hub = { repository = "owner/tiny" }'] if "hub" in sources else []
    lines += ["[[models.files]]", 'name = "tiny.gguf"', f"bytes = {len(body)}", 'needed_by = ["llama.cpp"]']
    lines += [f'sha256 = "{digest}"'] if digest else []
    lines += ['hub = "tiny.gguf"'] if "hub" in sources else []
    if "wheels" in sources:
        member = "tiny_part{part}/data/part{part:02}.bin"
        lines += [
            f'wheels = {{ package = "tiny-part{{part}}", parts = {parts}, version = "1.0", member = "{member}" }}'
        ]
    return "\n".join(lines)


def add_parts(server: LocalServer, body: bytes, parts: int = 3, *, html: bool = False) -> None:
    """Put `body` on the index in `parts` wheels."""
    step = -(-len(body) // parts)
    for part in range(1, parts + 1):
        piece = body[(part - 1) * step : part * step]
        server.add_wheel(f"tiny-part{part}", {f"tiny_part{part}/data/part{part:02}.bin": piece}, html=html)


class Heard:
    """A progress that keeps what it hears."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.totals: list[int] = []
        self.started_with: list[int] = []
        self.done = 0

    def begin(self, what: str, total: int, done: int) -> None:
        self.totals.append(total)
        self.started_with.append(done)
        self.done = done

    def advance(self, count: int) -> None:
        self.done += count

    def end(self) -> None:
        pass

    def say(self, line: str) -> None:
        self.said.append(line)
