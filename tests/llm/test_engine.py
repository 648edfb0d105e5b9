"""The engine on a real model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from localmem.errors import ContextOverflowError, EngineError, GrammarError, TruncatedError
from localmem.llm import load
from localmem.llm.engine import SEQUENCES
from localmem.llm.protocol import Message, Prompt, Speaker
from localmem.settings import Settings
from tests.llm.conftest import CONTEXT

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel

pytestmark = pytest.mark.engine

RULES = "You answer questions about cities in one short sentence. " * 6
WORD = "root ::= [a-zA-Z ]{1,40}"


def question(text: str, kind: str = "answer", rules: str = RULES, start: str = "") -> Prompt:
    messages = (Message(Speaker.SYSTEM, f"{kind}: {rules}"), Message(Speaker.USER, text))
    return Prompt(kind, messages, fixed=1, start=start)


def test_importing_the_package_loads_no_engine() -> None:
    code = (
        "import sys, localmem.llm, localmem.llm.grammar; localmem.llm.grammar.compile('root ::= [a-z]');"
        "print(sorted({'llama_cpp', 'jinja2', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reply_is_streamed_as_it_is_returned(model: LlamaModel) -> None:
    shown: list[str] = []
    reply = model.generate(question("What is the capital of France?"), max_tokens=60, on_text=shown.append)
    assert "Paris" in reply.text
    assert "".join(shown) == reply.text
    assert "<|" not in reply.text
    assert reply.usage.calls == 1
    assert reply.usage.generated_tokens == len(shown)


def test_nothing_is_printed(
    small_model_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512)) as quiet:
        quiet.generate(question("Hi"), max_tokens=60, grammar=WORD)
        assert quiet.id.startswith(small_model_path.stem)
    assert capfd.readouterr() == ("", "")


# Data and control


def control(model: LlamaModel) -> list[str]:
    vocabulary = model._vocabulary
    return [vocabulary.token_text(token) for token in sorted(vocabulary.control)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200, deadline=None)
@given(data=st.data())
def test_data_never_becomes_a_control_token_and_comes_out_as_it_went_in(
    model: LlamaModel, data: st.DataObject
) -> None:
    typed = data.draw(st.lists(st.sampled_from(control(model)) | st.text(max_size=8), max_size=8))
    vocabulary = model._vocabulary
    # A small vocabulary lacks some bytes, those of \x06 or of unassigned planes.
    known = {piece[0] for piece in map(vocabulary.piece, range(vocabulary.size)) if len(piece) == 1}
    text = "".join(c for c in "".join(typed) if known.issuperset(c.encode("utf-8", "replace")))
    tokens = vocabulary.data(text)
    assert vocabulary.control.isdisjoint(tokens)
    assert b"".join(map(vocabulary.piece, tokens)) == text.encode("utf-8", "replace")


def test_a_marker_in_a_message_is_more_tokens_than_one_of_the_template(model: LlamaModel) -> None:
    assert len(model._vocabulary.special("<|im_end|>")) == 1
    assert model.count("<|im_end|>") > 1


def test_the_prompt_is_counted_with_its_markers(model: LlamaModel) -> None:
    prompt = question("Where?")
    texts = sum(model.count(message.text) for message in prompt.messages)
    assert texts < model.count_prompt(prompt) < texts + 20


# Kept prefixes


def test_the_same_prompt_again_reads_one_token(model: LlamaModel) -> None:
    first = model.generate(question("Where is Rome?"), max_tokens=60)
    again = model.generate(question("Where is Rome?"), max_tokens=60)
    assert again.usage.evaluated_tokens == 1
    assert again.text == first.text


def test_going_from_one_kind_to_another_reads_no_fixed_part_again(model: LlamaModel) -> None:
    kinds = ("answer", "head", "check")
    for kind in kinds:
        model.generate(question("Where is Oslo?", kind), max_tokens=60, grammar=WORD)
    for kind in kinds:
        prompt = question("Where is Bern?", kind)
        usage = model.generate(prompt, max_tokens=60, grammar=WORD).usage
        assert usage.prompt_tokens == model.count_prompt(prompt) > 80
        assert usage.evaluated_tokens < 20


def test_a_new_process_does_not_read_the_fixed_part_again(small_model_path: Path, tmp_path: Path) -> None:
    config = Settings(prefixes_dir=tmp_path, context=512)
    prompt = question("Where is Madrid?")
    with load(small_model_path, settings=config) as first:
        told = first.generate(prompt, max_tokens=60)
        fixed = first.count_fixed(prompt)
    assert told.usage.evaluated_tokens == told.usage.prompt_tokens
    with load(small_model_path, settings=config) as second:
        again = second.generate(prompt, max_tokens=60)
    assert again.usage.evaluated_tokens == told.usage.prompt_tokens - fixed
    assert again.text == told.text


@pytest.mark.parametrize(("given", "used"), [({"threads": 1}, 1), ({"threads": 1, "threads_batch": 2}, 2)])
def test_prompts_are_read_with_as_many_threads_as_replies_unless_it_is_said_otherwise(
    small_model_path: Path, tmp_path: Path, given: dict[str, int], used: int
) -> None:
    config = Settings(prefixes_dir=tmp_path, context=512, **given)  # type: ignore[arg-type]
    with load(small_model_path, settings=config) as loaded:
        assert loaded._lib.llama_n_threads(loaded._context.pointer) == 1
        assert loaded._lib.llama_n_threads_batch(loaded._context.pointer) == used


def test_a_damaged_kept_prefix_is_read_again_and_replaced(small_model_path: Path, tmp_path: Path) -> None:
    config = Settings(prefixes_dir=tmp_path, context=512)
    prompt = question("Where is Madrid?")
    texts, evaluated = [], []
    for damage in (True, True, False, False):
        with load(small_model_path, settings=config) as loaded:
            reply = loaded.generate(prompt, max_tokens=60)
        texts.append(reply.text)
        evaluated.append(reply.usage.evaluated_tokens)
        (kept,) = tmp_path.iterdir()
        if damage:
            raw = bytearray(kept.read_bytes())
            raw[len(raw) // 2] ^= 0xFF
            kept.write_bytes(raw)
    assert len(set(texts)) == 1
    assert evaluated[:3] == [reply.usage.prompt_tokens] * 3
    assert evaluated[3] < 20


def test_only_the_fixed_part_goes_to_disk(small_model_path: Path, tmp_path: Path) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=1024)) as loaded:
        loaded.generate(
            Prompt("free", question("My secret. " * 20).messages, fixed=0), max_tokens=60, grammar=WORD
        )
        assert list(tmp_path.iterdir()) == []
        prompt = question("My secret. " * 20)
        loaded.generate(prompt, max_tokens=60, grammar=WORD)
        (kept,) = tmp_path.iterdir()
        count = int.from_bytes(kept.read_bytes()[8:16], "little")
        assert count == loaded.count_fixed(prompt) < 100


def test_kinds_that_do_not_fit_together_take_turns(small_model_path: Path, tmp_path: Path) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512)) as loaded:
        for kind in ("a", "b", "c", "a", "c", "b"):
            prompt = question("Where is Rome? " * 30, kind)
            usage = loaded.generate(prompt, max_tokens=60, grammar=WORD).usage
            assert usage.prompt_tokens * 3 > loaded._sequences.capacity
            assert loaded._sequences.cells <= loaded._sequences.capacity
        # The fixed part was served all the same, from memory or from disk.
        assert usage.evaluated_tokens == usage.prompt_tokens - loaded.count_fixed(prompt)


def test_more_kinds_than_sequences_take_turns(model: LlamaModel) -> None:
    for number in range(SEQUENCES + 2):
        model.generate(question("Hi", f"kind {number}", "Be kind."), max_tokens=60, grammar=WORD)
    usage = model.generate(question("Ho", f"kind {number}", "Be kind."), max_tokens=60, grammar=WORD).usage
    assert usage.evaluated_tokens < usage.prompt_tokens
    usage = model.generate(question("Hi", "kind 0", "Be kind."), max_tokens=60, grammar=WORD).usage
    assert usage.evaluated_tokens == usage.prompt_tokens


# Limits


def test_a_prompt_that_does_not_fit_is_refused_with_its_counts(model: LlamaModel) -> None:
    prompt = question("word " * CONTEXT)
    with pytest.raises(ContextOverflowError) as caught:
        model.generate(prompt, max_tokens=7)
    for number in (model.count_prompt(prompt), 7, CONTEXT):
        assert str(number) in str(caught.value)
    assert model.context == CONTEXT


def test_a_prompt_that_just_fits_is_answered(small_model_path: Path, tmp_path: Path) -> None:
    with load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512)) as loaded:
        room = 512 - loaded.count_prompt(question("word " * 100)) - 20
        prompt = question("word " * (100 + room))
        reply = loaded.generate(prompt, max_tokens=20, grammar='root ::= "yes" | "no"')
    assert reply.text in ("yes", "no")
    assert 490 < reply.usage.prompt_tokens <= 492


def test_a_reply_that_reaches_its_limit_is_a_failure_with_its_text(model: LlamaModel) -> None:
    with pytest.raises(TruncatedError) as caught:
        model.generate(question("Tell a long story."), max_tokens=5)
    assert caught.value.text
    assert caught.value.hint


def test_a_reply_of_exactly_the_limit_is_whole(model: LlamaModel) -> None:
    prompt = question("What is the capital of France?")
    reply = model.generate(prompt, max_tokens=60)
    assert model.generate(prompt, max_tokens=reply.usage.generated_tokens).text == reply.text


def test_a_reply_can_be_ended_by_what_it_says(model: LlamaModel) -> None:
    prompt = question("Name some animals.", "until")
    grammar = 'root ::= ([a-z]{3} ","){5}'
    reply = model.generate(prompt, max_tokens=60, grammar=grammar, until=lambda text: text.count(",") == 2)
    assert reply.text.count(",") == 2
    assert not reply.whole
    again = model.generate(prompt, max_tokens=60, grammar=grammar)
    assert again.whole
    assert again.text.startswith(reply.text)


# Grammars


def test_states_are_one_row_a_token_and_the_same_each_time(model: LlamaModel) -> None:
    first = model.states("What is it?\n", ["the harp goes", "who plays the drums instead"])
    assert [len(piece) for piece in first.pieces] == [
        model.count("the harp goes"),
        model.count(" who plays the drums instead"),
    ]
    again = model.states("What is it?\n", ["the harp goes", "who plays the drums instead"])
    for one, other in zip(first.pieces, again.pieces, strict=True):
        assert abs(one - other).max() < 1e-3 * abs(one).max()
    assert again.usage.evaluated_tokens == sum(len(piece) for piece in again.pieces)


def test_states_of_more_tokens_than_the_engine_gives_at_once_are_as_those_of_few(model: LlamaModel) -> None:
    text = "the drums and the harp and the long red curtain go to the hall on Friday with two lamps"
    whole = model.states("", [text]).pieces[0]
    assert len(whole) > SEQUENCES
    short = model.states("", [" ".join(text.split()[:5])]).pieces[0]
    assert abs(whole[: len(short)] - short).max() < 0.05 * abs(short).max()


def test_states_leave_replies_as_they_were(model: LlamaModel) -> None:
    before = model.generate(question("What is the capital of Peru?"), max_tokens=60)
    model.states("What is it?\n", ["the harp goes"])
    after = model.generate(question("What is the capital of Peru?"), max_tokens=60)
    assert after.text == before.text
    assert after.usage.evaluated_tokens == 1


def test_states_of_a_text_that_does_not_fit_are_refused(model: LlamaModel) -> None:
    with pytest.raises(ContextOverflowError, match="tokens"):
        model.states("", ["harp " * CONTEXT])


def test_a_grammar_decides_what_can_be_written(model: LlamaModel) -> None:
    reply = model.generate(question("Capital of France?"), max_tokens=20, grammar='root ::= "Ly" "on" [.!]')
    assert reply.text in ("Lyon.", "Lyon!")


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_grammar_holds_for_characters_of_several_tokens(model: LlamaModel, temperature: float) -> None:
    grammar = "root ::= [🙂-🙏]{3} [а-я]{2,5} [^a-z]"
    shown: list[str] = []
    reply = model.generate(
        question("Hi"), max_tokens=60, grammar=grammar, temperature=temperature, on_text=shown.append
    )
    assert "".join(shown) == reply.text
    assert all(ord(character) >= 0x400 for character in reply.text[:-1])


def test_a_grammar_that_does_not_compile_is_refused(model: LlamaModel) -> None:
    with pytest.raises(GrammarError, match="not defined"):
        model.generate(question("Hi"), max_tokens=5, grammar="root ::= nothing")


def test_the_start_of_a_reply_is_given_not_generated(model: LlamaModel) -> None:
    prompt = question("What is the capital of France?", start="The capital of France is")
    reply = model.generate(prompt, max_tokens=60)
    assert reply.text.startswith(" Paris")


def test_equal_seeds_write_equally(model: LlamaModel) -> None:
    def write(seed: int) -> str:
        prompt = question("Name some animals.")
        return model.generate(
            prompt, max_tokens=60, grammar="root ::= [a-z ,]{30}", temperature=1.5, seed=seed
        ).text

    assert write(1) == write(1)
    assert write(1) != write(2)


# Interruption


class StopError(Exception):
    pass


@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt])
def test_an_exception_while_streaming_leaves_the_model_usable(
    model: LlamaModel, error: type[BaseException]
) -> None:
    prompt = question("What is the capital of France?")
    whole = model.generate(prompt, max_tokens=60).text

    def stop(_: str) -> None:
        raise error

    with pytest.raises(error):
        model.generate(prompt, max_tokens=60, on_text=stop)
    assert model.generate(prompt, max_tokens=60).text == whole


CTRL_C = """
import json, os, signal, sys, threading, time
from pathlib import Path
from localmem.llm import load
from localmem.llm.protocol import Message, Prompt, Speaker
from localmem.settings import Settings

