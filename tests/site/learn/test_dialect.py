"""Pages whose trees agree but whose sources do not."""

from __future__ import annotations

from scythe.page import Page
from scythe.site.learn.layouts import group_pages, measure_dialect, split_by_dialect

PLAIN = '<html><body class="post"><div id="top" class="head">a</div><main class="text"><p class="first">b</p></main>'


def test_shares_of_tags_tell_how_a_page_is_written() -> None:
    assert measure_dialect(PLAIN) == (0.0, 0.0, 1.0)
    assert measure_dialect(PLAIN.replace(" class", "\nclass")) == (0.75, 0.0, 1.0)
    assert measure_dialect(PLAIN.replace('"', "'")) == (0.0, 0.0, 0.0)
    assert measure_dialect("<DIV ID=a>") == (0.0, 1.0, 0.0)
    assert measure_dialect("") == (0.0, 0.0, 0.0)


def test_a_group_is_split_where_there_is_a_gap_and_nowhere_else() -> None:
    dialects = [(0.0, 0.1 * n, 1.0) for n in range(6)] + [(0.9, 0.1, 1.0), (0.9, 0.1, 0.2)]
    assert split_by_dialect(range(6), dialects) == [[0, 1, 2, 3, 4, 5]]
    assert split_by_dialect(range(8), dialects) == [[0, 1, 2, 3, 4, 5], [7], [6]]
    assert split_by_dialect([], dialects) == [[]]


def test_one_template_written_in_two_ways_is_two_layouts() -> None:
    broken = PLAIN.replace(" class", "\nclass").replace(" id", "\nid")
    assert group_pages([Page.from_text(PLAIN), Page.from_text(broken)] * 3) == [[0, 2, 4], [1, 3, 5]]
