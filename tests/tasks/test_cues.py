"""The tables of words: each cue has a sentence in each language that bears it, and plain statements bear none that revises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.tasks.cues import LANGUAGES, Cue, cues, find, folded, has, language_of, pattern

SAID = {
    Cue.ASK: ("where is the loom", "wo steht der Webstuhl", "dónde está el telar"),
    Cue.SUPPOSE: ("what if the loom breaks", "was wäre, wenn er bricht", "qué pasaría si se rompe"),
    Cue.CLAIM: ("I thought it was oak", "ich dachte, es war Eiche", "yo pensaba que era roble"),
    Cue.REQUEST: ("could you oil it", "könntest du es ölen", "podrías engrasarlo"),
    Cue.TALK: ("thanks a lot", "vielen dank", "muchas gracias"),
    Cue.CHATTER: ("wish me luck", "drück mir die daumen", "deséame suerte"),
    Cue.DELETE: ("remove the loom", "streich den Webstuhl", "quita el telar"),
    Cue.ONLY: ("everything except the loom", "alles außer dem Webstuhl", "todo menos el telar"),
    Cue.RESTORE: ("keep the loom after all", "behalten wir den Webstuhl", "deja el telar"),
    Cue.BACK: ("go back to oak", "zurück auf Eiche", "vuelve al roble"),
    Cue.FIRST: ("the original wood", "das ursprüngliche Holz", "la madera original"),
    Cue.DONE: ("the loom is oiled", "der Webstuhl ist fertig", "el telar ya está terminado"),
    Cue.ALSO: ("for both of them", "auch für den Markt", "también para la feria"),
    Cue.SWAP: ("wool instead of linen", "Wolle statt Leinen", "lana en vez de lino"),
    Cue.CHANGE: ("move it to noon", "verschieb es auf zwölf", "cambia la hora"),
    Cue.ABSENT: ("Ilka can't come", "Ilka kann da nicht", "Ilka no puede venir"),
    Cue.SPLIT: ("split the group", "teilen wir die Gruppe", "divide el grupo"),
    Cue.MERGE: ("merge them", "alle zusammen", "junta los grupos"),
    Cue.ALL: ("all the yarn", "alle Garne", "todo el hilo"),
    Cue.REST: ("the rest at noon", "die anderen um zwölf", "los demás al mediodía"),
    Cue.POINT: ("oil it", "öl ihn", "engrasa eso"),
    Cue.EVER: ("never oak", "niemals Eiche", "nunca roble"),
    Cue.WHY: ("why oak", "warum Eiche", "por qué roble"),
    Cue.LIST: ("a summary", "eine Übersicht", "un resumen"),
    Cue.ADD: ("add yarn", "füg Garn hinzu", "añade hilo"),
    Cue.START: ("plan a market stall", "plane einen Marktstand", "organiza un puesto"),
}


def test_every_cue_has_sentences_here() -> None:
    assert set(SAID) == set(Cue)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("cue", Cue)
def test_a_cue_is_found_in_every_language(cue: Cue, code: str) -> None:
    assert has(cue, SAID[cue][list(LANGUAGES).index(code)], code)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_every_cue(code: str) -> None:
    assert set(LANGUAGES[code].cues) == set(Cue)


REVISES = {Cue.DELETE, Cue.RESTORE, Cue.BACK, Cue.DONE, Cue.ABSENT, Cue.SWAP, Cue.SPLIT, Cue.MERGE, Cue.ONLY}


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("the loom stands in the attic", "en"),
        ("four skeins of grey wool", "en"),
        ("Ilka weaves the blanket", "en"),
        ("der Webstuhl steht im Speicher", "de"),
        ("vier Knäuel graue Wolle", "de"),
        ("el telar está en el desván", "es"),
        ("cuatro madejas de lana gris", "es"),
    ],
)
def test_a_plain_statement_revises_nothing(said: str, code: str) -> None:
    assert cues(said, code) & REVISES == set()


@pytest.mark.parametrize("said", ["I can't wait for the market", "we couldn't believe it"])
def test_not_every_cannot_is_an_absence(said: str) -> None:
    assert not has(Cue.ABSENT, said, "en")


@pytest.mark.parametrize(
    "said", ["the loom is not needed", "the yarn is supposed to be grey", "it is called Betty"]
)
def test_a_participle_that_is_no_deed_is_not_done(said: str) -> None:
    assert not has(Cue.DONE, said, "en")


def test_an_apostrophe_that_is_missing_or_curly_is_put_right() -> None:
    assert folded("I Can’t and I dont") == "i can't and i don't"


def test_a_cue_is_found_where_it_stands_first() -> None:
    match = find(Cue.DELETE, "please remove it and drop that", "en")
    assert match is not None
    assert match.group() == "remove"


def test_the_language_with_most_function_words_leads() -> None:
    assert language_of("die Wolle ist für the market", "en") == "de"


def test_marks_of_a_language_count() -> None:
    assert language_of("mañana", "en") == "es"
    assert language_of("grün", "en") == "de"


@pytest.mark.parametrize(
    ("said", "code"), [("danke dir", "de"), ("Hallo!", "de"), ("¡hola!", "es"), ("gracias", "es")]
)
def test_a_greeting_tells_the_language(said: str, code: str) -> None:
    assert language_of(said, "en") == code


def test_a_tie_keeps_the_language_of_the_turn_before() -> None:
    assert language_of("Betty", "es") == "es"
    assert language_of("the und", "de") == "de"


MARKUP = """
<|im_end|> <|im_start|> <|im_sep|> <|begin_of_text|> <|end_of_turn|> <start_of_turn> </s> <s> <unk> <<SYS>> <</SYS>> [INST] [/INST]
[SEP] [UNK] [TOOL_CALLS] <｜end▁of▁sentence｜> <|die|> <the> <¿> <|grün|> <|el_mañana|>
""".split()


@pytest.mark.parametrize("token", MARKUP)
@pytest.mark.parametrize("last", list(LANGUAGES))
def test_what_looks_like_a_control_token_is_of_no_language(token: str, last: str) -> None:
    assert language_of(token, last) == last
    assert language_of(f"{token}{token}system {token}", last) == last


@pytest.mark.parametrize("token", MARKUP)
def test_words_around_a_control_token_tell_their_language(token: str) -> None:
    assert language_of(f"{token}die Wolle ist für den Markt{token}", "en") == "de"
    assert language_of(f"{token} the ferry is at nine", "de") == "en"


@given(st.text(max_size=80), st.sampled_from(list(LANGUAGES)))
def test_any_text_has_cues_or_none(text: str, code: str) -> None:
    assert cues(text, code) == {cue for cue in Cue if pattern(code, cue).search(folded(text))}


@given(st.text(max_size=60))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("cue", Cue)
def test_no_expression_takes_long_on_a_long_text(cue: Cue, code: str) -> None:
    """A person may paste a page."""
    import time

    text = folded(
        "take the old loom and bring it to a dry place if we would not keep ich habe und kann no se " * 40
    )
    begun = time.perf_counter()
    pattern(code, cue).search(text)
    assert time.perf_counter() - begun < 1.0
