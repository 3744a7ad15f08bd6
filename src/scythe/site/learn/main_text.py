"""Learn the way to the main text of a layout, and what to leave out of it.

A candidate is one element per page with the same name or place on most pages. Parts are left out if their words are
hardly ever content. A way is only kept if its text agrees with what reading the pages gave.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.page.blocks import Blocks, find_grid, render_text
from scythe.page.content import content_box
from scythe.page.source import MARK, tag_end
from scythe.site.cut.cutter import Boilerplate, fold
from scythe.site.follow.follow_fields import follow
from scythe.site.learn.literals import name_of
from scythe.site.learn.value_sources import LearnedPage
from scythe.site.learn.way_rules import learn_way
from scythe.site.rules import FLOW, Way

# Thai, Lao, Burmese, Khmer, kana and Han are written without spaces: each character counts as a word
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def count_words(text: str) -> int:
    """Return the number of words of a text."""
    return sum(1 for _ in _WORD.finditer(text))


def agree(one: str, other: str) -> float:
    """Return the F1 of two texts as multisets of words; two empty ones agree."""
    left, right = Counter(_WORD.findall(one.lower())), Counter(_WORD.findall(other.lower()))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 1.0


_CLIMBED = 12  # boxes above the content's own that are tried
_MOST = 0.6  # of the pages must have a candidate
_TRIED = 8  # candidates followed further
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """One page as the learner of the text sees it: its blocks, the words of each, and which belong to the content."""

    sample: LearnedPage
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


def part_of(sample: LearnedPage, chosen: Sequence[int]) -> PageBlocks:
    """Prepare a page."""
    words = tuple(count_words(text) for text in sample.blocks.text)
    return PageBlocks(sample, words, frozenset(chosen), sum(words[i] for i in chosen))


def offset_of(blocks: Blocks, box: int) -> int | None:
    """Return the byte offset of a box, None for one that the parser made up."""
    mark = blocks.box_node[box].attributes.get(MARK) or ""
    return int(mark) if mark.isdecimal() else None


def propose_containers(parts: Sequence[PageBlocks]) -> list[Container]:
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


def _chain(part: PageBlocks) -> Iterator[tuple[int, float]]:
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


_DROPS = 24  # literals at most
_GAIN = 0.0008  # mean F1 that a literal must bring
_SUPPORT = 2  # pages on which it must have taken something away
_LOST = 0.34  # of the words that it takes away may have been content: reading errs, too
_TAG_BYTES = 300
_BOXES = 4_000  # inside one container
_INLINE_DEPTH = 6  # inline elements around a block that are looked at
_FOLDS = 5
ODD = 5  # pages among which one may be left out of account
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
class DropChoice:
    """What to leave out: literals of opening tags and folded lines; and the F1 to expect on pages not seen."""

    drops: tuple[bytes, ...] = ()
    lines: tuple[str, ...] = ()
    expected: float = 0.0


class Chooser:
    """Chooses what to leave out of one container, once with all pages and once with some held back."""

    def __init__(self, parts: Sequence[PageBlocks], boxes: Sequence[int]) -> None:
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

    def choose(self) -> DropChoice:
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
        return DropChoice(drops, tuple(sorted(lines)), fmean(trim(scores)))

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


def _find_asides(parts: Sequence[PageBlocks], inside: Sequence[frozenset[int]]) -> tuple[str, ...]:
    """Return the elements made for other things than the text that hold nothing of it on these pages."""
    used: set[str] = set()
    for part, own in zip(parts, inside, strict=True):
        blocks = part.blocks
        for i in own & part.chosen:
            used.update(blocks.box_tag[box] for box in blocks.boxes_above(i))
    return tuple(tag for tag in _ASIDE if tag not in used)


def _blocks_in(part: PageBlocks, tags: Sequence[str]) -> frozenset[int]:
    blocks = part.blocks
    spans = (range(blocks.box_start[b], blocks.box_end[b]) for b, tag in enumerate(blocks.box_tag) if tag in tags)
    return frozenset(i for span in spans for i in span)


def _collect(parts: Sequence[PageBlocks], boxes: Sequence[int]) -> Takes:
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


def _elements_inside(part: PageBlocks, container: int) -> Iterator[tuple[int, range]]:
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


def _around(part: PageBlocks, block: int) -> Iterator[int]:
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


def _words_inside(part: PageBlocks, container: int) -> Iterator[int]:
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


LEAST_PAGES = 2  # with text; of one page nothing can be told apart from its site
# A way must agree with the reading about as well as the reading itself expects to be right: of an article it is sure,
# of lists and products it is not, and there a rule of many pages is the better reader.
_SLACK, _SLACK_WORST = 2.0, 6.0  # disagreement allowed, in units of what the reading is not sure of
_MEAN = (0.75, 0.98)  # bounds of the agreement asked for
_LOWEST = (0.3, 0.9)  # of the worst page
_UNSEEN = 0.01  # what agreement may fall by on pages held back: what is learned of five pages is not all there is
_FEW_WORDS = 20  # a page with fewer is no witness
_FINALISTS = 3  # candidates that are tried to the end
_DROP_COST = 0.0005  # of F1: fewer rules hold longer
_WAYS = 3
_LINES = 40
_LINE_CHARS = 300

Cleaner = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class MainTextWays:
    """Ways to the main text, and how well they agree with the reading; without ways, why."""

    ways: tuple[Way, ...] = ()
    lines: tuple[str, ...] = ()  # folded, that stand inside but are no content
    agreement: float = 0.0
    why: str = ""


def learn_body(samples: Sequence[LearnedPage], clean: Cleaner = str) -> MainTextWays:
    """Find the element that holds the text on all pages. `clean` is applied to its text before it is compared."""
    parts = [part_of(sample, sample.chosen) for sample in samples]
    left = [part for part in parts if part.wanted >= _FEW_WORDS]
    if len(left) < LEAST_PAGES:
        return MainTextWays(why=f"text on {len(left)} of {len(samples)} pages: learning needs {LEAST_PAGES}")
    ways: list[Way] = []
    lines: dict[str, None] = {}
    scores: list[float] = []
    why = "no element holds the text on most pages"
    while len(left) >= LEAST_PAGES and len(ways) < _WAYS:
        found = _learn_one(left, clean)
        if found.way is None:
            why = found.why
            break
        ways.append(found.way)
        lines.update(dict.fromkeys(found.lines))
        scores.extend(found.agreement[number] for number in found.served)
        left = [part for number, part in enumerate(left) if number not in found.served]
    if not ways:
        return MainTextWays(why=why)
    return MainTextWays(tuple(ways), tuple(lines), fmean(scores))


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One way and the pages that it serves, by number, with their agreement."""

    way: Way | None
    lines: tuple[str, ...] = ()
    served: frozenset[int] = frozenset()
    agreement: tuple[float, ...] = ()
    why: str = ""


