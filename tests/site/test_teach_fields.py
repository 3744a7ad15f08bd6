"""A site is taught further fields by example, and keeps what it had."""

from __future__ import annotations

import pytest
from tests.mill_pages import address, pages, tale

import scythe
from scythe.demo import world
from scythe.demo.world import price_of
from scythe.errors import BadInput

SHOP = world(pages=60)
PLANS = [plan for plan in SHOP.ledger.by_path.values() if plan.kind == "product"]
PRODUCTS = [(page.url, page.html) for plan in PLANS if (page := SHOP.page(plan.path))]
PRICES = [f"€ {price_of(plan)}" for plan in PLANS]


def only(rows: set[int], prices: list[str] = PRICES) -> list[dict[str, list[str]] | None]:
    """Return examples of some of the products."""
    return [{"price": [price]} if row in rows else None for row, price in enumerate(prices)]


def test_a_field_is_added_and_everything_else_is_kept() -> None:
    site = scythe.Site.learn(PRODUCTS[:8])
    before = site.profile
    taught = site.add_fields(PRODUCTS[:8], only({0})[:8])
    site = scythe.Site.from_json(site.to_json())
    found = [site.extract(body, url=url).fields["price"].values for url, body in PRODUCTS]
    assert found == [(price,) for price in PRICES]
    assert taught.notes == ()
    assert site.profile.fields == (*before.fields, "price")
    assert site.profile.named == ("price",)
    for layout, old in zip(site.profile.layouts, before.layouts, strict=True):
        assert [rules for rules in layout.fields if rules.name != "price"] == list(old.fields)
        assert layout.records == old.records


def test_labels_of_images_outlive_it() -> None:
    site = scythe.Site.learn(pages())
    site.annotate({address(1): ["/rules/1.jpg"]}, pages(), by="Ann")
    heading = tale(1).partition("<h1>")[2].partition("</h1>")[0]
    site.add_fields(pages(), [{"heading": [heading]} if url == address(1) else None for url, _ in pages()])
    assert [each.page.url for each in site.profile.images.labelled] == [address(1)]


def test_pages_of_no_known_layout_become_one() -> None:
    site = scythe.Site.learn(pages())
    before = site.profile.layouts
    taught = site.add_fields([*pages(), *PRODUCTS[:6]], [None] * len(pages()) + only({0, 1})[:6])
    assert [layout.fields for layout in site.profile.layouts[: len(before)]] == [layout.fields for layout in before]
    assert taught.new == taught.shown_on == (site.profile.layouts[-1].name,)
    assert site.extract(PRODUCTS[9][1], url=PRODUCTS[9][0]).fields["price"].values == (PRICES[9],)


def test_what_is_shown_again_is_replaced() -> None:
    site = scythe.Site.learn(PRODUCTS[:8], [{"cost": [plan.title]} for plan in PLANS[:8]])
    site.add_fields(PRODUCTS[:8], [{"cost": [price]} if row < 2 else None for row, price in enumerate(PRICES[:8])])
    assert site.extract(PRODUCTS[9][1], url=PRODUCTS[9][0]).fields["cost"].values == (PRICES[9],)


def test_what_cannot_be_learned_is_said() -> None:
    site = scythe.Site.learn(PRODUCTS[:6])
    taught = site.add_fields(PRODUCTS[:6], [{"price": ["nowhere to be seen"]}, *[None] * 5])
    assert taught.notes == (f"{taught.shown_on[0]}: price: the value is on none of the example pages",)


def test_examples_must_be_one_a_page() -> None:
    with pytest.raises(BadInput, match="one entry per page"):
        scythe.Site.learn(PRODUCTS[:2]).add_fields(PRODUCTS[:2], [None])


def test_pages_whose_content_brings_its_own_classes_have_the_field_too() -> None:
    def page(number: int, classes: str) -> tuple[str, bytes]:
        extra = "".join(f'<div class="{classes}{n}">about it</div>' for n in range(20))
        body = f'<h1 class="name">Tool {number}</h1><dl><dt>Price</dt><dd class="price">{number}.50</dd></dl>{extra}'
        return f"https://shop.example/{number}", body.encode()

    shown = [page(number, "usual") for number in range(3)]
    site = scythe.Site.learn(shown, [{"price": [f"{number}.50"]} for number in range(3)])
    found = site.extract(page(7, "another")[1]).fields["price"]
    assert found.values == ("7.50",)
    assert found.how.startswith("cut: layout-1")
    assert (
        site.extract(page(8, "another")[1].replace(b"Price", b"Colour").replace(b"price", b"c")).fields["price"].values
        == ()
    )
