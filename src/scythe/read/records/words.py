"""Say what the class, id and role words of elements mean: attribute text comes in, a set of roles as bits goes out."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from itertools import pairwise

from scythe.read.text.names import split_names

_STEM = 4  # letters: shorter beginnings of words mean too many things
_REMEMBERED = 50_000  # distinct attribute texts; a large site has a few thousand


@lru_cache(maxsize=1)
def _table() -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the roles in order, and for each word the bits of its roles."""
    roles, meaning = list[str](), dict[str, int]()
    lines = resources.files("scythe.read.records").joinpath("tables/words.txt").read_text("utf-8").splitlines()
    for line in lines:
        role, _, words = line.partition(":")
        if line.startswith("#") or not words:
            continue
        for word in words.split():
            for part in split_names(word) if "-" not in word else (word.replace("-", ""),):
                meaning[part] = meaning.get(part, 0) | 1 << len(roles)
        roles.append(role)
    return tuple(roles), meaning


def roles() -> tuple[str, ...]:
    """Return the names of the roles; role `i` is bit `i` of `roles_of`."""
    return _table()[0]


@lru_cache(maxsize=_REMEMBERED)
def roles_of(names: str) -> int:
    """Return the roles that attribute text such as `postBody entry-content` names, as bits."""
    words, found = split_names(names), 0
    for word in words:
        found |= _role_of_word(word)
    for one, other in pairwise(words):
        found |= _table()[1].get(one + other, 0)
    return found


@lru_cache(maxsize=_REMEMBERED)
def _role_of_word(word: str) -> int:
    """Return the roles of a word, or of the longest known word that it begins or ends with."""
    meaning = _table()[1]
    if word in meaning:
        return meaning[word]
    lengths = range(len(word) - 1, _STEM - 1, -1)
    begin = next((meaning[word[:n]] for n in lengths if word[:n] in meaning), 0)
    return begin | next((meaning[word[-n:]] for n in lengths if word[-n:] in meaning), 0)
