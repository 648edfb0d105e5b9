"""Looks at everything that a memory and its engines need, and says for each fault how to mend it.

Nothing is changed, but that verifying a model notes its digest, and that opening a memory may bring its tables up to
date, as every command does.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from localmem import models
from localmem.embed.telemetry import OPT_OUT
from localmem.errors import LocalmemError, StoreError
from localmem.index import examine_cache
from localmem.llm.hardware import memory_bytes, physical_cores
from localmem.models import FileStatus, Kind
from localmem.recall.pipeline import cache_path
from localmem.settings import Settings
from localmem.store import Store, sqlite_version
from localmem.tasks import Tasks
from localmem.upkeep import files

ENGINES = {
    "llama_cpp": ("llama-cpp-python", "answers"),
    "onnxruntime": ("onnxruntime", "vectors"),
    "tokenizers": ("tokenizers", "vectors"),
    "faiss": ("faiss-cpu", "search"),
    "numba": ("numba", "search"),
}
"""Module: the package that brings it, and what it is for."""
ROOM = 200_000_000
"""Bytes that should be free on a disk at least."""
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_SECONDS = 120.0
"""After which an engine that still loads counts as broken."""


class State(StrEnum):
    """How something is."""

    OK = "ok"
    NOTE = "note"
    """Works, but could be better."""
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing."""

    what: str
    state: State
    text: str
    mend: str = ""
    """What to do; empty if nothing."""


def examine(
    path: Path,
    settings: Settings,
    *,
    needed: bool,
    digests: bool = True,
    open_store: Callable[[], Store],
    start: Callable[[str], str | None] | None = None,
) -> Iterator[Finding]:
    """Everything, one after the other.

    Args:
        path: of the memory.
        settings: whose models and folders.
        needed: whether a memory that is not there is a fault.
        digests: whether the models' files are read, which takes seconds a gigabyte.
        open_store: opens the memory.
        start: loads an engine by its module's name and says why it cannot; None: in a process of its own.
    """
    yield from _engines(start or _start)
    yield from _models(settings, digests)
    yield from _threads(settings)
    yield from _memory(path, settings, needed, open_store)
    yield from _disk(path, settings)
    yield from _folders(settings)


def _engines(start: Callable[[str], str | None]) -> Iterator[Finding]:
    for module, (package, purpose) in ENGINES.items():
        why = start(module)
        if why is None:
            yield Finding("engine", State.OK, f"{package} {_version(package)} ({purpose})")
        else:
            yield Finding(
                "engine",
                State.FAULT,
                f"{package} {_version(package)} ({purpose}) does not load: {why}",
                f"pip install --force-reinstall --no-cache-dir {package}",
            )
    try:
        yield Finding("engine", State.OK, f"SQLite {sqlite_version()} (memories)")
    except StoreError as error:
        yield Finding("engine", State.FAULT, str(error), error.hint)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _start(module: str) -> str | None:
    """Why a module cannot be imported. In a process of its own, which a wrong instruction may end."""
    code = f"import {module}"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, **OPT_OUT},
        )
    except (OSError, subprocess.SubprocessError) as error:
        return " ".join(str(error).split())
    if done.returncode < 0:
        return f"it was ended by signal {-done.returncode}; it may be built for another processor"
    last = done.stderr.strip().splitlines()
    return None if done.returncode == 0 else (last[-1] if last else f"exit code {done.returncode}")


def _models(settings: Settings, digests: bool) -> Iterator[Finding]:
    for spec, kind in ((settings.model, Kind.LANGUAGE), (settings.embedder, Kind.EMBEDDER)):
        if (
            kind is Kind.EMBEDDER
            and spec not in models.catalogue().by_id
            and Path(spec).expanduser().is_dir()
        ):
            yield Finding("model", State.OK, f"{spec} is a folder of your own")
            continue
        try:
            local = models.locate(spec, kind=kind)
            checks = models.verify(spec) if digests else []
        except LocalmemError as error:
            yield Finding("model", State.FAULT, str(error), error.hint)
            continue
        bad = [check for check in checks if check.status in (FileStatus.DAMAGED, FileStatus.MISSING)]
        for check in bad:
            yield Finding(
                "model", State.FAULT, f"{check.path} is {check.status}", f"localmem models pull {spec}"
            )
        if bad:
            continue
        known = all(check.status is FileStatus.OK for check in checks)
        if not digests:
            said = f"its SHA-256 was verified: {local.digest[:12]}" if local.digest else "not verified yet"
        elif known:
            others = f", and {len(checks) - 1} more files" if len(checks) > 1 else ""
            said = f"every SHA-256 is right: {checks[0].sha256[:12]}{others}"
        else:
            said = "nobody says which SHA-256 it should have"
        yield Finding("model", State.OK, f"{spec}, {said}")


def _threads(settings: Settings) -> Iterator[Finding]:
    cores = physical_cores()
    for name, threads in (("threads", settings.threads), ("threads_batch", settings.threads_batch)):
        if threads is not None and threads > cores:
            yield Finding(
                "threads",
                State.NOTE,
                f"LOCALMEM_{name.upper()} is {threads}, more than the {cores} cores that this process has: it is slower",
                f"Unset LOCALMEM_{name.upper()}, or set it to {cores}.",
            )
    used = settings.threads or cores
    yield Finding("threads", State.OK, f"{used} for generation, on {cores} core{'s' * (cores != 1)}")
    memory = memory_bytes()
    if memory is not None and memory < 2_000_000_000:
        yield Finding(
            "working memory",
            State.NOTE,
            f"{memory / 1e9:.1f} GB; the default model needs 2.5",
            "Take a smaller model: --model qwen2.5-coder-0.5b",
        )
    elif memory is not None:
        yield Finding("working memory", State.OK, f"{memory / 1e9:.1f} GB")


