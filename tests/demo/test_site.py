import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from scythe import Page
from scythe.demo import BASE, DemoPage, site

PAGES = site(pages=48)
CONTENT = [page for page in PAGES if page.kind != "list"]


def digest(pages: tuple[DemoPage, ...]) -> str:
    return sha256(b"".join(page.html + page.gold_text.encode() for page in pages)).hexdigest()


def test_the_same_seed_gives_the_same_bytes_in_another_process() -> None:
    code = "from tests.demo.test_site import PAGES, digest; print(digest(PAGES))"
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": "."},
        )
        assert done.stdout.strip() == digest(PAGES)


def test_another_seed_gives_another_site() -> None:
    assert digest(site(seed=2, pages=48)) != digest(PAGES)


def test_all_kinds_and_languages_come_up() -> None:
    assert {page.kind for page in PAGES} == {"list", "news", "blog", "forum", "docs", "product", "recipe", "wiki"}
    assert {page.language for page in PAGES} == {"en", "de", "tr", "zh"}


def test_every_address_is_used_once() -> None:
    assert len({page.path for page in PAGES}) == len(PAGES)


@pytest.mark.parametrize("page", CONTENT, ids=lambda page: page.path)
def test_the_gold_text_is_on_the_page_in_order(page: DemoPage) -> None:
    shown = "".join("".join(Page.from_bytes(page.html, content_type=page.content_type).blocks.text).split())
    at = 0
    for line in page.gold_text.splitlines():
        found = shown.find("".join(line.split()), at)
        assert found >= 0, line
        at = found + 1


@pytest.mark.parametrize("page", CONTENT, ids=lambda page: page.path)
def test_the_page_carries_much_more_than_its_gold_text(page: DemoPage) -> None:
    shown = sum(len(text) for text in Page.from_bytes(page.html, content_type=page.content_type).blocks.text)
    assert 0.1 * shown < len(page.gold_text) < 0.75 * shown


@pytest.mark.parametrize("page", CONTENT, ids=lambda page: page.path)
def test_gold_images_are_on_the_page(page: DemoPage) -> None:
    uses = Page.from_bytes(page.html, url=page.url, content_type=page.content_type).images
    offered = {use.image.src for use in uses}
    assert set(page.gold_images) <= offered


def test_metadata_is_readable_from_the_page() -> None:
    for page in CONTENT:
        metadata = Page.from_bytes(page.html, url=page.url, content_type=page.content_type).metadata
        assert metadata.canonical == page.url
        assert metadata.language == page.language
        if page.gold_author:
            assert metadata.author == page.gold_author


def test_old_encodings_occur_and_are_not_in_the_header() -> None:
    old = [page for page in CONTENT if b'charset="utf-8"' not in page.html]
    assert {page.language for page in old} >= {"tr", "zh"}
    assert all("charset" not in page.content_type for page in old)


def test_list_pages_lead_to_every_content_page() -> None:
    records = [record.path for page in PAGES if page.kind == "list" for record in page.gold_records]
    assert sorted(records) == sorted(page.path for page in CONTENT)
    front = Page.from_bytes(PAGES[0].html, url=PAGES[0].url)
    linked = {link.url for link in front.links}
    assert {BASE + record.path for record in PAGES[0].gold_records} <= linked


def test_a_redesign_keeps_the_content_and_changes_the_markup() -> None:
    redesigned = site(pages=48, design=1)
    assert [page.gold_text for page in redesigned] == [page.gold_text for page in PAGES]
    assert [page.gold_title for page in redesigned] == [page.gold_title for page in PAGES]
    assert all(before.html != after.html for before, after in zip(PAGES, redesigned, strict=True))
    assert b"story__body" not in redesigned[5].html
