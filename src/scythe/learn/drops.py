"""Choose what to leave out of a container: pages and their container come in, literals of opening tags go out.

Each literal is tried on all pages together: it stays when the words that it takes away are hardly ever content.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from statistics import fmean

from selectolax.lexbor import LexborNode

from scythe.learn.boilerplate import fold
from scythe.learn.containers import Part, offset_of
from scythe.learn.literals import name_of
from scythe.page.source import MARK, tag_end

_DROPS = 24  # literals at most
_GAIN = 0.0008  # mean F1 that a literal must bring
_SUPPORT = 2  # pages on which it must have taken something away
_LOST = 0.34  # of the words that it takes away may have been content: reading errs, too
_TAG_BYTES = 300
_BOXES = 4_000  # inside one container
_INLINE_DEPTH = 6  # inline elements around a block that are looked at
_FOLDS = 5
ODD = 5  # pages among which one may be left out of account
_LINE_CHARS = 300
_LINKED_WORDS = 3  # longer links are headlines of other pages: other ones tomorrow
# elements that a bare name may stand for: the others hold content on some page, if not on these
_BARE = frozenset(
    b"<" + name for name in b"aside nav footer form button figcaption h1 address label menu dialog".split()
)
# without attributes these hold content on every other page
_PROSE = frozenset(b"<" + name for name in b"p span a b strong em i font blockquote".split())
# left out as long as nothing of them was content: what they are for is not to hold the text
_ASIDE = ("aside", "nav", "form", "button", "footer", "figcaption")
_CONTENT = re.compile(rb"\s(?:href|src|srcset|title|alt|content|value|action|datetime|for|on\w+)\s*=", re.I)
# names that say themselves that this is no text: one page is enough to believe them
_TELLING = re.compile(
    rb"[\"' _-](?:ads?|advert\w*|breadcrumbs?|byline|captions?|comments?|credits?|disqus|menu|nav|newsletter|pagination"
    rb"|popular|promo\w*|recommend\w*|related\w*|respond|share|sharing|sidebar|social|sponsor\w*|subscribe|tags|tools"
    rb"|trending|widget)(?=[\"' _-]|$)",
    re.I,
)
_NUMBER = re.compile(rb"\d{2,}")  # of posts, authors and days: another one on the next page
_NAMED = re.compile(rb"(?:id|class)\s*=\s*.$", re.I)

Takes = dict[bytes, dict[int, frozenset[int]]]  # literal -> page -> blocks that it would take away


@dataclass(frozen=True, slots=True)
class Choice:
    """What to leave out: literals of opening tags and folded lines; and the F1 to expect on pages not seen."""

    drops: tuple[bytes, ...] = ()
    lines: tuple[str, ...] = ()
    expected: float = 0.0


class Chooser:
    """Chooses what to leave out of one container, once with all pages and once with some held back."""

    def __init__(self, parts: Sequence[Part], boxes: Sequence[int]) -> None:
        self._parts = parts
        self._inside = [
            frozenset(range(part.blocks.box_start[box], part.blocks.box_end[box]))
            for part, box in zip(parts, boxes, strict=True)
        ]
        self._aside = _find_asides(parts, self._inside)
        beside = [_blocks_in(part, self._aside) for part in parts]
        self._inside = [inside - gone for inside, gone in zip(self._inside, beside, strict=True)]
        self._takes = _collect(parts, boxes)
        self._counted: dict[int, tuple[frozenset[int], int, int]] = {}
        self._folded = [
            {i: fold(part.blocks.text[i]) for i in inside if len(part.blocks.text[i]) <= _LINE_CHARS}
            for part, inside in zip(parts, self._inside, strict=True)
        ]

    def choose(self) -> Choice:
        """Return the choice of all pages, with the F1 that choices of some of them had on the others."""
        pages = range(len(self._parts))
        folds = min(_FOLDS, len(self._parts))
        scores: list[float] = []
        for fold_number in range(folds):
            shown = [page for page in pages if page % folds != fold_number]
            lines = self._stray_lines(shown) if len(shown) > 1 else frozenset()
            drops = self._choose_drops(shown, lines) if len(shown) > 1 else ()
            scores += [self._score(page, drops, lines) for page in pages if page % folds == fold_number]
        lines = self._stray_lines(pages)
        drops = self._choose_drops(pages, lines) + tuple(f"<{tag}".encode() for tag in self._aside)
        return Choice(drops, tuple(sorted(lines)), fmean(trim(scores)))

    def _score(self, page: int, drops: Sequence[bytes], lines: frozenset[str]) -> float:
        part = self._parts[page]
        left = self._without(page, lines).difference(*(self._takes[drop].get(page, frozenset()) for drop in drops))
        good, total = part.count(left & part.chosen), part.count(left)
        return _f1(good, total - good, part.wanted)

    def _without(self, page: int, lines: frozenset[str]) -> frozenset[int]:
        return self._inside[page] - {i for i, line in self._folded[page].items() if line in lines}

    def _stray_lines(self, pages: Sequence[int]) -> frozenset[str]:
        """Return lines that stand on several pages inside the container and are hardly ever content."""
        on: dict[str, set[int]] = defaultdict(set)
        chosen: dict[str, set[int]] = defaultdict(set)
        titles = {fold(self._parts[page].sample.title) for page in pages}
        for page in pages:
            part = self._parts[page]
            for i, line in self._folded[page].items():
                if i in part.chosen:
                    chosen[line].add(page)
                elif not part.blocks.link_chars[i] or part.words[i] <= _LINKED_WORDS:
                    on[line].add(page)
        enough = max(_SUPPORT, round(len(pages) / 5))
        found = (line for line, where in on.items() if len(where) >= enough and 4 * len(chosen[line]) <= len(where))
        return frozenset(line for line in found if line not in titles and any(map(str.isalnum, line)))

    def _choose_drops(self, pages: Sequence[int], lines: frozenset[str]) -> tuple[bytes, ...]:
        """Take the literal that raises the mean F1 most, again and again; what it gains only falls meanwhile."""
        left = {page: self._without(page, lines) for page in pages}
        queue = [(-gain, len(literal), literal) for literal in self._takes if (gain := self._gain(literal, left)) > 0]
        heapify(queue)
        drops: list[bytes] = []
        while queue and len(drops) < _DROPS:
            _, size, literal = heappop(queue)
            gain = self._gain(literal, left)
            if gain <= 0:
                continue
            if queue and (-gain, size, literal) > queue[0]:
                heappush(queue, (-gain, size, literal))
                continue
            drops.append(literal)
            for page, gone in self._takes[literal].items():
                if page in left:
                    left[page] -= gone
        return tuple(drops)

    def _gain(self, literal: bytes, left: dict[int, frozenset[int]]) -> float:
        """Return what leaving out a literal adds to the mean F1, 0 where that is not enough or costs content."""
        gain, lost, taken, support = 0.0, 0, 0, 0
        for page, blocks in self._takes[literal].items():
            gone = blocks & left[page] if page in left else None
            if not gone:
                continue
            part = self._parts[page]
            cost, size = part.count(gone & part.chosen), part.count(gone)
            support += size > cost
            lost += cost
            taken += size
            good, total = self._counts(page, left[page])
            before = _f1(good, total - good, part.wanted)
            gain += _f1(good - cost, total - good - size + cost, part.wanted) - before
        gain = round(gain / len(left), 4)
        if support < _SUPPORT and (lost or not _TELLING.search(literal)):
            return 0.0
        return gain if gain >= _GAIN and lost <= _LOST * taken else 0.0

    def _counts(self, page: int, left: frozenset[int]) -> tuple[int, int]:
        """Return the content words and all words of what is left of a page."""
        known = self._counted.get(page)
        if known is None or known[0] is not left:
            part = self._parts[page]
            known = self._counted[page] = (left, part.count(left & part.chosen), part.count(left))
        return known[1], known[2]


def trim(scores: Sequence[float]) -> list[float]:
    """Return the scores without the worst of five or more: reading goes wrong, too."""
    return sorted(scores)[1 if len(scores) >= ODD else 0 :]


def _f1(good: int, extra: int, wanted: int) -> float:
    return 2 * good / (good + extra + wanted) if wanted else 1.0


def _find_asides(parts: Sequence[Part], inside: Sequence[frozenset[int]]) -> tuple[str, ...]:
    """Return the elements made for other things than the text that hold nothing of it on these pages."""
    used: set[str] = set()
    for part, own in zip(parts, inside, strict=True):
        blocks = part.blocks
        for i in own & part.chosen:
            used.update(blocks.box_tag[box] for box in blocks.boxes_above(i))
    return tuple(tag for tag in _ASIDE if tag not in used)


def _blocks_in(part: Part, tags: Sequence[str]) -> frozenset[int]:
    blocks = part.blocks
    spans = (range(blocks.box_start[b], blocks.box_end[b]) for b, tag in enumerate(blocks.box_tag) if tag in tags)
    return frozenset(i for span in spans for i in span)


def _collect(parts: Sequence[Part], boxes: Sequence[int]) -> Takes:
    """Map literals to the blocks that they would take away, page by page."""
    takes: dict[bytes, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    unsafe: set[bytes] = set()  # they would tear words out of content
    for page, (part, container) in enumerate(zip(parts, boxes, strict=True)):
        body = part.sample.source.body
        whole: set[int] = set()
        for offset, span in _elements_inside(part, container):
            whole.add(offset)
            for literal in _literals(_tag_at(body, offset)):
                takes[literal][page].update(span)
        for offset in _words_inside(part, container):
            if offset not in whole:
                unsafe.update(_literals(_tag_at(body, offset)))
    return {
        literal: {page: frozenset(blocks) for page, blocks in pages.items()}
        for literal, pages in takes.items()
        if (len(pages) >= _SUPPORT or _TELLING.search(literal)) and literal not in unsafe
    }


def _tag_at(body: bytes, offset: int) -> bytes:
    return body[offset : min(tag_end(body, offset), offset + _TAG_BYTES)]


def _elements_inside(part: Part, container: int) -> Iterator[tuple[int, range]]:
    """Yield the offset of every element inside a container that holds whole blocks, and these blocks."""
    blocks = part.blocks
    end = blocks.box_end[container]
    inside = {container}
    for box in range(container + 1, min(len(blocks.box_tag), container + _BOXES)):
        if blocks.box_parent[box] not in inside:
            if blocks.box_start[box] >= end:
                break
            continue
        inside.add(box)
        offset = offset_of(blocks, box)
        if offset is not None and blocks.box_end[box] > blocks.box_start[box]:
            yield offset, range(blocks.box_start[box], blocks.box_end[box])
    for i in range(blocks.box_start[container], end):
        for offset in _around(part, i):
            yield offset, range(i, i + 1)


def _around(part: Part, block: int) -> Iterator[int]:
    """Yield the offsets of inline elements that hold all of a block."""
    blocks = part.blocks
    leaves = blocks.leaves[blocks.leaf_start[block] : blocks.leaf_end[block]]
    if not leaves:
        return
    box = blocks.box_node[blocks.box[block]].mem_id
    last = {node.mem_id for node in _climb(leaves[-1], box)}
    for node in _climb(leaves[0], box):
        mark = node.attributes.get(MARK) or ""
        if node.mem_id in last and mark.isdecimal():
            yield int(mark)


def _words_inside(part: Part, container: int) -> Iterator[int]:
    """Yield the offsets of inline elements around words of the content."""
    blocks = part.blocks
    for i in range(blocks.box_start[container], blocks.box_end[container]):
        if i not in part.chosen:
            continue
        box = blocks.box_node[blocks.box[i]].mem_id
        for leaf in blocks.leaves[blocks.leaf_start[i] : blocks.leaf_end[i]]:
            for node in _climb(leaf, box):
                mark = node.attributes.get(MARK) or ""
                if mark.isdecimal():
                    yield int(mark)


def _climb(leaf: LexborNode, stop: int) -> Iterator[LexborNode]:
    node = leaf.parent
    for _ in range(_INLINE_DEPTH):
        if node is None or node.mem_id == stop:
            return
        yield node
        node = node.parent


def _literals(tag: bytes) -> Iterator[bytes]:
    """Yield what may stand for an opening tag, the plainest first: its name, then more and more of its attributes."""
    name = name_of(tag)
    if name.lower() in _BARE:
        yield name
    elif tag == name + b">" and name.lower() not in _PROSE:
        yield tag
    quote = start = 0  # of the value under way
    found = _CONTENT.search(tag)
    for i in range(len(name), found.start() if found else len(tag)):
        byte = tag[i]
        if quote:
            if byte == quote:
                if i - start >= 2 and not (_NUMBER.search(tag, start, i) and _NAMED.search(tag, 0, start)):
                    yield tag[: i + 1]
                quote = 0
            elif byte in b" -_" and i - start >= 3 and not _NUMBER.search(tag, start, i):
                yield tag[:i] if byte == 0x20 else tag[: i + 1]
        elif byte in b"\"'" and tag[i - 1] == 0x3D:
            quote, start = byte, i + 1
