"""Answers by one model from what recall chose, and from what plain rankings chose, with the same prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from localmem.bench.answer_scores import bleu1, f1
from localmem.bench.names import Same
from localmem.bench.questions import UNKNOWN, Question, Talk
from localmem.bench.rankings import BASELINES, LAST, Rankings
from localmem.bench.result_file import ResultFile
from localmem.embed.protocol import Embedder
from localmem.llm import templates
from localmem.llm.protocol import Generation, LanguageModel, Prompt
from localmem.recall import answer
from localmem.recall.answer_grammar import KIND, MORE_TO_A_LIST
from localmem.recall.ingest import Ingest
from localmem.recall.pipeline import Recall
from localmem.recall.workspace import Options, order_of_time, tokens
from localmem.select import Budget
from localmem.store import Store
from localmem.values import Answer, Role, Unit, Workspace

BLOCK = 10
STEP = 400
"""The last turns have so many tokens, or a multiple: never fewer than localmem, and alike for most questions of a
conversation, so that they need not be read for each."""

SYSTEMS = ("localmem", *BASELINES, LAST)


@dataclass(frozen=True, slots=True)
class Key:
    """What an answer depends on."""

    system: str
    conversation: str
    question: str
    model: str
    budget: int
    same: str


@dataclass(frozen=True, slots=True)
class Result:
    """One answer."""

    key: Key
    kind: str
    expected: str
    said: str
    """Empty if the memory was said not to hold an answer."""
    found: bool
    supported: bool
    """Whether all names, numbers and dates of the answer stand in the turns shown."""
    again: bool
    """Whether it was asked again for a name, a number or a date that stands in no turn."""
    cited: int
    astray: int
    """Citations of turns that were not shown."""
    f1: float
    bleu1: float
    gold: float | None
    """Share of the gold turns that the model was shown; None if there are none."""
    tokens: int
    """Of the turns shown, by a rough count."""
    prompt_tokens: int
    evaluated_tokens: int
    generated_tokens: int
    seconds: float


class Journal(ResultFile[Result]):
    """The file of a run; what is there is not asked again. Use it as a context manager.

    Args:
        path: JSON lines, made if missing; None: nothing is kept.

    Raises:
        BenchError: the file holds something else, or cannot be read or written.
    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, _from_row, start='{"key": ')
        self.done = {result.key: result for result in self._kept}

    def add(self, result: Result) -> None:
        """Keep a result at once."""
        self.done[result.key] = result
        self._write(asdict(result))


def _from_row(row: dict[str, Any]) -> Result:
    return Result(**(row | {"key": Key(**row["key"])}))


