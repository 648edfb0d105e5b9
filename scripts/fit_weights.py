"""Fits the weights of recall on LoCoMo conversations and writes them into localmem/recall/weights.py.

    python scripts/fit_weights.py --data locomo_dev.json --conversations conv-26 conv-30 conv-41

A conditional logit (McFadden 1974), a concave problem that Newton's method solves: given the turns that a search
looks at, the probability that a turn is the one that answers is the softmax of a weighted sum: of the relevance
features (z-scores), the best relevance in the turn's thread (reach), and whether the turn names a time. The
best relevance depends on the weights itself, so the fit is repeated with those of the fit before until they stand. A
small quadratic penalty keeps weights that the questions do not determine near 0. The last line is JSON, with the
share of gold turns among the best 16 when each conversation is left out of the fit in turn.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench_common import machine, sha256
from numpy.typing import NDArray

from localmem.bench import questions
from localmem.bench.recall import asked, embedder
from localmem.embed.protocol import Embedder
from localmem.recall import neighbourhood, relevance, weights
from localmem.recall.ingest import Ingest
from localmem.recall.neighbourhood import Limits
from localmem.recall.pipeline import Recall
from localmem.recall.query import Query
from localmem.recall.roles import Feature, has_time
from localmem.recall.workspace import Scored
from localmem.store import Store

ROLE_FEATURES = (Feature.TIME,)
"""Links and adjacency make turns less likely to be gold, shared names tell nothing beside the words."""
RIDGE = 10.0
"""Penalty: half of it times the sum of squared weights is taken off the log-likelihood."""
ROUNDS = 8
"""Fits at most; the weights change by less than a hundredth after four or five."""
BUDGET = 16


@dataclass(frozen=True)
class Case:
    """One question: the query, all turns looked at, z-scores (n, features), and which turns are gold."""

    conversation: str
    query: Query
    scored: Scored
    standard: NDArray[np.float64]
    gold: NDArray[np.bool_]
    missed: int
    """Gold turns that were not looked at."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="a LoCoMo file")
    parser.add_argument("--conversations", nargs="+", required=True, help="sample ids to fit on")
    parser.add_argument("--out", type=Path, default=Path(weights.__file__), help="where the weights go")
    arguments = parser.parse_args()
    with embedder() as encoder:
        talks = questions.load(arguments.data, arguments.conversations)
        cases = [case for talk in talks for case in read(talk, encoder)]
    shares: list[float] = []
    for name in arguments.conversations if len(arguments.conversations) > 1 else ():
        first, second = fit([case for case in cases if case.conversation != name])
        shares += [share(case, first, second) for case in cases if case.conversation == name]
    first, second = fit(cases)
    summary = {
        "questions": len(cases),
        "conversations": arguments.conversations,
        "left_out": round(float(np.mean(shares)), 4) if shares else None,
        "data": arguments.data.name,
        "data_sha256": sha256(arguments.data),
        **machine(),
    }
    arguments.out.write_text(module(first, second, summary), encoding="utf-8")
    print(arguments.out.read_text("utf-8"))
    print(json.dumps(summary))


def read(talk: questions.Talk, encoder: Embedder) -> list[Case]:
    """The questions of one conversation that have gold turns."""
    cases = []
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "fit.db") as store:
        Ingest(store, encoder).file(talk.name, lambda: iter(talk.events))
        recall = Recall(store, lambda: encoder)
        for question in asked(talk):
            gold = question.gold
            query, scored = recall.candidates(question.text, limits=Limits(candidates=1 << 40))
            scale = relevance.scale(scored.raw)
            columns = [
                (scored.raw[feature] - scale.mean[feature]) / (scale.deviation[feature] or np.inf)
                for feature in relevance.FEATURES
            ]
            found = np.array([turn.turn.source in gold for turn in scored.pool.turns])
            case = Case(talk.name, query, scored, np.stack(columns, 1), found, len(gold) - int(found.sum()))
            cases.append(case)
    return cases


