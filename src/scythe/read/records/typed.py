"""Bring stated values into one form: availability, product codes, ratings and names of fields; text in, text out."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from itertools import islice

from scythe.read.records.dictionary import concept_of, fold

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
_TYPED = {
    "price": "price",
    "sale_price": "price",
    "availability": "availability",
    "brand": "brand",
    "manufacturer": "manufacturer",
    "sku": "sku",
    "item_number": "sku",
    "asin": "sku",
    "mpn": "mpn",
    "model_number": "mpn",
    "gtin": "gtin",
    "isbn": "isbn",
}
_WORDS = re.compile(r"\w+")


def table_lines(name: str) -> list[tuple[str, list[str]]]:
    """Return the lines of a word table as names, each with its phrases."""
    text = resources.files("scythe.read.records").joinpath(f"tables/{name}.txt").read_text("utf-8")
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
