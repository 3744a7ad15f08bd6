"""What a page shows of its subject: name, price, stock, contacts and the data of its scripts."""

from __future__ import annotations

import json

import pytest

from scythe.page import Page
from scythe.reading.attributes.subject_attributes import read_attributes


def read(body: str, title: str = "Vivace | Guide") -> dict[str, str]:
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return dict(reversed(read_attributes(Page.from_text(html, url="https://guide.example/vivace"))))


def test_the_heading_that_recurs_is_the_name() -> None:
    body = "<h1>Vivace Review</h1><h2>Vivace</h2><p>About Vivace</p><p>Vivace is full</p>"
    assert read(body, "Vivace Review | Guide")["name"] == "Vivace"


def test_the_only_heading_names_what_the_title_does_not() -> None:
    assert read("<h2>Aiken College</h2><p>Type: Public</p>", "School profile")["name"] == "Aiken College"
    assert "name" not in read("<h2>Aiken <i>College</i></h2>", "School profile")


def test_a_text_of_the_title_is_the_name_without_any_heading() -> None:
    assert read('<span class="job-title">Senior auditor</span>', "Jobs - Senior auditor")["name"] == "Senior auditor"


def test_a_word_of_the_title_is_no_name() -> None:
    assert "name" not in read("<p>players</p>", "All basketball players of the league")


@pytest.mark.parametrize(
    ("markup", "price"),
    [
        ("<b class=price>$229<i>99</i></b>", "229.99"),
        ("<b class=price>173<sup>34</sup> Lei</b>", "173.34"),
        ("<b class=price><i>£</i><i>450</i></b>", "450"),
        ("<b class=price>5263,20 €</b>", "5263.20"),
        ("<p>Price: <b>12 €</b></p>", "12"),
        ("<p class=old-price>15 €</p><p class=price>12 €</p>", "12"),
        ("<p><b>Price</b>: <b>12 €</b></p>", "12"),
    ],
)
def test_a_price_is_put_together_from_its_parts(markup: str, price: str) -> None:
    assert read(f"<h1>Vivace</h1>{markup}")["price"] == price


@pytest.mark.parametrize(
    "markup",
    (
        "<del class=price>15 €</del>|<p>You save: 3 €</p>|<p>Shipping: 3 €</p>"
        "|<p class=price>12 €/month</p>|<p>List price: 12 €</p>"
        "|<div class=related-products><p class=price>12 €</p></div>|<p class=price>0,00 €</p>"
    ).split("|"),
)
def test_an_amount_that_is_something_else_is_not_the_price(markup: str) -> None:
    assert "price" not in read(f"<h1>Vivace</h1>{markup}")


def test_a_button_says_that_it_can_be_bought() -> None:
    body = "<h1>Vivace</h1><p class=price>12 €</p><form><input type=submit value='Add to cart'></form>"
    assert read(body)["availability"] == "InStock"
    assert "availability" not in read("<h1>Vivace</h1><p class=price>12 €</p><input type=submit value=Go>")


def test_stock_is_not_asked_of_what_is_not_for_sale() -> None:
    assert "availability" not in read("<h1>Vivace</h1><p>Tables are available now</p>")


def test_classes_of_microformats_name_the_parts_of_an_address() -> None:
    body = """<h1>Vivace</h1><div class=vcard><span class=street-address>4310 N. Campbell Ave.</span>
    <span class=locality>Tucson</span> <span class="tel work">(520) 555-0100</span> <i class=tel>none</i></div>"""
    pairs = read(body)
    assert (pairs["street_address"], pairs["locality"]) == ("4310 N. Campbell Ave.", "Tucson")
    assert pairs["phone"] == "(520) 555-0100"


def test_the_telephone_of_a_shop_is_not_the_product_s() -> None:
    assert "phone" not in read("<h1>Vivace</h1><p class=price>12 €</p><p>(520) 555-0100</p>")


def test_a_fax_is_no_telephone() -> None:
    assert "phone" not in read("<h1>Vivace</h1><p><b>Fax</b></p><p>(520) 555-0100</p>")


def script(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<h1>Vivace</h1><script type="application/json">{text}</script>'


def test_script_data_states_codes_beside_a_price() -> None:
    product = {
        "title": "Vivace",
        "salePrice": "12.50",
        "currency": "EUR",
        "ean": "4006381333931",
        "brand": {"name": "Acme"},
    }
    pairs = read(script({"a": [{"name": "Other", "price": 1}, product]}))
    assert (pairs["price"], pairs["currency"], pairs["gtin"], pairs["brand"]) == (
        "12.50",
        "EUR",
        "4006381333931",
        "Acme",
    )


@pytest.mark.parametrize(
    "value",
    [
        "{broken",
        "[" * 100_000,
        {"name": "Other", "price": 1},
        {"name": "Vivace", "price": [1]},
        {"name": "Vivace", "amount": 5},
        {"name": 5, "price": 5},
        [[[[]]]],
        "1",
    ],
)
def test_script_data_without_the_subject_and_its_price_says_nothing(value: object) -> None:
    assert "price" not in read(script(value))


def test_what_stands_above_the_name_comes_after_what_stands_below() -> None:
    body = "<p>Type: any of all</p><h1>Vivace</h1><p>Kind: a</p><p>Type: Italian</p>"
    html = f"<title>Vivace</title>{body}"
    values = [value for name, value in read_attributes(Page.from_text(html)) if name == "Type"]
    assert values == ["Italian", "any of all"]
