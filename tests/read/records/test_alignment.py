"""Partial tree alignment holds many trees in one without moving what has a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.read.records.alignment import MOST_SEED, NOWHERE, Branch, align, place, plant, unique_place


def flat(names: str) -> Branch:
    """Make a record with one child per letter."""
    labels = ("li", *names)
    return Branch(labels, (0,) + (1,) * len(names), labels)


def read(branches: list[Branch]) -> str:
    seed, _ = align(branches)
    return "".join(seed.labels[node] for node in seed.walk()[1:])


def test_a_node_between_matched_neighbours_is_added_between_them() -> None:
    assert read([flat("abe"), flat("bce")]) == "abce"


def test_a_node_whose_place_is_not_unique_waits_until_the_seed_has_grown() -> None:
    # x belongs between b and e, but c or d may come before or after it until the third record tells
    assert read([flat("abcdef"), flat("bxe"), flat("cxd")]) == "abcxdef"


def test_the_example_of_the_paper_is_aligned() -> None:
    # Zhai and Liu 2005, Figure 6: x b d | b n c k g | b c d h k
    assert read([flat("xbd"), flat("bnckg"), flat("bcdhk")]) == "xbncdhkg"


def test_what_has_no_unique_place_is_kept_beside_its_left_neighbour() -> None:
    seed, places = align([flat("abc"), flat("axc"), flat("z")])
    assert NOWHERE not in [spot for each in places for spot in each]
    assert sorted(seed.labels[1:]) == ["a", "b", "c", "x", "z"]


def test_unique_places_are_told_by_both_neighbours() -> None:
    assert unique_place([5, 6], 5, 6) == 1
    assert unique_place([5, 6], NOWHERE, 5) == 0
    assert unique_place([5, 6], 6, NOWHERE) == 2
    assert unique_place([], NOWHERE, NOWHERE) == 0
    assert unique_place([5, 7, 6], 5, 6) is None
    assert unique_place([5, 6], NOWHERE, NOWHERE) is None


def test_marks_decide_which_of_equal_tags_is_missing() -> None:
    three = Branch(("li", "span", "span", "span"), (0, 1, 1, 1), ("", "name", "price", "date"))
    two = Branch(("li", "span", "span"), (0, 1, 1), ("", "name", "date"))
    _, places = align([three, two])
    assert places[1] == [0, 1, 3]


def test_trees_with_another_root_are_placed_nowhere() -> None:
    seed = plant(flat("ab"))
    fit = place(seed, Branch(("tr", "a"), (0, 1), ("", "")))
    assert fit.places == [NOWHERE, NOWHERE]
    assert fit.left == 2


@given(st.lists(st.text("abcde", max_size=8), min_size=1, max_size=8))
def test_every_node_has_one_place_of_its_own_in_document_order(names: list[str]) -> None:
    branches = [flat(each) for each in names]
    seed, places = align(branches)
    order = {node: at for at, node in enumerate(seed.walk())}
    for branch, spots in zip(branches, places, strict=True):
        assert [seed.labels[spot] for spot in spots] == list(branch.labels)
        ranks = [order[spot] for spot in spots]
        assert ranks == sorted(set(ranks))


def test_a_seed_stops_growing_at_its_bound() -> None:
    labels = tuple(f"t{n}" for n in range(2 * MOST_SEED))
    seed, places = align([flat("a"), Branch(("li", *labels), (0,) + (1,) * len(labels), ("li", *labels))])
    assert len(seed.labels) == MOST_SEED
    assert places[1].count(NOWHERE) == 2 * MOST_SEED + 1 - MOST_SEED
