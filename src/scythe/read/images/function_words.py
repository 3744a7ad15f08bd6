"""The small words of many languages: a kind of word comes in, a set of words in lower case goes out."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

_LANGUAGE = 2  # letters of the label of a line


@lru_cache(maxsize=16)
def function_words(kind: str = "") -> frozenset[str]:
    """Return the words that no name begins with, of all languages, or those of another line of the table."""
    text = files("scythe.read.images").joinpath("tables/function_words.txt").read_text("utf-8")
    rows = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    wanted = (words for label, _, words in rows if label == kind or (not kind and len(label) == _LANGUAGE))
    return frozenset(word for words in wanted for word in words.split())
