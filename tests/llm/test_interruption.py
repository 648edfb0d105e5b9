"""Ctrl-C, exceptions and threads while the engine works."""

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

from tests.llm.questions import WORD, question

if TYPE_CHECKING:
    from localmem.llm.engine import LlamaModel


pytestmark = pytest.mark.engine


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
