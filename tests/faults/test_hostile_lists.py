"""Pages made to slow down whatever looks for lists cost time in proportion to their size."""

from __future__ import annotations

import gc
import time

import pytest
from tests.faults.list_pages import PAGES

from scythe.page import Page
from scythe.reading.lists.list_methods import LazyPageLists

pytestmark = pytest.mark.fault

SIZE = 2_500
RATIO = 2.6
URL = "https://example.org/list?page=3"


def seconds(html: str) -> float:
    """Return the CPU seconds of records, attributes and paging, without parsing."""
    page = Page.from_text(html, url=URL)
    assert page.root is not None
    gc.collect()
    start = time.process_time()
    lists = LazyPageLists(page)
    regions, pairs = lists.lists(), lists.attributes()
    assert lists.paging() is not None
    spent = time.process_time() - start
    assert all(len(record.fields) == len(region.columns) for region in regions for record in region.records)
    assert all(name and value for name, value in pairs)
    return spent


@pytest.mark.parametrize("name", PAGES)
def test_time_for_lists_grows_with_size(name: str) -> None:
    small, large = PAGES[name](SIZE), PAGES[name](2 * SIZE)
    growth = len(large) / len(small)
    best_small = best_large = float("inf")
    for _ in range(5):
        best_small = min(best_small, seconds(small))
        best_large = min(best_large, seconds(large))
        if best_large <= RATIO / 2 * growth * best_small + 0.03:
            break
    else:
        pytest.fail(f"{name}: {best_small:.3f} s for {len(small)} bytes, {best_large:.3f} s for {len(large)}")
    assert best_large < 0.1 + 8e-6 * len(large)


@pytest.mark.soak
@pytest.mark.parametrize("name", PAGES)
def test_a_hundred_thousand_of_anything_ends_within_twenty_seconds(name: str) -> None:
    assert seconds(PAGES[name](100_000)) < 20
