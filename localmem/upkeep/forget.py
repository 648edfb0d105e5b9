"""Forgetting: which turns a selection means, and everything that was made of them.

- Recall loses the turns, their vectors, their words in both indexes, the threads that held them with heads and head
  vectors (the turns that stay get new ones), transcripts that become empty, and the index caches.
- In a chat, what the user said takes along the reply that was made of it.
- The task memory keeps what was said in a chat a second time: those words go too. What the turns made of the tasks,
  their slots and values, stays unless it is asked for; `localmem.tasks.forget` tells how it can go.
- Replies of chats that rest on one of the turns, or on such a reply, go too, and runs of the agent that were shown one:
  what each rests on is stored with it. Of what was written without that, by older versions for example, the words
  tell: five in a row of a turn, or one that no other turn has. So they do of heads that a model wrote for threads that
  keep all their turns. Files that a run has written lie outside of the memory and stay.
- Then the file is rewritten (VACUUM) with freed pages zeroed, and the log is emptied.

Nothing notes what was forgotten, not even a hash. So reading the same transcript file again brings it back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from localmem.errors import StoreError, UsageError
from localmem.recall import forget as recall
from localmem.store import StepRow, Store, TaskTurn, Wanted
from localmem.tasks import forget as tasks
from localmem.upkeep import named
from localmem.upkeep.derived import derived
from localmem.values import StoredTurn, Transcript

CHAT = "chat"
"""Format of the transcripts that chats write."""
WE = "localmem"
"""Who replies in them."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What to forget: turns that meet every condition that is given."""

    transcript: str | int | None = None
    """Name, file or number; a name means all transcripts of that name."""
    thread: int | None = None
    turns: tuple[int, ...] | None = None
    speaker: str | None = None
    """As it is written in the memory; case counts only if two differ in nothing else."""
    before: datetime | None = None
    """Turns without a time stay."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went, or would go."""

    done: bool
    """False: nothing was changed, this is what would go."""
    turns: int
    threads: int
    """Threads that held any of them."""
    transcripts: tuple[Transcript, ...]
    """Those that lose turns, with the turns that each had before."""
    emptied: tuple[Transcript, ...]
    """Those of them that lose all."""
    first: tuple[StoredTurn, ...]
    """A few of the turns, of those to show."""
    timeless: int
    """Turns that stay because nothing says when they were said."""
    task_turns: int
    """Turns of the tasks whose words go."""
    tasks: tuple[str, ...]
    """What these turns made of the tasks: "destination = Seattle"."""
    tasks_blanked: bool
    """Whether that goes too."""
    replies: int = 0
    """Turns among them that go because they are replies of chats that came from the others."""
    runs: tuple[str, ...] = ()
    """Goals of the runs of the agent that go, since they came from them."""
    wiped: bool = False
    """Whether no byte of it is left in the file and its log; another localmem that is reading holds that up."""
    unwiped: str = ""
    """Why the file could not be rewritten; what was forgotten cannot be found any more all the same."""


def forget(store: Store, selection: Selection, *, blank_tasks: bool, yes: bool, show: int = 5) -> Forgotten:
    """Forget what a selection means, or say what that would be.

    Args:
        store: the memory.
        selection: what to forget.
        blank_tasks: also what the turns made of the tasks.
        yes: do it; else nothing is changed.
        show: how many turns the report has, at most.

    Raises:
        UsageError: the selection says nothing.
        StoreError: there is no such transcript, thread, turn or speaker, or the memory cannot be written; nothing
            is changed then.
    """
    if selection == Selection():
        raise UsageError(
            "Nothing says what to forget.",
            hint="Name a transcript, a thread, a turn, a speaker or a day; see: localmem forget --help",
        )
    if not yes:
        with store.snapshot():
            return _look(store, selection, blank_tasks, show)[0]
    with store.transaction():
        report, ids, said, replies, runs = _look(store, selection, blank_tasks, show)
        if ids:
            heads = {thread.id: thread.head for thread in store.all_threads() if thread.refined}
            recall.forget(store, ids, sorted(derived(store, ids, (), heads, ())))
        for run in runs:
            store.remove_run(run)
        if said or replies:
            tasks.forget(store, said, replies, values=blank_tasks)
    if not ids and not said and not replies and not runs:
        return replace(report, done=True, wiped=True)
    try:
        return replace(report, done=True, wiped=recall.clear(store))
    except StoreError as error:
        return replace(report, done=True, unwiped=str(error).replace("; nothing was changed", ""))


