"""Learn rules that cut the lists of a layout: `learn_records(maps, pages)` gives a `LayoutRecords`.

The lists that reading finds on three to six pages are matched by where their records stand; a rule must select those
records on nearly all pages. A layout gets rules for all of its lists or none, so that nothing is missing silently.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scythe.model import RecordList
from scythe.page import Page
from scythe.page.map import BLANK, PageMap
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.fill import fill_list
from scythe.reading.lists.find_lists import CUT, rank_lists
from scythe.site.record_rules import (
    MOST_RECORDS,
    LayoutRecords,
    RecordColumn,
    RecordRules,
    has_lookalike,
    is_head_row,
    leaves_of,
    place_records,
    places_in,
    shown_rows,
)
from scythe.site.select import Selector, candidates
from scythe.site.value_places import is_keyed

_MAYBE = 3  # lists that score so many times less than those read are looked at: on other pages they may be read
_OUT = 3  # elements around a record that hold no more than it
_HEADS = 8  # selectors that may begin a record
_RIGHT = 0.9  # of the records that a rule selects must be those that reading found, and the other way round
_AGREE = 0.6  # of the pages on which a rule or reading finds any: they agree on so many records
_SLIPS = 0.2  # of these pages, at most, reading found nothing where a rule selects: it took others for the records
_KEYED_SLIPS = 0.5  # ... where the records have names of their own
_ALONE = 8  # records that a list of one page alone must have
_COVERED = 0.85  # of all records that reading found must be selected
_SURE = 0.3  # score of a list that is missed where no rule selects it; below, reading is of two minds
_REGIONS = 20  # of one layout
_HOLDERS = 4  # selectors of the element around records that are tried

Records = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SeenList:
    """A list as reading found it on one page: the elements of its records, rows of the page map."""

    page: int
    holder: int
    records: Records
    score: float
    kind: str
    source: tuple[Page, Candidate]

    def fill(self) -> RecordList:
        """Return what reading makes of it; it costs a millisecond."""
        return fill_list(self.source[0], self.source[1], self.score, self.kind)


def see_lists(number: int, page: PageMap, read: Page) -> list[SeenList] | None:
    """Return the lists that reading finds or nearly finds on a page, None where its map and tree differ.

    Lists without elements of their own, such as lines of text, have no records.
    """
    elements = read.elements
    shown = np.flatnonzero(shown_rows(page))
    if [page.tags[tag] for tag in page.tag[shown].tolist()] != elements.tag:
        return None
    row_of: list[int] = shown.tolist()
    found: list[SeenList] = []
    for one in rank_lists(read):
        if one.score < CUT / _MAYBE:
            continue
        candidate = one.candidate
        records: list[tuple[int, ...]] = []
        kept: list[int] = []
        for number_of, (row, last) in enumerate(candidate.rows):
            tops: list[int] = []
            while row < last:
                tops.append(row_of[row])
                row = elements.end[row]
            if tops and page.tags[page.tag[tops[0]]] == "tr" and is_head_row(page, tops[0]):
                continue
            records.append(tuple(tops))
            kept.append(number_of)
        if not all(records) or len(records) > MOST_RECORDS:
            records = []
        else:
            candidate = replace(
                candidate,
                rows=tuple(candidate.rows[i] for i in kept),
                leaves=tuple(candidate.leaves[i] for i in kept),
            )
            records = _settle(page, records)
        holder = row_of[one.candidate.holder]
        found.append(SeenList(number, holder, tuple(records), one.score, one.kind, (read, candidate)))
    return found


def _settle(page: PageMap, records: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return records by their outermost elements: on which of several that hold the same reading settles is chance."""
    for _ in range(_OUT):
        if any(len(record) > 1 for record in records):
            return records
        above = [int(page.parent[row]) for (row,) in records]
        if len(set(above)) < len(above) or min(above) <= 0:
            return records
        if any(not _holds_same(page, outer, row) for outer, (row,) in zip(above, records, strict=True)):
            return records
        records = [(row,) for row in above]
    return records


def _holds_same(page: PageMap, outer: int, inner: int) -> bool:
    flags = page.run_flags
    before = flags[page.run_from[outer] : page.run_from[inner]]
    behind = flags[page.run_to[inner] : page.run_to[outer]]
    return bool(np.all(before & BLANK)) and bool(np.all(behind & BLANK))


