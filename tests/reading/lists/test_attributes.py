"""What a page says of its subject: structured data and the visible page, joined, typed and in order."""

from __future__ import annotations

import json

import pytest

from scythe.errors import BadInput
from scythe.page import Page
from scythe.reading.attributes import structured_data
from scythe.reading.attributes.subject_attributes import read_attributes
from scythe.reading.lists.list_methods import attribute_method

Pairs = tuple[tuple[str, str], ...]

PRODUCT = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Garden kettle 2 l",
    "brand": {"@type": "Brand", "name": "Acme"},
    "sku": "GK-2",
    "gtin13": "4006381333931",
    "offers": {"@type": "Offer", "price": 119.01, "priceCurrency": "EUR", "availability": "https://schema.org/InStock"},
    "aggregateRating": {"@type": "AggregateRating", "ratingValue": "4,50", "reviewCount": "1.204"},
}


def read(body: str, *, head: str = "", url: str = "https://shop.example/kettle") -> Pairs:
    html = f"<html><head><title>Garden kettle 2 l | Shop</title>{head}</head><body>{body}</body></html>"
    return read_attributes(Page.from_text(html, url=url))


def json_ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def test_structured_data_is_flattened_under_canonical_names_and_typed() -> None:
    pairs = dict(read("<h1>Garden kettle 2 l</h1>", head=json_ld(PRODUCT)))
    assert pairs["name"] == "Garden kettle 2 l"
    assert (pairs["price"], pairs["currency"], pairs["availability"]) == ("119.01", "EUR", "InStock")
    assert (pairs["brand"], pairs["sku"], pairs["gtin"]) == ("Acme", "GK-2", "4006381333931")
    assert (pairs["rating_value"], pairs["review_count"]) == ("4.5", "1204")


def test_typed_pairs_come_before_those_labelled_on_the_page() -> None:
    rows = "<tr><th>Colour</th><td>red</td></tr><tr><th>SKU</th><td>GK-2</td></tr>"
    body = f"<h1>Garden kettle 2 l</h1><table>{rows}</table>"
    pairs = read(body, head=json_ld(PRODUCT))
    names = [name for name, _ in pairs]
    assert names[:3] == ["name", "price", "currency"]
    assert names.index("sku") < names.index("Colour")


def test_what_structured_data_and_the_page_agree_on_is_said_once() -> None:
    body = "<h1>Garden kettle 2 l</h1><p>Brand: Acme</p><p>SKU: GK-2</p><div class=price>119,01 €</div>"
    values = [value for _, value in read(body, head=json_ld(PRODUCT))]
    assert values.count("Acme") == 1
    assert values.count("GK-2") == 1
    assert values.count("119.01") == 1


def test_related_products_are_not_the_subject() -> None:
    other = {
        "@type": "Product",
        "name": "Watering can",
        "offers": {"@type": "Offer", "price": 5, "priceCurrency": "EUR"},
    }
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": other}]}
    pairs = dict(read("<h1>Garden kettle 2 l</h1>", head=json_ld(listed) + json_ld([other, PRODUCT])))
    assert (pairs["name"], pairs["price"]) == ("Garden kettle 2 l", "119.01")


def test_a_list_of_products_without_the_page_title_gives_no_price() -> None:
    products = [
        {"@type": "Product", "name": name, "offers": {"price": 5, "priceCurrency": "EUR"}}
        for name in "abc def ghi".split()
    ]
    assert "price" not in dict(read("<h1>All kettles</h1>", head=json_ld(products)))


def test_of_several_offers_the_one_that_the_page_shows_is_the_price() -> None:
    offers = [{"@type": "Offer", "price": price, "priceCurrency": "EUR"} for price in (10, 20, 30)]
    body = '<h1>Garden kettle 2 l</h1><span class="price">20,00 €</span>'
    assert dict(read(body, head=json_ld(PRODUCT | {"offers": offers})))["price"] == "20"


def test_one_offer_in_stock_makes_the_subject_available() -> None:
    offers = [
        {"@type": "Offer", "price": 1, "availability": state} for state in ("OutOfStock", "http://schema.org/InStock")
    ]
    assert dict(read("", head=json_ld(PRODUCT | {"offers": offers})))["availability"] == "InStock"


def test_references_between_objects_are_followed_even_in_circles() -> None:
    graph = [
        {"@id": "#p", "@type": "Product", "name": "Garden kettle 2 l", "offers": {"@id": "#o"}, "brand": {"@id": "#p"}},
        {"@id": "#o", "@type": "Offer", "price": "7.50", "priceCurrency": "USD", "itemOffered": {"@id": "#p"}},
    ]
    pairs = dict(read("", head=json_ld({"@graph": graph})))
    assert (pairs["price"], pairs["currency"]) == ("7.50", "USD")


