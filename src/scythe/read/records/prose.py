"""Tell running text from fields on one line: parts of records come in, lines and whether to keep them whole go out.

`<p>The <b>best</b> of all <a>villages</a> ...</p>` is one field, `<p>by <a>Ann</a> | <b>12 May</b></p>` is several.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from scythe.page.blocks import BOX, BREAK, KIND, RULE
from scythe.page.elements import Elements
from scythe.read.records.recognise import DATE, PRICE, RATING, kind_of

Part = tuple[int, int, int, int, int]  # record, rows inside (first, one after the last), leaves inside

_PROSE_CHARS = 80  # of a line of text with markup inside that is read as one field, on average
_USUAL = 0.6  # share of lines with the same markup from which they are fields
_SEEN = 8  # lines that are looked at for fields, and texts of each
_TYPED = (DATE, PRICE, RATING)
_BREAKS = frozenset(tag for tag, kind in KIND.items() if kind in (BOX, BREAK, RULE))


@dataclass(frozen=True, slots=True)
class Line:
    """What stands in one record between two breaks: leaves, the elements among them, characters outside of these."""

    record: int
    start: int
    end: int
    rows: list[int]
    bare: int


def cut_lines(elements: Elements, parts: list[Part]) -> tuple[list[Line], list[tuple[int, int]]]:
    """Return the lines of text directly in the parts, and the elements that break them as (record, row)."""
    ends, starts, lasts, tags, text = (
        elements.end,
        elements.leaf_start,
        elements.leaf_end,
        elements.tag,
        elements.text,
    )
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