@dataclass(frozen=True, slots=True)
class ListGroup:
    """What seems to be the same list on several pages."""

    seen: tuple[SeenList, ...]

    @property
    def pages(self) -> list[int]:
        """Pages that have it."""
        return sorted({one.page for one in self.seen})

    @property
    def count(self) -> int:
        """Records of all pages."""
        return sum(len(one.records) for one in self.seen)

    @property
    def score(self) -> float:
        """How sure reading is of it, on the mean."""
        return sum(one.score for one in self.seen) / len(self.seen)

    def on(self, page: int) -> set[tuple[int, ...]]:
        """Return the records of a page."""
        return {record for one in self.seen if one.page == page for record in one.records}


def group_seen(maps: Sequence[PageMap], seen: Iterable[SeenList]) -> list[ListGroup]:
    """Return the lists that are the same on several pages: by where their records stand, then by what is around."""
    groups: list[ListGroup] = []
    for alike in _bucket(seen, lambda one: _main(maps[one.page].path[_firsts(one)])):
        parts = [alike]
        if len({one.page for one in alike}) < len(alike):
            apart = _bucket(alike, lambda one: int(maps[one.page].key[one.holder]))
            if all(len({one.page for one in part}) == len(part) for part in apart):
                parts = apart
        groups += [ListGroup(tuple(part)) for part in parts]
    return groups


def _bucket(seen: Iterable[SeenList], key: Callable[[SeenList], int]) -> list[list[SeenList]]:
    buckets: dict[int, list[SeenList]] = defaultdict(list)
    for one in seen:
        buckets[key(one)].append(one)
    return list(buckets.values())


def _firsts(one: SeenList) -> list[int]:
    return [record[0] for record in one.records]


def _main(hashes: NDArray[np.uint64]) -> int:
    counts: Counter[int] = Counter(hashes.tolist())
    return counts.most_common(1)[0][0]


class RecordFit(NamedTuple):
    """How well rules select what reading found."""

    rules: RecordRules
    worth: float  # F1 in records
    is_good: bool
    twins: frozenset[SeenList]  # lists of other pages that hold the same, a little more or less of each record


def fit_group(maps: Sequence[PageMap], group: ListGroup, every_seen: Sequence[SeenList]) -> RecordFit | None:
    """Return the rules that select the records of a list best."""
    if len(group.pages) == 1 and group.count < _ALONE:
        return None
    best: RecordFit | None = None
    for rules in _proposals(maps, group):
        fit = _try(maps, group, rules, every_seen)
        if best is None or fit.worth > best.worth:
            best = fit
        if best.worth == 1.0:
            break
    return best


def _try(maps: Sequence[PageMap], group: ListGroup, rules: RecordRules, every_seen: Sequence[SeenList]) -> RecordFit:
    """Compare what rules select on all pages with what reading found."""
    agreed = spoken = 0  # pages on which they agree, of those on which either finds any
    right = wanted = extra = 0  # records
    slips = slipped = 0  # pages on which reading found none of it, and the records on them
    counts: list[int] = []
    tight = True
    twins: set[SeenList] = set()
    for number, page in enumerate(maps):
        placed = place_records(page, rules).records
        got = set(placed) if len(placed) > 1 else set()
        want = group.on(number)
        hit = len(got & want)
        counts.append(len(got))
        tight = tight and not (got and has_lookalike(page, placed))
        if got and not want:
            same = [one for one in every_seen if one.page == number and _are_twins(page, placed, one.records)]
            twins.update(same)
            if same:
                continue
        agreed += bool(want) and hit >= _RIGHT * max(len(got), len(want))
        spoken += bool(got or want)
        right += hit
        wanted += len(want)
        extra += len(got) - hit
        slips += bool(got) and not want
        slipped += 0 if want else len(got)
    firsts = [(maps[one.page], row) for one in group.seen for row in _firsts(one)[:1]]
    # records that have names of their own: where reading finds none, it is of two minds
    keyed = bool(rules.heads) and all(is_keyed(page, row) for page, row in firsts)
    worth = 2 * right / max(1, right + extra + wanted)
    extra -= slipped * (slips <= (_KEYED_SLIPS if keyed else _SLIPS) * spoken)
    is_good = right >= _RIGHT * max(right + extra, wanted) and agreed >= _AGREE * spoken
    some = [count for count in counts if count]
    usual = replace(rules, pages=len(maps), present=len(some), fewest=min(some, default=0), most=max(some, default=0))
    return RecordFit(replace(usual, tight=tight), worth, is_good, frozenset(twins))


