"""Share of the turns that answer a question in the workspace, against plain rankings and without each part.

Every conversation is a memory of its own, but for two rows that show what parts are for: `together` puts all into one
memory, and `said twice` adds each conversation a second time in slightly other words, as two exports of one chat have
it; there a gold turn counts as found if either copy is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from localmem.bench.questions import ADVERSARIAL, Question, Talk
from localmem.bench.rankings import BASELINES, Rankings
from localmem.bench.refined import adopt
from localmem.embed.protocol import Embedder
from localmem.memory import Memory
from localmem.recall.ingest import Ingest
from localmem.recall.neighbourhood import Limits
from localmem.recall.pipeline import Recall
from localmem.recall.threads import head
from localmem.recall.workspace import Options, tokens
from localmem.select import Budget, Mix
from localmem.store import NewThread, Store
from localmem.transcripts import Event
from localmem.values import Turn

SEGMENT = 7
"""Turns of a fixed segment: about as many as a thread has."""
FIXED = "fixed segments"
ABLATIONS = ("one thread only", FIXED, "seeds only", "no spreading", "no roles", "K = identity")
"""K = identity makes the choice the units of most priority: it is "no coverage" too."""
TOGETHER = "together"
REFINED = "refined"
"""With the threads that a model has made: see `localmem refine`."""
CANDIDATES = "candidate recall"
FEW = "ten threads"
"""Only the ten threads that are found first: how good borders and heads are where there are many more."""
COMPARED = tuple(
    f"{state}{what}" for what in ("", f", {CANDIDATES}", f", {FEW}") for state in ("fast", REFINED)
)
TWICE = "said twice"
TWICE_IDENTITY = "said twice, K = identity"


@dataclass(frozen=True, slots=True)
class Result:
    """One question."""

    conversation: str
    kind: str
    shares: dict[str, float]
    """Of the gold turns found, 0 to 1, by system, baseline or ablation."""
    candidates: int
    candidate_recall: float
    units: int
    threads: int
    tokens: int
    """Of the units, by a rough count."""
    seconds: float
    """Of the search."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run."""

    budget: int = 16
    hops: int = 2
    ablate: bool = False
    fitted_on: Sequence[str] = field(default=())
    refined: Path | None = None
    """A memory that holds the conversations refined; not together with `ablate`."""


@contextmanager
def embedder() -> Iterator[Embedder]:
    """The embedder of the settings; no model of language is loaded.

    Raises:
        ModelMissingError: it was not pulled yet.
    """
    # A memory that stays empty, and so is never made, knows how to load it.
    with (
        TemporaryDirectory(prefix="localmem-bench-") as folder,
        Memory.open(Path(folder) / "none.db") as lender,
    ):
        yield lender.embedder


def run(
    talks: Sequence[Talk],
    embedder: Embedder,
    plan: Plan,
    *,
    on_talk: Callable[[str, int], None] = lambda name, questions: None,
) -> list[Result]:
    """A result for each question that turns of its conversation answer.

    Args:
        talks: conversations and questions.
        embedder: of turns and questions.
        plan: what is run.
        on_talk: called with the name of each conversation and its number of questions, when it is done.
    """
    results: list[Result] = []
    with TemporaryDirectory(prefix="localmem-bench-") as folder:
        for number, talk in enumerate(talks):
            found = _talk(talk, embedder, plan, Path(folder) / f"{number}.db")
            on_talk(talk.name, len(found))
            results += found
        if plan.ablate:
            if len(talks) > 1:
                shares = _share_of_all(talks, embedder, plan, Path(folder) / "all.db")
                results = _added(results, TOGETHER, shares)
            results = _twice(results, talks, embedder, plan, Path(folder))
    return results


def _talk(talk: Talk, embedder: Embedder, plan: Plan, path: Path) -> list[Result]:
    with Store.open(path) as store:
        Ingest(store, embedder).file(talk.name, lambda: iter(talk.events))
        recall = Recall(store, lambda: embedder)
        wanted = asked(talk)
        rankings = Rankings(store, lambda: embedder) if wanted else None
        results = [_question(question, recall, rankings, plan) for question in wanted if rankings]
        if plan.ablate:
            return _ablated(results, wanted, recall, plan, store)
        if plan.refined is not None:
            results = _compared(results, wanted, recall, plan, "fast")
            with Store.open(plan.refined, create=False) as refined:
                adopt(store, refined)
            results = _compared(results, wanted, recall, plan, REFINED)
        return results


def _ablated(
    results: list[Result], wanted: Sequence[Question], recall: Recall, plan: Plan, store: Store
) -> list[Result]:
    for ablation in ABLATIONS:
        if ablation == FIXED:
            continue
        options, limits = without(ablation, plan)
        shares = [_share(recall, question, options, limits) for question in wanted]
        results = _added(results, ablation, shares)
    cut_evenly(store)
    options, limits = without("", plan)
    return _added(results, FIXED, [_share(recall, question, options, limits) for question in wanted])


def _compared(
    results: list[Result], wanted: Sequence[Question], recall: Recall, plan: Plan, state: str
) -> list[Result]:
    options, limits = without("", plan)
    few = replace(limits, found=10, hops=0)
    found = [recall.candidates(question.text, limits=limits)[1].pool.turns for question in wanted]
    columns = {
        state: [_share(recall, question, options, limits) for question in wanted],
        f"{state}, {CANDIDATES}": [
            _part(question.gold, (stored.turn.source for stored in pool))
            for question, pool in zip(wanted, found, strict=True)
        ],
        f"{state}, {FEW}": [_share(recall, question, options, few) for question in wanted],
    }
    for label, shares in columns.items():
        results = _added(results, label, shares)
    return results


