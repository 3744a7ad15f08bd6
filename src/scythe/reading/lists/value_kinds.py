"""Recognise dates, prices, ratings, numbers and addresses in short texts, without converting them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from scythe.package_files import packaged_words

EMPTY, TEXT, NUMBER, PRICE, DATE, RATING, ADDRESS, SIGN = range(8)

_DATE_CHARS = 64  # of a text that is a date with a few words around it
_PRICE_CHARS = 48
_RATING_CHARS = 40
_REMEMBERED = 2_048  # short texts; lists say the same in every record
_NOW_CHARS = 24
_DATE_WORDS = 9
_AMOUNTS = 4  # of one text that are looked at
_AROUND = 30  # letters around a date that leave it a date: "Published on ... by"
_NUMERIC = re.compile(
    r"(?<![\d.])(?:(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:[0-2]?\d|3[01])"
    r"|(?:[0-2]?\d|3[01])(?:[-/]|\. ?)(?:[0-2]?\d|3[01])(?:[-/]|\. ?)(?:(?:19|20)\d\d|\d\d)"
    r"|(?:19|20)\d\d ?年|\d{1,2} ?月 ?\d{1,2} ?日|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?)(?!\d)"
)
_SLASHED = re.compile(r"(?:[0-2]?\d|3[01])/(?:[0-2]?\d|3[01])$|(?:[0-2]?\d|3[01])\.(?:0?\d|1[0-2])\.$")
_RELATIVE = re.compile(
    r"\d{1,3} ?(?:秒|分|時間|时间|小时|小時|天|日|週間|周|か月|个月|年)(?:前|钟前|鐘前)|\d{1,3} ?(?:[smhdwy]|min)$"
)
_WORDS = re.compile(r"[^\W\d_]{1,20}(?:['-][^\W\d_]{1,20})?")
_RATING = re.compile(
    r"(?<![\d.,])\d{1,2}(?:[.,]\d{1,2})? ?(?:/|\bout of\b|\bof\b|\bvon\b|\bsur\b|\bde\b|\bsu\b|\bvan\b|\bz\b|\bиз\b)"
    r" ?(?:5|6|10|100)(?![\d/])",
    re.I,
)
_STARS = re.compile(
    r"[★☆⭐✩✪✭✮]{1,10}|(?<![\d.,])\d(?:[.,]\d)? ?(?:stars?|sterne?n?|étoiles?|estrellas?|stelle|sterren)\b", re.I
)
_NUMBER = re.compile(r"[(#+~≈-]{0,2} ?\d{1,3}(?:[.,'’\u00a0\u202f ]?\d{1,3}){0,6} ?(?:[%°)+]|[kmKM]\b){0,2}")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
_AMOUNT = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f ]?\d{3}){0,4}(?:[.,](?:\d{1,2}|-{1,2}|–|—))?(?!\d)")
_WORD_BEFORE = re.compile(r"(?:[^\W\d_]{1,5}|[^\W\d_]{0,3}[^\w\s]|:-)$")
_WORD_AFTER = re.compile(r"[^\W\d_]{1,6}|:-|,-|[^\w\s]")
_WORD_OR_SIGN = re.compile(r"[^\W\d_]{1,20}|[^\w\s]")
_OF = re.compile(r"[a-zи]{1,3} ?(?:5|6|10)")
_DATE_SIGN = re.compile(r"[-/.:年月]")
_DIGIT = re.compile(r"\d")
_YEAR_OR_CLOCK = re.compile(r"(?<!\d)(?:(?:19|20)\d\d(?!\d)|[0-2]?\d:[0-5]\d)")


@lru_cache(maxsize=1)
def _months() -> frozenset[str]:
    return frozenset(
        word for words in packaged_words("scythe.reading.lists", "tables/months.txt").values() for word in words
    )


@lru_cache(maxsize=1)
def _times() -> dict[str, frozenset[str]]:
    return {
        name: frozenset(words) for name, words in packaged_words("scythe.reading.lists", "tables/times.txt").items()
    }


@lru_cache(maxsize=1)
def _signs() -> frozenset[str]:
    """Return the signs and words of currencies: as the table has them, and in capitals where it has small letters."""
    signs = {
        sign for words in packaged_words("scythe.reading.lists", "tables/currencies.txt").values() for sign in words
    }
    return frozenset(signs | {sign.upper() for sign in signs} | {sign.capitalize() for sign in signs if sign.islower()})


def is_price(text: str) -> bool:
    """Say whether the text is an amount of money, perhaps with a few words: `from 1.299,00 €`."""
    return len(text) <= _PRICE_CHARS and _DIGIT.search(text) is not None and _has_price(text)


def _has_price(text: str) -> bool:
    signs = _signs()
    if signs.isdisjoint(_WORD_OR_SIGN.findall(text)) and ":-" not in text and ",-" not in text:
        return False
    for match in islice(_AMOUNT.finditer(text), _AMOUNTS):
        before = _WORD_BEFORE.search(text[max(0, match.start() - 8) : match.start()].rstrip(" .\u00a0"))
        if before and (before[0] in signs or before[0][-1] in signs):
            return True
        after = _WORD_AFTER.match(text[match.end() : match.end() + 8].lstrip(" \u00a0"))
        if after and after[0] in signs:
            return True
    return False


def _is_now(text: str) -> bool:
    words, times = _WORDS.findall(text.lower()), _times()
    return 0 < len(words) <= 2 and (words[0] in times["now"] or words[0] in times["weekday"])


def _is_written_date(text: str) -> bool:
    found = _NUMERIC.search(text) if _DATE_SIGN.search(text) else None
    if found is None and ("前" in text or text[-1] in "smhdwyn"):
        found = _RELATIVE.search(text)
    if found := found or _SLASHED.match(text):
        return len(text) - len(found[0]) <= _AROUND
    words, times = _WORDS.findall(text.lower()), _times()
    if len(words) > _DATE_WORDS:
        return False
    months = _months()
    if not months.isdisjoint(words):
        return len(words) <= 3 or _YEAR_OR_CLOCK.search(text) is not None
    if not times["unit"].isdisjoint(words):
        return not times["mark"].isdisjoint(words)
    return not times["now"].isdisjoint(words)


def is_rating(text: str) -> bool:
    """Say whether the text is a mark: `4.5 out of 5`, `8/10`, `★★★★☆`, `4 stars`."""
    if len(text) > _RATING_CHARS:
        return False
    if ("/" in text or _OF.search(text) is not None) and _RATING.search(text) is not None:
        return True
    return ("st" in text.lower() or not text.isascii()) and _STARS.search(text) is not None


def is_number(text: str) -> bool:
    """Say whether the text is a number, perhaps in brackets or with a sign: `1 234`, `(12)`, `#3`, `45%`."""
    return len(text) <= _PRICE_CHARS and _NUMBER.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Say whether the text is the address of a page or a mailbox."""
    return _ADDRESS.fullmatch(text) is not None


