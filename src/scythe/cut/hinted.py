"""Cut elements with the help of hints: a page and a rule with hints come in, byte ranges go out.

This is UzunExt as published (Uzun 2020, Algorithms 1 and 2): the search begins at a learned position and once more at
the start where that was too far, a known number of inner tags saves counting them, a tag that does not repeat ends the
search. The end marker, literal bytes that follow the element on every page, is ours: one search finds the end.
"""

from __future__ import annotations

from scythe.cut.search import Search
from scythe.cut.simple import (
    DEFAULT_SEARCH,
    UNKNOWN,
    Found,
    TagRule,
    Tags,
    balance,
    count_openings,
    find_opening,
    resolve_tags,
)


def cut_hinted(body: bytes, rule: TagRule, search: Search = DEFAULT_SEARCH, *, check: bool = False) -> Found:
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
            return Found(ranges, first, second, inner, len(ranges) if rule.repetition else None, True)
        ranges.append((start, end))
        inner = openings if len(ranges) == 1 or inner == openings else UNKNOWN
        if not rule.repetition:
            return Found(ranges, first, second, inner)
        start = find_opening(body, rule.opening, tags, end, search)
    return Found(ranges, first, second, inner, len(ranges))


def _find_end(
    body: bytes, rule: TagRule, tags: Tags, start: int, search: Search, check: bool
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


def skip_closings(body: bytes, tags: Tags, start: int, closings: int, search: Search) -> int:
    """Return the offset after so many closing tags, or -1 where the page has fewer."""
    find, closing, end = search.find, tags.end, start
    for _ in range(closings):
        at = find(body, closing, end)
        if at < 0:
            return -1
        end = at + len(closing)
    return end


def is_balanced(body: bytes, tags: Tags, start: int, end: int, search: Search) -> bool:
    """Say whether a range holds as many opening as closing tags of its element's name."""
    if tags.end == b">":
        return True
    return count_openings(body, tags, start, end, search) == search.count(body, tags.end, start, end)