def fit(cases: Sequence[Case]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights of the relevance features; of reach and the role features."""
    cases = [case for case in cases if case.gold.any()]
    gold = [case.gold for case in cases]
    features = len(relevance.FEATURES)
    first = logit([case.standard for case in cases], gold, RIDGE)
    for _ in range(ROUNDS):
        both = logit([columns(case, first) for case in cases], gold, RIDGE)
        change = float(np.abs(both[:features] - first).max())
        first = both[:features]
        if change < 0.01:
            break
    return first, both[features:]


def columns(case: Case, first: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the logit weighs, given weights that say how relevant a thread is: shape (n, features + 2)."""
    threads = np.array([stored.thread for stored in case.scored.pool.turns])
    reach = np.log(neighbourhood.thread_scores(threads, case.standard @ first))
    times = np.array([has_time(stored.turn.text) for stored in case.scored.pool.turns], dtype=np.float64)
    return np.column_stack([case.standard, reach, times])


def share(case: Case, first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Share of the gold turns among the best `BUDGET`."""
    scores = columns(case, first) @ np.concatenate([first, second])
    best = np.argsort(-scores, kind="stable")[:BUDGET]
    return float(case.gold[best].sum() / (case.gold.sum() + case.missed))


def logit(
    features: Sequence[NDArray[np.float64]], gold: Sequence[NDArray[np.bool_]], ridge: float
) -> NDArray[np.float64]:
    """Weights that make the gold turns likeliest, by Newton's method with halved steps.

    Args:
        features: of each question, shape (n, k).
        gold: of each question, shape (n,), with one true value at least; they share the question's one vote.
        ridge: the penalty.
    """
    targets = [true / true.sum() for true in gold]

    def likelihood(w: NDArray[np.float64]) -> float:
        total = -0.5 * ridge * float(w @ w)
        for x, y in zip(features, targets, strict=True):
            scores = x @ w
            total += float(y @ scores - scores.max() - np.log(np.exp(scores - scores.max()).sum()))
        return total

    w = np.zeros(features[0].shape[1])
    value = likelihood(w)
    while True:
        gradient, hessian = -ridge * w, ridge * np.eye(len(w))
        for x, y in zip(features, targets, strict=True):
            p = np.exp(x @ w - (x @ w).max())
            p /= p.sum()
            mean = p @ x
            gradient += y @ x - mean
            hessian += (x * p[:, None]).T @ x - np.outer(mean, mean)
        step = np.linalg.solve(hessian, gradient)
        w, better = _climb(w, step, value, likelihood)
        if better - value < 1e-6:
            return w
        value = better


def _climb(
    w: NDArray[np.float64],
    step: NDArray[np.float64],
    value: float,
    likelihood: Callable[[NDArray[np.float64]], float],
) -> tuple[NDArray[np.float64], float]:
    """The longest of step, half of it, a quarter, ... that does not go down."""
    for _ in range(40):
        better = likelihood(w + step)
        if better >= value:
            return w + step, better
        step = step / 2
    return w, value


def module(first: NDArray[np.float64], second: NDArray[np.float64], summary: dict[str, object]) -> str:
    """The text of weights.py."""
    fitted_on = ", ".join(map(str, summary["conversations"]))  # type: ignore[call-overload]
    lines = [
        '"""Weights of recall, written by `scripts/fit_weights.py`, which says how; do not edit.',
        "",
        f"Fitted {summary['date']} on the {summary['questions']} questions of {fitted_on} of {summary['data']}",
        f"(SHA-256 {summary['data_sha256']}).",
    ]
    if summary["left_out"] is not None:
        lines.append(
            f"With each conversation left out in turn: {summary['left_out']} of its gold turns in 16."
        )
    lines += ['"""', "", "from collections.abc import Mapping", "", "RELEVANCE: Mapping[str, float] = {"]
    names = json.dumps(summary["conversations"])[1:-1]
    lines.insert(-1, f"FITTED_ON = ({names}{',' if ',' not in names else ''})")
    lines.insert(-1, "")
    for name, weight in zip(relevance.FEATURES, first, strict=True):
        lines.append(f'    "{name}": {weight:.3f},')
    lines += [
        "}",
        '"""Of each z-score; `relevance.FEATURES` says why each of them tells something."""',
        f"REACH = {second[0]:.3f}",
        '"""Power of the best relevance in its thread."""',
        "ROLE: Mapping[str, float] = {",
    ]
    for feature, weight in zip(ROLE_FEATURES, second[1:], strict=True):
        lines.append(f'    "{feature}": {weight:.3f},')
    lines += [
        "}",
        '"""What naming a time adds to the logarithm."""',
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
