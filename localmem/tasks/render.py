"""The task graph as paths, as JSON, and as diagrams. What nodes say is data, in every one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from localmem.tasks.graph import STEP, TaskGraph
from localmem.tasks.values import Node, Revision, Status

VERSION = 1
"""Of the JSON export; it changes when a field loses its meaning."""


class Format(StrEnum):
    """What the tasks can be exported as."""

    JSON = "json"
    MERMAID = "mermaid"
    DOT = "dot"


def marked(node: Node) -> str:
    """What a node says, and its status unless it is active."""
    return node.label if node.status is Status.ACTIVE else f"{node.label} ({node.status})"


def walk(graph: TaskGraph, *, all: bool = False) -> Iterator[tuple[Node, ...]]:
    """Every way from a root to a node, in order: parts after the whole, a shared node after each of its parents.

    Args:
        graph: whose nodes.
        all: ways over deleted nodes too.
    """
    waiting: list[tuple[Node, ...]] = [(root,) for root in reversed(graph.roots())]
    while waiting:
        way = waiting.pop()
        if all or way[-1].live:
            yield way
            waiting += [(*way, child) for child in reversed(graph.children(way[-1].id))]


def paths(graph: TaskGraph, *, all: bool = False) -> list[str]:
    """Every way from a root to an active node as a line: "make soup > prepare mushrooms = wash and chop".

    Args:
        graph: whose nodes.
        all: done and deleted nodes too, with their status behind them.
    """
    return [
        STEP.join([*(node.label for node in way[:-1]), marked(way[-1])])
        for way in walk(graph, all=all)
        if all or way[-1].status is Status.ACTIVE
    ]


def export(graph: TaskGraph, format: Format) -> str:
    """The graph as text of that format, without a line feed at its end."""
    return _FORMATS[format](graph)


def _json(graph: TaskGraph) -> str:
    """All nodes, deleted ones too: {"format", "version", "turn", "nodes": [node_row, ...]}."""
    nodes = [node_row(node) for node in graph]
    row = {"format": "localmem-tasks", "version": VERSION, "turn": graph.turn, "nodes": nodes}
    return json.dumps(row, indent=2)


def node_row(node: Node) -> dict[str, Any]:
    """A node as JSON, with its history; parents and dependencies are ids."""
    return {
        "id": node.id,
        "slot": node.slot,
        "value": node.value,
        "status": str(node.status),
        "parents": list(node.parents),
        "dependencies": list(node.dependencies),
        "user_response": node.user_response,
        "ai_response": node.ai_response,
        "history": [revision_row(past) for past in node.history],
    }


def revision_row(past: Revision) -> dict[str, Any]:
    """A revision as JSON; `by` is the id of the node that the operation named."""
    return {
        "turn": past.turn,
        "at": past.at.isoformat(),
        "op": str(past.op),
        "by": past.by,
        "slot": past.slot,
        "value": past.value,
        "status": str(past.status),
        "parents": list(past.parents),
        "dependencies": list(past.dependencies),
        "why": past.why,
    }


def _mermaid(graph: TaskGraph) -> str:
    """A flowchart of the live nodes, https://mermaid.js.org/syntax/flowchart.html."""
    lines = ["flowchart TD"]
    live = [node for node in graph if node.live]
    lines += [f'  n{node.id}["{_mermaid_text(node.label)}"]' for node in live]
    for node in live:
        lines += [f"  n{parent.id} --> n{node.id}" for parent in graph.live_parents(node)]
        lines += [f"  n{node.id} -. needs .-> n{id}" for id in node.dependencies if graph[id].live]
    done = ",".join(f"n{node.id}" for node in live if node.status is Status.DONE)
    if done:
        lines += ["  classDef done opacity:0.5", f"  class {done} done"]
    return "\n".join(lines)


def _mermaid_text(text: str) -> str:
    """Everything but letters, digits and spaces as character codes: no mark can end the label or mean something."""
    return "".join(c if c.isalnum() or c == " " else f"#{ord(c)};" for c in text)


def _dot(graph: TaskGraph) -> str:
    """A digraph of the live nodes, https://graphviz.org/doc/info/lang.html."""
    lines = ["digraph tasks {", "  node [shape=box];"]
    live = [node for node in graph if node.live]
    for node in live:
        style = ", style=dashed" if node.status is Status.DONE else ""
        lines.append(f'  n{node.id} [label="{_dot_text(node.label)}"{style}];')
    for node in live:
        lines += [f"  n{parent.id} -> n{node.id};" for parent in graph.live_parents(node)]
        needed = [id for id in node.dependencies if graph[id].live]
        lines += [f'  n{node.id} -> n{id} [label="needs", style=dashed];' for id in needed]
    return "\n".join([*lines, "}"])


def _dot_text(text: str) -> str:
    """A label reads backslashes as commands and ampersands as entities."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


_FORMATS = {Format.JSON: _json, Format.MERMAID: _mermaid, Format.DOT: _dot}
