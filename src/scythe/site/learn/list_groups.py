"""Match the lists of several pages of a layout, and learn their common columns.

Lists are matched by the names of their records and surroundings; columns by the places of their texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from scythe.model import RecordList
from scythe.page.elements import Elements
from scythe.page.source import MARK, Source, tag_end
from scythe.site.follow.follow_lists import Places, label_of
from scythe.site.rules import ColumnRules

_RECORDS = 200  # of one page that are looked at
_SAME = 0.5  # of the texts of a column must stand in places of another for the two to be one
_COLUMNS = 64
_PLACES = 400  # of one list that are kept; those met most often

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class ListOnPage:
    """A list of one page: where its records are, and what reading makes of it."""

    elements: Elements
    rows: tuple[Range, ...]
    leaves: tuple[Range, ...]
    fill: Callable[[], RecordList]  # it costs a millisecond


@dataclass(slots=True)
class _Column:
    places: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    where: float = 0.0  # sum of the relative positions of its texts in their records

    def add(self, other: _Column) -> None:
        self.places += other.places
        self.names += other.names
        self.where += other.where


def learn_columns(pages: Sequence[ListOnPage]) -> tuple[ColumnRules, ...]:
    """Return the columns that the list has on any of the pages, in reading order."""
    columns: list[_Column] = []
    for page in sorted(pages, key=lambda page: -len(page.rows)):
        _merge(columns, [column for column in _columns_of(page) if column.places])
    owners = _owners(columns)
    total = [sum(column.places.values()) for column in columns]
    order = sorted(range(len(columns)), key=lambda i: columns[i].where / max(1, total[i]))
    kept = [i for i in order if owners[i]][:_COLUMNS]
    names = _names([columns[i].names for i in kept])
    rules = [ColumnRules(name, tuple(owners[i])) for name, i in zip(names, kept, strict=True)]
    return _prune(rules, [columns[i].places for i in kept]) if rules else ()


def _columns_of(page: ListOnPage) -> list[_Column]:
    """Return the columns of one page with the places of their texts."""
    record_list = page.fill()
    found = [_Column(names=Counter([name])) for name in record_list.columns]
    places = Places()
    if len(record_list.records) != len(page.rows):
        return []  # reading dropped some: which records are left is not known
    ranges = list(zip(record_list.records, page.rows, page.leaves, strict=True))
    for record, rows, leaves in ranges[:_RECORDS]:
        numbers = places.number(page.elements, rows, leaves)
        texts = page.elements.text[slice(*leaves)]
        for at, (number, column) in enumerate(zip(numbers, _assign(texts, record.fields), strict=True)):
            if column >= 0:
                found[column].places[places.names[number]] += 1
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


def _merge(columns: list[_Column], more: list[_Column]) -> None:
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


def _owners(columns: Sequence[_Column]) -> list[list[str]]:
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


def _prune(rules: list[ColumnRules], counts: Sequence[Counter[str]]) -> tuple[ColumnRules, ...]:
    """Keep the places met most often, where there are too many, and of each column at least one."""
    if sum(len(column.places) for column in rules) <= _PLACES:
        return tuple(rules)
    ranked = sorted(
        ((counts[i][place], place) for i, column in enumerate(rules) for place in column.places), reverse=True
    )
    often = {place for _, place in ranked[:_PLACES]}
    often |= {max(column.places, key=counts[i].__getitem__) for i, column in enumerate(rules)}
    return tuple(replace(column, places=tuple(p for p in column.places if p in often)) for column in rules)


_OUT = 3  # elements further out that are tried, and ...
_IN = 5  # ... further in
Tops = tuple[tuple[int, ...], ...]


def lift_out(shown: ListOnPage) -> tuple[Tops, ListOnPage] | None:
    """Return the list made of the outermost elements that hold just its records' texts, if these are not its own."""
    found = [(level, tops, record_list) for level, tops, record_list in lift(shown) if level > 0]
    return found[-1][1:] if found else None


def lift(shown: ListOnPage) -> Iterator[tuple[int, Tops, ListOnPage]]:
    """Yield how far out (or in, below 0), the offsets of the records' elements there, and the list made of them."""
    for step, most in ((_outer, _OUT), (_inner, _IN)):
        rows = shown.rows
        for level in range(1, most + 1):
            moved = _move(shown, rows, step)
            if moved is None:
                break
            rows = moved
            tops = tuple((_offset(shown.elements, first),) for first, _ in rows)
            if all(top[0] >= 0 for top in tops):
                yield (level if step is _outer else -level), tops, replace(shown, rows=rows)


