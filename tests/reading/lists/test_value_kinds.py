"""What short texts are taken for."""

from __future__ import annotations

import pytest

from scythe.reading.lists.value_kinds import (
    ADDRESS,
    DATE,
    EMPTY,
    NUMBER,
    PRICE,
    RATING,
    SIGN,
    TEXT,
    is_number,
    is_price,
    is_rating,
    kind_of,
)

PRICES = (
    "899,00 zł|1 199,00 zł|£170.00|829,99 EUR|$1,299|from $12.99|Rp 12.000|100:-|1299 руб.|1200円|US$ 5|ab 12,90 €*"
)
DATES = (
    "Mar 10, 2016|» Ven 13 Déc 2013 15:36|- 08.03.2016, 15:55 Uhr|Heute,|09:28|10 marzo 2016 23:37"
    "|2016年03月18日 23時5分|2 days ago|vor 3 Stunden|il y a 2 jours|hace 3 días|3/14|Mon|4:00 PM|31.05.2022"
    "|12 jam, 17 menit yang lalu"
)
TEXTS = (
    "Read more|Web 2.0 basics|May contain nuts|2 cups flour|Iron Man 3 (2013)|12 Kommentare|24/7 support|PHP 5 guide"
)


@pytest.mark.parametrize("text", PRICES.split("|"))
def test_amounts_of_money_are_prices(text):
    assert is_price(text)
    assert kind_of(text) == PRICE


@pytest.mark.parametrize("text", DATES.split("|"))
def test_dates_and_times_are_dates_in_many_languages(text):
    assert kind_of(text) == DATE


@pytest.mark.parametrize("text", "5.0 out of 5 stars|4,5/5|10/10|★★★☆☆|4 Sterne|Bewertung 3 von 5".split("|"))
def test_marks_are_ratings(text):
    assert is_rating(text)
    assert kind_of(text) == RATING


@pytest.mark.parametrize("text", "16|1,234|1 234|(12)|#2|45%|2.0|4513886028564".split("|"))
def test_numbers_are_numbers(text):
    assert is_number(text)
    assert kind_of(text) == NUMBER


@pytest.mark.parametrize("text", TEXTS.split("|"))
def test_texts_with_numbers_or_months_stay_texts(text):
    assert kind_of(text) == TEXT


@pytest.mark.parametrize(
    ("text", "kind"),
    [("", EMPTY), ("|", SIGN), ("»", SIGN), ("https://a.b/c", ADDRESS), ("ann@example.org", ADDRESS), ("$", SIGN)],
)
def test_signs_and_addresses_are_known(text, kind):
    assert kind_of(text) == kind


@pytest.mark.parametrize("text", ["20 per cent, paid in EUR only", "EUR and 3 more", "the € sign in 12 texts"])
def test_a_sign_of_money_beside_another_number_is_no_price(text: str) -> None:
    assert not is_price(text)
