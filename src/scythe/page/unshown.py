"""Open what a page holds but does not show: copies in `<noscript>` and `<template>`, and declarative shadow trees.

Some applications send their content only there. An element is opened by writing `div` over its name: every other byte
stays where it is, so all offsets hold. A copy that mostly repeats what the page shows, or that is short beside it,
stays closed; a shadow tree is shown by every browser and is always opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from scythe.limits import LIMITS
from scythe.page.blocks import read_blocks

if TYPE_CHECKING:
    from scythe.page.map import PageMap
    from scythe.page.tree_map import TreeMap

try:
    from stringzilla import find
except ImportError:  # pragma: no cover  (a platform without its wheel)
    find = bytes.find

NOSCRIPT, TEMPLATE = b"noscript", b"template"
_SHADOW = (b"shadowrootmode=", b"shadowroot=")
_TAG_BYTES = 1_000  # of an opening tag that is looked into
_WORD = re.compile(r"\w+")
_TAG = re.compile(rb"<[^>]*>")
_LEAST_BYTES = 400  # of a copy
_LEAST_WORDS = 60
_LEAST_SHARE = 0.3  # of the words that the page shows: less is a notice or a fallback for one part
_TEMPLATE_SHARE = 3.0  # a template is content only where hardly anything else is
_NEW = 0.6  # of the runs of three words are shown nowhere else

Map = TypeVar("Map", bound="PageMap | TreeMap")
Part = tuple[int, int]  # where an element starts and where its closing tag does


def map_whole(made: Map, make_map: Callable[[bytes], Map]) -> Map:
    """Return the map of a page with its shadow trees, and the copies that hold what it does not show, opened."""
    source = made.source
    copies: list[tuple[bytes, Part]] = []
    for name in (NOSCRIPT, TEMPLATE):
        if find(source, b"<" + name) >= 0:
            if name == TEMPLATE and (shadows := shadow_parts(source)):
                source = opened(source, shadows)
            copies += [(name, part) for part in parts_of(source, name)]
    made = make_map(source) if source is not made.source else made
    texts = [read_blocks(make_map(inside(source, part))).text for _, part in copies]
    if not any(map(holds_enough, texts)):
        return made
    shown, parts = read_blocks(made).text, []
    for (name, part), copy in zip(copies, texts, strict=True):
        if holds_enough(copy) and is_content(copy, shown, is_template=name == TEMPLATE):
            parts.append(part)
            shown = shown + copy
    return make_map(opened(source, parts)) if parts else made


def parts_of(source: bytes, name: bytes) -> list[Part]:
    """Return the elements of a name that have a closing tag and are no shorter than a copy would be."""
    opening, closing = b"<" + name, b"</" + name
    parts: list[Part] = []
    at = find(source, opening)
    while at >= 0 and len(parts) < LIMITS.copies:
        end = source.find(closing, at + len(opening))
        if end < 0:
            break
        if end - at >= _LEAST_BYTES and len(_TAG.sub(b"", source[at:end])) >= _LEAST_BYTES:
            parts.append((at, end))
        at = source.find(opening, end)
    return parts


def shadow_parts(source: bytes) -> list[Part]:
    """Return the templates that browsers show as the shadow tree of the element around."""
    if all(find(source, mark) < 0 for mark in _SHADOW):
        return []
    open_: list[int] = []
    parts: list[Part] = []
    for at, closes in _template_tags(source):
        if not closes:
            open_.append(at)
        elif open_:
            start = open_.pop()
            tag = source[start : min(max(source.find(b">", start), start), start + _TAG_BYTES)]
            if any(mark in tag for mark in _SHADOW):
                parts.append((start, at))
    return parts


def _template_tags(source: bytes) -> Iterator[tuple[int, bool]]:
    at = source.find(TEMPLATE)
    seen = 0
    while at >= 0 and seen < LIMITS.template_tags:
        if source[at - 1 : at] == b"<":
            yield at - 1, False
            seen += 1
        elif source[at - 2 : at] == b"</":
            yield at - 2, True
            seen += 1
        at = source.find(TEMPLATE, at + 1)


def opened(source: bytes, parts: Iterable[Part]) -> bytes:
    """Return the source with these elements as boxes, as long as before."""
    changed = bytearray(source)
    for start, end in parts:
        changed[start : start + 9] = b"<div     "
        changed[end : end + 10] = b"</div     "
    return bytes(changed)


def inside(source: bytes, part: Part) -> bytes:
    """Return the HTML between the tags of an element."""
    start = source.find(b">", part[0], part[1]) + 1
    return source[start : part[1]] if start else b""


def holds_enough(texts: list[str]) -> bool:
    """Say whether a copy has so many words that it could be content."""
    return len(_words(texts)) >= _LEAST_WORDS


def is_content(copy: list[str], shown: list[str], *, is_template: bool) -> bool:
    """Say whether a copy holds text that the page does not show, and not little of it."""
    held, seen = _words(copy), _words(shown)
    if len(held) < (_TEMPLATE_SHARE if is_template else _LEAST_SHARE) * len(seen):
        return False
    runs = _runs(held)
    return len(runs - _runs(seen)) > _NEW * len(runs)


def _words(texts: list[str]) -> list[str]:
    return list(islice((word for text in texts for word in _WORD.findall(text.lower())), LIMITS.compared_words))


def _runs(words: list[str]) -> set[tuple[str, str, str]]:
    return set(zip(words, words[1:], words[2:], strict=False))
