"""What the first pages of a layout did not show is learned from later ones."""

from __future__ import annotations

from scythe.demo.world import World
from scythe.site.site import Site

WORDS = "barley wheat river page farmer meadow autumn market village bridge orchard winter summer mill".split()


def article(number: int) -> bytes:
    lines = "".join(
        f"<p>{' '.join(WORDS[(number * 7 + line * 3 + i) % len(WORDS)] for i in range(30))}, said the miller.</p>"
        for line in range(6)
    )
    head = f"<title>Story {number} of the valley</title>"
    return (
        f"<html><head>{head}</head><body><div class='menu'><a href='/'>Home</a> <a href='/b'>About</a></div>"
        f"<h1 class='headline'>Story {number} of the valley</h1><div class='story' id='s'>{lines}</div>"
        f"<div class='footer'>All rights reserved</div></body></html>"
    ).encode()


def test_a_layout_of_one_page_is_learned_when_more_have_come() -> None:
    site = Site.learn([(None, article(0))])
    hows = [site.extract(article(number)).fields["text"].how for number in range(1, 12)]
    assert hows[0].startswith("tree: read cold")
    assert hows[-1].startswith("cut")
    assert any(change.what == "learned" and change.field == "text" for change in site.drift.log)


def test_what_is_learned_later_is_what_reading_gave() -> None:
    site = Site.learn([(None, article(0))])
    cold = site.extract(article(50)).text
    for number in range(1, 12):
        site.extract(article(number))
    late = site.extract(article(50))
    assert late.fields["text"].how.startswith("cut")
    assert late.text in cold  # reading takes the title line as well
    assert len(late.text) > 0.9 * len(cold)


def test_pages_are_kept_in_bounded_memory() -> None:
    site = Site.learn([(None, article(0))])
    for number in range(1, 5):
        site.extract(article(number) + b" " * 5_000_000)
    assert sum(len(body) for bed in site._pending._beds.values() for _, body in bed.pages) <= 8_000_000


def test_images_with_relative_addresses_are_found_on_a_layout_learned_later() -> None:
    world = World(pages=60)
    lists = list(world.ledger.lists)[:11]
    stories = [plan.path for plan in world.ledger.content if plan.kind == "news"]
    pages = [page for path in (*lists, stories[0]) if (page := world.page(path))]
    site = Site.learn((page.url, page.html) for page in pages)
    for path in stories[1:]:
        page = world.page(path)
        assert page is not None
        document = site.extract(page.html, url=page.url)
        assert {image.src for image in document.images if image.relevant} == set(page.gold_images)
    assert site.drift.log[-1].what == "learned"
