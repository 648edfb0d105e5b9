"""Ingest, search and ask where no network exists.

Where the system allows it, the commands run in a namespace that has no network at all, so that native code
is held too. Everywhere, an audit hook refuses what Python itself would connect to, and keeps a record.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from localmem import resources

pytestmark = pytest.mark.slow

HOOK = """
import atexit, json, os, sys

attempts = []

def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        attempts.append([event, repr(args[1:])])
        raise OSError("no network here")

def record():
    with open(os.environ["LOCALMEM_TEST_RECORD"], "w", encoding="utf-8") as file:
        json.dump({"attempts": attempts, "modules": sorted(sys.modules)}, file)

sys.addaudithook(refuse)
atexit.register(record)
"""
CLIENTS = {"aiohttp", "http.client", "httpx", "huggingface_hub", "pypi_simple", "requests", "urllib3"}


@cache
def without_network() -> tuple[str, ...]:
    """The command that runs another one without any network; empty where the system has none."""
    if shutil.which("unshare"):
        for prefix in (("unshare", "-n"), ("unshare", "-rn")):
            if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
                return prefix
    return ()


@dataclass(frozen=True)
class Offline:
    """Runs commands without network and tells what they tried."""

    folder: Path
    models: Path

    def run(self, *command: str | Path, model: Path | None = None) -> str:
        """Standard output of a command that must succeed and try no connection."""
        result = self.try_to_run(*command, model=model)
        assert result.returncode == 0, result.stdout + result.stderr
        assert self.record()["attempts"] == []
        return result.stdout

    def try_to_run(self, *command: str | Path, model: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PYTHONPATH": str(self.folder / "hook"),
            "PYTHONUTF8": "1",
            "LOCALMEM_TEST_RECORD": str(self.folder / "record.json"),
            "LOCALMEM_MODELS_DIR": str(self.models),
            "LOCALMEM_MEMORIES_DIR": str(self.folder / "memories"),
            "LOCALMEM_PREFIXES_DIR": str(self.folder / "prefixes"),
        }
        if model:
            environment["LOCALMEM_MODEL"] = str(model)
        return subprocess.run(
            [*without_network(), *map(str, command)],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def record(self) -> dict[str, list[str]]:
        found = json.loads((self.folder / "record.json").read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found


def offline_in(folder: Path, models: Path) -> Offline:
    (folder / "hook").mkdir()
    (folder / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
    return Offline(folder, models)


@pytest.fixture(scope="module")
def filled(embedder_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Offline:
    """A memory with the sample conversation, ingested offline."""
    offline = offline_in(tmp_path_factory.mktemp("offline"), embedder_path.parent)
    offline.run(LOCALMEM, "ingest", resources.path("samples", "two-friends.txt"))
    return offline


LOCALMEM = Path(sys.executable).parent / "localmem"
CAFE = "What is the café with the green tiles called?"


def test_a_server_on_this_machine_is_out_of_reach(tmp_path: Path) -> None:
    """The proof is worth something only if a connection would have been noticed."""
    offline = offline_in(tmp_path, tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        code = f"import socket; socket.create_connection({address!r}, timeout=5)"
        result = offline.try_to_run(sys.executable, "-c", code)
    assert result.returncode != 0
    assert len(offline.record()["attempts"]) > 0


def test_native_code_has_no_network_either(tmp_path: Path) -> None:
    if not without_network():
        pytest.skip("this system has no namespace without network; Python's sockets are blocked all the same")
    offline = Offline(tmp_path, tmp_path)  # without the hook
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        code = f"import socket; socket.create_connection({address!r}, timeout=5)"
        result = offline.try_to_run(sys.executable, "-c", code)
    assert "Network is unreachable" in result.stderr


def test_ingest_and_search_need_no_network(filled: Offline) -> None:
    assert "Pomarius" in filled.run(LOCALMEM, "search", CAFE)


def test_search_loads_no_network_client(filled: Offline) -> None:
    filled.run(LOCALMEM, "search", CAFE)
    assert CLIENTS & set(filled.record()["modules"]) == set()


def test_stats_need_no_network(filled: Offline) -> None:
    assert json.loads(filled.run(LOCALMEM, "stats", "--json"))["turns"] == 260


@pytest.mark.engine
def test_ask_needs_no_network(filled: Offline, small_model_path: Path) -> None:
    answer = json.loads(filled.run(LOCALMEM, "ask", CAFE, "--json", model=small_model_path))
    assert answer["question"] == CAFE
    assert answer["answer"]
    assert CLIENTS & set(filled.record()["modules"]) == set()
