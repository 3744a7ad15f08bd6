"""Read prices as pages write them: text comes in, a plain amount with its ISO 4217 currency goes out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

_LONGEST = 400  # characters of a text that are looked at
_NUMBER = (
    r"(?:\d{1,3}(?:[.,'’ \u00a0\u202f\u2009]\d{3}(?!\d)){1,3}(?:[.,]\d{1,2}(?!\d))?"
    r"|\d{1,2}(?:,\d{2}){1,3},\d{3}(?:\.\d{1,2})?(?!\d)"
    r"|\d{1,9}(?:[.,]\d{1,4}(?!\d))?)(?![\d%])"
)
_NUMBERS = re.compile(rf"(?<![\d.,]){_NUMBER}")
_SIGN = 9  # characters between an amount and the other end of its currency
_PLAIN = re.compile(r"\d{1,9}(?:\.\d{1,8})?")
# what signs that several currencies share mean where a country is known
_LOCAL = {
    "$": "ca CAD au AUD nz NZD hk HKD sg SGD tw TWD mx MXN ar ARS cl CLP co COP uy UYU",
    "kr": "se SEK no NOK dk DKK is ISK sv SEK nb NOK nn NOK da DKK",
    "¥": "cn CNY zh CNY jp JPY ja JPY",
}


@dataclass(frozen=True, slots=True)
class Price:
    """An amount of money."""

    amount: str  # digits, with a point before decimals: "119.01", "450", "9.50"
    currency: str = ""  # ISO 4217, or "" where the text does not say


@lru_cache(maxsize=1)
def _signs() -> dict[str, str]:
    """Return what pages write for a currency, with the code it stands for."""
    signs: dict[str, str] = {}
    lines = resources.files("scythe.read.records").joinpath("tables/currencies.txt").read_text("utf-8").splitlines()
    for line in lines:
        code, _, words = line.partition(": ")
        if line.startswith("#") or not words:
            continue
        for word in words.split():
            if word[0] not in ":,":  # stand behind amounts of several currencies
                forms = (word, word.upper(), word.capitalize()) if word.islower() else (word,)
                signs |= dict.fromkeys(forms, code)
    return signs


def find_prices(text: str) -> list[tuple[int, int, Price]]:
    """Return the amounts that stand beside a currency, with where they begin and end in the text."""
    found = []
    text, taken = text[:_LONGEST], 0
    for match in _NUMBERS.finditer(text):
        start, end = match.span()
        size, code = _sign_before(text[max(taken, start - _SIGN) : start])
        if code:
            found.append((start - size, end, Price(plain_amount(match[0]), code)))
            taken = end
            continue
        size, code = _sign_after(text[end : end + _SIGN])
        if code:
            taken = end + size
            found.append((start, taken, Price(plain_amount(match[0]), code)))
    return found


def _sign_before(text: str) -> tuple[int, str]:
    """Return how far before an amount its currency begins, and the currency."""
    near = text.rstrip(" .:\u00a0")
    for size in range(min(len(near), _SIGN), 0, -1):
        code = _signs().get(near[-size:])
        if code and not (near[-size].isalpha() and near[-size - 1 : -size].isalpha()):
            return len(text) - len(near) + size, code
    return 0, ""


def _sign_after(text: str) -> tuple[int, str]:
    """Return how far behind an amount its currency ends, and the currency."""
    near = text.lstrip(" \u00a0.,-–—")
    for size in range(min(len(near), _SIGN), 0, -1):
        code = _signs().get(near[:size])
        if code and not (near[size - 1].isalpha() and near[size : size + 1].isalpha()):
            return len(text) - len(near) + size, code
    return 0, ""


def read_price(text: str) -> Price | None:
    """Return the first price in a text, or a lone number as a price without currency."""
    if found := find_prices(text):
        return found[0][2]
    lone = _NUMBERS.search(text[:_LONGEST])
    return Price(plain_amount(lone[0])) if lone and len(text) < 40 else None


def currency_of(sign: str, country: str = "") -> str:
    """Return the code for a currency as pages write it, or an empty string.

    `country` is a top-level domain or a language that decides between currencies with the same sign.
    """
    sign = sign.strip(" .\u00a0")
    local = _LOCAL.get(sign.lower(), "").split() if country else []
    if country in local[::2]:
        return local[local.index(country) + 1]
    return _signs().get(sign, "")


def localise(code: str, country: str) -> str:
    """Return the currency of a country that shares its sign with a currency, or the currency itself."""
    sign = {"USD": "$", "SEK": "kr", "JPY": "¥"}.get(code, "")
    return currency_of(sign, country) or code


def plain_amount(number: str) -> str:
    """Return a number as pages write it with a decimal point and nothing else: "1.299,00" is "1299.00"."""
    number = re.sub(r"[\s'’]", "", number)
    last = max(number.rfind("."), number.rfind(","))
    if last < 0:
        return number.lstrip("0") or "0"
    whole, decimals, mark = number[:last], number[last + 1 :], number[last]
    digits = re.sub(r"[.,]", "", whole)
    grouped = len(decimals) == 3 and digits.strip("0") and number.count(mark) >= 1 and len(whole) >= 1
    if grouped and (number.count(mark) > 1 or not any(other in whole for other in ".,") or mark in whole):
        return (digits + decimals).lstrip("0") or "0"
    decimals = decimals.rstrip("0")
    return (digits.lstrip("0") or "0") + (f".{decimals:0<2}" if decimals else "")


def amount_of(value: object) -> str:
    """Return the amount that a structured value states, or an empty string; a point is a decimal point there."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, (int, float)):
        return _from_number(value)
    text = str(value)[:_LONGEST].strip()
    if _PLAIN.fullmatch(text) and "." in text and len(text.rpartition(".")[2]) != 3:
        return _from_number(float(text))
    price = read_price(text)
    return price.amount if price else ""


def _from_number(value: float) -> str:
    if not 0 <= value < 1e12:
        return ""
    if value == int(value):
        return str(int(value))
    return f"{value:.2f}"
