"""Compare tag trees by Simple Tree Matching (Yang 1991) and align them by partial tree alignment (DEPTA, 2005).

The largest tree is the seed. Matching nodes of other trees are placed there; others are added where their place is
unique, and trees with nodes left over are tried again after the seed has grown. No recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

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


MOST_SEED = 500  # nodes of one seed; see `matching.UNIT`
MOST_ROUNDS = 4  # a tree left over is tried so often: real lists settle in two
NOWHERE = -1
TEXT = "#text"
_DIGITS = re.compile(r"\d+")

Span = tuple[int, int, int, int]  # a run of siblings: first row, row after the last, first leaf, leaf after the last


@dataclass(frozen=True, slots=True)
class Branch:
    """A tree to align: nodes in document order, node 0 the root, with marks that decide between equal matchings."""

    labels: tuple[str, ...]
    depths: tuple[int, ...]
    marks: tuple[str, ...]  # only compared with each other: class names, kinds of text


@dataclass(slots=True)
class Seed:
    """The growing tree. Nodes keep their number while others are added."""

    labels: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)

    def add(self, label: str, mark: str) -> int:
        """Add a node that nothing points to yet."""
        self.labels.append(label)
        self.marks.append(mark)
        self.children.append([])
        return len(self.labels) - 1

    def walk(self) -> list[int]:
        """Return the nodes in document order."""
        order, stack = [], [0]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(reversed(self.children[node]))
        return order


@dataclass(slots=True)
class Allowance:
    """How many pairs of nodes may still be weighed, so that the work on a page grows no faster than the page."""

    pairs: int

    @classmethod
    def for_nodes(cls, nodes: int) -> Allowance:
        """Allow what so many elements and texts need: nine of ten real lists need four pairs a node or less."""
        return cls(400_000 + 20 * nodes)


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the nodes of one tree went."""

    places: list[int]  # the node of the seed for each node of the tree, or NOWHERE
    left: int  # how many went nowhere
    pairs: int  # how many were weighed


def plant(branch: Branch) -> Seed:
    """Make a tree the seed: its nodes keep their numbers."""
    most = MOST_SEED
    return Seed(list(branch.labels[:most]), list(branch.marks[:most]), children_of(branch.depths[:most]))


def align(branches: Sequence[Branch], allowance: Allowance | None = None) -> tuple[Seed, list[list[int]]]:
    """Align trees into one seed. Returns it with the place of every node of every tree, NOWHERE beyond a bound."""
    distinct = list(dict.fromkeys(branches))
    allowance = allowance or Allowance.for_nodes(sum(len(branch.labels) for branch in distinct))
    first = max(distinct, key=lambda branch: len(branch.labels))  # the first of the largest
    seed = plant(first)
    size = len(seed.labels)
    places = {first: [node if node < size else NOWHERE for node in range(len(first.labels))]}
    waiting = [branch for branch in distinct if branch is not first]
    for _ in range(MOST_ROUNDS):
        size = len(seed.labels)
        waiting = _place_all(seed, waiting, places, allowance)
        if not waiting or len(seed.labels) == size:
            break
    _place_all(seed, waiting, places, allowance, forced=True)
    return seed, [places[branch] for branch in branches]


def _place_all(
    seed: Seed,
    branches: Sequence[Branch],
    places: dict[Branch, list[int]],
    allowance: Allowance,
    *,
    forced: bool = False,
) -> list[Branch]:
    """Place trees while that is allowed. Returns those with nodes left over."""
    left = []
    for branch in branches:
        if allowance.pairs < 0:
            places.setdefault(branch, [NOWHERE] * len(branch.labels))
            continue
        fit = place(seed, branch, forced=forced)
        allowance.pairs -= fit.pairs
        places[branch] = fit.places
        if fit.left:
            left.append(branch)
    return left


def place(seed: Seed, branch: Branch, *, forced: bool = False) -> Fit:
    """Place one tree in the seed, adding nodes whose place is unique; `forced` adds the others as well."""
    children = children_of(branch.depths)
    weights = weigh(seed.labels, seed.children, branch.labels, children, seed.marks, branch.marks)
    places = [NOWHERE] * len(branch.labels)
    if not weights:
        return Fit(places, len(places), 1)
    stack = [(0, 0)]
    while stack:
        x, y = stack.pop()
        places[y] = x
        if children[y]:
            stack.extend(trace(seed.children[x], children[y], weights))
    for node, spot in enumerate(places.copy()):
        if spot != NOWHERE and any(places[child] == NOWHERE for child in children[node]):
            _add_children(seed, branch, children, node, places, forced)
    return Fit(places, places.count(NOWHERE), len(weights))


