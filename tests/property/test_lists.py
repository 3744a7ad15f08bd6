"""The law of cut records: they are those that the tree has, to the last field, or it is doubt."""

from __future__ import annotations

from random import Random

import pytest
from tests.property.list_soup import make_list

from scythe.model import RecordList
from scythe.page.source import read_source
from scythe.site.cut.cut_lists import ListCutter
from scythe.site.extract import ListExtractor
from scythe.site.rules import Layout
from scythe.url import Url

HERE = Url("http://a.example/p")
# where nothing is read on the tree: the page had to be repaired, or the records stand in a canvas or the like
UNREAD = {"the page had to be repaired", "a record is not shown"}


def disagreement(
    page: bytes, layout: Layout
) -> tuple[bytes, tuple[RecordList, ...], tuple[RecordList, ...] | None] | None:
    reaper = ListExtractor(layout)
    regions, _, _ = reaper.cut(page, HERE)
    if regions is None:
        return None
    tree, why = reaper.follow(read_source(page), HERE)
    return None if tree == regions or why in UNREAD else (page, regions, tree)


def check(seed: int, cases: int) -> int:
    """Return how many pages were cut; fail where one differs."""
    random = Random(seed)
    done = 0
    for _ in range(cases):
        page, layout = make_list(random, random.choice((0.0, 0.1, 0.3, 1.0)))
        assert disagreement(page, layout) is None
        done += ListCutter(layout).cut(page).state == "cut"
    return done


def test_cut_records_are_those_of_the_tree_or_doubt() -> None:
    assert check(seed=31, cases=500) > 150


@pytest.mark.parametrize("cases", [2_000, pytest.param(20_000, marks=pytest.mark.soak)])
def test_thousands_of_lists_are_cut_as_the_tree_has_them(cases: int) -> None:
    assert check(seed=32, cases=cases) > 0.3 * cases
