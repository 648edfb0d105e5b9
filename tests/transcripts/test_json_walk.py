"""Values inside of a JSON file, one at a time."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localmem.errors import TranscriptError
from localmem.transcripts import json_walk
from localmem.transcripts.json_walk import OPENED, Broken, elements, walk
from localmem.transcripts.source import Source

INTO = {(), ("list",), ("list", ""), ("list", "", "in")}


def walked(content: str) -> list[tuple[tuple[str, ...], Any]]:
    found = walk(Source(io.BytesIO(content.encode()), "x.json"), 1000, INTO)
    return [
        (place, "opened" if value is OPENED else "broken" if isinstance(value, Broken) else value)
        for place, value in found
    ]


def test_values_come_with_their_paths_in_order() -> None:
    content = '{"a": {"b": 1}, "list": [{"in": [1, [2]], "c": null}, 5], "d": "x"}'
    assert walked(content) == [
        ((), "opened"),
        (("a",), {"b": 1}),
        (("list",), "opened"),
        (("list", ""), "opened"),
        (("list", "", "in"), "opened"),
        (("list", "", "in", ""), 1),
        (("list", "", "in", ""), [2]),
        (("list", "", "c"), None),
        (("list", ""), 5),
        (("d",), "x"),
    ]


@pytest.mark.parametrize("content", ['{"list": [1, 2', '{"a": 1, "b"', '{"list": [{"in": [', '{"a":', "{"])
def test_a_file_that_ends_too_early_is_an_error(content: str) -> None:
    with pytest.raises(TranscriptError, match="ends"):
        walked(content)


def test_what_is_broken_is_told_and_the_rest_is_read() -> None:
    content = '{"a": nope, "b": , 5, "c" 6, "list": [1} 2], "d": 7} more'
    found = walked(content)
    assert (("list", ""), 2) in found
    assert (("d",), 7) in found
    assert ((), "broken") in found


def test_malformed_values_cost_what_they_are_long_and_not_what_lies_before_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The decoder's error counts the lines of all that lies before it."""
    counted = 0

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            nonlocal counted
            try:
                return super().raw_decode(s, idx)
            except json.JSONDecodeError as error:
                counted += error.pos
                raise

    monkeypatch.setattr(json_walk, "_DECODER", Counting(strict=False))
    content = "[" + '{"a": nope}, {"b": 1},\n' * 10_000 + "5]"
    found = list(elements(Source(io.BytesIO(content.encode()), "x.json"), 1000))
    assert sum(isinstance(value, Broken) for value in found) == 10_000
    assert found[1::2] == [{"b": 1}] * 10_000
    assert counted < 20 * len(content)


def test_a_value_that_is_too_long_is_told_and_the_rest_is_read() -> None:
    assert walked(json.dumps({"a": "x" * 2000, "b": 1}))[1:] == [(("a",), "broken"), (("b",), 1)]


JSON = st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "list", "in"]), inner, max_size=3), max_leaves=12)  # fmt: skip


@given(value=st.dictionaries(st.sampled_from(["a", "list", "in"]), JSON, max_size=3), data=st.data())
def test_whatever_the_value_the_walk_ends_and_gives_what_stands_at_the_top(
    value: Any, data: st.DataObject
) -> None:
    found = walked(json.dumps(value))
    top = {place[0]: one for place, one in found if len(place) == 1 and place[0] != "list"}
    assert top == {key: one for key, one in value.items() if key != "list"}
    text = json.dumps(value)
    at = data.draw(st.integers(0, len(text)))
    try:
        walked(
            text[:at]
            + data.draw(st.sampled_from(["", "}", "]", ",", ":", '"', "{", "[", "\\"]))
            + text[at + 1 :]
        )
    except TranscriptError as error:
        assert "\n" not in str(error)
