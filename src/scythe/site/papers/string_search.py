"""UzunExt as published: cut elements by string search, with and without hints (Uzun 2020, Algorithms 1 and 2).

It ignores comments, scripts and letter case, as in the paper: `site/byte_rules.py` uses it only where it was exact on
all pages learned. The end marker is our addition. docs/why/cutting.md lists corrections to the printed algorithms.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from scythe.errors import BadInput

try:
    import stringzilla
except ImportError:  # pragma: no cover  (a platform without its wheel)
    stringzilla = None

KEPT_PATTERNS = 4_096  # compiled expressions; a profile has some hundred literals


@dataclass(frozen=True, slots=True)
class ByteSearch:
    """A way to search, interchangeable with any other: all find the same places."""

    name: str
    find: Callable[[bytes, bytes, int], int]  # of a pattern from an offset on; -1 where it is not
    count: Callable[[bytes, bytes, int, int], int]  # of a pattern between two offsets, none overlapping


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
    "bytes": ByteSearch("bytes", bytes.find, bytes.count),
    "re": ByteSearch("re", _find_by_expression, _count_by_expression),
}
if stringzilla is not None:
    _SEARCHES["stringzilla"] = ByteSearch("stringzilla", stringzilla.find, stringzilla.count)

DEFAULT = "stringzilla" if "stringzilla" in _SEARCHES else "bytes"
NAMES = tuple(_SEARCHES)


def search_by(name: str = DEFAULT) -> ByteSearch:
    """Return the way to search of that name. Raises BadInput for an unknown one."""
    if name not in _SEARCHES:
        raise BadInput(f"unknown search {name!r}; expected one of {', '.join(_SEARCHES)}")
    return _SEARCHES[name]


UNKNOWN = -1  # inner tag count: it varies, or nobody has counted
KEPT_TAGS = 4_096
VOID = frozenset(b"area base br col embed hr img input link meta source track wbr".split())
_OPENING = re.compile(rb"<([A-Za-z][^\s/>]*)")
_AFTER_NAME = frozenset((b" ", b"\t", b"\n", b"\f", b"\r", b"/", b">"))
DEFAULT_SEARCH: ByteSearch = search_by()


@dataclass(frozen=True, slots=True)
class TagRule:
    """One line of the paper's rule file (Table 1), and the end marker that is ours."""

    opening: bytes  # the opening tag, or its beginning, as it stands in the pages
    kind: str = ""  # title, main text, price ...
    starting_position: int = 0  # byte offset where the search begins
    inner_tag_count: int = UNKNOWN  # opening tags of the name inside, itself counted
    repetition: bool = True  # whether the page is searched to its end
    end_marker: bytes = b""  # begins with the closing tag and follows it on every page of the layout


class CutResult(NamedTuple):
    """What a page gave, and what the prediction step wants to know of it."""

    ranges: list[tuple[int, int]]  # byte offsets of the elements, both tags included
    first: int  # offset of the first opening tag, -1 where there is none
    second_search: bool = False  # the hint lay behind the opening tag, or the page has none
    inner_tags: int | None = None  # the same in all elements, UNKNOWN where it differs, None where nobody counted
    repetitions: int | None = None  # elements of the page, None where the search stopped at the first
    unclosed: bool = False  # a closing tag is missing; that element is not in `ranges`


class Tags(NamedTuple):
    """The literals of an opening tag: `resolveStartTag` and `resolveEndTag` of the paper."""

    start: bytes  # <div
    spaced: bytes  # <div and a space
    closed: bytes  # <div>
    end: bytes  # </div>, or > for elements that have no content
    bare: bool  # the opening tag is no more than <div, so what follows must end the name


@lru_cache(KEPT_TAGS)
def resolve_tags(opening: bytes) -> Tags:
    """Return the literals to search for. Raises BadInput where `opening` is no opening tag."""
    match = _OPENING.match(opening)
    if match is None:
        raise BadInput(f"expected an opening tag such as <div class='text'>, got {opening[:80]!r}")
    start, name = match[0], match[1]
    end = b">" if name.lower() in VOID else b"</" + name + b">"
    return Tags(start, start + b" ", start + b">", end, start == opening)


def cut_simple(body: bytes, rule: TagRule, search: ByteSearch = DEFAULT_SEARCH) -> CutResult:
    """Cut every element with the opening tag of `rule`, without any hint."""
    return cut_hinted(body, _without_hints(rule.opening), search)


@lru_cache(KEPT_TAGS)
def _without_hints(opening: bytes) -> TagRule:
    return TagRule(opening)


