"""What a clause is there for, told by the states that the model of language has at its words.

The tables of cues know wordings; the states know meaning. A linear layer over both was fitted on clauses that stand in
no case (`scripts/fit_purposes.py`, `scripts/clauses`). It belongs to one model: where the one in use has none, the
tables alone decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localmem.llm.protocol import StateModel
from localmem.tasks.cues import Cue, cues
from localmem.tasks.mentions import PARTICULAR
from localmem.tasks.moods import ACTS, Mood
from localmem.values import Usage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from localmem.tasks.reading import Clause, Reading

LEAD = "What does this message ask of the plan?\n"
SURE = 0.85
"""Probability from which a purpose decides the mood, whatever the tables say."""
PLAIN = 0.7
"""Probability from which an order is taken for one of its kind, where the tables see an order too."""
LIKELY = 0.5
"""Probability from which a purpose widens what the tables say."""
SURE_OF_ORDER = 0.97
"""The same for an order that the tables take for a question, and that is marked as one."""
MOST_CLAUSES = 12
"""Of a turn that are read so; a longer text is no chat."""


class Purpose(StrEnum):
    """What a clause is there for."""

    START = "start"
    ADD = "add"
    CHANGE = "change"
    DELETE = "delete"
    ONLY = "only"
    STAY = "stay"
    """Something is to stay as it is; a removal is refused."""
    RESTORE = "restore"
    BACK = "back"
    LINK = "link"
    DONE = "done"
    ABSENT = "absent"
    SPLIT = "split"
    MERGE = "merge"
    ASK = "ask"
    SUPPOSE = "suppose"
    CHAT = "chat"


PURPOSES = tuple(Purpose)
"""In the order of the fitted weights."""
_MOODS = {Purpose.ASK: Mood.ASK, Purpose.SUPPOSE: Mood.SUPPOSE, Purpose.CHAT: Mood.TALK}
_CUES = {
    Purpose.START: Cue.START,
    Purpose.ADD: Cue.ADD,
    Purpose.CHANGE: Cue.CHANGE,
    Purpose.DELETE: Cue.DELETE,
    Purpose.ONLY: Cue.ONLY,
    Purpose.RESTORE: Cue.RESTORE,
    Purpose.BACK: Cue.BACK,
    Purpose.LINK: Cue.ALSO,
    Purpose.DONE: Cue.DONE,
    Purpose.ABSENT: Cue.ABSENT,
    Purpose.SPLIT: Cue.SPLIT,
    Purpose.MERGE: Cue.MERGE,
}


_SWEEPING = (Purpose.ONLY, Purpose.SPLIT, Purpose.MERGE)
"""What changes many entries at once, so that a likely guess is not enough."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the linear layer: purposes = softmax(features @ matrix + bias)."""

    matrix: NDArray[np.float32]
    """Shape (features, purposes)."""
    bias: NDArray[np.float32]
    """Shape (purposes,)."""
    cues: tuple[str, ...]
    """Those that the features hold, in order."""


@cache
def weights(model: str) -> Weights | None:
    """The weights for a model; None: none were fitted.

    Args:
        model: its id.
    """
    import numpy as np

    path = Path(__file__).with_name("purposes") / f"{model}.npz"
    if not path.is_file():
        return None
    with np.load(path) as table:
        return Weights(table["matrix"], table["bias"], tuple(table["cues"].tolist()))


def pooled(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """The state at the last token of a clause and the mean of all, shape (2 * width,), from shape (tokens, width)."""
    import numpy as np

    return np.concatenate([states[-1], states.mean(axis=0)])


def features(states: NDArray[np.float32], text: str, language: str) -> NDArray[np.float32]:
    """What the layer sees of a clause: its states, the cues of the tables, and whether it ends with a question mark.

    Args:
        states: its pooled states, see `pooled`.
        text: the clause.
        language: its code.

    Returns:
        Shape (2 * width + cues + 1,).
    """
    import numpy as np

    found = cues(text, language)
    marks = [float(cue in found) for cue in Cue] + [float(text.endswith("?"))]
    return np.concatenate([states, np.asarray(marks, np.float32)])


def purposed(reading: Reading, load: Callable[[], Any]) -> tuple[Reading, Usage]:
    """A reading whose clauses are there for what model and tables say together.

    Args:
        reading: by the tables alone.
        load: gives the model of language. What it writes is not asked for.

    Raises:
        EngineError: the model cannot run.
    """
    clauses = reading.clauses
    if not 0 < len(clauses) <= MOST_CLAUSES:
        return reading, Usage()
    model = load()
    table = weights(str(model.id)) if isinstance(model, StateModel) else None
    if table is None:
        return reading, Usage()
    texts = [f"{clause.tag}: {clause.text}" if clause.tag else clause.text for clause in clauses]
    states = model.states(LEAD, texts)
    found = [
        told(clause, probabilities(features(pooled(state), text, reading.language), table))
        for clause, text, state in zip(clauses, texts, states.pieces, strict=True)
    ]
    return reading.only(found), states.usage


def probabilities(row: NDArray[np.float32], table: Weights) -> dict[Purpose, float]:
    """Of each purpose, in (0, 1), summing to 1: the softmax of the linear layer.

    Args:
        row: the features of a clause, see `features`.
        table: the weights.
    """
    import numpy as np

    scores = row @ table.matrix + table.bias
    powers = np.exp(scores - scores.max())
    return dict(zip(PURPOSES, (powers / powers.sum()).tolist(), strict=True))


def told(clause: Clause, chances: Mapping[Purpose, float]) -> Clause:
    """A clause with the mood and the cues of its purposes.

    Args:
        clause: by the tables alone.
        chances: probability of each purpose.
    """
    best = max(chances, key=lambda purpose: chances[purpose])
    found = clause.cues | {
        cue for p, cue in _CUES.items() if chances[p] >= (SURE if p in _SWEEPING else LIKELY)
    }
    needed = SURE_OF_ORDER if clause.mood is Mood.ASK and clause.text.endswith("?") else SURE
    talks = best is Purpose.CHAT and clause.mood is Mood.TELL and _says_something(clause)
    decides = not talks and chances[best] >= (SURE if best is Purpose.ASK else needed)
    plain = chances[best] >= PLAIN and best not in (*_MOODS, *_SWEEPING) and clause.mood is Mood.TELL
    known = clause.cues & _ORDERS - {_CUES.get(best), Cue.ADD}
    if known and clause.mood is Mood.TELL and best not in _MOODS:
        return replace(clause, cues=found)  # the tables see another order: both are possible
    if decides:
        return replace(clause, mood=_MOODS.get(best, Mood.TELL), cues=found, purpose=best)
    return replace(clause, cues=found, purpose=best if plain else None)


_ORDERS = frozenset(_CUES.values()) | {Cue.SWAP, Cue.FIRST}


def _says_something(clause: Clause) -> bool:
    """Whether a clause that looks like talk has a number, a name or an address in it, or a cue of an order."""
    return bool(clause.cues & ACTS) or "@" in clause.text or PARTICULAR.search(clause.text) is not None


def sure(clauses: Sequence[Clause], *purposes: Purpose) -> bool:
    """Whether each of the clauses is surely there for one of these purposes."""
    return bool(clauses) and all(clause.purpose in purposes for clause in clauses)
