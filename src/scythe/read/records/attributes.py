"""Read what a page says of its subject: a page comes in, names with values go out, typed ones first.

Structured data is believed before what the page shows, and both are said once. Values of canonical names have one form:
a price is a plain number with its currency beside it, codes are digits with a right check digit, availability is what
schema.org calls it. What follows is labelled as on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scythe.page import Page
from scythe.page.dates import to_iso
from scythe.read.records.contacts import find_contacts
from scythe.read.records.dictionary import concept_of
from scythe.read.records.hydration import read_hydration
from scythe.read.records.money import find_prices, localise
from scythe.read.records.naming import Naming, find_name
from scythe.read.records.offer import Shown, find_price
from scythe.read.records.pairs import Labelled, find_pairs
from scythe.read.records.stock import find_state
from scythe.read.records.structured import Structured, read_structured
from scythe.read.records.typed import gtin_of, isbn_of, state_of, typed_name
from scythe.read.records.visible import Lines, cut_lines
from scythe.url import host

Pair = tuple[str, str]

_PAIRS = 300  # of one page; the longest specification tables have some 150 rows
_FIRST = tuple(
    "name price currency high_price availability condition brand manufacturer sku mpn gtin isbn model author".split()
)
_DATED = frozenset("publication_date release_date date_posted date deadline start_date born founded".split())
_CODE = re.compile(r"[\w./#-]{2,40}(?: [\w./#-]{1,20}){0,2}")


def read_attributes(page: Page) -> tuple[Pair, ...]:
    """Return the attributes of a page's subject, from structured data and as the page shows them."""
    elements = page.elements
    lines = cut_lines(elements)
    name = find_name(page, lines)
    structured = read_structured(page)
    labelled = sorted(
        find_pairs(elements, lines), key=lambda pair: pair.leaf < name.leaf
    )  # what stands above is less sure
    shown = find_price(elements, lines, name.leaf)
    typed = dict[str, list[str]]()
    for key, value in structured.pairs:
        typed.setdefault(key, []).append(_after_label(value) if key == "brand" else value)
    if name.text and name.text in typed.get("name", [name.text])[0]:
        typed["name"] = [name.text]  # markup adds words that the page does not show
    used = _add_labelled(typed, labelled)
    _add_price(typed, structured, shown, page)
    if "price" not in typed:
        for key, value in read_hydration(page, typed.get("name", [""])[0]):
            typed.setdefault(key, [value])
    _add_stock(typed, page, lines, name, shown)
    _add_codes(typed)
    _add_contacts(typed, page, lines, name, labelled)
    return _join(typed, labelled, used)


def _add_labelled(typed: dict[str, list[str]], labelled: list[Labelled]) -> set[int]:
    """Add the first labelled value of each typed concept; return the leaves of those that are said by now."""
    used = set()
    for pair in labelled:
        name = typed_name(pair.label)
        value = _typed_value(name, pair.value) if name else ""
        if not value:
            continue
        if name == "isbn" and len(value) == 13 and len(typed.get("isbn", [""])[0]) == 10:
            typed["isbn"] = [value]
        if typed.setdefault(name, [value])[0] == value:
            used.add(pair.leaf)
    return used


def _after_label(text: str) -> str:
    """Return a brand without the label that its element begins with: `Brand: Acme`."""
    label, colon, value = text.rpartition(":")
    return value.strip() if colon and value.strip() and typed_name(label.split(" ")[-1]) == "brand" else text


def _typed_value(name: str, text: str) -> str:
    """Return the typed form of a labelled value, or an empty string where it has none."""
    if name == "price":
        prices = find_prices(text) if len(text) <= 40 else []
        return prices[0][2].amount if len(prices) == 1 and prices[0][2].amount.strip("0.") else ""
    if name == "availability":
        return state_of(text)
    if name == "gtin":
        return gtin_of(text)
    if name == "isbn":
        return isbn_of(text)
    if name in ("sku", "mpn"):
        return text if _CODE.fullmatch(text) and any(char.isdigit() for char in text) else ""
    return text if len(text) <= 60 else ""


def _add_price(typed: dict[str, list[str]], structured: Structured, shown: Shown | None, page: Page) -> None:
    """Settle the price: what structured data says, the shown one of several that it says, or what is shown."""
    if shown is not None:
        amount = shown.price.amount
        if len(structured.amounts) > 1 and amount in structured.amounts:
            typed["price"] = [amount]
        if not structured.amounts and "price" not in dict(structured.pairs):
            typed["price"] = [amount]
    price = typed.get("price", [""])[0]
    if price and "currency" not in typed and shown is not None and shown.price.currency:
        typed["currency"] = [localise(shown.price.currency, _country(page))]


def _country(page: Page) -> str:
    domain = host(page.url or "").rpartition(".")[2]
    region = page.metadata.language.rpartition("-")[2]
    return domain if len(domain) == 2 else region


def _add_stock(typed: dict[str, list[str]], page: Page, lines: Lines, name: Naming, shown: Shown | None) -> None:
    """Add the availability that the page shows of something that is for sale."""
    if "availability" in typed or not ("price" in typed or ("brand" in typed and "sku" in typed)):
        return
    start = shown.leaf if shown is not None and name.leaf < 0 else name.leaf
    if state := find_state(page, lines, start):
        typed["availability"] = [state]


def _add_codes(typed: dict[str, list[str]]) -> None:
    """Say a trade item number that is also an ISBN or a stock number under its own name."""
    for name in ("isbn", "sku"):
        for value in typed.get(name, ()):
            if "gtin" not in typed and len(value) == 13 and (code := gtin_of(value)):
                typed["gtin"] = [code]


def _add_contacts(
    typed: dict[str, list[str]], page: Page, lines: Lines, name: Naming, labelled: list[Labelled]
) -> None:
    """Add unlabelled contacts to what has no price: those beside an offer are the shop's."""
    if "price" in typed:
        return
    known = {concept_of(pair.label) for pair in labelled}
    for key, value in find_contacts(page.elements, lines, name.leaf):
        if key not in known:
            typed.setdefault(key, [value])


def _join(typed: dict[str, list[str]], labelled: list[Labelled], used: set[int]) -> tuple[Pair, ...]:
    """List canonical pairs in a fixed order, further ones as they came, then those labelled on the page, each once."""
    pairs = [(name, value) for name in _FIRST for value in typed.get(name, ())]
    pairs += [(name, value) for name, values in typed.items() if name not in _FIRST for value in values]
    said = {(concept_of(name.replace("_", " ")) or name, value.lower()) for name, value in pairs}
    for pair in labelled:
        key = (concept_of(pair.label) or pair.label.lower(), pair.value.lower())
        if pair.leaf in used or key in said:
            continue
        said.add(key)
        pairs.append((pair.label, pair.value))
    pairs[_PAIRS:] = []
    return tuple(dict.fromkeys((*pairs, *_dates(typed, labelled))))


def _dates(typed: dict[str, list[str]], labelled: list[Labelled]) -> Iterator[Pair]:
    """Yield the ISO form of labelled dates that can be read in one way only, behind the texts themselves."""
    for pair in labelled:
        concept = concept_of(pair.label) or ""
        if concept in _DATED and concept not in typed and len(pair.value) <= 40 and (date := to_iso(pair.value)):
            typed[concept] = [date]
            if date != pair.value:
                yield concept, date