def wipe(store: Store) -> bool:
    """Rewrite the file without what was deleted, if an earlier `forget` could not; whether nothing is left of it.

    Raises:
        StoreError: it cannot be rewritten now either.
    """
    return recall.clear(store)


def _look(
    store: Store, selection: Selection, blank_tasks: bool, show: int
) -> tuple[Forgotten, list[int], set[int], set[int], list[int]]:
    """The report; ids of the turns; turns of the tasks that lose all words, and those that lose the reply; runs."""
    wanted = _wanted(store, selection)
    ids, timeless = store.chosen(wanted)
    transcripts = {one.id: one for one in store.transcripts()}
    chats = [one.id for one in transcripts.values() if one.format == CHAT]
    exchanges = _exchanges(store, ids, chats)
    ids = sorted({*ids, *(one.reply.id for one in exchanges if one.reply)})
    turns = store.task_turns()
    said, replies = _told(turns, exchanges)
    if selection.before is not None and selection == Selection(before=selection.before):
        assert wanted.before is not None
        said |= {turn.turn for turn in turns if turn.at.astimezone() < wanted.before}
    quoting, runs = _made(store, ids, [turn.said for turn in turns if turn.turn in said], chats)
    replies |= _told(turns, _exchanges(store, quoting, chats))[1]
    ids = sorted({*ids, *quoting})
    places = store.places(ids)
    lost: dict[int, int] = {}
    for transcript, _ in places:
        lost[transcript] = lost.get(transcript, 0) + 1
    # One that was blanked before has nothing left to lose.
    holding = [turn for turn in turns if turn.said or turn.reply or turn.operations]
    said &= {turn.turn for turn in holding}
    made = tasks.brought(turns, said, store.path) if said else []
    report = Forgotten(
        done=False,
        turns=len(ids),
        threads=len({thread for _, thread in places if thread}),
        transcripts=tuple(transcripts[id] for id in sorted(lost)),
        emptied=tuple(transcripts[id] for id in sorted(lost) if transcripts[id].turns == lost[id]),
        first=tuple(store.turns(ids[:show])),
        timeless=timeless,
        task_turns=len(said | replies),
        tasks=tuple(node.label for node in made),
        tasks_blanked=blank_tasks,
        replies=len(quoting),
        runs=tuple(runs.values()),
    )
    return report, ids, said, replies - said, list(runs)


def _wanted(store: Store, selection: Selection) -> Wanted:
    """The selection with names looked up."""
    if selection.turns is not None:
        _there("turn", selection.turns, store.turns)
    if selection.thread is not None:
        _there("thread", [selection.thread], store.threads)
    before = selection.before
    if before is not None and before.tzinfo is None:
        before = before.astimezone()
    return Wanted(
        None if selection.transcript is None else named.transcripts(store, selection.transcript),
        selection.thread,
        selection.turns,
        None if selection.speaker is None else _speakers(store, selection.speaker),
        before,
    )


def _there(what: str, ids: Sequence[int], look: Callable[[Sequence[int]], object]) -> None:
    """Refuse numbers that are not there, with a hint for somebody who has typed one.

    The store's own hint is for ids that were there once and have been replaced since.
    """
    for id in ids:
        try:
            look([id])
        except StoreError as error:
            if error.__cause__ is not None:
                raise
            raise StoreError(str(error), hint="The numbers are in: localmem search QUESTION --json") from None