def _are_twins(page: PageMap, placed: Records, seen: Records) -> bool:
    """Say whether records are the same but for an element around or inside them: each holds just one of the other."""
    if not seen:
        return False
    mine, theirs = ([record[0] for record in records] for records in (placed, seen))
    outer, inner = (mine, theirs) if mine[0] <= theirs[0] else (theirs, mine)
    held = Counter(bisect_right(outer, row) for row in inner)
    return sum(count == 1 for count in held.values()) >= _RIGHT * max(len(outer), len(inner))


def _proposals(maps: Sequence[PageMap], group: ListGroup) -> Iterator[RecordRules]:
    """Yield rules to try, those first that other pages will most likely follow too: one selector before several."""
    places = [(maps[one.page], record) for one in group.seen for record in one.records]
    members = _heads({_by_parent(page, row) for page, record in places for row in record[1:]})
    firsts = [(page, record[0]) for page, record in places]
    keyed = all(is_keyed(page, row) for page, row in firsts[:_HEADS])
    ways: list[set[Selector]] = [
        {_by_parent(page, row) for page, row in firsts},
        {Selector(path=int(page.path[row]), place=None) for page, row in firsts},
    ]
    if keyed:
        ways.insert(0, {Selector(key=int(page.key[row]), place=None) for page, row in firsts})
    choices = [heads for way in ways if (heads := _heads(way))]
    holders = list(_holders(maps, group))
    for several in (False, True):
        for heads in choices:
            if (len(heads) > 1) == several:
                yield RecordRules(heads, members=members)
        for holder in holders:
            for heads in choices:
                if (len(heads) > 1) == several:
                    yield RecordRules(heads, members=members, holder=holder)
    tags = {page.tags[page.tag[row]] for page, row in firsts}
    below = {
        int(maps[one.page].depth[row] - maps[one.page].depth[one.holder]) for one in group.seen for row in _firsts(one)
    }
    if len(tags) == len(below) == 1 and not members:
        for holder in holders:
            yield RecordRules(tag=next(iter(tags)), below=next(iter(below)), holder=holder)


def _by_parent(page: PageMap, row: int) -> Selector:
    return Selector(key=int(page.key[row]), parent=int(page.key[page.parent[row]]), place=None)


def _heads(selectors: set[Selector]) -> tuple[Selector, ...]:
    return tuple(sorted(selectors, key=lambda one: (one.path, one.key, one.parent))) if len(selectors) <= _HEADS else ()


def _holders(maps: Sequence[PageMap], group: ListGroup) -> Iterator[Selector]:
    """Yield selectors of the element around the records of a page, on which the pages agree most."""
    around: dict[int, int] = {}
    for one in group.seen:
        if around.setdefault(one.page, one.holder) != one.holder:
            return  # the list is in several parts
    counts: Counter[Selector] = Counter()
    for number, row in around.items():
        counts.update(set(candidates(maps[number], row, is_keyed=is_keyed(maps[number], row))))
    ranked = counts.most_common()
    for selector, count in ranked[:_HOLDERS]:
        if 3 * count >= 2 * len(around):
            yield selector


