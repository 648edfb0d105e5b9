"""A chat over one memory: tasks, recall, and what is written of a turn."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from localmem.errors import EngineError, StoreError, UsageError
from localmem.memory import Memory
from localmem.recall.log import ASSISTANT, USER
from localmem.store import Store
from localmem.tasks.clarify import ask_back, unknown
from localmem.values import Reply
from tests.fakes import HashingEmbedder, ScriptedModel

TALK = "Ann: The ferry to Ullapool leaves at nine.\nBob: Thanks!\nAnn: Bring a coat, it is cold.\n"


def opened(path: Path, model: ScriptedModel | None = None) -> Memory:
    """A memory whose model writes what is scripted; without one, none may be made."""

    def made() -> ScriptedModel:
        if model is None:
            raise AssertionError("a model of language was made")
        return model

    return Memory(Store.open(path), embedder=HashingEmbedder, model=made)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def chatting(path: Path) -> Iterator[tuple[Memory, ScriptedModel]]:
    model = ScriptedModel()
    with opened(path, model) as memory:
        yield memory, model


Chatting = tuple[Memory, ScriptedModel]


def begun(chatting: Chatting) -> Reply:
    memory, model = chatting
    model.replies.append("new: kite day\n+ date = Sunday\n+ twine")
    return memory.chat("we plan a kite day on Sunday with twine")


def said(memory: Memory) -> list[tuple[str, str]]:
    """Who said what, in all chats."""
    return [
        (stored.turn.speaker, stored.turn.text)
        for transcript in memory.transcripts()
        for stored in memory._store.turns_between(transcript.id, 0, 999)
    ]


def told_turns(memory: Memory) -> list[str]:
    return [turn.said for turn in memory._store.task_turns()]


# What a turn leaves.


@pytest.mark.parametrize("text", ["add twine", "undo that", "What leaves at nine?"])
def test_of_a_turn_that_a_read_only_memory_cannot_keep_nothing_is_shown(
    path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    opened(path).close()
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
    shown: list[str] = []
    with opened(path) as memory, pytest.raises(StoreError, match="it is read-only"):
        memory.chat(text, on_text=shown.append)
    assert shown == []


def test_a_turn_lands_in_the_tasks_and_in_recall(chatting: Chatting) -> None:
    memory, _ = chatting
    reply = begun(chatting)
    assert "kite day > date = Sunday" in memory.tasks.paths()
    assert said(memory) == [(USER, "we plan a kite day on Sunday with twine"), (ASSISTANT, reply.text)]


def test_what_the_reply_says_is_true_of_the_tasks(chatting: Chatting) -> None:
    reply = begun(chatting)
    assert "Sunday" in reply.text
    assert reply.facts
    assert reply.turn == 1


def test_the_steps_of_a_turn_name_what_changed(chatting: Chatting) -> None:
    reply = begun(chatting)
    assert [(step.intent, step.op, step.slot, step.value) for step in reply.operations] == [
        ("new", "add", "kite day", ""),
        ("new", "add", "date", "Sunday"),
        ("new", "add", "twine", ""),
    ]


def test_the_tasks_keep_what_was_said_and_replied(chatting: Chatting) -> None:
    memory, _ = chatting
    reply = begun(chatting)
    (turn,) = memory._store.task_turns()
    assert (turn.said, turn.reply) == ("we plan a kite day on Sunday with twine", reply.text)


def test_a_turn_that_code_reads_alone_makes_no_model(path: Path) -> None:
    with opened(path) as memory:
        reply = memory.chat("thanks a lot!")
        assert reply.operations == ()
        assert reply.text
        assert told_turns(memory) == ["thanks a lot!"]


@pytest.mark.parametrize("where", ["tasks", "log"])
def test_a_write_that_fails_leaves_neither(
    chatting: Chatting, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    memory, _ = chatting
    begun(chatting)
    before = said(memory), told_turns(memory), memory.tasks.paths()

    def full(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.", hint="Make room.")

    name = "add_task_turn" if where == "tasks" else "add_turns"
    monkeypatch.setattr(memory._store, name, full)
    with pytest.raises(StoreError):
        memory.chat("drop the twine")
    monkeypatch.undo()
    assert (said(memory), told_turns(memory), memory.tasks.paths()) == before
    memory.chat("drop the twine")
    assert memory.tasks.paths() == ["kite day", "kite day > date = Sunday"]


def test_an_engine_that_fails_leaves_nothing(chatting: Chatting) -> None:
    memory, model = chatting
    model.replies.append(EngineError("It broke.", hint="Try again."))
    with pytest.raises(EngineError):
        memory.chat("we plan a kite day on Sunday")
    assert said(memory) == []
    assert told_turns(memory) == []


# Ctrl-C.


class Interrupted(ScriptedModel):
    """A model during whose call of a kind Ctrl-C is pressed."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def generate(self, prompt, **given):  # type: ignore[no-untyped-def]
        if prompt.kind == self.kind:
            raise KeyboardInterrupt
        return super().generate(prompt, **given)


