"""Text as tokenizers accept it."""

from __future__ import annotations


def clean(text: str, characters: int) -> str:
    """The first `characters` of `text`, with each lone surrogate replaced by U+FFFD.

    A text cut in the middle of an emoji has lone surrogates, and tokenizers refuse it. Two surrogates that
    belong together become the character that they mean.
    """
    text = text[:characters]
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
