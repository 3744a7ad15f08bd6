"""Records that are no element of their own: runs of siblings and lines."""

from __future__ import annotations

import pytest

from scythe.page.page import Page
from scythe.reading.lists.candidates import find_candidates


def regions(html: str) -> list[list[str]]:
    """Return the texts of the records of every candidate."""
    elements = Page.from_text(html).elements
    return [[" ".join(elements.text[a:b]) for a, b in one.leaves] for one in find_candidates(elements)]


def test_a_heading_and_what_follows_it_is_a_record():
    html = "<h1>news</h1><h3>a</h3><p>a1</p><p>a2</p><h3>b</h3><p>b1</p><h3>c</h3><p>c1</p><p>c2</p><div>foot</div>"
    assert ["a a1 a2", "b b1", "c c1 c2"] in regions(html)


def test_terms_go_with_their_definitions():
    html = "<dl><dt>a<dd>a1<dd>a2<dt>b<dd>b1<dt>c<dd>c1</dl>"
    assert ["a a1 a2", "b b1", "c c1"] in regions(html)


def test_table_rows_that_continue_a_row_belong_to_it():
    rows = "".join(
        f"<tr class=head><td>{i}.<td>t{i}</tr><tr><td><td>by {i}</tr><tr class=gap><td></tr>" for i in range(3)
    )
    html = f"<table>{rows}<tr class=more><td>more</td></tr></table>"
    assert ["0. t0 by 0", "1. t1 by 1", "2. t2 by 2"] in regions(html)


def test_table_rows_without_classes_are_told_apart_by_what_is_in_their_cells():
    html = "<table>" + "".join(f"<tr><td><a href=x>t{i}</a></tr><tr><td>by {i}</tr>" for i in range(4)) + "</table>"
    assert ["t0 by 0", "t1 by 1", "t2 by 2", "t3 by 3"] in regions(html)


def test_rules_part_records_and_the_first_record_stands_before_the_first_rule():
    html = "<h1>posts</h1><p>a</p><div>a1</div><hr><p>b</p><hr><p>c</p><div>c1</div><hr><p>d</p>"
    assert ["a a1", "b", "c c1", "d"] in regions(html)


def test_runs_of_several_parents_come_together():
    part = "<section><h2>{0}</h2><h4>{0}1</h4><p>x</p><h4>{0}2</h4><p>y</p></section>"
    html = "<main>" + "".join(part.format(name) for name in "abc") + "</main>"
    assert ["a1 x", "a2 y", "b1 x", "b2 y", "c1 x", "c2 y"] in regions(html)


def test_lists_below_different_headings_are_offered_apart_and_together():
    html = "<div><h2>want</h2><p>a</p><p>b</p><p>c</p><p><b>do</b></p><p>x</p><p>y</p><p>z</p></div>"
    found = regions(html)
    assert ["a", "b", "c"] in found
    assert ["x", "y", "z"] in found
    assert ["a", "b", "c", "do", "x", "y", "z"] in found


def test_lines_are_records_even_when_breaks_stand_inside_inline_elements():
    html = "<p><b>1 egg</b>, large<br><b>salt<br>2 cups of</b> flour</p>"
    assert ["1 egg , large", "salt", "2 cups of flour"] in regions(html)


def test_empty_lines_part_blocks_of_lines():
    html = "<p>a<br>b<br>c<br><br>d<br>e<br>f<br>g<br><br>h<br>i</p>"
    found = regions(html)
    assert list("abcdefghi") in found
    assert ["a", "b", "c"] in found
    assert ["d", "e", "f", "g"] in found
    assert ["a b c", "d e f g", "h i"] in found


def test_lines_of_alike_paragraphs_come_together_with_those_of_one_line():
    html = "<div><p class=r>a<br>b</p><i>x</i><p class=r>c</p><i>y</i><p class=r>d<br>e</p></div>"
    assert list("abcde") in regions(html)


@pytest.mark.parametrize("html", ["<br><br><br>", "<hr>", "a<hr>b<hr>c<hr>", "<p>a<br><p>b<br><br>", "<dl><dt>a<dt>"])
def test_breaks_and_rules_alone_harm_nothing(html):
    for region in regions(html):
        assert len(region) >= 2
