"""Fields cut out of bytes: what is found, what is doubt, what is nothing."""

from __future__ import annotations

import pytest

from scythe.extension import native
from scythe.page.source import read_source
from scythe.site.cut.cutter import Cut, Cutter
from scythe.site.follow.follow_fields import follow
from scythe.site.rules import ATTRIBUTE, ELEMENT, FLOW, LEAD, TAIL, FieldRules, Layout, Rule, Way

pytestmark = pytest.mark.skipif(native is None, reason="the compiled extension is not built")


def layout(*ways: Way, encodings: tuple[str, ...] = ("utf-8",)) -> Layout:
    return Layout("page", (FieldRules("field", ways),), encodings=encodings)


def tag(anchor: bytes, **more: int) -> Rule:
    return Rule("tag", anchor, **more)


def cut(page: bytes, way: Way, *, thorough: bool = True) -> Cut:
    return Cutter(layout(way)).cut_field(page, 0, thorough=thorough)


def element(anchor: bytes, **more: int) -> Way:
    return Way(ELEMENT, (tag(anchor, **more),), needed=1)


def test_two_rules_that_agree_give_the_value_and_its_place() -> None:
    page = b'<div><p class="by">By <b>J&ouml;rg</b>\n Roe</p></div>'
    rules = (tag(b'<p class="by"'), Rule("before", b"<div><p", skip=5))
    found = cut(page, Way(ELEMENT, rules))
    assert found == Cut("cut", ("By Jörg Roe",), (5, page.index(b"</div>")), "tag+before", 0)


def test_one_rule_of_two_is_not_enough() -> None:
    found = cut(b"<div><p>a</p></div>", Way(ELEMENT, (tag(b"<p"), tag(b'<p class="x"'))))
    assert (found.state, found.values) == ("doubt", ())


def test_rules_that_lead_elsewhere_give_nothing() -> None:
    found = cut(b"<p>a</p><h1>b</h1>", Way(ELEMENT, (tag(b"<p"), tag(b"<h1"))))
    assert (found.state, found.values) == ("doubt", ())


def test_a_page_without_the_anchor_has_no_field() -> None:
    assert cut(b"<p>a</p>", element(b"<h1")).state == "absent"


def test_the_position_is_only_a_hint() -> None:
    made = Cutter(layout(element(b"<h1", position=400)))
    assert made.cut_field(b"<h1>a</h1>", 0).values == ("a",)
    assert made.second_searches == 1


@pytest.mark.parametrize(
    "hidden",
    [
        b"<!-- <h1>no</h1> -->",
        b"<script>'<h1>no</h1>'</script>",
        b"<script><!-- <script> </script> <h1>no</h1> --></script>",
        b"<textarea><h1>no</h1></textarea>",
        b'<p title="<h1>no</h1>">',
        b"<p title='<h1>'>",
        b"<![CDATA[<h1]]>",
        b"<h1er>no</h1er>",
        b"<noscript><h1>no</h1></noscript><noscript></noscript>",
        b"<template><h1>no</h1></template>",
        b"<svg><h1x>no</h1x></svg>",
    ],
)
def test_what_only_looks_like_the_tag_is_passed_over(hidden: bytes) -> None:
    page = b"<body><div>" + hidden + b"<h1>yes</h1></div>"
    found = cut(page, element(b"<h1"))
    assert found.values == ("yes",) or found.state == "doubt"
    assert follow(read_source(page), element(b"<h1")).values == ("yes",) or found.state == "doubt"


def test_comments_scripts_and_values_are_no_reason_for_doubt() -> None:
    page = b"<body><!-- <h1>a</h1> --><script>'<h1>'</script><p title='<h1>'></p><h1>yes</h1>"
    assert cut(page, element(b"<h1")).values == ("yes",)


