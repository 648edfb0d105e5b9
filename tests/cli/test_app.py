"""Exit codes, errors, streams, and what a command loads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import localmem as package
from localmem.cli import app as app_module
from localmem.cli.app import app
from localmem.errors import LocalmemError, UsageError
from localmem.memory import Memory
from tests.cli.conftest import TALK, CommandLine

COMMANDS = (
    "chat",
    "ingest",
    "search",
    "ask",
    "refine",
    "view",
    "stats",
    "models",
    "tasks",
    "export",
    "import",
    "memory",
    "forget",
    "doctor",
    "bench",
    "run",
)


def failing(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def stats(self: Memory) -> None:
        raise error

    monkeypatch.setattr(Memory, "stats", stats)


def test_a_command_that_went_well_exits_with_0(filled: CommandLine) -> None:
    assert filled("stats").code == 0


def test_an_error_exits_with_1_and_is_one_line_and_a_hint(localmem: CommandLine) -> None:
    result = localmem("stats", "--memory", "nothing-here")
    assert (result.code, result.out) == (1, "")
    message, hint = result.err.splitlines()
    assert message.startswith("localmem: There is no memory at ")
    assert hint == "  Make one with: localmem ingest FILE --memory nothing-here"


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-command",),
        ("stats", "--no-such-option"),
        ("search",),
        ("ingest",),
        ("search", "x", "--budget", "many"),
        ("search", "x", "--budget", "0"),
        ("search", "x", "--hops", "-1"),
        ("search", "x", "--tokens", "0"),
        ("stats", "--memory", ".hidden"),
        ("stats", "--memory", "a*b"),
        ("ingest", "x", "--format", "no-such-format"),
        ("models", "no-such-command"),
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2_and_says_so_on_stderr(
    localmem: CommandLine, arguments: tuple[str, ...]
) -> None:
    result = localmem(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err


def test_a_wrong_usage_that_a_part_finds_exits_with_2(
    filled: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(UsageError("That makes no sense.", hint="Do it otherwise."), monkeypatch)
    result = filled("stats")
    assert (result.code, result.err) == (2, "localmem: That makes no sense.\n  Do it otherwise.\n")


def test_an_interruption_exits_with_130(filled: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(KeyboardInterrupt(), monkeypatch)
    result = filled("stats")
    assert (result.code, result.out) == (130, "")
    assert result.err.strip() == "localmem: Interrupted."


def test_an_interruption_that_a_library_made_an_import_error_exits_with_130(
    filled: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stats(self: Memory) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("initialization failed") from None

    monkeypatch.setattr(Memory, "stats", stats)
    result = filled("stats")
    assert (result.code, result.out, result.err) == (130, "", "localmem: Interrupted.\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("library", ["typer", "localmem.cli.ask"])
def test_an_interruption_while_the_command_loads_exits_with_130(library: str) -> None:
    code = f"""
import sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == "{library}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
from localmem.cli.app import main
"""
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "localmem: Interrupted.\n")


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("stats", 0),
        ("search ferry", 0),
        ("search ferry --json", 0),
        ("ask", 0),
        ("ask x?", 0),
        ("chat", 0),
        ("chat /tasks", 0),
        ("ingest -", 1),
        ("models remove smollm2-135m", 1),
        ("stats --memory nothing", 1),
        ("nonsense", 2),
    ],
)
@pytest.mark.usefixtures("filled")
def test_a_closed_stream_is_no_traceback_and_errors_stay_off_stdout(
    arguments: str, expected: int, closed: str
) -> None:
    code = f"""
import os, sys
for number in {[number for number, sign in enumerate(("<&-", ">&-", "2>&-")) if sign in closed.split()]}:
    os.close(number)
