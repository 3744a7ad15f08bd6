"""Items marked up as microdata, RDFa and JSON-LD."""

from __future__ import annotations

import json

import pytest

from scythe.page import Page
from scythe.reading.attributes.structured_data import read_structured
from scythe.reading.attributes.subject import read_microdata, read_rdfa


def page(body: str, title: str = "Kettle") -> Page:
    return Page.from_text(f"<title>{title}</title>{body}", url="https://shop.example/kettle")


def test_microdata_keeps_its_nesting() -> None:
    html = """
    <div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Kettle</h1>
      <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
        <meta itemprop="priceCurrency" content="EUR"><span itemprop="price"><s>15,00 €</s> 12,50 €</span>
        <link itemprop="availability" href="https://schema.org/InStock"></div>
      <div itemprop="isRelatedTo" itemscope itemtype="https://schema.org/Product"><b itemprop="name">Lid</b></div>
    </div>"""
    [item] = read_microdata(page(html))
    offer = {
        "@type": ["Offer"],
        "priceCurrency": "EUR",
        "price": "12,50 €",
        "availability": "https://schema.org/InStock",
    }
    assert item["offers"] == offer
    assert dict(read_structured(page(html)).pairs) == {
        "name": "Kettle",
        "price": "12.50",
        "currency": "EUR",
        "availability": "InStock",
    }


def test_itemref_brings_in_properties_from_elsewhere() -> None:
    html = """<div itemscope itemref="more" itemtype="https://schema.org/Product"><b itemprop="name">Kettle</b></div>
    <div id="more"><i itemprop="sku">K-1</i></div>"""
    [item] = read_microdata(page(html))
    assert (item["name"], item["sku"]) == ("Kettle", "K-1")


def test_items_that_claim_each_other_end() -> None:
    html = '<div itemscope id="a" itemref="b" itemprop="x"></div><div itemscope id="b" itemref="a" itemprop="y"></div>'
    assert len(read_microdata(page(html))) >= 1
    assert read_structured(page(html)).pairs == ()


def test_rdfa_is_read_like_microdata() -> None:
    html = """<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Kettle</h1>
      <div property="offers" typeof="Offer"><span property="price" content="12.50">12,50</span>
      <meta property="priceCurrency" content="EUR"></div></div>"""
    assert read_rdfa(page(html))[0]["name"] == "Kettle"
    pairs = dict(read_structured(page(html)).pairs)
    assert (pairs["price"], pairs["currency"]) == ("12.50", "EUR")


def test_a_brand_of_a_product_is_not_the_subject() -> None:
    html = """<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Kettle</b>
      <p itemprop="brand" itemscope itemtype="https://schema.org/Organization"><i itemprop="name">Acme</i></p></div>"""
    pairs = dict(read_structured(page(html)).pairs)
    assert (pairs["name"], pairs["brand"]) == ("Kettle", "Acme")


def test_further_properties_keep_their_names_in_words() -> None:
    html = """<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Kettle</b>
      <b itemprop="countryOfOrigin">Peru</b>
      <div itemprop="additionalProperty" itemscope><i itemprop="name">Lid</i><i itemprop="value">yes</i></div></div>"""
    pairs = dict(read_structured(page(html)).pairs)
    assert (pairs["country_of_origin"], pairs["Lid"]) == ("Peru", "yes")


def json_ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def product(**offer: object) -> dict[str, str]:
    said = {"@type": "Product", "name": "Kettle", "offers": {"priceCurrency": "EUR", **offer}}
    return dict(read_structured(page(json_ld(said))).pairs)


def test_an_offer_of_several_prices_gives_the_lowest_and_the_highest() -> None:
    pairs = product(**{"@type": "AggregateOffer", "lowPrice": "12,50", "highPrice": 99})
    assert (pairs["price"], pairs["high_price"]) == ("12.50", "99")
    assert "high_price" not in product(**{"@type": "AggregateOffer", "lowPrice": 99, "highPrice": 99})


@pytest.mark.parametrize("price", [{"price": "12.5"}, [{"minPrice": 12.5}], [None, {"price": "12.50"}]])
def test_a_price_may_stand_in_its_specification(price: object) -> None:
    assert product(priceSpecification=price)["price"] == "12.50"


PLACE = {"streetAddress": "1 Mill Lane", "addressLocality": "Millham", "postalCode": "M1 1AA"}


@pytest.mark.parametrize("address", [PLACE, [PLACE, {"streetAddress": "2"}], "1 Mill Lane, Millham, M1 1AA"])
def test_the_address_of_a_place_is_one_line_however_it_is_written(address: object) -> None:
    said = {"@type": "Event", "name": "Mill day", "location": {"@type": "Place", "name": "Hall", "address": address}}
    pairs = dict(read_structured(page(json_ld(said), title="Mill day")).pairs)
    assert pairs["venue"] == "1 Mill Lane, Millham, M1 1AA"


def test_a_property_outside_every_item_is_nobodys_and_values_may_be_attributes() -> None:
    html = """<b itemprop="sku">stray</b><div itemscope itemtype="https://schema.org/Product">
    <h1 itemprop="name">Kettle</h1><data itemprop="sku" value="K-1"></data><p><b itemprop="color">red</b></p></div>"""
    [item] = read_microdata(page(html))
    assert (item["name"], item["sku"], item["color"]) == ("Kettle", "K-1", "red")
