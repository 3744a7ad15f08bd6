"""The element that holds the text is found over several pages, and what else it holds is left out."""

from __future__ import annotations

import random
from dataclasses import replace

from scythe.demo import site
from scythe.page import Page
from scythe.page.source import read_source
from scythe.site.follow.follow_fields import follow
from scythe.site.learn.learn_site import make_lesson_page, make_sample
from scythe.site.learn.main_text import agree, learn_body
from scythe.site.learn.value_sources import LearnedPage

FILL = "Long before sunrise the people of the valley had gone out to bring the {} in, as they did in every good year."
CROPS = ("barley", "rye", "oats", "wheat", "hay", "flax", "apples", "hops")


def story(number: int) -> str:
    lines = "".join(f"<p>{number}.{n} {FILL.format(CROPS[(number + n) % 8])}</p>" for n in range(6))
    share = "<div class='share bar'><span>Send it on</span> <a href=/x>to a friend of yours</a></div>"
    more = f"<ul class=more><li><a href=/{number}>Another story of {CROPS[number % 8]} and more of it</a></li></ul>"
    return f"<body><div class=top>Menu</div><div class=text>{share}{lines}{more}</div><div class=foot>Foot</div>"


def sample_of(html: str) -> LearnedPage:
    page = Page.from_text(html)
    kept = tuple(i for i, text in enumerate(page.blocks.text) if "valley" in text)
    return LearnedPage(read_source(html.encode()), page, kept)


def test_what_is_never_chosen_is_left_out() -> None:
    body = learn_body([sample_of(story(number)) for number in range(5)])
    found = follow(sample_of(story(6)).source, body.ways[0])
    assert found.values[0].split("\n\n") == [f"6.{n} {FILL.format(CROPS[(6 + n) % 8])}" for n in range(6)]
    assert body.agreement > 0.99


def test_of_too_many_lines_to_leave_out_those_are_that_come_first() -> None:
    lines = [f"Stray words {chr(97 + n // 10)}{chr(97 + n % 10)}" for n in range(60)]
    stray = "".join(f"<p>{line}</p>" for line in lines)
    body = learn_body([sample_of(story(number).replace("<p>", f"{stray}<p>", 1)) for number in range(5)])
    assert body.ways[0].skip_lines == tuple(lines[:40])


def test_a_page_without_the_element_gives_nothing() -> None:
    body = learn_body([sample_of(story(number)) for number in range(5)])
    assert follow(read_source(b"<body><p>Not found</p>"), body.ways[0]).values == ()


def test_pages_without_text_are_named() -> None:
    body = learn_body([sample_of("<p>Menu</p>")] * 3)
    assert body.ways == ()
    assert body.why == "text on 0 of 3 pages: learning needs 2"


def test_many_pages_repair_a_noisy_reading() -> None:
    pages = [page for page in site(seed=5, pages=72) if page.kind == "news" and page.language == "en"][:12]
    samples = [make_sample(make_lesson_page(page.html, page.url)) for page in pages]
    rng = random.Random(1)
    noisy = [replace(sample, kept=_disturb(sample, rng)) for sample in samples[:8]]
    body = learn_body(noisy)
    values = [follow(sample.source, body.ways[0]).values[0] for sample in samples[8:]]
    scores = [agree(value, page.gold_text) for value, page in zip(values, pages[8:], strict=True)]
    assert min(scores) > 0.95


def _disturb(sample: LearnedPage, rng: random.Random) -> tuple[int, ...]:
    """Lose some of the chosen blocks and take some others."""
    chosen = {i for i in sample.kept if rng.random() > 0.05}
    chosen |= {i for i in range(sample.kept[0] - 4, sample.kept[-1] + 6) if rng.random() < 0.05}
    return tuple(sorted(chosen))
