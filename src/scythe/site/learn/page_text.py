"""Lay out the text of a page as one string, to look up where a value occurs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from selectolax.lexbor import LexborNode

from scythe.page.blocks import BOX, BREAK, KIND, RULE, SKIP
from scythe.page.source import MARK, Source, unmark
from scythe.site.rules import ATTRIBUTE, ELEMENT, LEAD, TAIL

_WORD = re.compile(r"\w+")
_NODES = 400_000  # of one page
_ATTRIBUTES_READ = 20_000  # of one page
_UNREAD = frozenset({"class", "style", "id", "width", "height", "target", "rel", "type", "method", MARK})


def words_of(text: str) -> str:
    """Return the words of a text in lower case, joined by spaces: what two spellings of a value have in common.

    A text without words, such as a row of stars, stands for itself.
    """
    return " ".join(_WORD.findall(text.lower())) or " ".join(text.split())


@dataclass(slots=True)
class TextNode:
    """One text node: its range in the text, and the opening tag that leads to it."""

    start: int
    end: int
    offset: int
    take: str


@dataclass
class PageText:
    """The text of a page; rows of `start`, `end` and `parent` are its elements in page order."""

    source: Source
    offset: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)  # in `text`
    end: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)  # row, -1 at the top
    runs: list[TextNode] = field(default_factory=list)
    text: str = ""

    @cached_property
    def _words(self) -> tuple[str, list[int], list[tuple[int, int]]]:
        """The words in lower case between spaces, where each begins in that, and its range in `text`."""
        spans = [(found.start(), found.end()) for found in _WORD.finditer(self.text)]
        words = [self.text[start:end].lower() for start, end in spans]
        begins, at = [], 1
        for word in words:
            begins.append(at)
            at += len(word) + 1
        return f" {' '.join(words)} ", begins, spans

    def find_words(self, wanted: str, most: int) -> list[tuple[int, int]]:
        """Return up to `most` ranges of the text whose words are the wanted ones."""
        joined, begins, spans = self._words
        found: list[tuple[int, int]] = []
        at = joined.find(f" {wanted} ")
        while at >= 0 and len(found) < most:
            first = bisect_left(begins, at + 1)
            last = bisect_left(begins, at + 1 + len(wanted)) - 1
            found.append((spans[first][0], spans[last][1]))
            at = joined.find(f" {wanted} ", at + 1)
        return found

    @cached_property
    def runs_by_words(self) -> dict[str, list[TextNode]]:
        """Text nodes by the words that they are."""
        found: dict[str, list[TextNode]] = defaultdict(list)
        for run in self.runs:
            words = words_of(self.text[run.start : run.end])
            if words:
                found[words].append(run)
        return found

    @cached_property
    def attributes_by_words(self) -> dict[str, list[tuple[int, str, str]]]:
        """Attributes (offset of the tag, name, squeezed value) by the words that they are."""
        found: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
        for offset, name, value in self._attributes:
            found[words_of(value)].append((offset, name, value))
        return found

    def attributes_with(self, words: str, most: int) -> list[tuple[int, str, str]]:
        """Return up to `most` attributes that hold the wanted words among others."""
        wanted = f" {words} "
        held = (row for have, rows in self.attributes_by_words.items() if wanted in f" {have} " for row in rows)
        return list(islice(held, most))

    @cached_property
    def _attributes(self) -> list[tuple[int, str, str]]:
        every = (
            (opening.offset, name, " ".join(unmark(value).split()))
            for opening in self.source.openings
            if opening.shown
            for name, value in opening.node.attributes.items()
            if value and name not in _UNREAD and not name.startswith("on")
        )
        return list(islice(every, _ATTRIBUTES_READ))

    def element_around(self, start: int, end: int) -> int:
        """Return the row of the innermost element that holds a range of the text, or -1."""
        row = bisect_right(self.start, start) - 1
        while row >= 0 and self.end[row] < end:
            row = self.parent[row]
        return row

    def run_around(self, start: int, end: int) -> TextNode | None:
        """Return the text node that holds a range of the text, if one does."""
        i = bisect_right(self.runs, start, key=lambda run: run.start) - 1
        return self.runs[i] if i >= 0 and self.runs[i].end >= end else None


def lay_out(source: Source) -> PageText:
    """Walk the tree of a page once and lay its text out."""
    out = PageText(source)
    shown = {opening.offset for opening in source.openings if opening.shown}
    parts: list[str] = []
    size = 0
    around: list[tuple[int, bool]] = []  # row (or -1) and whether it is a box, of every element around the node
    node: LexborNode | None = source.tree.root
    for _ in range(_NODES):
        if node is None:
            break
        tag = node.tag or ""
        kind = KIND.get(tag)
        row = -1
        if tag == "-text":
            text = unmark(node.text_content or "")
            _add_run(out, node, (size, size + len(text)), around[-1][0] if around else -1)
            parts.append(text)
            size += len(text)
        elif kind != SKIP:
            if kind in (BOX, BREAK, RULE):
                parts.append(" ")
                size += 1
            row = _add_row(out, node, size, around[-1][0] if around else -1, shown)
            if node.first_child is not None:
                around.append((row if row >= 0 else around[-1][0] if around else -1, kind == BOX))
                node = node.first_child
                continue
        while node is not None and node.next is None and around:
            node = node.parent
            row, box = around.pop()
            if row >= 0 and (not around or around[-1][0] != row):
                out.end[row] = size
            if box:
                parts.append(" ")
                size += 1
        node = node.next if node is not None else None
    out.text = "".join(parts)
    for row, _ in around:
        out.end[row] = size
    return out


def _add_row(out: PageText, node: LexborNode, size: int, parent: int, shown: set[int]) -> int:
    """Add a row for a true element and return its number; -1 for an element that the source does not show."""
    mark = node.attributes.get(MARK) or ""
    if not mark.isdecimal() or int(mark) not in shown:
        return -1
    shown.discard(int(mark))  # formatting elements are cloned with their marks: the first counts
    out.offset.append(int(mark))
    out.start.append(size)
    out.end.append(size)
    out.parent.append(parent)
    return len(out.offset) - 1


def _add_run(out: PageText, node: LexborNode, span: tuple[int, int], parent: int) -> None:
    """Note a text node that is the first of its element or comes right behind one."""
    previous = node.prev
    if previous is None:
        if parent >= 0 and out.start[parent] <= span[0]:
            above = node.parent
            mark = (above.attributes.get(MARK) or "") if above is not None else ""
            if mark == str(out.offset[parent]):
                out.runs.append(TextNode(*span, int(mark), LEAD))
        return
    if (previous.tag or "-").startswith(("-", "!")):
        return
    mark = previous.attributes.get(MARK) or ""
    opening = out.source.at(int(mark)) if mark.isdecimal() else None
    if opening is not None and opening.shown and opening.node.mem_id == previous.mem_id:
        out.runs.append(TextNode(*span, int(mark), TAIL))


_HITS = 60  # of one value on one page that are looked at: a short value may be everywhere
_PLACES = 40  # kept of one field and page
_AROUND = 3  # elements with the same text, one around the other, that are kept
_TEXT = 3_000  # characters of a text of which a value is a part, at most
_PARTS_OF_ATTRIBUTES = 200  # attributes that hold a value among other words


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """An opening tag, what to take there, and where in the taken text the value stands."""

    offset: int
    take: str
    attribute: str
    text: str  # squeezed
    start: int  # of the value in `text`
    end: int
    sameness: int  # 3: as given, 2: in other case, 1: the same words
    level: int = 0  # elements inside with the same text

    @property
    def is_whole(self) -> bool:
        return not self.text[: self.start].strip() and not self.text[self.end :].strip()


def find_places(texts: PageText, values: Sequence[str]) -> list[ValuePlace]:
    """Return where one of the values stands, whole texts before parts, as given before similar."""
    found: dict[tuple[int, str, str], ValuePlace] = {}
    for value in values:
        value = " ".join(value.split())
        words = words_of(value)
        if not words:
            continue
        for place in (*_whole(texts, value, words), *_parts(texts, value, words), *_attributes(texts, value, words)):
            key = (place.offset, place.take, place.attribute)
            if key not in found or found[key].sameness < place.sameness:
                found[key] = place
    return sorted(found.values(), key=_rank)[:_PLACES]


def _rank(place: ValuePlace) -> tuple[bool, bool, int]:
    return not place.is_whole, place.take == ATTRIBUTE, -place.sameness


def _whole(texts: PageText, value: str, words: str) -> list[ValuePlace]:
    """Return the elements and text runs whose text is the value and no more."""
    found: list[ValuePlace] = []
    for start, end in texts.find_words(words, _HITS):
        row = texts.element_around(start, end)
        for level in range(_AROUND):
            if row < 0 or words_of(texts.text[texts.start[row] : texts.end[row]][: len(value) * 3 + 200]) != words:
                break
            place = _place(texts.offset[row], ELEMENT, _squeeze(texts, texts.start[row], texts.end[row]), value)
            found.append(replace(place, level=level))
            row = texts.parent[row]
    for run in texts.runs_by_words.get(words, ())[:_HITS]:
        found.append(_place(run.offset, run.take, _squeeze(texts, run.start, run.end), value))
    for opening in texts.source.openings:
        if opening.name == "title" and opening.shown:
            text = " ".join(unmark(opening.node.text()).split())
            if words in words_of(text) and (part := _part(opening.offset, ELEMENT, "", text, value)):
                found.append(part)
            break
    return found


def _parts(texts: PageText, value: str, words: str) -> list[ValuePlace]:
    """Return the text runs, or else the elements, of whose text the value is a part."""
    found: list[ValuePlace] = []
    for start, end in texts.find_words(words, _HITS):
        run = texts.run_around(start, end)
        row = texts.element_around(start, end)
        if run is not None and run.end - run.start <= _TEXT:
            part = _part(run.offset, run.take, "", _squeeze(texts, run.start, run.end), value)
        elif row >= 0 and texts.end[row] - texts.start[row] <= _TEXT:
            part = _part(texts.offset[row], ELEMENT, "", _squeeze(texts, texts.start[row], texts.end[row]), value)
        else:
            continue
        if part is not None and not part.is_whole:
            found.append(part)
    return found


def _attributes(texts: PageText, value: str, words: str) -> list[ValuePlace]:
    found: list[ValuePlace] = []
    for offset, name, text in texts.attributes_by_words.get(words, ())[:_HITS]:
        found.append(_place(offset, ATTRIBUTE, text, value, name))
    if not found:
        for offset, name, text in texts.attributes_with(words, _PARTS_OF_ATTRIBUTES):
            part = _part(offset, ATTRIBUTE, name, text, value)
            if part is not None:
                found.append(part)
    return found


def _squeeze(texts: PageText, start: int, end: int) -> str:
    return " ".join(texts.text[start:end].split())


def _place(offset: int, take: str, text: str, value: str, attribute: str = "") -> ValuePlace:
    sameness = 3 if text == value else 2 if text.casefold() == value.casefold() else 1
    return ValuePlace(offset, take, attribute, text, 0, len(text), sameness)


def _part(offset: int, take: str, attribute: str, text: str, value: str) -> ValuePlace | None:
    """Return where a value, written as given, begins and ends in a text."""
    if text == value:
        return _place(offset, take, text, value, attribute)
    start = text.find(value)
    if start < 0:
        return None
    return ValuePlace(offset, take, attribute, text, start, start + len(value), 3)
