"""Choose elements of a site to time: its pages come in, unique opening tags with their best hints go out.

Algorithm 4 of UzunExt, turned round: instead of walking up from an element to a unique opening tag, all opening tags
that are unique on the pages of the site are listed, and of each group of tags a small and a large element is taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from bench.parsers import Wanted, read_wanted
from bench.sites import SitePages
from scythe.page.map import IMPLIED, Node, PageMap
from scythe.site.papers.string_search import UNKNOWN, VOID, CutResult, TagRule, cut_simple, resolve_tags

GROUPS = dict.fromkeys(("article", "section", "table", "fieldset", "main"), "ASTFM")
GROUPS |= dict.fromkeys(("h1", "h2", "h3", "header"), "H") | dict.fromkeys(("p", "span", "ul"), "p, span, ul")
GROUPS["div"] = "div"
LEARNED_PAGES = 10  # what the end marker is learned on, and the paper's prediction
VALUE_BYTES = 500  # an element up to this size is a value: title, price, date
BODY_BYTES = 2_000  # from this size on it is a body
MOST_OF_PAGE = 0.5  # an element beyond is the page itself
PRESENT = 0.9  # of the pages
MARKER_BYTES = 80  # the longest end marker tried
CONTEXT_BYTES = 60  # to the left of the tag, for the second rule
TAG_BYTES = 300

_START = re.compile(rb"<([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z-]+=(?:\"[^\"<>]*\"|'[^'<>]*'))*)\s*>")
_TAG = re.compile(rb"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One opening tag that is unique on the pages of a site, with the best hints for it."""

    site: str
    category: str
    group: str  # ASTFM, div, H or "p, span, ul"
    rule: TagRule  # hints as constants, from all pages; the end marker from the first ten
    left: bytes  # what stands before the tag on the first ten pages, where that is the same and unique; or nothing
    wanted: Wanted
    bytes_mean: float
    size: str  # value, middle or body
    ranges: tuple[tuple[int, int] | None, ...]  # on each page, by the simple way
    texts: tuple[str | None, ...] = ()  # on each page, by the tree, without white space


def choose_patterns(site: SitePages) -> list[Pattern]:
    """Return up to two patterns per group of tags, the smaller elements first."""
    found = [pattern for opening in _unique_openings(site.bodies) if (pattern := _describe(site, opening))]
    found.sort(key=lambda pattern: (pattern.group, pattern.bytes_mean, pattern.rule.opening))
    chosen = []
    for _, group in groupby(found, key=lambda pattern: pattern.group):
        patterns = list(group)
        chosen += [patterns[0]] if len(patterns) == 1 else [patterns[0], patterns[-1]]
    return _add_texts(site, chosen)


def _add_texts(site: SitePages, patterns: list[Pattern]) -> list[Pattern]:
    """Look up in the trees of all pages what the elements hold: what a cut is judged by."""
    texts: list[list[str | None]] = [[] for _ in patterns]
    for number, body in enumerate(site.bodies):
        page, rows = PageMap(body), rows_by_offset(body)
        for found, pattern in zip(texts, patterns, strict=True):
            place = pattern.ranges[number]
            row = rows.get(place[0]) if place else None
            found.append(bare_text(page.element(row)) if row is not None else None)
    return [replace(pattern, texts=tuple(found)) for pattern, found in zip(patterns, texts, strict=True)]


def rows_by_offset(body: bytes) -> dict[int, int]:
    """Return the elements of a page by the place of their opening tag."""
    page = PageMap(body)
    tagged = page.flags & IMPLIED == 0
    return {int(start): row for row, start in enumerate(page.start.tolist()) if tagged[row]}


def bare_text(node: Node) -> str:
    """Return the text of an element without white space, which parsing a piece alone may change."""
    return "".join(node.text(deep=True).split())


def _unique_openings(bodies: Sequence[bytes]) -> list[bytes]:
    """Return the opening tags that no page has twice and nearly every page has."""
    pages: Counter[bytes] = Counter()
    repeated: set[bytes] = set()
    for body in bodies:
        counts = Counter(match[0] for match in _START.finditer(body) if len(match[0]) <= TAG_BYTES)
        pages.update(counts.keys())
        repeated.update(tag for tag, count in counts.items() if count > 1)
    enough = max(2, PRESENT * len(bodies))
    return [tag for tag, count in pages.items() if count >= enough and tag not in repeated]


