from __future__ import annotations

from scythe import Site
from scythe.demo.world import World

WORLD = World(pages=60)


def test_images_with_relative_addresses_are_found_on_a_layout_learned_later() -> None:
    lists = list(WORLD.ledger.lists)[:11]
    stories = [plan.path for plan in WORLD.ledger.content if plan.kind == "news"]
    pages = [page for path in (*lists, stories[0]) if (page := WORLD.page(path))]
    site = Site.learn((page.url, page.html) for page in pages)
    for path in stories[1:]:
        page = WORLD.page(path)
        assert page is not None
        document = site.extract(page.html, url=page.url)
        assert {image.src for image in document.images if image.relevant} == set(page.gold_images)
    assert site.drift.log[-1].what == "learned"
