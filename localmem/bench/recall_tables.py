"""Results of recall as tables in Markdown, and as one row of figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from localmem.bench.questions import CATEGORIES
from localmem.bench.rankings import BASELINES
from localmem.bench.recall import ABLATIONS, COMPARED, TOGETHER, TWICE, TWICE_IDENTITY, Plan, Result

SYSTEMS = (*BASELINES, "localmem")


def mean(column: str, results: Sequence[Result]) -> float:
    """Mean share over results that have one."""
    shares = [result.shares[column] for result in results if column in result.shares]
    return float(np.mean(shares)) if shares else float("nan")


def figures(results: Sequence[Result], plan: Plan) -> dict[str, Any]:
    """What a run comes to."""
    times = np.array([result.seconds * 1000 for result in results])
    units, threads = (
        float(np.mean([getattr(result, name) for result in results])) for name in ("units", "threads")
    )
    return {
        "budget": plan.budget,
        "hops": plan.hops,
        "questions": len(results),
        **{system: round(mean(system, results), 4) for system in SYSTEMS},
        **{
            side: round(mean("localmem", chosen), 4)
            for side, chosen in groups(results, plan).items()
            if side in ("fitted on", "held out")
        },
        **{
            label: round(mean(label, results), 4)
            for label in COMPARED
            if any(label in result.shares for result in results)
        },
        "candidates": round(float(np.mean([result.candidates for result in results])), 1),
        "candidate_recall": round(float(np.mean([result.candidate_recall for result in results])), 4),
        "units": round(units, 2),
        "threads": round(threads, 2),
        "units_per_thread": round(units / threads, 2),
        "tokens": round(float(np.mean([result.tokens for result in results]))),
        "search_ms_p50": round(float(np.percentile(times, 50)), 1),
        "search_ms_p95": round(float(np.percentile(times, 95)), 1),
    }


def groups(results: Sequence[Result], plan: Plan) -> dict[str, list[Result]]:
    """Results by what the tables show, all of them first."""
    out = {"all": list(results)}
    kinds = [kind for kind in CATEGORIES.values() if any(result.kind == kind for result in results)]
    kinds = kinds or list(dict.fromkeys(result.kind for result in results))
    names = list(dict.fromkeys(result.conversation for result in results))
    sides = {
        "fitted on": [result for result in results if result.conversation in plan.fitted_on],
        "held out": [result for result in results if result.conversation not in plan.fitted_on],
    }
    if all(sides.values()):
        for side, chosen in sides.items():
            out[side] = chosen
            out |= {f"{side}: {kind}": [one for one in chosen if one.kind == kind] for kind in kinds}
    else:
        out |= {kind: [result for result in results if result.kind == kind] for kind in kinds}
    for name in names if len(names) > 1 else ():
        mark = " (fitted on)" if name in plan.fitted_on else ""
        out[name + mark] = [result for result in results if result.conversation == name]
    return out


def tables(results: Sequence[Result], plan: Plan) -> list[str]:
    """Lines of Markdown: shares by group and system, and without each part."""
    lines = {}
    for label, chosen in groups(results, plan).items():
        candidates = (
            float(np.mean([result.candidate_recall for result in chosen])) if chosen else float("nan")
        )
        cells = [f"{mean(system, chosen):.3f}" for system in SYSTEMS]
        lines[label] = [str(len(chosen)), *cells, f"{candidates:.3f}"]
        if label == "all":
            same = [f"{mean(f'{system}, tokens', chosen):.3f}" for system in BASELINES]
            lines["all, as many tokens"] = [str(len(chosen)), *same, cells[-1], ""]
    out = table("", ["questions", *SYSTEMS, "candidate recall"], lines)
    if plan.ablate or plan.refined:
        sides = {
            label: chosen
            for label, chosen in groups(results, plan).items()
            if label in ("all", "fitted on", "held out")
        }
        rows = ("localmem", *ABLATIONS, TOGETHER, TWICE, TWICE_IDENTITY, *COMPARED)
        lines = {
            "whole" if row == "localmem" else row: [f"{mean(row, chosen):.3f}" for chosen in sides.values()]
            for row in rows
            if any(row in result.shares for result in results)
        }
        out += ["", *table("without, or in another memory", list(sides), lines)]
    return out


def sentence(found: dict[str, Any]) -> str:
    """The figures of a run that are in no table."""
    return (
        f"localmem: {found['candidates']} candidates, {found['units']} units of {found['tokens']} tokens (a rough"
        f" count) from {found['threads']} threads, {found['units_per_thread']} a thread; search p50"
        f" {found['search_ms_p50']} ms, p95 {found['search_ms_p95']} ms."
    )


def table(first: str, columns: Sequence[str], lines: dict[str, list[str]]) -> list[str]:
    """A table in Markdown."""
    out = [f"| {first} | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    return out + [f"| {label} | " + " | ".join(cells) + " |" for label, cells in lines.items()]
