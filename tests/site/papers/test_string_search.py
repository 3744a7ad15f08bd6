"""Algorithms 1 and 2 of UzunExt, without hints (`cut_simple`) and with them (`cut_hinted`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scythe.errors import BadInput
from scythe.site.papers.string_search import (
    NAMES,
    UNKNOWN,
    CutResult,
    TagRule,
    cut_hinted,
    cut_simple,
    resolve_tags,
    search_by,
)

# Figure 1 of the paper, in our words
PAGE = b"""<html><body><div id="bigcontainer"><div class="header">Field News</div><div class="menu"><p>Home</p></div>
<div class="contentAll"><h1 itemprop="headline">The harvest</h1><h2 itemprop="Summary">In short</h2>
<div itemprop="articleBody"><p>One.</p><p>Two.</p></div></div><div class="adv">Buy</div></div>
<div class="adv">Buy more</div></body></html>"""
CONTENT = TagRule(b'<div class="contentAll">', "main text")
Cut = Callable[[bytes, TagRule], CutResult]


def texts(body: bytes, found: CutResult) -> list[bytes]:
    return [body[start:end] for start, end in found.ranges]


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_the_paper_is_cut_with_every_search(name: str) -> None:
    found = cut_simple(PAGE, CONTENT, search_by(name))
    (text,) = texts(PAGE, found)
    assert text.startswith(b'<div class="contentAll"><h1')
    assert text.endswith(b"<p>Two.</p></div></div>")
    assert (found.first, found.inner_tags, found.repetitions) == (PAGE.index(CONTENT.opening), 2, 1)


def test_every_element_with_the_tag_is_cut() -> None:
    found = cut_simple(PAGE, TagRule(b'<div class="adv">'))
    assert texts(PAGE, found) == [b'<div class="adv">Buy</div>', b'<div class="adv">Buy more</div>']
    assert (found.inner_tags, found.repetitions) == (1, 2)
    assert cut_simple(PAGE, TagRule(b"<p>")).repetitions == 3


def test_the_number_of_inner_tags_counts_the_element_itself() -> None:
    assert cut_simple(PAGE, TagRule(b'<div id="bigcontainer">')).inner_tags == 6
    assert cut_simple(PAGE, TagRule(b'<h1 itemprop="headline">')).inner_tags == 1


def test_inner_tags_that_differ_between_elements_of_a_page_are_not_one_number() -> None:
    body = b"<ul class=a><ul></ul></ul><ul class=a></ul>"
    assert cut_simple(body, TagRule(b"<ul class=a>")).inner_tags == UNKNOWN
    assert cut_hinted(body, TagRule(b"<ul class=a>")).inner_tags == UNKNOWN


def test_names_that_begin_alike_are_not_counted() -> None:
    body = b"<div id=a><divider>x</divider><div\n>y</div></div><div>z</div>"
    assert texts(body, cut_simple(body, TagRule(b"<div id=a>"))) == [
        b"<div id=a><divider>x</divider><div\n>y</div></div>"
    ]


def test_a_bare_name_matches_no_longer_name() -> None:
    body = b"<param><pre>x</pre><p>one</p><p class=a>two</p>"
    assert texts(body, cut_simple(body, TagRule(b"<p"))) == [b"<p>one</p>", b"<p class=a>two</p>"]
    assert texts(body, cut_hinted(body, TagRule(b"<p", repetition=False))) == [b"<p>one</p>"]


def test_an_element_without_content_ends_with_its_tag() -> None:
    body = b'<img class="a" src="x.png"><p>y</p>'
    for cut in (cut_simple, cut_hinted):
        assert texts(body, cut(body, TagRule(b'<img class="a"'))) == [b'<img class="a" src="x.png">']


@pytest.mark.parametrize("cut", [cut_simple, cut_hinted])
def test_a_missing_closing_tag_ends_the_cut_and_is_told(cut: Cut) -> None:
    body = b"<div class=a>one</div><div class=a><div>two</div>"
    found = cut(body, TagRule(b"<div class=a>"))
    assert texts(body, found) == [b"<div class=a>one</div>"]
    assert found.unclosed


@pytest.mark.parametrize("cut", [cut_simple, cut_hinted])
def test_a_page_without_the_tag_gives_nothing(cut: Cut) -> None:
    found = cut(b"<p>nothing here", CONTENT)
    assert (found.ranges, found.first, found.repetitions, found.unclosed) == ([], -1, 0, False)
    assert cut(b"", CONTENT).ranges == []


def test_what_is_no_opening_tag_is_refused() -> None:
    for opening in (b"", b"div", b"</div>", b"< div>"):
        with pytest.raises(BadInput, match="opening tag"):
            resolve_tags(opening)


def test_a_hint_behind_the_tag_costs_a_second_search_and_nothing_else() -> None:
    early = cut_hinted(PAGE, replace(CONTENT, starting_position=100))
    late = cut_hinted(PAGE, replace(CONTENT, starting_position=len(PAGE) - 5))
    beyond = cut_hinted(PAGE, replace(CONTENT, starting_position=10**9))
    assert early.ranges == late.ranges == beyond.ranges == cut_simple(PAGE, CONTENT).ranges
    assert (early.second_search, late.second_search, beyond.second_search) == (False, True, True)


def test_without_repetition_the_search_ends_at_the_first() -> None:
    found = cut_hinted(PAGE, TagRule(b'<div class="adv">', repetition=False))
    assert texts(PAGE, found) == [b'<div class="adv">Buy</div>']
    assert found.repetitions is None


def test_a_known_number_of_inner_tags_saves_counting() -> None:
    found = cut_hinted(PAGE, replace(CONTENT, inner_tag_count=2))
    assert found.ranges == cut_simple(PAGE, CONTENT).ranges
    assert found.inner_tags is None


def test_a_wrong_number_of_inner_tags_is_caught_by_the_check() -> None:
    right = cut_simple(PAGE, CONTENT).ranges
    assert cut_hinted(PAGE, replace(CONTENT, inner_tag_count=1)).ranges != right
    found = cut_hinted(PAGE, replace(CONTENT, inner_tag_count=1), check=True)
    assert (found.ranges, found.inner_tags) == (right, 2)


def test_more_inner_tags_than_the_page_has_are_counted_anew() -> None:
    found = cut_hinted(PAGE, replace(CONTENT, inner_tag_count=99))
    assert (found.ranges, found.inner_tags) == (cut_simple(PAGE, CONTENT).ranges, 2)


def test_an_end_marker_ends_the_element_with_its_closing_tag() -> None:
    rule = replace(CONTENT, end_marker=b'</div><div class="adv">', repetition=False)
    assert cut_hinted(PAGE, rule).ranges == cut_simple(PAGE, CONTENT).ranges


def test_an_end_marker_that_is_missing_or_wrong_gives_way_to_counting() -> None:
    right = cut_simple(PAGE, CONTENT).ranges
    missing = replace(CONTENT, end_marker=b"</div><footer>")
    assert cut_hinted(PAGE, missing).ranges == right
    wrong = replace(CONTENT, end_marker=b"</div></div>")  # the end of the element inside
    assert cut_hinted(PAGE, wrong).ranges != right
    assert cut_hinted(PAGE, wrong, check=True).ranges == right


def test_the_check_cannot_see_whole_elements_too_many() -> None:
    body = b"<div class=a>x</div><div>y</div><hr>"
    found = cut_hinted(body, TagRule(b"<div class=a>", end_marker=b"</div><hr>"), check=True)
    assert texts(body, found) == [b"<div class=a>x</div><div>y</div>"]


@pytest.mark.parametrize("end", [b" ", b"\t", b"\n", b"\f", b"\r", b"/", b">"])
def test_a_name_ends_at_white_space_at_a_slash_or_with_its_tag(end: bytes) -> None:
    inner = b"<div" + end + b"x></div>"
    body = b"<div id=a><divx></divx>" + inner + b"</div><div>"
    whole = (0, len(body) - 5)
    assert cut_simple(body, TagRule(b"<div id=a>")) == CutResult([whole], 0, False, 2, 1)
    assert cut_hinted(body, TagRule(b"<div id=a>", inner_tag_count=2), check=True) == CutResult(
        [whole], 0, False, None, 1
    )
    assert cut_simple(b"<divx>" + inner, TagRule(b"<div")) == CutResult([(6, 6 + len(inner))], 6, False, 1, 1)


@pytest.mark.parametrize("name", b"area base br col embed hr img input link meta source track wbr".split())
def test_names_without_content_are_those_of_the_standard(name: bytes) -> None:
    body = b"<" + name + b" title='<" + name + b" ' >text"
    for cut in (cut_simple, cut_hinted):
        assert cut(body, TagRule(b"<" + name)) == CutResult([(0, len(body) - 4)], 0, False, 1, 1)
        assert cut(body[:-5], TagRule(b"<" + name)) == CutResult([], 0, False, None, 0, True)
    marked = TagRule(b"<" + name, end_marker=b">t")
    assert cut_hinted(body, marked, check=True) == CutResult([(0, len(body) - 4)], 0, False, None, 1)
    assert cut_simple(b"<b>x</b>", TagRule(b"<b>")).ranges == [(0, 8)]


def test_everything_that_was_found_is_told() -> None:
    body = b"<p>a</p><p>b</p><p>c"
    assert cut_simple(body, TagRule(b"<p>")) == CutResult([(0, 8), (8, 16)], 0, False, 1, 2, True)
    assert cut_hinted(body, TagRule(b"<p>")) == CutResult([(0, 8), (8, 16)], 0, False, 1, 2, True)
    late = TagRule(b"<p>", starting_position=17)
    assert cut_hinted(body, late) == CutResult([(0, 8), (8, 16)], 0, True, 1, 2, True)
    assert cut_hinted(body[:16], late) == CutResult([(0, 8), (8, 16)], 0, True, 1, 2)
    once = TagRule(b"<p>", repetition=False)
    assert cut_hinted(body, once) == CutResult([(0, 8)], 0, False, 1)
    assert cut_hinted(body[16:], once) == CutResult([], 0, False, None, None, True)
    assert cut_hinted(body[:16], TagRule(b"<p>", starting_position=8)) == CutResult([(8, 16)], 8, False, 1, 1)
    assert cut_hinted(b"", late) == CutResult([], -1, True, None, 0)
    assert cut_hinted(b"", TagRule(b"<p>")) == CutResult([], -1, False, None, 0)
    assert cut_hinted(b"<p>a</p>", TagRule(b"<p>", starting_position=1)) == CutResult([(0, 8)], 0, True, 1, 1)


def test_the_last_tag_of_a_page_is_counted_once() -> None:
    body = b"<div><div\n></div></div>"
    assert cut_simple(body, TagRule(b"<div>")) == CutResult([(0, len(body))], 0, False, 2, 1)


def test_inner_tags_are_those_of_every_element_or_unknown() -> None:
    flat, nested = b"<b id=x>1</b>", b"<b id=x><b>1</b></b>"
    for cut in (cut_simple, cut_hinted):
        for parts, inner in (([flat] * 3, 1), ([nested] * 2, 2), ([flat, nested, flat], UNKNOWN)):
            assert cut(b"".join(parts), TagRule(b"<b id=x>")).inner_tags == inner
        assert cut(nested + flat + flat, TagRule(b"<b id=x>")).inner_tags == UNKNOWN


def test_one_inner_tag_is_a_hint_and_none_is_not() -> None:
    body = b"<b id=x><b>1</b></b>"
    assert cut_hinted(body, TagRule(b"<b id=x>", inner_tag_count=1)).ranges == [(0, 16)]
    assert cut_hinted(body, TagRule(b"<b id=x>", inner_tag_count=0)).ranges == [(0, 20)]
    assert cut_hinted(body + b"</b>", TagRule(b"<b id=x>", inner_tag_count=3)).ranges == [(0, 24)]
    assert cut_hinted(body, TagRule(b"<b id=x>", inner_tag_count=3)).ranges == [(0, 20)]


def test_what_an_opening_tag_searches_for() -> None:
    assert resolve_tags(b"<DIV class=a") == (b"<DIV", b"<DIV ", b"<DIV>", b"</DIV>", False)
    assert resolve_tags(b"<Img") == (b"<Img", b"<Img ", b"<Img>", b">", True)
    assert resolve_tags(b"<h1>") == (b"<h1", b"<h1 ", b"<h1>", b"</h1>", False)
    with pytest.raises(BadInput, match="got b'" + "x" * 80 + "'$"):
        resolve_tags(b"x" * 100)


PIECES = st.sampled_from([b"<div>", b"<div class=a>", b"</div>", b"x", b"<divider>", b"<img>", b"<p>", b"</p>"])


@given(st.lists(PIECES, max_size=40).map(b"".join), st.integers(0, 60))
def test_hints_change_nothing_on_pages_where_the_tag_is_unique(body: bytes, position: int) -> None:
    rule = TagRule(b"<div class=a>")
    plain = cut_simple(body, rule)
    if body.count(rule.opening) > 1:
        return
    hinted = cut_hinted(body, replace(rule, starting_position=position, repetition=False))
    assert hinted.ranges == plain.ranges
    inner = plain.inner_tags or UNKNOWN
    assert cut_hinted(body, replace(rule, inner_tag_count=inner), check=True).ranges == plain.ranges


@given(st.lists(PIECES, max_size=60).map(b"".join))
def test_ranges_are_balanced_and_apart(body: bytes) -> None:
    found = cut_simple(body, TagRule(b"<div"))
    assert [start for start, _ in found.ranges] == sorted({start for start, _ in found.ranges})
    for (_, end), (start, _) in zip(found.ranges, found.ranges[1:], strict=False):
        assert end <= start
    for text in texts(body, found):
        assert text.count(b"<div>") + text.count(b"<div class=a>") == text.count(b"</div>")
