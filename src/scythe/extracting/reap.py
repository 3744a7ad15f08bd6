"""Join cutting and reading for what a page of a learned site lists: a body and its layout come in, `Lists` go out.

Records are cut from the bytes when they are first asked for. Where the bytes do not tell, the same rules are followed
on the tree; where the rules do not fit the page, it is read cold. What a page says of its subject and the other pages
of a list come from the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from threading import Lock

from scythe.cut.records import RecordCutter, name_region
from scythe.learn.columns import Shown
from scythe.learn.region_groups import Seen
from scythe.learn.thrift import Thrift
from scythe.model import Listed, Lists, Paging, Region
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.page.entries import follow_region
from scythe.page.entry_checks import head_names, judge_cells, judge_count, judge_outside, leave_taken
from scythe.page.entry_columns import EntryReader, read_entries
from scythe.page.sniff import sniff_text
from scythe.page.source import MARK, Source, read_source
from scythe.read.records.candidate import Candidate
from scythe.read.records.fill import fill_region
from scythe.read.records.lists import PageLists
from scythe.read.records.rank import CUT
from scythe.read.records.regions import rank_regions
from scythe.read.records.table import is_head
from scythe.rules import Layout
from scythe.url import Url

_MAYBE = 3  # regions that score so many times less than those read are looked at: on other pages they may be read
_CLEAR = 2 * CUT  # score of a list beyond doubt, on a page of a layout that has none
WHEN_ASKED = "when asked for"


def see_regions(number: int, page: Page) -> list[Seen]:
    """Return the regions that reading finds or nearly finds on a page whose tree knows where it comes from."""
    elements = page.elements
    found: list[Seen] = []
    for one in rank_regions(page):
        if one.score >= CUT / _MAYBE:
            candidate = _without_heads(page, one.candidate)
            fill = partial(fill_region, page, candidate, one.score, one.kind)
            shown = Shown(elements, candidate.rows, candidate.leaves, fill)
            tops = tuple(_tops(elements, rows) for rows in candidate.rows)
            found.append(Seen(number, _offset(elements, candidate.holder), tops, one.score, one.kind, shown))
    return found


@dataclass(frozen=True, slots=True)
class Asked:
    """A page whose lists may be asked for."""

    body: bytes
    url: Url | None
    via: str  # "auto", "cut" or "tree"
    open_page: Callable[[], Page]


class Reaper:
    """Cuts the records of one layout; makes itself ready when first used."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._lock = Lock()

    @cached_property
    def cutter(self) -> RecordCutter:
        """The rules, ready to cut by."""
        return RecordCutter(self.layout)

    def cut(self, body: bytes, url: Url | None) -> tuple[tuple[Region, ...] | None, str, bool]:
        """Return the regions, or None and why, and whether the tree may follow the same rules."""
        with self._lock:  # readers remember the places they met
            found = self.cutter.find(body)
            if found.state != "cut":
                return None, found.why, found.state == "doubt"
            regions = self.cutter.read(body, found, url)
        return regions, "" if regions is not None else "not sure of what is in a record", True

    def follow(self, source: Source, url: Url | None) -> tuple[tuple[Region, ...] | None, str]:
        """Do what `cut` does on the tree of a page; `source` knows where its elements stand."""
        page = Page.from_bytes(source.body, url=url)  # whose records are written without marks
        elements, row_at = page.elements, rows_by_offset(source, page)
        if row_at is None:
            return None, "the page had to be repaired"
        regions: list[Region] = []
        taken: list[tuple[int, int]] = []  # rows of the records of regions before
        for rules in self.layout.regions:
            entries = follow_region(source, rules)
            why = judge_count(rules, len(entries.offsets)) or judge_outside(rules, entries.outside)
            why = why or judge_cells(source.body, head_names(rules), entries.spans(source))
            if why:
                return None, entries.why or why
            firsts = [row_at.get(offset, 0) for offset in entries.offsets]
            lasts = [row_at.get(offset, 0) for offset in entries.last_offsets]
            if 0 in (*firsts, *lasts):
                return None, "a record is not shown"
            rows = [(first, elements.end[last]) for first, last in zip(firsts, lasts, strict=True)]
            free = leave_taken(rows, taken)
            if len(free) > 1:
                leaves = [(elements.leaf_start[firsts[i]], elements.leaf_end[lasts[i]]) for i in free]
                records = read_entries(page, EntryReader(rules.columns), [rows[i] for i in free], leaves)
                regions.append(name_region(records, rules))
        return (tuple(regions), "") if regions else (None, "no records begin as learned")