def _describe(site: SitePages, opening: bytes) -> Pattern | None:
    """Cut the element from every page and keep what is the same; None where it is no element worth timing."""
    match = _START.match(opening)
    name = match[1].decode().lower() if match else ""
    if name not in GROUPS or match is None or match[1].lower() in VOID:
        return None
    results = [cut_simple(body, TagRule(opening)) for body in site.bodies]
    if any(found.unclosed or len(found.ranges) > 1 for found in results):
        return None
    ranges = tuple(found.ranges[0] if found.ranges else None for found in results)
    lengths = [end - start for start, end in filter(None, ranges)]
    if not _is_worth_timing(site.bodies, ranges) or not _is_true(site.bodies, ranges):
        return None
    return Pattern(
        site=site.name,
        category=site.category,
        group=GROUPS[name],
        rule=_learn_rule(site.bodies, opening, results),
        left=_learn_left(_learned(site.bodies, ranges), resolve_tags(opening).start),
        wanted=read_wanted(opening),
        bytes_mean=sum(lengths) / len(lengths),
        size=_size(median(lengths)),
        ranges=ranges,
    )


def _size(length: float) -> str:
    if length <= VALUE_BYTES:
        return "value"
    return "body" if length >= BODY_BYTES else "middle"


def _learned(bodies: Sequence[bytes], ranges: Sequence[tuple[int, int] | None]) -> list[tuple[bytes, tuple[int, int]]]:
    pairs = ((body, place) for body, place in zip(bodies, ranges, strict=True) if place is not None)
    return [pair for pair, _ in zip(pairs, range(LEARNED_PAGES), strict=False)]


def _is_worth_timing(bodies: Sequence[bytes], ranges: Sequence[tuple[int, int] | None]) -> bool:
    """Say whether the element has text that differs between pages and is not the whole page."""
    texts = [_TAG.sub(b"", body[start:end]).strip() for body, (start, end) in _learned(bodies, ranges)]
    shares = [(end - start) / len(body) for body, (start, end) in _learned(bodies, ranges)]
    return min(map(len, texts)) > 0 and len(set(texts)) > 1 and max(shares) <= MOST_OF_PAGE


def _is_true(bodies: Sequence[bytes], ranges: Sequence[tuple[int, int] | None]) -> bool:
    """Say whether the tree of the first pages has an element there: no comment, no script."""
    return all(start in rows_by_offset(body) for body, (start, _) in _learned(bodies, ranges)[:2])


def _learn_rule(bodies: Sequence[bytes], opening: bytes, results: Sequence[CutResult]) -> TagRule:
    counts = {found.inner_tags for found in results if found.ranges}
    inner = counts.pop() if len(counts) == 1 else UNKNOWN
    return TagRule(
        opening,
        starting_position=min(found.first for found in results if found.ranges),
        inner_tag_count=UNKNOWN if inner is None else inner,
        repetition=False,
        end_marker=learn_end_marker(bodies, opening, results),
    )


def learn_end_marker(bodies: Sequence[bytes], opening: bytes, results: Sequence[CutResult]) -> bytes:
    """Return the shortest bytes that begin with the closing tag and mark the end on the first ten pages, or none."""
    closing = len(resolve_tags(opening).end)
    learned = [(body, found.ranges[0]) for body, found in zip(bodies, results, strict=True) if found.ranges]
    learned = learned[:LEARNED_PAGES]
    tails = [body[end - closing : end + MARKER_BYTES] for body, (_, end) in learned]
    tail = _common_prefix(tails)
    for length in range(closing, len(tail) + 1):
        if all(body.find(tail[:length], start) == end - closing for body, (start, end) in learned):
            return tail[:length]
    return b""


def _learn_left(learned: Sequence[tuple[bytes, tuple[int, int]]], start_tag: bytes) -> bytes:
    """Return the bytes before the tag that are the same on all pages, if they and the tag's name stand there only."""
    left = _common_suffix(body[max(0, place[0] - CONTEXT_BYTES) : place[0]] for body, place in learned)
    return left if left and all(body.count(left + start_tag) == 1 for body, _ in learned) else b""


def _common_prefix(texts: Iterable[bytes]) -> bytes:
    low, high = min(texts := list(texts)), max(texts)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), min(len(low), len(high)))
    return low[:same]


def _common_suffix(texts: Iterable[bytes]) -> bytes:
    return _common_prefix(text[::-1] for text in texts)[::-1]
