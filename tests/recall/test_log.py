"""A chat as a transcript."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from localmem.errors import EmbedderMismatchError
from localmem.recall.log import ASSISTANT, FORMAT, USER, ChatLog
from localmem.store import Store
from tests.fakes import HashingEmbedder
from tests.recall.support import stored_threads, stored_turns

NINE = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)


def exchange(log: ChatLog, said: str, reply: str, at: datetime = NINE) -> None:
    turns = log.turns(said, reply, at)
    log.add(turns, log.vectors(turns))


def test_nothing_is_stored_before_the_first_turn(store: Store) -> None:
    ChatLog(store, HashingEmbedder)
    assert store.transcripts() == []


def test_an_exchange_is_two_turns_of_one_transcript(store: Store) -> None:
    exchange(ChatLog(store, HashingEmbedder), "Where is the sextant?", "In the chart room.")
    (transcript,) = store.transcripts()
    assert transcript.format == FORMAT
    assert [(turn.speaker, turn.text) for turn in stored_turns(store, transcript.id)] == [
        (USER, "Where is the sextant?"),
        (ASSISTANT, "In the chart room."),
    ]


def test_the_transcript_is_named_by_when_the_chat_began(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    exchange(log, "one", "two")
    exchange(log, "three", "four", NINE + timedelta(days=3))
    (transcript,) = store.transcripts()
    assert transcript.name == "chat 2025-03-04 09:00:00"


def test_later_exchanges_come_behind_the_earlier(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    for n in range(4):
        exchange(log, f"question {n}", f"reply {n}", NINE + timedelta(minutes=n))
    (transcript,) = store.transcripts()
    texts = [turn.text for turn in stored_turns(store, transcript.id)]
    assert texts == [text for n in range(4) for text in (f"question {n}", f"reply {n}")]


def test_both_turns_of_an_exchange_cite_the_same_turn(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    exchange(log, "one", "two")
    exchange(log, "three", "four")
    (transcript,) = store.transcripts()
    assert [turn.source for turn in stored_turns(store, transcript.id)] == [
        "turn 1",
        "turn 1",
        "turn 2",
        "turn 2",
    ]


def test_every_turn_is_in_one_thread(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    for n in range(30):
        exchange(log, f"word{n} about topic{n // 6}", f"reply{n}", NINE + timedelta(hours=n))
    (transcript,) = store.transcripts()
    assert len(stored_threads(store, transcript.id)) >= 1


def test_the_same_words_twice_are_two_turns(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    exchange(log, "yes", "Fine.")
    exchange(log, "yes", "Fine.")
    (transcript,) = store.transcripts()
    assert len(stored_turns(store, transcript.id)) == 4


def test_an_empty_reply_is_no_turn(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    assert [turn.text for turn in log.turns("hello", " \n", NINE)] == ["hello"]
    exchange(log, "  ", "")
    assert store.transcripts() == []


def test_two_chats_are_two_transcripts(store: Store) -> None:
    one, other = ChatLog(store, HashingEmbedder), ChatLog(store, HashingEmbedder)
    exchange(one, "from one", "a")
    exchange(other, "from the other", "b")
    exchange(one, "from one again", "c")
    first, second = store.transcripts()
    assert [turn.text for turn in stored_turns(store, first.id)] == ["from one", "a", "from one again", "c"]
    assert [turn.text for turn in stored_turns(store, second.id)] == ["from the other", "b"]


def test_a_chat_whose_transcript_was_forgotten_begins_another(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    exchange(log, "one", "two")
    store.forget_turns([one.id for one in store.turns_between(store.transcripts()[0].id, 0, 9)])
    assert store.transcripts() == []
    exchange(log, "three", "four")
    (transcript,) = store.transcripts()
    assert [turn.text for turn in stored_turns(store, transcript.id)] == ["three", "four"]


def test_a_failing_transaction_leaves_no_transcript_and_the_chat_goes_on(store: Store) -> None:
    log = ChatLog(store, HashingEmbedder)
    turns = log.turns("one", "two", NINE)
    vectors = log.vectors(turns)
    with pytest.raises(RuntimeError), store.transaction():
        log.add(turns, vectors)
        raise RuntimeError("the disk is full")
    assert store.transcripts() == []
    exchange(log, "three", "four")
    (transcript,) = store.transcripts()
    assert [turn.text for turn in stored_turns(store, transcript.id)] == ["three", "four"]


def test_a_chat_does_not_go_on_in_a_transcript_that_got_the_number_of_its_own(store: Store) -> None:
    log, other = ChatLog(store, HashingEmbedder), ChatLog(store, HashingEmbedder)
    turns = log.turns("lost", "gone", NINE)
    vectors = log.vectors(turns)
    with pytest.raises(RuntimeError), store.transaction():
        log.add(turns, vectors)
        raise RuntimeError("the disk is full")
    exchange(other, "from the other", "b")
    exchange(log, "three", "four")
    assert [[turn.text for turn in stored_turns(store, one.id)] for one in store.transcripts()] == [
        ["from the other", "b"],
        ["three", "four"],
    ]


def test_vectors_of_another_embedder_are_refused(store: Store) -> None:
    exchange(ChatLog(store, HashingEmbedder), "one", "two")
    log = ChatLog(store, lambda: HashingEmbedder(id="other"))
    with pytest.raises(EmbedderMismatchError):
        log.vectors(log.turns("three", "four", NINE))


def test_what_people_type_is_kept_as_it_is(store: Store) -> None:
    exchange(ChatLog(store, HashingEmbedder), "<|im_end|>\n[1] 'x'; DROP", "ok")
    (transcript,) = store.transcripts()
    assert stored_turns(store, transcript.id)[0].text == "<|im_end|>\n[1] 'x'; DROP"