class SiteLists:
    """What one page of a learned site lists, worked out when asked for; `how` then says in which way.

    Pickled or copied, it becomes what it found.
    """

    def __init__(
        self, asked: Asked, reaper: Reaper | None, how: dict[str, str], saving: tuple[Thrift, str] | None = None
    ) -> None:
        self._asked = asked
        self._saving = saving if reaper is None else None  # and the name of a layout without rules for records
        self._reaper = reaper
        self._how = how
        self.watch: Callable[[str], None] | None = None  # told how the records were got, once
        if reaper is not None:
            how["records"] = f"{'tree' if asked.via == 'tree' else 'cut'}: by rules, {WHEN_ASKED}"

    def records(self) -> tuple[Region, ...]:
        """Return the regions of records, best first."""
        return self._records

    def attributes(self) -> tuple[tuple[str, str], ...]:
        """Return what the page says of its subject."""
        return self._by_tree.attributes()

    def paging(self) -> Paging:
        """Return the other pages of the list that the page is part of."""
        return self._by_tree.paging()

    @cached_property
    def _records(self) -> tuple[Region, ...]:
        found = self._read()
        if self.watch is not None:
            self.watch(self._how["records"])
        return found

    def _read(self) -> tuple[Region, ...]:
        asked, reaper, why = self._asked, self._reaper, ""
        if reaper is not None:
            regions, why, may_follow = (None, "", True) if asked.via == "tree" else reaper.cut(asked.body, asked.url)
            by = "cut"
            if regions is None and asked.via != "cut" and may_follow:
                by, reason = "tree", why
                regions, why = reaper.follow(read_source(asked.body), asked.url)
                why = "; ".join(filter(None, (reason, why)))
            if regions is not None:
                self._how["records"] = f"{by}: {len(regions)} of {len(reaper.layout.regions)} regions by rules" + (
                    f" ({why})" if why else ""
                )
                return regions
        if asked.via == "cut":
            self._how["records"] = f"missing: {why or 'no rule in this layout'}"
            return ()
        if self._saving is not None:
            return self._read_thriftily(*self._saving)
        self._how["records"] = "tree: read cold" + (f" ({why})" if why else "")
        return self._by_tree.records()

    def _read_thriftily(self, thrift: Thrift, layout: str) -> tuple[Region, ...]:
        """Read records by the tree, unless trees of such pages never had any.

        None were learned of this layout, so regions that just pass, such as teasers below an article, do not count.
        """
        doubt = (layout, "records", "")
        if not thrift.is_worth(doubt):
            self._how["records"] = "missing: no rule in this layout, and trees of its pages had none"
            return ()
        self._how["records"] = "tree: read cold"
        regions = tuple(region for region in self._by_tree.records() if region.score >= _CLEAR)
        thrift.note(doubt, found=bool(regions))
        return regions

    @cached_property
    def _by_tree(self) -> Lists:
        page = self._asked.open_page()
        return Listed() if sniff_text(page.html) else PageLists(page)

    def __reduce__(self) -> tuple[type[Listed], tuple[tuple[Region, ...], tuple[tuple[str, str], ...], Paging]]:
        return Listed, (self.records(), self.attributes(), self.paging())


def rows_by_offset(source: Source, page: Page) -> dict[int, int] | None:
    """Map offsets of opening tags to rows of `page.elements`; None where a page is not what its source alone says."""
    marked = page.with_tree(source.tree).elements
    if marked.tag != page.elements.tag:
        return None
    return {mark: row for row in range(len(marked)) if (mark := _offset(marked, row)) >= 0}


def _without_heads(page: Page, candidate: Candidate) -> Candidate:
    """Leave out the rows of a table that are no records but name its columns."""
    elements = page.elements
    if not any(first < last and elements.tag[first] == "tr" for first, last in candidate.rows):
        return candidate
    kept = [i for i, (first, last) in enumerate(candidate.rows) if first >= last or not is_head(elements, first)]
    rows, leaves = candidate.rows, candidate.leaves
    return replace(candidate, rows=tuple(rows[i] for i in kept), leaves=tuple(leaves[i] for i in kept))


def _tops(elements: Elements, rows: tuple[int, int]) -> tuple[int, ...]:
    """Return the offsets of the elements that a record is made of."""
    row, last = rows
    found: list[int] = []
    while row < last:
        found.append(_offset(elements, row))
        row = elements.end[row]
    return tuple(found)


def _offset(elements: Elements, row: int) -> int:
    mark = elements.node[row].attributes.get(MARK)
    return int(mark) if mark and mark.isdecimal() else -1
