from __future__ import annotations

from scythe.page import Page
from scythe.reading.lists.candidates import Candidate, find_candidates
from scythe.reading.lists.find_lists import CUT, rank, score_leaves

MENU = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in "home news sport culture contact".split())
STORIES = "".join(
    f"<article class='post'><h2><a href='/story/{n}'>The council of town number {n} votes again</a></h2>"
    f"<p class='date'>{n} March 2024</p><p>After a long evening number {n} the members could not agree on the new "
    "bridge, and so the question goes back to the engineers, who had warned of it.</p></article>"
    for n in range(1, 9)
)
FRONT = (
    f"<html><head><title>Town news</title></head><body><nav><ul class='menu'>{MENU}</ul></nav><main><h1>Town news</h1>"
    f"<div class='posts'>{STORIES}</div></main><footer><ul><li><a href='/imprint'>Imprint</a></li>"
    "<li><a href='/privacy'>Privacy</a></li><li><a href='/terms'>Terms</a></li></ul></footer></body></html>"
)


def ranked(html: str):
    page = Page.from_text(html, url="https://example.org/")
    return page, rank(page, find_candidates(page.elements))


def texts(page: Page, candidate: Candidate) -> list[str]:
    return [" ".join(page.elements.text[start:end]) for start, end in candidate.leaves]


def test_the_stories_come_first_and_the_menu_is_below_the_cut():
    page, found = ranked(FRONT)
    assert len(found[0].candidate.rows) == 8
    assert "votes again" in texts(page, found[0].candidate)[0]
    menu = next(one for one in found if "home" in texts(page, one.candidate)[0])
    assert found[0].score >= CUT > menu.score


def test_no_text_is_in_two_regions():
    _, found = ranked(FRONT)
    leaves = [leaf for one in found for start, end in one.candidate.leaves for leaf in range(start, end)]
    assert len(leaves) == len(set(leaves))


def test_whole_cards_of_a_grid_are_the_records_not_its_rows():
    names = "lamp chair table shelf mirror carpet clock vase stool desk couch frame".split()
    cards = [
        f"<div class='card'><img src='/{n}.jpg'><h3><a href='/p/{n}'>Oak {name}</a></h3>"
        f"<span class='price'>€ {n}9.00</span><p>A {name} of solid oak, made by hand in a small workshop.</p></div>"
        for n, name in enumerate(names, 1)
    ]
    rows = "".join(f"<div class='row'>{''.join(cards[i : i + 3])}</div>" for i in range(0, 12, 3))
    _, found = ranked(f"<body><h1>Oak things</h1><div class='products'>{rows}</div></body>")
    assert len(found[0].candidate.rows) == 12


def test_ingredients_are_found_on_a_page_of_running_text():
    amounts = "200 g flour|2 eggs|100 ml milk|1 pinch of salt|2 tbsp sugar|1 tsp butter".split("|")
    listed = "".join(f"<li class='ingredient'>{amount}</li>" for amount in amounts)
    story = "".join(
        f"<p>My grandmother made these on Sundays, and story number {n} goes on for long.</p>" for n in range(9)
    )
    page, found = ranked(
        f"<body><article><h1>Pancakes</h1>{story}<h2>Ingredients</h2><ul>{listed}</ul></article></body>"
    )
    first = [texts(page, one.candidate) for one in found[:3] if one.score >= CUT]
    assert amounts in first


def test_a_page_without_candidates_has_no_regions():
    page = Page.from_text("<p>Only this.</p>")
    assert rank(page, []) == []
    assert score_leaves(Page.from_text("")) is None