os.execv(sys.executable, [sys.executable, "-c", os.environ["SCRIPT"], *sys.argv[1:]])
"""
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments.split()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "SCRIPT": script("main(sys.argv[1:])")},
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert result.returncode == expected, result.stderr
    assert "Traceback" not in result.stdout + result.stderr
    assert "Exception ignored" not in result.stderr
    assert "localmem: " not in result.stdout


def test_a_file_opened_later_does_not_become_a_stream() -> None:
    code = "import os; os.close(2); from localmem.cli.app import _open_closed_streams as f; f(); print(os.open('.', 0) > 2)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert result.stdout == "True\n"


def test_an_error_of_many_lines_is_printed_as_one(
    filled: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(LocalmemError("one\ntwo\x1b[31m", hint="three\n\nfour"), monkeypatch)
    assert filled("stats").err == "localmem: one two[31m\n  three four\n"


def test_an_error_without_a_hint_is_one_line(filled: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(LocalmemError("one"), monkeypatch)
    assert filled("stats").err == "localmem: one\n"


def test_a_bug_shows_its_traceback(filled: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(TypeError("a bug"), monkeypatch)
    with pytest.raises(TypeError):
        filled("stats")


def test_a_wrong_setting_is_an_error_not_a_traceback(
    localmem: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCALMEM_CONTEXT", "huge")
    result = localmem("stats")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("localmem: LOCALMEM_CONTEXT must be a whole number, 512 or more\n  ")


def test_the_version_is_printed(localmem: CommandLine) -> None:
    result = localmem("--version")
    assert (result.code, result.out) == (0, f"localmem {package.__version__}\n")


def test_without_arguments_the_help_is_shown(localmem: CommandLine) -> None:
    result = localmem()
    shown = result.out + result.err
    assert all(command in shown for command in COMMANDS)


def test_every_command_is_known_to_these_tests() -> None:
    group = typer.main.get_command(app)
    assert set(group.commands) == set(COMMANDS)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_help_has_an_example(localmem: CommandLine, command: str | None) -> None:
    result = localmem(*([command] if command else []), "--help")
    assert result.code == 0
    assert f"localmem {command or 'ingest'}" in " ".join(result.out.split()).split("Example")[-1]


@pytest.mark.parametrize(
    "command", [(), *((command,) for command in COMMANDS), ("models", "list")], ids=" ".join
)
def test_h_is_help(localmem: CommandLine, command: tuple[str, ...]) -> None:
    short, long = localmem(*command, "-h"), localmem(*command, "--help")
    assert (short.code, short.out) == (0, long.out)
    assert "Usage: localmem" in short.out


@pytest.mark.parametrize("command", ["search", "ask", "chat", "run"])
def test_a_question_without_quotes_is_hinted_at(localmem: CommandLine, command: str) -> None:
    result = localmem(command, "Who", "bought", "the", "Saab")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[-1] == (
        f"  Put the text in quotes: localmem {command} 'Who bought the car?'"
    )


def test_another_wrong_usage_has_no_hint_at_quotes(localmem: CommandLine) -> None:
    assert "quotes" not in localmem("search", "x", "--budget", "0").err
    assert "quotes" not in localmem("stats", "x").err


def test_every_option_is_explained() -> None:
    group = typer.main.get_command(app)
    for name, command in group.commands.items():  # type: ignore[attr-defined]
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert parameter.help, f"{name} {parameter.name}"


def script(code: str) -> str:
    """Python that runs `code` with fakes in place of the engines."""
    return f"""
import sys
from pathlib import Path
from localmem.cli.app import main
from localmem.memory import Memory, open_store
from localmem.settings import settings

def open(cls, memory=None, *, create=True, model=None):
    from tests.fakes import HashingEmbedder, ScriptedModel
    store = open_store(memory, settings(), create=create)
    return cls(store, embedder=HashingEmbedder, model=lambda: ScriptedModel(["[1] At nine."] * 100))