@pytest.mark.parametrize(
    ("page", "anchor", "text"),
    [
        (b"<div><p>a<p>b</div>", b"<div", "a b"),
        (b"<ul><li>a<li>b<ul><li>c</ul></ul>", b"<ul", "a b c"),
        (b"<ul><li id=x>a<b>b</b><li>c</ul>", b"<li id=x", "ab"),
        (b"<section><p>a<div>b</div></section>", b"<p", "a"),
        (b"<table><tr><td>a<td>b<tr><td>c</table>", b"<table", "a b c"),
        (b"<table><tr><td id=x>a<td>b</table>", b"<td id=x", "a"),
        (b"<dl><dt>a<dd id=x>b<dt>c</dl>", b"<dd id=x", "b"),
        (b"<div><b>a<div>b</b>c</div>d</div>", b"<div", "a bc d"),
        (b"<div>a<br>b<img>c<hr>d</div>", b"<div", "a bc d"),
        (b'<div title="</div>">a</div>', b"<div", "a"),
        (b"<DIV>a<Div>b</dIV>c</DIV >d", b"<DIV", "a b c"),
        (b"<div>a<script>b</script><style>c</style>d</div>", b"<div", "ad"),
        (b"<div>a<svg><title>t</title><path/></svg>b<select><option>c</select></div>", b"<div", "ab"),
        (b"<div>a<!-- </div> -->b</div>", b"<div", "ab"),
        (b"<div/>a</div>b", b"<div", "a"),
        (b"<div>a</p>b</div>", b"<div", "a b"),
        (b"<my-el>a</my-el>b", b"<my-el", "a"),
        (b"<title>a &amp; <b></title>", b"<title", "a & <b>"),
        (b"<h1>a&nbsp;\xc2\xa0&#8195;b&copy;&copyc&notit;&#128;&#0;&bogus;</h1>", b"<h1", "a b©©c¬it;€\ufffd&bogus;"),
        (b"<div>a<html><head><body class=x>b</div>", b"<div", "ab"),
    ],
)
def test_the_text_is_that_of_the_tree(page: bytes, anchor: bytes, text: str) -> None:
    page = b"<!DOCTYPE html><body>" + page
    assert follow(read_source(page), element(anchor)).values == (text,)
    assert cut(page, element(anchor)).values == (text,)


@pytest.mark.parametrize(
    ("page", "anchor"),
    [
        (b"<p><span>a<div>b</div></span>", b"<span"),  # the block ends the paragraph, and the span with it
        (b"<a><span>a<a>b</a></span>", b"<span"),
        (b"<form><div>a<form>b</form>c</div></form>", b"<div"),
        (b"<button><div>a<button>b</button></div>", b"<div"),
        (b"<section><div>a</section>b</div>", b"<div"),
        (b"<div><table>a<tr><td>b</table></div>", b"<div"),
        (b"<div>a<frameset>b</div>", b"<div"),
        (b"<div>a", b"<div"),
        (b"<div>a<!-- </div>", b"<div"),
        (b"<div>a\0</div>", b"<div"),
        (b"<div>a\xff</div>", b"<div"),
        (b"<td>a</td>", b"<td"),
        (b"<b>a<p>b</b>c</p>", b"<b"),
        (b"<svg><desc><p>a</p></desc></svg>", b"<p"),
    ],
)
def test_what_the_bytes_alone_do_not_tell_is_doubt(page: bytes, anchor: bytes) -> None:
    assert cut(b"<body>" + page, element(anchor)).state == "doubt"


def test_attributes_are_read_as_the_standard_says() -> None:
    page = b"""<p><a title=x HREF="?a=1&amp;b&copy=2 " href=second>t</a>"""
    way = Way(ATTRIBUTE, (tag(b"<a "),), needed=1, attribute="href")
    found = cut(page, way)
    assert found.values == ("?a=1&b&copy=2",) == follow(read_source(page), way).values
    assert page[slice(*found.span or (0, 0))] == b"?a=1&amp;b&copy=2 "


@pytest.mark.parametrize("page", [b"<p><a>t</a>", b"<p><a href>t</a>", b"<p><a href= >t</a>"])
def test_an_element_without_the_attribute_does_not_hold_it(page: bytes) -> None:
    found = cut(page, Way(ATTRIBUTE, (tag(b"<a"),), needed=1, attribute="href"))
    assert (found.state, found.why) == ("absent", "the element does not hold it")


def test_lead_and_tail_are_the_text_up_to_the_next_tag() -> None:
    page = b"<div><p>lead <b>Label:</b> tail <i>x</i></p></div>"
    assert cut(page, Way(LEAD, (tag(b"<p"),), needed=1)).values == ("lead",)
    assert cut(page, Way(TAIL, (tag(b"<b"),), needed=1)).values == ("tail",)
    assert cut(page, Way(TAIL, (tag(b"<i"),), needed=1)).state == "absent"


