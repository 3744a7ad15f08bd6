"""Partial tree alignment holds many trees in one without moving what has a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scythe.page.page import Page
from scythe.reading.lists.tree_alignment import (
    MOST_SEED,
    NOWHERE,
    Allowance,
    Branch,
    align,
    align_columns,
    place,
    plant,
    unique_place,
)


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


def test_texts_beyond_the_allowance_are_kept_in_one_last_column() -> None:
    page = Page.from_text("<ul><li><h3>a</h3><p>b</p></li><li><h3>c</h3></li></ul>")
    elements = page.elements
    rows = [row for row, tag in enumerate(elements.tag) if tag == "li"]
    spans = [[(row, elements.end[row], elements.leaf_start[row], elements.leaf_end[row])] for row in rows]
    assert align_columns(elements, spans) == [["a", "b"], ["c", ""]]
    assert align_columns(elements, spans, Allowance(-1)) == [["a", "b", ""], ["", "", "c"]]


def test_texts_of_a_record_that_is_too_large_are_kept_in_one_last_column() -> None:
    page = Page.from_text("<ul><li>" + "<b>x</b>" * MOST_SEED + "</li></ul>")
    elements = page.elements
    row = elements.tag.index("li")
    (fields,) = align_columns(elements, [[(row, elements.end[row], 0, MOST_SEED)]])
    assert " ".join(fields).split() == ["x"] * MOST_SEED
    assert len(fields) < MOST_SEED


def test_bare_texts_stand_where_they_are_between_elements() -> None:
    page = Page.from_text("<ul><li>by <a>Ann</a> on <i>Monday</i></li><li>by <a>Bob</a></li></ul>")
    elements = page.elements
    rows = [row for row, tag in enumerate(elements.tag) if tag == "li"]
    spans = [[(row, elements.end[row], elements.leaf_start[row], elements.leaf_end[row])] for row in rows]
    assert align_columns(elements, spans) == [["by", "Ann", "on", "Monday"], ["by", "Bob", "", ""]]
