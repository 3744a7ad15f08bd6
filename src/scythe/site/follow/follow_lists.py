"""Apply list rules to a parsed page, and put the texts of records into learned columns.

The place of a text is the path of labels from the record to its element. A text in an unknown place goes to the nearest
known column, so that no text is lost. Shares no code with the cutter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from scythe.model import Record
from scythe.page.elements import Elements, Range, html_of, images_in, links_in
from scythe.page.page import Page
from scythe.page.source import Opening, Source, matches
from scythe.site.follow.follow_fields import follow, span_of
from scythe.site.rules import FLOW, ColumnRules, ListRules, Way

_DIGITS = re.compile(r"[0-9]+")
_CLASS_CHARS = 400  # of a class attribute that are looked at
_WORDS = 6
_PLAIN = str.maketrans(">:#", "___")
# what tells one record of a list from the next, not one part of a record from another
_STATES = frozenset(
    "odd even first last active current selected alt alternate middle hidden visible sticky featured clear clearfix "
    "left right new hot unread read lazy lazyload lazyloaded".split()
)


@lru_cache(maxsize=20_000)
def class_words(classes: str) -> tuple[str, ...]:
    """Return the words of a class attribute without numbers and without words for the state of one record."""
    words = _DIGITS.sub("9", classes[:_CLASS_CHARS].lower()).split()
    return tuple(dict.fromkeys(word for word in words if word not in _STATES))[:_WORDS]


@lru_cache(maxsize=20_000)
def label_of(tag: str, classes: str) -> str:
    """Return a tag with the words of its class; it holds neither `>` nor `:`, of which the names of places are made."""
    words = class_words(classes) if classes else ()
    return ".".join((tag, *words)).translate(_PLAIN) if words or not tag.isalnum() else tag


_MOST = 50_000  # places kept; a hostile page may have a new one for every text
_NAME_CHARS = 400  # of a place's name; what is nested deeper than that shares its name with its neighbours


class Places:
    """The places met so far. Numbering only adds to them; the numbers stay good until `is_full`."""

    def __init__(self) -> None:
        self.names: list[str] = [""]  # of each number
        self._next: dict[tuple[int, str, int], int] = {}

    @property
    def is_full(self) -> bool:
        return len(self.names) > _MOST

    def number(self, elements: Elements, rows: tuple[int, int], leaves: tuple[int, int]) -> list[int]:
        """Return the place of each leaf of a record; what is directly in the record's only element has place 0."""
        first, last = rows
        tags, classes, parents = elements.tag, elements.classes, elements.parent
        step, place = self._step, {parents[first] if first < last else -1: 0}
        seen: dict[tuple[int, str], int] = {}
        row = first
        if first < last == elements.end[first]:
            place[first] = 0
            row += 1
        while row < last:
            above = parents[row]
            label = label_of(tags[row], classes[row])
            nth = seen[above, label] = seen.get((above, label), 0) + 1
            place[row] = step(place[above], label, nth)
            row += 1
        return self._texts(elements, leaves, place)

    def _texts(self, elements: Elements, leaves: tuple[int, int], place: dict[int, int]) -> list[int]:
        """Return the places of texts, those directly in the same element counted."""
        found: list[int] = []
        leaf_row = elements.leaf_row
        counts: dict[int, int] = {}
        for leaf in range(*leaves):
            row = leaf_row[leaf]
            nth = counts[row] = counts.get(row, 0) + 1
            at = place.get(row, 0)
            found.append(at if nth == 1 else self._step(at, "#", nth))
        return found

    def _step(self, above: int, label: str, nth: int) -> int:
        key = (above, label, nth)
        found = self._next.get(key)
        if found is None:
            found = self._next[key] = len(self.names)
            self.names.append(_join(self.names[above], label, nth))
        return found


def _join(above: str, label: str, nth: int) -> str:
    name = f"{above}>{label}:{nth}" if nth > 1 else f"{above}>{label}"
    return name if len(name) <= _NAME_CHARS else above


def uncounted(name: str) -> str:
    """Return the name of a place without the numbers that tell siblings apart."""
    return ">".join([part.partition(":")[0] for part in name.split(">") if part[:1] != "#"])


def unclassed(name: str) -> str:
    """Return the tags that a place is in."""
    return ">".join([part.partition(":")[0].partition(".")[0] for part in name.split(">") if part[:1] != "#"])


_MAKES = 1_000  # makes of records kept


