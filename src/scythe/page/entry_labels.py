"""Name elements alike that play the same part in different records: tag and classes come in, a label goes out."""

from __future__ import annotations

import re
from functools import lru_cache

_DIGITS = re.compile(r"[0-9]+")
_CLASS_CHARS = 400  # of a class attribute that are looked at
_WORDS = 6
_PLAIN = str.maketrans(">:#", "___")
# what tells one record of a list from the next, not one part of a record from another
_STATES = frozenset(
    "odd even first last active current selected alt alternate middle hidden visible sticky featured clear clearfix "
    "left right new hot unread read lazy lazyload lazyloaded".split()
)


@lru_cache(maxsize=20_000)
def class_words(classes: str) -> tuple[str, ...]:
    """Return the words of a class attribute without numbers and without words for the state of one record."""
    words = _DIGITS.sub("9", classes[:_CLASS_CHARS].lower()).split()
    return tuple(dict.fromkeys(word for word in words if word not in _STATES))[:_WORDS]


@lru_cache(maxsize=20_000)
def label_of(tag: str, classes: str) -> str:
    """Return a tag with the words of its class; it holds neither `>` nor `:`, of which the names of places are made."""
    words = class_words(classes) if classes else ()
    return ".".join((tag, *words)).translate(_PLAIN) if words or not tag.isalnum() else tag
