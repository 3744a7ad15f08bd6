"""What was extracted before is evidence of where a field is after a redesign, if it is of the same page."""

from __future__ import annotations

from scythe import Site
from scythe.demo.world import World

WORLD = World(pages=120)


def test_a_front_page_named_like_its_site_is_no_evidence_of_titles() -> None:
    lists = list(WORLD.ledger.lists)[:11]
    stories = [plan.path for plan in WORLD.ledger.content if plan.kind in ("news", "blog", "product")]
    site = Site.learn(
        (page.url, page.html) for path in (*lists, *stories[:12]) if (page := WORLD.page(path)) is not None
    )
    for number, path in enumerate(stories[12:44]):
        page = WORLD.page(path, design=int(number > 12))
        assert page is not None
        assert site.extract(page.html, url=page.url).title == page.gold_title
    assert any(change.what == "learned" for change in site.drift.log)
