"""String search on bare bytes is used only where it gives what the map gives; what is not certain is doubted."""

from __future__ import annotations

import msgspec
import pytest
from tests.demo_sites import demo_site

from scythe.page.map import PageMap
from scythe.site.byte_rules import ABSENT, CUT, DOUBT, ByteCutter, ByteRule, learn_bytes
from scythe.site.value_places import element_text
from scythe.site.value_rules import ValueWay

STORIES = [page for page in demo_site(60) if page.kind == "news" and page.content_type.lower().endswith("utf-8")]
WHOLE = ValueWay("element", ())


def row_of(page: PageMap, tag: str, css: str) -> int:
    return next((one.row for one in page.find(tag) if (one.attributes.get("class") or "") == css), -1)


def learn(bodies: list[bytes], tag: str, css: str, way: ValueWay = WHOLE) -> ByteRule | None:
    pages = [PageMap(body) for body in bodies]
    return learn_bytes(pages, [row_of(page, tag, css) for page in pages], way)


def offer(number: int, price: str = "", lead: str = "") -> bytes:
    price = price or f"$ {number}.50"
    return f'<h1>Tool {number}</h1>{lead}<p class="price">{price}</p><p>Text {number}</p>'.encode()


@pytest.mark.parametrize(("tag", "css"), [("div", "story__body"), ("h1", "story__title"), ("div", "story__meta")])
def test_cut_is_what_the_map_gives_on_all_other_pages(tag: str, css: str) -> None:
    rule = learn([page.html for page in STORIES[:6]], tag, css)
    assert rule is not None
    cutter = ByteCutter(rule)
    certain = 0
    for story in STORIES[6:]:
        page = PageMap(story.html)
        row = row_of(page, tag, css)
        cut = cutter.cut(story.html)
        assert cut.state in (CUT, DOUBT)
        if cut.state == CUT:
            assert cut.span == (page.start[row], page.end[row])
            assert cut.value == element_text(page, row)
            certain += 1
    assert certain >= 0.9 * len(STORIES[6:])


def test_page_without_the_element_has_none() -> None:
    rule = learn([offer(i) for i in range(5)], "p", "price")
    assert rule is not None
    assert ByteCutter(rule).cut(b"<h1>Tool</h1><p>Sold out</p>").state == ABSENT


def test_no_rule_is_learned_where_a_comment_holds_the_same_tag() -> None:
    bodies = [offer(i, lead=f'<!-- <p class="price">{i}</p> -->') for i in range(5)]
    rule = learn(bodies, "p", "price")
    assert rule is None or ByteCutter(rule).cut(offer(9, lead='<!-- <p class="price">9</p> -->')).value == "$ 9.50"


def test_nested_tags_of_the_same_name_do_not_end_the_element() -> None:
    bodies = [f'<div class="box">A{i}<div>inner {i}</div>end</div><p>{i}</p>'.encode() for i in range(5)]
    rule = learn(bodies, "div", "box")
    assert rule is not None
    deeper = b'<div class="box">A<div>one</div><div>two</div>end</div><p>1</p>'
    assert ByteCutter(rule).cut(deeper).value == "A one two end"


def test_references_and_tags_inside_are_read_as_the_map_reads_them() -> None:
    rule = learn([offer(i) for i in range(5)], "p", "price")
    assert rule is not None
    body = offer(9, "<b>&euro;</b>&nbsp;9<sup>50</sup>")
    page = PageMap(body)
    assert ByteCutter(rule).cut(body).value == element_text(page, row_of(page, "p", "price"))


def test_bytes_that_are_no_utf8_are_doubted() -> None:
    rule = learn([offer(i) for i in range(5)], "p", "price")
    assert rule is not None
    assert ByteCutter(rule).cut(offer(9).replace(b"$", b"\xa3")).state == DOUBT


def test_element_without_a_closing_tag_gets_no_rule() -> None:
    assert learn([f'<p class="price">{i} <p>next'.encode() for i in range(5)], "p", "price") is None


def test_tags_in_capitals_on_some_pages_get_no_rule() -> None:
    bodies = [offer(i).replace(b"<p class", b"<P class" if i % 2 else b"<p class") for i in range(5)]
    assert learn(bodies, "p", "price") is None


def test_two_pages_are_too_few() -> None:
    assert learn([offer(1), offer(2)], "p", "price") is None


def test_rules_survive_json() -> None:
    rule = learn([page.html for page in STORIES[:6]], "h1", "story__title")
    assert msgspec.json.decode(msgspec.json.encode(rule), type=ByteRule) == rule


DAMAGE = """
<!-- --> <script> </script> <title> <textarea> <template> <svg> <select> </select> <table> </table>
<td> </td> <tr> <p> </p> <a> </a> <b> </b> <div> </div> <li> <h2> <form> <button> <style> " < > </
<noscript> </svg>
""".split()


@pytest.mark.parametrize("bit", DAMAGE)
def test_damage_near_the_element_is_doubted_or_changes_nothing(bit: str) -> None:
    rule = learn([page.html for page in STORIES[:6]], "div", "story__meta")
    assert rule is not None
    cutter = ByteCutter(rule)
    for story in STORIES[6:8]:
        whole = cutter.find(story.html)
        assert whole is not None
        for at in range(whole[0] - 200, whole[1], 7):
            body = story.html[:at] + bit.encode() + story.html[at:]
            cut = cutter.cut(body)
            if cut.state != CUT:
                continue
            assert cut.span is not None
            page = PageMap(body)
            row = row_of(page, "div", "story__meta")
            assert (page.start[row], page.end[row]) == cut.span, (at - whole[0], body[at - 60 : at + 60])
            assert cut.value == element_text(page, row)
