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


@pytest.mark.parametrize(
    "wrong", [None, True, 1, float("inf"), -5, "", [], {}, [[]], [None], {"@type": 5}, "x" * 50_000]
)
@pytest.mark.parametrize(
    "key", "name offers brand gtin13 aggregateRating address additionalProperty hasVariant @id".split()
)
def test_wrong_types_never_raise(wrong: object, key: str) -> None:
    read("", head=json_ld(PRODUCT | {key: wrong}))
    assert isinstance(read("", head=json_ld(PRODUCT | {key: [wrong, {"price": wrong, "name": wrong}]})), tuple)


@pytest.mark.parametrize("name", ["auto", "hmm", "cnbe"])
def test_every_method_that_is_named_reads_a_page(name: str) -> None:
    page = Page.from_text("<title>Kettle</title><h1>Kettle</h1><p>Colour: red</p><p>Weight: 2 kg</p>")
    assert ("Colour", "red") in attribute_method(name)(page)


def test_a_method_that_nobody_has_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="unknown attribute method 'guess'; expected one of auto; hmm; cnbe"):
        attribute_method("guess")


def state(value: object) -> str:
    return f'<script type="application/json">{json.dumps(value)}</script>'


def test_of_a_very_large_state_only_the_first_objects_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [{"n": number} for number in range(50)] + [{"title": "Garden kettle 2 l", "price": 119.5}]
    body = f"<h1>Garden kettle 2 l</h1>{state(kept)}"
    assert "price" in dict(read(body))
    monkeypatch.setattr(structured_data, "_NODES", 20)
    assert "price" not in dict(read(body))
