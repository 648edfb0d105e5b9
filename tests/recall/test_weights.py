"""The weights of recall, and the script that fits them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from localmem.recall import weights

SCRIPTS = Path(__file__).parent.parent.parent / "scripts"


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import fit_weights

    assert Path(sys.modules["fit_weights"].__file__ or "").parent == SCRIPTS
    return fit_weights


def test_the_weights_are_as_the_script_writes_them(script: ModuleType) -> None:
    text = Path(weights.__file__).read_text("utf-8")
    date, questions, data, digest, left_out = re.search(
        r"Fitted (\S+) on the (\d+) questions of .* of (\S+)\n\(SHA-256 (\w+)\).\nWith .*: ([\d.]+) of", text
    ).groups()
    summary = {
        "date": date,
        "questions": questions,
        "conversations": list(weights.FITTED_ON),
        "data": data,
        "data_sha256": digest,
        "left_out": left_out,
    }
    first = np.array(list(weights.RELEVANCE.values()))
    second = np.array([weights.REACH, *weights.ROLE.values()])
    assert script.module(first, second, summary) == text


def test_the_fit_finds_the_feature_that_tells_gold_turns_from_others(script: ModuleType) -> None:
    rng = np.random.default_rng(3)
    features = [rng.standard_normal((30, 2)) for _ in range(50)]
    gold = [np.arange(30) == int(np.argmax(x[:, 0])) for x in features]
    told, noise = script.logit(features, gold, ridge=1.0)
    assert told > 1
    assert abs(noise) < 0.3 * told


def test_the_fit_is_at_the_top_of_the_penalised_likelihood(script: ModuleType) -> None:
    """There the gradient is 0: features of gold turns less those expected, less the penalty."""
    rng = np.random.default_rng(4)
    features = [rng.standard_normal((12, 3)) for _ in range(9)]
    gold = [rng.random(12) < 0.2 for _ in features]
    for one in gold:
        one[0] = True
    w = script.logit(features, gold, ridge=2.0)
    gradient = -2.0 * w
    for x, y in zip(features, gold, strict=True):
        p = np.exp(x @ w) / np.exp(x @ w).sum()
        gradient += (y / y.sum() - p) @ x
    assert gradient == pytest.approx(np.zeros(3), abs=1e-3)


def test_a_feature_that_is_the_same_for_all_turns_gets_no_weight(script: ModuleType) -> None:
    gold = np.array([True, False, False])
    assert script.logit([np.ones((3, 1))], [gold], ridge=1.0) == pytest.approx([0.0])
