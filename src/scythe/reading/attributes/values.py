"""Parse and normalise prices, currencies, availability, product codes and ratings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from scythe.package_files import packaged_text, packaged_words
from scythe.reading.attributes.dictionary import concept_of, fold

_MONEY_LONGEST = 400  # characters of a text that are looked at
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
    for code, words in packaged_words("scythe.reading.lists", "tables/currencies.txt").items():
        for word in words:
            if word[0] not in ":,":  # stand behind amounts of several currencies
                forms = (word, word.upper(), word.capitalize()) if word.islower() else (word,)
                signs |= dict.fromkeys(forms, code)
    return signs


@lru_cache(maxsize=1)
def _sign_letters() -> frozenset[str]:
    """Return the characters that a currency begins or ends with."""
    return frozenset(end for sign in _signs() for end in (sign[0], sign[-1]))


def find_prices(text: str) -> list[tuple[int, int, Price]]:
    """Return the amounts that stand beside a currency, with where they begin and end in the text."""
    found: list[tuple[int, int, Price]] = []
    text, taken = text[:_MONEY_LONGEST], 0
    if _sign_letters().isdisjoint(text):
        return found
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
    if near[-1:] not in _sign_letters():
        return 0, ""
    for size in range(min(len(near), _SIGN), 0, -1):
        code = _signs().get(near[-size:])
        if code and not (near[-size].isalpha() and near[-size - 1 : -size].isalpha()):
            return len(text) - len(near) + size, code
    return 0, ""


def _sign_after(text: str) -> tuple[int, str]:
    """Return how far behind an amount its currency ends, and the currency."""
    near = text.lstrip(" \u00a0.,-–—")
    if near[:1] not in _sign_letters():
        return 0, ""
    for size in range(min(len(near), _SIGN), 0, -1):
        code = _signs().get(near[:size])
        if code and not (near[size - 1].isalpha() and near[size : size + 1].isalpha()):
            return len(text) - len(near) + size, code
    return 0, ""


def read_price(text: str) -> Price | None:
    """Return the first price in a text, or a lone number as a price without currency."""
    if found := find_prices(text):
        return found[0][2]
    lone = _NUMBERS.search(text[:_MONEY_LONGEST])
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
    text = str(value)[:_MONEY_LONGEST].strip()
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


STATES = {
    name.lower(): name
    for name in (
        "InStock OutOfStock PreOrder PreSale BackOrder Discontinued LimitedAvailability InStoreOnly OnlineOnly SoldOut "
        "MadeToOrder Reserved"
    ).split()
}
_SAME_STATES = {"oos": "OutOfStock", "available": "InStock", "availablefororder": "InStock", "instockonline": "InStock"}
BUTTON = "Button"  # in the table of phrases: what a button says of something in stock
_LONGEST = 300
# concepts of labels that have a typed form, and its name
_TYPED = {name: name for name in "price availability brand manufacturer sku mpn gtin isbn".split()}
_TYPED |= {"sale_price": "price", "item_number": "sku", "asin": "sku", "model_number": "mpn"}
_WORDS = re.compile(r"\w+")


def table_lines(name: str) -> list[tuple[str, list[str]]]:
    """Return the lines of a word table as names, each with its phrases."""
    text = packaged_text("scythe.reading.lists", f"tables/{name}.txt")
    lines = []
    for line in text.splitlines():
        head, _, rest = line.partition(":")
        if rest and not line.startswith("#"):
            lines.append((head, [phrase.strip() for phrase in rest.split("|") if phrase.strip()]))
    return lines


@lru_cache(maxsize=1)
def _phrases() -> tuple[dict[str, list[tuple[str, str]]], list[tuple[str, str]]]:
    """Return the phrases that state an availability by their first word, and those of scripts without spaces."""
    by_word: dict[str, list[tuple[str, str]]] = {}
    joined: list[tuple[str, str]] = []
    states = [(phrase, state) for state, phrases in table_lines("availability") for phrase in phrases]
    for phrase, state in sorted(states, key=lambda pair: -len(pair[0])):
        if phrase[0] >= "\u0e00":
            joined.append((phrase, state))
        else:
            by_word.setdefault(_WORDS.findall(phrase)[0], []).append((phrase, state))
    return by_word, joined


def state_of(value: str) -> str:
    """Return the availability that a structured value or a phrase states as schema.org names it, or an empty string."""
    text = value[:_LONGEST].strip().lower()
    word = re.sub(r"[\s_-]", "", text.rstrip("/").rpartition("/")[2].rpartition("#")[2])
    if word in STATES:
        return "OutOfStock" if word == "soldout" else STATES[word]
    if word in _SAME_STATES:
        return _SAME_STATES[word]
    return phrase_state(text)


def phrase_state(text: str) -> str:
    """Return the availability of the first phrase in a lower-case text that states one, or an empty string."""
    text = text[:_LONGEST]
    found = next((state for match in _WORDS.finditer(text) if (state := _state_at(text, match[0], match.start()))), "")
    if not found and not text.isascii():
        found = next((state for phrase, state in _phrases()[1] if phrase in text), "")
    return STATES["instock"] if found == BUTTON else found


def opening_state(text: str) -> str:
    """Return the availability, or BUTTON, that a lower-case text begins with, a number in front of it aside."""
    for match in islice(_WORDS.finditer(text), 2):
        if not match[0].isdecimal():
            found = _state_at(text, match[0], match.start())
            if not found and not text.isascii():
                found = next((state for phrase, state in _phrases()[1] if text.startswith(phrase, match.start())), "")
            return found
    return ""


def _state_at(text: str, word: str, start: int) -> str:
    """Return what the longest phrase says that stands at a word of a text."""
    for phrase, state in _phrases()[0].get(word, ()):
        end = start + len(phrase)
        if text.startswith(phrase, start) and not text[end : end + 1].isalnum():
            return state
    return ""


@lru_cache(maxsize=1)
def _labels() -> dict[str, str]:
    return {fold(phrase): name for name, phrases in table_lines("code_labels") for phrase in phrases}


@lru_cache(maxsize=8_192)
def typed_name(label: str) -> str:
    """Return the canonical name of what a label stands for, if values of it have a typed form, or an empty string."""
    known = concept_of(label) or _labels().get(fold(label).rstrip(":： "), "")
    if not known and " " in label:
        known = concept_of(label.partition(" ")[2]) or ""  # "eBay item number", "Canon part number"
        known = known if known in ("item_number", "sku", "mpn", "gtin", "isbn") else ""
    return _TYPED.get(known, "")


def gtin_of(value: str) -> str:
    """Return a trade item number as digits if its check digit is right, otherwise an empty string."""
    digits = re.sub(r"[\s-]", "", value[:60])
    digits = digits.lower().removeprefix("gtin:").removeprefix("ean:").removeprefix("isbn").lstrip(":")
    if len(digits) not in (8, 12, 13, 14) or not (digits.isascii() and digits.isdigit()) or not digits.strip("0"):
        return ""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return digits if total % 10 == 0 else ""


def isbn_of(value: str) -> str:
    """Return an ISBN of 13 or 10 characters without hyphens if its check digit is right, otherwise an empty string."""
    for match in re.finditer(r"(?<![\dA-Za-z])(?:97[89][\d -]{10,14}|[\d-]{9,12}[\dXx])(?![\dA-Za-z])", value[:200]):
        digits = re.sub(r"[ -]", "", match[0]).upper()
        if len(digits) >= 13 and (found := gtin_of(digits[:13])):
            return found
        if len(digits) == 10 and digits[:9].isdigit():
            total = sum((10 - place) * (10 if digit == "X" else int(digit)) for place, digit in enumerate(digits))
            if total % 11 == 0:
                return digits
    return ""


def rating_of(value: str) -> str:
    """Return a rating as a plain number, or an empty string."""
    match = re.match(
        r"\s{0,9}(\d{1,3}(?:[.,]\d{1,6})?)(?:\s{0,3}(?:/|out of|von|sur|de|su)\s{0,3}\d{1,3})?\s{0,9}$", value[:60]
    )
    if not match:
        return ""
    number = match[1].replace(",", ".")
    return f"{float(number):.2f}".rstrip("0").rstrip(".") if "." in number else number


def count_of(value: str) -> str:
    """Return a count as digits, or an empty string."""
    match = re.match(r"\D{0,3}(\d{1,3}(?:[., ]\d{3}){1,3}|\d{1,9})(?!\d)", value[:40])
    return re.sub(r"\D", "", match[1]) if match else ""
