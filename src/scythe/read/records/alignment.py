"""Align tag trees by partial tree alignment (DEPTA, Zhai and Liu 2005): trees come in, one that holds them goes out.

The largest tree is the seed. Of every other tree the nodes that match the seed are placed there; those that do not are
added where their place between matched neighbours is the only one possible. Trees with nodes left over are tried
again after the seed has grown; what has no unique place even then gets a place of its own next to its left neighbour,
so that nothing is lost and nothing that has a place is moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scythe.read.records.matching import Children, children_of, score_rows, weigh

MOST_SEED = 500  # nodes of one seed; see `matching.UNIT`
MOST_ROUNDS = 4  # a tree left over is tried so often: real regions settle in two
MOST_PAIRS = 1_000_000  # of nodes weighed for one region, about a second; later trees are not placed
NOWHERE = -1


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


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the nodes of one tree went."""

    places: list[int]  # the node of the seed for each node of the tree, or NOWHERE
    left: int  # how many went nowhere
    grown: bool  # whether the seed has new nodes
    pairs: int  # how many were weighed


def plant(branch: Branch) -> Seed:
    """Make a tree the seed: its nodes keep their numbers."""
    most = MOST_SEED
    return Seed(list(branch.labels[:most]), list(branch.marks[:most]), children_of(branch.depths[:most]))


def align(branches: Sequence[Branch]) -> tuple[Seed, list[list[int]]]:
    """Align trees into one seed. Returns it with the place of every node of every tree, NOWHERE beyond a bound."""
    distinct = list(dict.fromkeys(branches))
    first = max(distinct, key=lambda branch: len(branch.labels))  # the first of the largest
    seed = plant(first)
    size = len(seed.labels)
    places = {first: [node if node < size else NOWHERE for node in range(len(first.labels))]}
    waiting, spent = [branch for branch in distinct if branch is not first], 0
    for turn in range(MOST_ROUNDS + 1):
        left, grown, forced = [], False, turn == MOST_ROUNDS
        for branch in waiting:
            if spent > MOST_PAIRS:
                places.setdefault(branch, [NOWHERE] * len(branch.labels))
                continue
            fit = place(seed, branch, forced=forced)
            spent += fit.pairs
            places[branch] = fit.places
            grown |= fit.grown
            if fit.left:
                left.append(branch)
        waiting = left
        if forced or not waiting:
            break
        if not grown:
            for branch in waiting:
                places[branch] = place(seed, branch, forced=True).places
            break
    return seed, [places[branch] for branch in branches]


def place(seed: Seed, branch: Branch, *, forced: bool = False) -> Fit:
    """Place one tree in the seed, adding nodes whose place is unique; `forced` adds the others as well."""
    children = children_of(branch.depths)
    weights = weigh(seed.labels, seed.children, branch.labels, children, seed.marks, branch.marks)
    places = [NOWHERE] * len(branch.labels)
    size = len(seed.labels)
    if not weights:
        return Fit(places, len(places), False, 1)
    stack = [(0, 0)]
    while stack:
        x, y = stack.pop()
        places[y] = x
        if children[y]:
            stack.extend(trace(seed.children[x], children[y], weights))
    for node, spot in enumerate(places.copy()):
        if spot != NOWHERE and any(places[child] == NOWHERE for child in children[node]):
            _add_children(seed, branch, children, node, places, forced)
    return Fit(places, places.count(NOWHERE), len(seed.labels) > size, len(weights))


def trace(nodes: Sequence[int], others: Sequence[int], weights: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    """Return the pairs of children that the best matching is made of, the earliest where several are equally good."""
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