def _question(question: Question, recall: Recall, rankings: Rankings, plan: Plan) -> Result:
    options, limits = without("", plan)
    started = time.perf_counter()
    workspace = recall.search(question.text, options=options, limits=limits)
    seconds = time.perf_counter() - started
    _, scored = recall.candidates(question.text, limits=limits)
    used = sum(tokens(unit.turn.text) for unit in workspace.units)
    shares = {"localmem": _part(question.gold, (unit.turn.source for unit in workspace.units))}
    for name, ranking in rankings.of(question.text).items():
        if name in BASELINES:
            for label, chosen in (
                (name, rankings.first(ranking, units=plan.budget)),
                (f"{name}, tokens", rankings.first(ranking, most=used)),
            ):
                shares[label] = _part(question.gold, (rankings.turns[id].turn.source for id in chosen))
    return Result(
        conversation=question.conversation,
        kind=question.kind,
        shares=shares,
        candidates=workspace.candidates,
        candidate_recall=_part(question.gold, (stored.turn.source for stored in scored.pool.turns)),
        units=len(workspace.units),
        threads=len(workspace.threads),
        tokens=used,
        seconds=seconds,
    )


def without(part: str, plan: Plan) -> tuple[Options, Limits]:
    """What a search takes when one part is taken away; an empty name takes nothing away."""
    budget = Budget(units=plan.budget)
    limits = {
        "one thread only": Limits(found=1, hops=0),
        "seeds only": Limits(found=Limits().seeds, hops=0),
        "no spreading": Limits(hops=0),
    }
    options = {
        "no roles": Options(budget, roles=False),
        "K = identity": Options(budget, mix=Mix(identity=True)),
    }
    return options.get(part, Options(budget)), limits.get(part, Limits(hops=plan.hops))


def cut_evenly(store: Store) -> None:
    """Replace the threads of a memory by segments of the same length."""
    for transcript in store.transcripts():
        stored = store.turns_between(transcript.id, 0, transcript.turns - 1)
        vectors = store.vectors([turn.id for turn in stored])
        threads = []
        for first in range(0, len(stored), SEGMENT):
            part = vectors[first : first + SEGMENT]
            centre = part.sum(axis=0) / np.linalg.norm(part.sum(axis=0))
            turns = [turn.turn for turn in stored[first : first + SEGMENT]]
            last = first + len(turns) - 1
            threads.append(NewThread(first, last, head(turns, part @ centre), centre, "fast"))
        store.replace_threads(transcript.id, 0, threads)


def said_again(events: Iterable[Event]) -> list[Event]:
    """The same turns in slightly other words, as another export of the same chat has them."""
    return [
        replace(event, text=f"{event.text.rstrip(' .')} …") if isinstance(event, Turn) else event
        for event in events
    ]


def _share_of_all(talks: Sequence[Talk], embedder: Embedder, plan: Plan, path: Path) -> list[float]:
    """Share for each question with all conversations in one memory; a turn of another one is no gold turn."""
    options, limits = without("", plan)
    shares: list[float] = []
    with Store.open(path) as store:
        ingest = Ingest(store, embedder)
        for talk in talks:
            ingest.file(talk.name, _reader(talk.events))
        recall = Recall(store, lambda: embedder)
        names = {transcript.id: transcript.name for transcript in store.transcripts()}
        for talk in talks:
            for question in asked(talk):
                units = recall.search(question.text, options=options, limits=limits).units
                own = (unit.turn.source for unit in units if names[unit.stored.transcript] == talk.name)
                shares.append(_part(question.gold, own))
    return shares


def _twice(
    results: list[Result], talks: Sequence[Talk], embedder: Embedder, plan: Plan, folder: Path
) -> list[Result]:
    shares: dict[str, list[float]] = {TWICE: [], TWICE_IDENTITY: []}
    for number, talk in enumerate(talks):
        with Store.open(folder / f"{number}.db") as store:
            Ingest(store, embedder).file(f"{talk.name} again", _reader(said_again(talk.events)))
            recall = Recall(store, lambda: embedder)
            for label, part in ((TWICE, ""), (TWICE_IDENTITY, "K = identity")):
                options, limits = without(part, plan)
                shares[label] += [_share(recall, question, options, limits) for question in asked(talk)]
    for label, column in shares.items():
        results = _added(results, label, column)
    return results


def _reader(events: Sequence[Event]) -> Callable[[], Iterator[Event]]:
    return lambda: iter(events)


def asked(talk: Talk) -> list[Question]:
    """Questions that turns of the memory answer."""
    sources = {event.source for event in talk.events if isinstance(event, Turn)}
    return [
        replace(question, gold=question.gold & sources)
        for question in talk.questions
        if question.gold & sources and question.kind != ADVERSARIAL
    ]


def _share(recall: Recall, question: Question, options: Options, limits: Limits) -> float:
    units = recall.search(question.text, options=options, limits=limits).units
    return _part(question.gold, (unit.turn.source for unit in units))


def _part(gold: frozenset[str], found: Iterable[str]) -> float:
    return len(gold & set(found)) / len(gold)


def _added(results: Sequence[Result], label: str, shares: Sequence[float]) -> list[Result]:
    return [
        replace(result, shares=result.shares | {label: share})
        for result, share in zip(results, shares, strict=True)
    ]
