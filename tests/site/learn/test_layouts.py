"""Pages of one template end in one group, pages of two in two."""

from __future__ import annotations

from collections import Counter
from time import perf_counter

import numpy as np
import pytest

from scythe.demo import DemoPage, site
from scythe.page import Page
from scythe.site.learn import layouts
from scythe.site.learn.layouts import group_pages, link_averages

SHELL = (
    '<html><body class="{kind}"><header id="top"><nav><ul>{menu}</ul></nav></header>{main}<footer id="end"></footer>'
)
MENU = "".join(f'<li class="menu-item menu-item-{n}"><div class="box{n % 3}">x</div></li>' for n in range(9))


def to_page(made: DemoPage) -> Page:
    return Page.from_bytes(made.html, url=made.url, content_type=made.content_type)


def write_story(number: int, *, notes: int = 0) -> Page:
    words = "".join(f"<p>word {n}</p>" for n in range(number % 7 + 1))
    below = f'<aside class="notes">{"<section class=note><h4>n</h4></section>" * notes}</aside>' if notes else ""
    main = f'<main><article id="post-{number}" class="post tag-{chr(97 + number % 26)}"><h1>t</h1>{words}</article>'
    return make_page("story", main + below + "</main>", f"/2026/{number:02d}/a-story-{number}/")


def write_list(number: int) -> Page:
    items = "".join(f'<li class="teaser"><h2>t{n}</h2><p>x</p></li>' for n in range(number % 20 + 1))
    main = f'<main><section class="teasers"><ol class="list">{items}</ol><div class="older">x</div></section></main>'
    return make_page("archive", main, f"/page/{number}/")


def make_page(kind: str, main: str, path: str) -> Page:
    html = SHELL.format(kind=kind, menu=MENU, main=main)
    return Page.from_text(html, url="https://a.example" + path)


@pytest.mark.parametrize("design", [0, 1])
def test_each_kind_of_the_demo_site_is_one_layout(design: int) -> None:
    made = site(pages=36, design=design)
    groups = group_pages([to_page(one) for one in made])
    kinds = [{made[at].kind for at in group} for group in groups]
    # news and blog have the same markup
    assert sorted(kinds, key=min) == [
        {"news", "blog"}, {"docs"}, {"forum"}, {"list"}, {"product"}, {"recipe"}, {"wiki"}
    ]  # fmt: skip


def test_two_designs_never_share_a_layout() -> None:
    # list pages hardly change between the designs, and one page is no group to tell it by
    made = [one for design in (0, 1) for one in site(pages=12, design=design) if one.kind != "list"]
    groups = group_pages([to_page(one) for one in made])
    assert all(len({at < len(made) // 2 for at in group}) == 1 for group in groups)


@pytest.mark.parametrize("foreign", [1, 3, 20])
def test_pages_of_another_site_are_kept_apart(foreign: int) -> None:
    own = [write_story(n) for n in range(20)]
    others = [to_page(one) for one in site(pages=40) if one.kind == "news"][:foreign]
    groups = group_pages([*own, *others])
    assert groups[0] == list(range(20)) or groups[0] == list(range(20, 40))
    assert sorted(map(len, groups)) == sorted([20, len(others)])


def test_lists_and_stories_of_one_site_are_two_layouts() -> None:
    groups = group_pages([write_story(n) if n % 2 else write_list(n) for n in range(20)])
    assert sorted(groups) == [list(range(0, 20, 2)), list(range(1, 20, 2))]


def test_length_of_lists_and_volatile_names_make_no_layout() -> None:
    assert group_pages([write_list(n) for n in (1, 2, 5, 19)]) == [[0, 1, 2, 3]]
    assert group_pages([write_story(n) for n in range(12)]) == [list(range(12))]


def test_a_block_that_some_pages_have_makes_no_layout() -> None:
    pages = [write_story(n, notes=3 if n % 3 == 0 else 0) for n in range(12)]
    assert group_pages(pages) == [list(range(12))]


def test_few_pages_are_grouped_too() -> None:
    assert group_pages([]) == []
    assert group_pages([write_story(1)]) == [[0]]
    assert group_pages([write_story(1), write_story(2)]) == [[0, 1]]
    assert group_pages([write_story(1), Page.from_text("")]) == [[0], [1]]
    assert group_pages([Page.from_text("")] * 3) == [[0, 1, 2]]


def test_equal_pages_are_one_layout() -> None:
    assert group_pages([write_story(5)] * 30) == [list(range(30))]


def test_pages_beyond_those_compared_join_the_groups_of_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "AT_ONCE", 30)
    pages = [write_story(n) if n % 2 else write_list(n) for n in range(160)]
    pages[3] = Page.from_text("<table><tr><td><table><tr><td><table><tr><td>an old page")
    groups = group_pages(pages)
    assert sorted(at for group in groups for at in group) == list(range(160))
    assert [len(group) for group in groups] == [80, 79, 1]


def test_five_hundred_pages_take_seconds() -> None:
    stories = [write_story(n) for n in range(10)] + [write_list(n) for n in range(10)]
    started = perf_counter()
    groups = group_pages([stories[n % 20] for n in range(500)])
    assert perf_counter() - started < 5
    assert [len(group) for group in groups] == [250, 250]


def test_twenty_pages_take_well_under_a_second() -> None:
    pages = [to_page(one) for one in site(pages=19)]
    started = perf_counter()
    group_pages(pages)
    assert perf_counter() - started < 1


@pytest.mark.parametrize(
    "hostile",
    [
        "<div>" * 100_000,
        "".join(f'<div class="a{chr(97 + n % 26)}-{n:x} b{n:x}"></div>' for n in range(100_000)),
        f'<div class="{" ".join(f"n{n:x}" for n in range(100_000))}">',
        "<p>" * 100_000,
    ],
    ids=["deep", "many-names", "one-list-of-names", "flat"],
)
def test_a_hostile_page_is_a_layout_of_its_own_and_costs_little(hostile: str) -> None:
    pages = [write_story(n) for n in range(5)] + [Page.from_text(hostile)]
    assert pages[5].blocks is not None  # the tree is not what is timed
    started = perf_counter()
    groups = group_pages(pages)
    assert perf_counter() - started < 2
    assert groups == [[0, 1, 2, 3, 4], [5]]


def test_groups_that_differ_on_both_sides_are_not_joined() -> None:
    table = np.zeros((6, 40), dtype=np.float32)
    table[:, :28] = 1
    table[:3, 28:34] = 1
    table[3:, 34:] = 1
    alike = np.full((6, 6), 0.9)
    alike[:3, :3] = alike[3:, 3:] = 1
    assert link_averages(alike, table, 0.75) == [[0, 1, 2], [3, 4, 5]]
    one_sided = table.copy()
    one_sided[3:, 34:] = 0
    assert Counter(map(len, link_averages(alike, one_sided, 0.75))) == {6: 1}
    assert Counter(map(len, link_averages(alike - 0.22, one_sided, 0.75))) == {6: 1}
    assert Counter(map(len, link_averages(alike - 0.22, table, 0.75))) == {3: 2}
