"""Propose the element that holds the main text: pages with their chosen blocks come in, candidates go out.

A candidate is one element per page that has the same name, or the same place, on most pages of the layout.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from scythe.learn.agreement import count_words
from scythe.learn.sample import Sample
from scythe.page.blocks import Blocks
from scythe.page.places import content_box
from scythe.page.source import MARK

_CLIMBED = 12  # boxes above the content's own that are tried
_MOST = 0.6  # of the pages must have a candidate
_TRIED = 8  # candidates followed further
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Part:
    """One page as the learner of the text sees it: its blocks, the words of each, and which belong to the content."""

    sample: Sample
    words: tuple[int, ...]
    chosen: frozenset[int]
    wanted: int  # words of the content

    @property
    def blocks(self) -> Blocks:
        """The blocks of the page."""
        return self.sample.blocks

    def count(self, blocks: Iterable[int]) -> int:
        """Return the words of some blocks."""
        return sum(map(self.words.__getitem__, blocks))


@dataclass(frozen=True, slots=True)
class Container:
    """A candidate: the box on each page, None where the page has no such box."""

    boxes: tuple[int | None, ...]


def part_of(sample: Sample, chosen: Sequence[int]) -> Part:
    """Prepare a page."""
    words = tuple(count_words(text) for text in sample.blocks.text)
    return Part(sample, words, frozenset(chosen), sum(words[i] for i in chosen))


def offset_of(blocks: Blocks, box: int) -> int | None:
    """Return the byte offset of a box, None for one that the parser made up."""
    mark = blocks.box_node[box].attributes.get(MARK) or ""
    return int(mark) if mark.isdecimal() else None


def propose_containers(parts: Sequence[Part]) -> list[Container]:
    """Return candidates, those first that hold the content and little else."""
    boxes: dict[str, dict[int, int]] = defaultdict(dict)
    worth: dict[str, float] = defaultdict(float)
    for number, part in enumerate(parts):
        best: dict[str, tuple[float, int]] = {}
        for box, score in _chain(part):
            for key in _keys(part.blocks, box):
                best[key] = max(best.get(key, (-1.0, -1)), (score, box))
        for key, (score, box) in best.items():
            boxes[key][number] = box
            worth[key] += score
    enough = _MOST * len(parts)
    ranked = sorted((key for key in boxes if len(boxes[key]) >= enough), key=lambda key: (-worth[key], len(key), key))
    found: dict[tuple[int | None, ...], Container] = {}
    for key in ranked:
        row = tuple(boxes[key].get(number) for number in range(len(parts)))
        found.setdefault(row, Container(row))
    return list(found.values())[:_TRIED]


def _chain(part: Part) -> Iterator[tuple[int, float]]:
    """Yield the boxes around the content with their F1 if what is too much could be left out in half."""
    blocks = part.blocks
    kept = sorted(part.chosen)
    if not kept:
        return
    ends = [0, *accumulate(part.words)]
    gained = [0, *accumulate(part.words[i] for i in kept)]
    box = content_box(blocks, kept)
    for _ in range(_CLIMBED):
        if box <= 0 or blocks.box_tag[box] == "body":  # all of a page is no part of it
            return
        start, end = blocks.box_start[box], blocks.box_end[box]
        hits = gained[bisect_left(kept, end)] - gained[bisect_left(kept, start)]
        extra = ends[end] - ends[start] - hits
        if hits and offset_of(blocks, box) is not None:
            yield box, 2 * hits / (hits + part.wanted + extra / 4)
        box = blocks.box_parent[box]


def _keys(blocks: Blocks, box: int) -> Iterator[str]:
    """Yield the names under which the same box may be found on other pages."""
    tag = blocks.box_tag[box]
    yield from name_element(tag, blocks.box_node[box].attributes)
    path: list[str] = []
    at = box
    while at > 0 and len(path) < 40:
        path.append(blocks.box_tag[at])
        at = blocks.box_parent[at]
    yield "/".join(path)


def name_element(tag: str, attributes: Mapping[str, str | None]) -> Iterator[str]:
    """Yield the names that an element's own attributes give it, numbers made equal."""
    classes = _DIGITS.sub("#", attributes.get("class") or "").split()
    if attributes.get("id"):
        yield f"{tag}#{_DIGITS.sub('#', attributes['id'] or '')}"
    if attributes.get("itemprop"):
        yield f"{tag}[{attributes['itemprop']}]"
    if classes:
        yield f"{tag}.{' '.join(classes)}"
        for name in classes[:3]:
            yield f"{tag}.{name}"