model = load(Path(sys.argv[1]), settings=Settings(prefixes_dir=sys.argv[2], context=2048, batch=2048))
def ask(text):
    prompt = Prompt("answer", (Message(Speaker.USER, text),), 0)
    return model.generate(prompt, max_tokens=60, grammar="root ::= [a-zA-Z ]{10}").text
before = ask("What is the capital of France?")
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.2, interrupt).start()
try:
    ask("word " * 1800)
    stopped = None
except KeyboardInterrupt:
    stopped = time.monotonic() - sent[0]
held = len(model._sequences.get("answer").tokens)
print(json.dumps([stopped, held, before, ask("What is the capital of France?")]))
"""


def test_ctrl_c_stops_within_a_fraction_of_a_second(small_model_path: Path, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", CTRL_C, str(small_model_path), str(tmp_path)]
    done = subprocess.run(
        arguments, capture_output=True, text=True, env=dict(os.environ), timeout=120, check=True
    )
    stopped, held, before, after = json.loads(done.stdout)
    assert stopped is not None
    assert stopped < 1.0
    assert held < 100
    assert after == before
    assert done.stderr == ""


CTRL_C_WHILE_LOADING = """
import os, signal, sys, threading, time
from pathlib import Path
from localmem.llm import load
from localmem.settings import Settings

