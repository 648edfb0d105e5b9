"""What a clause is there for, told by the states of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.llm.protocol import States
from localmem.tasks import purpose
from localmem.tasks.cues import Cue
from localmem.tasks.moods import Mood
from localmem.tasks.pipeline import doubtful
from localmem.tasks.purpose import (
    PURPOSES,
    Purpose,
    Weights,
    features,
    pooled,
    probabilities,
    purposed,
    sure,
    told,
)
from localmem.tasks.reading import Clause, read
from localmem.values import Usage
from tests.fakes import ScriptedModel
from tests.tasks.support import kitchen

WIDTH = 4


class StatedModel(ScriptedModel):
    """Has one number for each text at each of its tokens."""

    def __init__(self, numbers: dict[str, float]) -> None:
        super().__init__()
        self.id = "fake-stated"
        self.numbers = numbers
        self.read: list[tuple[str, ...]] = []

    def states(self, lead: str, pieces: Sequence[str]) -> States:
        self.read.append(tuple(pieces))
        found = tuple(
            np.full((len(piece.split()), WIDTH), self.numbers.get(piece, 0.0), np.float32) for piece in pieces
        )
        return States(found, Usage(7, 7, 0, calls=1))


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights for which a text's number is the place of its purpose."""
    width = 2 * WIDTH + len(Cue) + 1
    matrix = np.zeros((width, len(PURPOSES)), np.float32)
    places = np.arange(len(PURPOSES))
    matrix[0] = 40.0 * places
    bias = (-20.0 * places**2).astype(np.float32)
    table = Weights(matrix, bias, tuple(Cue))
    monkeypatch.setattr(purpose, "weights", lambda model: table if model == "fake-stated" else None)


def chances(**given: float) -> dict[Purpose, float]:
    return {one: given.get(str(one), 0.0) for one in PURPOSES}


def clause(*cues: Cue, mood: Mood = Mood.TELL) -> Clause:
    return Clause("the harp can take a hike", mood, frozenset(cues))


def test_a_model_without_weights_leaves_the_reading_as_it_is() -> None:
    reading = read("the harp can take a hike")
    assert purposed(reading, ScriptedModel) == (reading, Usage())


def test_a_wording_that_no_table_has_gets_the_cue_of_its_purpose(fitted: None) -> None:
    reading = read("the harp can take a hike")
    assert Cue.DELETE not in reading.cues
    model = StatedModel({reading.clauses[0].text: float(PURPOSES.index(Purpose.DELETE))})
    found, usage = purposed(reading, lambda: model)
    assert Cue.DELETE in found.cues
    assert sure(found.clauses, Purpose.DELETE)
    assert usage.prompt_tokens == 7


def test_clauses_are_read_together_each_with_its_tag(fitted: None) -> None:
    reading = read("date: next Friday. Who brings the drums?")
    model = StatedModel({})
    purposed(reading, lambda: model)
    assert model.read == [tuple(f"{c.tag}: {c.text}" if c.tag else c.text for c in reading.clauses)]


def test_a_text_of_very_many_sentences_is_not_read_so(fitted: None) -> None:
    reading = read("The harp stays. " * 40)
    model = StatedModel({})
    assert purposed(reading, lambda: model)[0] == reading
    assert not model.read


@pytest.mark.parametrize(
    "text",
    [
        "thanks",
        "Danke dir!",
        "ok, gracias",
        "Remove the milk",
        "What do the pancakes need?",
        "the milk is bought",
    ],
)
def test_what_code_reads_alone_leaves_no_doubt(text: str) -> None:
    assert not doubtful(kitchen().graph, read(text), ())


@pytest.mark.parametrize(
    "text", ["the milk can take a hike", "tell me once more what goes in there", "let Ana sift the flour"]
)
def test_what_code_cannot_read_leaves_a_doubt(text: str) -> None:
    assert doubtful(kitchen().graph, read(text), ())


@pytest.mark.parametrize(
    ("given", "mood"),
    [
        ("ask", Mood.ASK),
        ("suppose", Mood.SUPPOSE),
        ("chat", Mood.TALK),
        ("delete", Mood.TELL),
        ("stay", Mood.TELL),
    ],
)
def test_a_sure_purpose_decides_the_mood_whatever_the_tables_say(given: str, mood: Mood) -> None:
    for tables in Mood:
        assert told(clause(mood=tables), chances(**{given: 0.98, "add": 0.02})).mood is mood


def test_a_marked_question_is_an_order_only_where_that_is_very_sure() -> None:
    asked = Clause("Can you make a plan?", Mood.ASK, frozenset())
    assert told(asked, chances(start=0.9, ask=0.1)).mood is Mood.ASK
    assert told(asked, chances(start=0.98, ask=0.02)).mood is Mood.TELL


@pytest.mark.parametrize("text", ["my name is Jo Ng", "it is 14 now", "me@example.com"])
def test_what_names_something_is_told_however_much_it_sounds_like_talk(text: str) -> None:
    before = Clause(text, Mood.TELL, frozenset())
    assert told(before, chances(chat=0.95, add=0.05)) == before


def test_where_the_tables_see_another_order_both_are_possible() -> None:
    found = told(clause(Cue.DELETE, Cue.ALL), chances(done=0.99, add=0.01))
    assert found.cues == {Cue.DELETE, Cue.ALL, Cue.DONE}
    assert found.purpose is None


def test_where_the_tables_see_no_order_a_sure_purpose_decides() -> None:
    found = told(clause(Cue.ALL), chances(done=0.99, add=0.01))
    assert found.cues == {Cue.ALL, Cue.DONE}
    assert found.purpose is Purpose.DONE


def test_a_likely_purpose_only_adds_its_cue() -> None:
    found = told(clause(Cue.DELETE), chances(restore=0.5, chat=0.4, ask=0.1))
    assert found.cues == {Cue.DELETE, Cue.RESTORE}
    assert found.mood is Mood.TELL
    assert found.purpose is None


def test_what_is_unlikely_changes_nothing() -> None:
    before = clause(Cue.DELETE, mood=Mood.ASK)
    assert told(before, chances(restore=0.3, chat=0.3, add=0.2, ask=0.2)) == before


@given(st.lists(st.floats(-50, 50), min_size=8, max_size=8))
def test_probabilities_sum_to_one(values: list[float]) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(8, len(PURPOSES))).astype(np.float32)
    table = Weights(matrix, np.zeros(len(PURPOSES), np.float32), ())
    found = probabilities(np.array(values, np.float32), table)
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-4)
    assert all(chance >= 0 for chance in found.values())


def test_features_are_the_last_state_their_mean_and_the_cues() -> None:
    states = np.array([[1.0, 3.0], [3.0, 5.0]], np.float32)
    found = features(pooled(states), "who plays the harp?", "en")
    assert found[:4].tolist() == [3.0, 5.0, 2.0, 4.0]
    assert found[-1] == 1.0
    assert len(found) == 4 + len(Cue) + 1


def test_the_weights_that_ship_fit_the_features() -> None:
    folder = Path(purpose.__file__).with_name("purposes")
    files = sorted(folder.glob("*.npz"))
    assert files
    for file in files:
        table = purpose.weights(file.stem)
        assert table is not None
        assert table.cues == tuple(Cue), "fit the weights again: scripts/fit_purposes.py"
        assert table.matrix.shape[1] == len(table.bias) == len(PURPOSES)
        assert (table.matrix.shape[0] - len(Cue) - 1) % 2 == 0