def _speakers(store: Store, given: str) -> tuple[str, ...]:
    there = store.speakers()
    found = [name for name in there if name == given]
    found = found or [name for name in there if name.casefold() == given.strip().casefold()]
    if not found:
        hint = named.near(given, there) or f"There are: {', '.join(there[:20])}."
        raise StoreError(f"Nobody called {given!r} speaks in {store.path}.", hint=hint)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A turn of a chat and the reply to it, as far as they are there, of which one is to be forgotten."""

    said: StoredTurn | None
    reply: StoredTurn | None
    whole: bool
    """False: only the reply is."""


def _exchanges(store: Store, ids: Sequence[int], chats: Collection[int]) -> list[_Exchange]:
    """Those that the turns with these ids are of."""
    found: list[_Exchange] = []
    answered: set[int] = set()
    for turn in store.turns_of(ids, chats) if chats else ():
        step = -1 if turn.turn.speaker == WE else 1
        place = turn.position + step
        other = next(iter(store.turns_between(turn.transcript, place, place)), None)
        if step == 1:
            reply = other if other is not None and other.turn.speaker == WE else None
            answered |= {reply.id} if reply else set()
            found.append(_Exchange(turn, reply, True))
        elif turn.id not in answered:
            said = other if other is not None and other.turn.speaker != WE else None
            found.append(_Exchange(said, turn, False))
    return found


def _told(turns: Iterable[TaskTurn], exchanges: Iterable[_Exchange]) -> tuple[set[int], set[int]]:
    """Which turns of the tasks these exchanges are, by their words; and those of which only the reply goes.

    A chat writes both at one moment. Where no time agrees, what agrees in the other half is meant, and else all that
    has these words: rather too much than words that stay.
    """
    by_words: dict[str, list[TaskTurn]] = {}
    by_reply: dict[str, list[TaskTurn]] = {}
    for turn in turns:
        by_words.setdefault(_words(turn.said), []).append(turn)
        by_reply.setdefault(_words(turn.reply), []).append(turn)
    said: set[int] = set()
    replies: set[int] = set()
    for one in exchanges:
        words = _words(one.said.turn.text) if one.said else ""
        reply = _words(one.reply.turn.text) if one.reply else ""
        times = {half.turn.at for half in (one.said, one.reply) if half and half.turn.at}
        equal = (by_words.get(words, []) if words else []) if one.whole else by_reply.get(reply, [])
        same = [turn for turn in equal if turn.at in times]
        same = same or [turn for turn in equal if (_words(turn.said), _words(turn.reply)) == (words, reply)]
        (said if one.whole else replies).update(turn.turn for turn in same or equal)
    return said, replies


def _made(
    store: Store, ids: Sequence[int], others: Sequence[str], chats: Sequence[int]
) -> tuple[list[int], dict[int, str]]:
    """What a model has made elsewhere of what people said: replies of chats; runs of the agent, with their goals."""
    written = store.chosen(Wanted(transcripts=tuple(chats), speakers=(WE,)))[0]
    # What is the same in all replies ("Noted.") comes from nobody.
    sources = sorted({*ids} - {*written})
    texts = {("reply", one.id): one.turn.text for one in store.turns(sorted({*written} - {*ids}))}
    runs = {run.id: run for run in store.runs()}
    for run in runs.values():
        parts = [run.goal, f"{run.environment} {run.options}"]
        parts += [text for one in store.subgoals(run.id) for text in (one.text, one.summary)]
        for step in store.steps(run.id):
            parts += [step.action, step.observation, step.state, step.data]
        texts["run", run.id] = "\n".join(parts)
    came = derived(store, sources, others, texts, written)
    gone = {*ids, *(id for kind, id in came if kind == "reply")}
    while further := store.replies_from(gone) - gone:
        gone |= further
    shown = {id for id in runs if any(gone & _shown(step) for step in store.steps(id))}
    return (
        sorted(gone - {*ids}),
        {id: run.goal for id, run in runs.items() if id in shown or ("run", id) in came},
    )


def _shown(step: StepRow) -> set[int]:
    """Ids of the turns that a step of a run in the memory was shown, or noted something of."""
    try:
        data = json.loads(step.data) if step.data else {}
    except ValueError:
        return set()
    lists = [data.get(key) for key in ("shown", "cites")] if isinstance(data, dict) else []
    return {id for ids in lists if isinstance(ids, list) for id in ids if isinstance(id, int)}


def _words(text: str) -> str:
    return " ".join(text.split())
