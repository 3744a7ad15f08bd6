"""Fields shown by example are found again on other pages, by rules of different type that agree."""

from __future__ import annotations

import re

import msgspec
import pytest
from tests.demo_sites import demo_site

from scythe.page.map import PageMap
from scythe.site.learn_values import Examples, LearnedValues, learn_values
from scythe.site.value_rules import CutValue, ValueRules, cut_values

DEMO = [page for page in demo_site(60) if page.kind == "product"]


def page_of(*rows: tuple[str, str], lead: str = "", end: str = "") -> bytes:
    """Write a page with a table of labels and values."""
    lines = "".join(f"<tr><td>{label}</td><td>{value}</td></tr>" for label, value in rows)
    return f"<html><body><h1>{lead or 'Tools'}</h1>{lead}<table>{lines}</table><p>{end}</p></body></html>".encode()


def learn(*shown: tuple[bytes, Examples | None]) -> LearnedValues:
    return learn_values([PageMap(body) for body, _ in shown], [values for _, values in shown])


def cut(learned: LearnedValues, body: bytes, name: str = "price") -> CutValue:
    rules = {rules.name: rules for rules in learned.fields}
    return cut_values(PageMap(body), rules[name])


def price_on(html: bytes) -> str:
    found = re.search(rb'<span class="price">([^<]*)', html)
    assert found is not None
    return found[1].decode()


@pytest.mark.parametrize("shown", [1, 2, 3])
def test_price_of_a_shop_is_found_after_one_to_three_pages(shown: int) -> None:
    learned = learn(*[(page.html, {"price": [price_on(page.html)]}) for page in DEMO[:shown]])
    for page in DEMO[shown:]:
        assert cut(learned, page.html).values == (price_on(page.html),)


def test_value_is_found_by_its_label_when_rows_before_it_are_missing() -> None:
    full = [("Colour", "red"), ("Maker", "Ash & Son"), ("Price", "$12"), ("Weight", "3 kg")]
    other = [("Colour", "blue"), ("Maker", "Birch Ltd"), ("Price", "$47"), ("Weight", "9 kg")]
    learned = learn((page_of(*full), {"price": ["$12"]}), (page_of(*other), {"price": ["$47"]}))
    assert cut(learned, page_of(("Price", "$99"), ("Weight", "1 kg"))).values == ("$99",)


def test_row_that_took_the_place_of_a_missing_value_is_not_the_value() -> None:
    shown = [
        (page_of(("Colour", colour), ("Price", price), ("Weight", "3 kg")), {"price": [price]})
        for colour, price in (("red", "$12"), ("blue", "$47"))
    ]
    assert cut(learn(*shown), page_of(("Colour", "green"), ("Weight", "8 kg"))).values == ()


def test_page_shown_without_the_field_gives_none() -> None:
    without = page_of(("Colour", "green"), ("Size", "L"), ("Weight", "8 kg"))
    shown: list[tuple[bytes, Examples | None]] = [
        (page_of(("Colour", "red"), ("Price", price), ("Weight", "3 kg")), {"price": [price]})
        for price in ("$12", "$47")
    ]
    learned = learn(*shown, (without, {"price": []}))
    assert cut(learned, without).values == ()
    assert cut(learned, shown[1][0]).values == ("$47",)
    assert (learned.fields[0].pages, learned.fields[0].present) == (3, 2)


def test_part_of_a_text_is_cut_out_of_it() -> None:
    def body(price: str, name: str) -> bytes:
        return f"<h1>{name}</h1><div class=offer>Price: {price} incl. tax</div><p>About {name}</p>".encode()

    shown = [(body("$12", "Rake"), {"price": ["$12"]}), (body("$47", "Hoe"), {"price": ["$47"]})]
    assert cut(learn(*shown), body("$3.50", "Axe")).values == ("$3.50",)


def test_value_of_an_attribute_is_cut() -> None:
    def body(code: str) -> bytes:
        return f'<p>Tools</p><meta itemprop="sku" content="{code}"><div data-x=1>Text</div>'.encode()

    shown = [(body("A-17"), {"price": ["A-17"]}), (body("B-3"), {"price": ["B-3"]}), (body("C-9"), {"price": ["C-9"]})]
    assert cut(learn(*shown), body("D-44")).values == ("D-44",)


def test_all_values_of_a_list_are_cut() -> None:
    def body(*names: str) -> bytes:
        items = "".join(f'<li class="tag"><a href="/{name}">{name}</a></li>' for name in names)
        return f'<ul class="menu"><li><a href="/">home</a></li></ul><ul class="tags">{items}</ul>'.encode()

    shown = [(body("red", "blue"), {"price": ["red", "blue"]}), (body("green", "grey"), {"price": ["green", "grey"]})]
    learned = learn(*shown)
    assert cut(learned, body("pink", "brown", "white")).values == ("pink", "brown", "white")
    assert not learned.reasons


def test_reason_is_given_where_a_value_is_not_on_the_page() -> None:
    learned = learn((page_of(("Price", "$12")), {"price": ["$999"]}))
    assert not learned.fields
    assert learned.reasons == {"price": "the value is on none of the example pages"}


def test_rules_survive_json() -> None:
    learned = learn(*[(page.html, {"price": [price_on(page.html)]}) for page in DEMO[:2]])
    text = msgspec.json.encode(learned.fields)
    again = msgspec.json.decode(text, type=tuple[ValueRules, ...])
    assert again == learned.fields


@pytest.mark.parametrize("body", [b"", b"<p>", b"\xff\xfe<", b"<table><td>" * 50, b"Price: " * 500])
def test_pages_of_another_kind_give_nothing(body: bytes) -> None:
    learned = learn(*[(page.html, {"price": [price_on(page.html)]}) for page in DEMO[:2]])
    assert cut(learned, body).values == ()
