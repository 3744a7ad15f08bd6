"""Describe the common tag tree of a list's records as a short text, to recognise the list on other pages or days.

A pattern reads like `li(a(img),h3(a),p?)`: `?` marks optional nodes, `+` repeated siblings. Patterns are compared by
Simple Tree Matching (paper 004, Figure 5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters, digits

from scythe.errors import BadInput
from scythe.page.elements import Elements
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.tree_alignment import (
    NOWHERE,
    Branch,
    Seed,
    Tree,
    children_of,
    place,
    plant,
    tree_of,
    upper_nodes,
)
from scythe.reading.lists.tree_alignment import similarity as tree_similarity

MOST_PATTERN_NODES = 60  # the upper levels of a record tell one list from another
MOST_PATTERN_CHARS = 4_000  # of a text that is parsed
SAMPLE = 10  # records looked at, spread over the list
DISTINCT = 4  # of them are aligned; the others only differ where these do, or seldom
_NAME = frozenset(ascii_letters + digits + "-:_.")


@dataclass(frozen=True, slots=True)
class Pattern:
    """The tag tree of a list's records: nodes in document order, node 0 the root."""

    labels: tuple[str, ...]
    depths: tuple[int, ...]
    optional: tuple[bool, ...]  # some records that have its parent lack it
    repeated: tuple[bool, ...]  # several like it may follow each other

    def __str__(self) -> str:
        """Write it as one line that `parse` reads."""
        parts: list[str] = []
        marks: list[str] = []  # of the open nodes
        for label, depth, optional, repeated in zip(
            self.labels, self.depths, self.optional, self.repeated, strict=True
        ):
            if depth == len(marks):
                parts.append("(" if depth else "")
            else:
                parts.append(_close(marks, depth) + ",")
            parts.append(label)
            marks.append("+" * repeated + "?" * optional)
        parts.append(_close(marks, 0))
        return "".join(parts)


def _close(marks: list[str], depth: int) -> str:
    """Close the open nodes down to a depth; the innermost has no children."""
    closed = [marks.pop()]
    while len(marks) > depth:
        closed.append(")" + marks.pop())
    return "".join(closed)


def parse(text: str) -> Pattern:
    """Read a pattern from its text. Raises `BadInput` when it is none."""
    if len(text) > MOST_PATTERN_CHARS:
        raise BadInput(f"a pattern has at most {MOST_PATTERN_CHARS} characters, not {len(text)}")
    labels, depths, optional, repeated = [""], [0], [False], [False]
    path = [0]  # the open nodes; the last one takes names and marks
    for at, char in enumerate(text):
        node = path[-1]
        if char in _NAME:
            labels[node] += char
        elif char == "(" or (char == "," and len(path) > 1):
            if char == ",":
                path.pop()
            path.append(len(labels))
            labels.append("")
            depths.append(len(path) - 1)
            optional.append(False)
            repeated.append(False)
        elif char == ")" and len(path) > 1:
            path.pop()
        elif char == "?":
            optional[node] = True
        elif char == "+":
            repeated[node] = True
        else:
            raise BadInput(f"a pattern cannot have {char!r} at {at}")
    if len(path) != 1 or len(labels) > MOST_PATTERN_NODES:
        raise BadInput(f"a pattern has closed brackets and at most {MOST_PATTERN_NODES} nodes")
    return Pattern(tuple(labels), tuple(depths), tuple(optional), tuple(repeated))


