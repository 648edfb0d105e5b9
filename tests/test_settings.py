"""Settings from the environment, and plain words about those that cannot be."""

from __future__ import annotations

import pytest

from localmem.errors import SettingsError
from localmem.settings import Settings, load


def refusal(name: str, value: str) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        load({name: value})
    return caught.value


def test_a_field_is_read_from_its_variable() -> None:
    assert load({"LOCALMEM_THREADS": "4", "LOCALMEM_SOURCE": "hub"}) == Settings(threads=4, source="hub")


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    assert load({"LOCALMEM_THREADS": ""}) == load({})


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        ("LOCALMEM_THREADS", "many", "a whole number from 1 to 256"),
        ("LOCALMEM_THREADS", "0", "a whole number from 1 to 256"),
        ("LOCALMEM_BATCH", "1.5", "a whole number from 32 to 8192"),
        ("LOCALMEM_CONTEXT", "huge", "a whole number, 512 or more"),
        ("LOCALMEM_FLASH_ATTENTION", "maybe", "true or false"),
        ("LOCALMEM_CHAT_HISTORY", "perhaps", "true or false"),
        ("LOCALMEM_SOURCE", "usb", "auto, hub or wheels"),
    ],
)
def test_a_value_that_cannot_be_is_told_in_plain_words(name: str, value: str, must: str) -> None:
    error = refusal(name, value)
    assert str(error) == f"{name} must be {must}"
    assert repr(value) in error.hint


def test_an_unknown_setting_names_the_one_that_may_be_meant() -> None:
    error = refusal("LOCALMEM_MEMORYY", "work")
    assert str(error) == "there is no setting LOCALMEM_MEMORYY; did you mean LOCALMEM_MEMORY?"
    assert "LOCALMEM_THREADS" in error.hint


def test_a_setting_like_no_other_names_all() -> None:
    error = refusal("LOCALMEM_ZZZZ", "1")
    assert str(error) == "there is no setting LOCALMEM_ZZZZ"
    assert "LOCALMEM_MEMORY," in error.hint


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_takes_a_value_or_says_what_it_must_be(field: str) -> None:
    name = f"LOCALMEM_{field.upper()}"
    try:
        assert getattr(load({name: "-99"}), field) is not None
    except SettingsError as error:
        assert str(error).startswith(f"{name} must be ")
