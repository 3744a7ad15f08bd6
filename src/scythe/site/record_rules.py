"""Rules that cut the records of a layout's lists out of a page map, and put their texts into learned columns.

`LayoutListReader(layout).cut(page, base)` gives what reading the page cold would list, or says why the page should be
read. A rule says which elements begin a record; its columns are known by the places of texts inside a record, each the
path of labels from the record down. A text in an unknown place goes to the nearest known column, so that none is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scythe.model import Record, RecordList, Span
from scythe.page.blocks import KIND, SKIP
from scythe.page.images import source_of
from scythe.page.map import BLANK, CONTINUES, RAW, PageMap
from scythe.site.evidence import tag_number
from scythe.site.select import Selector, distinct, matches, outermost, rows
from scythe.url import Url, absolute

USUALLY = 0.9  # share of the pages learned that have a list; one that is there less often may be missing
MOST_RECORDS = 1_000  # of one list
LOOKALIKE = "something stands between records that may be one"
UNSHOWN = "records stand in what the page does not show"
_TABLE_ROWS = 4  # from which a table may be one of data
_SEVERAL = 3  # records that make a list
_FEW = 3  # times fewer records than the page with the fewest had: worth a second look
_SPANNING = re.compile(rb"(?:row|col)span", re.I)

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RecordColumn:
    """One column of a list: its name, and the places inside a record whose texts stand in it."""

    name: str
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordRules:
    """How to get the records of one list: each of `heads` begins one, `members` that follow are part of it."""

    heads: tuple[Selector, ...] = ()
    tag: str = ""  # instead of heads: every element with this tag ...
    below: int = 0  # ... so many levels below the holder
    members: tuple[Selector, ...] = ()  # of further siblings that make up a record, as `dd` follows `dt`
    holder: Selector | None = None  # the element around all records; None: the whole page
    columns: tuple[RecordColumn, ...] = ()
    kind: str = "list"
    pattern: str = ""  # the tag tree that the records share
    score: int = 0  # thousandths, mean of the pages learned
    pages: int = 0  # of the layout that were learned
    present: int = 0  # of them that have the list
    fewest: int = 0  # records of a page that has it
    most: int = 0
    tight: bool = False  # nothing with the tag of a record ever stood between two of them

    @property
    def is_expected(self) -> bool:
        """Whether nearly all pages learned have the list, so that a page without it is worth a second look."""
        return 0 < USUALLY * self.pages <= self.present


@dataclass(frozen=True, slots=True)
class LayoutRecords:
    """What the pages of a layout list, best first."""

    lists: tuple[RecordRules, ...] = ()
    pages: int = 0  # that were learned; 0: nothing is known
    without: int = 0  # of them, those that list nothing
    why: str = ""  # they cannot be cut
    tables: bool = False  # tables of data stand anywhere: a page with one that no rule selects is read
    other: tuple[Selector, ...] = ()  # records of lists without rules: a page with several is read
    keys: tuple[int, ...] = ()  # of elements with a class or an id on these pages: siblings of others may be a list


@dataclass(frozen=True, slots=True)
class PlacedRecords:
    """The records of one list on one page: the elements of each, siblings; or why the rules do not fit."""

    records: tuple[tuple[int, ...], ...] = ()
    why: str = ""


class LayoutListReader:
    """Cuts the lists of pages of one layout. What it remembers of those it met changes the time taken, nothing else."""

    def __init__(self, layout: LayoutRecords) -> None:
        self.layout = layout
        self._readers = [RecordReader(rules.columns) for rules in layout.lists]
        self._keys = np.array(layout.keys, np.uint64)

    def cut(self, page: PageMap, base: Url | None) -> tuple[tuple[RecordList, ...] | None, str]:
        """Return the lists of a page, or None and why it should be read."""
        layout = self.layout
        if layout.why or not layout.pages:
            return None, layout.why or "nothing is known of what its pages list"
        found: list[tuple[RecordRules, RecordReader, tuple[tuple[int, ...], ...]]] = []
        shown = shown_rows(page)
        taken: list[tuple[int, int]] = []
        for rules, reader in zip(layout.lists, self._readers, strict=True):
            placed = place_records(page, rules)
            why = placed.why or judge_count(rules, len(placed.records))
            if why:
                return None, why
            if not all(shown[record[0]] for record in placed.records):
                return None, UNSHOWN
            free = leave_taken(page, placed.records, taken)
            if len(free) > 1:  # one alone is no list
                found.append((rules, reader, free))
        if not found and not layout.without:
            return None, "no records begin as learned"
        if layout.tables and has_other_table(page, [record for _, _, free in found for record in free]):
            return None, "a table that no rule selects"
        if any(len(matches(page, sign)) >= _SEVERAL for sign in layout.other):
            return None, "a list that no rule selects"
        if len(self._keys) and has_new_siblings(page, self._keys):
            return None, "siblings of a kind that no page learned had"
        lists: list[RecordList] = []
        for rules, reader, records in found:
            names = tuple(column.name for column in rules.columns)
            read = reader.read(page, shown, records, base)
            lists.append(RecordList(read, names, rules.kind, rules.score / 1_000, rules.pattern))
        return tuple(lists), ""


def judge_count(rules: RecordRules, count: int) -> str:
    """Say what is strange about the number of records, if anything is. One alone is no list.

    Where records stand side by side, one of an unknown make would be noticed, and few are just few.
    """
    if count < 2 and rules.is_expected:
        return "no records begin as learned"
    is_few = not rules.tight and 1 < count * _FEW < rules.fewest
    return "far fewer records than usual" if is_few else ""


def leave_taken(
    page: PageMap, records: Sequence[tuple[int, ...]], taken: list[tuple[int, int]]
) -> tuple[tuple[int, ...], ...]:
    """Return the records that overlap none of the lists before, and take their rows."""
    own = [(record[0], int(page.last[record[-1]])) for record in records]
    free = [
        record
        for record, (first, last) in zip(records, own, strict=True)
        if not any(first < end and start < last for start, end in taken)
    ]
    if free:
        taken.append((free[0][0], int(page.last[free[-1][-1]])))
    return tuple(free)


def place_records(page: PageMap, rules: RecordRules) -> PlacedRecords:
    """Return the elements of the records of a list, or why the rules do not fit."""
    first, behind = 0, len(page.tag)
    if rules.holder is not None:
        around = rows(page, rules.holder)
        if not len(around):
            return PlacedRecords(why="the element around the records was not found" if rules.is_expected else "")
        first, behind = int(around[0]), int(page.last[around[0]])
    heads = _find(page, rules, first, behind)
    if len(heads) > MOST_RECORDS:
        return PlacedRecords(why="too many records")
    members = _union(page, rules.members, first, behind) if rules.members else heads[:0]
    every = outermost(distinct(np.concatenate((heads, members))), page.last)
    records = _join(page, every, heads) if len(members) else [(row,) for row in every.tolist()]
    if records is None:
        return PlacedRecords(why="something stands between the parts of a record")
    names = {page.tags[page.tag[record[0]]] for record in records}
    if "tr" in names:
        records = [record for record in records if not is_head_row(page, record[0])]
        if records and _SPANNING.search(page.source, page.start[records[0][0]], page.end[records[-1][-1]]):
            return PlacedRecords(why="cells that span others")
    if rules.tight and has_lookalike(page, records):
        return PlacedRecords(why=LOOKALIKE)
    return PlacedRecords(tuple(records))


def _find(page: PageMap, rules: RecordRules, first: int, behind: int) -> Rows:
    if not rules.tag:
        return _union(page, rules.heads, first, behind)
    inside = slice(first + 1, behind)
    wanted = (page.tag[inside] == tag_number(page, rules.tag)) & (page.depth[inside] == page.depth[first] + rules.below)
    return np.flatnonzero(wanted) + first + 1


def _union(page: PageMap, selectors: Sequence[Selector], first: int, behind: int) -> Rows:
    parts = [matches(page, selector) for selector in selectors]
    found = parts[0] if len(parts) == 1 else distinct(np.concatenate(parts)) if parts else np.zeros(0, np.intp)
    return found[(found >= first) & (found < behind)] if first or behind < len(page.tag) else found


def _join(page: PageMap, every: Rows, heads: Rows) -> list[tuple[int, ...]] | None:
    """Join elements to records, each from a head to the last member before the next; None where more is between."""
    begins = set(heads.tolist())
    records: list[list[int]] = []
    for row in every.tolist():
        if row in begins:
            records.append([row])
        elif records:
            behind = page.last[records[-1][-1]]
            if behind != row and np.any(shown_rows(page)[behind:row]):
                return None
            records[-1].append(row)
    return [tuple(record) for record in records]


def is_head_row(page: PageMap, row: int) -> bool:
    """Say whether all cells of a table row are head cells, two at least."""
    inside = slice(row + 1, int(page.last[row]))
    cells = page.tag[inside][page.parent[inside] == row]
    return len(cells) > 1 and bool((cells == tag_number(page, "th")).all())


def has_other_table(page: PageMap, records: Sequence[tuple[int, ...]]) -> bool:
    """Say whether a table of four rows or more stands outside of all records and is not made of them."""
    lines = np.flatnonzero(page.tag == tag_number(page, "tr"))
    for record in records:
        lines = lines[(lines < record[0]) | (lines >= page.last[record[-1]])]
    tables = np.flatnonzero(page.tag == tag_number(page, "table"))
    held = np.searchsorted(lines, page.last[tables]) - np.searchsorted(lines, tables)
    return bool(np.any(held >= _TABLE_ROWS))


def has_new_siblings(page: PageMap, known: NDArray[np.uint64]) -> bool:
    """Say whether elements with a class or an id stand side by side whose key is none of those known."""
    unknown = page.signature[~np.isin(page.signature, known)]
    rows = np.flatnonzero(np.isin(page.key, unknown)) if len(unknown) else unknown
    if len(rows) < 2:
        return False
    order = np.lexsort((page.key[rows], page.parent[rows]))
    parents, keys = page.parent[rows][order], page.key[rows][order]
    return bool(((parents[1:] == parents[:-1]) & (keys[1:] == keys[:-1])).any())


def has_lookalike(page: PageMap, records: Sequence[tuple[int, ...]]) -> bool:
    """Say whether an element with the tag of a record stands between two or right behind: perhaps one of a new make."""
    tags = {int(page.tag[record[0]]) for record in records}
    for one, following in pairwise(records):
        behind = int(page.last[one[-1]])
        if behind < following[0] and any(int(tag) in tags for tag in page.tag[behind : following[0]]):
            return True
    if not records:
        return False
    row = int(page.last[records[-1][-1]])
    return row < page.last[page.parent[records[-1][-1]]] and int(page.tag[row]) in tags


@lru_cache(maxsize=64)
def _kinds(tags: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.array([KIND.get(name) == SKIP for name in tags])


def shown_rows(page: PageMap) -> NDArray[np.bool_]:
    """Return for each element whether reading looks at it: not inside scripts, templates and the like."""
    skipped = np.flatnonzero(_kinds(tuple(page.tags))[page.tag])
    shown = np.ones(len(page.tag), bool)
    for row in outermost(skipped, page.last).tolist():
        shown[row : page.last[row]] = False
    return shown


def leaves_of(page: PageMap, shown: NDArray[np.bool_], first: int, behind: int) -> tuple[Rows, list[str]]:
    """Return the runs of a range that begin a text node with more than white space that is shown, and these texts."""
    flags = page.run_flags[first:behind]
    found = np.flatnonzero((flags & (CONTINUES | RAW | BLANK)) == 0) + first
    found = found[shown[page.run_row[found]]]
    texts = [" ".join(page.run_text(run).split()) for run in found.tolist()]
    if "" in texts:  # white space that HTML takes for letters
        found = found[[bool(text) for text in texts]]
    return found, [text for text in texts if text]


_DIGITS = re.compile(r"[0-9]+")
_CLASS_CHARS = 400  # of a class attribute that are looked at
_PLAIN = str.maketrans(">:#", "___")
# what tells one record of a list from the next, not one part of a record from another
_STATES = frozenset(
    "odd even first last active current selected alt alternate middle hidden visible sticky featured clear clearfix "
    "left right new hot unread read lazy lazyload lazyloaded".split()
)
_NAME_CHARS = 400  # of a place's name; what is nested deeper than that shares its name with its neighbours


@lru_cache(maxsize=20_000)
def label_of(tag: str, classes: str) -> str:
    """Return a tag with the first word of its class, unless that tells the state of one record."""
    words = classes[:_CLASS_CHARS].lower().split()[:1]
    word = _DIGITS.sub("9", words[0]) if words else ""
    return f"{tag}.{word}".translate(_PLAIN) if word and word not in _STATES else tag.translate(_PLAIN)


def places_in(page: PageMap, record: tuple[int, ...], leaves: Rows, labels: dict[int, str] | None = None) -> list[str]:
    """Return the place of each text of a record; what is directly in the record's only element has the place "".

    Siblings of one label are numbered, and the texts directly in one element. `labels` keeps those of keys met before.
    """
    labels = {} if labels is None else labels
    first, behind = record[0], int(page.last[record[-1]])
    place = {int(page.parent[first]): ""}
    if len(record) == 1:
        place[first] = ""
        first += 1
    keys, parents, tags = (column[first:behind].tolist() for column in (page.key, page.parent, page.tag))
    seen: dict[tuple[int, str], int] = {}
    for row, key, parent, tag in zip(range(first, behind), keys, parents, tags, strict=True):
        label = labels.get(key)
        if label is None:
            label = labels[key] = label_of(page.tags[tag], page.element(row).attributes.get("class") or "")
        nth = seen[parent, label] = seen.get((parent, label), 0) + 1
        place[row] = _below(place[parent], label, nth)
    counts: dict[int, int] = {}
    found: list[str] = []
    for row in page.run_row[leaves].tolist():
        nth = counts[row] = counts.get(row, 0) + 1
        at = place.get(row, "")
        found.append(at if nth == 1 else _below(at, "#", nth))
    return found


def _below(above: str, label: str, nth: int) -> str:
    name = f"{above}>{label}:{nth}" if nth > 1 else f"{above}>{label}"
    return name if len(name) <= _NAME_CHARS else above


def uncounted(name: str) -> str:
    """Return the name of a place without the numbers that tell siblings apart."""
    return ">".join([part.partition(":")[0] for part in name.split(">") if part[:1] != "#"])


def unclassed(name: str) -> str:
    """Return the tags that a place is in."""
    return ">".join([part.partition(":")[0].partition(".")[0] for part in name.split(">") if part[:1] != "#"])


class ColumnIndex:
    """Knows the column of every place: its own, or that of the place most like it."""

    def __init__(self, columns: Sequence[RecordColumn]) -> None:
        self._exact: dict[str, int] = {}
        self._alike: dict[str, int] = {}  # without the numbers of siblings: those beyond the known share the last one
        self._tags: dict[str, int] = {}
        self._under: dict[str, int] = {"": 0}
        for number, column in enumerate(columns):
            for name in column.places:
                self._exact[name] = number
                self._tags[unclassed(name)] = number
                above = uncounted(name)
                self._alike[above] = number
                while above:
                    self._under[above] = number
                    above = above.rpartition(">")[0]

    def find(self, name: str) -> int:
        """Return the number of the column of a place."""
        number = self._exact.get(name)
        if number is None:
            number = self._alike.get(above := uncounted(name))
        if number is None:
            number = self._tags.get(unclassed(name))
        while number is None:
            number = self._under.get(above)
            above = above.rpartition(">")[0]
        return number


_MAKES = 1_000  # makes of records kept
_PLACES = 50_000  # labels and places kept


class RecordReader:
    """Reads the records of one list. Most are built alike, and each make is worked out once."""

    def __init__(self, columns: Sequence[RecordColumn]) -> None:
        self._finder = ColumnIndex(columns)
        self._width = len(columns)
        self._makes: dict[tuple[bytes, ...], list[int]] = {}
        self._labels: dict[int, str] = {}  # of keys
        self._known: dict[str, int] = {}  # columns of places

    def read(
        self, page: PageMap, shown: NDArray[np.bool_], records: Sequence[tuple[int, ...]], base: Url | None
    ) -> tuple[Record, ...]:
        """Return the records whose elements are given."""
        return tuple([self._record(page, shown, records, at, base) for at in range(len(records))])

    def _record(
        self, page: PageMap, shown: NDArray[np.bool_], records: Sequence[tuple[int, ...]], at: int, base: Url | None
    ) -> Record:
        record = records[at]
        first, behind = record[0], int(page.last[record[-1]])
        leaves, texts = leaves_of(page, shown, int(page.run_from[first]), int(page.run_to[record[-1]]))
        fields = [""] * self._width
        spans: list[Span | None] = [None] * self._width  # of a field with others between its parts: none
        starts, ends = page.run_start[leaves].tolist(), page.run_end[leaves].tolist()
        last = -1
        for column, text, start, end in zip(self._columns(page, record, leaves), texts, starts, ends, strict=True):
            if fields[column]:
                before = spans[column]
                fields[column] = f"{fields[column]} {text}"
                spans[column] = (before[0], end) if before is not None and column == last else None
            else:
                fields[column], spans[column] = text, (start, end)
            last = column
        inside = np.flatnonzero(shown[first:behind]) + first
        around = link_around(page, records, at)
        return Record(
            tuple(fields),
            _links(page, [*([around] if around is not None else []), *_tagged(page, inside, ("a",))], base),
            _images(page, _tagged(page, inside, ("img", "amp-img")), base),
            html_of(page, shown, record),
            spans=tuple(spans) if starts == sorted(starts) else (),  # what was moved in the tree has no one range
        )

    def _columns(self, page: PageMap, record: tuple[int, ...], leaves: Rows) -> list[int]:
        first, behind = record[0], int(page.last[record[-1]])
        make = (
            page.key[first:behind].tobytes(),
            (page.parent[first:behind] - first).tobytes(),
            (page.run_row[leaves] - first).tobytes(),
        )
        known = self._makes.get(make)
        if known is None:
            if len(self._makes) >= _MAKES or len(self._labels) + len(self._known) >= _PLACES:
                for cache in (self._makes, self._labels, self._known):
                    cache.clear()
            known = [self._column(name) for name in places_in(page, record, leaves, self._labels)]
            self._makes[make] = known
        return known

    def _column(self, name: str) -> int:
        number = self._known.get(name)
        if number is None:
            number = self._known[name] = self._finder.find(name)
        return number


def _tagged(page: PageMap, found: Rows, names: Sequence[str]) -> list[int]:
    tags = page.tag[found]
    wanted = np.zeros(len(found), bool)
    for name in names:
        if name in page.tags:
            wanted |= tags == page.tags.index(name)
    own: list[int] = found[wanted].tolist()
    return own


def link_around(page: PageMap, records: Sequence[tuple[int, ...]], at: int) -> int | None:
    """Return the link that a record, and no other record, is inside of."""
    row = int(page.parent[records[at][0]])
    before = int(page.last[records[at - 1][-1]]) if at else 0
    after = records[at + 1][0] if at + 1 < len(records) else len(page.tag)
    while row > 0 and row >= before and page.last[row] <= after:
        if page.tags[page.tag[row]] == "a":
            return row
        if page.tags[page.tag[row]] == "body":
            return None
        row = int(page.parent[row])
    return None


def _links(page: PageMap, links: Sequence[int], base: Url | None) -> tuple[Url, ...]:
    written = dict.fromkeys([page.element(row).attributes.get("href") or "" for row in links])
    return tuple(dict.fromkeys([url for text in written if text and (url := absolute(text, base)) is not None]))


def _images(page: PageMap, images: Sequence[int], base: Url | None) -> tuple[Url, ...]:
    sources = (source_of(page.element(row), base) for row in images)
    return tuple(dict.fromkeys(src for src in sources if src is not None))


def html_of(page: PageMap, shown: NDArray[np.bool_], record: tuple[int, ...]) -> str:
    """Return the elements of a record as they are on the page, with the text between them."""
    parts: list[str] = []
    run = int(page.run_from[record[0]])
    for row in record:
        between = leaves_of(page, shown, run, int(page.run_from[row]))[1] if run < page.run_from[row] else []
        if between:
            parts.append(escape(" ".join(between), quote=False) + " ")
        parts.append(page.element(row).html or "")
        run = int(page.run_to[row])
    return "".join(parts)


def base_of(page: PageMap, url: Url | None) -> Url | None:
    """Return the address that relative links of a page are relative to."""
    for node in page.find("base"):
        if href := node.attributes.get("href"):
            return absolute(href, url) or url
    return url
