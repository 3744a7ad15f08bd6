"""What the extension promises the cutter: plans it refuses, bounds it keeps, odd names it does not confuse."""

from __future__ import annotations

from typing import Any

import pytest

from scythe import extension
from scythe.page.source import read_source
from scythe.site.cut.cutter import plan_fields
from scythe.site.follow.follow_fields import follow
from scythe.site.rules import ATTRIBUTE, ELEMENT, FLOW, LEAD, FieldRules, Layout, Rule, Way

pytestmark = pytest.mark.skipif(extension.native is None, reason="the compiled extension is not built")
engine: Any = extension.native
RULE = (b"<p", 0, b"", 0, 0, 0, False)
LACKS = ("absent", (), None, "the element does not hold it", -1)


def way_of(*rules: tuple[Any, ...], take: int = 0) -> tuple[Any, ...]:
    return (take, 1, False, b"", b"", b"", ("tag",) * len(rules), rules)


def cut(page: bytes, *ways: Way, thorough: bool = True, utf8: bool = True) -> Any:
    plan = engine.make_plan(plan_fields(Layout("page", (FieldRules("field", ways),))), utf8)
    return engine.cut_field(plan, page, 0, thorough)


def tag(anchor: bytes, take: str = ELEMENT, **more: Any) -> Way:
    return Way(take, (Rule("tag", anchor),), needed=1, **more)


@pytest.mark.parametrize(
    "rules",
    [
        (),
        (RULE,) * 33,
        ((b"", *RULE[1:]),),
        ((b"<p", -1, *RULE[2:]),),
        ((b"<p", 2, *RULE[2:]),),
        ((b"<p", 0, b"<b", 1, -1, 0, False),),
        (RULE, (b"<p", 3, *RULE[2:])),
    ],
    ids=["no rules", "33 rules", "no anchor", "skip below 0", "skip to the end", "reach below 0", "the second rule"],
)
def test_rules_that_cannot_be_followed_are_refused(rules: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"rules|anchor"):
        engine.make_plan(((way_of(RULE), way_of(*rules)),), True)


def test_rules_at_the_bounds_are_taken() -> None:
    step = (b"<p", 9, b"<p", 1, 0, 0, False)  # what is skipped says nothing where a step follows
    plan = engine.make_plan(((way_of(*(RULE,) * 32), way_of((b"<p", 1, *RULE[2:])), way_of(step)),), True)
    assert engine.cut_field(plan, b"<body><p>a</p>", 0, True)[1] == ("a",)


def test_anchors_behind_their_position_are_counted_over_all_fields() -> None:
    fields = tuple(FieldRules(name, (Way(ELEMENT, (Rule("tag", b"<p", position=400),), needed=1),)) for name in "ab")
    plan = engine.make_plan(plan_fields(Layout("page", fields)), True)
    assert engine.second_searches(plan) == 0
    engine.cut_fields(plan, b"<body><p>a</p>", True)
    engine.cut_field(plan, b"<body><p>a</p>", 1, True)
    assert engine.second_searches(plan) == 3


@pytest.mark.parametrize(
    "part", [b"", b"text", b" <p>a</p>", b"</p>", b"<!-- p -->", b"<p>a", b"< p>", b"<p", b"<svg>"]
)
def test_what_is_no_whole_element_has_no_text(part: bytes) -> None:
    assert engine.read_element(part) is None


def test_an_element_alone_is_read_as_if_nothing_were_open_around_it() -> None:
    assert engine.read_element(b"<span>a<a href=x>b</a><div>c</div></span>") == "ab c"
    assert engine.read_element(b"<section><form>a<button>b</button></form></section>") == "a b"


def test_a_way_that_led_to_a_place_without_the_value_is_remembered() -> None:
    page = b"<body><p>a</p>"
    lacking = tag(b"<p", ATTRIBUTE, attribute="title")
    assert cut(page, lacking) == LACKS
    assert cut(page, lacking, tag(b"<h1")) == LACKS
    assert cut(page, tag(b"<h1"), lacking) == LACKS
    assert cut(page, lacking, tag(b"<p"))[1] == ("a",)
    assert cut(page, tag(b"<h1"))[3] == "no anchor on the page"


def test_repetitions_begin_with_the_first_byte_and_end_after_a_thousand() -> None:
    way = tag(b"<i", repeats=True)
    assert cut(b"<i>a</i><i>b</i>", way)[1] == ("a", "b")
    assert cut(b"<i>" * 2 + b"a" + b"</i>" * 2, way)[1] == ("a", "a")
    assert len(cut(b"<body>" + b"<i>a</i>" * 1_001, way)[1]) == 1_000


