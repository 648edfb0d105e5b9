"""What the words of a turn allow the model to write."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.llm import grammar as grammars
from localmem.tasks import trim
from localmem.tasks.context import Part
from localmem.tasks.cues import LANGUAGES, Cue
from localmem.tasks.frame import frame
from localmem.tasks.trim import Frame, Verb
from tests.tasks.scene import context_of
from tests.tasks.test_cues import SAID

SHOW = """puppet show
- stage = barn
- time = 4 PM (was 2 PM, 3 PM)
- lamp
- rope (done)
- puppeteer = Lotte
- curtain (removed)
- glue = 2 tubes
soup night
- leeks
- salt"""


def framed(
    said: str, state: str = SHOW, *, focus: list[str] | None = None, ablate: tuple[Part, ...] = ()
) -> Frame:
    return frame(context_of(state, said, focus=["lamp"] if focus is None else focus, ablate=ablate))


def named(said: str, verb: Verb, **given: object) -> list[str]:
    made = framed(said, **given)  # type: ignore[arg-type]
    return [made.names[id] for id in made.verbs.get(verb, ())]


def test_in_an_empty_memory_only_a_task_can_begin() -> None:
    made = framed("bells and a drum", "(nothing yet)", focus=[])
    assert set(made.verbs) == {Verb.NEW, Verb.NONE}


def test_where_all_is_removed_something_may_come_back() -> None:
    assert Verb.RESTORE in framed("bring the fair back", "fair (removed)", focus=[]).verbs


@pytest.mark.parametrize(
    ("said", "verb"),
    [
        ("drop the lamp with the velvet shade", Verb.DELETE),
        ("everything but the lamp with velvet", Verb.KEEP),
        ("bring the curtain of velvet back", Verb.RESTORE),
        ("the time goes back to what it was in velvet", Verb.BACK),
        ("the leeks for both of them", Verb.LINK),
        ("the lamp is wired and polished with velvet", Verb.DONE),
        ("Lotte can't come with velvet", Verb.NOTE),
        ("split them: Lotte in velvet", Verb.GROUP),
    ],
)
def test_a_kind_of_line_is_offered_where_the_words_hint_at_it(said: str, verb: Verb) -> None:
    assert verb in framed(said).verbs


@pytest.mark.parametrize(
    "said", ["bring a ladder of oak", "wir brauchen noch eine Leiter", "necesitamos una escalera"]
)
def test_a_mere_addition_offers_no_removal(said: str) -> None:
    verbs = framed(said).verbs
    assert Verb.PART in verbs
    assert not {Verb.DELETE, Verb.BACK, Verb.RESTORE, Verb.NOTE, Verb.GROUP, Verb.KEEP} & set(verbs)


def test_only_nodes_that_the_words_bear_may_be_named() -> None:
    assert named("drop the lamp with the velvet shade", Verb.DELETE) == ["lamp"]


def test_what_is_removed_may_only_be_restored() -> None:
    said = "bring the curtain of velvet back"
    assert named(said, Verb.RESTORE) == ["curtain"]
    assert "curtain" not in named(said, Verb.CHANGE)


def test_what_never_changed_cannot_go_back() -> None:
    assert named("the time and the stage go back to before", Verb.BACK) == ["time"]


def test_a_task_begins_only_where_the_words_say_so() -> None:
    assert set(framed("plan a boat trip with oars").verbs) == {Verb.NEW}
    assert Verb.NEW not in framed("the stage should be oak").verbs


def test_a_swap_names_what_goes_and_is_no_removal() -> None:
    verbs = framed("a lantern instead of the lamp").verbs
    assert Verb.CHANGE in verbs
    assert Verb.DELETE not in verbs


def test_parts_go_to_what_is_named_or_spoken_of_first() -> None:
    assert named("for soup night we need a pot of barley", Verb.PART)[0] == "soup night"
    assert named("a kettle made of tin", Verb.PART)[0] == "puppet show"


@pytest.mark.parametrize(
    "said", ["stage: it should be the town hall", "the stage is the town hall", "die Stage ist das Rathaus"]
)
def test_a_slot_that_is_stated_forces_a_change(said: str) -> None:
    made = framed(said)
    assert made.forced
    assert [made.names[id] for id in made.verbs[Verb.CHANGE]] == ["stage"]
    assert set(made.verbs) == {Verb.CHANGE}


@pytest.mark.parametrize(
    ("said", "slot"),
    [("owner: it's Farid", "owner"), ("our budget is 300", "budget"), ("mi teléfono es 555", "teléfono")],
)
def test_a_slot_that_is_new_forces_a_part(said: str, slot: str) -> None:
    made = framed(said)
    assert made.forced
    assert made.slot == slot
    assert set(made.verbs) == {Verb.PART}


@pytest.mark.parametrize(
    "said",
    [
        "the leeks are for the puppet show too",
        "the lamp is broken",
        "it is dark",
        "the stage is wide and deep, and the lamp too",
    ],
)
def test_not_every_statement_states_a_slot(said: str) -> None:
    assert not framed(said).forced


def test_a_list_behind_a_tag_forces_no_single_value() -> None:
    assert not framed("props: a crown and we need swords").forced


def test_a_split_is_about_those_that_stand_together() -> None:
    made = framed("split the group into two")
    assert set(made.verbs) == {Verb.GROUP}
    assert "time" not in [made.names[id] for id in made.verbs[Verb.GROUP]]


def test_a_part_and_another_task_and_too_are_a_link() -> None:
    made = framed("the leeks of the garden for the fair too", "fair\n- stall\nsoup night\n- leeks", focus=[])
    assert set(made.verbs) == {Verb.LINK}


def test_all_of_a_task_may_be_named_with_a_set_word() -> None:
    assert Verb.DELETE_ALL in framed("drop everything in the soup night").verbs
    assert Verb.DELETE_ALL not in framed("drop the salt of the sea").verbs


def test_where_nothing_is_touched_it_may_be_nothing() -> None:
    assert Verb.NONE in framed("the rain is over").verbs
    assert Verb.NONE not in framed("the lamp should hang higher").verbs


def test_a_wording_that_no_table_has_may_be_a_removal_or_a_deed() -> None:
    assert {Verb.DELETE, Verb.DONE, Verb.CHANGE} <= set(framed("the lamp, kaput and bye").verbs)


def test_without_reading_by_code_every_kind_of_line_is_offered() -> None:
    verbs = framed("the rain is over", ablate=(Part.TRIM, Part.GUARDS)).verbs
    assert set(verbs) >= {Verb.NEW, Verb.PART, Verb.CHANGE, Verb.DELETE, Verb.DONE, Verb.NONE}


def test_without_a_graph_there_are_no_histories_nor_wholes() -> None:
    verbs = framed("bring the curtain back to both, as before, split", ablate=(Part.GRAPH,)).verbs
    assert not {Verb.BACK, Verb.RESTORE, Verb.LINK, Verb.GROUP} & set(verbs)


def test_the_frame_stays_small_in_a_large_memory() -> None:
    state = "fair\n" + "\n".join(f"- peg {n} = {n} cm" for n in range(300))
    made = framed("peg 7 is green", state, focus=["fair"])
    assert len(made.shown) <= 30
    assert len(trim.grammar(made)) < 6000


SENTENCES = [said for row in SAID.values() for said in row] + [
    "drop the lamp",
    "Lotte can't come",
    "stage: mill",
    "2 tubes of glue",
    "bring the curtain back",
    "split them",
]


@given(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=3).map(". ".join),
    st.sets(st.sampled_from(Part)),
)
def test_whatever_is_said_the_frame_has_a_grammar_and_names_what_is_shown(
    said: str, ablate: set[Part]
) -> None:
    made = framed(said, ablate=tuple(ablate))
    grammars.compile(trim.grammar(made))
    assert set(made.names) == set(made.shown)
    assert len({name.casefold() for name in made.names.values()}) == len(made.names)
    for verb, ids in made.verbs.items():
        assert set(ids) <= set(made.shown)
        assert ids or verb in (Verb.NEW, Verb.NONE)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("cue", [Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ABSENT, Cue.ONLY])
def test_a_cue_in_any_language_offers_its_kind_of_line(cue: Cue, code: str) -> None:
    state = (
        "market\n- loom = oak (was pine)\n- webstuhl = Eiche (was Kiefer)\n- telar = roble (was pino)\n- Ilka"
    )
    if cue is Cue.RESTORE:
        state = state.replace(")", ") (removed)") + " (removed)"
    verb = {
        Cue.DELETE: Verb.DELETE,
        Cue.RESTORE: Verb.RESTORE,
        Cue.BACK: Verb.BACK,
        Cue.DONE: Verb.DONE,
        Cue.ABSENT: Verb.NOTE,
        Cue.ONLY: Verb.KEEP,
    }[cue]
    assert verb in framed(SAID[cue][list(LANGUAGES).index(code)], state, focus=[]).verbs


def test_one_more_of_several_may_have_their_slot() -> None:
    made = framed(
        "Femi joins as the ferryman",
        "radio drama\n- actor = Bashir\n- actor = Noor\n- title = Salt",
        focus=[],
    )
    assert made.slots == ("actor",)
    assert grammars.accepts(trim.grammar(made), "in radio drama:\n+ actor = Femi")
    assert not grammars.accepts(trim.grammar(made), "in radio drama:\n+ title = Femi")


def test_whose_it_is_belongs_to_a_stated_slot() -> None:
    allowed = frame(context_of("form\n- school's postcode = 14769", "My doctor's postcode is 15928."))
    assert (allowed.slot, allowed.forced) == ("doctor's postcode", True)


def test_a_stated_slot_is_not_that_of_somebody_else() -> None:
    allowed = frame(
        context_of("form\n- school's postcode = 14769", "I got that wrong, my postcode is 15928.")
    )
    assert allowed.slot == "postcode" and Verb.CHANGE not in allowed.verbs
