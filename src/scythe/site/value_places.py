"""Find where known values stand on a page map: in the text of elements, in runs of text, in attributes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scythe.page.blocks import BOX, BREAK, KIND, RULE, SKIP
from scythe.page.map import CONTINUES, MUTED, RAW, PageMap

# what is taken at the element that rules lead to
ELEMENT = "element"  # its text
LEAD = "lead"  # the text between its opening tag and the next tag
TAIL = "tail"  # the text between its end and the next tag
ATTRIBUTE = "attribute"  # the value of one attribute

Part = TypeVar("Part", str, bytes, tuple[int, ...])

_WORD = re.compile(r"\w+")
_UNREAD = frozenset({"class", "style", "id", "width", "height", "target", "rel", "type", "method"})
_ATTRIBUTES_READ = 20_000  # of one page
_HITS = 60  # of one value on one page that are looked at: a short value may be everywhere
_PLACES = 40  # kept of one field and page
_AROUND = 3  # elements with the same text, one around the other, that are kept
_TEXT = 3_000  # characters of a text of which a value is a part, at most
_PARTS_OF_ATTRIBUTES = 200  # attributes that hold a value among other words


def words_of(text: str) -> str:
    """Return the words of a text in lower case, joined by spaces: what two spellings of a value have in common.

    A text without words, such as a row of stars, stands for itself.
    """
    return " ".join(_WORD.findall(text.lower())) or " ".join(text.split())


def common_prefix(parts: Sequence[Part]) -> Part:
    """Return what all of some texts, bytes or tuples begin with."""
    first, last = min(parts), max(parts)
    size = 0
    for one, other in zip(first, last, strict=False):
        if one != other:
            break
        size += 1
    return first[:size]


def element_text(page: PageMap, row: int) -> str:
    """Return the text that an element shows; the edges of boxes and line breaks become spaces."""
    first, last = int(page.run_from[row]), int(page.run_to[row])
    inside = slice(row + 1, int(page.last[row]))
    if inside.start == inside.stop and last - first == 1:
        return " ".join(page.run_text(first).split())
    kinds = _kinds(tuple(page.tags))[page.tag[inside]]
    cuts = (kinds == BOX) | (kinds == BREAK) | (kinds == RULE)
    edges = {*page.run_from[inside][cuts].tolist(), *page.run_to[inside][cuts].tolist()}
    skipped = (kinds == SKIP).nonzero()[0] + inside.start
    silent = {run for one in skipped.tolist() for run in range(page.run_from[one], page.run_to[one])}
    parts: list[str] = []
    for run, flags in enumerate(page.run_flags[first:last].tolist(), first):
        if run in edges:
            parts.append(" ")
        if not flags & CONTINUES and run not in silent:
            parts.append(page.run_text(run))
    return " ".join("".join(parts).split())


@lru_cache(maxsize=64)
def _kinds(tags: tuple[str, ...]) -> NDArray[np.int8]:
    return np.array([-1 if name == "title" else KIND.get(name, -1) for name in tags], np.int8)


def run_beside(page: PageMap, row: int, take: str) -> str | None:
    """Return the text right behind the opening tag of an element, or right behind its end; None where there is none."""
    is_lead = take == LEAD
    run = int(page.run_from[row]) if is_lead else int(page.run_to[row])
    around, following = (row, row + 1) if is_lead else (int(page.parent[row]), int(page.last[row]))
    if run >= len(page.run_row) or page.run_row[run] != around:
        return None
    if following < page.last[around] and page.run_to[following] <= run:
        return None  # an element without text stands between the tag and the run
    return " ".join(page.run_text(run).split())


def is_shown(page: PageMap, row: int) -> bool:
    """Say whether rules may lead to an element."""
    return not page.flags[row] & MUTED


def is_keyed(page: PageMap, row: int) -> bool:
    """Say whether an element has a class or an id of its own."""
    tag = page.source[page.start[row] : page.inner[row]].lower()
    return b"class" in tag or b"id" in tag


@dataclass(frozen=True, slots=True)
class PlaceOfValue:
    """An element, what to take there, and where in the taken text the value stands."""

    row: int
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


class ShownText:
    """The text of a page as one string, with the places that lead to each part of it."""

    def __init__(self, page: PageMap) -> None:
        self.page = page
        kinds = _kinds(tuple(page.tags))[page.tag]
        edges = np.zeros(len(page.run_row) + 1, bool)
        cuts = np.isin(kinds, (BOX, BREAK, RULE))
        edges[page.run_from[cuts]] = edges[page.run_to[cuts]] = True
        skipped = np.zeros(len(page.run_row) + 1, np.int32)
        silent = (kinds == SKIP) | ((page.flags & MUTED) != 0)
        np.add.at(skipped, page.run_from[silent], 1)
        np.add.at(skipped, page.run_to[silent], -1)
        shown = (np.cumsum(skipped[:-1]) == 0) & ((page.run_flags & (RAW | CONTINUES)) == 0)
        parts: list[str] = []
        starts: list[int] = []
        size = 0
        for run, is_seen in enumerate(shown.tolist()):
            if edges[run]:
                parts.append(" ")
                size += 1
            text = page.run_text(run) if is_seen else ""
            starts.append(size)
            parts.append(text)
            size += len(text)
        self.starts = [*starts, size]  # of each run
        self.text = "".join(parts)

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

    def runs_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the first run of a range of the text, and the one behind its last."""
        return bisect_right(self.starts, start) - 1, bisect_left(self.starts, end)

    def element_around(self, first: int, last: int) -> int:
        """Return the innermost element that holds runs and that rules may lead to, or -1."""
        page = self.page
        row = int(page.run_row[first])
        while row >= 0 and (page.run_to[row] < last or not is_shown(page, row)):
            row = int(page.parent[row])
        return row

    def text_of(self, row: int) -> str:
        """Return the text of an element."""
        start, end = self.starts[self.page.run_from[row]], self.starts[self.page.run_to[row]]
        return " ".join(self.text[start:end].split())

    def beside(self, run: int) -> tuple[int, str] | None:
        """Return the element that a run follows, and whether it is its lead or its tail."""
        page = self.page
        while run and page.run_flags[run] & CONTINUES:
            run -= 1
        around = int(page.run_row[run])
        before = -1
        child, end = around + 1, int(page.last[around])
        while child < end and page.run_to[child] <= run:
            before, child = child, int(page.last[child])
        row, take = (around, LEAD) if before < 0 else (before, TAIL)
        return (row, take) if run_beside(page, row, take) is not None and is_shown(page, row) else None

    @cached_property
    def attributes(self) -> dict[str, list[tuple[int, str, str]]]:
        """Attributes (row, name, squeezed value) by the words that they are."""
        found: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
        for row, name, value in islice(self._every_attribute(), _ATTRIBUTES_READ):
            found[words_of(value)].append((row, name, value))
        return found

    def _every_attribute(self) -> Iterator[tuple[int, str, str]]:
        page = self.page
        for row in np.flatnonzero((page.flags & MUTED) == 0).tolist():
            if page.inner[row] - page.start[row] > len(page.tags[page.tag[row]]) + 2:
                for name, value in page.element(row).attributes.items():
                    if value and name not in _UNREAD and not name.startswith("on"):
                        yield row, name, " ".join(value.split())