def _learn_one(parts: Sequence[PageBlocks], clean: Cleaner) -> _Attempt:
    drafts = []
    for container in propose_containers(parts):
        own = [(part, box) for part, box in zip(parts, container.boxes, strict=True) if box is not None]
        choice = Chooser([part for part, _ in own], [box for _, box in own]).choose()
        share = len(own) / len(parts)
        drafts.append((choice.expected * share - _DROP_COST * len(choice.drops), container, choice))
    drafts.sort(key=lambda draft: -draft[0])
    best, best_rank = _Attempt(None, why="no element holds the text on most pages"), 0.0
    for worth, container, choice in drafts[:_FINALISTS]:
        attempt = _attempt(parts, container, choice, clean)
        rank = worth + fmean(trim(attempt.agreement)) if attempt.way is not None else -1.0
        if best.way is None or rank > best_rank:
            best, best_rank = attempt, rank
    return best


def _attempt(parts: Sequence[PageBlocks], container: Container, choice: DropChoice, clean: Cleaner) -> _Attempt:
    asked = _asked(parts)
    if choice.expected < asked.mean - _UNSEEN:
        why = f"the element's text would agree with the reading by {choice.expected:.2f}, asked for is {asked.mean:.2f}"
        return _Attempt(None, why=why)
    targets = [None if box is None else offset_of(p.blocks, box) for p, box in zip(parts, container.boxes, strict=True)]
    sources = [part.sample.source for part in parts]
    way = learn_way(sources, targets, FLOW, drops=choice.drops, skip_lines=_exact_lines(parts, choice.lines))
    if way is None:
        return _Attempt(None, why="no rules lead to the element that holds the text")
    known = Boilerplate(choice.lines)
    agreement = []
    served = set()
    for number, part in enumerate(parts):
        values = follow(part.sample.source, way).values
        agreement.append(agree(clean(known.clean(values[0])), clean(kept_text(part))) if values else 0.0)
        if values:
            served.add(number)
    return _judge(_Attempt(way, choice.lines, frozenset(served), tuple(agreement)), asked)


def _judge(attempt: _Attempt, asked: _TextRequest) -> _Attempt:
    scores = trim([attempt.agreement[number] for number in attempt.served])
    if len(scores) < LEAST_PAGES:
        return _Attempt(None, why="rules lead to the text on too few pages")
    if fmean(scores) < asked.mean or scores[0] < asked.lowest:
        why = f"the element's text agrees with the reading by {fmean(scores):.2f}, at worst {scores[0]:.2f}"
        return _Attempt(None, why=f"{why}; asked for is {asked.mean:.2f} and {asked.lowest:.2f}")
    return attempt


class _TextRequest(NamedTuple):
    """How well a way must agree with the reading: in the mean, and on the worst page."""

    mean: float
    lowest: float


def _asked(parts: Sequence[PageBlocks]) -> _TextRequest:
    unsure = 1.0 - fmean(part.sample.sure for part in parts)
    return _TextRequest(_within(1.0 - _SLACK * unsure, _MEAN), _within(1.0 - _SLACK_WORST * unsure, _LOWEST))


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])


def kept_text(part: PageBlocks) -> str:
    """Return the chosen blocks of a page as text."""
    blocks: Blocks = part.blocks
    return render_text(blocks, sorted(part.chosen), find_grid(blocks))


def _exact_lines(parts: Sequence[PageBlocks], lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines as they are written, those that are the same on every page."""
    wanted = {line for line in lines if not line.startswith(("^", "...")) and "#" not in line and "@" not in line}
    counts: Counter[str] = Counter()
    for part in parts:
        found = (text for text in part.blocks.text if len(text) <= _LINE_CHARS and fold(text) in wanted)
        counts.update(dict.fromkeys(found, 1))  # in page order, which decides between lines on as many pages
    return tuple(text for text, pages in counts.most_common(_LINES) if pages > 1)
