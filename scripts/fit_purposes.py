"""Fits what tells the purpose of a clause from a model's states, and writes localmem/tasks/purposes/MODEL.npz.

    python scripts/fit_purposes.py --model qwen2.5-coder-1.5b --states states.npz

The clauses are those of scripts/clauses: a line is a message, in which a label in braces stands before each clause. They
were written for this, without a look at any case. The model reads each message once (some 57,000 tokens); its states are
kept in the file of `--states`, so a run goes on where it stopped. Then a multinomial logistic regression with a
quadratic penalty is fitted by L-BFGS. The last line is JSON: the share of clauses whose likeliest purpose is right when
a quarter of the messages is left out of the fit in turn.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bench_common import machine
from numpy.typing import NDArray
from scipy.optimize import minimize

from localmem import llm, models
from localmem.models import Kind
from localmem.tasks import purpose
from localmem.tasks.cues import Cue
from localmem.tasks.purpose import LEAD, PURPOSES, SURE, Weights, features, pooled

CLAUSES = Path(__file__).with_name("clauses")
LABEL = re.compile(r"\{([a-z+]+)\}\s*")
PENALTY = 0.01
"""Times the sum of squared weights, of standardised features, to the mean loss."""
FOLDS = 4
SAVED_EVERY = 100
"""Messages."""


@dataclass(frozen=True)
class Message:
    """A line of the files of clauses."""

    language: str
    clauses: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]

    @property
    def key(self) -> str:
        """Name of its states in the file that keeps them."""
        return hashlib.sha256("\n".join(self.clauses).encode()).hexdigest()[:24]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True, help="id of the catalogue")
    parser.add_argument("--states", type=Path, required=True, help="file that keeps the states")
    parser.add_argument("--out", type=Path, default=None, help="where the weights go")
    arguments = parser.parse_args()
    messages = [message for file in sorted(CLAUSES.glob("*.txt")) for message in read(file)]
    states = read_states(arguments.model, messages, arguments.states)
    rows, wanted, groups, languages = [], [], [], []
    for place, message in enumerate(messages):
        for text, labels, state in zip(message.clauses, message.labels, states[message.key], strict=True):
            rows.append(features(state, text, message.language))
            wanted.append([(p in labels) / len(labels) for p in PURPOSES])
            groups.append(place % FOLDS)
            languages.append(message.language)
    table, target, group = np.array(rows), np.array(wanted, np.float64), np.array(groups)
    chances = np.zeros_like(target)
    for fold in range(FOLDS):
        fitted = fit(table[group != fold], target[group != fold])
        scores = table[group == fold] @ fitted.matrix + fitted.bias
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances[group == fold] = powers / powers.sum(axis=1, keepdims=True)
    right = target[np.arange(len(target)), chances.argmax(axis=1)] > 0
    sure = chances.max(axis=1) >= SURE
    whole = fit(table, target)
    out = arguments.out or Path(purpose.__file__).with_name("purposes") / f"{arguments.model}.npz"
    out.parent.mkdir(exist_ok=True)
    np.savez_compressed(
        out,
        matrix=whole.matrix.astype(np.float32),
        bias=whole.bias.astype(np.float32),
        cues=np.array(whole.cues),
    )
    summary = {
        "model": arguments.model,
        "messages": len(messages),
        "clauses": len(target),
        "right": round(float(right.mean()), 3),
        "by_language": {
            code: round(float(right[np.array(languages) == code].mean()), 3)
            for code in sorted(set(languages))
        },
        "sure": round(float(sure.mean()), 3),
        "right_where_sure": round(float(right[sure].mean()), 3),
        "machine": machine(),
    }
    print(json.dumps(summary))


def read(file: Path) -> list[Message]:
    """The messages of a file of clauses; its name begins with the code of their language."""
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = LABEL.split(line.strip())
        labels = tuple(tuple(label.split("+")) for label in parts[1::2])
        unknown = {one for label in labels for one in label} - set(PURPOSES)
        if parts[0] or not labels or unknown:
            raise SystemExit(f"{file}:{number}: no clause with a known label in front: {line[:60]}")
        clauses = tuple(text.strip() for text in parts[2::2])
        if all(clauses):
            found.append(Message(file.stem[:2], clauses, labels))
    return found


def read_states(model: str, messages: list[Message], kept: Path) -> dict[str, NDArray[np.float32]]:
    """The pooled states of each message's clauses, shape (clauses, 2 * width)."""
    found: dict[str, NDArray[np.float32]] = dict(np.load(kept)) if kept.exists() else {}
    missing = [message for message in messages if message.key not in found]
    if missing:
        local = models.locate(model, kind=Kind.LANGUAGE)
        engine = llm.load(local.path, id=local.id)
        for place, message in enumerate(missing, 1):
            pieces = engine.states(LEAD, message.clauses).pieces
            found[message.key] = np.array([pooled(piece) for piece in pieces])
            if place % SAVED_EVERY == 0 or place == len(missing):
                partial = kept.with_suffix(".part.npz")
                np.savez(partial, allow_pickle=False, **found)
                partial.replace(kept)
                print(f"{place} of {len(missing)} messages", flush=True)
    return found


def fit(table: NDArray[np.float32], target: NDArray[np.float64]) -> Weights:
    """Multinomial logistic regression on standardised features, given back for the features as they are.

    Args:
        table: shape (clauses, features).
        target: probability of each purpose, shape (clauses, purposes).
    """
    mean, scale = table.mean(axis=0), table.std(axis=0) + 1e-3
    standard = np.asarray((table - mean) / scale, np.float64)
    width, purposes = standard.shape[1], target.shape[1]

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        matrix, bias = flat[:-purposes].reshape(width, purposes), flat[-purposes:]
        scores = standard @ matrix + bias
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        error = (np.exp(logs) - target) / len(target)
        value = -(target * logs).sum() / len(target) + PENALTY * (matrix**2).sum()
        slope = np.concatenate([(standard.T @ error + 2 * PENALTY * matrix).ravel(), error.sum(axis=0)])
        return float(value), slope

    start = np.zeros(width * purposes + purposes)
    flat = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 120}).x
    matrix = flat[:-purposes].reshape(width, purposes) / scale[:, None]
    return Weights(matrix, flat[-purposes:] - mean @ matrix, tuple(map(str, Cue)))


if __name__ == "__main__":
    main()