def find_places(shown: ShownText, values: Sequence[str]) -> list[PlaceOfValue]:
    """Return where one of the values stands, whole texts before parts, as given before similar."""
    found: dict[tuple[int, str, str], PlaceOfValue] = {}
    for value in values:
        value = " ".join(value.split())
        words = words_of(value)
        if not words:
            continue
        titles = shown.page.find("title")[:1]
        titled = filter(None, [_part(node.row, LEAD, shown.page.text(node.row), value) for node in titles])
        for place in (*_in_texts(shown, value, words), *titled, *_in_attributes(shown, value, words)):
            key = (place.row, place.take, place.attribute)
            known = found.get(key)
            if known is None or (place.is_whole, place.sameness) > (known.is_whole, known.sameness):
                found[key] = place
    ranked = sorted(found.values(), key=lambda one: (not one.is_whole, one.take == ATTRIBUTE, -one.sameness))
    return ranked[:_PLACES]


def _in_texts(shown: ShownText, value: str, words: str) -> Iterator[PlaceOfValue]:
    """Yield the elements and runs of text whose text is the value, or else holds it."""
    for start, end in shown.find_words(words, _HITS):
        first, last = shown.runs_of(start, end)
        row = shown.element_around(first, last)
        for level in range(_AROUND):
            if row < 0 or words_of(text := shown.text_of(row)) != words:
                break
            yield replace(_place(row, ELEMENT, text, value), level=level)
            row = int(shown.page.parent[row])
        yield from _in_run(shown, value, words, (first, last))


def _in_run(shown: ShownText, value: str, words: str, runs: tuple[int, int]) -> Iterator[PlaceOfValue]:
    first, last = runs
    page = shown.page
    beside = shown.beside(first) if last == first + 1 else None
    if beside is not None:
        text = run_beside(page, *beside) or ""
        if words_of(text) == words:
            yield _place(*beside, text, value)
        elif len(text) <= _TEXT and (part := _part(*beside, text, value)):
            yield part
        return
    row = shown.element_around(first, last)
    if row >= 0 and (text := shown.text_of(row)) and len(text) <= _TEXT:
        part = _part(row, ELEMENT, text, value)
        if part is not None and not part.is_whole:
            yield part


def _in_attributes(shown: ShownText, value: str, words: str) -> Iterator[PlaceOfValue]:
    whole = shown.attributes.get(words, ())[:_HITS]
    for row, name, text in whole:
        yield _place(row, ATTRIBUTE, text, value, name)
    if not whole:
        wanted = f" {words} "
        held = (each for have, rows in shown.attributes.items() if wanted in f" {have} " for each in rows)
        for row, name, text in islice(held, _PARTS_OF_ATTRIBUTES):
            if part := _part(row, ATTRIBUTE, text, value, name):
                yield part


def _place(row: int, take: str, text: str, value: str, attribute: str = "") -> PlaceOfValue:
    sameness = 3 if text == value else 2 if text.casefold() == value.casefold() else 1
    return PlaceOfValue(row, take, attribute, text, 0, len(text), sameness)


def _part(row: int, take: str, text: str, value: str, attribute: str = "") -> PlaceOfValue | None:
    """Return where a value, written as given, begins and ends in a text."""
    if text == value:
        return _place(row, take, text, value, attribute)
    start = text.find(value)
    if start < 0:
        return None
    return PlaceOfValue(row, take, attribute, text, start, start + len(value), 3)
