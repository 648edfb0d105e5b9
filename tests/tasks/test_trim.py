"""Lines of the model: a grammar for each turn, and what is read back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localmem.llm import grammar as grammars
from localmem.tasks import trim
from localmem.tasks.trim import REST, SLOTS, Frame, Verb
from tests.tasks.scene import graph_of

NAMES = {1: "puppet show", 2: "lamp", 3: "rope", 4: "puppeteer = Lotte"}
EVERY = {verb: tuple(NAMES) for verb in Verb if verb not in (Verb.NEW, Verb.NONE)} | {
    Verb.NEW: (),
    Verb.NONE: (),
}


def framed(told: str, verbs: dict[Verb, tuple[int, ...]] = EVERY, **given: object) -> Frame:
    return Frame(told, tuple(NAMES), NAMES, verbs, **given)  # type: ignore[arg-type]


def accepts(frame: Frame, written: str) -> bool:
    return grammars.accepts(trim.grammar(frame), written)


@pytest.mark.parametrize(
    "written",
    [
        "none",
        "new: red lantern",
        "new: red lantern\n+ two bells\n+ kind = noon",
        "in puppet show:\n+ red lantern",
        "in puppet show:\n+ color = red",
        "change lamp: red lantern",
        "delete lamp, rope",
        "delete all in puppet show",
        "done rope",
        "done all in puppet show",
        "keep lamp",
        "restore rope",
        "back lamp",
        "link lamp, rope to puppet show",
        "note puppeteer = Lotte: noon",
        "part noon: lamp, rope",
        "part noon: the rest",
        "delete lamp\nchange rope: two bells",
    ],
)
def test_every_kind_of_line_may_be_written(written: str) -> None:
    frame = framed("a red lantern, two bells, at noon")
    assert accepts(frame, written)
    bearing = [row for row in written.splitlines() if not row.startswith("in ") and row != "none"]
    assert [line.written for line in trim.parse(written, frame)] == bearing


@pytest.mark.parametrize(
    "written",
    [
        "",
        "delete",
        "delete lantern",
        "delete lamp,rope",
        "change lamp: green lantern",
        "change lamp: ",
        "change lamp: lantern red",
        "new: a red lantern",
        "in puppet show:",
        "+ red",
        "none\nnone",
        "delete lamp\n",
        "in puppet show:\n+ planet = red",
        "DELETE lamp",
    ],
)
def test_what_was_not_said_or_does_not_stand_cannot_be_written(written: str) -> None:
    assert not accepts(framed("a red lantern, two bells, at noon"), written)


def test_only_the_kinds_that_the_words_allow_may_be_written() -> None:
    frame = framed("red lantern", {Verb.DELETE: (2,)})
    assert accepts(frame, "delete lamp")
    assert not accepts(frame, "delete rope")
    assert not accepts(frame, "change lamp: red")
    assert not accepts(frame, "none")


def test_a_forced_frame_has_one_line_and_nothing_open_but_the_value() -> None:
    frame = framed("oak or elm", {Verb.CHANGE: (2,)}, forced=True)
    assert accepts(frame, "change lamp: elm")
    assert not accepts(frame, "change lamp: oak\nchange lamp: elm")
    assert not accepts(frame, "none")


def test_parts_under_a_tag_have_that_slot() -> None:
    frame = framed("Farid or Lotte", {Verb.PART: (1,)}, slot="owner", forced=True)
    assert accepts(frame, "in puppet show:\n+ owner = Farid")
    assert not accepts(frame, "in puppet show:\n+ Farid")
    assert not accepts(frame, "in puppet show:\n+ date = Farid")


@pytest.mark.parametrize("language", SLOTS)
def test_slots_that_nobody_said_are_words_of_the_language(language: str) -> None:
    frame = framed("Kobold", {Verb.PART: (1,)}, language=language)
    assert accepts(frame, f"in puppet show:\n+ {SLOTS[language][0]} = Kobold")


def test_a_value_begins_with_no_function_word() -> None:
    frame = framed("we need the red lantern", {Verb.NEW: ()})
    assert accepts(frame, "new: red lantern")
    assert not accepts(frame, "new: the red lantern")
    assert not accepts(frame, "new: we need the red lantern")


def test_a_value_of_function_words_alone_may_be_written_where_there_is_nothing_else() -> None:
    assert accepts(framed("it is", {Verb.NEW: ()}), "new: it is")


def test_marks_around_words_are_left_out_and_those_between_stay() -> None:
    frame = framed('call it "Red, Lantern" (at noon).', {Verb.NEW: ()})
    assert accepts(frame, 'new: Red, Lantern" (at noon')
    assert not accepts(frame, "new: Red Lantern")
    assert accepts(frame, "new: noon")


def test_the_first_word_may_be_written_small() -> None:
    frame = framed("Lanterns at noon", {Verb.NEW: ()})
    assert accepts(frame, "new: lanterns")
    assert accepts(frame, "new: Lanterns")


def test_a_turn_without_words_can_still_be_written_about() -> None:
    assert accepts(framed("?!"), "none")
    assert accepts(framed("?!"), "delete lamp")


def test_words_of_a_very_long_turn_are_bounded() -> None:
    frame = framed(" ".join(f"word{n}" for n in range(500)), {Verb.NEW: ()})
    assert accepts(frame, "new: word5 word6")
    assert not accepts(frame, f"new: word{trim.MOST_WORDS + 5}")


def test_a_part_of_a_new_task_belongs_to_it() -> None:
    lines = trim.parse("new: fair\n+ bells\nnew: rota\n+ kind = noon", framed("fair bells rota noon"))
    assert [(line.verb, line.ids, line.slot, line.text) for line in lines] == [
        (Verb.NEW, (-1,), "", "fair"),
        (Verb.PART, (-1,), "bells", ""),
        (Verb.NEW, (-2,), "", "rota"),
        (Verb.PART, (-2,), "kind", "noon"),
    ]


def test_a_part_behind_another_line_belongs_to_nothing() -> None:
    lines = trim.parse("in puppet show:\n+ bells\ndelete rope\n+ noon", framed("bells noon"))
    assert [line.ids for line in lines] == [(1,), (3,), ()]


def test_the_last_node_of_a_link_is_what_it_leads_to() -> None:
    (line,) = trim.parse("link lamp, rope to puppet show", framed("x"))
    assert line.ids == (2, 3, 1)


def test_lines_that_cannot_be_read_are_left_out() -> None:
    assert trim.parse("delete moon\nfoo\n\ndelete lamp\nchange lamp", framed("x")) == trim.parse(
        "delete lamp", framed("x")
    )


def test_all_in_a_node_means_its_parts() -> None:
    (line,) = trim.parse("delete all in puppet show", framed("x"))
    assert (line.verb, line.ids, line.within) == (Verb.DELETE, (1,), True)


def test_names_are_short_where_they_can_be_and_never_alike() -> None:
    graph = graph_of("fair\n- smith = Ilka\n- smith = Jonas\n- coal\nclass\n- coal = 2 bags\n- smith = Ilka")
    made = trim.names(graph, [node.id for node in graph])
    assert list(made.values()) == [
        "fair",
        "Ilka",
        "Jonas",
        "coal",
        "class",
        "2 bags",
        "smith = Ilka",
    ]


def test_names_of_two_equal_nodes_have_what_they_belong_to() -> None:
    graph = graph_of("fair\n- coal = wet\nclass\n- coal = wet\nrota\n- coal = wet\n- coal = wet ")
    made = list(trim.names(graph, [node.id for node in graph]).values())
    assert len({name.casefold() for name in made}) == len(made)


def test_a_graph_with_nothing_to_show_says_so() -> None:
    assert trim.shown_text([]) == "(nothing yet)"


TEXTS = st.text(min_size=0, max_size=60) | st.lists(
    st.sampled_from(
        ["red", "bells,", "two", "p.m.", "(noon)", '"q"', "the", "é", "\\", "¿qué?", "]", "a=b", "+", ":"]
    ),
    max_size=12,
).map(" ".join)
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=14)


@st.composite
def frames(draw: st.DrawFn) -> Frame:
    labels = draw(st.lists(LABELS, max_size=5, unique_by=str.casefold))
    names = {place + 1: label for place, label in enumerate(labels)}
    ids = st.lists(st.sampled_from(sorted(names)), unique=True).map(tuple) if names else st.just(())
    verbs = draw(st.dictionaries(st.sampled_from(list(Verb)), ids))
    verbs = {v: () if v in (Verb.NEW, Verb.NONE) else chosen for v, chosen in verbs.items()}
    told = " ".join(draw(TEXTS).split()).replace("\x00", "")
    told = told.encode("utf-8", "ignore").decode()
    slot = draw(st.sampled_from(["", "", "owner"]))
    return Frame(told, tuple(names), names, verbs, slot=slot, forced=draw(st.booleans()))


@given(frames())
def test_the_grammar_of_any_frame_compiles(frame: Frame) -> None:
    grammars.compile(trim.grammar(frame))


def rows(frame: Frame) -> list[str]:
    """Some lines that the frame is there for."""
    word = next((w.text for w in trim._words(frame.told) if w.text.casefold() not in trim.NO_START), None)
    made = ["none"]
    for verb, ids in frame.verbs.items():
        names = [frame.names[id] for id in ids]
        if verb is Verb.NEW and word:
            made.append(f"new: {word}")
        elif verb is Verb.PART and names and word:
            made.append(f"in {names[0]}:\n+ {frame.slot or word} = {word}")
        elif verb in (Verb.CHANGE, Verb.NOTE) and names and word:
            made += [f"{verb} {name}: {word}" for name in names]
        elif verb is Verb.GROUP and names and word:
            made += [f"part {word}: {', '.join(names)}", f"part {word}: {REST}"]
        elif verb in (Verb.DELETE, Verb.DONE, Verb.RESTORE, Verb.KEEP, Verb.BACK) and names:
            made += [f"{verb} {names[0]}", f"{verb} {', '.join(names)}"]
        elif verb is Verb.LINK and names and len(frame.shown) > 1:
            made.append(f"link {names[0]} to {frame.names[frame.shown[0]]}")
    return made


@settings(max_examples=60)
@given(frames())
def test_what_a_grammar_accepts_is_read_back(frame: Frame) -> None:
    grammar = grammars.compile(trim.grammar(frame))
    for row in rows(frame):
        if grammar.accepts(row) and row != "none":
            (line,) = trim.parse(row, frame)
            assert set(line.ids) <= {*frame.names, -1}
