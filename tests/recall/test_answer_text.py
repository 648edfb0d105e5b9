"""Replies of a model, as they are judged and shown."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.recall.answer_text import (
    as_told,
    asks_for_likely,
    asks_for_several,
    asks_for_time,
    concise,
    dated,
    echoes,
    parts,
    repeats,
    says_unknown,
    split,
    verdicts,
)
from tests.recall.support import turn

TUESDAY = datetime(2025, 3, 4, 18, 30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yesterday", "3 March 2025"),
        ("Last week.", "the week before 4 March 2025."),
        ("on Sunday he was there", "on Sunday (Sunday 2 March 2025) he was there"),
        ("just yesterday (3 March 2025)", "just 3 March 2025"),
        ("Luc paid the bill yesterday.", "Luc paid the bill yesterday (3 March 2025)."),
        ("Luc paid the bill yesterday (3 March 2025).", "Luc paid the bill yesterday (3 March 2025)."),
        ("yesterday (my birthday)", "yesterday (my birthday)"),
        ("in May", "in May"),
        ("", ""),
    ],
)
def test_a_relative_date_in_an_answer_is_told_as_a_date(text: str, expected: str) -> None:
    assert dated(text, TUESDAY) == expected


def test_without_a_time_an_answer_stays_as_it_is() -> None:
    assert dated("yesterday", None) == "yesterday"


@pytest.mark.parametrize(
    ("answer", "said", "expected"),
    [
        ("4 March 2025", "I joined a gym last week.", "the week before 4 March 2025"),
        ("2 March 2025", "We met last Sunday.", "Sunday 2 March 2025"),
        ("4 March 2025", "I went there two days ago.", "2 March 2025"),
        ("4 March 2025.", "I have just joined a gym.", "4 March 2025."),
        ("4 March 2025", "I joined last week, and quit yesterday.", "the week before 4 March 2025"),
        ("4 March 2025", "I joined in February 2024, two days ago or last month.", "4 March 2025"),
        ("June 2025", "I joined last week.", "June 2025"),
        ("soon", "I joined last week.", "soon"),
    ],
)
def test_a_date_is_told_as_its_turn_tells_it(answer: str, said: str, expected: str) -> None:
    assert as_told(answer, turn(said, at=TUESDAY)) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What is Ann's job?", "Ann's job is nurse.", "nurse."),
        ("What was her favourite trip?", "Her favourite trip was when she saw whales", "she saw whales"),
        ("Where was Bob?", "Bob was in Rome.", "in Rome."),
        ("When did Petra go to the park?", "Petra went to the park on 27 August 2025.", "27 August 2025"),
        ("When was the trip?", "It was the week before 9 June 2025.", "the week before 9 June 2025"),
        ("What year did he move?", "He moved in March 2025", "March 2025"),
    ],
)
def test_the_question_is_not_said_over(question: str, text: str, expected: str) -> None:
    assert concise(question, text) == expected


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is Ann a nurse?", "Ann is a nurse"),
        ("Who bought it?", "It was Dilip."),
        ("What does Ann do?", "Her brother is a nurse"),
        ("When is it?", "not before 3 May 2025"),
        ("When was it?", "between 3 May 2025 and 5 May 2025"),
        ("When was it?", "7 May 2025, formerly 5 May"),
        ("When does it begin?", "5 May 2025 at 9 am"),
        ("When did he go?", "after his sister had come home on 5 May 2025"),
        ("What did Ann say on 5 May 2025?", "that 3 May 2025 was a better day"),
        ("", ""),
    ],
)
def test_what_tells_more_than_the_question_stays(question: str, text: str) -> None:
    assert concise(question, text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"Perfect", Bach, "Perfect", Bach,', '"Perfect", Bach'),
        ("soup, bread, Soup., more", "soup, bread"),
    ],
)
def test_a_list_that_begins_again_ends(text: str, kept: str) -> None:
    assert text[: repeats(text)] == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("12 March 2024: 12 March 2024: 12 March 2024: 12", "12 March 2024"),
        ("It is so. It is so. It is so. ", "It is so"),
        ("She said the cat and the cat and the cat and ", "She said the cat and"),
    ],
)
def test_an_answer_that_says_the_same_a_third_time_ends(text: str, kept: str) -> None:
    assert text[: repeats(text)] == kept


@pytest.mark.parametrize(
    "text",
    [
        "12 March 2024: 12 March 2024: ",
        "the cat and the cat and the cat and",
        "no no no no no ",
        "06 12 12 12 12 12 12 12 ",
        "on 3 May and 4 May and 5 May ",
    ],
)
def test_what_is_said_twice_or_is_a_number_does_not_repeat_itself(text: str) -> None:
    assert repeats(text) is None


@pytest.mark.parametrize("text", ["soup, bread", "soup, soup", "1,050 and 1,050", "", "a, b, c,"])
def test_a_list_that_may_still_go_on_does_not_repeat_itself(text: str) -> None:
    assert repeats(text) is None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What kind of writings does she do?", "writing"),
        ("Who is Anthony?", "Anthony."),
        ("What soup is it?", "the soup"),
    ],
)
def test_an_answer_of_words_of_the_question_is_an_echo(question: str, text: str) -> None:
    assert echoes(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Is it tea or coffee?", "tea"),
        ("Which does she like more, tea or coffee?", "tea"),
        ("Is she Anthony?", "Anthony"),
        ("What soup is it?", "tomato soup"),
        ("What is it?", "it is that"),
        ("What?", ""),
    ],
)
def test_other_answers_tell_something(question: str, text: str) -> None:
    assert not echoes(question, text)


@pytest.mark.parametrize("text", ["Not in memory.", "not in memory", "It is not in the memory!"])
def test_an_answer_may_say_that_it_is_none(text: str) -> None:
    assert says_unknown(text)


@pytest.mark.parametrize("text", ["A poem, not in memory of him.", "in memory", ""])
def test_other_answers_are_answers(text: str) -> None:
    assert not says_unknown(text)


@pytest.mark.parametrize(
    "question", ["Would Ann like it?", "What might he be?", "Was würde sie tun?", "Is she likely to go?"]
)
def test_a_question_may_be_about_what_is_likely(question: str) -> None:
    assert asks_for_likely(question)


@pytest.mark.parametrize("question", ["What does Ann think of it?", "What could be seen?", "Who is Ann?"])
def test_other_questions_are_about_what_was_said(question: str) -> None:
    assert not asks_for_likely(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When is it?", True),
        ("On which day?", True),
        ("What year?", True),
        ("What when?", False),
        ("Who?", False),
    ],
)
def test_a_question_may_be_for_a_time(question: str, expected: bool) -> None:
    assert asks_for_time(question) == expected


def test_a_list_has_parts_and_other_texts_have_none() -> None:
    assert [part.strip() for part in parts("flour, yeast and a scale")] == ["flour", "yeast", "a scale"]
    assert parts("1,050 euros") == []


def test_cited_numbers_stand_before_the_text() -> None:
    assert split("[3] [12] soup [4]") == ([3, 12], "soup [4]")
    assert split("soup [4]") == ([], "soup [4]")


@given(st.text(), st.text())
def test_any_text_can_be_made_concise(question: str, text: str) -> None:
    assert concise(question, text) in text
    assert isinstance(dated(text, TUESDAY), str)


@pytest.mark.parametrize(
    "question",
    ["Does Ann like tea?", "Has Bob been to Bath?", "Did Ann and Bob both go?"],
)
def test_yes_or_no_is_all_that_answers_some_questions(question: str) -> None:
    assert verdicts(question) == ("Yes", "No")


def test_what_somebody_would_do_is_likely_or_not() -> None:
    assert verdicts("Would Ann enjoy the opera?") == ("Likely yes", "Likely no")


@pytest.mark.parametrize(
    "question",
    [
        "Do you know where Ann lives?",
        "Does Ann prefer tea or coffee?",
        "Is there anything that Ann dislikes?",
        "Can you tell me the rent?",
        "What does Ann like?",
        "Were there others who came?",
        "",
    ],
)
def test_questions_that_look_like_yes_or_no_may_ask_for_more(question: str) -> None:
    assert verdicts(question) == ()


@pytest.mark.parametrize(
    "question",
    [
        "Which books has Ann read?",
        "What people has Bob met?",
        "What are Bob's pets' names?",
        "In what ways is Ann helping?",
        "Where has Bob been?",
        "What has Ann done for the club?",
        "What kinds of tea does she drink?",
        "What kitchen things did Bob buy?",
        "Who was invited to the party?",
    ],
)
def test_some_questions_ask_for_a_list(question: str) -> None:
    assert asks_for_several(question)


@pytest.mark.parametrize(
    "question",
    [
        "Who has the car?",
        "What kind of car has Bob?",
        "What is the bus called?",
        "Where is Ann?",
        "Why does it rain?",
        "",
    ],
)
def test_other_questions_ask_for_one_thing(question: str) -> None:
    assert not asks_for_several(question)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Likely well off, he's involved in charity runs", "Likely well off"),
        ("Nursing because she likes people", "Nursing"),
        ("psychology, social work", "psychology, social work"),
        ("she would go", "she would go"),
    ],
)
def test_what_is_likely_stands_without_the_reason(said: str, expected: str) -> None:
    assert concise("What might Ann become?", said) == expected