def test_ctrl_c_before_the_turn_is_understood_leaves_nothing_of_it(path: Path) -> None:
    with opened(path, Interrupted("decompose")) as memory:
        with pytest.raises(KeyboardInterrupt):
            memory.chat("we plan a kite day on Sunday")
        assert said(memory) == []
        assert memory.tasks.paths() == []


def test_ctrl_c_while_the_reply_is_worded_keeps_the_turn(path: Path) -> None:
    model = Interrupted("reply")
    model.replies.append("new: kite day\n+ date = Sunday")
    with opened(path, model) as memory:
        memory.chat("we plan a kite day on Sunday")
        with pytest.raises(KeyboardInterrupt):
            memory.chat("when is the kite day?")
        assert said(memory)[2] == (USER, "when is the kite day?")
        assert said(memory)[3][0] == ASSISTANT
        assert "Sunday" in said(memory)[3][1]
        assert told_turns(memory)[-1] == "when is the kite day?"


def test_ctrl_c_while_a_change_is_told_keeps_the_change(chatting: Chatting) -> None:
    memory, _ = chatting
    begun(chatting)

    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.chat("drop the twine", on_text=stop)
    assert "kite day > twine" not in memory.tasks.paths()
    assert said(memory)[-2] == (USER, "drop the twine")


# Recall.


def test_a_question_that_no_task_holds_goes_to_recall_with_citations(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(TALK, encoding="utf-8")
    model = ScriptedModel(["[1] At nine."])
    with opened(path, model) as memory:
        memory.ingest(file)
        reply = memory.chat("When does the ferry to Ullapool leave?")
        assert "nine" in reply.text
        assert [citation.stored.turn.text for citation in reply.citations] == [
            "The ferry to Ullapool leaves at nine."
        ]
        assert reply.workspace is not None
        assert reply.operations == ()


def test_what_was_said_in_the_chat_can_be_asked_later(chatting: Chatting) -> None:
    memory, model = chatting
    model.replies.append("none")
    memory.chat("the heron on the pier made my day")
    units = memory.search("heron on the pier").units
    assert units[0].turn.text == "the heron on the pier made my day"


def test_an_empty_memory_is_not_asked(path: Path) -> None:
    with opened(path) as memory:
        reply = memory.chat("When does the ferry to Ullapool leave?")
        assert reply.workspace is None
        assert reply.citations == ()
        assert reply.text == unknown("en")
        assert memory._store.task_turns()[0].reply == reply.text


def test_a_question_about_a_task_does_not_go_to_recall(chatting: Chatting) -> None:
    memory, model = chatting
    begun(chatting)
    model.replies.append("The kite day is on Sunday.")
    reply = memory.chat("when is the kite day?")
    assert "Sunday" in reply.text
    assert reply.workspace is None
    assert [step.op for step in reply.operations] == ["query"]


# Asking back.


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "the twine hangs on twine of old"), ("de", "das twine hängt an der twine von früher")],
)
def test_what_is_not_understood_is_asked_back(chatting: Chatting, language: str, text: str) -> None:
    memory, model = chatting
    begun(chatting)
    before = memory.tasks.paths()
    model.replies.extend(["change twine: twine", "change twine: twine"])
    reply = memory.chat(text)
    model.replies.clear()
    assert reply.asks
    assert reply.text == ask_back(language)
    assert reply.dropped
    assert memory.tasks.paths() == before


def test_what_is_not_understood_is_kept_as_said(chatting: Chatting) -> None:
    memory, model = chatting
    begun(chatting)
    model.replies.extend(["change twine: twine", "change twine: twine"])
    memory.chat("the twine hangs on twine of old")
    assert said(memory)[-2:] == [(USER, "the twine hangs on twine of old"), (ASSISTANT, ask_back("en"))]


# Several chats, languages, parts left out.


def test_two_chats_on_one_memory_see_each_other(path: Path) -> None:
    model, other_model = ScriptedModel(["new: kite day\n+ twine"]), ScriptedModel()
    with opened(path, model) as one, opened(path, other_model) as other:
        one.chat("we plan a kite day with twine")
        assert other.chat("drop the twine").operations[0].op == "delete"
        assert one.tasks.paths() == ["kite day"]
        assert one.chat("keep the twine after all").turn == 3
        assert [len(one._store.turns_between(t.id, 0, 99)) for t in one.transcripts()] == [4, 2]


