"""Say what one short text is made of: dates, prices, amounts and the like, as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from scythe.read.records.ranges import Floats

TEXT_TRAITS = ("chars", "words", "digit", "date", "price", "sentence", "quantity", "measure", "colon", "comma")

_DATE = re.compile(r"\d(?:[./-]\d{1,2}[./-]\d|:\d\d|[年月日時])|\b(?:19|20)\d\d\b")
_CURRENCY = re.compile("[€$£¥₹₽₺₴₩฿₫]")
_READ_CHARS = 100  # a date or a price stands near the beginning, or the text is running text
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "»", "[…]")
_AMOUNT = re.compile("[克勺匙杯升颗顆]")  # written without spaces
_LONG_WORD = 12  # characters
_PRICE_WORDS, _DATED_WORDS, _AMOUNT_WORDS, _SENTENCE_WORDS = 12, 20, 30, 5
_COMMAS = 10  # counted at most
_SHORT_AMOUNT = 30  # characters
_BEGINNING = itemgetter(slice(3))  # of the name of a month
_SHORT = 60  # characters: longer texts seldom come twice
_DIGITS = frozenset("0123456789½¼¾⅓⅔⅛⅜⅝⅞")
_DIGIT = re.compile(f"[{''.join(sorted(_DIGITS))}]")
# what is read of a text, in the bits of one number: flags in the order of TEXT_TRAITS, commas, words, characters
_HAS_DIGIT, _HAS_DATE, _HAS_PRICE, _IS_SENTENCE, _IS_QUANTITY, _HAS_MEASURE, _HAS_COLON = (1 << bit for bit in range(7))
_COMMAS_SHIFT, _WORDS_SHIFT, _SIZE_SHIFT = 7, 11, 37
_LARGEST = (1 << 26) - 1  # sixty million characters: of one text no more are read


class Signs(NamedTuple):
    """Words that tell what a text is."""

    months: frozenset[str]  # three letters
    times: frozenset[str]
    currencies: frozenset[str]
    measures: frozenset[str]
    words: frozenset[str]  # all but months


@lru_cache(maxsize=1)
def _signs() -> Signs:
    found: dict[str, list[str]] = {}
    for line in resources.files("scythe.read.records").joinpath("tables/signs.txt").read_text("utf-8").splitlines():
        kind, _, words = line.partition(":")
        if not line.startswith("#"):
            found.setdefault(kind, []).extend(words.split())
    ends = ("", ".", ",")  # texts are cut at spaces
    signs = {kind: frozenset(word + end for word in words for end in ends) for kind, words in found.items()}
    return Signs(**signs, words=signs["times"] | signs["currencies"] | signs["measures"])


def read_texts(texts: Sequence[str]) -> Floats:
    """Return one row per text, a number for each of TEXT_TRAITS: lengths, then whether it has or looks like something.

    Commas are counted up to ten.
    """
    packed = np.fromiter(map(_read, texts), dtype=np.int64, count=len(texts))
    read = np.empty((len(packed), len(TEXT_TRAITS)))
    read[:, 0] = packed >> _SIZE_SHIFT
    read[:, 1] = packed >> _WORDS_SHIFT & _LARGEST
    read[:, -1] = packed >> _COMMAS_SHIFT & 15
    read[:, 2:-1] = packed[:, None] >> np.arange(_COMMAS_SHIFT) & 1
    return read


def _read(text: str) -> int:
    return _read_short(text) if len(text) <= _SHORT else _pack(text)


def _pack(text: str) -> int:
    """Read one text; one number holds all that is read, so that few numbers go from Python to numpy."""
    text = text[:_LARGEST]
    size, words = len(text), text.count(" ") + 1
    if size > _LONG_WORD * words and not text.isascii():  # a script without spaces
        words = size // 2
    start = text[:_READ_CHARS]
    parts = start.lower().split() if words <= _AMOUNT_WORDS else []
    signs = _signs()
    signed = not signs.words.isdisjoint(parts)
    found = _read_digits(start, words, parts, signed) if _DIGIT.search(start) else 0
    spaceless = size <= _SHORT_AMOUNT and not text.isascii() and _AMOUNT.search(text)
    if spaceless or (signed and not signs.measures.isdisjoint(parts)):
        found |= _HAS_MEASURE
    if words >= _SENTENCE_WORDS and text.endswith(_ENDS):
        found |= _IS_SENTENCE
    if text[-1] == ":":
        found |= _HAS_COLON
    if "," in text:
        found |= min(text.count(","), _COMMAS) << _COMMAS_SHIFT
    return size << _SIZE_SHIFT | words << _WORDS_SHIFT | found


def _read_digits(start: str, words: int, parts: list[str], signed: bool) -> int:
    """Say what the digits of a text mean; `signed` says whether any word is a sign."""
    found = _HAS_DIGIT | _IS_QUANTITY if start[0] in _DIGITS else _HAS_DIGIT
    if words > _DATED_WORDS:
        return found
    signs = _signs()
    timed = signed and not signs.times.isdisjoint(parts)
    if timed or _DATE.search(start) or not signs.months.isdisjoint(map(_BEGINNING, parts)):
        found |= _HAS_DATE
    if words <= _PRICE_WORDS and (_CURRENCY.search(start) or (signed and not signs.currencies.isdisjoint(parts))):
        found |= _HAS_PRICE
    return found


_read_short = lru_cache(maxsize=2_048)(_pack)  # pages of a site share most of their short texts
