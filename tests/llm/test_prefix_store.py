"""Evaluated prefixes on disk."""

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.llm.prefix_store import PrefixStore, prefix_key

TOKENS = [3, 1, 4, 1, 5]
STATE = bytes(range(256)) * 4


def kept_file(folder: Path) -> Path:
    (path,) = folder.glob("*.prefix")
    return path


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    PrefixStore(tmp_path).save("k", TOKENS, STATE)
    assert PrefixStore(tmp_path).load("k", TOKENS) == STATE


def test_nothing_is_created_by_loading(tmp_path: Path) -> None:
    assert PrefixStore(tmp_path / "new").load("k", TOKENS) is None
    assert not (tmp_path / "new").exists()


def test_files_and_folder_are_their_owners_only(tmp_path: Path) -> None:
    PrefixStore(tmp_path / "new").save("k", TOKENS, STATE)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE(kept_file(tmp_path / "new").stat().st_mode) == 0o600


def test_other_tokens_under_the_same_key_are_not_served(tmp_path: Path) -> None:
    PrefixStore(tmp_path).save("k", TOKENS, STATE)
    assert PrefixStore(tmp_path).load("k", [*TOKENS[:-1], 6]) is None


def test_a_truncated_file_is_deleted(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path)
    for length in (0, 10, 60, 500):
        store.save("k", TOKENS, STATE)
        os.truncate(kept_file(tmp_path), length)
        assert store.load("k", TOKENS) is None
        assert list(tmp_path.iterdir()) == []


@given(position=st.integers(0, 8 + 8 + 8 + 32 + 4 * len(TOKENS) + len(STATE) - 1), bit=st.integers(0, 7))
def test_any_flipped_bit_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, position: int, bit: int
) -> None:
    folder = tmp_path_factory.mktemp("prefixes")
    PrefixStore(folder).save("k", TOKENS, STATE)
    raw = bytearray(kept_file(folder).read_bytes())
    raw[position] ^= 1 << bit
    kept_file(folder).write_bytes(raw)
    assert PrefixStore(folder).load("k", TOKENS) is None


def test_the_least_recently_used_files_go_when_the_folder_is_full(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, limit=2500)
    for age, key in ((30, "a"), (20, "b")):
        store.save(key, TOKENS, STATE)
        os.utime(tmp_path / f"{key}.prefix", (1e9 - age, 1e9 - age))
    assert store.load("a", TOKENS) == STATE  # and so it is the later used one
    store.save("c", TOKENS, STATE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.prefix", "c.prefix"]


def test_a_file_larger_than_the_limit_is_kept_alone(tmp_path: Path) -> None:
    store = PrefixStore(tmp_path, limit=10)
    store.save("a", TOKENS, STATE)
    store.save("b", TOKENS, STATE)
    assert store.load("b", TOKENS) == STATE
    assert len(list(tmp_path.iterdir())) == 1


def test_what_a_killed_process_left_half_written_is_removed_later(tmp_path: Path) -> None:
    old, young = tmp_path / ".old.tmp", tmp_path / ".young.tmp"
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    PrefixStore(tmp_path).save("k", TOKENS, STATE)
    assert not old.exists()
    assert young.exists()


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    PrefixStore(tmp_path / "file").save("k", TOKENS, STATE)
    assert "Cannot keep a prefix on disk" in caplog.text


def test_keys_depend_on_identity_and_on_every_token() -> None:
    keys = {
        prefix_key("model", [1, 2]),
        prefix_key("other", [1, 2]),
        prefix_key("model", [2, 1]),
        prefix_key("model", [1]),
    }
    assert len(keys) == 4
    assert prefix_key("model", [1, 2]) in keys
