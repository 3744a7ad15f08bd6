"""A pattern is the tag tree of a region's records, by which the region is known again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.work import count_calls

from scythe.errors import BadInput
from scythe.page.elements import Elements
from scythe.page.page import Page
from scythe.reading.lists.candidates import Candidate
from scythe.reading.lists.pattern import (
    MOST_PATTERN_NODES,
    collapse,
    join,
    merge,
    parse,
    pattern_of,
    pattern_of_trees,
    similarity,
)
from scythe.reading.lists.tree_alignment import Tree

steps = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-3, 1)), max_size=25)


def record_list(html: str, tag: str) -> tuple[Elements, Candidate]:
    """Take every element of one tag as a record."""
    elements = Page.from_text(html).elements
    rows = [row for row, name in enumerate(elements.tag) if name == tag]
    spans = tuple((row, elements.end[row]) for row in rows)
    leaves = tuple((elements.leaf_start[row], elements.leaf_end[row]) for row in rows)
    return elements, Candidate("test", elements.parent[rows[0]], spans, leaves)


def test_fields_that_some_records_lack_are_optional() -> None:
    item = "<li><a><img></a><h3><a>t</a></h3>{}</li>"
    elements, found = record_list("<ul>" + item.format("<p>x</p>") * 5 + item.format("") + "</ul>", "li")
    assert str(pattern_of(elements, found)) == "li(a(img),h3(a),p?)"


def test_a_missing_parent_is_said_once() -> None:
    elements, found = record_list("<ul><li><p><b>x</b></p><a>y</a></li><li><a>z</a></li></ul>", "li")
    assert str(pattern_of(elements, found)) == "li(p(b)?,a)"


def test_siblings_that_repeat_are_written_once() -> None:
    elements, found = record_list("<ul><li><p>1<p>2<p>3<b>x</b></li><li><p>1</p></li></ul>", "li")
    assert str(pattern_of(elements, found)) == "li(p+,p(b)?)"


def test_records_of_several_siblings_have_a_root_without_a_name() -> None:
    elements = Page.from_text("<dl><dt>a<dd>b<dt>c<dd>d</dl>").elements
    first = elements.tag.index("dt")
    found = Candidate("test", first - 1, ((first, first + 2), (first + 2, first + 4)), ((0, 2), (2, 4)))
    assert str(pattern_of(elements, found)) == "(dt,dd)"


def test_lines_of_bare_text_have_an_empty_pattern() -> None:
    elements = Page.from_text("<p>a<br>b</p>").elements
    found = Candidate("test", 3, ((4, 4), (5, 5)), ((0, 1), (1, 2)))
    assert str(pattern_of(elements, found)) == ""
    assert parse("").labels == ("",)


def test_records_with_different_roots_share_a_root_without_a_name() -> None:
    trees = [Tree(("article", "a"), (0, 1)), Tree(("div", "a"), (0, 1))]
    assert str(pattern_of_trees(trees)) in {"(article(a)?,div(a)?)", "(div(a)?,article(a)?)"}


def test_names_with_signs_of_the_pattern_language_stay_readable() -> None:
    pattern = pattern_of_trees([Tree(("x(y", "a,b?", "c" * 90), (0, 1, 1))])
    assert parse(str(pattern)) == pattern


@given(st.lists(steps, min_size=1, max_size=5))
def test_any_pattern_is_read_back_from_its_text(records: list[list[tuple[str, int]]]) -> None:
    trees = []
    for record in records:
        labels, depths = ["r"], [0]
        for label, step in record:
            labels.append(label)
            depths.append(max(1, depths[-1] + step))
        trees.append(Tree(tuple(labels), tuple(depths)))
    pattern = pattern_of_trees(trees)
    assert parse(str(pattern)) == pattern
    assert similarity(pattern, pattern) == 1.0


@given(st.text("ab(),?+ x", max_size=30))
def test_text_is_a_pattern_or_refused(text: str) -> None:
    try:
        pattern = parse(text)
    except BadInput:
        return
    assert parse(str(pattern)) == pattern


@pytest.mark.parametrize("text", ["a)", "a(b", "a b", ",a", "a" * 5_000, "(" * 100 + ")" * 100])
def test_text_that_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        parse(text)


def test_merging_keeps_what_either_pattern_has() -> None:
    assert str(merge(parse("li(a,p)"), parse("li(a,span?,p)"))) == "li(a,span?,p)"
    assert str(merge(parse("li(a,p)"), parse("li(p+)"))) == "li(a?,p+)"


def test_merging_the_same_pattern_again_changes_nothing() -> None:
    pattern = parse("li(a(img)?,h3(a),p+?)")
    assert merge(pattern, pattern) == pattern
    assert join([pattern]) == pattern


def test_merging_different_regions_forever_stays_bounded() -> None:
    pattern = parse("li(a)")
    for turn in range(100):
        pattern = merge(pattern, parse(f"li(t{turn},u{turn}(b,c,d))"))
    assert len(pattern.labels) <= MOST_PATTERN_NODES


def test_huge_records_give_a_bounded_pattern_in_bounded_time() -> None:
    inner = "".join(f"<x{n % 977}><p>a</p></x{n % 977}>" for n in range(20_000))
    elements, found = record_list(f"<li>{inner}</li><li>{inner[: len(inner) // 2]}</li>", "li")
    assert count_calls(lambda: pattern_of(elements, found)) < 2_000
    pattern = pattern_of(elements, found)
    assert len(pattern.labels) <= MOST_PATTERN_NODES


def test_a_region_of_very_many_records_costs_no_more_than_a_sample() -> None:
    elements, found = record_list("<ul>" + "<li><a>x</a>" * 30_000 + "</ul>", "li")
    assert str(pattern_of(elements, found)) == "li(a)"
    assert count_calls(lambda: pattern_of(elements, found)) < 1_000


def test_only_neighbours_that_are_built_alike_are_written_once() -> None:
    pattern = collapse(Tree(("ul", "li", "a", "li", "a", "li", "li"), (0, 1, 2, 1, 2, 1, 1)))
    assert str(pattern) == "ul(li(a)+,li+)"