caught = 0
delays = [0.01 * n for n in range(1, 25)]
load(Path(sys.argv[1]), settings=Settings(prefixes_dir=sys.argv[2], context=2048)).close()
for delay in delays:
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        load(Path(sys.argv[1]), settings=Settings(prefixes_dir=sys.argv[2], context=2048)).close()
        while True:  # loaded before the signal came
            time.sleep(0.01)
    except KeyboardInterrupt:
        caught += 1
    timer.join()
print(caught, len(delays))
"""


def test_ctrl_c_while_the_model_loads_is_never_lost(small_model_path: Path, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", CTRL_C_WHILE_LOADING, str(small_model_path), str(tmp_path)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["24", "24"]
    assert done.stderr == ""


def test_a_signal_handler_that_goes_on_does_not_change_the_reply(model: LlamaModel) -> None:
    prompt = question("Where is Rome? " * 60, "handler")
    caught: list[int] = []

    def stop(_: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    former = signal.signal(signal.SIGINT, lambda number, _: caught.append(number))
    timer = threading.Timer(0.05, stop, [""])
    timer.start()
    try:
        reply = model.generate(prompt, max_tokens=60, grammar=WORD, on_text=stop)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, former)
    assert set(caught) == {signal.SIGINT}
    assert reply.text == model.generate(prompt, max_tokens=60, grammar=WORD).text


def test_threads_wait_for_each_other(model: LlamaModel) -> None:
    prompts = [
        question(f"What is the capital of {country}?", country) for country in ("France", "Spain", "Italy")
    ]
    alone = [model.generate(prompt, max_tokens=60).text for prompt in prompts]
    together: dict[int, str] = {}

    def run(index: int) -> None:
        together[index] = model.generate(prompts[index], max_tokens=60).text

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(prompts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[index] for index in range(len(prompts))] == alone


# Files that are no models


def test_a_closed_model_says_so(small_model_path: Path, tmp_path: Path) -> None:
    loaded = load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=512))
    loaded.close()
    loaded.close()
    with pytest.raises(EngineError, match="closed"):
        loaded.generate(question("Hi"), max_tokens=5)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"no model file .*nowhere\.gguf"):
        load(tmp_path / "nowhere.gguf")


@pytest.mark.parametrize(
    "content", [b"", b"GGU", b"PK\x03\x04" * 100, b"GGUF", b"GGUF\x63\0\0\0" + bytes(100)]
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(EngineError, match=r"model\.gguf"):
        load(path)


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.5, 0.999])
def test_a_truncated_model_is_refused(small_model_path: Path, tmp_path: Path, share: float) -> None:
    path = tmp_path / "model.gguf"
    with small_model_path.open("rb") as file:
        path.write_bytes(file.read(int(small_model_path.stat().st_size * share)))
    with pytest.raises(EngineError, match=r"model\.gguf") as caught:
        load(path)
    assert "\n" not in str(caught.value)
    assert caught.value.hint


def test_a_context_that_this_machine_cannot_hold_is_refused(small_model_path: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"context of 2000000000 tokens need .* GB") as caught:
        load(small_model_path, settings=Settings(prefixes_dir=tmp_path, context=2_000_000_000))
    assert "LOCALMEM_CONTEXT" in caught.value.hint


def test_a_template_that_is_given_is_used_instead_of_the_models(
    small_model_path: Path, tmp_path: Path
) -> None:
    options = Settings(prefixes_dir=tmp_path, context=512)
    with load(small_model_path, settings=options, template="{{ messages[0].content }}") as loaded:
        assert loaded.count_prompt(Prompt("k", (Message(Speaker.USER, "word"),), 0)) == loaded.count("word")