def find_opening(body: bytes, opening: bytes, tags: Tags, start: int, search: ByteSearch) -> int:
    """Return the offset of the next opening tag, or -1."""
    at = search.find(body, opening, start)
    if tags.bare:
        while at >= 0 and not _ends_name(body, at + len(opening)):
            at = search.find(body, opening, at + 1)
    return at


def balance(body: bytes, tags: Tags, start: int, search: ByteSearch) -> tuple[int, int]:
    """Return the end of the element that begins at `start`, or -1, and the opening tags of its name in it."""
    find, closing = search.find, tags.end
    at = find(body, closing, start)
    if closing == b">":
        return at + 1 or -1, 1
    seen = start + len(tags.start)
    openings, closings = 1, 0
    while at >= 0:
        openings += count_openings(body, tags, seen, at, search)
        closings += 1
        seen = at + len(closing)
        if openings == closings:
            return seen, openings
        at = find(body, closing, seen)
    return -1, openings


def count_openings(body: bytes, tags: Tags, start: int, end: int, search: ByteSearch) -> int:
    """Count the opening tags of one name between two offsets, and none of names that merely begin alike."""
    literal = tags.start
    openings = search.count(body, literal, start, end)
    if not openings:
        return 0
    # nearly every tag goes on with a space or ends there, and counting is quicker than looking at each
    plain = search.count(body, tags.spaced, start, end) + search.count(body, tags.closed, start, end)
    if plain == openings:
        return openings
    openings, at = 0, search.find(body, literal, start)
    while 0 <= at < end:
        openings += _ends_name(body, at + len(literal))
        at = search.find(body, literal, at + 1)
    return openings


def _ends_name(body: bytes, at: int) -> bool:
    return body[at : at + 1] in _AFTER_NAME


def cut_hinted(body: bytes, rule: TagRule, search: ByteSearch = DEFAULT_SEARCH, *, check: bool = False) -> CutResult:
    """Cut the elements with the opening tag of `rule`, using its hints.

    With `check` an end that came from a hint is believed only when as many opening as closing tags of the name lie
    before it; otherwise, and where a hint finds no end, the tags are counted as in the simple way. Whole elements too
    many pass that check: only a marker that stands nowhere inside or behind the element's siblings is safe.
    """
    tags = resolve_tags(rule.opening)
    first = start = find_opening(body, rule.opening, tags, rule.starting_position, search)
    second = start < 0 < rule.starting_position
    if second:
        first = start = find_opening(body, rule.opening, tags, 0, search)
    ranges: list[tuple[int, int]] = []
    inner: int | None = None
    while start >= 0:
        end, openings = _find_end(body, rule, tags, start, search, check)
        if end < 0:
            # no element further on can be closed either, so searching on would only cost time
            return CutResult(ranges, first, second, inner, len(ranges) if rule.repetition else None, True)
        ranges.append((start, end))
        inner = openings if len(ranges) == 1 or inner == openings else UNKNOWN
        if not rule.repetition:
            return CutResult(ranges, first, second, inner)
        start = find_opening(body, rule.opening, tags, end, search)
    return CutResult(ranges, first, second, inner, len(ranges))


def _find_end(
    body: bytes, rule: TagRule, tags: Tags, start: int, search: ByteSearch, check: bool
) -> tuple[int, int | None]:
    """Return the end of an element, or -1, and the opening tags in it where they were counted."""
    if rule.end_marker:
        at = search.find(body, rule.end_marker, start)
        end = at + len(tags.end) if at >= 0 else -1
    elif rule.inner_tag_count > 0:
        end = skip_closings(body, tags, start, rule.inner_tag_count, search)
    else:
        return balance(body, tags, start, search)
    if end < 0 or (check and not is_balanced(body, tags, start, end, search)):
        return balance(body, tags, start, search)
    return end, None


def skip_closings(body: bytes, tags: Tags, start: int, closings: int, search: ByteSearch) -> int:
    """Return the offset after so many closing tags, or -1 where the page has fewer."""
    find, closing, end = search.find, tags.end, start
    for _ in range(closings):
        at = find(body, closing, end)
        if at < 0:
            return -1
        end = at + len(closing)
    return end


def is_balanced(body: bytes, tags: Tags, start: int, end: int, search: ByteSearch) -> bool:
    """Say whether a range holds as many opening as closing tags of its element's name."""
    if tags.end == b">":
        return True
    return count_openings(body, tags, start, end, search) == search.count(body, tags.end, start, end)
