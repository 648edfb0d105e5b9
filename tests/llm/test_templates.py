"""Prompts that ship with the package."""

from pathlib import Path

import jinja2
import pytest

from localmem import resources
from localmem.llm import templates


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(resources, "_ROOT", tmp_path)
    templates._compiled.cache_clear()
    (tmp_path / "prompts").mkdir()
    return tmp_path / "prompts"


def test_values_are_put_in_as_they_are(shipped: Path) -> None:
    (shipped / "greet.j2").write_text(
        "Hello {{ name }}:\n  {% for n in range(2) %}\n{{ n }}\n  {% endfor %}\nBye\n"
    )
    assert templates.render("greet.j2", name="<b>{{ 1 }}</b>") == "Hello <b>{{ 1 }}</b>:\n0\n1\nBye"


def test_a_value_that_nobody_gave_is_a_bug(shipped: Path) -> None:
    (shipped / "greet.j2").write_text("Hello {{ name }}")
    with pytest.raises(jinja2.UndefinedError):
        templates.render("greet.j2")