def test_a_shown_price_is_read_without_structured_data() -> None:
    body = """
    <nav><a href=/>Home</a></nav><h1>Garden kettle 2 l</h1>
    <div class=product-price><del>149,99 €</del> <span>1.119,<sup>01</sup> €</span></div><p>zzgl. 4,95 € Versand</p>
    <button>In den Warenkorb</button>
    <div class=related><a href=/a>Can <span class=price>5,00 €</span></a></div>
    """
    pairs = dict(read(body))
    assert (pairs["price"], pairs["currency"], pairs["availability"]) == ("1119.01", "EUR", "InStock")


def test_the_lower_of_two_prices_side_by_side_is_the_price() -> None:
    body = "<h1>Garden kettle 2 l</h1><p><span>€ 44,95</span> <span>€ 38,15</span></p>"
    assert dict(read(body))["price"] == "38.15"


def test_prices_of_a_list_are_nobody_s_price() -> None:
    items = "".join(f"<li><a href=/{n}>Kettle {n}</a><span class=price>${n}.50</span></li>" for n in range(3, 40))
    assert "price" not in dict(read(f"<h1>Kettles</h1><ul>{items}</ul>"))


def test_a_price_range_is_no_price() -> None:
    assert "price" not in dict(read("<h1>Garden kettle 2 l</h1><p>Price range: $1 - $20</p>"))


def test_a_dollar_means_the_dollar_of_the_country() -> None:
    body = "<h1>Garden kettle 2 l</h1><span class=price>$ 12.00</span>"
    assert dict(read(body, url="https://shop.example.ca/k"))["currency"] == "CAD"
    assert dict(read(body, url="https://shop.example.com/k"))["currency"] == "USD"


def test_sold_out_is_told_from_in_stock() -> None:
    body = "<h1>Garden kettle 2 l</h1><span class=price>12 €</span><p>Leider ausverkauft</p>"
    assert dict(read(body))["availability"] == "OutOfStock"


def test_opengraph_fills_what_nothing_else_says() -> None:
    head = (
        '<meta property="product:price:amount" content="12.50"><meta property="product:price:currency" content="CHF">'
    )
    pairs = dict(read("<h1>Garden kettle 2 l</h1>", head=head))
    assert (pairs["price"], pairs["currency"]) == ("12.50", "CHF")


def test_data_of_scripts_gives_the_price_of_an_empty_page() -> None:
    state = {"props": {"page": {"product": {"name": "Garden kettle 2 l", "price": {"value": 9.5, "currency": "EUR"}}}}}
    script = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}</script>'
    pairs = dict(read(f"<h1>Garden kettle 2 l</h1>{script}"))
    assert (pairs["price"], pairs["currency"]) == ("9.50", "EUR")


def test_an_isbn_of_thirteen_digits_wins_over_one_of_ten() -> None:
    body = "<h1>Garden kettle 2 l</h1><p>ISBN: 0-306-40615-2</p><p>ISBN-13: 978-0-306-40615-7</p>"
    pairs = dict(read(body))
    assert (pairs["isbn"], pairs["gtin"]) == ("9780306406157", "9780306406157")


def test_a_labelled_date_keeps_its_text_and_gets_an_iso_form() -> None:
    pairs = read("<h1>Garden kettle 2 l</h1><p>Published: 15 December 2009</p>")
    assert ("Published", "15 December 2009") in pairs
    assert ("publication_date", "2009-12-15") in pairs


def test_a_job_has_company_location_and_salary() -> None:
    job = {
        "@type": "JobPosting",
        "title": "Garden kettle 2 l",
        "hiringOrganization": {"@type": "Organization", "name": "Acme"},
        "jobLocation": {"@type": "Place", "address": {"addressLocality": "Ulm", "addressCountry": "DE"}},
        "baseSalary": {"currency": "EUR", "value": {"minValue": 10, "maxValue": 20}},
        "datePosted": "2024-05-01",
    }
    pairs = dict(read("", head=json_ld(job)))
    assert (pairs["name"], pairs["company"], pairs["location"]) == ("Garden kettle 2 l", "Acme", "Ulm, DE")
    assert (pairs["salary"], pairs["date_posted"]) == ("10 - 20 EUR", "2024-05-01")


