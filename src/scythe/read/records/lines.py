"""Find lines: the elements of a page come in, text broken by `<br>` goes out with every line a record.

Breaks stand at any depth inside inline elements, so the lines are those of the box around them.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from scythe.page.blocks import BOX, KIND
from scythe.page.elements import Elements
from scythe.read.records.groups import Columns, Groups, Spans, starts_of
from scythe.read.records.labels import BREAK, Labels

LEAST = 3  # lines of a list; addresses and captions have fewer
_Line = tuple[int, int, int, int]  # rows and leaves, each from and to


def find_lines(elements: Elements, columns: Columns, labels: Labels) -> list[tuple[Groups, Spans]]:
    """Return the lines of each box, of each block in it and of alike boxes together, and the blocks."""
    boxes = _breaks_by_box(elements, (labels.role == BREAK).nonzero()[0].tolist())
    if not boxes:
        return []
    lines: dict[int, list[_Line]] = {}
    blocks: list[list[_Line]] = []
    block_lines: list[list[_Line]] = []
    for box, breaks in boxes.items():
        lines[box], parts = _cut(elements, box, breaks)
        if len(parts) > 1:
            blocks.append([(part[0][0], part[-1][1], part[0][2], part[-1][3]) for part in parts])
            block_lines.extend(parts)
    found = [
        ("lines", [*lines.values()]),
        ("lines of a block", block_lines),
        ("lines of alike boxes", _lines_of_alike(columns, labels, lines)),
        ("blocks of lines", blocks),
    ]
    return _group(found)


def _breaks_by_box(elements: Elements, breaks: list[int]) -> dict[int, list[int]]:
    """Return the rows of the breaks in each innermost box, both in page order."""
    tags, ups, of = elements.tag, elements.parent, dict[int, list[int]]()
    boxed: dict[int, int] = {}  # inline row -> its box; the walk up is bounded by the depth of the tree
    for row in breaks:
        up = box = ups[row]
        if up in boxed:
            box = boxed[up]
        while box > 0 and KIND.get(tags[box]) != BOX:
            box = ups[box]
        boxed[up] = box
        of.setdefault(box, []).append(row)
    return of


def _cut(elements: Elements, box: int, breaks: list[int]) -> tuple[list[_Line], list[list[_Line]]]:
    """Return the lines of one box, and the same in blocks that empty lines part."""
    lines: list[_Line] = []
    parts: list[list[_Line]] = []
    row, leaf, empty = box + 1, elements.leaf_start[box], True
    for stop in [*breaks, elements.end[box]]:
        last = stop == elements.end[box]
        leaf_stop = elements.leaf_end[box] if last else elements.leaf_start[stop]
        if leaf_stop > leaf:
            # a line that begins or ends inside an element has no whole elements to name
            whole = row < stop and max(elements.end[row:stop]) <= stop
            line = (row if whole else stop, stop, leaf, leaf_stop)
            lines.append(line)
            if empty:
                parts.append([])
            parts[-1].append(line)
        empty = leaf_stop == leaf
        row, leaf = stop + 1, leaf_stop
    return lines, parts


def _lines_of_alike(columns: Columns, labels: Labels, lines: dict[int, list[_Line]]) -> list[list[_Line]]:
    """Return the lines of boxes of the same path together, boxes of one line among them."""
    paths = np.sort(labels.exact_path[[*lines]])
    places = np.minimum(paths.searchsorted(labels.exact_path), len(paths) - 1)
    rows = ((columns.leaf_end > columns.leaf_start) & (paths[places] == labels.exact_path)).nonzero()[0]
    whole = (rows, columns.end[rows], columns.leaf_start[rows], columns.leaf_end[rows])
    alike: dict[int, list[_Line]] = {}
    for path, *line in zip(labels.exact_path[rows].tolist(), *(column.tolist() for column in whole), strict=True):
        alike.setdefault(path, []).extend(lines.get(line[0]) or [tuple(line)])
    return [of for of in alike.values() if all(before[3] <= after[2] for before, after in pairwise(of))]


def _group(found: list[tuple[str, list[list[_Line]]]]) -> list[tuple[Groups, Spans]]:
    sets = [(finder, of) for finder, (_, some) in enumerate(found) for of in some if len(of) >= LEAST]
    if not sets:
        return []
    spans = np.array([line for _, of in sets for line in of], dtype=np.int64)
    counts = np.array([len(of) for _, of in sets], dtype=np.int64)
    finders = np.array([finder for finder, _ in sets], dtype=np.int64)
    groups = Groups([name for name, _ in found], finders, starts_of(counts)[:-1], counts, np.arange(len(spans)))
    return [(groups, Spans(*spans.T))]