def test_the_wanted_part_of_a_text_lies_between_two_literals() -> None:
    way = Way(ELEMENT, (tag(b"<p"),), needed=1, before="Price:", after="each")
    assert cut(b"<p>Price: $12 each, sold</p>", way).values == ("$12",)
    assert cut(b"<p>Price: $12</p>", way).state == "absent"


def test_a_label_and_a_step_lead_to_the_tag_behind_it() -> None:
    page = b"<body><!-- Price --><script>Price</script><table><tr><th>Price<td>12<td>13</table>"
    rule = Rule("label", b"Price", step=b"<td", nth=2, reach=60)
    assert cut(page, Way(ELEMENT, (rule,), needed=1)).values == ("13",)
    near = Rule("label", b"Price", step=b"<td", nth=2, reach=8)
    assert cut(page, Way(ELEMENT, (near,), needed=1)).state == "doubt"


def test_a_step_back_passes_over_what_is_not_followed() -> None:
    page = b"<body><p>yes</p><noscript><p>no</p></noscript><h1 id=a>x</h1>"
    way = Way(ELEMENT, (Rule("after", b"<h1 id=a", step=b"<p", nth=-1, reach=90),), needed=1)
    assert cut(page, way).values == follow(read_source(page), way).values or cut(page, way).state == "doubt"


def test_every_repetition_is_taken() -> None:
    page = b"<body><ul><li class=a>1<li class=b>2<!-- <li class=a>no --><li class=a>3</ul>"
    found = cut(page, Way(ELEMENT, (tag(b"<li class=a"),), needed=1, repeats=True))
    assert found.state == "doubt"  # the last one ends with its list, which stands around it
    page = page.replace(b"</ul>", b"</li></ul>")
    found = cut(page, Way(ELEMENT, (tag(b"<li class=a"),), needed=1, repeats=True))
    assert found.values == ("1", "3")


def test_the_first_way_that_gives_something_is_taken() -> None:
    made = Cutter(layout(element(b"<h1"), element(b"<h2")))
    assert made.cut(b"<body><h2>b</h2>")[0] == Cut("cut", ("b",), (6, 16), "tag", 1)


def test_paragraphs_come_in_paragraphs() -> None:
    way = Way(FLOW, (tag(b"<div"),), needed=1, drops=(b"<aside",))
    found = cut(b"<body><div><p>a</p><aside>x</aside><p>b<br>c</p></div>", way)
    assert found.values == ("a\n\nb\nc",)


def test_a_page_in_its_declared_encoding_is_decoded() -> None:
    page = '<meta charset="windows-1251"><body><h1>Слово &mdash; <b>ещё</b></h1>'.encode("cp1251")
    made = Cutter(layout(element(b"<h1"), encodings=("cp1251",)))
    assert made.cut_field(page, 0).values == ("Слово — ещё",)
    assert made.cut_field(page.replace(b"windows-1251", b"windows-1252"), 0).state == "doubt"
    assert made.cut_field("<meta charset=windows-1251><h1>é</h1>".encode(), 0).state == "doubt"


def test_broken_bytes_elsewhere_leave_the_encoding_in_doubt() -> None:
    page = "<body><p>\xff</p>".encode("latin-1") + "<h1>é</h1>".encode()
    assert cut(page, element(b"<h1")).state == "doubt"
    assert cut(page.replace("é".encode(), b"e"), element(b"<h1")).values == ("e",)


@pytest.mark.parametrize("thorough", [True, False])
def test_all_fields_are_cut_in_their_order(thorough: bool) -> None:
    fields = tuple(FieldRules(name, (element(f"<{name}".encode()),)) for name in ("h1", "h2", "h3"))
    made = Cutter(Layout("page", fields))
    found = made.cut(b"<body><h3>c</h3><h1>a</h1>", thorough=thorough)
    assert [one.values for one in found] == [("a",), (), ("c",)]
    assert [one.state for one in found] == ["cut", "absent", "cut"]


def test_far_from_the_start_the_bytes_before_a_place_are_enough() -> None:
    page = b"<body>" + b"<div class=f><p>filler <a href=x>more</a></p></div>" * 400 + b"<h1>title</h1>"
    assert cut(page, element(b"<h1", position=len(page) - 100), thorough=False).values == ("title",)
    inside = page[:-14] + b'<p title="<h1>no</h1>">x</p>'
    assert cut(inside, element(b"<h1"), thorough=False).state == "doubt"


