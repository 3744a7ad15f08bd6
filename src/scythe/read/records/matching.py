"""Compare tag trees by Simple Tree Matching (Yang 1991): two trees come in, the number of nodes they share goes out.

A tree is kept as columns in document order. Two nodes can only match when their parents do, so the pairs to look at are
listed from the roots down and weighed from the leaves up: no recursion, at most the product of the two sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scythe.page.elements import Elements

ALIKE = 0.65  # the paper's threshold: records at least so similar belong together
MOST_NODES = 300  # of one tree; the deeper ones beyond are left out, since the work grows with the product of two sizes
MOST_PAIRS = 20_000  # of nodes weighed for two trees; deeper ones count as different. Two lists of 140 paragraphs
UNIT = 1024  # the weight of one matched node; what marks add stays below it in trees of at most 500 nodes

Children = Sequence[Sequence[int]]
Hits = tuple[list[int], int]  # of one child: which of the others have its label, and the number of the first such pair


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes in document order; node 0 is the root. A record of several siblings has a root without a name."""

    labels: tuple[str, ...]
    depths: tuple[int, ...]  # 0 for the root only


def tree_of(elements: Elements, first: int, end: int, *, most: int = MOST_NODES) -> Tree:
    """Return the tags of the rows `first : end`, which hold one element or a run of siblings with all inside them."""
    labels, depths = elements.tag[first:end], elements.depth[first:end]
    base = depths[0] if depths else 0
    if depths.count(base) == 1:
        below = [depth - base for depth in depths]
    else:
        labels.insert(0, "")
        below = [0, *(depth - base + 1 for depth in depths)]
    if len(labels) > most:
        kept = upper_nodes(below, most)
        return Tree(tuple([labels[node] for node in kept]), tuple([below[node] for node in kept]))
    return Tree(tuple(labels), tuple(below))


def upper_nodes(depths: Sequence[int], most: int) -> list[int]:
    """Choose at most so many nodes: whole levels from the top, then the first of the next. Deep nodes say least."""
    if len(depths) <= most:
        return list(range(len(depths)))
    sizes = [0] * (max(depths) + 1)
    for depth in depths:
        sizes[depth] += 1
    level, spare = 0, most
    while sizes[level] <= spare:
        spare -= sizes[level]
        level += 1
    kept = []
    for node, depth in enumerate(depths):
        if depth == level:
            spare -= 1
        if depth < level or (depth == level and spare >= 0):
            kept.append(node)
    return kept


def children_of(depths: Sequence[int]) -> list[list[int]]:
    """Return for each node of a tree in document order the nodes directly below it."""
    children: list[list[int]] = [[] for _ in depths]
    path: list[int] = []
    for node, depth in enumerate(depths):
        del path[depth:]
        if path:
            children[path[-1]].append(node)
        path.append(node)
    return children


def match(a: Tree, b: Tree) -> int:
    """Count the nodes of the largest common tree: same root, same tags, same order, nothing skipped on the way down."""
    if a == b:
        return len(a.labels)
    weights = weigh(a.labels, children_of(a.depths), b.labels, children_of(b.depths))
    return weights.get((0, 0), 0) // UNIT


def similarity(a: Tree, b: Tree) -> float:
    """Return the number of matched nodes divided by the mean size: 0 for different roots, 1 for equal trees."""
    return 2 * match(a, b) / (len(a.labels) + len(b.labels))


def weigh(
    labels: Sequence[str],
    children: Children,
    other_labels: Sequence[str],
    other_children: Children,
    marks: Sequence[str] | None = None,
    other_marks: Sequence[str] | None = None,
) -> dict[tuple[int, int], int]:
    """Weigh every pair of nodes whose ancestors match: `UNIT` for each matched node below and including the pair.

    Marks (class names, kinds of text) decide between matchings of equal size: each equal pair of them adds one.
    """
    if labels[0] != other_labels[0]:
        return {}
    pairs, opened = _list_pairs(labels, children, other_labels, other_children)
    weights = [UNIT] * len(pairs)
    if marks is not None and other_marks is not None:
        weights = [UNIT + (marks[x] == other_marks[y]) for x, y in pairs]
    for number in range(len(opened) - 1, -1, -1):
        if rows := opened[number]:
            weights[number] += _best_weight(rows, weights)
    return dict(zip(pairs, weights, strict=True))


def _list_pairs(
    labels: Sequence[str], children: Children, other_labels: Sequence[str], other_children: Children
) -> tuple[list[tuple[int, int]], list[list[Hits]]]:
    """Return all pairs of nodes whose ancestors match, and for each that was looked into which children make pairs."""
    pairs, opened = [(0, 0)], list[list[Hits]]()
    for x, y in pairs:  # grows while it is walked
        if len(pairs) >= MOST_PAIRS:
            break
        below, others = children[x], other_children[y]
        rows: list[Hits] = []
        opened.append(rows)
        if not below or not others:
            continue
        if len(below) == len(others) == 1:
            if labels[below[0]] == other_labels[others[0]]:
                rows.append(([0], len(pairs)))
                pairs.append((below[0], others[0]))
            continue
        labelled: dict[str, list[int]] = {}
        for column, other in enumerate(others):
            labelled.setdefault(other_labels[other], []).append(column)
        for child in below:
            if columns := labelled.get(labels[child]):
                rows.append((columns, len(pairs)))
                pairs.extend([(child, others[column]) for column in columns])
    return pairs, opened


def _best_weight(rows: list[Hits], weights: list[int]) -> int:
    """Return the best weight of matching children in order: the last number of what `score_rows` would return."""
    if len(rows) == 1:
        columns, start = rows[0]
        return weights[start] if len(columns) == 1 else max(weights[start : start + len(columns)])
    wide = max(columns[-1] for columns, _ in rows) + 1
    above = [0] * (wide + 1)
    for columns, start in rows:
        row, best = above.copy(), 0
        for place, column in enumerate(columns):
            best = max(best, above[column] + weights[start + place])
            stop = columns[place + 1] if place + 1 < len(columns) else wide
            at = column + 1
            while at <= stop and above[at] < best:
                row[at] = best
                at += 1
        above = row
    return above[-1]


def score_rows(nodes: Sequence[int], others: Sequence[int], weights: dict[tuple[int, int], int]) -> list[list[int]]:
    """Return the table of the best weights of matching the first so many children in order."""
    above = [0] * (len(others) + 1)
    table = [above]
    for x in nodes:
        row, best = [0], 0
        for column, y in enumerate(others):
            weight = weights.get((x, y))
            if weight is not None and (total := above[column] + weight) > best:
                best = total
            if above[column + 1] > best:
                best = above[column + 1]
            row.append(best)
        table.append(row)
        above = row
    return table
