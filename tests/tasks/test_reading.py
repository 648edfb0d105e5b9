"""A turn in clauses: what may change something, and what never does."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.cues import Cue
from localmem.tasks.reading import Mood, read
from localmem.tasks.sentences import corrected
from tests.tasks.scene import words


def moods(text: str, last: str = "en") -> list[tuple[Mood, str]]:
    return [(clause.mood, clause.text) for clause in read(text, last).clauses]


@pytest.mark.parametrize(
    "said",
    [
        "What is left for the kiln?",
        "who brings the anvil",
        "is the kiln still on?",
        "tell me where the anvil goes",
        "Could you show me the list?",
        "wasn't the kiln booked for noon?",
        "the anvil was never in there, right?",
        "Was steht noch auf der Liste?",
        "kannst du mir die Liste zeigen",
        "¿Qué falta para la hoguera?",
        "dime quién viene",
    ],
)
def test_a_question_asks(said: str) -> None:
    assert [mood for mood, _ in moods(said)] == [Mood.ASK]


@pytest.mark.parametrize(
    "said",
    [
        "what if we dropped the anvil?",
        "maybe we should drop the anvil",
        "I'm not sure about the kiln",
        "if we moved the kiln outside, would it crack?",
        "I wonder whether the anvil is too heavy",
        "I could have sworn the kiln was cold",
        "was wäre, wenn wir den Amboss streichen?",
        "vielleicht streichen wir den Amboss",
        "¿y si quitamos el horno?",
        "quizás quitemos el horno",
    ],
)
def test_a_doubt_a_memory_and_a_hypothesis_suppose(said: str) -> None:
    assert {mood for mood, _ in moods(said)} <= {Mood.SUPPOSE, Mood.ASK}
    assert moods(said)[0][0] is Mood.SUPPOSE


@pytest.mark.parametrize(
    "said",
    [
        "thanks a lot!",
        "Good morning",
        "ok",
        "wish me luck",
        "danke dir",
        "Guten Morgen!",
        "¡muchas gracias!",
        "hola",
    ],
)
def test_small_talk_talks(said: str) -> None:
    assert [mood for mood, _ in moods(said)] == [Mood.TALK]


@pytest.mark.parametrize(
    "said",
    [
        "drop the anvil",
        "could you drop the anvil?",
        "how about noon instead?",
        "let's fire the kiln at noon",
        "the anvil goes, ok?",
        "I wasn't sure, but let's drop the anvil",
        "kannst du den Amboss streichen?",
        "¿puedes quitar el horno?",
        "the smith brings coal",
    ],
)
def test_a_request_tells_even_when_it_is_put_as_a_question(said: str) -> None:
    assert {mood for mood, _ in moods(said)} == {Mood.TELL}


def test_an_order_and_a_question_in_one_sentence_are_two_clauses() -> None:
    assert moods("fire the kiln at noon and tell me who brings coal") == [
        (Mood.TELL, "fire the kiln at noon"),
        (Mood.ASK, "tell me who brings coal"),
    ]


def test_a_question_ahead_of_an_order_leaves_the_order() -> None:
    assert moods("who brings coal? Also, drop the anvil.")[0] == (Mood.ASK, "who brings coal?")
    assert moods("who brings coal? Also, drop the anvil.")[1][0] is Mood.TELL


def test_two_orders_in_one_sentence_are_two_clauses() -> None:
    assert moods("keep the bellows and remove the anvil") == [
        (Mood.TELL, "keep the bellows"),
        (Mood.TELL, "remove the anvil"),
    ]


def test_a_list_stays_in_one_clause() -> None:
    assert moods("add coal, tongs and a bucket") == [(Mood.TELL, "add coal, tongs and a bucket")]


def test_a_claim_before_a_request_to_check_changes_nothing() -> None:
    assert moods("the kiln was booked for noon. can you check that?")[0][0] is Mood.SUPPOSE


@pytest.mark.parametrize(
    "said",
    [
        "at 4 p.m. in the forge",
        "Dr. Unruh brings coal",
        "am 3. Mai in der Schmiede",
        "coal, e.g. 2 bags",
        "No. 4 is hot",
    ],
)
def test_the_point_of_an_abbreviation_ends_no_clause(said: str) -> None:
    assert [text for _, text in moods(said)] == [said]


@pytest.mark.parametrize(
    ("said", "tag", "text"),
    [
        ("kiln: raku", "kiln", "raku"),
        ("Start time: noon", "Start time", "noon"),
        ("Ort: Schmiede", "Ort", "Schmiede"),
        ("lugar: la fragua", "lugar", "la fragua"),
        ("owner - Farid", "owner", "Farid"),
    ],
)
def test_a_word_or_two_before_a_colon_are_a_tag(said: str, tag: str, text: str) -> None:
    (clause,) = read(said).clauses
    assert (clause.tag, clause.text) == (tag, text)


def test_a_tag_comes_back_in_front_of_what_is_told() -> None:
    assert read("kiln: raku. not hotter than 900").told == "kiln: raku. not hotter than 900"


def test_several_tags_in_one_line_are_several_clauses() -> None:
    clauses = read("coal: 2 bags, tongs: long").clauses
    assert [(clause.tag, clause.text) for clause in clauses] == [("coal", "2 bags"), ("tongs", "long")]


@pytest.mark.parametrize("said", ["note: bring coal", "PS: bring coal", "one more thing: bring coal"])
def test_a_mere_heading_is_no_tag(said: str) -> None:
    (clause,) = read(said).clauses
    assert (clause.tag, clause.text) == ("", "bring coal")


@pytest.mark.parametrize(
    "said", ["we need: coal, tongs", "see https://forge.example for it", "meet at 10:30 sharp"]
)
def test_a_colon_elsewhere_makes_no_tag(said: str) -> None:
    assert read(said).tag == ""


def test_what_stands_behind_a_tag_that_asks_is_a_question() -> None:
    assert [mood for mood, _ in moods("status: kiln and coal")] == [Mood.ASK]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("fire it at two, sorry, I mean three", "fire it at three"),
        ("the smith is Jonas, no, Ilka", "the smith is Ilka"),
        ("Beginn ist um zwei, ich meine drei", "Beginn ist um drei"),
        ("empieza a las dos, perdón, las tres", "empieza a las tres"),
    ],
)
def test_who_corrects_himself_means_the_second(said: str, meant: str) -> None:
    assert corrected(said) == meant


def test_a_sentence_without_a_correction_stays_as_it_is() -> None:
    assert corrected("fire the kiln at noon") == "fire the kiln at noon"


def test_a_reason_in_front_of_an_order_is_left_out() -> None:
    assert read("since the yard is wet, move the anvil inside").told == "move the anvil inside"


def test_a_reason_that_says_who_cannot_is_kept() -> None:
    assert "Ilka" in read("because Ilka can't come at noon, move it to four").told


def test_what_is_taken_where_something_is_out_swaps() -> None:
    reading = read("the charcoal is sold out. take coke")
    assert Cue.SWAP in reading.clauses[1].cues


def test_only_free_after_six_leaves_nobody_out() -> None:
    (clause,) = read("Ilka is only free after six").clauses
    assert Cue.ABSENT in clause.cues
    assert Cue.ONLY not in clause.cues


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("the kiln is hot", "en"),
        ("der Ofen ist heiß", "de"),
        ("el horno está caliente", "es"),
    ],
)
def test_the_language_is_known_by_its_function_words(said: str, language: str) -> None:
    assert read(said).language == language


def test_a_turn_without_function_words_keeps_the_language_of_the_turn_before() -> None:
    assert read("Amboss", "de").language == "de"


def test_what_is_told_leaves_out_questions_and_talk() -> None:
    assert read("Thanks! Drop the anvil. Who brings coal?").told == "Drop the anvil."


def test_what_is_asked_holds_questions_and_doubts() -> None:
    assert read("Drop the anvil. Who brings coal?").asked == "Who brings coal?"


def test_every_clause_tells_where_reading_by_code_is_left_out() -> None:
    assert {clause.mood for clause in read("Thanks! Who brings coal?").all_told.clauses} == {Mood.TELL}


@pytest.mark.parametrize(
    "said", ["", "   ", "\n\n", "?!", "...", "—", "🔥", ":", "a:", "and", "¿", "\x00", "\ud800"]
)
def test_a_turn_of_next_to_nothing_is_read(said: str) -> None:
    read(said)


PIECES = st.sampled_from(
    [
        *words(
            "drop the anvil and keep coal . , ? ! : ; — - maybe what if who 4 p.m. at noon sorry i mean because since"
        ),
        "\n",
        "Ilka",
        "can't",
        "status:",
        "kiln:",
        "streich",
        "den",
        "¿",
        "quita",
        "horno",
        "thanks",
        "or rather",
        "…",
        "'",
        '"',
    ]
)


@given(
    st.text(max_size=120) | st.lists(PIECES, max_size=25).map(" ".join), st.sampled_from(["en", "de", "es"])
)
def test_whatever_is_typed_is_read(said: str, last: str) -> None:
    reading = read(said, last)
    assert reading.language in ("en", "de", "es")
    assert all(re.search(r"\w", clause.text) for clause in reading.clauses)


JOINING = frozenset(words("and but so then also und aber y pero así que dann luego después"))
CALM = st.sampled_from(
    words(
        "drop the anvil keep coal bring tongs bucket Ilka Jonas 4 noon 900 degrees , . ? ! ; — and who kiln is hot "
        "thanks streich den Amboss quita horno maybe 3:30 what"
    )
)


@given(st.lists(CALM, max_size=25).map(" ".join))
def test_no_word_is_lost(said: str) -> None:
    """Where nobody corrects himself and no reason stands in front."""
    reading = read(said)
    kept = re.findall(r"\w+", " ".join(f"{clause.tag} {clause.text}" for clause in reading.clauses))
    missing = [word for word in re.findall(r"\w+", said) if word not in kept and word not in JOINING]
    assert missing == []


def test_items_under_each_other_are_a_list() -> None:
    assert (
        read("Pack for the fair:\n- coal\n- long tongs\n* 1 bucket").told
        == "Pack for the fair: coal, long tongs, 1 bucket"
    )
    assert read("bring:\ncoal\ntongs").text == "bring: coal, tongs"


def test_lines_are_read_one_by_one() -> None:
    assert moods("drop the anvil\nwho brings coal") == [
        (Mood.TELL, "drop the anvil"),
        (Mood.ASK, "who brings coal"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "kiln: red, " * 1500,
        "keep the anvil and drop the coal and " * 60,
        "who comes and drop the coal and " * 60,
    ],
)
def test_however_many_parts_a_turn_has_they_are_read(said: str) -> None:
    assert len(read(said).clauses) > 60


@pytest.mark.parametrize(
    "said", ["never mind, keep the coal", "thanks, drop the anvil", "great, add a bucket"]
)
def test_an_order_behind_a_courtesy_is_an_order(said: str) -> None:
    assert Mood.TELL in [mood for mood, _ in moods(said)]


@pytest.mark.parametrize(
    ("said", "tag", "told"),
    [
        ("As for the fair: two drums, a harp", "for fair", "two drums, a harp"),
        ("and regarding the vet: make it 11", "for vet", "make it 11"),
        ("Was die Weinlese betrifft: Körbe, Scheren", "für Weinlese", "Körbe, Scheren"),
        ("was unseren Chor angeht, Noten und ein Pult", "für Chor", "Noten und ein Pult"),
        ("zum Thema Garten: Kompost bestellen", "für Garten", "Kompost bestellen"),
        ("as for the library: thema cards and ink", "for library", "thema cards and ink"),
        ("en cuanto al huerto: semillas y una pala", "para huerto", "semillas y una pala"),
    ],
)
def test_a_topic_in_front_is_a_tag_and_no_question(said: str, tag: str, told: str) -> None:
    (clause,) = read(said).clauses
    assert (clause.tag, clause.text, clause.mood) == (tag, told, Mood.TELL)


@pytest.mark.parametrize(
    "said",
    ["As for the fair, we need a harp", "as regards the roof, two beams", "As the rope is torn, buy twine"],
)
def test_as_is_a_reason_only_where_it_is_no_topic(said: str) -> None:
    reading = read(said)
    assert ("rope" in reading.told) is False
    assert ("fair" in reading.told or "roof" in reading.told) is ("rope" not in said)


@pytest.mark.parametrize(
    "said",
    [
        "the dentist only has 4:45. and the cape is sewn",
        "wir treffen uns um 10. und die Noten sind da",
        "quedamos a las 5. pero sin el arpa",
    ],
)
def test_a_sentence_ends_behind_a_number_where_another_begins(said: str) -> None:
    assert len(read(said).clauses) == 2
