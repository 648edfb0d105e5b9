"""The built wheel works by itself: installed into a clean environment, away from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SHIPPED = ("models", "prompts", "samples")


def run(*command: str | Path, cwd: Path, environment: dict[str, str] | None = None) -> str:
    """Standard output of a command that must succeed."""
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment or dict(os.environ),
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@dataclass(frozen=True)
class Installed:
    """A clean environment that has the wheel, and a folder to work in."""

    scripts: Path
    packages: Path
    neutral: Path

    def run(self, command: str, *arguments: str) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.neutral),
            "LOCALMEM_MODELS_DIR": str(self.neutral / "models"),
            "LOCALMEM_MEMORIES_DIR": str(self.neutral / "memories"),
            "PYTHONUTF8": "1",
        }
        return run(self.scripts / command, *arguments, cwd=self.neutral, environment=environment)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    [built] = out.glob("localmem-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The dependencies are lent by the environment that runs the tests, so that none is built a second time.

    A .pth file adds their folder behind the new environment's own; .pth files in that folder are not
    followed, so the checkout that it may point to stays invisible.
    """
    home = tmp_path_factory.mktemp("clean environment")
    venv.create(home, with_pip=False, symlinks=True)
    scripts = home / "bin"
    run(
        *(sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--quiet"),
        *("--no-deps", "--no-index", "--disable-pip-version-check", wheel),
        cwd=home,
    )
    packages = Path(
        run(
            scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home
        ).strip()
    )
    lent = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (packages / "lent.pth").write_text("\n".join(lent) + "\n", encoding="utf-8")
    return Installed(scripts, packages, tmp_path_factory.mktemp("neutral"))


def test_all_shipped_files_are_inside(wheel: Path) -> None:
    wanted = {
        f"localmem/_data/{file.relative_to(ROOT).as_posix()}"
        for folder in SHIPPED
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and not file.name.startswith(".")
    }
    assert "localmem/_data/models/catalogue.toml" in wanted
    with zipfile.ZipFile(wheel) as archive:
        assert wanted - set(archive.namelist()) == set()


def test_nothing_but_the_package_is_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"localmem"}


def test_the_installed_package_is_the_one_that_runs(installed: Installed) -> None:
    shown = installed.run("python", "-c", "import localmem; print(localmem.__file__)")
    assert Path(shown.strip()).is_relative_to(installed.packages)


def test_the_installed_command_shows_its_help(installed: Installed) -> None:
    assert "models" in installed.run("localmem", "--help")


def test_the_installed_command_lists_the_models(installed: Installed) -> None:
    assert "smollm2-135m" in installed.run("localmem", "models", "list")


def test_the_installed_grammars_compile(installed: Installed) -> None:
    code = """
import json
from localmem import resources
from localmem.llm import grammar
names = sorted(file.stem for file in resources.path("prompts").glob("*.gbnf"))
for name in names:
    grammar.compile(grammar.load(name))
print(json.dumps([names, grammar.accepts("root ::= " + grammar.alternatives(["yes", "no"]), "yes")]))
"""
    names = sorted(file.stem for file in (ROOT / "prompts").glob("*.gbnf"))
    assert json.loads(installed.run("python", "-c", code)) == [names, True]
