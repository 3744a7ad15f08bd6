"""Turn the class, id and role attributes of elements into embedding rows, remembering what was asked before."""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READ_CHARS = 400  # utility classes can fill kilobytes; what an element is for stands near the front
_READ_WORDS = 24
_REMEMBERED = 50_000  # distinct attribute texts; a large site has a few thousand
COMMENT_NAMES = frozenset(
    "comment comments commentlist commenttext commentbody commentator respond responses reply replies disqus dsq "
    "livefyre kommentar kommentare commentaires comentarios commenti yorum yorumlar talkback guestbook "
    "usercomments".split()
)
PAGE_TAGS = frozenset(("html", "body", "main", "article"))  # "comments-open" on these says nothing about their text


def split_names(names: str) -> tuple[str, ...]:
    """Split attribute text such as `postBody entry-content` into distinct lower-case words."""
    found = (word.lower() for word in _WORD.findall(names[:_READ_CHARS]) if len(word) > 1)
    return tuple(dict.fromkeys(found))[:_READ_WORDS]


class Known(NamedTuple):
    """An element as the vocabulary sees it."""

    rows: tuple[int, ...]
    key: str  # tag and words, without digits: elements that look alike share it
    comment: bool  # whether the names say that readers wrote what is inside


class Vocabulary:
    """The names, words and page tokens that a network has vectors for, by row; row 0 means unknown."""

    def __init__(self, names: list[str], words: list[str], page: list[str]) -> None:
        self.names = {name: row for row, name in enumerate(names, 1)}
        self.words = {word: row for row, word in enumerate(words, 1)}
        self.page = {token: row for row, token in enumerate(page, 1)}
        self._seen: dict[tuple[str, str], Known] = {}

    def names_of(self, tag: str, names: str) -> Known:
        """Return the rows of an element's tag and names."""
        asked = (tag, names)
        known = self._seen.get(asked)
        if known is None:
            words = split_names(names)
            rows = (self.names.get(f"<{tag}>", 0), *(self.names[word] for word in words if word in self.names))
            comment = tag not in PAGE_TAGS and not COMMENT_NAMES.isdisjoint(words)
            known = Known(rows, f"{tag} {'-'.join(words)}", comment)
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            self._seen[asked] = known
        return known
