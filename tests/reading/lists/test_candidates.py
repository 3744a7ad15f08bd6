"""What is offered as a region: every way in which pages repeat themselves."""

from __future__ import annotations

from scythe.page.page import Page
from scythe.reading.lists.candidates import Candidate, find_candidates


def regions(html: str) -> list[list[str]]:
    """Return the texts of the records of every candidate."""
    elements = Page.from_text(html).elements
    return [[" ".join(elements.text[a:b]) for a, b in one.leaves] for one in find_candidates(elements)]


def candidates(html: str) -> list[Candidate]:
    return find_candidates(Page.from_text(html).elements)


def test_words_for_position_and_numbers_in_classes_do_not_part_siblings():
    html = "<ul><li class='post-1 odd'>one</li><li class='post-2 even'>two</li><li class='post-37 last'>three</li></ul>"
    assert candidates(html)[0].found == "siblings by classes"
    assert ["one", "two", "three"] in regions(html)


def test_topics_and_modifiers_in_classes_do_not_part_siblings():
    html = "<div class='post category-a has-image'>one</div><div class='post category-b post--even'>two</div>"
    assert candidates(html)[0].found == "siblings by classes"
    assert ["one", "two"] in regions(html)


def test_a_class_shared_among_others_is_enough():
    html = "<a class='x card'>one</a><div class='card y'>two</div><p>advert</p><div class='z card'>three</div>"
    assert ["one", "two", "three"] in regions(html)


def test_records_of_several_wrappers_come_together():
    wrapper = "<div id={0}><ul class=list><li>{0}1</li><li>{0}2</li></ul></div>"
    html = f"<main>{wrapper.format('a')}<p>advert</p>{wrapper.format('b')}</main>"
    assert ["a1", "a2", "b1", "b2"] in regions(html)


def test_inner_and_outer_lists_are_both_offered():
    inner = "<li>{0}<ul><li>{0}1</li><li>{0}2</li></ul></li>"
    found = regions(f"<ul>{inner.format('a')}{inner.format('b')}</ul>")
    assert ["a a1 a2", "b b1 b2"] in found
    assert ["a1", "a2"] in found
    assert ["a1", "a2", "b1", "b2"] in found