def pattern_of(elements: Elements, candidate: Candidate, *, sample: int = SAMPLE) -> Pattern:
    """Return the pattern of a list from a sample of records: the work does not grow with the list."""
    step = max(1, -(-len(candidate.rows) // sample))
    spread = candidate.rows[::step]
    return pattern_of_trees([tree_of(elements, first, end, most=MOST_PATTERN_NODES) for first, end in spread])


def pattern_of_trees(trees: Sequence[Tree]) -> Pattern:
    """Return the pattern of records: their commonest trees aligned, with what some of these lack optional."""
    counted = Counter(trees)
    common = [tree for tree, _ in counted.most_common(DISTINCT)]
    if len({tree.labels[0] for tree in common}) > 1:
        common = [_wrap(tree) for tree in common]
    patterns = [collapse(tree) for tree in common]
    patterns.sort(key=lambda pattern: -len(pattern.labels))
    return join(patterns)


def _wrap(tree: Tree) -> Tree:
    """Put a tree below a root without a name, where it has none."""
    if not tree.labels[0]:
        return tree
    return Tree(("", *tree.labels), (0, *(depth + 1 for depth in tree.depths)))


def collapse(tree: Tree) -> Pattern:
    """Write siblings in a row that are built alike once: a post is the same with two paragraphs or nine."""
    labels, children = tree.labels, children_of(tree.depths)
    size = len(labels)
    shapes: dict[tuple[str, tuple[int, ...]], int] = {}
    shape, repeated, merged = [0] * size, [False] * size, [False] * size
    for node in range(size - 1, -1, -1):
        built: list[int] = []
        kept = node
        for child in children[node]:
            if built and built[-1] == shape[child]:
                repeated[kept] = merged[child] = True
            else:
                built.append(shape[child])
                kept = child
        shape[node] = shapes.setdefault((labels[node], tuple(built)), len(shapes))
    order = _outside(tree.depths, merged) if any(merged) else list(range(size))
    return Pattern(
        tuple([name_of(labels[node]) for node in order]),
        tuple([tree.depths[node] for node in order]),
        (False,) * len(order),
        tuple([repeated[node] for node in order]),
    )


def _outside(depths: Sequence[int], left_out: Sequence[bool]) -> list[int]:
    """Return the nodes that are neither left out nor below one that is."""
    found, above = list[int](), len(depths)  # the depth of the last one left out
    for node, depth in enumerate(depths):
        if depth > above:
            continue
        above = depth if left_out[node] else len(depths)
        if not left_out[node]:
            found.append(node)
    return found


def _walk(children: Sequence[Sequence[int]]) -> tuple[list[int], tuple[int, ...]]:
    """Return the nodes below node 0 in document order, with their depths."""
    order, depths, stack = [], [], [(0, 0)]
    while stack:
        node, depth = stack.pop()
        order.append(node)
        depths.append(depth)
        if children[node]:
            stack.extend([(child, depth + 1) for child in reversed(children[node])])
    return order, tuple(depths)


@lru_cache(maxsize=4096)
def name_of(tag: str) -> str:
    """Return a tag as a pattern writes it: pages may use any characters in names, patterns need some for themselves."""
    return "".join([char if char in _NAME else "_" for char in tag[:40]])


def join(patterns: Sequence[Pattern]) -> Pattern:
    """Align one or more patterns into one, the first as the seed; what not all of them have is optional."""
    first, *others = patterns
    if not others:
        return first
    seed, size = plant(_branch(first)), len(first.labels)
    held, optional, repeated = [0] * size, list(first.optional), list(first.repeated)
    placed = {(first.labels, first.depths): list(range(size))} if size == len(seed.labels) else {}
    for pattern in patterns:
        tree = (pattern.labels, pattern.depths)
        if tree not in placed:
            placed[tree] = place(seed, _branch(pattern), forced=True).places
        places = placed[tree]
        if len(seed.labels) > len(held):
            placed.clear()  # what fitted well may fit better now
        grown = len(seed.labels) - len(held)
        held += [0] * grown
        optional += [False] * grown
        repeated += [False] * grown
        for node, spot in enumerate(places):
            if spot != NOWHERE:
                held[spot] += 1
                optional[spot] |= pattern.optional[node]
                repeated[spot] |= pattern.repeated[node]
    above = [len(patterns), *([0] * (len(held) - 1))]  # how many have the parent: its lack is said once
    for node, children in enumerate(seed.children):
        for child in children:
            above[child] = held[node]
    lacking = [said or count < most for said, count, most in zip(optional, held, above, strict=True)]
    return _pattern_from(seed, lacking, repeated)


def _branch(pattern: Pattern) -> Branch:
    return Branch(pattern.labels, pattern.depths, pattern.labels)


def _pattern_from(seed: Seed, optional: Sequence[bool], repeated: Sequence[bool]) -> Pattern:
    order, depths = _walk(seed.children)
    kept = upper_nodes(depths, MOST_PATTERN_NODES)
    return Pattern(
        tuple([seed.labels[order[at]] for at in kept]),
        tuple([depths[at] for at in kept]),
        tuple([optional[order[at]] for at in kept]),
        tuple([repeated[order[at]] for at in kept]),
    )


def similarity(a: Pattern, b: Pattern) -> float:
    """Compare two patterns by Simple Tree Matching, normalised by their mean size: 0 to 1."""
    return tree_similarity(Tree(a.labels, a.depths), Tree(b.labels, b.depths))


def merge(old: Pattern, new: Pattern) -> Pattern:
    """Return the old pattern with what the new one adds; what either lacks becomes optional."""
    return join([old, new])
