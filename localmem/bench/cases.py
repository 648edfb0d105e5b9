"""Cases of task memory: conversations with what must be true after each turn, read from JSON files.

A path is a line as `localmem tasks list --paths` prints it. An entry is a list of regular expressions, matched
without case, that must all be found in one path; as an object it may also name some that must not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from localmem.errors import BenchError, UsageError

HALVES = ("tune", "check")


@dataclass(frozen=True, slots=True)
class Entry:
    """What one path must and must not say."""

    all: tuple[re.Pattern[str], ...]
    none: tuple[re.Pattern[str], ...] = ()

    def matches(self, path: str) -> bool:
        """Whether all of `all` and none of `none` is found in the path."""
        return all(word.search(path) for word in self.all) and not any(
            word.search(path) for word in self.none
        )

    def __str__(self) -> str:
        words = [word.pattern for word in self.all] + [f"not {word.pattern}" for word in self.none]
        return " + ".join(words)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a reply must not say, and what in the same sentence excuses it."""

    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None

    def __str__(self) -> str:
        return self.pattern.pattern + (f" unless {self.unless.pattern}" if self.unless else "")


@dataclass(frozen=True, slots=True)
class CaseTurn:
    """What a user types, and what must be true afterwards. None: not judged."""

    user: str
    intents: tuple[frozenset[str], ...] | None = None
    """Sets of intents that are right; the empty one is small talk."""
    active: tuple[Entry, ...] = ()
    absent: tuple[Entry, ...] = ()
    unchanged: bool = False
    reply: tuple[re.Pattern[str], ...] = ()
    reply_not: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation."""

    name: str
    turns: tuple[CaseTurn, ...]
    digest: str
    """Of what the user types: what came of it can be judged again when the expectations change."""
    title: str = ""
    half: str = ""
    """ "tune", "check" or empty."""
    kinds: tuple[str, ...] = ()
    language: str = ""


def load(folder: Path, only: Iterable[str] = ()) -> tuple[Case, ...]:
    """The cases of a folder and the folders below it, by path; or of one file.

    Args:
        folder: with .json files, one case each.
        only: names of the cases that are wanted; empty: all.

    Raises:
        BenchError: a file that is no case; the message has file, turn and reason.
        UsageError: there is no such folder, no case in it, or none of a wanted name.
    """
    if not folder.exists():
        raise UsageError(f"There is no folder {folder}.", hint="Name a folder with one JSON file a case.")
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.json"))
    cases: dict[str, tuple[Case, Path]] = {}
    for file in files:
        case = read(file)
        if case.name in cases:
            raise BenchError(
                f"{file}: the name {case.name!r} is also that of {cases[case.name][1]}.",
                hint="Give each case a name of its own.",
            )
        cases[case.name] = case, file
    wanted = list(dict.fromkeys(only)) or list(cases)
    missing = [name for name in wanted if name not in cases]
    if missing or not wanted:
        what = f"no case {', '.join(map(repr, missing))}" if missing else "no .json file"
        raise UsageError(
            f"There is {what} in {folder}.",
            hint=f"There are: {', '.join(cases)}." if cases else "Name a folder with one JSON file a case.",
        )
    return tuple(cases[name][0] for name in wanted)


def read(file: Path) -> Case:
    """The case in one file.

    Raises:
        BenchError: it is none.
    """
    try:
        row = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BenchError(f"{file} cannot be read: {error.strerror}.", hint="Look at the path.") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise BenchError(f"{file}: no JSON: {error}.", hint="A case is one JSON object a file.") from None
    return parse(row, str(file), file.stem)


def parse(row: object, where: str, name: str) -> Case:
    """A case from its JSON object.

    Args:
        row: what the file holds.
        where: the file, for errors.
        name: of a case that does not name itself.

    Raises:
        BenchError: it is none.
    """
    try:
        case = _Case.model_validate(row)
    except ValidationError as error:
        raise BenchError(f"{where}: {_reason(error)}", hint="Every field of a case is in `--help`.") from None
    digest = sha256(json.dumps([turn.user for turn in case.turns]).encode()).hexdigest()[:16]
    return Case(
        name=case.name or name,
        turns=tuple(map(_turn, case.turns)),
        digest=digest,
        title=case.title,
        half=case.half,
        kinds=tuple(case.kind),
        language=case.language,
    )


def _pattern(text: str) -> str:
    try:
        re.compile(text, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None
    return text


def _entry(given: Any) -> Any:
    if isinstance(given, dict):
        return given
    if isinstance(given, list):
        return {"all": given}
    raise ValueError('an entry is a list of words, or {"all": [...], "none": [...]}')


def _refusal(given: Any) -> Any:
    if isinstance(given, dict):
        return given
    if isinstance(given, str):
        return {"re": given}
    raise ValueError('it is a regular expression, or {"re": ..., "unless": ...}')


def _listed(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


_Regex = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Entry(_Model):
    all: list[_Regex] = []
    none: list[_Regex] = []


def _says_something(entry: _Entry) -> _Entry:
    if not entry.all and not entry.none:
        raise ValueError("an entry without words matches everything")
    return entry


class _Refusal(_Model):
    re: _Regex
    unless: _Regex | None = None


_AnyEntry = Annotated[_Entry, BeforeValidator(_entry), AfterValidator(_says_something)]
_Intents = list[Literal["new", "update", "check"]]


class _Turn(_Model):
    user: Annotated[str, Field(min_length=1)]
    intent: Annotated[list[_Intents], Field(min_length=1)] | None = None
    active: list[_AnyEntry] = []
    absent: list[_AnyEntry] = []
    unchanged: bool = False
    reply: list[_Regex] = []
    reply_not: list[Annotated[_Refusal, BeforeValidator(_refusal)]] = []
    note: str = ""
    """For who reads the file."""


class _Case(_Model):
    model_config = ConfigDict(extra="ignore")  # who made it, and the like

    name: str = ""
    title: str = ""
    half: Literal["tune", "check", ""] = ""
    kind: Annotated[list[str], BeforeValidator(_listed)] = []
    language: str = ""
    turns: Annotated[list[_Turn], Field(min_length=1)]


def _reason(error: ValidationError) -> str:
    """The first thing that is wrong, with its turn (counted from 1) and field."""
    first = error.errors()[0]
    place = list(first["loc"])
    words = []
    if place[:1] == ["turns"] and len(place) > 1:
        words.append(f"turn {int(place[1]) + 1}")
        place = place[2:]
    if place:
        words.append(".".join(str(step + 1 if isinstance(step, int) else step) for step in place))
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "there is no such field"
    elif first["type"] == "missing":
        message = "it is missing"
    return f"{', '.join(words)}: {message}." if words else f"{message}."


def _turn(row: _Turn) -> CaseTurn:
    return CaseTurn(
        user=row.user,
        intents=None if row.intent is None else tuple(map(frozenset, row.intent)),
        active=tuple(Entry(_compiled(entry.all), _compiled(entry.none)) for entry in row.active),
        absent=tuple(Entry(_compiled(entry.all), _compiled(entry.none)) for entry in row.absent),
        unchanged=row.unchanged,
        reply=_compiled(row.reply),
        reply_not=tuple(
            Refusal(re.compile(one.re, re.IGNORECASE), re.compile(one.unless, re.IGNORECASE))
            if one.unless
            else Refusal(re.compile(one.re, re.IGNORECASE))
            for one in row.reply_not
        ),
    )


def _compiled(words: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(word, re.IGNORECASE) for word in words)