def test_two_chats_at_once_lose_no_turn(path: Path) -> None:
    with opened(path, ScriptedModel(["new: kite day"])) as memory:
        memory.chat("we plan a kite day")
    faults: list[BaseException] = []

    def talk(name: str) -> None:
        try:
            with opened(path) as memory:
                for n in range(8):
                    memory.chat(f"add {name}{n}")
        except BaseException as error:  # the thread would swallow it
            faults.append(error)

    threads = [threading.Thread(target=talk, args=(name,)) for name in ("peg", "rod")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with opened(path) as memory:
        wanted = {f"kite day > {name}{n}" for name in ("peg", "rod") for n in range(8)}
        assert set(memory.tasks.paths()) == wanted | {"kite day"}
        assert len(said(memory)) == 2 * 17


def test_the_chat_goes_on_in_the_language_that_was_spoken(chatting: Chatting) -> None:
    memory, model = chatting
    model.replies.append("new: Drachentag\n+ Datum = Sonntag")
    memory.chat("wir planen einen Drachentag am Sonntag")
    in_german = memory.chat("ok").text
    memory.chat("thanks for all of that")
    assert memory.chat("ok").text != in_german


@pytest.mark.parametrize(("text", "word"), [("danke dir", "gern"), ("gracias", "nada")])
def test_courtesy_is_in_the_language_of_the_user(path: Path, text: str, word: str) -> None:
    with opened(path) as memory:
        assert word in memory.chat(text).text.casefold()


def test_a_new_process_knows_the_language_of_the_tasks(path: Path) -> None:
    with opened(path, ScriptedModel(["new: Drachentag\n+ Datum = Sonntag"])) as memory:
        memory.chat("wir planen einen Drachentag am Sonntag")
    with opened(path) as memory:
        assert memory.chat("Datum: Montag").text != ""
        assert "Montag" in memory.chat("Datum: Montag").text


@pytest.mark.parametrize("part", ["trim", "graph", "guards"])
def test_each_part_can_be_left_out(chatting: Chatting, part: str) -> None:
    memory, model = chatting
    model.replies.append("new: kite day\n+ date = Sunday")
    memory.chat("we plan a kite day on Sunday", ablate=[part])
    assert "kite day" in memory.tasks.paths()


def test_a_part_that_there_is_not_is_refused_before_anything_is_done(path: Path) -> None:
    with opened(path) as memory:
        with pytest.raises(UsageError) as caught:
            memory.chat("drop the twine", ablate=["graph", "rudder"])
        assert "rudder" in str(caught.value)
        assert "trim, graph, guards" in caught.value.hint
        assert told_turns(memory) == []


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_turn_is_refused(path: Path, text: str) -> None:
    with opened(path) as memory:
        with pytest.raises(UsageError):
            memory.chat(text)
        assert told_turns(memory) == []


@pytest.mark.parametrize(
    "text", ["?!", "🔥", "...", "<|im_start|>system", "\x07", "a" * 5000, "\ud800 thanks"]
)
def test_odd_text_does_no_harm(chatting: Chatting, text: str) -> None:
    memory, model = chatting
    model.replies.extend(["none", "none"])
    memory.chat(text)
    assert memory.tasks.paths() == []


def test_pieces_of_the_reply_make_the_reply(chatting: Chatting) -> None:
    memory, model = chatting
    model.replies.append("new: kite day\n+ date = Sunday")
    pieces: list[str] = []
    reply = memory.chat("we plan a kite day on Sunday", on_text=pieces.append)
    assert "".join(pieces) == reply.text


def test_usage_is_that_of_all_calls(chatting: Chatting) -> None:
    memory, model = chatting
    begun(chatting)
    model.replies.append("The kite day is on Sunday.")
    reply = memory.chat("drop the twine and tell me when the kite day is")
    assert reply.usage.calls == len(model.prompts) - 1
    assert reply.reply_usage.calls <= reply.usage.calls
    assert reply.seconds >= 0


def test_seed_and_temperature_reach_the_model(path: Path) -> None:
    seen: list[tuple[float, int]] = []

    class Noting(ScriptedModel):
        def generate(self, prompt, **given):  # type: ignore[no-untyped-def]
            seen.append((given["temperature"], given["seed"]))
            return super().generate(prompt, **given)

    with opened(path, Noting(["new: kite day"])) as memory:
        memory.chat("we plan a kite day", temperature=0.3, seed=7)
    assert seen == [(0.3, 7)]


def test_a_pronoun_means_what_the_reply_was_about(chatting: Chatting) -> None:
    memory, model = chatting
    begun(chatting)
    model.replies.append("The twine is on the list.")
    memory.chat("do we have twine?")
    model.replies.clear()
    model.replies.append("delete twine")
    memory.chat("drop it")
    assert "kite day > twine" not in memory.tasks.paths()


@pytest.mark.parametrize(
    "text",
    ["kiln: red, " * 3000, "keep the anvil and drop the coal and " * 1000, "at two, no, three " * 2000],
)
def test_a_pasted_page_is_kept_whole_and_changes_nothing(path: Path, text: str) -> None:
    with opened(path) as memory:
        memory.chat(text)
        assert memory.tasks.paths() == []
        assert said(memory)[0] == (USER, text)
