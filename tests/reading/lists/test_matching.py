"""Simple Tree Matching counts what two tag trees share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.page.page import Page
from scythe.reading.lists.tree_alignment import Tree, children_of, match, similarity, tree_of, upper_nodes

depth_steps = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-3, 1)), max_size=25)


def grow(steps: list[tuple[str, int]]) -> Tree:
    """Make a tree from steps: each node is one deeper than the last, or some levels up."""
    labels, depths = ["r"], [0]
    for label, step in steps:
        labels.append(label)
        depths.append(max(1, depths[-1] + step))
    return Tree(tuple(labels), tuple(depths))


def naive_match(a: Tree, b: Tree, x: int = 0, y: int = 0) -> int:
    """Match as the paper writes it."""
    if a.labels[x] != b.labels[y]:
        return 0
    mine, others = children_of(a.depths)[x], children_of(b.depths)[y]
    table = [[0] * (len(others) + 1) for _ in range(len(mine) + 1)]
    for i, child in enumerate(mine):
        for j, other in enumerate(others):
            together = table[i][j] + naive_match(a, b, child, other)
            table[i + 1][j + 1] = max(table[i + 1][j], table[i][j + 1], together)
    return table[-1][-1] + 1


def test_the_example_of_the_literature_matches_seven_nodes() -> None:
    a = Tree(tuple("abdehcf"), (0, 1, 2, 2, 2, 1, 2))
    b = Tree(tuple("abdegcfh"), (0, 1, 2, 2, 2, 1, 2, 2))
    assert match(a, b) == 6


def test_trees_with_different_roots_share_nothing() -> None:
    assert similarity(Tree(("a", "b"), (0, 1)), Tree(("c", "b"), (0, 1))) == 0.0


def test_similarity_is_normalised_by_the_mean_size() -> None:
    a, b = Tree(("li", "a", "p"), (0, 1, 1)), Tree(("li", "a"), (0, 1))
    assert similarity(a, b) == pytest.approx(2 / 2.5)


def test_a_node_moved_to_another_level_does_not_match() -> None:
    a, b = Tree(("li", "a"), (0, 1)), Tree(("li", "div", "a"), (0, 1, 2))
    assert match(a, b) == 1


@given(depth_steps, depth_steps)
def test_matching_from_the_leaves_up_equals_the_recursive_definition(
    one: list[tuple[str, int]], two: list[tuple[str, int]]
) -> None:
    a, b = grow(one), grow(two)
    assert match(a, b) == match(b, a) == naive_match(a, b)
    assert match(a, a) == len(a.labels)


def test_a_run_of_siblings_gets_a_root_without_a_name() -> None:
    elements = Page.from_text("<dl><dt>a<dd>b<b>c</b></dl>").elements
    first = elements.tag.index("dt")
    assert tree_of(elements, first, len(elements)) == Tree(("", "dt", "dd", "b"), (0, 1, 1, 2))
    assert tree_of(elements, first, first + 1) == Tree(("dt",), (0,))
    assert tree_of(elements, first, first) == Tree(("",), (0,))


def test_the_deepest_nodes_are_left_out_first() -> None:
    assert upper_nodes([0, 1, 2, 3, 1, 2], 4) == [0, 1, 2, 4]
    assert upper_nodes([0, 1], 4) == [0, 1]


def test_of_wide_and_deep_trees_the_upper_nodes_are_matched() -> None:
    elements = Page.from_text("<ul>" + "<li><a>x</a>" * 5_000 + "</ul>" + "<div>" * 5_000).elements
    assert len(tree_of(elements, 0, len(elements)).labels) == 300


def test_beyond_the_bound_deeper_nodes_count_as_different() -> None:
    labels = ("r", *["p"] * 299)
    flat = Tree(labels, (0,) + (1,) * 299)
    other = Tree((*labels, "q"), (0,) + (1,) * 299 + (2,))
    assert 1 <= match(flat, other) <= 300