def trace(nodes: Sequence[int], others: Sequence[int], weights: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return the pairs of children that the best matching is made of, the earliest where several are equally good."""
    if len(nodes) == len(others) == 1:
        return [(nodes[0], others[0])] if (nodes[0], others[0]) in weights else []
    table, found = score_rows(nodes, others, weights), []
    row, column = len(nodes), len(others)
    while row and column:
        best = table[row][column]
        if best == table[row - 1][column]:
            row -= 1
        elif best == table[row][column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            found.append((nodes[row], others[column]))
    return found


def _add_children(seed: Seed, branch: Branch, children: Children, node: int, places: list[int], forced: bool) -> None:
    """Add the runs of unplaced children of a placed node to the seed."""
    siblings, run, left = seed.children[places[node]], list[int](), NOWHERE
    for child in [*children[node], NOWHERE]:
        if child != NOWHERE and places[child] == NOWHERE:
            run.append(child)
            continue
        right = places[child] if child != NOWHERE else NOWHERE
        if run:
            at = unique_place(siblings, left, right)
            if at is None and forced:
                at = siblings.index(left) + 1 if left != NOWHERE else 0
            if at is not None:
                siblings[at:at] = [_copy(seed, branch, children, each, places) for each in run]
                siblings[:] = [each for each in siblings if each != NOWHERE]
            run = []
        left = right


def unique_place(siblings: Sequence[int], left: int, right: int) -> int | None:
    """Return where among the seed's siblings something between two matched neighbours must be, None if it is open."""
    at = siblings.index(left) + 1 if left != NOWHERE else 0
    if right == NOWHERE:
        return at if at == len(siblings) else None
    return at if siblings[at] == right else None


def _copy(seed: Seed, branch: Branch, children: Children, top: int, places: list[int]) -> int:
    """Copy a tree's node with all below it into the seed; NOWHERE when the seed is full."""
    stack = [(top, NOWHERE)]
    while stack:
        node, parent = stack.pop()
        if len(seed.labels) >= MOST_SEED:
            break
        places[node] = seed.add(branch.labels[node], branch.marks[node])
        if parent != NOWHERE:
            seed.children[parent].append(places[node])
        stack.extend((child, places[node]) for child in reversed(children[node]))
    return places[top]


def align_columns(
    elements: Elements, records: Sequence[Sequence[Span]], allowance: Allowance | None = None
) -> list[list[str]]:
    """Align the texts of records, each of one or several runs of siblings: columns for all, "" where one has none.

    Texts that bounds left without a place are in one more column at the end.
    """
    leafy = [branch_of(elements, spans) for spans in records]
    seed, places = align([branch for branch, _ in leafy], allowance)
    column = {node: number for number, node in enumerate(node for node in seed.walk() if seed.labels[node] == TEXT)}
    rows = []
    for (_, leaves), spots, spans in zip(leafy, places, records, strict=True):
        fields, placed = [""] * (len(column) + 1), set()
        for leaf, spot in zip(leaves, spots, strict=True):
            if leaf != NOWHERE and spot != NOWHERE:
                fields[column[spot]] = elements.text[leaf]
                placed.add(leaf)
        others = (leaf for _, _, start, end in spans for leaf in range(start, end) if leaf not in placed)
        fields[-1] = " ".join([elements.text[leaf] for leaf in others])
        rows.append(fields)
    filled = [any(column) for column in zip(*rows, strict=True)]
    return [[text for text, kept in zip(fields, filled, strict=True) if kept] for fields in rows]


def branch_of(elements: Elements, spans: Sequence[Span]) -> tuple[Branch, list[int]]:
    """Return a record as a tree of tags and texts below a root without a name, with the leaf of each node."""
    labels, depths, marks, leaves = [""], [0], [""], [NOWHERE]
    for span in spans:
        above = elements.depth[span[0]] - 1
        for row, leaf in walk_leaves(elements, span):
            if len(labels) >= MOST_SEED:
                break
            if leaf == NOWHERE:
                labels.append(elements.tag[row])
                depths.append(elements.depth[row] - above)
                marks.append(mark_of(elements.classes[row]))
            else:
                labels.append(TEXT)
                depths.append(elements.depth[row] - above + 1)
                marks.append(kind_of(elements.text[leaf]))
            leaves.append(leaf)
    return Branch(tuple(labels), tuple(depths), tuple(marks)), leaves


def walk_leaves(elements: Elements, span: Span) -> Iterator[tuple[int, int]]:
    """Yield rows (with NOWHERE) and leaves (with the row they stand in) of a run of siblings in document order."""
    first, end, leaf, last = span
    for row in range(first, end):
        while leaf < min(last, elements.leaf_start[row]):
            yield elements.leaf_row[leaf], leaf
            leaf += 1
        yield row, NOWHERE
    for rest in range(leaf, last):
        yield elements.leaf_row[rest], rest


@lru_cache(maxsize=4096)
def mark_of(classes: str) -> str:
    """Return the first class name without its numbers: it tells fields with the same tag apart."""
    return _DIGITS.sub("", classes[:200].strip().partition(" ")[0])


def kind_of(text: str) -> str:
    """Return roughly what a text is: a number or price, a date or the like, words, or prose."""
    if _DIGITS.search(text[:60]):
        return "number" if len(text) < 12 else "numbers" if len(text) < 40 else "prose"
    return "word" if len(text) < 12 else "words" if len(text) < 80 else "prose"
