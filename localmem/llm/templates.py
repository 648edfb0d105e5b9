"""The prompts that ship in `prompts/`, filled in."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2


def render(name: str, /, **values: object) -> str:
    """Text of `prompts/NAME` (Jinja) with its values put in, without a line break at the end.

    A block tag alone on its line leaves no trace. A value that the template uses and nobody gave is a bug, and
    shows as jinja2's UndefinedError.
    """
    return _compiled(name).render(values)


@lru_cache(maxsize=64)
def _compiled(name: str) -> jinja2.Template:
    import jinja2

    from localmem import resources

    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(resources.text("prompts", name))
