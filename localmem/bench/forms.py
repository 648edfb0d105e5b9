"""Form filling: a conversation of any length, made by code, and what it costs against the flat baseline.

The published table (arXiv 2505.19436) counts prompt and completion tokens of the calls that answer, over six turns.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from localmem.bench.cases import Case, parse
from localmem.bench.journal import TurnResult
from localmem.bench.meter import Tokens
from localmem.bench.names import Name
from localmem.bench.summary import slope

CASE = "form"
"""Name of the published case."""
SHORTEST, LONGEST = 4, 120
"""Turns of a made form."""
CORRECTED = 6
"""Every so many turns, a value that was given is corrected."""

_OWNERS = (
    "", "employer", "landlord", "doctor", "dentist", "bank", "school", "insurer", "lawyer", "neighbour", "sister",
)  # fmt: skip
_FIELDS = (
    "family name", "phone", "e-mail", "street", "city", "postcode", "country", "customer number", "room", "district",
)  # fmt: skip
_STARTS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z")
_MIDDLES = ("a", "e", "i", "o", "u", "ai", "ou")
_ENDS = ("l", "m", "n", "r", "s", "x", "nd", "rt")


@dataclass(frozen=True, slots=True)
class FormRow:
    """One form, localmem beside the flat baseline, over the same seeds."""

    model: str
    case: str
    turns: int
    """Over all seeds."""
    right: int
    flat_right: int
    reply: int
    """Prompt and completion tokens of the reply calls."""
    flat_reply: int
    ratio: float
    whole: int
    """Prompt and completion tokens of all calls."""
    flat_whole: int
    whole_ratio: float
    evaluated: int
    """Prompt tokens really read, all calls, without kept prefixes."""
    flat_evaluated: int
    slope: float | None
    """Growth of localmem's from turn to turn, in long forms."""


def form(turns: int, seed: int = 0) -> Case:
    """A form that is filled in, a field a turn, with corrections; the last turn has it repeated.

    Args:
        turns: from `SHORTEST` to `LONGEST`.
        seed: of fields and values; equal seeds make equal forms.
    """
    chance = random.Random(seed)
    fields = [(owner, name) for owner in _OWNERS for name in _FIELDS]
    chance.shuffle(fields)
    taken: set[str] = set()
    given: dict[tuple[str, str], str] = {}
    gone: list[str] = []
    rows: list[dict[str, Any]] = [
        {
            "user": "I have a form to fill in. You get its fields bit by bit.",
            "intent": [["new"]],
            "active": [["form"]],
        }
    ]
    for number in range(2, turns):
        corrects = bool(given) and number % CORRECTED == 0
        field = chance.choice(list(given)) if corrects else fields.pop()
        value = _value(field[1], chance, taken)
        if corrects:
            gone.append(given[field])
        given[field] = value
        others = chance.sample(list(given.values()), min(3, len(given)))
        rows.append(
            {
                "user": f"I got that wrong, {_whose(field)} is {value}." if corrects
                else f"{_whose(field).capitalize()} is {value}.",
                "intent": [["update" if corrects else "new"]],
                "active": [[_exactly(one)] for one in dict.fromkeys([value, *others])],
                "absent": [[_exactly(one)] for one in gone[-1:]],
            }
        )  # fmt: skip
    named = chance.sample(list(given.values()), min(3, len(given)))
    rows.append(
        {
            "user": "Now read the whole form back to me.",
            "intent": [["check"]],
            "unchanged": True,
            "reply": [_exactly(one) for one in named],
            "reply_not": [_exactly(one) for one in gone],
        }
    )
    name = f"{CASE}-{turns}"
    return parse({"name": name, "title": "Form filling, made by code", "turns": rows}, name, name)


def form_rows(results: Iterable[TurnResult]) -> list[FormRow]:
    """A row for each form that both localmem, whole, and the flat baseline have filled in with the same seeds."""
    runs: dict[tuple[str, str], dict[str, dict[int, list[TurnResult]]]] = {}
    for result in results:
        if is_form(result.run.case) and not result.run.ablation:
            form = runs.setdefault((result.run.model, result.run.case), {})
            seeds = form.setdefault(result.run.system, {})
            seeds.setdefault(result.run.seed, []).append(result)
    rows = []
    for systems in runs.values():
        ours, flat = systems.get(Name.LOCALMEM, {}), systems.get(Name.FLAT, {})
        both = sorted(ours.keys() & flat.keys())
        if both:
            rows.append(_row([ours[seed] for seed in both], [flat[seed] for seed in both]))
    return rows


def is_form(case: str) -> bool:
    """Whether a case of this name fills in a form."""
    return re.fullmatch(rf"{CASE}(-\d+)?", case) is not None


def _row(ours: list[list[TurnResult]], flat: list[list[TurnResult]]) -> FormRow:
    our_turns, flat_turns = ([one for run in runs for one in run] for runs in (ours, flat))
    our_all, flat_all = (sum((one.usage for one in turns), Tokens()) for turns in (our_turns, flat_turns))
    our_reply, flat_reply = (
        sum((one.reply_usage for one in turns), Tokens()) for turns in (our_turns, flat_turns)
    )
    return FormRow(
        model=our_turns[0].run.model,
        case=our_turns[0].run.case,
        turns=len(our_turns),
        right=sum(one.right for one in our_turns),
        flat_right=sum(one.right for one in flat_turns),
        reply=_both(our_reply),
        flat_reply=_both(flat_reply),
        ratio=_both(our_reply) / max(_both(flat_reply), 1),
        whole=_both(our_all),
        flat_whole=_both(flat_all),
        whole_ratio=_both(our_all) / max(_both(flat_all), 1),
        evaluated=our_all.evaluated,
        flat_evaluated=flat_all.evaluated,
        slope=slope([[one.usage.evaluated for one in run] for run in ours]),
    )


def _both(tokens: Tokens) -> int:
    return tokens.prompt + tokens.written


def _whose(field: tuple[str, str]) -> str:
    owner, name = field
    return f"my {owner}'s {name}" if owner else f"my {name}"


def _exactly(value: str) -> str:
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def _value(field: str, chance: random.Random, taken: set[str]) -> str:
    """A value that no other field has."""
    while True:
        made = _made(field, chance)
        if made not in taken:
            taken.add(made)
            return made


def _made(field: str, chance: random.Random) -> str:
    if field == "phone":
        return f"0{chance.randrange(100, 999)} {chance.randrange(100000, 999999)}"
    if field == "postcode":
        return str(chance.randrange(10000, 99999))
    if field in ("customer number", "room"):
        return f"{chance.choice('ABCDEFGH')}{chance.randrange(100, 9999)}"
    word = _word(chance)
    if field == "e-mail":
        return f"{word}@{_word(chance)}.example"
    if field == "street":
        return f"{word.capitalize()} Road {chance.randrange(1, 200)}"
    return word.capitalize()


def _word(chance: random.Random) -> str:
    parts: Sequence[Sequence[str]] = (_STARTS, _MIDDLES, _STARTS, _MIDDLES, _ENDS)
    return "".join(chance.choice(part) for part in parts)
