"""A cutter of one field gives what extracting the page gives, mostly from bare bytes."""

import pytest

from scythe import BadInput, Site


def offer(number: int, price: str = "", lead: str = "") -> bytes:
    price = price or f"$ {number}.50"
    return f'<h1>Tool {number}</h1>{lead}<p class="price">{price}</p><p>Text {number}</p>'.encode()


OFFERS = [(f"https://shop.example/{number}", offer(number)) for number in range(6)]


def learn(pages: list[tuple[str, bytes]]) -> Site:
    return Site.learn(pages, [{"price": f"$ {number}.50"} for number in range(3)] + [None] * (len(pages) - 3))


def test_a_cutter_gives_what_extracting_gives() -> None:
    site = learn(OFFERS)
    cut = site.cutter("price", OFFERS)
    for number in range(10, 30):
        body = offer(number)
        field, wanted = cut(body), site.extract(body, via="cut").fields["price"]
        assert field.how == "cut: bytes"
        assert (field.values, field.span, field.type, field.typed) == (
            (f"$ {number}.50",),
            wanted.span,
            "money",
            wanted.typed,
        )


def test_what_bytes_leave_in_doubt_is_cut_from_the_map() -> None:
    site = learn(OFFERS)
    cut = site.cutter("price", OFFERS)
    for body in (
        offer(9, lead='<!-- <p class="price">$ 1.00</p> -->'),
        offer(9).replace(b'<p class="price">', b"<p class=price>"),
        offer(9).replace(b'<p class="price">', b'<p id=x class="price">'),
        offer(9, price="<b>$ 9.50"),
        b"<h1>Tool 9</h1><p>Sold out</p>",
        b"",
    ):
        wanted = site.extract(body, via="cut").fields["price"]
        field = cut(body)
        assert (field.values, field.typed) == (wanted.values, wanted.typed)


def test_there_is_no_cutter_of_what_was_not_shown_or_is_not_alone() -> None:
    site = learn(OFFERS)
    with pytest.raises(BadInput, match="no cutter for title: it was not shown by example"):
        site.cutter("title", OFFERS)
    with pytest.raises(BadInput, match="string search does not find it alone on 2 pages"):
        site.cutter("price", OFFERS[:2])


def test_the_bytes_of_a_value_are_those_of_its_element_or_said_to_be_unknown() -> None:
    site = learn(OFFERS)
    cut = site.cutter("price", OFFERS)
    for price in ("&#36; 9.50", "$&nbsp;9.50"):
        body = offer(9, price=price)
        field = cut(body)
        assert field.span is not None
        assert field.span == site.extract(body, via="cut").fields["price"].span
        assert body[slice(*field.span)] == price.encode()
    assert cut(offer(9, price="<b>$</b> 9.50")).span is None
