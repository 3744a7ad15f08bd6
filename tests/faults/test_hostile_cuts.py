"""Hostile pages cost a cut time in proportion to their size, whatever they repeat."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from scythe.extension import native
from scythe.site.cut.cut_lists import CutLists, ListCutter
from scythe.site.cut.cutter import Cutter
from scythe.site.rules import (
    ATTRIBUTE,
    ELEMENT,
    FLOW,
    LEAD,
    TAIL,
    ColumnRules,
    FieldRules,
    Layout,
    ListRules,
    Rule,
    Way,
)

pytestmark = [pytest.mark.fault, pytest.mark.skipif(native is None, reason="trees are slow by nature")]

RATIO = 2.3
SIZE = 200_000  # bytes, roughly; then twice that
PAGES: dict[str, Callable[[int], bytes]] = {
    "nested tags": lambda n: b"<div>" * (n // 5),
    "nested and closed": lambda n: b"<div>" * (n // 11) + b"</div>" * (n // 11),
    "nested inline": lambda n: b"<b>" * (n // 3),
    "nested lists": lambda n: b"<ul><li>" * (n // 8),
    "nested tables": lambda n: b"<table><tr><td>" * (n // 15),
    "less-than signs": lambda n: b"<" * n,
    "comment openings": lambda n: b"<!--" * (n // 4),
    "comments": lambda n: b"<!---->" * (n // 7),
    "CDATA": lambda n: b"<![CDATA[" * (n // 9),
    "scripts": lambda n: b"<script>" * (n // 8),
    "scripts in comments": lambda n: b"<script><!--<script>" * (n // 20),
    "unclosed quotes": lambda n: b'<p title="' * (n // 10),
    "attributes": lambda n: b"<p" + b" a=b" * (n // 4) + b">",
    "repeated anchors": lambda n: b"<h1 class=a>" * (n // 12),
    "anchors in comments": lambda n: b"<!--<h1 class=a>-->" * (n // 19),
    "anchors that nearly match": lambda n: b"<h1 class=" * (n // 10),
    "anchors closed": lambda n: b"<h1 class=a>x</h1>" * (n // 18),
    "labels": lambda n: b"Price " * (n // 6),
    "labels in tags": lambda n: b"<p>Price</p>" * (n // 12),
    "unclosed svg": lambda n: b"<svg>" + b"<g>" * (n // 3),
    "templates": lambda n: b"<template>" * (n // 10),
    "noscripts": lambda n: b"<noscript><p>" * (n // 13),
    "selects": lambda n: b"<select><option>" * (n // 16),
    "references": lambda n: b"<h1 class=a>" + b"&amp" * (n // 4) + b"</h1>",
    "endless reference": lambda n: b"<h1 class=a>&#" + b"9" * n + b"</h1>",
    "forms": lambda n: b"<form>" * (n // 6),
    "links": lambda n: b"<a><span>" * (n // 9),
    "end tags": lambda n: b"</div>" * (n // 6),
    "NUL": lambda n: b"\0" * n,
}


def make_cutter() -> Cutter:
    rules = (
        Rule("tag", b"<h1 class=a"),
        Rule("before", b">x<h1 class=a", skip=2, position=1_000),
        Rule("label", b"Price", step=b"<h1", nth=3, reach=10_000_000),
        Rule("after", b"<p>", step=b"<div", nth=-50, reach=10_000_000),
        Rule("ahead", b"<div", step=b"<h1", nth=40, reach=10_000_000),
    )
    takes = (ELEMENT, FLOW, LEAD, TAIL, ATTRIBUTE)
    ways = [Way(take, rules, needed, attribute="class") for take in takes for needed in (1, 2)]
    ways += [Way(ELEMENT, rules[:1], repeats=True), Way(ELEMENT, (Rule("tag", b"<"),), needed=1, repeats=True)]
    ways += [Way(ELEMENT, (Rule("tag", opening),), needed=1) for opening in (b"<div", b"<b", b"<ul", b"<table", b"<a")]
    return Cutter(Layout("hostile", tuple(FieldRules(str(i), (way,)) for i, way in enumerate(ways))))


def seconds(cutter: Cutter, page: bytes) -> float:
    start = time.process_time()
    for thorough in (True, False):
        cutter.cut(page, thorough=thorough)
    return time.process_time() - start


@pytest.mark.parametrize("name", PAGES)
def test_time_grows_with_size(name: str) -> None:
    cutter = make_cutter()
    small, large = PAGES[name](SIZE), PAGES[name](2 * SIZE)
    best_small = best_large = float("inf")
    for _ in range(8):
        best_small = min(best_small, seconds(cutter, small))
        best_large = min(best_large, seconds(cutter, large))
        if best_large <= RATIO * best_small + 0.002:
            break
    else:
        pytest.fail(f"{name}: {best_small:.4f} s for {len(small)} bytes, {best_large:.4f} s for {len(large)}")
    assert best_large < 1


@pytest.mark.slow
def test_fifty_megabytes_take_their_time_but_not_more() -> None:
    page = b"<p class=x>some words of a paragraph</p>\n" * 1_250_000 + b"<h1 class=a>end</h1>"
    found = make_cutter().cut_field(page, 0, thorough=True)
    assert found.values == ("end",)


def test_records_inside_records_cost_no_more_than_some_walks_through_the_page() -> None:
    inner = "<p>word</p>" * 20_000
    page = ("<!DOCTYPE html><body>" + '<div class="item">' * 100 + inner + "</div>" * 100).encode()
    rules = ListRules((b'<div class="item"',), (ColumnRules("text", ("",)),))
    found = ListCutter(Layout("nested", (), lists=(rules,))).cut(page)
    assert found == CutLists("doubt", why="too many open elements")
