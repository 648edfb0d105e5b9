"""Text games through Jericho, also those that it does not know: place, score and what can be done by the standard."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from localmem.agent.environments.protocol import Outcome, Route
from localmem.agent.environments.zmachine import Picture
from localmem.errors import AgentError, UsageError
from localmem.llm import grammar

SEED = 1
"""Of the game's dice, so that a run can be made again."""
LONGEST = 120
"""Characters of an action; Jericho itself cuts at 198 bytes."""
MOST_NOUNS = 10
MOST_ACTIONS = 40
DIRECTIONS = (
    "north", "south", "east", "west", "northeast", "northwest", "southeast", "southwest", "up", "down", "in", "out",
)  # fmt: skip
VERBS = (
    "take",
    "drop",
    "open",
    "close",
    "push",
    "pull",
    "move",
    "turn on",
    "turn off",
    "enter",
    "climb",
    "read",
    "eat",
    "light",
)
LOOKS = ("look", "inventory")
FORBIDDEN = frozenset(
    {"save", "restore", "restart", "quit", "q", "script", "unscript", "superbrief", "verify"}
)
"""Words that leave the game or touch files."""
_STATUS = re.compile(r"\A>.*?(?:Score:|Time:)[^\n]*\n")
_REFUSED = re.compile(
    r"I don't know the word|You used the word|That sentence isn't|There was no verb|I don't understand|"
    r"You can't see any|You don't have|I beg your pardon|You can't go that way|There seems to be a noun missing|"
    r"What do you want to|Which .* do you mean|can't use multiple",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\*\*\*\*? +(?:You have (?P<won>won)|You have died|The End|[^\n*]{1,40}) +\*\*\*", re.IGNORECASE
)