Memory.open = classmethod(open)
{code}
"""


def run(code: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that runs a command with fakes in place of the engines."""
    return subprocess.run(
        [sys.executable, "-c", script(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        cwd=Path(__file__).parents[2],
        check=False,
    )


ENGINES = {"llama_cpp", "torch", "onnxruntime", "sentence_transformers", "transformers", "tokenizers"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (("search", "ferry", "--json"), ENGINES | {"huggingface_hub", "requests", "urllib3", "jinja2"}),
        (("stats",), ENGINES | {"faiss", "numba", "huggingface_hub", "requests", "jinja2", "rich"}),
    ],
    ids=["search", "stats"],
)
@pytest.mark.usefixtures("filled")
def test_a_command_loads_only_what_it_needs(arguments: tuple[str, ...], unwanted: set[str]) -> None:
    code = """
import json
try:
    main(sys.argv[1:])
finally:
    print("\\n" + json.dumps(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)
"""
    result = run(code, *arguments)
    assert result.returncode == 0, result.stderr
    assert set(json.loads(result.stderr.splitlines()[-1])) & unwanted == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [("stats",), ("search", "ferry"), ("search", "ferry", "--json"), ("ask", "x?")]
)
@pytest.mark.usefixtures("filled")
def test_a_reader_that_has_left_is_no_traceback(arguments: tuple[str, ...]) -> None:
    """`localmem search x | head -0`."""
    code = """
import os
read, write = os.pipe()
os.close(read)
os.dup2(write, 1)
main(sys.argv[1:])
"""
    result = run(code, *arguments)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert "Broken pipe" not in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("arguments", [("stats",), ("search", "ferry", "--json"), ("--help",)], ids=" ".join)
@pytest.mark.usefixtures("filled")
def test_a_full_device_is_one_line_and_a_hint(arguments: tuple[str, ...]) -> None:
    """`localmem search x > /dev/full`."""
    code = """
import os
os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
main(sys.argv[1:])
"""
    result = run(code, *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "localmem: What was to be written could not be: No space left on device.\n"
        "  Free some space, or write elsewhere.\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [("stats",), ("search", "ferry"), ("search", "ferry", "--json"), ("ask", "x?")]
)
def test_a_terminal_that_cannot_show_a_character_gets_something_else(
    localmem: CommandLine, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(TALK.replace("coat", "manteau doublé 🧥 日本"), encoding="utf-8")
    assert localmem("ingest", file).code == 0
    result = run("main(sys.argv[1:])", *arguments, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.returncode == 0, result.stderr
    if "--json" in arguments:
        texts = {unit["text"] for unit in json.loads(result.stdout)["units"]}
        assert "Bring a manteau doublé 🧥 日本, it is cold." in texts


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not text")
def test_a_file_whose_name_is_no_text_is_read(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/talk\xff.txt")
    Path(name).write_text(TALK, encoding="utf-8")
    for extra in ((), ("--json",)):
        result = run(
            "main(['ingest', *map(str, Path(sys.argv[1]).glob('*.txt')), *sys.argv[2:]])", tmp_path, *extra
        )
        assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["files"][0]["known"] == 3


def test_the_module_can_be_run_as_a_script() -> None:
    result = subprocess.run(
        [sys.executable, app_module.__file__, "--version"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (0, f"localmem {package.__version__}\n")


@pytest.mark.slow
def test_an_interrupted_ingest_exits_with_130_and_keeps_what_is_stored(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text("\n".join(f"Ann: Number {n}." for n in range(2000)), encoding="utf-8")
    code = """
import os, signal
from tests.fakes import HashingEmbedder

class Interrupted(HashingEmbedder):
    def encode(self, texts):
        if len(self.encoded) > 500:
            os.kill(os.getpid(), signal.SIGINT)
        return super().encode(texts)

def open(cls, memory=None, *, create=True, model=None):
    return cls(open_store(memory, settings(), create=create), embedder=Interrupted, model=None)

Memory.open = classmethod(open)
main(sys.argv[1:])
"""
    result = run(code, "ingest", file)
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr.splitlines() == [
        "localmem: Interrupted.",
        "  What was added is kept; the same command again adds the rest.",
    ]
    again = run("main(sys.argv[1:])", "ingest", file, "--json")
    (report,) = json.loads(again.stdout)["files"]
    assert (report["added"], report["known"]) == (2000 - 512, 512)
