"""What can be read only once is kept, so that it can be read twice."""

from __future__ import annotations

import io
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from localmem.errors import TranscriptError
from localmem.transcripts import STDIN, Reopened, Turn

TALK = b"Ann: One.\nBob: Two.\nAnn: Three.\n"


def texts(source: Reopened) -> list[str]:
    return [event.text for event in source.events() if isinstance(event, Turn)]


def twice(path: Path) -> list[list[str]]:
    with Reopened(path) as source:
        return [texts(source), texts(source)]


def why(path: Path) -> str:
    with Reopened(path) as source, pytest.raises(TranscriptError) as caught:
        texts(source)
    assert caught.value.hint
    return str(caught.value)


@contextmanager
def written(path: Path, content: bytes) -> Iterator[None]:
    """Somebody writes into a pipe meanwhile."""

    def write() -> None:
        with path.open("wb") as pipe:
            pipe.write(content)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield
    writer.join(10)


def test_a_file_is_read_twice(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_bytes(TALK)
    assert twice(file) == [["One.", "Two.", "Three."]] * 2
    with Reopened(file) as source:
        assert source.lasting


def test_a_named_pipe_is_read_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with written(pipe, TALK):
        assert twice(pipe) == [["One.", "Two.", "Three."]] * 2


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no /dev/fd")
def test_the_pipe_of_a_process_substitution_is_read_twice() -> None:
    reading, writing = os.pipe()
    os.write(writing, TALK)
    os.close(writing)
    try:
        with Reopened(Path(f"/dev/fd/{reading}")) as source:
            assert [texts(source), texts(source)] == [["One.", "Two.", "Three."]] * 2
            assert not source.lasting
    finally:
        os.close(reading)


def test_standard_input_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TALK)))
    assert twice(STDIN) == [["One.", "Two.", "Three."]] * 2


def test_standard_input_that_is_closed_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert why(STDIN) == "-: standard input is closed"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no device that never ends")
def test_a_device_that_never_ends_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why(Path("/dev/zero")) == "/dev/zero: this is a device or a socket, not a file"
    with Path("/dev/zero").open() as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        assert why(STDIN) == "-: this is a device or a socket, not a file"


def test_the_empty_device_is_empty() -> None:
    assert why(Path(os.devnull)) == f"{os.devnull}: the file is empty"


def test_a_socket_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
        assert "device or a socket" in why(Path("socket"))


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    assert "No such file" in why(tmp_path / "gone.txt")


def test_what_cannot_be_kept_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with written(pipe, b""):
        assert why(pipe) == f"{pipe}: No space left on device"
