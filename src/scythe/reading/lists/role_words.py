"""Map class, id and role words of elements to roles such as menu, pager or price."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from scythe.package_files import packaged_words
from scythe.reading.text.block_features import split_names

_STEM = 4  # letters: shorter beginnings of words mean too many things
_REMEMBERED = 50_000  # distinct attribute texts; a large site has a few thousand


class RoleWords:
    """A table of words and what they mean, remembering what was asked before."""

    def __init__(self, package: str) -> None:
        """Read `tables/words.txt` of a package."""
        self.roles: tuple[str, ...] = ()
        self._meaning: dict[str, int] = {}
        self._texts: dict[str, int] = {}
        self._words: dict[str, int] = {}
        for role, words in packaged_words(package, "tables/words.txt").items():
            self._add(role, words)

    def _add(self, role: str, words: list[str]) -> None:
        for word in words:
            for part in split_names(word) if "-" not in word else (word.replace("-", ""),):
                self._meaning[part] = self._meaning.get(part, 0) | 1 << len(self.roles)
        self.roles = (*self.roles, role)

    def of(self, names: str) -> int:
        """Return the roles that attribute text such as `postBody entry-content` names; role `i` is bit `i`."""
        found = self._texts.get(names)
        if found is None:
            words, found = split_names(names), 0
            for word in words:
                found |= self._of_word(word)
            for one, other in pairwise(words):
                found |= self._meaning.get(one + other, 0)
            _remember(self._texts, names, found)
        return found

    def _of_word(self, word: str) -> int:
        """Return the roles of a word, or of the longest known word that it begins or ends with."""
        found = self._meaning.get(word)
        if found is None:
            found = self._words.get(word)
        if found is None:
            lengths = range(len(word) - 1, _STEM - 1, -1)
            found = next((self._meaning[word[:n]] for n in lengths if word[:n] in self._meaning), 0)
            found |= next((self._meaning[word[-n:]] for n in lengths if word[-n:] in self._meaning), 0)
            _remember(self._words, word, found)
        return found


def _remember(known: dict[str, int], asked: str, found: int) -> None:
    if len(known) >= _REMEMBERED:
        known.clear()
    known[asked] = found


@lru_cache(maxsize=1)
def _table() -> RoleWords:
    return RoleWords("scythe.reading.lists")


def roles() -> tuple[str, ...]:
    """Return the names of the roles; role `i` is bit `i` of `roles_of`."""
    return _table().roles


def roles_of(names: str) -> int:
    """Return the roles that attribute text such as `postBody entry-content` names, as bits."""
    return _table().of(names)
