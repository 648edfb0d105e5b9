"""`localmem ingest`: transcript files into a memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localmem.cli import options
from localmem.cli.options import INTERRUPTED
from localmem.formats import Format

if TYPE_CHECKING:
    from localmem.values import FileReport, IngestReport

NAME = "ingest"
EXAMPLE = (
    "Examples: localmem ingest chat.txt notes/ --memory work; localmem ingest 'exports/**/*.zip' --jobs 4;"
    " some-export | localmem ingest - --format jsonl"
)
EXAMPLE += "\n\n\b\nFormats:\n" + "\n".join(f"  {one.value:9} {one.description}" for one in Format)
KEPT = "What was added is kept; the same command again adds the rest."
SHOWN = 20
"""Conversations of one file that have a line each; of the others there is a sum."""


def command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...", help="Files, folders, zips, patterns like '*.txt', or - for standard input."
        ),
    ],
    memory: options.Memory = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="One of the list below; found by content when not given.",
        ),
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation", metavar="NAME", help="Only the one of this name, of a file that holds several."
        ),
    ] = None,
    date_order: Annotated[
        str | None,
        typer.Option(
            "--date-order",
            metavar="ORDER",
            help="How dates such as 4/3/2025 are read where the file does not show it: "
            "dmy is 4 March, mdy is April 3; ymd: the year stands first, also with two digits.",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            min=1,
            max=64,
            help="Processes that read files ahead, and as many that make vectors, each with a model of its own.",
        ),
    ] = 1,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Read transcripts and add what is new in them. Reading a file again adds nothing twice."""
    from localmem import arguments
    from localmem.cli.output import log_to_stderr, note, print_json, report_row
    from localmem.memory import Memory

    log_to_stderr(verbose)
    lines = _Lines(quiet, verbose)
    chosen, order = arguments.format(format), arguments.date_order(date_order)
    with _Progress(quiet) as progress, _going_on(progress), Memory.open(memory) as opened:
        report = opened.ingest(
            *paths,
            format=chosen,
            conversation=conversation,
            date_order=order,
            jobs=jobs,
            on_plan=progress.plan,
            progress=progress.batch,
            on_file=lambda file: progress.file(file, [] if as_json else lines.of(file)),
        )
    if as_json:
        print_json({"memory": str(opened.path), "files": [report_row(file) for file in report.files]})
    else:
        left_out = _left_out(paths)
        if left_out or len({file.path for file in report.files}) > 1:
            print(_summary(report, left_out))
        if not quiet and (local := _local(report)):
            note(local)
    if report.failed:
        raise typer.Exit(1)


@contextmanager
def _going_on(progress: _Progress) -> Iterator[None]:
    """Says of an interruption, and of a memory that cannot be written any more, that what was added is kept."""
    from localmem.errors import EmbedderError, LocalmemError, StoreError

    try:
        yield
    except KeyboardInterrupt:
        stopped = LocalmemError("Interrupted.", hint=KEPT)
        stopped.exit_code = INTERRUPTED
        raise stopped from None
    except (EmbedderError, StoreError) as error:
        if progress.added:
            error.hint = f"{error.hint} {KEPT}".strip()
        raise


def _unread(report: FileReport) -> bool:
    return bool(report.error) and not report.added and not report.known


def _left_out(paths: list[str]) -> list[str]:
    """Endings of the files that `expand` leaves out of folders because of them; one for each file."""
    from localmem.transcripts.expand import BINARY_ENDINGS

    found = []
    for path in paths:
        for _, folders, names in os.walk(path):  # nothing for a file
            folders[:] = [name for name in folders if not name.startswith(".")]
            found += [PurePath(name).suffix.lower() for name in names if not name.startswith(".")]
    return [ending for ending in found if ending in BINARY_ENDINGS]


def _local(report: IngestReport) -> str:
    """Once for all files: which times were taken as local."""
    from localmem.transcripts.reader import LOCAL

    new = {file.path for file in report.files if file.added}
    told = {file.path for file in report.files if LOCAL in file.details}
    count = len({path for path in told if path in new})
    if not count:
        return ""
    where = "" if len(new) == count == 1 else f" in {count:,} file{'s' * (count != 1)}"
    return f"Times without a zone{where} are taken as local time."


def _summary(report: IngestReport, left_out: list[str]) -> str:
    """How many files were read; one that holds several conversations is one file."""
    unread = {file.path for file in report.files if _unread(file)}
    broken = {file.path for file in report.files if file.error} - unread
    read = len({file.path for file in report.files}) - len(unread) - len(broken)
    parts = [f"{read} file{'' if read == 1 else 's'} read"]
    parts += [f"{len(broken)} in part"] if broken else []
    parts += [f"{len(unread)} not"] if unread else []
    if left_out:
        endings = ", ".join(sorted(set(left_out)))
        parts.append(f"{len(left_out)} left out because of their ending ({endings})")
    return ", ".join(parts)


