"""Values in one form: prices, codes, availability."""

from __future__ import annotations

import pytest

from scythe.reading.attributes.values import (
    _SAME_STATES,
    amount_of,
    count_of,
    currency_of,
    find_prices,
    gtin_of,
    isbn_of,
    rating_of,
    read_price,
    state_of,
    typed_name,
)


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("$1,299.00", "1299", "USD"),
        ("1.299,50 €", "1299.50", "EUR"),
        ("44 890 тг.", "44890", "KZT"),
        ("4\u00a0386,00 €", "4386", "EUR"),
        ("CHF 1’299.00", "1299", "CHF"),
        ("1'299.- CHF", "1299", "CHF"),
        ("Rs. 1,23,456.00", "123456", "INR"),
        ("R$ 1.234,5", "1234.50", "BRL"),
        ("NT$294", "294", "TWD"),
        ("294元", "294", "CNY"),
        ("25,-€", "25", "EUR"),
        ("US $1.99", "1.99", "USD"),
        ("173,34 Lei", "173.34", "RON"),
        ("0.999 €", "0.999", "EUR"),
    ],
)
def test_prices_are_read_as_people_write_them(text: str, amount: str, currency: str) -> None:
    price = read_price(text)
    assert price is not None
    assert (price.amount, price.currency) == (amount, currency)


def test_every_amount_of_a_text_is_found_once() -> None:
    assert [price.amount for *_, price in find_prices("71,91 € 79,90 €")] == ["71.91", "79.90"]
    assert [price.amount for *_, price in find_prices("499€499€499")] == ["499", "499"]


@pytest.mark.parametrize("text", ["12 used", "40 % off", "iPhone 12 europe", "10:30", "no number €"])
def test_numbers_without_a_currency_are_no_prices(text: str) -> None:
    assert find_prices(text) == []


@pytest.mark.parametrize(
    ("value", "amount"),
    [("67.8400", "67.84"), (450, "450"), (50.0, "50"), ("1,299.00", "1299"), (0.1 + 0.2, "0.30"), ("1.299", "1299")],
)
def test_structured_amounts_have_a_decimal_point(value: object, amount: str) -> None:
    assert amount_of(value) == amount


@pytest.mark.parametrize("value", [None, True, float("inf"), float("nan"), "abc", "", -3, {}, []])
def test_what_is_no_amount_is_empty(value: object) -> None:
    assert amount_of(value) == ""


def test_a_sign_of_several_currencies_is_settled_by_the_country() -> None:
    assert [currency_of("kr", country) for country in ("", "no", "dk")] == ["SEK", "NOK", "DKK"]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("https://schema.org/InStock", "InStock"),
        ("in_stock", "InStock"),
        ("SoldOut", "OutOfStock"),
        ("Nicht auf Lager", "OutOfStock"),
        ("Auf Lager, Lieferung in 2 Tagen", "InStock"),
        ("En rupture de stock", "OutOfStock"),
        ("Нет в наличии", "OutOfStock"),
        ("加入購物車", "InStock"),
        ("在庫なし", "OutOfStock"),
        ("Pre-order now", "PreOrder"),
        ("whatever", ""),
        ("stocking fillers", ""),
    ],
)
def test_availability_is_named_as_schema_org_names_it(text: str, state: str) -> None:
    assert state_of(text) == state


def test_only_codes_with_a_right_check_digit_are_codes() -> None:
    assert gtin_of("4006381333931") == "4006381333931"
    assert gtin_of("4006381333932") == ""
    assert gtin_of("0000000000000") == ""
    assert isbn_of("978-0-306-40615-7") == "9780306406157"
    assert isbn_of("0-306-40615-2 (paperback)") == "0306406152"
    assert isbn_of("0-306-40615-3") == ""


def test_ratings_and_counts_are_plain_numbers() -> None:
    assert [rating_of(text) for text in ("4,50", "4.7 out of 5", "9", "good")] == ["4.5", "4.7", "9", ""]
    assert [count_of(text) for text in ("1.204", "(68)", "12 reviews", "none")] == ["1204", "68", "12", ""]


def test_labels_of_many_languages_have_one_typed_name() -> None:
    labels = ("Artikelnummer", "Référence", "Šifra", "Артикул", "eBay item number", "post id", "商品編號")
    assert {label: typed_name(label) for label in labels} == dict.fromkeys(labels, "sku")
    assert typed_name("Colour") == ""


@pytest.mark.parametrize(
    ("text", "state"),
    [("instock", "InStock"), ("https://schema.org/SoldOut", "OutOfStock"), ("in_stock", "InStock"), ("perhaps", "")],
)
def test_availability_has_the_names_of_schema_org(text: str, state: str) -> None:
    assert state_of(text) == state


def test_every_other_word_for_a_state_is_known() -> None:
    for word, state in _SAME_STATES.items():
        assert state_of(word) == state


@pytest.mark.parametrize("text", ["030640615X", "0306406153", "978030640615", "12345678901"])
def test_a_number_whose_check_digit_is_wrong_is_no_isbn(text: str) -> None:
    assert isbn_of(text) == ""
