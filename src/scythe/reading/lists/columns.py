"""Align the texts of records into columns.

Records are walked level by level, all at once. Children share a column if tag and classes agree; similar siblings are
matched by what they hold, not by position, so that a missing one shifts no other. Running text stays one field.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from scythe.page.blocks import BOX, BREAK, KIND, RULE
from scythe.page.elements import Elements
from scythe.reading.lists.candidates import Candidate, name_words
from scythe.reading.lists.value_kinds import DATE, EMPTY, PRICE, RATING, TEXT, kind_of

Part = tuple[int, int, int, int, int]  # record, rows inside (first, one after the last), leaves inside

_PROSE_CHARS = 80  # of a line of text with markup inside that is read as one field, on average
_USUAL = 0.6  # share of lines with the same markup from which they are fields
_SEEN = 8  # lines that are looked at for fields, and texts of each
_TYPED = (DATE, PRICE, RATING)
_BREAKS = frozenset(tag for tag, kind in KIND.items() if kind in (BOX, BREAK, RULE))


class Line(NamedTuple):
    """What stands in one record between two breaks: leaves, the elements among them, characters outside of these."""

    record: int
    start: int
    end: int
    rows: list[int]
    bare: int


def cut_lines(elements: Elements, parts: list[Part]) -> tuple[list[Line], list[tuple[int, int]]]:
    """Return the lines of text directly in the parts, and the elements that break them as (record, row)."""
    starts, lasts = elements.leaf_start, elements.leaf_end
    ends, tags, text = elements.end, elements.tag, elements.text
    lines: list[Line] = []
    breaks: list[tuple[int, int]] = []
    for record, row, last, at, end in parts:
        rows: list[int] = []
        start, bare = at, 0
        while True:
            edge = starts[row] if row < last else end
            for leaf in range(at, edge):
                bare += len(text[leaf])
            if row < last and _BREAKS.isdisjoint(tags[row : ends[row]]):
                rows.append(row)
            else:
                if start < edge:
                    lines.append(Line(record, start, edge, rows, bare))
                if row >= last:
                    break
                breaks.append((record, row))
                rows, start, bare = [], lasts[row], 0
            at = lasts[row]
            row = ends[row]
    return lines, breaks


def is_prose(elements: Elements, lines: list[Line]) -> bool:
    """Say whether lines of text with markup inside are running text: long, or marked now here and now there."""
    mixed = [line for line in lines if line.bare and line.rows]
    text = elements.text
    bare = sum(line.bare for line in mixed)
    chars = sum(sum(map(len, text[line.start : line.end])) for line in mixed)
    if bare * 2 >= chars >= _PROSE_CHARS * len(mixed):
        return bool(mixed)
    if bare * 3 < chars or len(lines) < 3:
        return False
    patterns = Counter(_pattern(elements, line) for line in lines)
    return patterns.most_common(1)[0][1] < _USUAL * len(lines) and not _holds_fields(elements, mixed)


def _holds_fields(elements: Elements, mixed: list[Line]) -> bool:
    """Say whether lines have parts of their own kind, such as a date: nobody would read those as one."""
    seen = mixed[:: max(1, len(mixed) // _SEEN)]
    typed = sum(any(kind_of(text) in _TYPED for text in elements.text[line.start : line.end][:_SEEN]) for line in seen)
    return typed * 2 > len(seen)


def _pattern(elements: Elements, line: Line) -> tuple[str, ...]:
    starts, lasts, tags = elements.leaf_start, elements.leaf_end, elements.tag
    pattern, at = [], line.start
    for row in line.rows:
        if at < starts[row]:
            pattern.append("")
        if starts[row] < lasts[row]:
            pattern.append(tags[row])
        at = lasts[row]
    if at < line.end:
        pattern.append("")
    return tuple(pattern)


def trim(elements: Elements, lines: list[Line]) -> list[Line]:
    """Return lines without a first or last element that says the same in most of them, such as `Read more`."""
    starts, lasts, text = elements.leaf_start, elements.leaf_end, elements.text
    closing = [
        " ".join(text[starts[line.rows[-1]] : line.end])
        for line in lines
        if line.rows and lasts[line.rows[-1]] == line.end
    ]
    opening = [
        " ".join(text[line.start : lasts[line.rows[0]]])
        for line in lines
        if line.rows and starts[line.rows[0]] == line.start
    ]
    last, first = _usual(closing, len(lines)), _usual(opening, len(lines))
    if not first and not last:
        return lines
    trimmed: list[Line] = []
    for line in lines:
        start, end, rows = line.start, line.end, line.rows
        if first and rows and starts[rows[0]] == start and " ".join(text[start : lasts[rows[0]]]) == first:
            trimmed.append(Line(line.record, start, lasts[rows[0]], rows[:1], 0))
            start, rows = lasts[rows[0]], rows[1:]
        tail: list[Line] = []
        if last and rows and lasts[rows[-1]] == end and " ".join(text[starts[rows[-1]] : end]) == last:
            tail = [Line(line.record, starts[rows[-1]], end, rows[-1:], 0)]
            end, rows = starts[rows[-1]], rows[:-1]
        if start < end:
            trimmed.append(Line(line.record, start, end, rows, line.bare))
        trimmed += tail
    return trimmed


def _usual(said: list[str], lines: int) -> str:
    """Return what at least half of the lines say at one end, or nothing."""
    found = Counter(said).most_common(1)
    return found[0][0] if found and found[0][1] > 1 and found[0][1] * 2 >= lines else ""


SLOTS = 64  # of one group; items beyond them share the last
_STEPS = 100_000  # comparisons for any list, some 0.1 s ...
_STEPS_PER_LEAF = 10  # ... and what each leaf adds; beyond, items are numbered
_SHORT, _LONG = 24, 100  # characters: a label, a sentence
_KNOWN_TEXT = 40  # characters: longer texts are not looked at for being the same in many records
_NEW = -0.6  # what opening a slot costs
_SAME_PLACE = 0.6  # for standing where it should when nothing is missing


class Item(NamedTuple):
    """What is known of one item."""

    kind: int
    size: int  # 0 short, 1 a line, 2 long
    text: str  # where many records have the same
    link: bool
    shape: int  # a number for what is inside


@dataclass(slots=True)
class Effort:
    """How many comparisons a list has left."""

    steps: int

    @classmethod
    def for_leaves(cls, leaves: int) -> Effort:
        """Allow work that grows with the number of leaves, whatever their order."""
        return cls(_STEPS + _STEPS_PER_LEAF * leaves)


@dataclass(slots=True)
class _Slot:
    """What stood in one slot so far."""

    number: int
    weight: int = 0
    kinds: dict[int, int] = field(default_factory=dict)  # how often; no Counter, which is slow at what it lacks
    texts: dict[str, int] = field(default_factory=dict)
    shapes: dict[int, int] = field(default_factory=dict)
    sizes: int = 0
    links: int = 0

    def add(self, token: Item, weight: int) -> None:
        self.weight += weight
        kind, size, text, link, shape = token
        self.kinds[kind] = self.kinds.get(kind, 0) + weight
        self.texts[text] = self.texts.get(text, 0) + weight
        self.shapes[shape] = self.shapes.get(shape, 0) + weight
        self.sizes += size * weight
        self.links += link * weight


def read_tokens(sequences: Sequence[Sequence[tuple[str, bool, int]]]) -> list[tuple[Item, ...]]:
    """Return the tokens of items given as (text, is a link, shape); what only one record says does not count."""
    often: Counter[str] = Counter()
    for sequence in sequences:
        often.update({text for text, _, _ in sequence if len(text) <= _KNOWN_TEXT})
    many = max(2, len(sequences) // 3)
    known = {text for text, count in often.items() if count >= many}
    return [
        tuple(
            [
                Item(
                    kind_of(text),
                    (len(text) > _SHORT) + (len(text) > _LONG),
                    text if text in known else "",
                    link,
                    shape,
                )
                for text, link, shape in sequence[:SLOTS]
            ]
        )
        for sequence in sequences
    ]


def spread(sequences: Sequence[tuple[Item, ...]], effort: Effort) -> list[list[int]]:
    """Return a slot for each token, rising within a sequence. Common sequences are placed first, others fitted in."""
    counts = Counter(sequences)
    if _is_regular(counts):
        return [list(range(len(sequence))) for sequence in sequences]
    slots: list[_Slot] = []
    places: dict[tuple[Item, ...], list[_Slot]] = {}
    for sequence, weight in sorted(counts.items(), key=lambda pair: (-pair[1], -len(pair[0]))):
        effort.steps -= (len(slots) + 1) * len(sequence)
        if effort.steps < 0:
            places[sequence] = _number(sequence, slots)
            continue
        placed = places[sequence] = _place(sequence, slots)
        for token, slot in zip(sequence, placed, strict=True):
            slot.add(token, weight)
    order = {slot.number: place for place, slot in enumerate(slots)}
    return [[order[slot.number] for slot in places[sequence]] for sequence in sequences]


def _is_regular(sequences: Iterable[tuple[Item, ...]]) -> bool:
    """Say whether all sequences have the same kinds at the same places, and each known text stands at one only."""
    kinds: tuple[int, ...] | None = None
    places: dict[str, int] = {}
    for sequence in sequences:
        found = tuple(token.kind for token in sequence)
        if kinds is not None and found != kinds:
            return False
        kinds = found
        for place, token in enumerate(sequence):
            if token.text and places.setdefault(token.text, place) != place:
                return False
    return True


def _number(sequence: tuple[Item, ...], slots: list[_Slot]) -> list[_Slot]:
    while len(slots) < len(sequence):
        slots.append(_Slot(len(slots)))
    return slots[: len(sequence)]


def _place(sequence: tuple[Item, ...], slots: list[_Slot]) -> list[_Slot]:
    """Match a sequence with the slots; a token that fits none opens a slot where it stands, while there is room."""
    matched = _match(sequence, slots)
    placed: list[_Slot] = []
    at = 0  # place in slots behind the last one taken
    shift = 0
    for place in matched:
        if place is not None:
            at = place + shift
            placed.append(slots[at])
            at += 1
        elif len(slots) < SLOTS:
            slots.insert(at, _Slot(len(slots)))
            placed.append(slots[at])
            at += 1
            shift += 1
        else:
            placed.append(slots[max(at - 1, 0)])
    return placed


def _match(sequence: tuple[Item, ...], slots: list[_Slot]) -> list[int | None]:
    """Align by dynamic programming and return for each token the place of its slot, or None for a new one."""
    wide = len(slots)
    if not wide:
        return [None] * len(sequence)
    full = len(sequence) == wide
    above = [0.0] * (wide + 1)
    moves: list[list[int]] = []  # 0 open a slot, 1 match, 2 skip a slot
    fits: dict[Item, list[float]] = {}
    for token in sequence:
        if token not in fits:
            fits[token] = [_fit(token, slot) for slot in slots]
    for i, token in enumerate(sequence):
        best = above[0] + _NEW
        row, move = [best], [0]
        for j, fit in enumerate(fits[token]):
            fit += above[j]
            if full and i == j:
                fit += _SAME_PLACE
            opened = above[j + 1] + _NEW
            if best >= fit and best >= opened:  # where several slots fit equally, the first is taken
                move.append(2)
            elif fit >= opened:
                best = fit
                move.append(1)
            else:
                best = opened
                move.append(0)
            row.append(best)
        moves.append(move)
        above = row
    return _walk_back(moves, wide)


def _walk_back(moves: list[list[int]], wide: int) -> list[int | None]:
    places: list[int | None] = [None] * len(moves)
    i, j = len(moves) - 1, wide
    while i >= 0:
        move = moves[i][j]
        if move == 2:
            j -= 1
            continue
        if move == 1:
            j -= 1
            places[i] = j
        i -= 1
    return places


def _fit(token: Item, slot: _Slot) -> float:
    """Say how well a token fits what stood in a slot so far; below `_NEW` it is better placed in a new one."""
    kind, size, text, link, shape = token
    weight, kinds = slot.weight or 1, slot.kinds
    same = kinds.get(kind, 0) / weight
    if same:
        score = 1.0 + same
        if kind == TEXT:
            score += 0.6 - 0.6 * abs(size - slot.sizes / weight)
    elif kind == EMPTY or kinds.get(EMPTY, 0) * 2 > weight:
        score = 0.0
    else:
        score = -1.0 if kind == TEXT or kinds.get(TEXT, 0) * 2 > weight else -2.0
    said = slot.texts.get(text, 0) / weight
    score += (3.0 * said if text else 0.0) - (1.0 if said < 0.2 and kind != EMPTY else 0.0)
    score += 0.8 * (slot.shapes.get(shape, 0) / weight) - 0.4
    return score + (0.3 if (slot.links * 2 > weight) == link else -0.3)


_CELLS = ("td", "th")
_CELL = ("td", "")  # cells of a row are told apart by their place, not by their classes
_HEADING = {f"h{level}": "heading" for level in range(1, 7)}
_NO_WORDS: frozenset[str] = frozenset()
_ALIKE = 16  # groups of one tag that are compared

Span = tuple[int, int]  # leaves: first, one after the last
Key = tuple[str, str]  # tag, classes
Cell = tuple[int, int, int]  # first leaf, one after the last, record


def align(elements: Elements, candidate: Candidate) -> list[list[Cell]]:
    """Return the cells of each column of the records, columns in no order; every leaf of the records is in one."""
    found: list[list[Cell]] = []
    effort = Effort.for_leaves(sum(end - start for start, end in candidate.leaves))
    waiting = deque([_open_records(elements, candidate)])
    while waiting:
        parts = waiting.popleft()
        texts, groups = _split(elements, parts)
        if texts and groups:
            texts, groups = _keep_prose(elements, parts, texts, groups)
        found.extend(_spread_texts(elements, texts, effort))
        for group in _merge_alike(groups):
            columns, surplus = _spread_rows(elements, group, effort)
            waiting.extend(columns)
            if surplus:
                found.append(surplus)
    return found


def _open_records(elements: Elements, candidate: Candidate) -> list[Part]:
    """Return the records as parts; the element around a record of one element is not part of any path."""
    ends, starts, lasts = elements.end, elements.leaf_start, elements.leaf_end
    parts = []
    for record, ((first, last), (start, end)) in enumerate(zip(candidate.rows, candidate.leaves, strict=True)):
        if first < last == ends[first] and starts[first] <= start and end <= lasts[first]:
            first += 1
        parts.append((record, first, last, start, end))
    return parts


def _split(elements: Elements, parts: list[Part]) -> tuple[list[Cell], dict[Key, list[Span]]]:
    """Return the texts directly in the parts, and their children grouped by tag and classes as (record, row)."""
    starts, lasts = elements.leaf_start, elements.leaf_end
    ends, tags, classes = elements.end, elements.tag, elements.classes
    texts: list[Cell] = []
    groups: dict[Key, list[Span]] = {}
    for record, row, last, at, end in parts:
        while row < last:
            start = starts[row]
            while at < start:
                texts.append((at, at + 1, record))
                at += 1
            at = lasts[row]
            tag = tags[row]
            key = _CELL if tag in _CELLS else (tag, classes[row])
            members = groups.get(key)
            if members is None:
                groups[key] = [(record, row)]
            else:
                members.append((record, row))
            row = ends[row]
        while at < end:
            texts.append((at, at + 1, record))
            at += 1
    return texts, groups


def _keep_prose(
    elements: Elements, parts: list[Part], texts: list[Cell], groups: dict[Key, list[Span]]
) -> tuple[list[Cell], dict[Key, list[Span]]]:
    """Return texts and groups of parts that have both, with marked words left in running text where it is such."""
    lines, breaks = cut_lines(elements, parts)
    if not is_prose(elements, lines):
        return texts, groups
    tags, classes = elements.tag, elements.classes
    texts, groups = [], {}
    for line in trim(elements, lines):
        if line.bare:
            texts.append((line.start, line.end, line.record))
        else:
            breaks.extend((line.record, row) for row in line.rows)
    for record, row in sorted(breaks):
        groups.setdefault((tags[row], classes[row]), []).append((record, row))
    return texts, groups


def _merge_alike(groups: dict[Key, list[Span]]) -> Iterable[list[Span]]:
    """Return the groups, those joined that stand in for each other: same tag, like classes, never in one record."""
    if len(groups) < 2:
        return groups.values()
    merged: list[_Group] = []
    by_tag: dict[str, list[_Group]] = {}
    for (tag, classes), members in groups.items():
        alike = by_tag.setdefault(_HEADING.get(tag, tag), [])
        words = frozenset(_bare_words(classes)) if classes else _NO_WORDS
        found = next((group for group in alike[:_ALIKE] if group.takes(tag, words, members)), None)
        if found is None:
            found = _Group(tag, words, [], set())
            alike.append(found)
            merged.append(found)
        found.members += members
        found.joined += 1
        found.records.update(record for record, _ in members)
    for group in merged:
        if group.joined > 1:
            group.members.sort()
    return [group.members for group in merged]


@dataclass(slots=True)
class _Group:
    """Elements that share columns."""

    tag: str
    words: frozenset[str]
    members: list[Span]
    records: set[int]
    joined: int = 0

    def takes(self, tag: str, words: frozenset[str], members: list[Span]) -> bool:
        """Say whether elements with these class words belong to the group."""
        if self.words == words:
            if self.tag == tag:
                return True
        elif len(self.words & words) * 2 < len(self.words | words):
            return False
        return all(record not in self.records for record, _ in members)


@lru_cache(maxsize=2_048)
def _bare_words(classes: str) -> tuple[str, ...]:
    """Return the words of a class attribute without numbers, states and what follows `--`, which names a variant."""
    return tuple(word.partition("--")[0] for word in name_words(classes))


def _spread_texts(elements: Elements, texts: list[Cell], effort: Effort) -> list[list[Cell]]:
    """Return texts that stand directly in one kind of element as columns."""
    if not texts:
        return []
    if len({record for _, _, record in texts}) == len(texts):
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
    for (record, spans), slots in zip(sequences.items(), spread(tokens, effort), strict=True):
        for place, (start, end) in enumerate(spans):
            columns.setdefault(slots[min(place, SLOTS - 1)], []).append((start, end, record))
    return list(columns.values())


def _by_record(items: Iterable[tuple[int, Span]]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = {}
    for record, item in items:
        found.setdefault(record, []).append(item)
    return found


def _spread_rows(elements: Elements, group: list[Span], effort: Effort) -> tuple[list[list[Part]], list[Cell]]:
    """Return elements of the same tag and classes as parts that share columns, and what does not fit as one column."""
    ends, starts, lasts = elements.end, elements.leaf_start, elements.leaf_end
    if len({record for record, _ in group}) == len(group):
        parts = [(one, row + 1, ends[row], starts[row], lasts[row]) for one, row in group if starts[row] < lasts[row]]
        return ([parts] if parts else []), []
    sequences: dict[int, list[int]] = {}
    for record, row in group:
        sequences.setdefault(record, []).append(row)
    columns: dict[int, list[Part]] = {}
    surplus: list[Cell] = []
    for (record, rows), slots in zip(
        sequences.items(), _slots_of(elements, list(sequences.values()), effort), strict=True
    ):
        for row, slot in zip(rows, slots, strict=False):
            if starts[row] < lasts[row]:
                columns.setdefault(slot, []).append((record, row + 1, ends[row], starts[row], lasts[row]))
        surplus.extend((starts[row], lasts[row], record) for row in rows[len(slots) :] if starts[row] < lasts[row])
    return list(columns.values()), surplus


def _slots_of(elements: Elements, sequences: list[list[int]], effort: Effort) -> list[list[int]]:
    """Return a slot for each element of each record; cells of rows of equal length need no look inside."""
    if elements.tag[sequences[0][0]] in _CELLS and len({len(rows) for rows in sequences}) == 1:
        return [list(range(min(len(rows), SLOTS - 1))) for rows in sequences]
    starts, lasts, text, ends, tags = elements.leaf_start, elements.leaf_end, elements.text, elements.end, elements.tag
    shapes: dict[tuple[str, ...], int] = {}

    def seen(row: int) -> tuple[str, bool, int]:
        inside = tuple(tags[row : min(ends[row], row + 4)])
        leaf, shape = starts[row], shapes.setdefault(inside[1:], len(shapes))
        return text[leaf] if leaf < lasts[row] else "", "a" in inside, shape

    return spread(read_tokens([[seen(row) for row in rows[: SLOTS - 1]] for rows in sequences]), effort)
