"""Parse HTML with lexbor in linear time, whatever the page contains.

lexbor is quadratic in attributes, unknown names, nesting and unclosed formatting. Small, plain or properly nested pages
are recognised quickly and parsed as they are; all others are rewritten first.
"""

from __future__ import annotations

import re
from typing import TypeAlias

import numpy as np
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from scythe.extension import native
from scythe.limits import LIMITS
from scythe.model import Loss
from scythe.page.attribute_limits import has_many_names
from scythe.page.rewrite import count_attributes, rewrite

Places: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]

_QUOTE, _APOSTROPHE = 34, 39
_LESS_THAN = 60
_OTHER, _DRESSED, _BARE, _UNSURE, _PAGE = range(5)  # kinds of start tag, by their first two bytes
_NAMED_FORMATTING = re.compile(rb"<(?:big|code|em|font|nobr|small|strike|strong|tt)([\t\n\f\r />])", re.I)
_NAMES_BYTES = 16_000  # a shorter page has room for some 4 500 names, which cost 20 ms at worst
_EQUAL_FORMATTING = 3 * 13  # of equal ones the standard re-opens three


def _kinds_by_start() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    kinds = np.zeros(65_536, np.uint8)
    for letter in b"bisu":
        kinds[[letter << 8 | after | 32 for after in b"\t\n\f\r /"]] = _DRESSED
        kinds[letter << 8 | 62] = _BARE
    kinds[[a << 8 | b for a, b in (b"bi", b"co", b"em", b"fo", b"no", b"sm", b"st", b"tt")]] = _UNSURE
    kinds[[a << 8 | b for a, b in (b"ht", b"bo")]] = _PAGE
    return kinds


_KINDS = _kinds_by_start()


def is_plain(source: bytes) -> bool:
    """Say whether nothing in a page can make the tree builder slow. Costs about 0.2 ms for 300 KB."""
    return _has_plain_tags(source) and not (len(source) > _NAMES_BYTES and has_many_names(source))


def _has_plain_tags(source: bytes) -> bool:
    """Say whether tags are few, and none has too many attributes."""
    if _is_short(source):
        return True
    octets = np.frombuffer(source, np.uint8)
    opened = np.flatnonzero(octets[:-2] == _LESS_THAN)
    first = octets[opened + 1] | 32
    is_start = (first >= 97) & (first <= 122)
    places, first = opened[is_start], first[is_start]
    if len(places) > LIMITS.plain_tags:
        return False
    kinds = _KINDS[first.astype(np.uint16) << 8 | octets[places + 2] | 32]
    counts = np.bincount(kinds, minlength=5)
    formatting = _count_formatting(source, places[kinds == _UNSURE], int(counts[_DRESSED]), int(counts[_BARE]))
    if formatting * len(places) > LIMITS.plain_formatting or counts[_PAGE] > LIMITS.tag_attributes:
        return False
    before = octets[opened - 1]
    if np.count_nonzero((before == _QUOTE) | (before == _APOSTROPHE)) > LIMITS.tag_attributes:
        return False  # values that begin like tags may hide how many there are
    return not _has_crowded_tag(source, opened)


def _is_short(source: bytes) -> bool:
    """Say whether there are so few tags, all of them short, that none of the bounds can be reached."""
    most = LIMITS.tag_attributes
    if source.count(b"<") > most or most * most > LIMITS.plain_formatting or most > LIMITS.plain_tags:
        return False
    return max(map(len, source.split(b"<"))) < 2 * most


def _count_formatting(source: bytes, unsure: Places, dressed: int, bare: int) -> int:
    """Return how many formatting elements the builder might keep to re-open."""
    for place in unsure.tolist():
        match = _NAMED_FORMATTING.match(source, place)
        if match:
            bare += match[1] == b">"
            dressed += match[1] != b">"
    return dressed + min(bare, _EQUAL_FORMATTING)


def _has_crowded_tag(source: bytes, places: Places) -> bool:
    """Say whether a tag has too many attributes or bytes; `places` are those of `<`.

    Values that hide both `<` and `>` in quotes would need a full scan to see through: docs/why/limits.md.
    """
    shortest = 2 * LIMITS.tag_attributes  # bytes that so many attributes take
    ends = np.append(places[1:], len(source))
    is_long = ends - places > shortest
    for start, end in zip(places[is_long].tolist(), ends[is_long].tolist(), strict=True):
        if source[start + 1] in b"!?":
            continue
        close = source.find(b">", start, end)
        tag = source[start : close if close >= 0 else end]
        if len(tag) > LIMITS.tag_bytes or (len(tag) > shortest and count_attributes(tag) > LIMITS.tag_attributes):
            return True
    return False


COMPILED = native


def parse(source: bytes) -> tuple[LexborHTMLParser, tuple[Loss, ...]]:
    """Build the tree of a page."""
    losses: tuple[Loss, ...] = ()
    if not is_plain(source) and not is_orderly(source):
        source, losses = rewrite(source)
    # events keep <selectedcontent> in step with <option>, which is quadratic in options and no use to a reader
    return LexborHTMLParser(source, options=LexborDocumentOptions.WO_EVENTS), losses


def is_orderly(source: bytes) -> bool:
    """Say whether a page opens and closes its elements so that rewriting would change nothing; no where unsure."""
    if COMPILED is None:
        return False
    bounds = (LIMITS.depth, LIMITS.open_formatting, LIMITS.tag_attributes, LIMITS.tag_bytes, LIMITS.page_tags)
    orderly: bool = COMPILED.is_orderly(source, *bounds, LIMITS.tag_names, LIMITS.attribute_names)
    return orderly
