"""The layout of an unseen page, by literals of its source."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import perf_counter

import pytest

from scythe.demo import DemoPage, World, site
from scythe.page import Page
from scythe.site.cut.cutter import Dispatcher
from scythe.site.learn.layout_marks import choose_marks
from scythe.site.learn.layouts import group_pages
from scythe.site.rules import Layout
from scythe.url import url_shape


def make_layout(*marks: bytes, pages: int = 10) -> Layout:
    return Layout("any", (), marks, pages=pages)


def learn(pages: list[DemoPage]) -> tuple[Dispatcher, list[set[str]]]:
    """Return a dispatcher for the layouts of some pages and the kinds that each of these layouts has."""
    groups = group_pages([Page.from_bytes(page.html, url=page.url, content_type=page.content_type) for page in pages])
    marks = choose_marks([[pages[at].html for at in group] for group in groups])
    layouts = [make_layout(*own, pages=len(group)) for own, group in zip(marks, groups, strict=True)]
    return Dispatcher(layouts), [{pages[at].kind for at in group} for group in groups]


@pytest.mark.parametrize("design", [0, 1])
def test_unseen_pages_of_the_demo_site_find_their_layout(design: int) -> None:
    made = site(pages=72, design=design)
    dispatcher, kinds = learn([page for page in made if page.kind != "wiki"][::2])
    for page in made[1::2]:
        layout = dispatcher.pick(page.html, page.url)
        if page.kind != "wiki":
            assert layout is not None
            assert page.kind in kinds[layout]


def test_pages_of_another_design_are_unknown() -> None:
    dispatcher, _ = learn([page for page in site(pages=48) if page.kind == "news"])
    others = [page for page in site(pages=12, design=1) if page.kind == "news"]
    assert [dispatcher.pick(page.html) for page in others] == [None] * len(others)


def test_the_largest_share_of_marks_decides() -> None:
    dispatcher = Dispatcher([make_layout(b"<a1", b"<a2", b"<a3"), make_layout(b"<b1", b"<b2", b"<b3", b"<b4", b"<b5")])
    assert dispatcher.pick(b"<a1 <a2 <a3 <b1") == 0
    assert dispatcher.pick(b"<a1 <a2 <b1 <b2 <b3 <b4") == 1
    assert dispatcher.pick(b"<a1 <b1 <b2") is None
    assert dispatcher.pick(b"") is None
    assert dispatcher.share(b"<a1 <a3", 0) == pytest.approx(2 / 3)


def test_ties_go_to_more_marks_then_to_more_pages() -> None:
    few, many = make_layout(b"<a1"), make_layout(b"<a1", b"<a2")
    assert Dispatcher([few, many]).pick(b"<a1 <a2") == 1
    assert Dispatcher([few, many]).pick(b"<a1") == 0
    assert Dispatcher([make_layout(b"<a", pages=3), make_layout(b"<b", pages=4)]).pick(b"<a <b") == 1


def test_a_layout_without_marks_takes_what_fits_no_other() -> None:
    dispatcher = Dispatcher([make_layout(), make_layout(b"<a1", b"<a2")])
    assert dispatcher.pick(b"<a1 <a2") == 1
    assert dispatcher.pick(b"plain") == 0
    assert dispatcher.share(b"plain", 0) == 0
    assert Dispatcher([]).pick(b"<a1") is None


def test_a_lone_layout_of_few_pages_is_content_with_half_of_its_marks() -> None:
    marks = (b"<a1", b"<a2", b"<a3", b"<a4")
    assert Dispatcher([make_layout(*marks, pages=2)]).pick(b"<a1 <a2") == 0
    assert Dispatcher([make_layout(*marks, pages=20)]).pick(b"<a1 <a2") is None


def test_what_was_seen_before_changes_no_answer() -> None:
    random = Random(5)
    marks = [b"<m%d " % n for n in range(9)]
    layouts = [make_layout(*random.sample(marks, 4), pages=random.randrange(9)) for _ in range(4)]
    worn = Dispatcher(layouts)
    for _ in range(300):
        gaps = [b"x" * random.randrange(4_000) + mark for mark in random.sample(marks, random.randrange(10))]
        body = b"".join(gaps)
        assert worn.pick(body) == Dispatcher(layouts).pick(body)


def test_a_page_takes_microseconds() -> None:
    made = [page for page in site(pages=48) if page.kind in ("news", "forum")]
    dispatcher, _ = learn(made[::2])
    bodies = [page.html for page in made[1::2]] * 50
    started = perf_counter()
    for body in bodies:
        dispatcher.pick(body)
    assert (perf_counter() - started) / len(bodies) < 0.0005


def test_absent_marks_cost_no_more_than_a_search_each() -> None:
    dispatcher = Dispatcher([make_layout(*(b"<div class=%d" % n for n in range(6)))])
    body = b"<div class=" * 1_000_000
    started = perf_counter()
    assert dispatcher.pick(body) is None
    assert perf_counter() - started < 2


def test_a_mark_is_seen_in_the_first_and_in_the_last_byte_of_a_page() -> None:
    dispatcher = Dispatcher([make_layout(b"<a", b">z")])
    for body in (b"<a>z", b"<a" + b" " * 5_000 + b">z", b"<a>z", b">z" + b" " * 5_000 + b"<a"):
        assert dispatcher.pick(body) == 0
        assert dispatcher.share(body, 0) == 1


def test_four_pages_are_few_and_five_are_not() -> None:
    assert Dispatcher([make_layout(b"<a1", b"<a2", pages=4)]).pick(b"<a1") == 0
    assert Dispatcher([make_layout(b"<a1", b"<a2", pages=5)]).pick(b"<a1") is None


def test_empty_marks_say_nothing_and_of_layouts_without_marks_the_one_with_more_pages_is_taken() -> None:
    layouts = [make_layout(pages=2), make_layout(b"", pages=7), make_layout(b"<a1", b"", b"<a1", pages=1)]
    assert Dispatcher(layouts).pick(b"plain") == 1
    assert Dispatcher(layouts).pick(b"<a1") == 2
    assert Dispatcher(layouts).share(b"plain", 2) == 0


def test_a_page_that_lacks_marks_is_not_of_a_layout_with_other_addresses() -> None:
    stories, lists = make_layout(b"<a1", b"<a2"), make_layout(b"<b1", b"<b2", b"<b3", b"<b4", b"<b5")
    stories, lists = replace(stories, shapes=("/a/a-9.html",)), replace(lists, shapes=("/", "/a/"))
    dispatcher = Dispatcher([stories, lists])
    some = b"<b1 <b2 <b3"
    assert dispatcher.pick(some) == 1
    assert dispatcher.pick(some, "https://x.example/news/") == 1
    assert dispatcher.pick(some, "https://x.example/some/other/place") == 1
    assert dispatcher.pick(some, "https://x.example/news/barley-7.html") is None
    assert dispatcher.pick(some + b"<b4 <b5", "https://x.example/news/barley-7.html") == 1
    assert Dispatcher([stories, replace(lists, shapes=())]).pick(some, "https://x.example/news/barley-7.html") == 1


def test_stories_in_a_new_design_are_not_taken_for_lists_that_share_the_frame_of_the_site() -> None:
    shared = (
        b'<aside class="sidebar" role="complementary">',
        b'<div id="cookie-consent" class="cc-window" role="dialog">',
    )
    own = (
        b'<aside class="related-',
        b'<section class="newsletter-',
        b'<div class="share-',
        b'<meta property="og:image"',
    )
    # the last two tell lists from stories only as long as some of the stories are not in English
    listed = (
        b'<div class="teasers"',
        b'<meta name="description" content="News',
        b'<html lang="en"',
        b'<input name="q" placeholder="Search"',
    )
    world = World(pages=40)
    paths = [plan.path for plan in world.ledger.content if plan.kind in ("news", "blog") and plan.language == "en"]
    urls = [world.base + path for path in paths]
    stories = replace(make_layout(*own, *shared), shapes=tuple({url_shape(url) for url in urls}))
    lists = replace(make_layout(*listed, *shared), shapes=tuple({url_shape(path) for path in world.ledger.lists}))
    dispatcher = Dispatcher([stories, lists])
    pages = [page for path in paths for design in (0, 1) if (page := world.page(path, design))]
    assert [dispatcher.pick(page.html, page.url) for page in pages] == [0, None] * len(paths)
    assert any(dispatcher.pick(page.html) == 1 for page in pages)  # by their marks alone they are
