"""STM: divide the records of a data region into groups of similar ones (paper 004, Figure 3) with aligned columns.

Between `mdr` and the alignment this is the paper's whole system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scythe.model import RecordList
from scythe.page import Page
from scythe.page.elements import Elements
from scythe.reading.lists.pattern import pattern_of_trees
from scythe.reading.lists.tree_alignment import (
    ALIKE,
    UNIT,
    Allowance,
    Branch,
    Seed,
    Tree,
    align_columns,
    children_of,
    place,
    plant,
    tree_of,
    weigh,
)
from scythe.reading.papers.mdr import (
    MOST_NODES,
    THRESHOLD,
    Rows,
    find_data_regions,
    has_text,
    leaves_of,
    sort_by_text,
    write_region,
)

MOST_GROUPS = 50  # that a record is compared with; real regions have one to five


@dataclass(slots=True)
class Group:
    """Records that are similar to one growing pattern."""

    pattern: Seed
    members: list[int] = field(default_factory=list)  # numbers of records, in page order


def regroup(trees: Sequence[Tree], *, alike: float = ALIKE, allowance: Allowance | None = None) -> list[Group]:
    """Put each record into the first group whose pattern is similar enough, or into one of its own (Figure 3).

    Records that are compared with nothing because the allowance is spent are put together when they are equal.
    """
    groups: list[Group] = []
    known: dict[Tree, Group] = {}
    allowance = allowance or Allowance.for_nodes(sum(len(tree.labels) for tree in set(trees)))
    for number, tree in enumerate(trees):
        group = known.get(tree)
        if group is None:
            for one in groups[:MOST_GROUPS] if allowance.pairs > 0 else []:
                score, pairs = score_pattern(one.pattern, tree)
                allowance.pairs -= pairs
                if score >= alike:
                    place(one.pattern, _branch(tree))
                    group = one
                    break
            else:
                group = Group(plant(_branch(tree)))
                groups.append(group)
            known[tree] = group
        group.members.append(number)
    return groups


def score_pattern(pattern: Seed, tree: Tree) -> tuple[float, int]:
    """Return the similarity of a record to a pattern, and how many pairs of nodes were weighed for it."""
    sizes = len(pattern.labels) + len(tree.labels)
    weights = weigh(pattern.labels, pattern.children, tree.labels, children_of(tree.depths))
    return 2 * (weights.get((0, 0), 0) // UNIT) / sizes, 1 + len(weights)


def _branch(tree: Tree) -> Branch:
    return Branch(tree.labels, tree.depths, tree.labels)


def record_tree(elements: Elements, parts: Sequence[Rows]) -> Tree:
    """Return the tag tree of a record; one of several parts gets a root without a name."""
    trees = [tree_of(elements, first, end) for first, end in parts]
    if len(trees) == 1:
        return trees[0]
    labels = tuple(label for tree in trees for label in tree.labels)
    return Tree(("", *labels), (0, *(depth + 1 for tree in trees for depth in tree.depths)))


def read_by_stm(
    page: Page, *, threshold: float = THRESHOLD, most_nodes: int = MOST_NODES, alike: float = ALIKE
) -> tuple[RecordList, ...]:
    """Return the groups of similar records of all data regions with aligned columns, most text first."""
    elements = page.elements
    allowance = Allowance.for_nodes(len(elements) + len(elements.text))
    regions = []
    for found in find_data_regions(elements, threshold=threshold, most_nodes=most_nodes):
        shown = [parts for parts in found.records if has_text(elements, parts)]
        trees = [record_tree(elements, parts) for parts in shown]
        for group in regroup(trees, alike=alike, allowance=allowance):
            if len(group.members) < 2:
                continue  # what has no second of its kind is no list
            records = [shown[number] for number in group.members]
            spans = [[(*part, *leaves_of(elements, part)) for part in parts] for parts in records]
            texts = align_columns(elements, spans, allowance)
            pattern = pattern_of_trees([trees[number] for number in group.members])
            regions.append(write_region(page, records, texts, pattern=str(pattern)))
    return sort_by_text(regions)
