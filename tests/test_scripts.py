"""The shell scripts, run with stand-ins for pip and localmem: what they say, and what they do a second time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = ("awk", "bash", "cat", "dirname", "env", "grep", "kill", "mktemp", "rm", "sleep", "tail", "uname")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the stand-ins play a Debian or Fedora system"
)

PYTHON_STUB = """#!/bin/bash
case "$*" in
    *" install "*)
        echo "pip $*" >>"$STUB_CALLS"
        echo "Collecting everything"
        if [ -f "$STUB_FAILURE" ]; then cat "$STUB_FAILURE"; exit 1; fi ;;
    "-m pip "*) ;;
    *) exec "$REAL_PYTHON" "$@" ;;
esac
"""
LOCALMEM_STUB = """#!/bin/bash
echo "localmem $*" >>"$STUB_CALLS"
echo "memory=$LOCALMEM_MEMORY model=$LOCALMEM_MODEL" >>"$STUB_CALLS"
[ ! -f "$STUB_BROKEN" ]
"""


@dataclass(frozen=True)
class Machine:
    """A checkout in a folder with a space, and a PATH with nothing but what is put there."""

    folder: Path

    @property
    def checkout(self) -> Path:
        return self.folder / "my checkout"

    def put(self, name: str, text: str = "#!/bin/bash\nexit 0\n") -> None:
        """Put a stand-in on the PATH."""
        self.write(self.folder / "bin" / name, text)

    def write(self, file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def install(self) -> None:
        """A virtual environment made of stand-ins."""
        self.write(self.checkout / ".venv/bin/python", PYTHON_STUB)
        self.write(self.checkout / ".venv/bin/localmem", LOCALMEM_STUB)

    def run(self, script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/bash", str(self.checkout / "scripts" / script), *arguments],
            cwd=self.folder,
            env={
                "PATH": str(self.folder / "bin"),
                "HOME": str(self.folder),
                "REAL_PYTHON": sys.executable,
                "STUB_CALLS": str(self.folder / "calls"),
                "STUB_FAILURE": str(self.folder / "failure"),
                "STUB_BROKEN": str(self.folder / "broken"),
                **environment,
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def calls(self, program: str) -> list[str]:
        """What a stand-in was called with, without the program's name."""
        file = self.folder / "calls"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [line.removeprefix(f"{program} ") for line in lines if line.startswith(f"{program} ")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    shutil.copytree(ROOT / "scripts", made.checkout / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", made.checkout)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (tmp_path / "bin" / tool).symlink_to(found)
    made.put("apt")
    return made


@pytest.mark.parametrize("script", ["quickstart", "test"])
def test_help_needs_nothing(machine: Machine, script: str) -> None:
    result = machine.run(script, "--help")
    assert result.returncode == 0
    assert result.stdout.startswith(f"Usage: scripts/{script}")


@pytest.mark.parametrize("arguments", [["--modle", "x"], ["--model"], ["sample.txt"]])
def test_wrong_arguments_show_the_usage(machine: Machine, arguments: list[str]) -> None:
    result = machine.run("quickstart", *arguments)
    assert result.returncode == 2
    assert "Usage: scripts/quickstart" in result.stderr


@pytest.mark.parametrize(
    ("tool", "python", "compiler"),
    [
        ("apt", "sudo apt install python3 python3-venv", "sudo apt install build-essential"),
        ("dnf", "sudo dnf install python3", "sudo dnf install gcc gcc-c++ make"),
    ],
)
def test_all_that_is_missing_is_named_at_once(
    machine: Machine, tool: str, python: str, compiler: str
) -> None:
    (machine.folder / "bin" / "apt").unlink()
    machine.put(tool)
    result = machine.run("quickstart")
    assert result.returncode == 1
    assert python in result.stderr
    assert compiler in result.stderr
    assert not (machine.checkout / ".venv").exists()


def test_an_old_python_does_not_count(machine: Machine) -> None:
    machine.put("python3", "#!/bin/bash\nexit 1\n")
    assert "Python 3.11 or newer" in machine.run("quickstart").stderr


def test_a_python_without_venv_is_named_with_its_package(machine: Machine) -> None:
    broken = '#!/bin/bash\n[ "$2" != "import venv, ensurepip" ] && exec "$REAL_PYTHON" "$@"\n'
    machine.put("python3", broken)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"sudo apt install python{version}-venv" in machine.run("quickstart").stderr


def test_a_compiler_that_does_not_compile_is_missing(machine: Machine) -> None:
    machine.put("python3", '#!/bin/bash\nexec "$REAL_PYTHON" "$@"\n')
    machine.put("cc", "#!/bin/bash\nexit 1\n")
    machine.put("c++", "#!/bin/bash\nexit 1\n")
    result = machine.run("quickstart")
    assert "build-essential" in result.stderr
    assert "Python 3.11 or newer" not in result.stderr


def test_a_named_python_that_is_too_old_is_refused(machine: Machine) -> None:
    machine.put("python2", "#!/bin/bash\nexit 1\n")
    assert "PYTHON=python2 is no Python 3.11" in machine.run("quickstart", PYTHON="python2").stderr


def test_quickstart_pulls_ingests_and_asks(machine: Machine) -> None:
    machine.install()
    result = machine.run("quickstart")
    assert result.returncode == 0, result.stderr
    calls = machine.calls("localmem")
    assert calls[:2] == [
        "models pull qwen2.5-coder-1.5b all-minilm-l6-v2",
        f"ingest {machine.checkout}/samples/two-friends.txt",
    ]
    assert [call.split()[0] for call in calls[2:]] == ["ask"] * 3


def test_quickstart_uses_a_memory_of_its_own_and_the_named_model(machine: Machine) -> None:
    machine.install()
    machine.run("quickstart", "--model", "smollm2-135m", LOCALMEM_MEMORY="mine", LOCALMEM_MODEL="other")
    text = (machine.folder / "calls").read_text(encoding="utf-8")
    assert "localmem models pull smollm2-135m all-minilm-l6-v2" in text
    assert {line for line in text.splitlines() if line.startswith("memory=")} == {
        "memory=quickstart model=smollm2-135m"
    }


def test_a_model_file_is_not_pulled(machine: Machine) -> None:
    machine.install()
    machine.run("quickstart", "--model", "own model.gguf")
    assert machine.calls("localmem")[0] == "models pull all-minilm-l6-v2"
    text = (machine.folder / "calls").read_text(encoding="utf-8")
    assert f"model={machine.folder}/own model.gguf" in text


def test_a_failing_step_stops_the_rest(machine: Machine) -> None:
    machine.install()
    (machine.folder / "broken").touch()
    result = machine.run("quickstart")
    assert result.returncode == 1
    assert len(machine.calls("localmem")) == 1
    assert "pulling the models did not work" in result.stderr


def test_nothing_is_installed_twice(machine: Machine) -> None:
    machine.install()
    machine.run("quickstart")
    first = machine.calls("pip")
    again = machine.run("quickstart")
    assert len(first) == 2
    assert machine.calls("pip") == first
    assert "nothing has changed" in again.stdout


def test_changed_constraints_install_again(machine: Machine) -> None:
    machine.install()
    machine.run("quickstart")
    first = machine.calls("pip")
    with (machine.checkout / "scripts" / "constraints.txt").open("a", encoding="utf-8") as file:
        file.write("anything==1\n")
    machine.run("quickstart")
    assert len(machine.calls("pip")) == 2 * len(first)


def test_quickstart_brings_no_torch(machine: Machine) -> None:
    machine.install()
    machine.run("quickstart")
    assert [
        call for call in machine.calls("pip") if "sentence-transformers" in call or "dev" in call.split()
    ] == []


@pytest.mark.parametrize(
    ("said", "mend"),
    [
        ("OSError: [Errno 28] No space left on device", "free 3 GB"),
        ("c++: fatal error: Killed signal terminated program cc1plus", "CMAKE_BUILD_PARALLEL_LEVEL=1"),
        ("CMake Error at CMakeLists.txt:12", "sudo apt install build-essential"),
        ("NewConnectionError: Temporary failure in name resolution", "HTTPS_PROXY"),
        ("PermissionError: [Errno 13] Permission denied", "not writable"),
        ("something else", "the log says more"),
    ],
)
def test_a_failed_install_shows_the_log_and_the_likely_mend(machine: Machine, said: str, mend: str) -> None:
    machine.install()
    (machine.folder / "failure").write_text(said + "\n", encoding="utf-8")
    result = machine.run("quickstart")
    assert result.returncode == 1
    assert said in result.stderr
    assert mend in result.stderr
    assert machine.calls("localmem") == []


def test_a_failed_install_is_tried_again(machine: Machine) -> None:
    machine.install()
    (machine.folder / "failure").write_text("no\n", encoding="utf-8")
    machine.run("quickstart")
    (machine.folder / "failure").unlink()
    before = len(machine.calls("pip"))
    assert machine.run("quickstart").returncode == 0
    assert len(machine.calls("pip")) > before


def test_ci_runs_the_test_script_and_nothing_else() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert 'exec bash "$(dirname "${BASH_SOURCE[0]}")/../scripts/test"' in text


@pytest.mark.parametrize("script", ["scripts/quickstart", "scripts/test", ".ci/run"])
def test_scripts_can_be_executed(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
