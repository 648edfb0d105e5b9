"""The parts and their owners: who may import whom, and what a mere `localmem --help` loads."""

from __future__ import annotations

import ast
import json
import os
import pwd
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "localmem"

# A part imports only from parts with a smaller number, and from itself.
LAYERS = {
    **dict.fromkeys(("values", "errors", "settings", "resources", "formats"), 0),
    **dict.fromkeys(("llm", "embed", "index", "store", "select", "transcripts", "models"), 1),
    **dict.fromkeys(("recall", "tasks", "agent", "arguments"), 2),
    "upkeep": 3,
    "conversation": 3,
    "engines": 3,
    "opening": 4,
    "memory": 5,
    "bench": 6,
    "cli": 7,
}
# Within the ground floor there is an order too.
GROUND = {"settings": {"errors"}, "values": {"errors"}}

# Library -> the only part that imports it.
OWNERS: dict[str, str] = {
    "llama_cpp": "llm",
    "jinja2": "llm",
    "faiss": "index",
    "numba": "select",
    "sqlite3": "store",
    "sqlcipher3": "store",
    "keyring": "upkeep",
    "networkx": "tasks",
    "onnxruntime": "embed",
    "tokenizers": "embed",
    "sentence_transformers": "embed",
    "torch": "embed",
    "huggingface_hub": "models",
    "httpx": "models",
    "requests": "models",
    "urllib.request": "models",
    "typer": "cli",
    "rich": "cli",
    "prompt_toolkit": "cli",
    "platformdirs": "settings",
    "jupyddl": "agent",
    "jericho": "agent",
    "scipy": "bench",
    "snowballstemmer": "bench",
    "charset_normalizer": "transcripts",
}
# What can open a connection; more names than we depend on, so that none slips in.
NETWORK = {
    "aiohttp", "ftplib", "http.client", "http.server", "httpx", "huggingface_hub", "imaplib", "poplib",
    "pypi_simple", "requests", "smtplib", "socket", "socketserver", "ssl", "telnetlib", "urllib.request",
    "urllib3", "websockets", "xmlrpc",
}  # fmt: skip
# Takes longer to import than showing the help takes.
HEAVY = {
    "faiss", "huggingface_hub", "jinja2", "llama_cpp", "llvmlite", "networkx", "numba", "numpy", "onnxruntime", "prompt_toolkit", "pydantic", "pypi_simple",
    "requests", "scipy", "sentence_transformers", "sqlcipher3", "sqlite3", "tokenizers", "torch", "transformers", "urllib3",
}  # fmt: skip


def modules() -> dict[str, Path]:
    """Dotted names of all modules of the package, with their files."""
    found = {}
    for file in PACKAGE.rglob("*.py"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


MODULES = modules()


def imports_of(name: str) -> Iterator[str]:
    """Everything that a module imports, at its top or inside a function, as absolute dotted names."""
    file = MODULES[name]
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), filename=str(file))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            for argument in node.args[:1]:
                assert isinstance(argument, ast.Constant), f"{name} imports a module by a computed name"
                yield str(argument.value)


def part_of(dotted: str) -> str | None:
    """The part of the package that a dotted name belongs to; None for the package's own front."""
    pieces = dotted.split(".")
    return pieces[1] if len(pieces) > 1 and pieces[1] in LAYERS else None


def is_within(imported: str, library: str) -> bool:
    return imported == library or imported.startswith(library + ".")


def test_every_module_belongs_to_a_known_part() -> None:
    assert [name for name in MODULES if name != "localmem" and part_of(name) is None] == []


@pytest.mark.parametrize("name", sorted(MODULES))
def test_imports_point_downwards(name: str) -> None:
    part = part_of(name)
    wrong = []
    for imported in imports_of(name):
        if imported.split(".")[0] != "localmem":
            continue
        other = part_of(imported)
        if part is None:  # the front re-exports values and Memory
            allowed = other is None or LAYERS[other] in (0, LAYERS["memory"])
        elif other is None:
            allowed = part == "cli" and imported == "localmem.__version__"
        elif LAYERS[part] == LAYERS[other] == 0:
            allowed = other in GROUND.get(part, set())
        else:
            allowed = other == part or LAYERS[other] < LAYERS[part]
        if not allowed:
            wrong.append(imported)
    assert wrong == []


@pytest.mark.parametrize("name", sorted(MODULES))
def test_libraries_are_imported_by_their_owner_only(name: str) -> None:
    wrong = [
        imported
        for imported in imports_of(name)
        for library, owner in OWNERS.items()
        if is_within(imported, library) and part_of(name) != owner
    ]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(MODULES))
def test_only_models_can_open_a_connection(name: str) -> None:
    clients = [
        imported for imported in imports_of(name) if any(is_within(imported, client) for client in NETWORK)
    ]
    assert clients == [] or part_of(name) == "models"


def test_the_linter_knows_the_same_owners() -> None:
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    banned = lint["flake8-tidy-imports"]["banned-api"]
    named = {
        library: match[1] if (match := re.search(r"localmem/(\w+)", entry["msg"])) else None
        for library, entry in banned.items()
    }
    assert named == OWNERS
    excused = {
        match[1]
        for pattern, rules in lint["per-file-ignores"].items()
        if "TID251" in rules and (match := re.match(r"localmem/(\w+)", pattern))
    }
    assert excused == set(OWNERS.values())


def loaded_after(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after `code`."""
    script = f"import json, sys\n{code}\nprint('\\n' + json.dumps(sorted(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return {name.split(".")[0] for name in json.loads(result.stdout.splitlines()[-1])}


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import localmem") & HEAVY == set()


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    assert loaded_after("import localmem.cli.app") & HEAVY == set()


def test_help_loads_nothing_heavy() -> None:
    code = """
from localmem.cli.app import main
sys.argv = ["localmem", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code
"""
    assert loaded_after(code) & HEAVY == set()


@pytest.mark.slow
def test_help_takes_less_than_a_third_of_a_second() -> None:
    """On a machine that starts Python in 20 ms; a slower or busy one gets proportionally more."""

    def seconds(code: str) -> float:
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        return time.perf_counter() - begun

    shown = "import sys; sys.argv = ['localmem', '--help']; from localmem.cli.app import main; main()"
    runs = [(seconds("pass"), seconds(shown)) for _ in range(5)]
    bare, full = (min(column) for column in zip(*runs, strict=True))
    assert full < max(0.3, 15 * bare)


def test_no_file_names_a_place_on_this_machine() -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    places = [f"{place}/" for place in (str(ROOT), home) if place.count("/") > 1 or place == "/root"]
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if listed.returncode:
        pytest.skip("no git checkout")
    named = {
        f"{file}: {place}"
        for file in listed.stdout.split("\0")
        if file and (ROOT / file).is_file()
        for place in places
        if place.encode() in (ROOT / file).read_bytes()
    }
    assert named == set()
