"""Learn the columns of a region: the same region of several pages comes in, columns that hold for all of them go out.

On each page reading aligned the texts of records in columns. Columns of two pages are the same where their texts stand
in the same places; each place then belongs to the column in which it was most often.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from scythe.model import Region
from scythe.page.elements import Elements
from scythe.page.entry_places import Places
from scythe.rules import ColumnRules

_RECORDS = 200  # of one page that are looked at
_SAME = 0.5  # of the texts of a column must stand in places of another for the two to be one
_COLUMNS = 64
_PLACES = 400  # of one region that are kept; those met most often

Range = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A region of one page: where its records are, and what reading makes of it."""

    elements: Elements
    rows: tuple[Range, ...]
    leaves: tuple[Range, ...]
    fill: Callable[[], Region]  # it costs a millisecond


@dataclass(slots=True)
class _Column:
    places: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    where: float = 0.0  # sum of the relative positions of its texts in their records

    def add(self, other: _Column) -> None:
        self.places += other.places
        self.names += other.names
        self.where += other.where


def learn_columns(pages: Sequence[Shown]) -> tuple[ColumnRules, ...]:
    """Return the columns that the region has on any of the pages, in reading order."""
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


def _columns_of(page: Shown) -> list[_Column]:
    """Return the columns of one page with the places of their texts."""
    region = page.fill()
    found = [_Column(names=Counter([name])) for name in region.columns]
    places = Places()
    if len(region.records) != len(page.rows):
        return []  # reading dropped some: which records are left is not known
    ranges = list(zip(region.records, page.rows, page.leaves, strict=True))
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
