"""Scores and a budget to a choice: greedy facility location, compiled, with a plain numpy twin.

Importing this package does not import numba; the first compiled selection does.
"""

from localmem.select.greedy import remaining, select
from localmem.select.values import Budget, Candidates, Mix, Selection, entity_bits

__all__ = ["Budget", "Candidates", "Mix", "Selection", "entity_bits", "remaining", "select"]
