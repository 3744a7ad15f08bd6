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
)


def flat(names: str) -> Branch:
    """Make a record with one child per letter."""
    labels = ("li", *names)
    return Branch(labels, (0,) + (1,) * len(names), labels)


def read(branches: list[Branch]) -> str:
    seed, _ = align(branches)
    return "".join(seed.labels[node] for node in seed.walk()[1:])


def test_the_example_of_the_paper_is_aligned() -> None:
    # Zhai and Liu 2005, Figure 6: x b d | b n c k g | b c d h k
    assert read([flat("xbd"), flat("bnckg"), flat("bcdhk")]) == "xbncdhkg"


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
