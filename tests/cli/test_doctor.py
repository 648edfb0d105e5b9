"""`localmem doctor`."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from localmem import memory as memory_module
from localmem.upkeep.doctor import Finding, State
from tests.cli.conftest import CommandLine

GOOD = Finding("engine", State.OK, "numba 1 (search)")
NOTE = Finding("threads", State.NOTE, "64 are many", "Unset LOCALMEM_THREADS.")
BAD = Finding("file mode", State.FAULT, "others can read \x1b[31mit", "chmod 600 it")


def finding(findings: list[Finding], monkeypatch: pytest.MonkeyPatch) -> None:
    def examine(*_: object, **__: object) -> Iterator[Finding]:
        yield from findings

    monkeypatch.setattr(memory_module, "examine", examine)


def test_where_nothing_is_wrong_the_exit_code_is_0(
    localmem: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding([GOOD, NOTE], monkeypatch)
    result = localmem("doctor")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "ok     engine          numba 1 (search)",
        "note   threads         64 are many",
        "                       to mend: Unset LOCALMEM_THREADS.",
        "Nothing is wrong.",
    ]


def test_a_fault_is_shown_with_its_mend_and_the_exit_code_is_1(
    localmem: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    finding([GOOD, BAD], monkeypatch)
    result = localmem("doctor")
    assert result.code == 1
    assert result.out.splitlines()[1:] == [
        "fault  file mode       others can read [31mit",
        "                       to mend: chmod 600 it",
        "1 thing is wrong.",
    ]


def test_it_is_json_on_demand(localmem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    finding([BAD], monkeypatch)
    result = localmem("doctor", "--json")
    assert result.code == 1
    assert json.loads(result.out) == {
        "sound": False,
        "findings": [{"what": "file mode", "state": "fault", "text": BAD.text, "mend": "chmod 600 it"}],
    }


def test_a_name_that_cannot_be_one_is_wrong_usage(localmem: CommandLine) -> None:
    assert localmem("doctor", "-m", ".hidden").code == 2
