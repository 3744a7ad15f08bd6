import gzip
from collections import Counter
from xml.etree import ElementTree

import pytest

from scythe import Page
from scythe.demo import DemoPage
from scythe.demo.answers import ServedSite
from scythe.demo.world import World, world

WORLD = World(pages=300)
SITE = ServedSite(WORLD)
PAGES = [page for path in WORLD.paths if (page := WORLD.page(path))]
CONTENT = [page for page in PAGES if page.kind != "list"]


def links_of(page: DemoPage, site: World = WORLD) -> set[str]:
    found = {link.url.partition("#")[0] for link in Page.from_bytes(page.html, url=page.url).links}
    return {url.removeprefix(site.base) for url in found if url.startswith(site.base)}


def test_every_page_is_reached_from_the_front_page_and_no_link_leads_elsewhere() -> None:
    seen, todo = set(), ["/"]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            page = WORLD.page(path)
            assert page is not None, path
            todo += links_of(page)
    assert seen == set(WORLD.paths)


def test_every_path_is_named_once() -> None:
    assert len(set(WORLD.paths)) == len(WORLD.paths) == len(WORLD.page_urls)


@pytest.mark.parametrize("pages", [1, 2, 30])
def test_small_sites_are_whole_too(pages: int) -> None:
    small = World(pages=pages)
    assert sum(plan.kind not in ("list", "about") for plan in small.ledger.content) == pages
    for path in small.paths:
        page = small.page(path)
        assert page is not None
        assert links_of(page, small) <= set(small.paths)


def test_all_kinds_of_pages_come_up() -> None:
    assert set(Counter(page.kind for page in PAGES)) == {
        "list", "news", "blog", "product", "gallery", "docs", "recipe", "about",
    }  # fmt: skip


def test_no_two_pages_have_the_same_text() -> None:
    large = World(pages=1500)
    texts = Counter(page.gold_text for path in large.ledger.by_path if (page := large.page(path)))
    assert texts.most_common(1)[0][1] == 1


def test_the_same_seed_gives_the_same_bytes() -> None:
    again = world(pages=300)
    assert [again.page(path) for path in again.paths[::10]] == PAGES[::10]
    other = world(seed=2, pages=300).page("/")
    assert other is not None
    assert other.html != PAGES[0].html


@pytest.mark.parametrize("page", CONTENT[::7], ids=lambda page: page.path)
def test_the_gold_text_is_on_the_page_in_order(page: DemoPage) -> None:
    shown = "".join("".join(Page.from_bytes(page.html, content_type=page.content_type).blocks.text).split())
    at = 0
    for line in page.gold_text.splitlines():
        found = shown.find("".join(line.split()), at)
        assert found >= 0, line
        at = found + 1


def test_galleries_have_many_pictures_with_captions() -> None:
    for page in CONTENT:
        if page.kind == "gallery":
            offered = {use.image.src: use.image for use in Page.from_bytes(page.html, url=page.url).images}
            assert len(page.gold_images) >= 8
            assert all(offered[image].caption for image in page.gold_images)


def test_lists_name_their_pages_and_together_all_articles() -> None:
    front = [WORLD.page(path) for path in WORLD.ledger.lists["/"].paths]
    listed = [record.path for page in front if page for record in page.gold_records]
    assert sorted(listed) == sorted(p.path for p in WORLD.ledger.content if p.kind not in ("product", "gallery"))
    assert front[0] is not None
    assert b'<link rel="next" href="/page/2/">' in front[0].html
    assert front[-1] is not None
    assert b'rel="next"' not in front[-1].html


def test_a_redesign_keeps_the_content_and_changes_the_markup() -> None:
    for page in PAGES[::15]:
        dressed = WORLD.page(page.path, design=1)
        assert dressed is not None
        assert dressed.html != page.html
        assert (dressed.gold_text, dressed.gold_images, dressed.gold_records) == (
            page.gold_text,
            page.gold_images,
            page.gold_records,
        )


def test_a_site_served_elsewhere_names_its_own_address_only() -> None:
    served = World(pages=40, base="http://127.0.0.1:9")
    for path in served.paths:
        page = served.page(path)
        assert page is not None
        assert b"demo.scythe.example" not in page.html
        assert all(image.startswith("http://127.0.0.1:9/") for image in page.gold_images)
        assert page.url == f"http://127.0.0.1:9{path}"


def test_the_sitemap_names_every_page_once() -> None:
    index = ElementTree.fromstring(SITE.answer("/sitemap.xml", 0).body)
    parts = [node.text or "" for node in index.iter() if node.tag.endswith("loc")]
    assert all(part.endswith(".xml.gz") for part in parts)
    named: list[str] = []
    for part in parts:
        body = gzip.decompress(SITE.answer(part.removeprefix(WORLD.base), 0).body)
        named += [node.text or "" for node in ElementTree.fromstring(body).iter() if node.tag.endswith("loc")]
    assert sorted(named) == sorted(WORLD.page_urls)


def test_a_feed_names_the_newest_articles() -> None:
    newest = [WORLD.base + plan.path for plan in WORLD.ledger.newest("news", "blog", "docs", "recipe")[:20]]
    rss = ElementTree.fromstring(SITE.answer("/feed.xml", 0).body)
    assert [node.text for node in rss.iter("link")][1:] == newest
