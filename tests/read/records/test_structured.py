"""Items marked up as microdata, RDFa and JSON-LD."""

from __future__ import annotations

from scythe.page import Page
from scythe.read.records.markup import read_microdata, read_rdfa
from scythe.read.records.structured import read_structured


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
    [item] = read_microdata(page(html).tree, html)
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
    [item] = read_microdata(page(html).tree, html)
    assert (item["name"], item["sku"]) == ("Kettle", "K-1")


def test_items_that_claim_each_other_end() -> None:
    html = '<div itemscope id="a" itemref="b" itemprop="x"></div><div itemscope id="b" itemref="a" itemprop="y"></div>'
    assert len(read_microdata(page(html).tree, html)) >= 1
    assert read_structured(page(html)).pairs == ()


def test_rdfa_is_read_like_microdata() -> None:
    html = """<div vocab="https://schema.org/" typeof="Product"><h1 property="name">Kettle</h1>
      <div property="offers" typeof="Offer"><span property="price" content="12.50">12,50</span>
      <meta property="priceCurrency" content="EUR"></div></div>"""
    assert read_rdfa(page(html).tree, html)[0]["name"] == "Kettle"
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
