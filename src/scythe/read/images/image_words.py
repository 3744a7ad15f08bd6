"""Split what is written about images into words, and say what class names and addresses mean for an image."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

from scythe.read.records.words import RoleWords

_WORD = re.compile(r"[^\W\d_]{3,40}")
_STEM = 5  # letters compared: endings differ between a title and a file name
_FOLDED = str.maketrans("äöüßáàâãéèêëíìîïóòôõúùûçñøåæ", "aousaaaaeeeeiiiioooouuucnoaa")


@lru_cache(maxsize=1)
def _table() -> RoleWords:
    return RoleWords("scythe.read.images")


def roles() -> tuple[str, ...]:
    """Return the names of the roles; role `i` is bit `i` of `roles_of`."""
    return _table().roles


def roles_of(names: str) -> int:
    """Return the roles that names such as `article-body hero-image` have, as bits."""
    return _table().of(names)


@lru_cache(maxsize=2_048)
def text_words(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, case and accents folded, to see whether two texts speak alike."""
    return frozenset(word[:_STEM] for word in _WORD.findall(text.lower().translate(_FOLDED)))


def slug_words(path: str) -> frozenset[str]:
    """Return the beginnings of the words of an address or file name."""
    return text_words((unquote(path) if "%" in path else path).replace("_", " "))
