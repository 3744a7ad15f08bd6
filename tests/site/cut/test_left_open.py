"""Formatting left open before an element is built again in it: then nothing is cut, whatever seems to end it."""

from __future__ import annotations

from random import Random

import pytest
from selectolax.lexbor import LexborHTMLParser

from scythe.extension import native
from scythe.site.cut.cut_lists import CutLists, ListCutter
from scythe.site.cut.cutter import Cutter
from scythe.site.rules import ATTRIBUTE, LEAD, ColumnRules, FieldRules, Layout, ListRules, Rule, Way

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")
RECORD = '<div class="r">x<p>a</p></div>'
RULES = ListRules((b'<div class="r"',), (ColumnRules("text", (">p",)),))
WAY = Way(LEAD, (Rule("tag", b'<div class="r"'),), needed=1)
LAYOUT = Layout("list", (FieldRules("lead", (WAY,)),), lists=(RULES,))
OPEN = "overlapping formatting"

REACHED = [
    "<p><a href=/x>o</p></a>",
    "<div><a href=/x></div></a>",
    "<a href=/x><table><tr><td>o</td></tr></table></a>",
    "<a href=/x><table><tr><td><b>o</b></td></tr></table></a>",
    "<table><tr><td><p><b>o</p></b></td></tr></table>",
    "<table><tr><td><p><b>o</p></td></tr></table></b>",
    "<table><b>o</b><tr><td>o</td></tr></table>",
    "<table><b>o<tr><td>o</td></tr></b></table>",
    "<noscript><a href=/x>o</a></noscript>",
    "<noscript><a href=/x>o</noscript></a>",
    "<template><b>o</b></template>",
    "<svg><a href=/x></svg>",
    "<object><b>o</b></object>",
    "<table><tr><td>" * 7 + "<b>o</b>" + "</td></tr></table>" * 7,
]
OUT_OF_REACH = [
    "<p><a href=/x>o</p>",
    "<p><b>o<b>p</p></b>",
    "<p><a href=/x>o</p><!-- </a> -->",
    "<p><a href=/x>o</p><script>'</a>'</script>",
    "<p><a href=/x>o</p><hr title='</a>'>",
    "<p><a href=/x>o<table><tr><td></a></td></tr></table>",
    "<p><a href=/x>o</p><table><tr><th></a></table>",
    "<p><a href=/x>o</p><table><caption></a></caption></table>",
    "<p><a href=/x>o</p><table><tr><td></a></td></tr></table></table>",
    "<p><a href=/x>o</p><table><tr><td><table></a></table></td></tr></table>",
    "<div><a href=/x>o<table></a></table></div>",
    "<div><a href=/x>o<table><tr></a></table></div>",
    "<table><a href=/x><tr><td></a></table>",
    "<div><p><a href=/x>o</p><object></a></object></div>",
    "<div><p><a href=/x>o</p><applet></a></applet></div>",
    "<div><p><a href=/x>o</p><marquee></a></marquee></div>",
    "<noscript><p><a href=/x>o</p></noscript>",
    "<noscript><p><b>o</p></noscript><table><tr><td></b></td></tr></table>",
    "<noscript><p><b>o<b>p</b></p></noscript>",
    "<p><b>o</p><template></b></template>",
    "<template><b>o<object></b></template>",
    "<template><ul><a href=x><table></a><tbody><object><p></template>",
    "<p><template><div><table><a href=x><caption></a></template>",
]


@pytest.fixture
def records() -> ListCutter:
    return ListCutter(LAYOUT)


@pytest.fixture
def fields(records: ListCutter) -> Cutter:
    return Cutter(LAYOUT)


def page(before: str) -> bytes:
    return f"<!DOCTYPE html><body>{before}{RECORD}{RECORD}".encode()


def is_built_again(body: bytes) -> bool:
    return [node.html for node in LexborHTMLParser(body).css("div.r")] != [RECORD, RECORD]


@pytest.mark.parametrize("before", REACHED)
def test_formatting_that_is_closed_does_not_matter(before: str, records: ListCutter, fields: Cutter) -> None:
    assert not is_built_again(page(before))
    assert records.cut(page(before)).state == "cut"
    assert fields.cut(page(before))[0].values == ("x",)


@pytest.mark.parametrize("before", OUT_OF_REACH)
def test_an_end_tag_that_does_not_reach_it_closes_nothing(before: str, records: ListCutter, fields: Cutter) -> None:
    assert is_built_again(page(before))
    assert records.cut(page(before)) == CutLists("doubt", why=OPEN)
    assert (fields.cut(page(before))[0].state, fields.cut(page(before))[0].why) == ("doubt", OPEN)


def test_what_is_left_open_behind_an_element_does_not_matter(records: ListCutter) -> None:
    last = Way(ATTRIBUTE, (Rule("tag", b"<link"),), needed=1, attribute="href")
    cutter = Cutter(Layout("page", (FieldRules("last", (last,)), *LAYOUT.fields)))
    body = page("") + b"<p><b>o</p><link href=/x>"
    assert [cut.values for cut in cutter.cut(body)] == [("/x",), ("x",)]


def test_an_element_of_formatting_is_not_open_before_itself(records: ListCutter) -> None:
    rules = ListRules((b'<b class="r"',), RULES.columns)
    body = b'<b class="r">x</b> <b class="r">y</b><p>z'
    assert ListCutter(Layout("list", (), lists=(rules,))).cut(body).state == "cut"
    assert ListCutter(Layout("list", (), lists=(rules,))).cut(b"<p><b>o</p>" + body).why == OPEN


def test_formatting_that_begins_with_the_page_counts(fields: Cutter) -> None:
    assert fields.cut(f"<b>{RECORD}".encode())[0].why == OPEN


def test_formatting_in_more_cells_than_are_followed_is_doubt(records: ListCutter) -> None:
    deep = "<table><tr><td>" * 8 + "<b>o</b>" + "</td></tr></table>" * 8
    assert records.cut(page(deep)).why == OPEN


def test_formatting_around_an_open_cell_is_its_own_affair(records: ListCutter) -> None:
    nested = "<table><tr><td><p><b>o</p><table><tr><td></b></td></tr></table>"
    assert is_built_again(page(nested))
    assert records.cut(page(nested)).why == OPEN
    assert records.cut(page(nested + "</b>")).state == "cut"


def test_records_that_are_cut_are_never_built_otherwise(records: ListCutter) -> None:
    tokens = """<a> </a> <b> </b> <p> </p> <div> </div> <table> </table> <tr> <td> </td> <caption> <object> </object>
    <noscript> </noscript> <template> </template> x""".split()
    random, number = Random(11), 0
    for _ in range(3_000):
        body = page("".join(random.choices(tokens, k=random.choice((3, 5, 8)))))
        if records.cut(body).state == "cut":
            number += 1
            assert not is_built_again(body), body
    assert number > 50