def test_a_range_can_be_had_without_its_text() -> None:
    page = b"<body><div class=x><p>one</p><p>two</p></div>"
    cutter = Cutter(layout(Way(FLOW, (tag(b"<div class=x"),), needed=1)))
    span = cutter.find(page, 0)
    assert span is not None
    assert page[slice(*span)] == b"<div class=x><p>one</p><p>two</p></div>"
    assert cutter.find(b"<body><div class=x><p>one", 0) is None


CYRILLIC = (
    '<meta charset="windows-1251"><body><div id=d title="Цена &amp; &copy=1"><p>Слово одно</p><p>и два</p></div>'
    "<h1>Цена: 12 руб.</h1><h2></h2>"
).encode("cp1251")


@pytest.mark.parametrize(
    ("way", "values"),
    [
        (Way(ATTRIBUTE, (tag(b"<div"),), needed=1, attribute="title"), ("Цена & &copy=1",)),
        (Way(LEAD, (tag(b"<p"),), needed=1), ("Слово одно",)),
        (Way(ELEMENT, (tag(b"<div"),), needed=1), ("Слово одно и два",)),
        (Way(FLOW, (tag(b"<div"),), needed=1), ("Слово одно\n\nи два",)),
        (Way(ELEMENT, (tag(b"<p"),), needed=1, repeats=True), ("Слово одно", "и два")),
        (Way(ELEMENT, (tag(b"<h1"),), needed=1, before="Цена:", after="руб"), ("12",)),
        (Way(ELEMENT, (tag(b"<h1"),), needed=1, after=":"), ("Цена",)),
        (Way(ELEMENT, (tag(b"<h1"),), needed=1, before="Ц"), ("ена: 12 руб.",)),
        (Way(ELEMENT, (tag(b"<p"),), needed=1, before="и", repeats=True), ("два",)),
    ],
)
def test_every_take_is_read_in_the_declared_encoding(way: Way, values: tuple[str, ...]) -> None:
    made = Cutter(layout(way, encodings=("cp1251",)))
    found = made.cut_field(CYRILLIC, 0)
    assert (found.state, found.values, found.why, found.way) == ("cut", values, "tag", 0)
    assert made.find(CYRILLIC, 0) == found.span
    assert Cutter(layout(way, encodings=("cp1252",))).cut_field(CYRILLIC, 0) == Cut(
        "doubt", why="its encoding is not certain"
    )


@pytest.mark.parametrize(("before", "after"), [("Рубль", ""), ("", "Рубль"), ("руб.", "Цена")])
def test_a_part_that_a_page_in_another_encoding_lacks_is_absent(before: str, after: str) -> None:
    way = Way(ELEMENT, (tag(b"<h1"),), needed=1, before=before, after=after)
    found = Cutter(layout(way, encodings=("cp1251",))).cut_field(CYRILLIC, 0)
    assert found == Cut("absent", why="the element does not hold it")


def test_empty_paragraphs_are_in_doubt_where_a_frameset_may_do_away_with_them() -> None:
    way = Way(FLOW, (tag(b"<div"),), needed=1)
    assert cut(b"<body><div></div>", way).values == ("",)
    page = b"<body><div></div><FRAMESET>"
    assert cut(page, way, thorough=False) == Cut("doubt", why="the paragraphs are not certain")
    assert cut(page.replace(b"></", b">a</"), way, thorough=False).values == ("a",)


def test_what_was_not_cut_has_no_range() -> None:
    made = Cutter(layout(element(b"<h1")))
    assert made.find(b"<body><h1>a</h1>", 0) == (6, 16)
    assert made.find(b"<body><h1>a", 0) is None
    assert made.find(b"<body>", 0) is None
    assert Cut("doubt") == ("doubt", (), None, "", -1)


def test_no_more_than_32_rules_of_a_way_are_followed() -> None:
    way = Way(ELEMENT, (*[tag(b"<h1")] * 32, tag(b"<h2")), needed=1)
    assert cut(b"<body><h2>b</h2>", way).state == "absent"
    assert cut(b"<body><h1>a</h1>", way).values == ("a",)
