"""The part of the graph that a turn needs: the cheapest one that holds what the words touch, by token cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from localmem.tasks.graph import TaskGraph
from localmem.tasks.values import Node, Status

MOST_NODES = 24
"""Of a subgraph; the grammar of a turn names each of them."""


def rough_cost(text: str) -> int:
    """Tokens of a line, by its length."""
    return 4 + len(text) // 4


def lines(graph: TaskGraph, shown: Collection[int], *, former: bool = False, flat: bool = False) -> list[str]:
    """Nodes as the model reads them, parts below the whole: "- time = 2 PM".

    Args:
        graph: whose nodes.
        shown: ids of the nodes.
        former: with the values before, where there are some.
        flat: without what is a part of what.
    """
    made: list[str] = []
    seen: set[int] = set()

    def put(node: Node, depth: int) -> None:
        if node.id not in shown:
            return
        mark = "" if node.status is Status.ACTIVE else " (removed)" if not node.live else " (done)"
        before = [value or slot for slot, value in node.versions[:-1]] if former else []
        was = f" (was {', '.join(before[-3:])})" if before else ""
        made.append(f"{'' if flat else '- ' * depth}{node.label}{mark}{was}")
        if node.id in seen:
            return
        seen.add(node.id)
        for child in graph.children(node.id):
            put(child, depth + 1)

    above = {id for id in shown if not any(parent in shown for parent in graph[id].parents)}
    for node in graph:
        if node.id in above:
            put(node, 0)
    return made


def subgraph(
    graph: TaskGraph,
    wanted: Iterable[int],
    *,
    budget: int,
    near: Iterable[int] = (),
    deleted: bool = False,
    cost: Callable[[str], int] = rough_cost,
) -> list[int]:
    """Ids of the nodes to show, rising.

    The wanted nodes and all above them come in any case; then, as far as the budget goes, the parts beside them,
    the nodes that were spoken of last with their parts, the other tasks, and the rest.

    Args:
        graph: whose nodes.
        wanted: what the words touch, the surest first.
        budget: tokens.
        near: what was spoken of last.
        deleted: whether deleted nodes may be shown beside the wanted ones.
        cost: tokens of a line.
    """
    chosen: dict[int, None] = {}
    spent = 0

    def take(node: Node, *, must: bool = False) -> None:
        nonlocal spent
        if node.id in chosen or (not node.live and not deleted and not must):
            return
        price = cost(node.label)
        if must or (spent + price <= budget and len(chosen) < MOST_NODES):
            chosen[node.id] = None
            spent += price

    def take_above(node: Node) -> None:
        for id in node.parents:
            if graph[id].live:
                take(graph[id], must=True)
                take_above(graph[id])

    wanted = list(wanted)[:MOST_NODES]
    for id in wanted:
        take(graph[id], must=True)
        take_above(graph[id])
    roots = [root for root in graph.roots() if root.live]
    groups: list[list[Node]] = [[child for id in wanted for child in graph.children(id)]]
    groups.append(
        [child for id in wanted for parent in graph[id].parents for child in graph.children(parent)]
    )
    groups.append([graph[id] for id in near if id in graph])
    groups.append([child for id in near if id in graph for child in graph.children(id)])
    groups.append([c for id in near if id in graph for p in graph[id].parents for c in graph.children(p)])
    groups.append(roots[::-1])
    groups.append(list(graph)[::-1])
    for group in groups:
        for node in group:
            take(node)
            if node.id in chosen:
                take_above(node)
    return sorted(chosen)
