"""Around the engine: its log, its threads, this machine."""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from pathlib import Path

import pytest

from localmem.llm import hardware, native


def test_waiting_threads_sleep_unless_the_person_chose_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(native.WAIT_POLICY, raising=False)
    with native._patient_threads():
        assert os.environ[native.WAIT_POLICY] == "passive"
    assert native.WAIT_POLICY not in os.environ
    monkeypatch.setenv(native.WAIT_POLICY, "active")
    with native._patient_threads():
        assert os.environ[native.WAIT_POLICY] == "active"
    assert os.environ[native.WAIT_POLICY] == "active"


def test_what_the_engine_says_goes_to_logging_and_its_first_error_is_kept(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="localmem.llm.engine")
    native._errors.clear()
    assert native._reason() == "the engine gives no reason"
    for level, text in ((2, b"hello\n"), (4, b"why \xff\n"), (4, b"so\n"), (5, b"\n")):
        native._log(level, text, ctypes.c_void_p(0))
    assert native._reason() == "why �"
    levels = [(record.levelname, record.message) for record in caplog.records]
    assert levels == [("DEBUG", "hello"), ("INFO", "why �"), ("INFO", "so")]


def test_cores_and_memory_of_this_machine_are_sane() -> None:
    assert 1 <= hardware.physical_cores() <= (os.cpu_count() or 1)
    memory = hardware.memory_bytes()
    assert memory is None or memory > 1 << 28


@pytest.mark.parametrize(("quota", "cores"), [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1)])
def test_a_containers_quota_limits_the_threads(
    monkeypatch: pytest.MonkeyPatch, quota: str, cores: int
) -> None:
    def read(path: Path, **_: str) -> str:
        if path.name == "cpu.max":
            return quota
        if path.name == "thread_siblings_list":
            number = int(path.parts[-3].removeprefix("cpu"))
            return f"{number % 8},{number % 8 + 8}\n"
        raise FileNotFoundError(path)

    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(Path, "read_text", read)
    assert hardware.physical_cores() == cores
