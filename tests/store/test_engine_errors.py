from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from localmem.errors import NotAMemoryError, StoreError
from localmem.store.engine_errors import explain, translated


def error_with(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite\nsays")
    error.sqlite_errorcode = code
    return error


RESULT_CODES = {
    name: code
    for name, code in vars(sqlite3).items()
    if name.startswith("SQLITE_")
    and isinstance(code, int)
    and name.split("_")[1] not in ("LIMIT", "DBCONFIG")
}


@pytest.mark.parametrize("name", sorted(RESULT_CODES))
def test_every_result_code_has_one_line_and_a_hint(name: str) -> None:
    error = explain(error_with(RESULT_CODES[name]), Path("memory.db"))
    assert str(error).startswith("memory.db: ")
    assert error.hint
    assert "\n" not in str(error) + error.hint


def test_an_extended_code_means_what_its_primary_code_means() -> None:
    extended = explain(error_with(sqlite3.SQLITE_READONLY_DIRECTORY), Path("m"))
    assert (
        str(extended) == str(explain(error_with(sqlite3.SQLITE_READONLY), Path("m"))) == "m: it is read-only."
    )


def test_a_full_disk_is_told_also_when_it_stops_a_reader() -> None:
    assert "no room left" in str(explain(error_with(sqlite3.SQLITE_IOERR_SHMSIZE), Path("m")))


def test_a_file_that_is_no_database_is_not_a_memory() -> None:
    assert type(explain(error_with(sqlite3.SQLITE_NOTADB), Path("m"))) is NotAMemoryError


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), OSError("odd")])
def test_errors_of_the_system_are_translated_too(error: OSError) -> None:
    with pytest.raises(StoreError) as caught, translated(Path("m")):
        raise error
    assert caught.value.hint


def test_a_mistake_in_the_code_is_not_translated() -> None:
    with pytest.raises(TypeError), translated(Path("m")):
        raise TypeError
