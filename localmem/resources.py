"""Files that ship with the package: the model catalogue, prompts, grammars and the sample transcript.

In a checkout they stand at the root of the repository; in a wheel they stand under `localmem/_data`.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_ROOT = _PACKAGE / "_data" if (_PACKAGE / "_data").is_dir() else _PACKAGE.parent


def path(*parts: str) -> Path:
    """Path of a shipped file, e.g. ``path("prompts", "answer.gbnf")``.

    Raises:
        FileNotFoundError: the installation lacks it.
    """
    found = _ROOT.joinpath(*parts)
    if not found.exists():
        raise FileNotFoundError(f"localmem was installed without {'/'.join(parts)}")
    return found


def text(*parts: str) -> str:
    """Content of a shipped text file."""
    return path(*parts).read_text(encoding="utf-8")