class ColumnFinder:
    """Knows the column of every place: its own, or that of the place most like it."""

    def __init__(self, columns: Sequence[ColumnRules]) -> None:
        self._exact: dict[str, int] = {}
        self._alike: dict[str, int] = {}  # without the numbers of siblings: those beyond the known share the last one
        self._tags: dict[str, int] = {}
        self._below: dict[str, int] = {"": 0}
        for number, column in enumerate(columns):
            for name in column.places:
                self._exact[name] = number
                self._alike[uncounted(name)] = number
                self._tags[unclassed(name)] = number
                above = uncounted(name)
                while above:
                    self._below[above] = number
                    above = above.rpartition(">")[0]

    def find(self, name: str) -> int:
        """Return the number of the column of a place."""
        number = self._exact.get(name)
        if number is None:
            number = self._alike.get(above := uncounted(name))
        if number is None:
            number = self._tags.get(unclassed(name))
        while number is None:
            number = self._below.get(above)
            above = above.rpartition(">")[0]
        return number


class EntryReader:
    """Reads the records of one list. What it remembers of those it met changes the time taken, nothing else."""

    def __init__(self, columns: Sequence[ColumnRules]) -> None:
        self._finder = ColumnFinder(columns)
        self._width = len(columns)
        self._places = Places()
        self._columns: list[int] = []  # of each place
        self._makes: dict[tuple[object, ...], list[int]] = {}  # the columns of the leaves of records built alike

    def fields(self, elements: Elements, rows: Range, leaves: Range) -> tuple[str, ...]:
        """Return the texts of one record, one per column."""
        found = [""] * self._width
        for at, text in zip(self._find(elements, rows, leaves), elements.text[slice(*leaves)], strict=True):
            found[at] = f"{found[at]} {text}" if found[at] else text
        return tuple(found)

    def _find(self, elements: Elements, rows: Range, leaves: Range) -> list[int]:
        """Return the column of each leaf. Most records are built alike, down to the classes: each make once."""
        first, last = rows
        inner = slice(first + (elements.end[first] == last), last)
        holders = [row - first for row in elements.leaf_row[slice(*leaves)]]
        depths = elements.depth[inner]  # with the order they tell what is inside what
        make = (depths[0] - elements.depth[first] if depths else 0, *holders, "", *elements.tag[inner], "")
        make += (*elements.classes[inner], "", *depths) if depths else ()
        known = self._makes.get(make)
        if known is None:
            known = self._makes[make] = self._work_out(elements, rows, leaves)
        return known

    def _work_out(self, elements: Elements, rows: Range, leaves: Range) -> list[int]:
        if self._places.is_full or len(self._makes) > _MAKES:
            self._places, self._columns = Places(), []
            self._makes.clear()
        places, columns = self._places, self._columns
        numbers = places.number(elements, rows, leaves)
        columns.extend([self._finder.find(name) for name in places.names[len(columns) :]])
        return [columns[number] for number in numbers]


def read_entries(page: Page, reader: EntryReader, rows: Sequence[Range], leaves: Sequence[Range]) -> tuple[Record, ...]:
    """Return the records whose rows and leaves are given."""
    elements, base = page.elements, page.base
    sources = page.image_sources
    return tuple(
        Record(
            reader.fields(elements, row, leaf),
            links_in(elements, row, base),
            images_in(elements, row, sources),
            html_of(elements, row),
        )
        for row, leaf in zip(rows, leaves, strict=True)
    )


Span = tuple[int, int]  # bytes

_FEW = 3  # times fewer records than the page with the fewest had: worth a second look
_SPANNING = re.compile(rb"(?:row|col)span", re.I)
_FOLLOWING = re.compile(rb"[\t\n\f\r ]*+(<[A-Za-z][^\t\n\f\r />]*)")
_NAME = re.compile(rb"<[A-Za-z][^\t\n\f\r />]*")


def judge_count(rules: ListRules, count: int) -> str:
    """Say what is strange about the number of records, if anything is. One alone is no list.

    Where records stand side by side, one of an unknown make would be noticed, and few are just few.
    """
    if count < 2 and rules.is_expected:
        return "no records begin as learned"
    is_few = not rules.tight and 1 < count * _FEW < rules.fewest
    return "far fewer records than usual" if is_few else ""


def find_lookalike(body: bytes, names: Collection[bytes], spans: Sequence[Span]) -> bool:
    """Say whether a tag with the name of a record stands between two or next to them: perhaps one of a new make."""
    gaps = ((end, start) for (_, end), (start, _) in pairwise(spans))
    if any(body.find(name, end, start) >= 0 for end, start in gaps if start - end > 2 for name in names):
        return True
    following = _FOLLOWING.match(body, spans[-1][1]) if spans else None
    return following is not None and following[1] in names


def leave_taken(spans: Sequence[Span], taken: list[Span]) -> list[int]:
    """Return the numbers of the ranges that overlap none of those taken, which are sorted, and take them too."""
    free = [i for i, (start, end) in enumerate(spans) if not _overlaps(start, end, taken)]
    taken.extend(spans[i] for i in free)
    taken.sort()
    return free


def _overlaps(start: int, end: int, taken: list[Span]) -> bool:
    at = bisect_left(taken, (end, 0))  # those before it begin before `end`
    return at > 0 and taken[at - 1][1] > start


