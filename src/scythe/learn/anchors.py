"""Propose rules that lead to an element: a page and the element come in, rules worth trying on other pages go out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scythe.learn.literals import (
    common_prefix,
    common_suffix,
    name_of,
    occurs_once,
    shorter_prefixes,
    stable_prefix,
    steady_prefix,
)
from scythe.page.follow import span_of
from scythe.page.source import MARK, RAW, Opening, Source, is_bare, matches, tag_end
from scythe.rules import Rule, Way

_CONTEXT = 240  # bytes to the left that are compared
_TAGS_BACK = 80  # opening tags before the target that are looked at, and ...
_TAGS_AHEAD = 50  # ... behind it
_FAR = 20_000  # bytes between anchor and target at most
_LABEL = (2, 60)  # bytes
_PER_KIND = 4  # anchors proposed at most
_NTH = 40  # of a step at most: farther counting breaks with the first row that a page lacks
_TEXT_RUN = re.compile(rb"(?:^|>)([^<>]+)")
_LETTER = re.compile(rb"[A-Za-z\x80-\xff]{2}")
_OWN_TEXT = 60  # bytes behind the target's own tag that may be a label
_WORDS_BEHIND = re.compile(rb"\s*[A-Za-z\x80-\xff][^<>]*(?:</[^<>]*>|[:\s])")
_TELLING = re.compile(rb"[^\s<>/]{3}")


class Spot(NamedTuple):
    """A target on its page: which opening tag it is, and where what is taken there ends."""

    source: Source
    at: int  # index into source.openings
    end: int  # byte offset

    @property
    def offset(self) -> int:
        return self.source.offsets[self.at]

    @property
    def tag(self) -> bytes:
        return self.source.body[self.offset : tag_end(self.source.body, self.offset)]


def spot_of(source: Source, offset: int, take: str) -> Spot | None:
    """Return the target at an offset, or None where no rule may lead to it."""
    opening = source.at(offset)
    if opening is None or not opening.shown:
        return None
    end = span_of(source, opening, Way(take, ()))[1]
    return Spot(source, bisect_left(source.offsets, offset), end)


def propose_rules(spots: Sequence[Spot], refs: Sequence[Spot]) -> list[Rule]:
    """Return candidate rules seen from each of `refs`, which are some of `spots`; nothing is verified yet."""
    own = stable_prefix([spot.tag for spot in spots])
    bodies = [spot.source.body for spot in spots]
    steps = tuple(dict.fromkeys((name_of(own), own)))  # by which tags are counted up to the target
    found: dict[Rule, None] = {}
    for literal in (own, *shorter_prefixes(own)):
        found[Rule("tag", literal)] = None
    for rule in (*_contexts(spots, own), *_own_texts(spots)):
        found[rule] = None
    for ref in refs:
        for rule in (*_tags_before(ref, bodies, steps), *_labels(ref, bodies, steps), *_ahead(ref, bodies, steps)):
            found[rule] = None
    return list(found)


def _contexts(spots: Sequence[Spot], own: bytes) -> Iterator[Rule]:
    """Propose the bytes to the left with the tag, as few as are unique on every page."""
    left = [spot.source.body[max(0, spot.offset - _CONTEXT) : spot.offset] for spot in spots]
    shared = common_suffix(left)
    starts = [found.start() for found in re.finditer(rb"<|(?<=>)[^<\s]", shared)]
    bodies = [spot.source.body for spot in spots]
    for tag in dict.fromkeys((name_of(own), own)):
        known = 0
        for start in reversed(starts):
            anchor = shared[start:] + tag
            if not _TELLING.search(shared[start:]) or not all(occurs_once(body, anchor) for body in bodies):
                continue
            yield Rule("before", anchor, skip=len(anchor) - len(tag))
            known += 1
            if known == 2:
                break


def _own_texts(spots: Sequence[Spot]) -> Iterator[Rule]:
    """Propose the tag with the text that it begins with, or, where the text behind it is wanted, that it holds."""
    tags = [spot.tag for spot in spots]
    sizes = [len(tag) + _OWN_TEXT for tag in tags]
    shared = common_prefix(
        [spot.source.body[spot.offset : spot.offset + size] for spot, size in zip(spots, sizes, strict=True)]
    )
    start = len(tags[0])
    if len(spots) == 1:
        shared = shared[: shared.find(b":", start) + 1]
    found = _WORDS_BEHIND.match(shared, start) if shared.startswith(tags[0]) else None
    if found is None:
        return
    yield Rule("tag", shared[: found.end()])
    label = found[0].strip()
    if all(occurs_once(spot.source.body, label) for spot in spots):
        yield Rule("label", label, step=name_of(tags[0]), nth=-1, reach=len(tags[0]) + 2 * _OWN_TEXT)


def _tags_before(ref: Spot, bodies: Sequence[bytes], steps: Sequence[bytes]) -> Iterator[Rule]:
    """Propose unique opening tags in front of the target: those around it (Algorithm 4 of the paper) and others."""
    source = ref.source
    around = _ancestors(source, source.openings[ref.at])
    left = {"inside": _PER_KIND, "after": _PER_KIND}
    nearby = range(ref.at - 1, max(-1, ref.at - 1 - _TAGS_BACK), -1)
    far = sorted((i for i in around if i < ref.at - _TAGS_BACK), reverse=True)
    for i in (*nearby, *far):
        kind = "inside" if i in around else "after"
        if not left[kind] or not source.openings[i].shown:
            continue
        anchor = _unique_tag(source, i, bodies)
        if anchor:
            yield from _count_to(ref, kind, anchor, source.offsets[i], steps)
            left[kind] -= 1


def _ahead(ref: Spot, bodies: Sequence[bytes], steps: Sequence[bytes]) -> Iterator[Rule]:
    """Propose unique literals behind the target, from which tags are counted backwards."""
    source = ref.source
    left = _PER_KIND
    first = bisect_left(source.offsets, ref.end)
    for i in range(first, min(len(source.openings), first + _TAGS_AHEAD)):
        if source.openings[i].shown and (anchor := _unique_tag(source, i, bodies)):
            yield from _count_to(ref, "ahead", anchor, source.offsets[i], steps)
            left -= 1
        for start, anchor in _unique_texts(source, i, bodies, ref.end):
            yield from _count_to(ref, "ahead", anchor, start, steps)
            left -= 1
        if left <= 0:
            return


def _labels(ref: Spot, bodies: Sequence[bytes], steps: Sequence[bytes]) -> Iterator[Rule]:
    """Propose texts in front of the target that stand on every page once."""
    source = ref.source
    left = _PER_KIND
    for i in range(ref.at - 1, max(-1, ref.at - 1 - _TAGS_BACK), -1):
        for start, anchor in reversed(_unique_texts(source, i, bodies, 0)):
            yield from _count_to(ref, "label", anchor, start, steps)
            left -= 1
        if left <= 0:
            return


def _unique_tag(source: Source, i: int, bodies: Sequence[bytes]) -> bytes:
    """Return the part of an opening tag that is stable and unique on all pages, or nothing."""
    offset = source.offsets[i]
    tag = steady_prefix(source.body[offset : tag_end(source.body, offset)])
    if not occurs_once(source.body, tag):
        return b""
    for literal in (tag, *shorter_prefixes(tag)):
        if not occurs_once(source.body, literal):
            return b""
        if all(literal in body for body in bodies):
            return literal if not is_bare(literal) or name_of(literal) in (b"<h1", b"<main", b"<article") else b""
    return b""


def _unique_texts(source: Source, i: int, bodies: Sequence[bytes], floor: int) -> list[tuple[int, bytes]]:
    """Return texts behind the i-th opening tag and before the next that stand once on the page, with their offsets."""
    opening = source.openings[i]
    if not opening.shown or opening.name in RAW:
        return []
    start = tag_end(source.body, opening.offset)
    stop = source.offsets[i + 1] if i + 1 < len(source.offsets) else len(source.body)
    found: list[tuple[int, bytes]] = []
    for run in _TEXT_RUN.finditer(source.body[start : min(stop, start + 2_000)]):
        text = run[1].strip()
        at = start + run.start(1) + run[1].find(text)
        if at < floor or not _LABEL[0] <= len(text) <= _LABEL[1] or not _LETTER.search(text):
            continue
        anchor = _unique_text(source, opening, at, text, bodies)
        if anchor:
            found.append(anchor)
    return found


def _unique_text(
    source: Source, opening: Opening, at: int, text: bytes, bodies: Sequence[bytes]
) -> tuple[int, bytes] | None:
    """Return a text alone, with its closing tag or with its opening tag, whichever is unique first."""
    body = source.body
    close = body.find(b">", at + len(text)) + 1
    tries = [(at, text)]
    if body[at + len(text) : close].startswith(b"</"):
        tries.append((at, body[at:close]))
    if at - opening.offset < 80:
        tries.append((opening.offset, body[opening.offset : max(close, at + len(text))]))
    for start, anchor in tries:
        if occurs_once(body, anchor) and all(anchor in other for other in bodies):
            return start, anchor
    return None


def _count_to(ref: Spot, kind: str, anchor: bytes, start: int, steps: Sequence[bytes]) -> Iterator[Rule]:
    """Count from an anchor to the target by each step; the one with the lowest count is the sturdiest."""
    source = ref.source
    distance = abs(ref.offset - start)
    if distance > _FAR and kind != "inside":
        return
    backwards = start > ref.offset
    low = bisect_left(source.offsets, start if not backwards else ref.offset)
    high = bisect_left(source.offsets, ref.offset + 1 if not backwards else start)
    least = _NTH + 1
    for step in steps:
        nth = sum(
            1
            for i in range(low, high)
            if source.offsets[i] != start and source.openings[i].shown and matches(source.body, source.offsets[i], step)
        )
        if 0 < nth < least:
            yield Rule(kind, anchor, step=step, nth=-nth if backwards else nth, reach=3 * distance + 1_000)
            least = nth
        if nth == 1:
            return


def _ancestors(source: Source, opening: Opening) -> frozenset[int]:
    """Return the indices of the elements around one."""
    found: list[int] = []
    node = opening.node.parent
    while node is not None:
        mark = node.attributes.get(MARK) if not (node.tag or "-").startswith(("-", "!")) else None
        if mark and mark.isdecimal() and source.at(int(mark)):
            found.append(bisect_left(source.offsets, int(mark)))
        node = node.parent
    return frozenset(found)