class GameEnvironment:
    """One story.

    Args:
        story: file of the game.
        goal: in words.
        milestones: texts that are seen on the way, in any order; none: only winning counts.
        seed: of the game's dice.

    Raises:
        UsageError: Jericho is not installed.
        AgentError: the file cannot be read, or is no story.
    """

    kind = "game"
    tells_all = False

    def __init__(self, story: Path, goal: str, milestones: Sequence[str] = (), seed: int = SEED) -> None:
        try:
            import jericho
        except ImportError:
            raise UsageError(
                "Text games need the package jericho.", hint="Install it: pip install 'localmem[jericho]'"
            ) from None
        try:
            self._story = story.read_bytes()
        except OSError as error:
            raise AgentError(
                f"{story} cannot be read: {error.strerror}.", hint="Name a story file."
            ) from None
        if len(self._story) < 64 or not 1 <= self._story[0] <= 8:
            raise AgentError(
                f"{story} is no story of a Z-machine.", hint="Its name usually ends in .z3, .z5 or .z8."
            )
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # that it does not know the release, which is what this class is for
            self._game: Any = jericho.FrotzEnv(str(story), seed=seed)
        self._goal = goal
        self._milestones = tuple(milestones)
        self._reached: list[str] = []
        self._last = ""
        self._over = False
        self._won = False
        self._actions: dict[str, tuple[str, ...]] = {}
        self._words = self._picture().words()

    @property
    def goal(self) -> str:
        """The goal in words."""
        return self._goal or "Explore, collect what is of worth, and win the game."

    @property
    def done(self) -> bool:
        """Whether the game has ended, or all milestones were seen."""
        return self._over or (bool(self._milestones) and self.progress() >= 1)

    @property
    def place(self) -> str:
        """Name of the place; empty where the standard does not say."""
        picture = self._picture()
        return picture.name(picture.place) if picture.status_line else ""

    @property
    def score(self) -> int:
        """The score; 0 where neither Jericho nor the standard knows it."""
        if self._game.is_fully_supported:
            return int(self._game.get_score())
        picture = self._picture()
        return picture.score if picture.status_line else 0

    def reset(self) -> str:
        """Begin the game."""
        text, _ = self._game.reset()
        self._reached, self._over, self._won = [], False, False
        self._last = _clean(text)
        self._mark(self._last)
        return self._last

    def step(self, action: str) -> Outcome:
        """Type a command. Words that leave the game or touch files are refused."""
        command = re.sub(r"[^\x20-\x7e]", " ", action)[:LONGEST].strip()
        if not command or self._over:
            return Outcome("The game has ended." if self._over else "Nothing was typed.", False)
        if FORBIDDEN & set(re.findall(r"[a-z]+", command.lower())):
            return Outcome("That is not possible here.", False)
        text = self._type(command)
        self._last = text
        self._mark(text)
        over = _OVER.search(text)
        self._over |= over is not None or bool(self._game.game_over() or self._game.victory())
        self._won |= bool(over and over["won"]) or bool(self._game.victory())
        return Outcome(text or "Nothing happens.", not _REFUSED.search(text))

    def restore(self, steps: Sequence[tuple[str, Outcome]]) -> None:
        """Type the same again; the dice fall the same way."""
        for action, _ in steps:
            self.step(action)

    def valid_actions(self) -> tuple[str, ...]:
        """Commands that change the place, an object or the score otherwise than waiting does, and looking."""
        if self._over:
            return ()
        state = self.state()
        if state not in self._actions:
            self._actions[state] = self._tried()
        return self._actions[state]

    def grammar(self) -> str:
        """One of the commands that change something."""
        return grammar.alternatives(self.valid_actions())

    def progress(self) -> float:
        """Milestones that were seen, of all."""
        if not self._milestones:
            return float(self._won)
        return len(self._reached) / len(self._milestones)

    def state(self) -> str:
        """A hash of place, score and objects."""
        return self._key(self._picture())

    def now(self) -> str:
        """What was seen last, and where."""
        place = self.place
        return f"{f'You are at: {place}. ' if place else ''}{' '.join(self._last.split())}"

    def missing(self) -> tuple[str, ...]:
        """Nothing: to name a milestone would be to tell the way."""
        return ()

    def gains(self, action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Nothing that code can tell."""
        return (), ()

    def route(self) -> Route:
        """Nothing that code can tell."""
        return Route()

    def peek(self, action: str) -> str | None:
        """The key after a command, which is taken back."""
        if self._over or action in LOOKS:
            return None if self._over else self.state()
        kept = self._game.get_state()
        self._type(action)
        key = self.state()
        self._game.set_state(kept)
        return key

    def _type(self, command: str) -> str:
        text, *_ = self._game.step(command)
        return _clean(text)

    def _picture(self) -> Picture:
        dynamic = bytes(self._game.get_state()[0])
        return Picture(dynamic + self._story[len(dynamic) :])

    def _key(self, picture: Picture) -> str:
        known = (picture.place, picture.score) if picture.status_line else ()
        return hashlib.sha256(repr(known).encode() + picture.objects()).hexdigest()[:16]

    def _tried(self) -> tuple[str, ...]:
        kept = self._game.get_state()
        seen = f"{self._last} "
        for command in LOOKS:
            seen += f"{self._type(command)} "
            self._game.set_state(kept)
        self._type("wait")
        known = {self._key(self._picture()), self.state()}
        self._game.set_state(kept)
        known.add(self.state())
        found: list[str] = []
        nouns = self._nouns(seen)
        for command in (*DIRECTIONS, *(f"{verb} {noun}" for verb in VERBS for noun in nouns)):
            text = self._type(command)
            key = self._key(self._picture())
            self._game.set_state(kept)
            if key not in known and not _REFUSED.search(text):
                known.add(key)
                found.append(command)
        return (*found[:MOST_ACTIONS], *LOOKS)

    def _nouns(self, text: str) -> list[str]:
        """Words of a text that the game knows, the last ones first: what is there is told after where one is."""
        cut = 6 if self._picture().version <= 3 else 9
        skipped = {
            *DIRECTIONS,
            *" ".join(VERBS).split(),
            *LOOKS,
            "a",
            "the",
            "of",
            "and",
            "with",
            "all",
            "it",
            "is",
            "you",
        }
        words = re.findall(r"[a-z]{3,}", text.lower())
        known = [word for word in reversed(words) if word[:cut] in self._words and word not in skipped]
        return list(dict.fromkeys(known))[:MOST_NOUNS]

    def _mark(self, text: str) -> None:
        """One milestone a step, at most, counts as seen (AgentBoard's rule)."""
        plain = _plain(text)
        for milestone in self._milestones:
            if milestone not in self._reached and _plain(milestone) in plain:
                self._reached.append(milestone)
                return


def _clean(text: str) -> str:
    """Without the status line and empty lines."""
    lines = _STATUS.sub("", text).split("\n")
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9\s]", "", text)
