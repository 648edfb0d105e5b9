"""Weights of recall, written by `scripts/fit_weights.py`, which says how; do not edit.

Fitted 2026-11-30 on the 383 questions of conv-26, conv-30, conv-41 of locomo_dev.json
(SHA-256 e184c9c179fb904cce9ca8e501aab7d33c0f74f892118fb76d4e839cb0b49d73).
With each conversation left out in turn: 0.8946 of its gold turns in 16.
"""

from collections.abc import Mapping

FITTED_ON = ("conv-26", "conv-30", "conv-41")

RELEVANCE: Mapping[str, float] = {
    "dense": 0.232,
    "dense_window": 0.303,
    "words_window": 0.215,
    "related": 0.236,
    "speaker": 1.171,
    "length": 0.243,
    "month": 0.495,
}
"""Of each z-score; `relevance.FEATURES` says why each of them tells something."""
REACH = 1.128
"""Power of the best relevance in its thread."""
ROLE: Mapping[str, float] = {
    "time": 0.552,
}
"""What naming a time adds to the logarithm."""