def learn_records(maps: Sequence[PageMap], pages: Sequence[Page]) -> LayoutRecords:
    """Learn rules for all that the pages of one layout list, best first. `pages` are the same pages, read cold."""
    seen = [see_lists(number, page, read) for number, (page, read) in enumerate(zip(maps, pages, strict=True))]
    if any(own is None for own in seen):
        return LayoutRecords(pages=len(maps), why="the map of a page is not what reading saw")
    every_seen = [one for own in seen for one in own or ()]
    groups = group_seen(maps, [one for one in every_seen if one.records])
    served: set[SeenList] = set()
    chosen: list[tuple[ListGroup, RecordRules]] = []
    for group in sorted(groups, key=lambda group: -group.count * group.score):
        if group.score < CUT or not served.isdisjoint(group.seen):
            continue  # another rule selects part of it
        fit = fit_group(maps, group, every_seen)
        if fit is not None and fit.is_good:
            chosen.append((group, fit.rules))
            served.update(group.seen, fit.twins)
    left = [group for group in groups if group.score >= CUT and served.isdisjoint(group.seen)]
    tables = any(_tag_of(maps, group) == "tr" for group in left)
    signs = {sign for group in left if (sign := _sign_of(maps, group)) is not None}
    left = [
        group
        for group in left
        if group.score >= _SURE and _tag_of(maps, group) != "tr" and _sign_of(maps, group) is None
    ]
    missed = sum(group.count for group in left)
    missed += sum(len(one.source[1].rows) for one in every_seen if not one.records and one.score >= _SURE)
    covered = sum(group.count for group, _ in chosen)
    with_lists = {page for group, _ in chosen for page in group.pages} | {one.page for one in served}
    other = tuple(sorted(signs, key=lambda one: one.key))
    keys = tuple(np.unique(np.concatenate([page.signature for page in maps])).tolist())
    layout = LayoutRecords((), len(maps), len(maps) - len(with_lists), "", tables, other, keys)
    if covered < _COVERED * (covered + missed) or len(chosen) > _REGIONS:
        return replace(layout, why=f"{covered} of {covered + missed} records follow a rule")
    rules = sorted((_complete(maps, *one) for one in chosen), key=lambda one: -one.score)
    return replace(layout, lists=tuple(one for one in rules if one.columns))


def _sign_of(maps: Sequence[PageMap], group: ListGroup) -> Selector | None:
    """Return what tells that a page has a list for which there is no rule, None where its records have no name."""
    one = group.seen[0]
    page, row = maps[one.page], one.records[0][0]
    return Selector(key=int(page.key[row]), place=None) if is_keyed(page, row) else None


def _tag_of(maps: Sequence[PageMap], group: ListGroup) -> str:
    page, row = maps[group.seen[0].page], group.seen[0].records[0][0]
    tag: str = page.tags[page.tag[row]]
    return tag


def _complete(maps: Sequence[PageMap], group: ListGroup, rules: RecordRules) -> RecordRules:
    """Add columns, kind and the like to the rules of a list."""
    kinds: Counter[str] = Counter()
    for one in group.seen:
        kinds[one.kind] += len(one.records)
    filled = [(one, one.fill()) for one in sorted(group.seen, key=lambda one: -len(one.records))]
    return replace(
        rules,
        columns=learn_columns(maps, filled),
        kind=kinds.most_common(1)[0][0],
        pattern=filled[0][1].pattern,
        score=round(1_000 * group.score),
    )


_RECORDS = 200  # of one page that are looked at
_SAME = 0.5  # of the texts of a column must stand in places of another for the two to be one
_COLUMNS = 64
_PLACES = 400  # of one list that are kept; those met most often


@dataclass(slots=True)
class ColumnDraft:
    """A column as far as it is known: where its texts stood, and what it was called."""

    places: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    where: float = 0.0  # sum of the relative positions of its texts in their records

    def add(self, other: ColumnDraft) -> None:
        self.places += other.places
        self.names += other.names
        self.where += other.where


def learn_columns(maps: Sequence[PageMap], lists: Sequence[tuple[SeenList, RecordList]]) -> tuple[RecordColumn, ...]:
    """Return the columns that the list has on any of the pages, in reading order."""
    columns: list[ColumnDraft] = []
    for seen, filled in lists:
        _merge(columns, [column for column in _columns_of(maps[seen.page], seen, filled) if column.places])
    owners = _owners(columns)
    total = [sum(column.places.values()) for column in columns]
    order = sorted(range(len(columns)), key=lambda i: columns[i].where / max(1, total[i]))
    kept = [i for i in order if owners[i]][:_COLUMNS]
    names = _names([columns[i].names for i in kept])
    rules = [RecordColumn(name, tuple(owners[i])) for name, i in zip(names, kept, strict=True)]
    return _prune(rules, [columns[i].places for i in kept]) if rules else ()