class _Lines:
    """What is printed of each report."""

    def __init__(self, quiet: bool, verbose: bool) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._place = self._added = self._known = self._skipped = 0

    def of(self, report: FileReport) -> list[str]:
        """Lines of the next conversation; of a file with many, the sum behind the last."""
        if report.conversations <= SHOWN:
            return _lines(report, self._quiet, self._verbose)
        self._place += 1
        lines = []
        if self._place <= SHOWN or report.error:
            lines = _lines(report, self._quiet, self._verbose)
        else:
            self._added += report.added
            self._known += report.known
            self._skipped += report.skipped_count
        if self._place == report.conversations:
            counts = _counts(self._added, self._known, self._skipped)
            lines.append(f"{report.path}: {report.conversations - SHOWN:,} more conversations: {counts}")
            self._place = self._added = self._known = self._skipped = 0
        return lines


def _counts(added: int, known: int, skipped: int) -> str:
    counts = f"{added} turn{'' if added == 1 else 's'} added"
    counts += f", {known} known" if known else ""
    return counts + (f", {skipped} skipped" if skipped else "")


def _lines(report: FileReport, quiet: bool, verbose: bool) -> list[str]:
    reason = (report.error or "").removeprefix(f"{report.path}: ")
    if _unread(report):
        said = report.error if report.path in str(report.error) else f"{report.path}: {reason}"
        return [str(said), *([f"  {report.hint}"] if report.hint else [])]
    threads = f"{report.threads} thread{'' if report.threads == 1 else 's'}"
    counts = _counts(report.added, report.known, report.skipped_count)
    name = "" if report.transcript == PurePath(report.path).stem else f", {report.transcript}"
    lines = [f"{report.path} ({report.format}{name}): {counts}; {threads}; {report.seconds:.1f} s"]
    if not quiet:
        lines += [f"  skipped {skip.where}: {skip.reason}" for skip in report.skipped[:5]]
        if report.skipped_count > 5:
            lines.append(f"  ... and {report.skipped_count - 5} more (all with --json)")
        if report.added or not report.known:  # else they were said when its turns were added
            lines += [f"  note: {warning}" for warning in report.warnings]
    if verbose:
        lines += [f"  {detail}" for detail in report.details]
    if report.error:
        lines.append(f"  broke off: {reason}")
        lines += [f"    {report.hint}"] if report.hint else []
    return lines


class _Progress:
    """A bar on stderr for all files, by their size, and one for the file, where stderr is a terminal."""

    def __init__(self, quiet: bool) -> None:
        from localmem.cli.output import console

        self._console = console(stderr=True)
        self._bar: Any = None
        self._all: Any = None
        self._task: Any = None
        self._shown = not quiet and self._console.is_terminal
        self._sizes: dict[str, int] = {}
        self._done = 0
        self._files = 0
        self._read = 0
        self._left = 0  # conversations of the file
        self.added = False
        """Whether anything may have been."""

    def __enter__(self) -> _Progress:
        if self._shown:
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[count]}"),
                TimeRemainingColumn(),
                console=self._console,
                transient=True,
                speed_estimate_period=300,  # a few large files among many small ones
                # Results above the bar where both are on the terminal; else they must stay on stdout.
                redirect_stdout=sys.stdout.isatty(),
            )
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def plan(self, files: list[Path]) -> None:
        """All files, before the first is read."""
        if self._bar is None:
            return
        if len(files) == 1:  # a large one is read for a while before the first batch
            from localmem.cli.output import one_line

            self._task = self._bar.add_task(one_line(str(files[0]))[-40:], total=None, count="reading")
        if len(files) < 2:
            return
        self._sizes = {str(file): _size(file) for file in files}
        self._files = len(files)
        total = sum(_size(file) for file in files)
        self._all = self._bar.add_task("all files", total=max(1, total), count=f"0/{len(files):,} files")

    def batch(self, file: str, done: int, total: int) -> None:
        """Turns of a file that are done."""
        self.added = True
        if self._bar is None:
            return
        from localmem.cli.output import one_line

        count = f"{done:,}/{total:,} turns"
        if self._task is None:
            self._task = self._bar.add_task(one_line(file)[-40:], total=total, count=count)
        self._bar.update(self._task, completed=done, total=total, count=count)
        if self._all is not None:
            self._bar.update(
                self._all, completed=self._done + self._sizes.get(file, 0) * done // max(1, total)
            )

    def file(self, report: FileReport, lines: list[str]) -> None:
        """A conversation of a file that is done, and what is printed of it."""
        from localmem.cli.output import one_line

        if self._bar is not None and self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None
        self._left = (self._left or report.conversations) - 1
        if self._all is not None and not self._left and report.path in self._sizes:
            self._read += 1
            self._done += self._sizes[report.path]
            self._bar.update(self._all, completed=self._done, count=f"{self._read:,}/{self._files:,} files")
        for line in lines:
            # A line feed in the name of a file must not make a line of its own.
            print(" " * (len(line) - len(line.lstrip(" "))) + one_line(line), flush=True)


def _size(file: Path) -> int:
    """Bytes of a file, or of all that an exported folder holds."""
    try:
        if file.is_dir():
            return sum(one.stat().st_size for one in file.rglob("*") if one.is_file())
        return file.stat().st_size
    except OSError:
        return 0
