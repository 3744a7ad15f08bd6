"""Say what one short text is made of: dates, prices, amounts and the like, as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

TEXT_TRAITS = ("chars", "words", "digit", "date", "price", "sentence", "quantity", "measure", "colon", "comma")

_DATE = re.compile(r"\d[./-]\d{1,2}[./-]\d|\d:\d\d|\b(?:19|20)\d\d\b|\d[年月日時]")
_CURRENCY = frozenset("€$£¥₹₽₺₴₩฿₫")
_READ_CHARS = 100  # a date or a price stands near the beginning, or the text is running text
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "»", "[…]")
_DIGITS = frozenset("0123456789½¼¾⅓⅔⅛⅜⅝⅞")
_AMOUNTS = frozenset("克勺匙杯升颗顆")  # written without spaces
_LONG_WORD = 12  # characters
_PRICE_WORDS, _DATED_WORDS, _AMOUNT_WORDS, _SENTENCE_WORDS = 12, 20, 30, 5
_COMMAS = 10  # counted at most


class Signs(NamedTuple):
    """Words that tell what a text is."""

    months: frozenset[str]  # three letters
    times: frozenset[str]
    currencies: frozenset[str]
    measures: frozenset[str]


@lru_cache(maxsize=1)
def _signs() -> Signs:
    found: dict[str, list[str]] = {}
    for line in resources.files("scythe.read.records").joinpath("tables/signs.txt").read_text("utf-8").splitlines():
        kind, _, words = line.partition(":")
        if not line.startswith("#"):
            found.setdefault(kind, []).extend(words.split())
    ends = ("", ".", ",")  # texts are cut at spaces
    return Signs(**{kind: frozenset(word + end for word in words for end in ends) for kind, words in found.items()})


def read_texts(texts: Iterable[str]) -> list[tuple[float, ...]]:
    """Return per text one number for each of TEXT_TRAITS: lengths, then whether it has or looks like something."""
    signs = _signs()
    return [_read(text, signs) for text in texts]


def _read(text: str, signs: Signs) -> tuple[float, ...]:
    size, words = len(text), text.count(" ") + 1
    if size > _LONG_WORD * words and not text.isascii():  # a script without spaces
        words = size // 2
    start = text[:_READ_CHARS]
    parts = start.lower().split()
    digit = not _DIGITS.isdisjoint(start)
    date = digit and words <= _DATED_WORDS and (_DATE.search(start) is not None or _names_time(parts, signs))
    price = digit and words <= _PRICE_WORDS and not (_CURRENCY.isdisjoint(start) and signs.currencies.isdisjoint(parts))
    measured = words <= _AMOUNT_WORDS and (
        not signs.measures.isdisjoint(parts) or (size <= 30 and not _AMOUNTS.isdisjoint(start))
    )
    sentence = words >= _SENTENCE_WORDS and text.endswith(_ENDS)
    commas = min(text.count(","), _COMMAS)
    return (size, words, digit, date, price, sentence, text[0] in _DIGITS, measured, text[-1] == ":", commas)


def _names_time(parts: list[str], signs: Signs) -> bool:
    return not signs.times.isdisjoint(parts) or not signs.months.isdisjoint([part[:3] for part in parts])