def run(
    talks: Sequence[Talk],
    questions: Sequence[Question],
    model: LanguageModel,
    embedder: Callable[[], Embedder],
    *,
    systems: Sequence[str] = SYSTEMS,
    budget: int = 16,
    same: Same = Same.TOKENS,
    journal: Journal | None = None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """An answer to each question by each system.

    Args:
        talks: the conversations; each is a memory of its own.
        questions: those of them that are asked.
        model: answers.
        embedder: of turns and questions.
        systems: of `SYSTEMS`.
        budget: turns of localmem at most; the baselines have as many turns, or as many tokens.
        same: which of them.
        journal: where results are kept at once, and what is there already.
        on_result: called with each result, those of the journal too.

    Raises:
        EngineError: the model cannot run.
    """
    journal = journal or Journal(None)
    results: list[Result] = []
    by_name = {talk.name: talk for talk in talks}
    with TemporaryDirectory(prefix="localmem-bench-") as folder, ExitStack() as stack:
        memories: dict[str, _Memory] = {}

        def memory(name: str) -> _Memory:
            if name not in memories:
                path = Path(folder) / f"{len(memories)}.db"
                memories[name] = _Memory(by_name[name], embedder, path, stack)
            return memories[name]

        for system, question in _in_order(questions, systems):
            key = Key(system, question.conversation, question.text, model.id, budget, same)
            if key not in journal.done:
                listener = _Listener(model)
                given = memory(question.conversation).ask(question, key, listener)
                journal.add(_result(key, question, given, listener.again))
            results.append(journal.done[key])
            on_result(results[-1])
    return results


def _in_order(questions: Sequence[Question], systems: Sequence[str]) -> Iterator[tuple[str, Question]]:
    """Systems take turns over a few questions at a time, so that a run that is cut off still compares them."""
    for first in range(0, len(questions), BLOCK):
        block = sorted(questions[first : first + BLOCK], key=lambda question: question.conversation)
        for system in systems:
            for question in block:
                yield system, question


class _Listener:
    """A model, and whether an answer was asked again of it."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.again = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def generate(self, prompt: Prompt, **options: Any) -> Generation:
        """As the model's."""
        more = templates.render(MORE_TO_A_LIST)
        asked = prompt.messages[prompt.fixed + 1 :]
        self.again |= prompt.kind == KIND and bool(asked) and asked[-1].text != more
        return self._model.generate(prompt, **options)


class _Memory:
    """One conversation, and the turns that each system shows the model."""

    def __init__(self, talk: Talk, embedder: Callable[[], Embedder], path: Path, stack: ExitStack) -> None:
        self._store = stack.enter_context(Store.open(path))
        Ingest(self._store, embedder()).file(talk.name, lambda: iter(talk.events))
        self._recall = Recall(self._store, embedder)
        self._rankings = Rankings(self._store, embedder)

    def ask(self, question: Question, key: Key, model: LanguageModel) -> Answer:
        """An answer with the turns that the system of `key` chooses."""
        workspace = self._recall.search(question.text, options=Options(Budget(units=key.budget)))
        if key.system != "localmem":
            used = sum(tokens(unit.turn.text) for unit in workspace.units)
            ranking = self._rankings.of(question.text)[key.system]
            if key.system == LAST:
                used = -(-used // STEP) * STEP
            limit = {"most": used} if key.same == Same.TOKENS else {"units": key.budget}
            workspace = self._workspace(question.text, self._rankings.first(ranking, **limit))
        return answer.answer(question.text, workspace, lambda: model, before=self._recall.before)

    def _workspace(self, question: str, ids: Sequence[int]) -> Workspace:
        """These turns as if recall had chosen them, all worth reading; the earlier in the ranking, the more so."""
        stored = [self._rankings.turns[id] for id in ids]
        threads = {
            thread.id: thread
            for thread in self._store.threads(list(dict.fromkeys(one.thread for one in stored)))
        }
        units = [Unit(one, Role.ANCHOR, 1.0 + 1.0 / (place + 1), 0.0) for place, one in enumerate(stored)]
        transcripts = {one.transcript: self._store.transcript(one.transcript) for one in stored}
        return Workspace(
            question,
            order_of_time(units, threads),
            tuple(threads.values()),
            len(self._rankings.turns),
            1.0,
            transcripts=transcripts,
        )


def _result(key: Key, question: Question, given: Answer, again: bool) -> Result:
    said = given.text if given.found else ""
    shown = [unit.turn for unit in given.workspace.units]
    ids = {unit.stored.id for unit in given.workspace.units}
    known = question.kind not in UNKNOWN
    gold = question.gold & {turn.source for turn in shown}
    return Result(
        key=key,
        kind=question.kind,
        expected=question.answer,
        said=said,
        found=given.found,
        supported=given.supported,
        again=again,
        cited=len(given.citations),
        astray=sum(citation.stored.id not in ids for citation in given.citations),
        f1=f1(said, question.answer, question.kind) if known else float(not given.found),
        bleu1=bleu1(said, question.answer) if known else float(not given.found),
        gold=len(gold) / len(question.gold) if question.gold else None,
        tokens=sum(tokens(turn.text) for turn in shown),
        prompt_tokens=given.usage.prompt_tokens,
        evaluated_tokens=given.usage.evaluated_tokens,
        generated_tokens=given.usage.generated_tokens,
        seconds=round(given.seconds, 3),
    )


def row(system: str, results: Sequence[Result]) -> dict[str, Any]:
    """Figures of one system: F1 and BLEU-1 in per cent, by kind too; questions without an answer stand apart."""
    from localmem.bench.answer_scores import macro

    own = [result for result in results if result.key.system == system]
    known = [result for result in own if result.kind not in UNKNOWN]
    unknown = [result for result in own if result.kind in UNKNOWN]
    kinds = [result.kind for result in known]
    given = [result for result in own if result.found]

    def mean(values: Sequence[float]) -> float | None:
        return round(100 * sum(values) / len(values), 2) if values else None

    by_kind = {kind: mean([one.f1 for one in known if one.kind == kind]) for kind in dict.fromkeys(kinds)}
    return {
        "system": system,
        "questions": len(known),
        "macro_f1": round(100 * macro([one.f1 for one in known], kinds), 2) if known else None,
        "f1": mean([one.f1 for one in known]),
        "bleu1": mean([one.bleu1 for one in known]),
        "f1_by_kind": by_kind,
        "not_found": mean([float(not one.found) for one in known]),
        "unsupported": mean([float(not one.supported) for one in own if one.found]),
        "asked_again": mean([float(one.again) for one in own]),
        "cited": round(sum(one.cited for one in given) / len(given), 2) if given else None,
        "cited_astray": sum(one.astray for one in own),
        "gold_shown": mean([one.gold for one in known if one.gold is not None]),
        "unknown_questions": len(unknown),
        "unknown_refused": mean([float(not one.found) for one in unknown]),
        "tokens_shown": round(sum(one.tokens for one in own) / len(own)) if own else None,
        "prompt_tokens": round(sum(one.prompt_tokens for one in own) / len(own)) if own else None,
        "seconds": round(sum(one.seconds for one in own) / len(own), 1) if own else None,
    }


def comparisons(results: Sequence[Result]) -> list[dict[str, Any]]:
    """How far localmem's macro F1 is above each other system's, in points, with the 95% interval."""
    from localmem.bench.answer_scores import macro, paired_interval

    scores: dict[str, dict[tuple[str, str], Result]] = {}
    for result in results:
        if result.kind not in UNKNOWN:
            place = (result.key.conversation, result.key.question)
            scores.setdefault(result.key.system, {})[place] = result
    ours = scores.pop("localmem", {})
    out = []
    for system, theirs in scores.items():
        both = [place for place in ours if place in theirs]
        kinds = [ours[place].kind for place in both]
        mine, other = [ours[place].f1 for place in both], [theirs[place].f1 for place in both]
        low, high = paired_interval(mine, other, kinds)
        points = macro(mine, kinds) - macro(other, kinds)
        out.append(
            {
                "than": system,
                "points": round(100 * points, 2),
                "low": round(100 * low, 2),
                "high": round(100 * high, 2),
            }
        )
    return out
