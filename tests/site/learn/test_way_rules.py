"""Rules that lead to an element on pages not seen before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scythe.demo.build import site
from scythe.page.source import read_source
from scythe.site.follow.follow_fields import follow, follow_rule
from scythe.site.learn.way_rules import learn_way
from scythe.site.rules import ELEMENT, FLOW, LEAD, TAIL, Way

SHOP = """<html><head><title>{name} - Shop</title></head><body>
<div id="menu"><a href="/">Home</a> <a href="/new">New</a></div>
<div id="item-{number}" class="item"><h1 class="name">{name}</h1>
<table class="facts">{rows}</table></div>
<div id="foot"><p>Write to us</p></div></body></html>"""
ROW = "<tr><th>{}:</th><td>{}</td></tr>\n"


def shop(number: int, name: str, **facts: str) -> bytes:
    rows = "".join(ROW.format(key.title(), value) for key, value in facts.items())
    return SHOP.format(name=name, number=number, rows=rows).encode()


def learn(pages: Sequence[bytes], mark: bytes, take: str = ELEMENT) -> Way | None:
    """Learn the way to the last `<` before a mark on each page; a page without the mark does not have the element."""
    targets = [page.rfind(b"<", 0, page.index(mark)) if mark in page else None for page in pages]
    return learn_way([read_source(page) for page in pages], targets, take)


PAGES = [
    shop(17, "Anvil", price="$12", weight="9 kg", colour="black"),
    shop(104, "Bell jar", price="$7", weight="1 kg", colour="clear"),
    shop(2291, "Candle", price="$301", weight="2 kg", colour="red"),
]
MARKED = [page.replace(price, b"\0" + price) for page, price in zip(PAGES, (b"$12", b"$7", b"$301"), strict=True)]


def price_way() -> Way:
    targets = [page.rfind(b"<", 0, page.index(b"\0")) for page in MARKED]
    way = learn_way([read_source(page) for page in PAGES], targets, ELEMENT)
    assert way is not None
    return way


def test_a_cell_without_attributes_is_found_on_the_next_page() -> None:
    page = shop(5, "Dial", price="$44", weight="3 kg", colour="blue")
    assert follow(read_source(page), price_way()).values == ("$44",)


def test_a_page_without_the_row_gives_nothing_instead_of_its_neighbour() -> None:
    page = shop(5, "Dial", weight="3 kg", colour="blue")
    assert follow(read_source(page), price_way()).values == ()


def test_a_row_in_front_does_not_move_the_field() -> None:
    page = shop(5, "Dial", maker="Smith", year="1999", price="$44", weight="3 kg", colour="blue")
    assert follow(read_source(page), price_way()).values == ("$44",)


def test_the_first_two_rules_are_of_different_kind_and_right_everywhere() -> None:
    first, second = price_way().rules[:2]
    led = [[follow_rule(read_source(page), rule) for page in PAGES] for rule in (first, second)]
    assert first.kind != second.kind
    assert all(led[0])
    assert [o and o.offset for o in led[0]] == [o and o.offset for o in led[1]]


def test_no_two_rules_share_an_anchor() -> None:
    anchors = [rule.anchor for rule in price_way().rules]
    assert len(anchors) == len(set(anchors))
    assert len(anchors) <= 8


def test_a_post_number_in_the_tag_is_left_out_of_the_literal() -> None:
    way = learn(PAGES, b"<h1", FLOW)
    assert way is not None
    assert any(rule.anchor == b'<div id="item-' for rule in way.rules)


def test_an_end_marker_does_not_occur_inside_the_element() -> None:
    pages = [b"<html><body><div class='x'><div>a%d</div></div><hr><p>end</p>" % i for i in range(3)]
    way = learn_way([read_source(page) for page in pages], [page.index(b"<div class") for page in pages], ELEMENT)
    assert way is not None
    assert (way.end, way.inner_tags) == (b"</div><h", 2)


def test_inner_tags_that_vary_are_not_noted() -> None:
    pages = [b"<html><body><div class=x>%b</div><p>end</p>" % (b"<div>a</div>" * n) for n in (1, 2, 3)]
    way = learn_way([read_source(page) for page in pages], [page.index(b"<div class") for page in pages], ELEMENT)
    assert way is not None
    assert way.inner_tags == -1


def test_pages_that_lack_the_element_are_heeded() -> None:
    present = [shop(i, f"Thing {i}", price=f"${i}", weight="1 kg") for i in (31, 32, 33)]
    absent = [shop(i, f"Thing {i}", weight="1 kg") for i in (41, 42)]
    sources = [read_source(page) for page in present + absent]
    targets: list[int | None] = [page.index(b"<td>") for page in present]
    way = learn_way(sources, [*targets, None, None], ELEMENT)
    assert way is not None
    assert [follow(source, way).values for source in sources] == [("$31",), ("$32",), ("$33",), (), ()]


def test_text_behind_its_label_is_reached_through_the_label() -> None:
    pages = [b"<html><body><ul>%b<li><b>Phone:</b> %d</li></ul>" % (b"<li><b>Fax:</b> 1</li>" * (i % 2), i + 555)
             for i in range(3)]  # fmt: skip
    way = learn_way([read_source(page) for page in pages], [page.index(b"<b>Phone") for page in pages], TAIL)
    assert way is not None
    assert follow(read_source(b"<html><body><ul><li><b>Phone:</b> 777</li></ul>"), way).values == ("777",)


def test_targets_of_different_name_are_no_one_element() -> None:
    pages = [b"<html><body><p class=x>a</p>", b"<html><body><div class=x>a</div>"]
    assert learn_way([read_source(page) for page in pages], [12, 12], ELEMENT) is None


def test_nothing_is_learned_from_nothing() -> None:
    assert learn_way([], [], ELEMENT) is None


def test_one_kind_of_rule_alone_is_not_believed_on_few_pages() -> None:
    pages = [b"<p>a%d</p>" % i for i in range(3)]
    assert learn_way([read_source(page) for page in pages], [0] * 3, LEAD) is None


def test_an_own_tag_that_was_unique_on_five_pages_may_stand_alone() -> None:
    pages = [b"<p>a%d</p>" % i for i in range(5)]
    way = learn_way([read_source(page) for page in pages], [0] * 5, LEAD)
    assert way is not None
    assert way.needed == 1
    assert way.rules[0].kind == "tag"


def test_position_hints_lie_before_every_anchor_seen() -> None:
    sources = [read_source(page) for page in PAGES]
    found = [(rule.position, source.body.find(rule.anchor)) for rule in price_way().rules for source in sources]
    assert all(position <= at for position, at in found if at >= 0)


@pytest.mark.parametrize("design", [0, 1])
def test_titles_of_a_whole_site_are_found_from_three_of_its_pages(design: int) -> None:
    pages = [page for page in site(pages=12, design=design) if b"<h1" in page.html]
    kinds = {page.kind for page in pages}
    for kind in kinds:
        same = [page for page in pages if page.kind == kind]
        sources = [read_source(page.html) for page in same]
        targets = [next(o.offset for o in source.openings if o.name == "h1") for source in sources]
        way = learn_way(sources[:3], targets[:3], ELEMENT)
        assert way is not None
        assert [f.openings[0].offset for source in sources if (f := follow(source, way)).openings] == targets
