"""Say what one short text is made of: dates, prices, amounts and the like, as numbers."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources

TEXT_TRAITS = ("chars", "words", "digit", "date", "price", "sentence", "quantity", "measure", "colon", "comma")

_MONTH = "jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[czk]"
_DATE = re.compile(
    r"\b(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2}|(?:19|20)\d{2})\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|\.)? ?(?:{_MONTH})"
    rf"|\b(?:{_MONTH})[a-zä]{{0,8}}\.? ?\d{{1,2}}\b"
    r"|\b\d{1,3} ?(?:min|hour|day|week|month|year|stund|tag|woche|jahr|heure|jour|hora|d[ií]a|ago|hari|minggu)"
    r"|\d{1,2}[年月日時]",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"[€$£¥₹₽₺]|\b(?:eur|usd|gbp|chf|pln|czk|sek|nok|dkk|rub|inr|aud|cad)\b|\d ?(?:zł|kr|kč|ft|lei|руб|元|円)\b",
    re.IGNORECASE,
)
_READ_CHARS = 300  # a date or a price stands near the beginning, or the text is running text
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "»", "[…]")
_DIGITS = frozenset("0123456789½¼¾⅓⅔⅛⅜⅝⅞")
_AMOUNTS = frozenset("克勺匙杯升颗顆")  # written without spaces
_PRICE_WORDS, _AMOUNT_WORDS, _SENTENCE_WORDS = 12, 30, 5


@lru_cache(maxsize=1)
def _measures() -> frozenset[str]:
    text = resources.files("scythe.read.records").joinpath("tables/measures.txt").read_text("utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def read_text(text: str) -> tuple[float, ...]:
    """Return one number per TEXT_TRAITS: lengths, then whether the text has or looks like something."""
    words = text.count(" ") + 1
    start = text[:_READ_CHARS]
    digit = not _DIGITS.isdisjoint(start)
    date = price = False
    if digit:
        date = _DATE.search(start) is not None
        price = words <= _PRICE_WORDS and _PRICE.search(start) is not None
    return (
        len(text),
        words,
        digit,
        date,
        price,
        words >= _SENTENCE_WORDS and text.endswith(_ENDS),
        start[0] in _DIGITS,
        words <= _AMOUNT_WORDS and _is_measured(start),
        text.endswith(":"),
        min(text.count(","), 10),
    )


def _is_measured(start: str) -> bool:
    if not _measures().isdisjoint(start.lower().replace(".", " ").split()):
        return True
    return len(start) <= 30 and not _AMOUNTS.isdisjoint(start)