def is_sign(text: str) -> bool:
    """Say whether the text has neither letter nor digit: `|`, `,`, `»`."""
    return len(text) <= 8 and not any(map(str.isalnum, text))


def kind_of(text: str) -> int:
    """Return what the text is: EMPTY, TEXT, NUMBER, PRICE, DATE, RATING, ADDRESS or SIGN."""
    if not text:
        return EMPTY
    if len(text) > _DATE_CHARS:
        return ADDRESS if " " not in text and is_address(text) else TEXT
    return _kind_of_short(text)


@lru_cache(maxsize=_REMEMBERED)
def _kind_of_short(text: str) -> int:
    if _DIGIT.search(text) is None:
        return _kind_of_letters(text)
    if _NUMBER.fullmatch(text) is not None:
        return DATE if _NUMERIC.match(text) else NUMBER
    if is_price(text):
        return PRICE
    if is_rating(text):
        return RATING
    if _is_written_date(text):
        return DATE
    return ADDRESS if is_address(text) else TEXT


def _kind_of_letters(text: str) -> int:
    if is_sign(text):
        return RATING if _STARS.search(text) else SIGN
    if len(text) <= _NOW_CHARS and _is_now(text):
        return DATE
    return ADDRESS if " " not in text and is_address(text) else TEXT
