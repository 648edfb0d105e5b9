"""What the options of `localmem bench tasks` can name. Loads nothing."""

from __future__ import annotations

from enum import StrEnum


class Name(StrEnum):
    """The systems."""

    LOCALMEM = "localmem"
    FLAT = "flat"
    """The whole conversation in the prompt of a plain assistant."""
    REACT = "react"
    """Thought and action lines over a scratchpad (arXiv 2210.03629)."""
    COT = "cot"
    """Think step by step, then answer (arXiv 2205.11916)."""


class Part(StrEnum):
    """What can be left out of localmem."""

    TRIM = "trim"
    GRAPH = "graph"
    GUARDS = "guards"
    EXAMPLES = "examples"


TEMPERATURE = 0.3
"""Of runs with several seeds; a run with one takes the likeliest token."""


class Same(StrEnum):
    """What a baseline of `bench answers` has as much of as localmem."""

    TOKENS = "tokens"
    UNITS = "units"
