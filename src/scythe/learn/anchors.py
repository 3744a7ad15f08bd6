"""Propose rules that lead to an element: the element on several pages comes in, rules worth trying go out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from scythe.learn.labels import texts_behind
from scythe.learn.literals import common_suffix, name_of, occurs_once, shorter_prefixes, steady_prefix
from scythe.learn.spots import Spot, Target
from scythe.page.source import MARK, Opening, Source, is_bare, matches, tag_end
from scythe.rules import Rule

_CONTEXT = 240  # bytes to the left that are compared
_TAGS_BACK = 80  # opening tags before the target that are looked at, and ...
_TAGS_AHEAD = 50  # ... behind it
_FAR = 20_000  # bytes between anchor and target at most
_PER_KIND = 4  # anchors proposed at most
_NTH = 40  # of a step at most: farther counting breaks with the first row that a page lacks
_TELLING = re.compile(rb"[^\s<>/]{3}")
_TOKEN = re.compile(rb"<|(?<=>)[^<\s]")
_SINGLE = (b"<h1", b"<main", b"<article")  # names that are telling without an attribute


def propose_rules(target: Target, refs: Sequence[Spot]) -> list[Rule]:
    """Return candidate rules seen from each of `refs`, which are some of the spots; nothing is verified yet."""
    found: dict[Rule, None] = {}
    for literal in (target.own, steady_prefix(target.own), *shorter_prefixes(target.own), target.own_text):
        if literal:
            found[Rule("tag", literal)] = None
    for rule in (*_contexts(target), *_own_label(target)):
        found[rule] = None
    for ref in refs:
        for rule in (*_tags_before(ref, target), *_labels(ref, target), *_ahead(ref, target)):
            found[rule] = None
    return list(found)


def _contexts(target: Target) -> Iterator[Rule]:
    """Propose the bytes to the left with the tag, as few as are unique on every page."""
    shared = common_suffix([spot.source.body[max(0, spot.offset - _CONTEXT) : spot.offset] for spot in target.spots])
    starts = [found.start() for found in _TOKEN.finditer(shared)]
    bodies = target.bodies
    for tag in target.steps:
        known = 0
        first = True
        for start in reversed(starts):
            anchor = shared[start:] + tag
            if not target.is_steady(shared[start:]):
                break
            if not _TELLING.search(shared[start:]):
                continue
            once = all(occurs_once(body, anchor) for body in bodies)
            if once or first:  # the first may be right where others follow it
                yield Rule("before", anchor, skip=len(anchor) - len(tag))
            first = False
            known += once
            if known == 2:
                break


def _own_label(target: Target) -> Iterator[Rule]:
    """Propose the label that stands in the target itself, from which it is one tag back."""
    size = len(target.spots[0].tag)
    label = target.own_text[size:].strip()
    if label:
        yield Rule("label", label, step=name_of(target.own), nth=-1, reach=size + 2 * len(label) + 20)


def _tags_before(ref: Spot, target: Target) -> Iterator[Rule]:
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
        anchor = _unique_tag(source, i, target)
        if anchor:
            yield from _count_to(ref, kind, anchor, source.offsets[i], target.steps)
            left[kind] -= 1


def _ahead(ref: Spot, target: Target) -> Iterator[Rule]:
    """Propose unique literals behind the target, from which tags are counted backwards."""
    source = ref.source
    left = _PER_KIND
    first = bisect_left(source.offsets, ref.end)
    for i in range(first, min(len(source.openings), first + _TAGS_AHEAD)):
        if source.openings[i].shown and (anchor := _unique_tag(source, i, target)):
            yield from _count_to(ref, "ahead", anchor, source.offsets[i], target.steps)
            left -= 1
        for start, anchor in texts_behind(source, i, target):
            yield from _count_to(ref, "ahead", anchor, start, target.steps)
            left -= 1
        if left <= 0:
            return


def _labels(ref: Spot, target: Target) -> Iterator[Rule]:
    """Propose texts in front of the target that stand on every page once; the nearest may stand there again."""
    source = ref.source
    left = _PER_KIND
    nearest = True
    for i in range(ref.at - 1, max(-1, ref.at - 1 - _TAGS_BACK), -1):
        for start, anchor in reversed(texts_behind(source, i, target, again=nearest)):
            yield from _count_to(ref, "label", anchor, start, target.steps)
            left -= 1
            nearest = False
        if left <= 0:
            return


def _unique_tag(source: Source, i: int, target: Target) -> bytes:
    """Return the part of an opening tag that is stable and unique on the pages, or nothing."""
    offset = source.offsets[i]
    tag = steady_prefix(source.body[offset : tag_end(source.body, offset)])
    for literal in (tag, *shorter_prefixes(tag)):
        if not occurs_once(source.body, literal):
            return b""
        if target.is_common(literal):
            return literal if not is_bare(literal) or name_of(literal) in _SINGLE else b""
    return b""


def _count_to(ref: Spot, kind: str, anchor: bytes, start: int, steps: Sequence[bytes]) -> Iterator[Rule]:
    """Count from an anchor to the target by each step, as long as a more telling one lowers the count."""
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
        named = kind in ("inside", "label") and not is_bare(step)
        if 0 < nth < least or (nth and (named or b">" in step[:-1])):  # a step with a name or a text is surer
            yield Rule(kind, anchor, step=step, nth=-nth if backwards else nth, reach=3 * distance + 1_000)
            least = nth


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