def _move(
    shown: ListOnPage, rows: tuple[Range, ...], step: Callable[[Elements, int, Range], int]
) -> tuple[Range, ...] | None:
    """Return the rows of the next elements out or in, None where a record has none."""
    elements = shown.elements
    moved: list[Range] = []
    for (first, last), leaves in zip(rows, shown.leaves, strict=True):
        row = step(elements, first, leaves) if first < last == elements.end[first] else -1
        if row < 0:
            return None
        moved.append((row, elements.end[row]))
    return tuple(moved) if len({row for row, _ in moved}) == len(moved) else None


def _outer(elements: Elements, row: int, leaves: Range) -> int:
    above = elements.parent[row]
    return above if above > 0 and (elements.leaf_start[above], elements.leaf_end[above]) == leaves else -1


def _inner(elements: Elements, row: int, leaves: Range) -> int:
    for child in elements.children(row)[:8]:
        if (elements.leaf_start[child], elements.leaf_end[child]) == leaves:
            return child
    return -1


def _offset(elements: Elements, row: int) -> int:
    mark = elements.node[row].attributes.get(MARK)
    return int(mark) if mark and mark.isdecimal() else -1


@dataclass(frozen=True, slots=True, eq=False)
class ObservedList:
    """A list as reading found it on one page, tied to the page's source."""

    page: int
    holder: int  # offset of the opening tag of the element around all records; -1 where the source has none
    tops: tuple[tuple[int, ...], ...]  # per record the offsets of the opening tags of its elements, siblings
    score: float  # 0..1, how sure reading is that it is what the page is about
    kind: str
    shown: ListOnPage

    @property
    def is_tied(self) -> bool:
        """Whether every record has elements of its own, and these stand in the source."""
        return bool(self.tops) and all(tops and min(tops) >= 0 for tops in self.tops)


@dataclass(frozen=True, slots=True)
class SameList:
    """What seems to be the same list on several pages."""

    seen: tuple[ObservedList, ...]

    @property
    def pages(self) -> list[int]:
        """Pages that have it."""
        return sorted({one.page for one in self.seen})

    def runs(self, page: int) -> set[tuple[int, int]]:
        """Return where the records of a page begin and where their last elements do."""
        return {(tops[0], tops[-1]) for one in self.seen if one.page == page for tops in one.tops}


def group_seen(sources: Sequence[Source], seen: Sequence[ObservedList]) -> Iterator[SameList]:
    """Yield the lists that are the same on several pages: first by records, then by what is around them."""
    for alike in _bucket(seen, lambda one: _short(records_label(sources[one.page], one))):
        if _once_a_page(alike):
            yield SameList(tuple(alike))
            continue
        for closer in _bucket(alike, lambda one: records_label(sources[one.page], one)):
            parts = _bucket(closer, lambda one: _holder_label(sources[one.page], one.holder))
            apart = len(parts) > 1 and all(map(_once_a_page, parts))
            yield from (SameList(tuple(own)) for own in (parts if apart else [closer]))


def _bucket(seen: Iterable[ObservedList], key: Callable[[ObservedList], str]) -> list[list[ObservedList]]:
    buckets: dict[str, list[ObservedList]] = defaultdict(list)
    for one in seen:
        buckets[key(one)].append(one)
    return list(buckets.values())


def _once_a_page(seen: Sequence[ObservedList]) -> bool:
    return len({one.page for one in seen}) == len(seen)


def _short(label: str) -> str:
    return ".".join(label.split(".")[:2])


def records_label(source: Source, one: ObservedList) -> str:
    return Counter(label_at(source, tops[0]) for tops in one.tops).most_common(1)[0][0]


def label_at(source: Source, offset: int) -> str:
    opening = source.at(offset)
    return label_of(opening.name, opening.node.attributes.get("class") or "") if opening is not None else ""


def _holder_label(source: Source, offset: int) -> str:
    """Return what the element around records is called; unlike records, it may have a name of its own."""
    opening = source.at(offset)
    return f"{label_at(source, offset)}#{opening.node.attributes.get('id') or ''}" if opening is not None else ""


def settle_level(one: ObservedList) -> ObservedList:
    """Return a list by its outermost elements: on which of several that hold the same reading settles is chance."""
    found = lift_out(one.shown) if one.is_tied else None
    return replace(one, tops=found[0], shown=found[1]) if found is not None else one


def lift_group(group: SameList) -> Iterator[SameList]:
    """Yield the same records one or more elements further out or in, where all of them have such."""
    levels: dict[int, list[ObservedList]] = defaultdict(list)
    for one in group.seen:
        for level, tops, shown in lift(one.shown):
            levels[level].append(replace(one, tops=tops, shown=shown))
    yield from (SameList(tuple(seen)) for seen in levels.values() if len(seen) == len(group.seen))


def tag_at(source: Source, offset: int) -> bytes:
    return source.body[offset : tag_end(source.body, offset)] if offset >= 0 else b""