def judge_outside(rules: ListRules, outside: int) -> str:
    """Say whether there are many more elements like records outside of the holder than ever: another list, perhaps."""
    many = 2 * rules.outside + 2
    return "more records than usual stand elsewhere" if rules.holder and outside > many else ""


def judge_cells(body: bytes, names: Collection[bytes], spans: Sequence[Span]) -> str:
    """Say whether cells of rows span others: their columns are then told by the whole table, not by their number."""
    rows = spans if any(name.lower() == b"<tr" for name in names) else ()
    return "cells that span others" if any(_SPANNING.search(body, *row) for row in rows) else ""


def head_names(rules: ListRules) -> frozenset[bytes]:
    """Return the `<name` of each literal that begins a record."""
    found = (_NAME.match(literal) for literal in rules.heads)
    return frozenset(name[0] for name in found if name)


MOST_RECORDS = 1_000  # tags of one literal on a page; beyond, neither cut nor tree rule says anything

_WHOLE = Way(FLOW, ())

Siblings = tuple[LexborNode, ...]


class Entries(NamedTuple):
    """The records of a list: the nodes of each and where its first and last element begin; or why there are none."""

    nodes: tuple[Siblings, ...] = ()
    offsets: tuple[int, ...] = ()
    last_offsets: tuple[int, ...] = ()
    why: str = ""
    outside: int = 0  # elements like heads that are not in the holder

    def spans(self, source: Source) -> list[tuple[int, int]]:
        """Return the byte range of each record, as far as the source shows it."""
        lasts = [source.at(offset) for offset in self.last_offsets]
        ends = [span_of(source, last, _WHOLE)[1] if last is not None else 0 for last in lasts]
        return list(zip(self.offsets, ends, strict=True))


def follow_list(source: Source, rules: ListRules) -> Entries:
    """Return the records that the rules of a list lead to on the tree, to the letter as a cut does."""
    holder: Opening | None = None
    if rules.holder:
        found = (follow(source, way, loosely=False).openings for way in rules.holder)
        holder = next((openings[0] for openings in found if openings), None)
        if holder is None:
            return Entries(why="the element around the records was not found")
    matching, why = _match(source, rules)
    if why:
        return Entries(why=why)
    outer = _outermost(matching, holder)
    outside = _count_outside(matching, holder) if holder is not None else 0
    runs: list[list[Opening]] = []
    for opening, is_head in outer:
        if is_head:
            runs.append([opening])
        elif runs:
            runs[-1].append(opening)
    if not runs:
        return Entries(why="no records begin as learned")
    nodes = [_siblings(run) for run in runs]
    lasts = [run[-1] if len(own) > 1 else run[0] for own, run in zip(nodes, runs, strict=True)]
    firsts = tuple(run[0].offset for run in runs)
    return Entries(tuple(nodes), firsts, tuple(last.offset for last in lasts), outside=outside)


def _match(source: Source, rules: ListRules) -> tuple[list[tuple[Opening, bool]], str]:
    """Return the elements that match a literal, in the order of the source, with whether they begin a record."""
    body = source.body
    found: dict[int, tuple[Opening, bool]] = {}
    for literal in dict.fromkeys((*rules.heads, *rules.members)):
        count, at = 0, body.find(literal)
        while at >= 0:
            opening = source.at(at)
            if opening is not None and opening.shown and matches(body, at, literal):
                found[at] = (opening, literal in rules.heads or (at in found and found[at][1]))
                count += 1
                if count >= MOST_RECORDS:
                    return [], "too many records"
            at = body.find(literal, at + 1)
    return [found[at] for at in sorted(found)], ""


def _outermost(matching: list[tuple[Opening, bool]], holder: Opening | None) -> list[tuple[Opening, bool]]:
    """Keep the elements inside the holder that are inside no other of them."""
    inside = {opening.node.mem_id for opening, _ in matching}
    around = holder.node.mem_id if holder is not None else -1
    kept = []
    for opening, is_head in matching:
        above = opening.node.parent
        while above is not None and above.mem_id != around and above.mem_id not in inside:
            above = above.parent
        reached = above.mem_id if above is not None else -1
        if reached == around:
            kept.append((opening, is_head))
    return kept


def _count_outside(matching: list[tuple[Opening, bool]], holder: Opening) -> int:
    around, count = holder.node.mem_id, 0
    for opening, is_head in matching:
        above = opening.node.parent if is_head else None
        while above is not None and above.mem_id != around:
            above = above.parent
        count += is_head and above is None
    return count


def _siblings(run: list[Opening]) -> Siblings:
    """Return the nodes from the first element of a record to its last one, what stands between them included."""
    last = run[-1].node.mem_id
    nodes: list[LexborNode] = []
    node: LexborNode | None = run[0].node
    while node is not None:
        nodes.append(node)
        if node.mem_id == last:
            return tuple(nodes)
        node = node.next
    return (run[0].node,)
