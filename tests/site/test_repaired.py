"""Pages whose tree is not what their bytes alone say: rules are not followed there, and they are read all the same."""

from __future__ import annotations

import pytest
from tests.demo_sites import demo_site
from tests.list_pages import shop_page
from tests.site.learn.seen import learn

from scythe.model import Document
from scythe.page import Page
from scythe.page.source import read_source
from scythe.site.extract import ListExtractor, rows_by_offset
from scythe.site.rules import Layout
from scythe.site.site import Site
from scythe.site.trace import Tracer

NEWS = [page for page in demo_site() if page.kind == "news" and page.language == "en"]
ODD = b"<di\0v>an element whose name nobody knows</di\0v></body>"


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.learn([(page.url, page.html) for page in NEWS[:-1]])


def extract(site: Site, *, is_odd: bool) -> Document:
    body = NEWS[-1].html
    return site.extract(body.replace(b"</body>", ODD) if is_odd else body, NEWS[-1].url, via="tree")


def test_elements_of_a_page_that_had_to_be_repaired_have_no_known_place() -> None:
    odd = b"<p>a</p><di\0v>b</di\0v>"
    assert rows_by_offset(read_source(odd), Page.from_bytes(odd)) is None
    assert rows_by_offset(read_source(b"<p>a<p>b"), Page.from_bytes(b"<p>a<p>b")) is not None


def test_its_records_are_not_taken_by_rules() -> None:
    (rules,) = learn([shop_page(number) for number in range(3)], "li.item").rules
    reaper = ListExtractor(Layout("list", (), lists=(rules,)))
    lists, why = reaper.follow(read_source(shop_page(7)), None)
    assert lists is not None
    assert why == ""
    assert reaper.follow(read_source(shop_page(7).replace(b"</body>", ODD)), None) == (
        None,
        "the page had to be repaired",
    )


def test_records_that_are_gone_are_said_to_be() -> None:
    (rules,) = learn([shop_page(number) for number in range(3)], "li.item").rules
    lists, why = ListExtractor(Layout("list", (), lists=(rules,))).follow(
        read_source(b"<p>Nothing is sold here.</p>"), None
    )
    assert lists is None
    assert why


def test_its_images_are_those_that_reading_it_gives(site: Site) -> None:
    plain, odd = extract(site, is_odd=False), extract(site, is_odd=True)
    wanted = [image.src for image in plain.images if image.relevant]
    assert wanted
    assert [image.src for image in odd.images if image.relevant] == wanted
    assert odd.how["images"].startswith("tree: ")
    assert "the page had to be repaired" in odd.how["images"]
    assert "repaired" not in plain.how["images"]


def test_a_page_of_no_layout_is_traced_without_places(site: Site) -> None:
    found = Tracer(site.profile).trace_page(b"<p>Nothing of this site.</p>", None)
    assert found.places == ()