def _columns_of(page: PageMap, seen: SeenList, filled: RecordList) -> list[ColumnDraft]:
    """Return the columns of one page with the places of their texts."""
    found = [ColumnDraft(names=Counter([name])) for name in filled.columns]
    if len(filled.records) != len(seen.records):
        return []  # reading dropped some: which records are left is not known
    shown = shown_rows(page)
    for own, record in list(zip(filled.records, seen.records, strict=True))[:_RECORDS]:
        leaves, texts = leaves_of(page, shown, int(page.run_from[record[0]]), int(page.run_to[record[-1]]))
        places = places_in(page, record, leaves)
        for at, (place, column) in enumerate(zip(places, _assign(texts, own.fields), strict=True)):
            if column >= 0:
                found[column].places[place] += 1
                found[column].where += at / len(texts)
    return found


def _assign(texts: Sequence[str], fields: Sequence[str]) -> list[int]:
    """Return the column of each text of a record: fields are texts joined in order. -1 where it is in none."""
    left = list(fields)
    found: list[int] = []
    last = 0
    for text in texts:
        order = (*range(last, len(left)), *range(last))
        at = next((i for i in order if left[i] == text or left[i].startswith(f"{text} ")), -1)
        if at >= 0:
            left[at] = left[at][len(text) + 1 :]
            last = at
        found.append(at)
    return found


def _merge(columns: list[ColumnDraft], more: list[ColumnDraft]) -> None:
    """Join each column of a page with the one that has its places, best first, each once; others are new."""
    owner = {place: i for i, owned in enumerate(_owners(columns)) for place in owned}
    overlaps: list[tuple[float, int, int]] = []
    for j, column in enumerate(more):
        shared: dict[int, int] = defaultdict(int)
        for place, count in column.places.items():
            if place in owner:
                shared[owner[place]] += count
        size = sum(column.places.values())
        overlaps += [(count / size, i, j) for i, count in shared.items() if count >= _SAME * size]
    taken: set[int] = set()
    placed: set[int] = set()
    for _, i, j in sorted(overlaps, key=lambda each: (-each[0], each[1:])):
        if i not in taken and j not in placed:
            columns[i].add(more[j])
            taken.add(i)
            placed.add(j)
    columns.extend(column for j, column in enumerate(more) if j not in placed)


def _owners(columns: Sequence[ColumnDraft]) -> list[list[str]]:
    """Return for each column the places that are its own: in no other column were they more often."""
    best: dict[str, tuple[int, int]] = {}
    for i, column in enumerate(columns):
        for place, count in column.places.items():
            if place not in best or count > best[place][0]:
                best[place] = (count, i)
    owned: list[list[str]] = [[] for _ in columns]
    for place, (_, i) in best.items():
        owned[i].append(place)
    return [sorted(places, key=_by_number) for places in owned]


def _by_number(place: str) -> list[tuple[str, int]]:
    """Sort siblings by their numbers: the last one stands for those beyond."""
    parts = (part.partition(":") for part in place.split(">"))
    return [(label, int(number or 1)) for label, _, number in parts]


def _names(counts: Iterable[Counter[str]]) -> list[str]:
    """Choose the commonest name of each column; a name that is taken gets a number."""
    chosen: list[str] = []
    for names in counts:
        ranked = [name for name, _ in names.most_common()]
        free = next((name for name in ranked if name not in chosen), "")
        if not free:
            free = next(name for n in range(2, len(chosen) + 3) if (name := f"{ranked[0]}_{n}") not in chosen)
        chosen.append(free)
    return chosen


def _prune(rules: list[RecordColumn], counts: Sequence[Counter[str]]) -> tuple[RecordColumn, ...]:
    """Keep the places met most often, where there are too many, and of each column at least one."""
    if sum(len(column.places) for column in rules) <= _PLACES:
        return tuple(rules)
    ranked = sorted(
        ((counts[i][place], place) for i, column in enumerate(rules) for place in column.places), reverse=True
    )
    often = {place for _, place in ranked[:_PLACES]}
    often |= {max(column.places, key=counts[i].__getitem__) for i, column in enumerate(rules)}
    return tuple(replace(column, places=tuple(p for p in column.places if p in often)) for column in rules)