def test_contacts_are_found_by_form_beside_a_name() -> None:
    body = "<h1>Garden kettle 2 l</h1><p>(555) 010-1234</p><p>www.kettle.example</p><p>me@kettle.example</p>"
    pairs = dict(read(body))
    assert (pairs["phone"], pairs["website"], pairs["email"]) == (
        "(555) 010-1234",
        "www.kettle.example",
        "me@kettle.example",
    )


def test_the_breadcrumb_is_one_line() -> None:
    crumbs = [{"@type": "ListItem", "name": "Home"}, {"@type": "ListItem", "item": {"name": "Kettles"}}]
    pairs = dict(read("", head=json_ld({"@type": "BreadcrumbList", "itemListElement": crumbs})))
    assert pairs["breadcrumb"] == "Home > Kettles"


@pytest.mark.parametrize(
    "wrong", [None, True, 1, float("inf"), -5, "", [], {}, [[]], [None], {"@type": 5}, "x" * 50_000]
)
@pytest.mark.parametrize(
    "key", "name offers brand gtin13 aggregateRating address additionalProperty hasVariant @id".split()
)
def test_wrong_types_never_raise(wrong: object, key: str) -> None:
    read("", head=json_ld(PRODUCT | {key: wrong}))
    assert isinstance(read("", head=json_ld(PRODUCT | {key: [wrong, {"price": wrong, "name": wrong}]})), tuple)


def test_an_empty_page_says_nothing() -> None:
    assert read_attributes(Page.from_text("")) == ()


def test_labels_of_the_page_give_typed_values() -> None:
    body = """<h1>Garden kettle 2 l</h1><table><tr><th>Price</th><td>12,50 €</td></tr>
    <tr><th>Availability</th><td>In stock</td></tr><tr><th>EAN</th><td>4006381333931</td></tr></table>"""
    pairs = dict(read(body))
    assert (pairs["price"], pairs["availability"], pairs["gtin"]) == ("12.50", "InStock", "4006381333931")


def test_the_first_of_two_labelled_values_is_the_typed_one_and_the_other_is_kept() -> None:
    body = """<h1>Garden kettle 2 l</h1><table><tr><th>SKU</th><td>GK-2</td></tr><tr><th>SKU</th><td>GK-3</td></tr>
    <tr><th>Colour</th><td>red</td></tr></table>"""
    pairs = read(body)
    assert dict(pairs)["sku"] == "GK-2"
    assert "GK-3" in [value for _, value in pairs]


@pytest.mark.parametrize("name", ["auto", "hmm", "cnbe"])
def test_every_method_that_is_named_reads_a_page(name: str) -> None:
    page = Page.from_text("<title>Kettle</title><h1>Kettle</h1><p>Colour: red</p><p>Weight: 2 kg</p>")
    assert ("Colour", "red") in attribute_method(name)(page)


def test_a_method_that_nobody_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="unknown attribute method 'guess'; expected one of auto; hmm; cnbe"):
        attribute_method("guess")


def state(value: object) -> str:
    return f'<script type="application/json">{json.dumps(value)}</script>'


def test_what_a_page_keeps_for_its_scripts_is_read_where_it_bears_the_name() -> None:
    kettle = {"title": "Garden kettle 2 l", "price": 119.5, "currency": "EUR", "brand": "Acme"}
    kept = {"props": [{"title": "Another kettle", "price": 3}, [[7, "text", {"page": {"product": kettle}}]]]}
    pairs = dict(read(f"<h1>Garden kettle 2 l</h1>{state(kept)}"))
    assert (pairs["price"], pairs["currency"], pairs["brand"]) == ("119.50", "EUR", "Acme")


def test_of_a_very_large_state_only_the_first_objects_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [{"n": number} for number in range(50)] + [{"title": "Garden kettle 2 l", "price": 119.5}]
    body = f"<h1>Garden kettle 2 l</h1>{state(kept)}"
    assert "price" in dict(read(body))
    monkeypatch.setattr(structured_data, "_NODES", 20)
    assert "price" not in dict(read(body))


@pytest.mark.parametrize(("text", "more"), [("4 May 2026", ["2026-05-04"]), ("2026-05-04", [])])
def test_a_date_is_said_in_the_form_of_machines_unless_it_is_written_so(text: str, more: list[str]) -> None:
    pairs = read(f"<h1>Mill day</h1><p>Published: {text}</p><p>Colour: red</p>")
    assert ("Published", text) in pairs
    assert [value for name, value in pairs if name == "publication_date"] == more
