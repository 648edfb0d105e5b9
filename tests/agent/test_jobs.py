"""Five jobs over the sample conversation, by a scripted worker: facts in the reports, and the turns that they cite."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from localmem import resources
from localmem.agent.environments import guide
from localmem.agent.values import Options, Status
from localmem.agent.worlds import MemoryWorld
from localmem.bench.jobs import AgentJob, JobFact, load, score
from localmem.errors import BenchError
from localmem.llm import grammar as grammars
from localmem.llm.protocol import Generation, Prompt
from localmem.memory import Memory
from localmem.store import Store
from localmem.values import Usage
from tests.agent.judges import Judge
from tests.fakes import HashingEmbedder, ScriptedModel

CASES = Path(__file__).parent.parent.parent / "scripts" / "cases" / "agent" / "two-friends.json"
TRANSCRIPT, JOBS = load(CASES)
LEAST_CITED = 15
"""Of the 29 facts: fewer than the 20 that were measured, since another machine may round otherwise."""
LINES = resources.text("samples", TRANSCRIPT).splitlines()


def says(fact: JobFact, text: str) -> bool:
    """Whether this is one of the turns that say it; which, is known by its words."""
    golden = [LINES[int(source.removeprefix("line ")) - 1] for source in fact.gold]
    # What a date means may stand behind it, anywhere in a turn.
    ending = re.sub(r" \((?:\w+day |the week(?:end)? of )?\d+ \w+ \d+\)", "", text)[-20:]
    return any(line.endswith(ending) for line in golden) and any(
        form.casefold() in text.casefold() for form in fact.forms
    )


def judge(job: AgentJob) -> Judge:
    """Says yes to every turn that says a fact; nothing else is asked of it."""
    return Judge(lambda turn: 2.0 if any(says(fact, turn) for fact in job.facts) else -2.0)


class Worker(ScriptedModel):
    """Gives no odds: keeps every turn that it sees a fact in, searches as it is told, writes the report and finishes.

    It sees what a model sees, and its lines must match the grammar.
    """

    def __init__(self, job: AgentJob) -> None:
        super().__init__()
        self._missing = list(job.facts)
        self._searches = iter(job.searches)
        self._file = job.file

    def generate(self, prompt: Prompt, *, grammar: str | None = None, **_: Any) -> Generation:
        self.prompts.append(prompt)
        assert grammar is not None
        phrase = re.search(r'^phrase ::= \("([^"]*)"', grammar, re.MULTILINE)
        assert phrase
        text = f"Subgoal: {phrase[1]}\nAction: {self._act(phrase[1], prompt.messages[-1].text)}"
        assert grammars.accepts(grammar, text), (text, prompt.messages[-1].text)
        tokens = self.count_prompt(prompt)
        return Generation(text, Usage(tokens, tokens, self.count(text), calls=1))

    def _act(self, part: str, told: str) -> str:
        if part == guide.LOOK:
            query = next(self._searches, None)
            return f"search_memory({query})" if query else "done()"
        if part == guide.REPORT:
            return f"write_file({self._file})"
        if part == guide.END:
            return "finish()"
        kept = []
        for number, text in re.findall(r"^\[(\d+)\] \w+: (.*)$", told, re.MULTILINE):
            wanted = [fact for fact in self._missing if says(fact, text)]
            self._missing = [fact for fact in self._missing if fact not in wanted]
            kept += [f"[{number}]"] if wanted else []
        return f"keep({' '.join(kept)})" if kept else "done()"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("jobs") / "sample.db"
    with Memory(path, embedder=HashingEmbedder, model=ScriptedModel) as memory:
        memory.ingest(resources.path("samples", TRANSCRIPT)).raise_for_failure()
    return path


def test_there_are_five_jobs_with_facts() -> None:
    assert len(JOBS) == 5
    assert all(job.facts and job.searches and job.goal.endswith(f"into {job.file}") for job in JOBS)


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_every_fact_stands_in_its_gold_turns(job: AgentJob) -> None:
    for fact in job.facts:
        said = " ".join(LINES[int(source.removeprefix("line ")) - 1] for source in fact.gold)
        assert any(form.casefold() in said.casefold() for form in fact.forms), fact


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_judged_job_has_every_fact_whose_turn_was_found_and_nothing_else(
    job: AgentJob, sample: Path, tmp_path: Path
) -> None:
    model = judge(job)
    with Memory(Store.open(sample), embedder=HashingEmbedder, model=lambda: model) as memory:
        planned = memory.agent.plan(job.goal, MemoryWorld(out=str(tmp_path)), Options(max_steps=120))
        assert planned.run().status is Status.REACHED
        lines = [(text, [turn.turn.source for turn in turns]) for text, turns in planned.findings]
    met = sum(any(says(fact, turn) for turn in model.judged) for fact in job.facts)
    # The search with hashed words finds less than the one that people have.
    assert score(job, lines).cited == met >= len(job.facts) - 1
    assert all(any(says(fact, text) for fact in job.facts) for text, _ in lines)
    assert planned.files == [tmp_path / job.file]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_a_job_is_done_with_all_facts_and_the_right_citations(
    job: AgentJob, sample: Path, tmp_path: Path
) -> None:
    with Memory(Store.open(sample), embedder=HashingEmbedder, model=lambda: Worker(job)) as memory:
        planned = memory.agent.plan(job.goal, MemoryWorld(out=str(tmp_path)), Options(max_steps=120))
        made = planned.run()
        lines = [(text, [turn.turn.source for turn in turns]) for text, turns in planned.findings]
    assert made.status is Status.REACHED
    told = score(job, lines)
    assert (told.found, told.cited) == (told.facts, told.facts)
    report = (tmp_path / job.file).read_text(encoding="utf-8")
    notes = [line for line in report.splitlines() if line.startswith("- ")]
    assert len(notes) == told.lines
    assert all(re.search(r"\[\d+\]$", line) for line in notes)
    for _, sources in lines:
        assert all(f"(two-friends, {source})" in report for source in sources)


@pytest.mark.engine
@pytest.mark.slow
def test_the_default_model_does_the_jobs(tmp_path: Path) -> None:
    folder = os.environ.get("LOCALMEM_TEST_JOBS")
    if folder is None:
        pytest.skip("a quarter of an hour: set LOCALMEM_TEST_JOBS to a folder of models with the default one")
    script = CASES.parent.parent.parent / "bench_jobs.py"
    ran = subprocess.run(
        [sys.executable, script, "--out", tmp_path / "jobs.txt", "--done", tmp_path / "jobs.jsonl"],
        env=os.environ | {"LOCALMEM_MODELS_DIR": folder},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    result = json.loads((tmp_path / "jobs.txt").read_text(encoding="utf-8").splitlines()[-1])
    assert (result["jobs"], result["finished"]) == (5, 5)
    assert result["cited"] >= LEAST_CITED
    for row in map(json.loads, (tmp_path / "jobs.jsonl").read_text(encoding="utf-8").splitlines()):
        assert all(sources for _, sources in row["notes"])


def test_a_fact_without_its_turn_is_found_but_not_cited() -> None:
    job = AgentJob(
        "j",
        "g",
        "f.md",
        (),
        (JobFact(("Dilip",), frozenset({"line 125"})), JobFact(("1,050",), frozenset({"line 127"}))),
    )
    told = score(job, [("dilip bought it", ["line 4"]), ("He paid nothing", ["line 127"])])
    assert (told.facts, told.found, told.cited, told.lines) == (2, 1, 0, 2)


@pytest.mark.parametrize("text", ["", "[]", '{"jobs": [{}]}'])
def test_what_is_no_list_of_jobs_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "jobs.json").write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match="is no list of jobs"):
        load(tmp_path / "jobs.json")
