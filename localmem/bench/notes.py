"""What a reader of the table must know of this run, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from localmem.bench.journal import TurnResult
from localmem.bench.names import Name
from localmem.bench.summary import LONG, Row

PROBED = (
    "The baselines hold no graph. After each turn they were asked, apart from the conversation and uncounted, to list "
    'the intent of the turn and what holds now as lines "task > slot = value"; these lines were judged as paths.'
)


def notes(results: Sequence[TurnResult], rows: Sequence[Row]) -> list[str]:
    """The notes of a run, those that never change last.

    Args:
        results: all turns.
        rows: of the table.
    """
    told: list[str] = []
    cut: dict[tuple[str, str], int] = {}
    for result in results:
        turns = int(result.details.get("turns_cut", 0))
        if turns:
            key = (result.run.system, result.run.case)
            cut[key] = max(cut.get(key, 0), turns)
    told += [
        f"{system} in {case}: the context was full, and the first {turns} turns were cut from the front."
        for (system, case), turns in cut.items()
    ]
    gave_up = sum(any(failure.kind == "error" for failure in result.failures) for result in results)
    if gave_up:
        told.append(f"Turns that a system gave up on, counted as confusions: {gave_up}.")
    fixed = sum(row.tokens.fixed for row in rows if not row.half)
    if fixed:
        told.append(
            f"Fixed parts of prompts, which are read once and kept: {fixed:,} tokens, in no column; their time is in s."
        )
    if any(row.system != Name.LOCALMEM for row in rows):
        told.append(PROBED)
    told.append(
        "conf., hall.: turns with a confusion, with a hallucination. cons.: cases without either. 95%: Wilson interval "
        "of the share of right turns, in per cent. Tokens and seconds are means of a turn; eval.: prompt tokens really "
        "read, kept prefixes not counted."
    )
    if any(row.slope is not None for row in rows):
        told.append(f"grow: of eval. from one turn to the next, in cases of {LONG} turns and more.")
    return told
