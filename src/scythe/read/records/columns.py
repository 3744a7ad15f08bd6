"""Align the texts of records: where the records are comes in, the cells of each column go out.

The records are walked level by level, all at once. Children of elements that share a column so far share one again
where tag and classes are the same; where these repeat, what they hold decides (`slots`). Work grows with the number of
elements and leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from scythe.page.elements import Elements
from scythe.read.records.candidate import Candidate
from scythe.read.records.labels import name_words
from scythe.read.records.prose import Part, cut_lines, is_prose, trim
from scythe.read.records.slots import SLOTS, Effort, read_tokens, spread

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
    ends, starts, lasts, tags, classes = (
        elements.end,
        elements.leaf_start,
        elements.leaf_end,
        elements.tag,
        elements.classes,
    )
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
