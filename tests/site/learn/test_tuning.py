"""Searches begin where the fields are, also when they move."""

from __future__ import annotations

from scythe.site.cut.cutter import Cutter
from scythe.site.cut.hints import Tuner
from scythe.site.rules import ELEMENT, FieldRules, Layout, Rule, Way

RULES = (
    Rule("tag", b'<h1 class="t"', position=9_000),
    Rule("inside", b'<div id="head"', step=b"<h1", nth=1, reach=100, position=9_000),
)
LAYOUT = Layout("one", (FieldRules("title", (Way(ELEMENT, RULES),)),))


def page(filler: int) -> bytes:
    return b"<body>" + b"<p>word</p>" * filler + b'<div id="head"><h1 class="t">Title</h1></div>'


def tune(fillers: range) -> Layout:
    tuner, cutter = Tuner([LAYOUT]), Cutter(LAYOUT)
    for filler in fillers:
        (cut,) = cutter.cut(page(filler))
        tuner.observe(0, [cut.span[0] if cut.span else None])
    layouts = tuner.tuned()
    return layouts[0] if layouts else LAYOUT


def test_searches_move_to_where_the_field_is() -> None:
    layout = tune(range(300, 340))
    start = page(300).index(b"<h1")
    positions = [rule.position for rule in layout.fields[0].ways[0].rules]
    assert all(0 < position < start for position in positions)
    assert positions[1] < positions[0] < 9_000  # the anchor of the second rule stands before the field


def test_tuned_searches_need_no_second_search() -> None:
    before, after = Cutter(LAYOUT), Cutter(tune(range(300, 340)))
    for cutter in (before, after):
        for filler in range(300, 340):
            assert cutter.cut(page(filler))[0].values == ("Title",)
    assert before.second_searches > 0
    assert after.second_searches == 0


def test_few_pages_change_nothing() -> None:
    assert tune(range(300, 305)) == LAYOUT


def test_a_field_that_was_not_cut_says_nothing_of_positions() -> None:
    tuner = Tuner([LAYOUT])
    for _ in range(50):
        tuner.observe(0, [None])
    assert tuner.tuned() is None
