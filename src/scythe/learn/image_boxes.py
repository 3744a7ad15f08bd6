"""List the elements around the images of a page: a page with scored images comes in, named boxes go out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from selectolax.lexbor import LexborNode

from scythe.learn.containers import name_element
from scythe.model import RELEVANT
from scythe.page import Page
from scythe.page.follow import span_of
from scythe.page.source import MARK, Source
from scythe.rules import FLOW, Way

_IMAGES = 1_000  # of a page that are looked at
_CLIMBED = 60  # elements around an image
_WHOLE = Way(FLOW, ())
_NO_AREA = frozenset({"a", "picture", "noscript"})  # what is looked at to read or judge an image stays inside its area


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """One page of a layout: its bytes tied to its tree, and how likely each of its images is relevant."""

    source: Source
    page: Page  # shares the tree of the source
    scores: Sequence[float]  # of `page.images`


@dataclass(slots=True)
class Box:
    """An element with images inside, the relevant ones by number, and the names it may have on other pages."""

    offset: int
    keys: tuple[str, ...]
    relevant: set[int] = field(default_factory=set)
    others: int = 0


class PageBoxes:
    """The elements around the images of one page."""

    def __init__(self, judged: JudgedPage) -> None:
        self.judged = judged
        self.boxes: dict[int, Box] = {}
        self._named: dict[str, dict[int, tuple[str, ...]]] = {}  # tag -> names of all its elements, by offset
        self._sizes: dict[int, float] = {}
        nodes = {node.mem_id: node for node in judged.page.tree.css("img,amp-img")}
        for number, use in enumerate(judged.page.images[:_IMAGES]):
            node = nodes.get(use.node_id)
            if node is not None:
                self._climb(node, number, judged.scores[number] >= RELEVANT)

    @property
    def relevant(self) -> set[int]:
        """Numbers of the images that are rather relevant than not."""
        scores = self.judged.scores[: min(_IMAGES, len(self.judged.page.images))]
        return {number for number, score in enumerate(scores) if score >= RELEVANT}

    @cached_property
    def by_key(self) -> dict[str, Box]:
        """Of each name, the box that holds most relevant images."""
        best: dict[str, Box] = {}
        for box in self.boxes.values():
            for key in box.keys if box.relevant else ():
                if key not in best or len(best[key].relevant) < len(box.relevant):
                    best[key] = box
        return best

    def find(self, key: str) -> list[int]:
        """Return where elements of a name begin, whatever they hold."""
        tag = _tag_of(key)
        if tag not in self._named:
            source = self.judged.source
            found = (one for one in source.openings if one.shown and one.name == tag)
            self._named[tag] = {one.offset: _keys(one.node) for one in found}
        return [offset for offset, keys in self._named[tag].items() if key in keys]

    def size(self, offset: int) -> float:
        """Return the share of the page's bytes that an element takes."""
        if offset not in self._sizes:
            source = self.judged.source
            opening = source.at(offset)
            start, end = span_of(source, opening, _WHOLE) if opening is not None else (0, 0)
            self._sizes[offset] = (end - start) / max(1, len(source.body))
        return self._sizes[offset]

    def _climb(self, node: LexborNode, number: int, is_relevant: bool) -> None:
        above = node.parent
        for _ in range(_CLIMBED):
            if above is None or above.tag in ("html", "body"):
                return
            box = self._box(above)
            if box is not None:
                if is_relevant:
                    box.relevant.add(number)
                else:
                    box.others += 1
            above = above.parent

    def _box(self, node: LexborNode) -> Box | None:
        mark = node.attributes.get(MARK) or ""
        if not mark.isdecimal() or node.tag in _NO_AREA:
            return None
        offset = int(mark)
        if offset not in self.boxes:
            opening = self.judged.source.at(offset)
            if opening is None or not opening.shown:
                return None
            self.boxes[offset] = Box(offset, _keys(node))
        return self.boxes[offset]


def shared_keys(pages: Sequence[PageBoxes], least: int) -> list[str]:
    """Return the names of boxes with relevant images that so many pages have."""
    counts: dict[str, int] = defaultdict(int)
    for page in pages:
        for key in page.by_key:
            counts[key] += 1
    return [key for key, count in counts.items() if count >= least]


def _keys(node: LexborNode) -> tuple[str, ...]:
    path: list[str] = []
    above: LexborNode | None = node
    while above is not None and len(path) < _CLIMBED and above.tag not in ("html", "body"):
        path.append(above.tag or "")
        above = above.parent
    return (*name_element(node.tag or "", node.attributes), "/".join(path))


def _tag_of(key: str) -> str:
    for at, char in enumerate(key):
        if char in "#.[/":
            return key[:at]
    return key
