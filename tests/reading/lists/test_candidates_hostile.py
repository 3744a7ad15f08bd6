"""What holds of the candidates of any page, and pages made to hurt: the work must grow with size, not its square."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scythe
from scythe.page.page import Page
from scythe.reading.lists import candidates
from scythe.reading.lists.candidates import MOST, find_candidates

TAGS = st.sampled_from("ul li div p b br hr h2 dl dt dd table tr td a span /ul /li /div /p /b /span /table /dl".split())
SOUP = st.lists(st.tuples(TAGS, st.sampled_from(["", " class=a", " class='b odd'", " class='c1 a'"]), st.booleans()))


def _letters(number: int) -> str:
    return "".join(chr(97 + int(digit)) for digit in str(number))


@settings(max_examples=100, deadline=None)
@given(SOUP)
def test_records_of_any_page_are_in_order_apart_and_inside_their_holder(soup):
    html = "".join(f"<{tag}{'' if tag[0] == '/' else names}>{'text' if told else ''}" for tag, names, told in soup)
    elements = Page.from_text(html).elements
    for one in find_candidates(elements):
        assert len(one.rows) == len(one.leaves) >= 2
        assert all(before[1] <= after[0] for before, after in pairwise(one.rows))
        assert all(before[1] <= after[0] for before, after in pairwise(one.leaves))
        assert all(start < end for start, end in one.leaves)
        assert all(one.holder < start <= end <= elements.end[one.holder] for start, end in one.rows)
        for start, end in one.rows:
            assert all(elements.end[row] <= end for row in range(start, end))


@settings(max_examples=50, deadline=None)
@given(SOUP)
def test_no_set_of_texts_is_offered_twice(soup):
    html = "".join(f"<{tag}{'' if tag[0] == '/' else names}>{'text' if told else ''}" for tag, names, told in soup)
    found = [one.leaves for one in find_candidates(Page.from_text(html).elements)]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("bound", "most", "is_told"), [("MOST", 5, True), ("MOST_RECORDS", 40, True), ("MOST", MOST, False)]
)
def test_a_document_says_that_groups_were_left_out_once_its_lists_were_asked_for(
    bound: str, most: int, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, bound, most)
    boxes = (f"<div class=b{_letters(n)}><p>some words {n}</p><p>others {n * 7}</p><p>more</p></div>" for n in range(9))
    document = scythe.read(f"<title>t</title>{''.join(boxes)}")
    assert not document.losses
    assert document.lists or is_told
    for kept in (document, document.detach()):
        told = [loss for loss in kept.losses if "beyond the limit of lists" in loss.what]
        assert bool(told) == is_told
        assert all(loss.count > 0 for loss in told)


@pytest.mark.parametrize("most", [5, 20])
def test_sets_beyond_the_bound_do_not_take_the_others_with_them(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST_RECORDS", most)
    html = "<ul><li>one<li>two<li>three</ul>" + "<p>a line that is long enough to be something" * 30
    found = find_candidates(Page.from_text(html).elements)
    assert sum(len(one.rows) for one in found) <= most
    assert found


def test_a_page_with_nothing_but_sets_beyond_the_bound_has_no_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST_RECORDS", 5)
    assert find_candidates(Page.from_text("<p>a line of text" * 30).elements) == []


@pytest.mark.parametrize("html", ["<br><br><br>", "<hr>", "a<hr>b<hr>c<hr>", "<p>a<br><p>b<br><br>", "<dl><dt>a<dt>"])
def test_breaks_and_rules_alone_harm_nothing(html):
    assert all(len(one.rows) >= 2 for one in find_candidates(Page.from_text(html).elements))