@pytest.mark.parametrize(("depth", "state"), [(14, "flow"), (15, "doubt")])
def test_elements_in_elements_are_walked_through_eight_times_the_page_at_most(depth: int, state: str) -> None:
    page = b"<body>" + b"<div>" * depth + b"x" * 5_000 + b"</div>" * depth
    page += b"y" * (14 * 5_000 // 8 - len(page) + 400)
    assert cut(page, tag(b"<div", FLOW, repeats=True))[0] == state
    assert cut(page, tag(b"<div", repeats=True))[0] == "cut"


def test_an_escape_byte_may_begin_another_encoding() -> None:
    assert cut(b"<body><p>a\x1bb</p>", tag(b"<p"))[3] == "not valid in its encoding"
    assert cut(b"<body>\x1b<p>a</p>\x1b", tag(b"<p"))[1] == ("a",)


@pytest.mark.parametrize("end", [b">", b" ", b"\t", b"\n", b"\f", b"\r", b"/"])
def test_a_frameset_anywhere_puts_empty_values_in_doubt(end: bytes) -> None:
    for page in (b"<body><p></p><FrameSet" + end + b"x", b"<framesetx><p></p><frameset" + end):
        assert cut(page, tag(b"<p"))[0] == "doubt"


@pytest.mark.parametrize("end", [b"", b"x", b"s>", b"\0"])
def test_what_is_called_otherwise_is_no_frameset(end: bytes) -> None:
    assert cut(b"<body><p></p><frameset" + end, tag(b"<p"))[:2] == ("cut", ("",))


def test_bytes_that_are_not_utf8_are_left_to_whoever_knows_the_encoding() -> None:
    page = b"<body><p>\xe9</p>"
    assert cut(page, tag(b"<p"), utf8=False) == ("raw", ((6, 14),), (6, 14), "tag", 0)
    assert cut(page, tag(b"<p"))[0] == "doubt"
    assert cut("<body><p>é</p>".encode(), tag(b"<p"))[1] == ("é",)


@pytest.mark.parametrize(
    ("page", "way", "said"),
    [
        (b"<body><script\0><p>a</p></script><p>b</p>", tag(b"<p"), ("cut", ("a",))),
        (b"<body><p>a</p\0>b</p>", tag(b"<p", LEAD), ("doubt", ())),
        (b"<body><table\0><tr><td>a</td></table>", tag(b"<td"), ("doubt", ())),
        (b"<body><svg\0\0><p>a</p></svg\0>", tag(b"<p"), ("cut", ("a",))),
    ],
)
def test_a_name_that_ends_in_nul_is_another_name(page: bytes, way: Way, said: tuple[str, tuple[str, ...]]) -> None:
    assert cut(page, way)[:2] == said
    assert said[0] == "doubt" or follow(read_source(page), way, loosely=False).values == said[1]


@pytest.mark.parametrize("nth", [-1, -2, -5, 1, 3])
def test_steps_far_from_the_start_lead_to_the_tag_they_count(nth: int) -> None:
    """What stands around a tag is looked up in a window that moves: the step must not be forgotten over it."""
    rows = [b"<div class=f><p>words of row %d <a href=/%d>more</a></p><br></div>\n" % (n, n) for n in range(40)]
    page = b"<!DOCTYPE html><body>" + b"".join(rows)
    for row in range(14, 32):
        place = page.index(b"<a href=/%d" % row) - 20
        rule = Rule("after", b"<a href=/%d" % row, step=b"<p", nth=nth, reach=5_000, position=place)
        found = cut(page, Way(ELEMENT, (rule,), needed=1), thorough=False)
        assert found[1] == (f"words of row {row + nth + (nth < 0)} more",)


AFTER_B = Way(ELEMENT, (Rule("before", b"<b", step=b"<p", nth=1, reach=100_000),), needed=1)


@pytest.mark.parametrize(
    ("page", "way", "why"),
    [
        (b"<div class=x>" + b"<div>" * 300 + b"a", tag(b"<div class", FLOW), "too many open elements"),
        (b"<div class=x><svg>" + b"<g>" * 300 + b"a</svg></div>", tag(b"<div class"), "too many open elements"),
        (b"<table><tr><td>" * 70 + b"<b>k</b><p>a</p>", AFTER_B, "the page is too large"),
        (b"<!-- <b> -->" * 1_100 + b"<b>k</b><p>a</p>", AFTER_B, "too many occurrences"),
    ],
    ids=["elements", "elements of a drawing", "tables", "anchors"],
)
def test_what_is_beyond_the_bounds_is_doubt_and_says_why(page: bytes, way: Way, why: str) -> None:
    assert cut(page, way) == ("doubt", (), None, why, -1)


def test_a_group_of_columns_ends_where_something_else_begins() -> None:
    page = b"<table><colgroup class=x><col><p>a"
    state, values, span, _, _ = cut(page, tag(b"<colgroup class"))
    assert (state, values, span) == ("cut", ("",), (7, page.index(b"<p>")))
