"""Find literals in the bytes of a page: the name of a way to search comes in, a `Search` goes out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from scythe.errors import BadInput

try:
    import stringzilla
except ImportError:  # pragma: no cover  (a platform without its wheel)
    stringzilla = None

KEPT_PATTERNS = 4_096  # compiled expressions; a profile has some hundred literals


class Search(Protocol):
    """A way to search, interchangeable with any other: all find the same places."""

    @property
    def find(self) -> Callable[[bytes, bytes, int], int]:
        """Find `pattern` in `body` from `start` on; -1 where it is not. Called as `find(body, pattern, start)`."""

    @property
    def count(self) -> Callable[[bytes, bytes, int, int], int]:
        """Count occurrences that do not overlap. Called as `count(body, pattern, start, end)`."""


@dataclass(frozen=True, slots=True)
class NamedSearch:
    """A `Search` made of two functions."""

    name: str
    find: Callable[[bytes, bytes, int], int]
    count: Callable[[bytes, bytes, int, int], int]


@lru_cache(KEPT_PATTERNS)
def _expression(pattern: bytes) -> re.Pattern[bytes]:
    return re.compile(re.escape(pattern))


def _find_by_expression(body: bytes, pattern: bytes, start: int) -> int:
    match = _expression(pattern).search(body, start)
    return match.start() if match else -1


def _count_by_expression(body: bytes, pattern: bytes, start: int, end: int) -> int:
    return sum(1 for _ in _expression(pattern).finditer(body, start, end))


# the methods themselves, not Python functions around them: a call costs as much as a search of 1 KB
_SEARCHES = {
    "bytes": NamedSearch("bytes", bytes.find, bytes.count),
    "re": NamedSearch("re", _find_by_expression, _count_by_expression),
}
if stringzilla is not None:
    _SEARCHES["stringzilla"] = NamedSearch("stringzilla", stringzilla.find, stringzilla.count)

DEFAULT = "stringzilla" if "stringzilla" in _SEARCHES else "bytes"
NAMES = tuple(_SEARCHES)


def search_by(name: str = DEFAULT) -> NamedSearch:
    """Return the way to search of that name. Raises BadInput for an unknown one."""
    if name not in _SEARCHES:
        raise BadInput(f"no way to search is called {name!r}; known are {', '.join(_SEARCHES)}")
    return _SEARCHES[name]
