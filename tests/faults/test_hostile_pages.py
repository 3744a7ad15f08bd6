"""Hostile pages cost time in proportion to their size, and what they say before, inside and after survives."""

from __future__ import annotations

import gc
import time

import pytest
from tests.faults.pages import AFTER, BEFORE, INSIDE, PAGES

from scythe.page import Page

pytestmark = pytest.mark.fault

# elements whose content is never shown as text: theirs may be missing, the page's own may not
UNSEEN = (
    "object svg template noscript rt map canvas video audio iframe textarea title style script annotation math".split()
)
SIZE = 2_500  # repetitions; twice that is more than counts as plain
RATIO = 2.3


def seconds(html: str) -> float:
    """Return the CPU seconds of everything a page is asked for."""
    gc.collect()
    start = time.process_time()
    page = Page.from_text(html, url="https://example.org/")
    assert page.blocks is not None
    assert page.metadata is not None
    assert page.links is not None
    assert page.images is not None
    return time.process_time() - start


@pytest.mark.parametrize("name", PAGES)
def test_time_grows_with_size(name: str) -> None:
    small, large = PAGES[name](SIZE), PAGES[name](2 * SIZE)
    growth = len(large) / len(small)
    best_small = best_large = float("inf")
    for _ in range(6):
        best_small = min(best_small, seconds(small))
        best_large = min(best_large, seconds(large))
        # the large page may be the first that is rewritten, which is linear but dearer than leaving a page alone
        if best_large <= RATIO / 2 * growth * best_small + 2e-6 * len(large) + 0.02:
            break
    else:
        pytest.fail(f"{name}: {best_small:.3f} s for {len(small)} bytes, {best_large:.3f} s for {len(large)}")
    assert best_large < 0.05 + 2e-6 * len(large)


@pytest.mark.parametrize("name", PAGES)
def test_text_around_the_hostile_part_survives(name: str) -> None:
    html = PAGES[name](SIZE * 2)
    page = Page.from_text(html)
    text = "\n".join(page.blocks.text)
    assert BEFORE in text
    unseen = any(word in name for word in UNSEEN)
    for word in (INSIDE, AFTER):
        assert word in text or word not in html or unseen or page.losses


@pytest.mark.parametrize(
    "name",
    ["nested div", "unclosed list item", "attributes on one tag", "fonts of distinct size in paragraphs", "options"],
)
def test_doubling_a_large_page_doubles_the_time(name: str) -> None:
    small, large = PAGES[name](20_000), PAGES[name](40_000)
    tries = (seconds(large) <= RATIO * min(seconds(small), seconds(small)) + 0.02 for _ in range(5))
    assert any(tries), f"{name}: time more than doubles"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "nested div",
        *(pytest.param(name, marks=pytest.mark.soak) for name in ("nested b", "nested span")),
        "attributes on one tag",
        "attributes without value",
        "class tokens",
    ],
)
def test_a_million_of_anything_ends_and_keeps_the_deep_text(name: str) -> None:
    html = PAGES[name](1_000_000)
    start = time.process_time()
    page = Page.from_text(html)
    text = "\n".join(page.blocks.text)
    assert all(word in text for word in (BEFORE, INSIDE, AFTER))
    assert time.process_time() - start < 2.0 * len(html) / 1_000_000
