"""What the README shows is what the commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def shown() -> list[tuple[str, str]]:
    """Commands after a `$`, each with the output below it."""
    pairs = []
    for block in re.findall(r"^```\n(\$ .*?)^```", README, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            pairs.append((command, output.rstrip()))
    return pairs


def run(command: str, environment: dict[str, str]) -> str:
    arguments = shlex.split(command)
    assert arguments[0] == "localmem"
    out = subprocess.run(
        [sys.executable, "-m", "localmem.cli.app", *arguments[1:]],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return "\n".join(line.rstrip() for line in out.rstrip().splitlines())


@pytest.mark.engine
@pytest.mark.slow
def test_ingest_and_search_print_what_the_readme_shows(embedder_path: Path) -> None:
    environment = os.environ | {"LOCALMEM_MODELS_DIR": str(embedder_path.parent), "COLUMNS": "80"}
    models = {"ask", "chat"}  # what a model words may differ from machine to machine
    commands = [(command, output) for command, output in shown() if command.split()[1] not in models]
    assert [command.split()[1] for command, _ in commands] == ["ingest", "search"]
    for command, output in commands:
        printed = run(command, environment)
        assert re.sub(r"\d+\.\d s", "T s", printed) == re.sub(r"\d+\.\d s", "T s", output)


def test_every_command_of_the_readme_exists() -> None:
    help_text = run("localmem --help", dict(os.environ))
    named = set(re.findall(r"^(?:\$ )?(?:\.venv/bin/)?localmem (\w+)", README, re.MULTILINE))
    assert named >= {"ingest", "search", "ask", "models"}
    assert all(re.search(rf"^\s+{name}\b", help_text, re.MULTILINE) for name in named)


def test_every_setting_is_in_the_readme() -> None:
    from localmem.settings import Settings

    named = set(re.findall(r"`LOCALMEM_(\w+)`", README))
    assert named == {field.upper() for field in Settings.model_fields}
