"""What a picture of a memory shows: threads in time, how they are linked, and what a question found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from localmem.recall.graph import Link
from localmem.store import Store
from localmem.values import Thread, Transcript, Workspace

TIMELINE_THREADS = 4000
"""Threads in a timeline; of a larger memory the latest ones, and those of the workspace."""
GRAPH_THREADS = 160
"""Threads in a graph; more than these are a tangle."""


@dataclass(frozen=True, slots=True)
class View:
    """A memory, ready to be drawn."""

    transcripts: Mapping[int, Transcript]
    threads: tuple[Thread, ...]
    """In order of time, those without one last."""
    total_threads: int
    linked: tuple[Thread, ...]
    """The threads of the graph, in order of time."""
    links: tuple[Link, ...]
    """Between them; each pair once."""
    workspace: Workspace | None
    """What a question found."""


def view(store: Store, links: Callable[[Sequence[int]], Sequence[Link]], workspace: Workspace | None) -> View:
    """Read what a picture shows.

    Args:
        store: the memory.
        links: gives the links of threads.
        workspace: what a question found, if one was asked; its threads and their neighbours are the graph then.

    Raises:
        StoreError: the memory cannot be read.
    """
    everything = sorted(store.all_threads(), key=_moment)
    found = {thread.id for thread in workspace.threads} if workspace else set()
    shown = everything[-TIMELINE_THREADS:]
    there = {thread.id for thread in shown}
    missed = [thread for thread in everything if thread.id in found - there]
    by_id = {thread.id: thread for thread in everything}
    seeds = (
        [thread.id for thread in workspace.threads]
        if workspace
        else [t.id for t in everything[-GRAPH_THREADS:]]
    )
    drawn = list(links(seeds)) if seeds else []
    chosen = dict.fromkeys(seeds)
    for link in sorted(drawn, key=lambda link: -link.weight):
        for end in (link.a, link.b):
            if len(chosen) < GRAPH_THREADS:
                chosen.setdefault(end)
    pairs: dict[tuple[int, int], Link] = {}
    for link in drawn:
        pair = (min(link.a, link.b), max(link.a, link.b))
        if link.a in chosen and link.b in chosen and (pair not in pairs or pairs[pair].weight < link.weight):
            pairs[pair] = link
    return View(
        transcripts={transcript.id: transcript for transcript in store.transcripts()},
        threads=tuple(sorted([*missed, *shown], key=_moment)),
        total_threads=len(everything),
        linked=tuple(sorted((by_id[id] for id in chosen if id in by_id), key=_moment)),
        links=tuple(pairs.values()),
        workspace=workspace,
    )


def _moment(thread: Thread) -> tuple[bool, str, int, int]:
    started = thread.started
    return (started is None, started.isoformat() if started else "", thread.transcript, thread.first)
