"""Align the texts of records in columns: where the records are comes in, columns in reading order with cells go out.

The records are walked level by level, all at once. Children of elements that share a column so far share one again
where tag and classes are the same; where these repeat, what they hold decides (`slots`). Work grows with the number of
elements and leaves.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass

from scythe.page.blocks import BOX, BREAK, KIND, RULE
from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.labels import name_words
from scythe.read.records.slots import SLOTS, read_tokens, spread

COLUMNS = 64  # of one region; what stands in further ones is joined in the last
_PROSE_CHARS = 80  # of text with markup inside that is read as one field
_BREAKS = frozenset(tag for tag, kind in KIND.items() if kind in (BOX, BREAK, RULE))
_CELLS = ("td", "th")

Span = tuple[int, int]  # leaves: first, one after the last
Part = tuple[int, int, int, int, int]  # record, rows inside (first, one after the last), leaves inside
Cell = tuple[int, int, int]  # first leaf, one after the last, record


@dataclass(frozen=True, slots=True)
class Column:
    """Cells of several records that say the same kind of thing, in page order."""

    cells: list[Cell]

    def texts(self, elements: Elements) -> list[str]:
        """Return the text of each cell."""
        texts = elements.text
        return [texts[a] if b - a == 1 else " ".join(texts[a:b]) for a, b, _ in self.cells]


def find_columns(elements: Elements, candidate: Candidate) -> list[Column]:
    """Return the columns of the records of a candidate in reading order, `COLUMNS` at most; every leaf is in one."""
    found: list[list[Cell]] = []
    waiting = deque([_open_records(elements, candidate)])
    while waiting:
        parts = waiting.popleft()
        texts, groups = _split(elements, parts)
        if texts and groups and _is_prose(elements, parts):
            texts, groups = _split_prose(elements, parts)
        found.extend(_spread_texts(elements, texts))
        for group in _merge_alike(elements, groups):
            waiting.extend(_spread_rows(elements, group))
    return _order([Column(cells) for cells in found], len(candidate.rows))


def _open_records(elements: Elements, candidate: Candidate) -> list[Part]:
    """Return the records as parts; the element around a record of one element is not part of any path."""
    ends, starts, lasts = elements.end, elements.leaf_start, elements.leaf_end
    parts = []
    for record, ((first, last), (start, end)) in enumerate(zip(candidate.rows, candidate.leaves, strict=True)):
        if first < last == ends[first] and starts[first] <= start and end <= lasts[first]:
            first += 1
        parts.append((record, first, last, start, end))
    return parts


def _split(elements: Elements, parts: list[Part]) -> tuple[list[Cell], dict[object, list[Span]]]:
    """Return the texts directly in the parts, and their children grouped by tag and classes as (record, row)."""
    ends, starts, lasts, tags, classes = (
        elements.end,
        elements.leaf_start,
        elements.leaf_end,
        elements.tag,
        elements.classes,
    )
    texts: list[Cell] = []
    groups: dict[object, list[Span]] = {}
    for record, row, last, at, end in parts:
        while row < last:
            start = starts[row]
            while at < start:
                texts.append((at, at + 1, record))
                at += 1
            at = lasts[row]
            tag = tags[row]
            key = tag if tag in _CELLS else (tag, classes[row])
            if key in groups:
                groups[key].append((record, row))
            else:
                groups[key] = [(record, row)]
            row = ends[row]
        while at < end:
            texts.append((at, at + 1, record))
            at += 1
    return texts, groups


def _is_prose(elements: Elements, parts: list[Part]) -> bool:
    """Say whether parts with both text and elements inside are running text with some words marked."""
    text, starts, lasts, ends = elements.text, elements.leaf_start, elements.leaf_end, elements.end
    direct = chars = mixed = 0
    for _, row, last, at, end in parts:
        inside = sum(map(len, text[at:end]))
        marked = 0
        while row < last:
            marked += sum(map(len, text[starts[row] : lasts[row]]))
            row = ends[row]
        if 0 < marked < inside:
            mixed += 1
            direct += inside - marked
            chars += inside
    return mixed > 0 and direct * 2 >= chars >= _PROSE_CHARS * mixed


def _split_prose(elements: Elements, parts: list[Part]) -> tuple[list[Cell], dict[object, list[Span]]]:
    """Split like `_split`, with marked words left in the lines of text around them."""
    ends, starts, lasts, tags, classes = (
        elements.end,
        elements.leaf_start,
        elements.leaf_end,
        elements.tag,
        elements.classes,
    )
    texts: list[Cell] = []
    groups: dict[object, list[Span]] = {}
    for record, row, last, at, end in parts:
        line: list[int] = []  # elements since the last break
        bare = False  # whether the line has text of its own
        begin = at
        while True:
            edge = starts[row] if row < last else end
            bare = bare or at < edge
            broken = row >= last or not _BREAKS.isdisjoint(tags[row : ends[row]])
            if broken:
                if bare:
                    texts.append((begin, edge, record))
                else:
                    for one in line:
                        groups.setdefault((tags[one], classes[one]), []).append((record, one))
                if row >= last:
                    break
                groups.setdefault((tags[row], classes[row]), []).append((record, row))
                line, bare, begin = [], False, lasts[row]
            else:
                line.append(row)
            at = lasts[row]
            row = ends[row]
    return texts, groups


def _merge_alike(elements: Elements, groups: dict[object, list[Span]]) -> Iterable[list[Span]]:
    """Return the groups, those joined whose classes differ only by numbers or by the state of one record."""
    if len(groups) < 2:
        return groups.values()
    merged: dict[object, list[Span]] = {}
    split = False
    for key, group in groups.items():
        words = (key[0], name_words(key[1])) if isinstance(key, tuple) else key
        if words in merged:
            merged[words].extend(group)
            split = True
        else:
            merged[words] = group
    if split:
        for group in merged.values():
            group.sort()
    return merged.values()


def _repeats(records: Iterable[int], count: int) -> bool:
    return len(set(records)) < count


def _spread_texts(elements: Elements, texts: list[Cell]) -> list[list[Cell]]:
    """Return texts that stand directly in one kind of element as columns."""
    if not texts:
        return []
    if not _repeats((cell[2] for cell in texts), len(texts)):
        return [texts]
    sequences = _by_record((record, (start, end)) for start, end, record in texts)
    words = elements.text
    tokens = read_tokens(
        [
            [(words[start] if end - start == 1 else " ".join(words[start:end]), False, 0) for start, end in spans]
            for spans in sequences.values()
        ]
    )
    columns: dict[int, list[Cell]] = {}
    for (record, spans), slots in zip(sequences.items(), spread(tokens), strict=True):
        for place, (start, end) in enumerate(spans):
            columns.setdefault(slots[min(place, SLOTS - 1)], []).append((start, end, record))
    return list(columns.values())


def _by_record(items: Iterable[tuple[int, Span]]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    for record, item in items:
        found.setdefault(record, []).append(item)
    return found


def _spread_rows(elements: Elements, group: list[Span]) -> list[list[Part]]:
    """Return elements of the same tag and classes as parts that share columns, without those that hold no text."""
    ends, starts, lasts = elements.end, elements.leaf_start, elements.leaf_end

    def part(record: int, row: int) -> Part:
        return record, row + 1, ends[row], starts[row], lasts[row]

    if not _repeats((record for record, _ in group), len(group)):
        parts = [part(record, row) for record, row in group if starts[row] < lasts[row]]
        return [parts] if parts else []
    sequences: dict[int, list[int]] = {}
    for record, row in group:
        sequences.setdefault(record, []).append(row)
    columns: dict[int, list[Part]] = {}
    for (record, rows), slots in zip(sequences.items(), _slots_of(elements, list(sequences.values())), strict=True):
        for place, row in enumerate(rows):
            if starts[row] < lasts[row]:
                columns.setdefault(slots[min(place, SLOTS - 1)], []).append(part(record, row))
    return list(columns.values())


def _slots_of(elements: Elements, sequences: list[list[int]]) -> list[list[int]]:
    """Return a slot for each element of each record; cells of rows of equal length need no look inside."""
    if elements.tag[sequences[0][0]] in _CELLS and len({len(rows) for rows in sequences}) == 1:
        return [list(range(min(len(rows), SLOTS))) for rows in sequences]
    starts, lasts, text, ends, tags = elements.leaf_start, elements.leaf_end, elements.text, elements.end, elements.tag
    shapes: dict[tuple[str, ...], int] = {}

    def seen(row: int) -> tuple[str, bool, int]:
        shape = shapes.setdefault(tuple(tags[row + 1 : min(ends[row], row + 4)]), len(shapes))
        leaf = starts[row]
        return text[leaf] if leaf < lasts[row] else "", "a" in tags[row : min(ends[row], row + 4)], shape

    return spread(read_tokens([[seen(row) for row in rows[:SLOTS]] for rows in sequences]))


def _order(columns: list[Column], records: int) -> list[Column]:
    """Sort columns as the records show them; those that few records have are joined if there are too many."""
    if len(columns) > COLUMNS:
        columns = _join_rare(columns)
    cells = sorted(
        (start, record, number) for number, column in enumerate(columns) for start, _, record in column.cells
    )
    orders: list[dict[int, None]] = [{} for _ in range(records)]
    for _, record, number in cells:
        orders[record].setdefault(number)
    if len(columns) > COLUMNS - 1:
        for order in orders:
            order.pop(len(columns) - 1, None)
    merged = merge_orders(Counter(map(tuple, orders)))
    if len(columns) > COLUMNS - 1:
        merged.append(len(columns) - 1)
    return [columns[number] for number in merged]


def _join_rare(columns: list[Column]) -> list[Column]:
    """Keep the columns that most records have and join the cells of all others in one more column."""
    ranked = sorted(range(len(columns)), key=lambda number: (-len(columns[number].cells), number))
    kept = set(ranked[: COLUMNS - 1])
    rest = sorted(cell for number in ranked[COLUMNS - 1 :] for cell in columns[number].cells)
    return [column for number, column in enumerate(columns) if number in kept] + [Column(rest)]


def merge_orders(orders: Counter[tuple[int, ...]]) -> list[int]:
    """Merge sequences into one order: the commonest as it is, then each new item behind the one it follows."""
    after: dict[int, int] = {}  # item -> the one behind it; -1 stands before the first
    known: set[int] = set()
    for sequence, _ in sorted(orders.items(), key=lambda pair: (-pair[1], -len(pair[0]))):
        before = -1
        for item in sequence:
            if item not in known:
                known.add(item)
                if before in after:
                    after[item] = after[before]
                after[before] = item
            before = item
    merged: list[int] = []
    item = after.get(-1)
    while item is not None:
        merged.append(item)
        item = after.get(item)
    return merged
