"""Hostile pages cost time in proportion to their size, and what they say before, inside and after survives."""

import pytest
from tests.faults import list_pages
from tests.faults.growth import is_linear, seconds
from tests.faults.pages import AFTER, BEFORE, INSIDE, PAGES

from scythe.page import Page
from scythe.reading.lists.list_methods import LazyPageLists

pytestmark = pytest.mark.fault

# elements whose content is never shown as text: theirs may be missing, the page's own may not
UNSEEN = (
    "object svg template noscript rt map canvas video audio iframe textarea title style script annotation math".split()
)
SIZE = 1_250  # repetitions; four times that is more than counts as plain
URL = "https://example.org/list?page=3"


def look(html: str) -> None:
    """Ask a page for everything."""
    page = Page.from_text(html, url=URL)
    assert None not in (page.blocks, page.metadata, page.links, page.images)


def look_for_lists(html: str) -> None:
    """Ask a page for records, attributes and paging."""
    lists = LazyPageLists(Page.from_text(html, url=URL))
    regions, pairs = lists.lists(), lists.attributes()
    assert lists.paging() is not None
    assert all(len(record.fields) == len(region.columns) for region in regions for record in region.records)
    assert all(name and value for name, value in pairs)


@pytest.mark.parametrize("name", PAGES)
def test_time_grows_with_size(name: str) -> None:
    made = {size: PAGES[name](size) for size in (SIZE, 4 * SIZE)}
    # the large page may be the first that is rewritten, which is linear but dearer than leaving a page alone
    slack_s = 2e-6 * len(made[4 * SIZE]) + 0.02
    assert is_linear(lambda size: look(made[size]), SIZE, slack_s=slack_s)


@pytest.mark.parametrize("name", list_pages.PAGES)
def test_time_for_lists_grows_with_size(name: str) -> None:
    made = {size: list_pages.PAGES[name](size) for size in (SIZE, 4 * SIZE)}
    assert is_linear(lambda size: look_for_lists(made[size]), SIZE, slack_s=0.03)


def test_work_that_squares_is_found() -> None:
    assert is_linear(lambda n: sum(i % 7 for i in range(n * 100)), 500)
    assert not is_linear(lambda n: sum(i % 7 for i in range(n * n)), 500, tries=2)


@pytest.mark.soak
@pytest.mark.parametrize("name", list_pages.PAGES)
def test_a_hundred_thousand_of_anything_ends_within_twenty_seconds(name: str) -> None:
    assert seconds(lambda size: look_for_lists(list_pages.PAGES[name](size)), 100_000) < 20


@pytest.mark.parametrize("name", PAGES)
def test_text_around_the_hostile_part_survives(name: str) -> None:
    html = PAGES[name](4 * SIZE)
    page = Page.from_text(html)
    text = "\n".join(page.blocks.text)
    assert BEFORE in text
    unseen = any(word in name for word in UNSEEN)
    for word in (INSIDE, AFTER):
        assert word in text or word not in html or unseen or page.losses


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("nested div", "attributes on one tag", "attributes without value", "class tokens"),
        *(pytest.param(name, marks=pytest.mark.soak) for name in ("nested b", "nested span")),
    ],
)
def test_a_million_of_anything_ends_and_keeps_the_deep_text(name: str) -> None:
    html = PAGES[name](1_000_000)
    texts: list[str] = []
    took_s = seconds(lambda _: texts.append("\n".join(Page.from_text(html).blocks.text)), 1)
    assert all(word in texts[0] for word in (BEFORE, INSIDE, AFTER))
    assert took_s < 2.0 * len(html) / 1_000_000