def _memory(
    path: Path, settings: Settings, needed: bool, open_store: Callable[[], Store]
) -> Iterator[Finding]:
    if not os.path.lexists(path):
        state = State.FAULT if needed else State.OK
        mend = (
            "localmem stats names those that there are; make one with: localmem ingest FILE" if needed else ""
        )
        yield Finding("memory", state, f"there is none at {path}", mend)
        return
    yield from _modes(path)
    try:
        store = open_store()
    except LocalmemError as error:
        yield Finding("memory", State.FAULT, str(error), error.hint)
        return
    with store:
        try:
            yield from _inside(store, settings)
        except LocalmemError as error:
            yield Finding("memory", State.FAULT, str(error), error.hint)


def _inside(store: Store, settings: Settings) -> Iterator[Finding]:
    stats = store.stats()
    kind = "encrypted" if store.encrypted else "in plain text"
    yield Finding(
        "memory",
        State.OK,
        f"{store.path}: {stats.turns:,} turns, {stats.bytes / 1e6:,.1f} MB, schema {stats.schema}, {kind}",
    )
    if store.read_only:
        yield Finding(
            "memory", State.NOTE, "it is read-only", f"If that is not on purpose: chmod 600 {store.path}"
        )
    faults = store.check() + store.disorder()
    restore = "Restore the file from a copy, or: localmem export, and import what it gives into a new memory."
    yield from (Finding("integrity", State.FAULT, fault, restore) for fault in faults)
    if not faults:
        words = "words not looked at, since it is read-only" if store.read_only else "words"
        yield Finding("integrity", State.OK, f"tables, references, threads, vectors and {words}")
    made = f"{stats.refined_threads:,} of them made by a model (localmem refine)"
    yield Finding("recall", State.OK, f"{stats.threads:,} threads, {made}")
    graph = Tasks(store).graph
    yield Finding("tasks", State.OK, f"{len(graph):,} tasks of {graph.turn:,} turns")
    if stats.embedder and stats.embedder != settings.embedder and "@" not in stats.embedder:
        yield Finding(
            "embedder",
            State.FAULT,
            f"the memory has vectors of {stats.embedder}, the settings name {settings.embedder}",
            f"Set LOCALMEM_EMBEDDER={stats.embedder}; or export --no-vectors, and import that into a new memory.",
        )
    elif stats.embedder:
        yield Finding("embedder", State.OK, f"{stats.embedder}, {stats.dimension} numbers a vector")
    if store.encrypted:
        yield Finding("index", State.OK, "no cache, since the memory is encrypted")
        return
    for what, stamp in (("turns", store.stamp("turns")), ("threads", store.stamp("threads"))):
        cache = cache_path(store.path, what)
        yield Finding("index", State.OK, f"{what}: {examine_cache(cache, stamp)}")


def _modes(path: Path) -> Iterator[Finding]:
    """Whether others can read the memory or what lies beside it, or put something in its place."""
    open_ones = [file for file in files.of_memory(path) if file.is_file() and file.stat().st_mode & _OTHERS]
    for file in open_ones:
        mode = stat.S_IMODE(file.stat().st_mode)
        yield Finding(
            "file mode", State.FAULT, f"others can get at {file} (mode {mode:o})", f"chmod 600 {file}"
        )
    folder = files.real_path(path).parent
    mode = folder.stat().st_mode
    if mode & _OTHERS_WRITE and not mode & stat.S_ISVTX:
        yield Finding(
            "file mode", State.FAULT, f"others can replace files in {folder}", f"chmod go-w {folder}"
        )
    elif not open_ones:
        yield Finding("file mode", State.OK, "only you can read the memory")


def _disk(path: Path, settings: Settings) -> Iterator[Finding]:
    size = path.stat().st_size if path.is_file() else 0
    seen: set[int] = set()
    for what, folder, wanted in (
        ("memories", path.parent, ROOM + size),
        ("models", settings.models_dir, ROOM),
        ("kept prefixes", settings.prefixes_dir, ROOM),
    ):
        there = _existing(folder)
        if there.stat().st_dev in seen:
            continue
        seen.add(there.stat().st_dev)
        free = shutil.disk_usage(there).free
        text = f"{free / 1e9:,.1f} GB free for {what}, in {there}"
        if free < wanted:
            yield Finding(
                "disk", State.FAULT, f"{text}; {wanted / 1e9:,.1f} GB should be", "Free some space there."
            )
        else:
            yield Finding("disk", State.OK, text)


def _folders(settings: Settings) -> Iterator[Finding]:
    """Folders that others must not write into, since what lies there is trusted."""
    for what, folder in (("models", settings.models_dir), ("kept prefixes", settings.prefixes_dir)):
        there = folder.expanduser()
        if there.is_dir() and there.stat().st_mode & _OTHERS_WRITE:
            yield Finding(
                "file mode", State.FAULT, f"others can change {what} in {there}", f"chmod go-w {there}"
            )
    chats = settings.state_dir.expanduser() / "chat"
    for file in sorted(chats.iterdir()) if chats.is_dir() else ():
        if file.is_file() and file.stat().st_mode & _OTHERS:
            yield Finding("file mode", State.FAULT, f"others can read {file}", f"chmod 600 {file}")


def _existing(folder: Path) -> Path:
    there = folder.expanduser().absolute()
    while not there.is_dir() and there != there.parent:
        there = there.parent
    return there
