"""Read typed attributes of a page's subject from structured data: JSON-LD, microdata, RDFa, and JSON inside scripts.

Script data has no common format, so it is only used when nothing else states a price, and only for an object that has
the subject's name and a price.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from scythe.limits import LIMITS
from scythe.page import Page
from scythe.page.dates import to_iso
from scythe.page.head import Json, types_of
from scythe.reading.attributes.subject import Item, choose, id_of, item_sources, text_of
from scythe.reading.attributes.values import (
    STATES,
    amount_of,
    count_of,
    currency_of,
    gtin_of,
    isbn_of,
    rating_of,
    state_of,
    table_lines,
)

if TYPE_CHECKING:
    from scythe.page.map import Node

_SCRIPTS = 20  # looked at on one page
_NODES = 50_000  # objects and lists looked at on one page
_KEYS = {
    "price": "price saleprice currentprice finalprice sellingprice specialprice amount value".split(),
    "currency": "currency pricecurrency currencycode currencyiso".split(),
    "brand": "brand brandname manufacturer".split(),
    "sku": "sku productid itemid articlenumber code".split(),
    "gtin": "gtin gtin13 ean ean13 upc barcode".split(),
}
_NAMES = ("name", "title", "productname", "displayname")
_WORD = re.compile(r"\w+")
_SAME = 0.8  # share of the words of both names


def _holds_json(script: Node) -> bool:
    attributes = script.attributes
    return (attributes.get("type") or "").lower() == "application/json" or attributes.get("id") == "__NEXT_DATA__"


def read_hydration(page: Page, name: str) -> list[Pair]:
    """Return price, currency, brand and codes of the object that bears the name; nothing if none has a price."""
    wanted = frozenset(_WORD.findall(name.lower()))
    if not wanted or not page.mentions("application/json"):
        return []
    left = _NODES
    for node in [node for node in page.map.find("script") if _holds_json(node)][:_SCRIPTS]:
        script = node.text(deep=True)
        if not 2 < len(script) <= LIMITS.json_ld_bytes:
            continue
        try:
            value = json.loads(script)
        except (ValueError, RecursionError):
            continue
        for item in _objects(value, left):
            left -= 1
            if _bears(item, wanted) and (pairs := _pairs(item)):
                return pairs
    return []


def _objects(value: Json, most: int) -> Iterator[Item]:
    """Yield the objects inside a value, outer before inner."""
    pending = deque([value])
    for _ in range(most):
        if not pending:
            return
        value = pending.popleft()
        if isinstance(value, dict):
            yield {key.lower().replace("_", ""): one for key, one in value.items()}
            pending.extend(one for one in value.values() if isinstance(one, (dict, list)))
        elif isinstance(value, list):
            pending.extend(one for one in value if isinstance(one, (dict, list)))


def _bears(item: Item, wanted: frozenset[str]) -> bool:
    for key in _NAMES:
        own = item.get(key)
        if isinstance(own, str) and (words := frozenset(_WORD.findall(own[:500].lower()))):
            return len(words & wanted) >= _SAME * max(len(words), len(wanted))
    return False


def _pairs(item: Item) -> list[Pair]:
    """Return what an object states under the usual keys, if that includes a price."""
    inner = item.get("price")
    offer = item | {key.lower(): one for key, one in inner.items()} if isinstance(inner, dict) else item
    found: list[Pair] = []
    for name, keys in _KEYS.items():
        source = offer if name in ("price", "currency") else item
        for key in keys:
            if name == "price" and key in ("amount", "value") and source is item:
                continue
            raw = source.get(key)
            if name == "price":
                value = "" if isinstance(raw, (dict, list)) else amount_of(raw)
            else:
                value = text_of(raw)
            value = gtin_of(value) if name == "gtin" else currency_of(value) if name == "currency" else value
            if value.strip("0."):
                found.append((name, value[:200]))
                break
    return found if found and found[0][0] == "price" else []


_OFFERS = 500  # of one item


def offer_pairs(plain: Item, by_id: dict[str, Item], amounts: list[str]) -> Iterator[Pair]:
    """Yield price, currency and availability of an item's offers."""
    offers = [offer for offer in _offers(plain, by_id) if isinstance(offer, dict)]
    stated = [(amount, offer) for offer in offers if (amount := _amount(offer)) and amount.strip("0.")]
    amounts.extend(amount for amount, _ in stated[:_OFFERS])
    if stated:
        yield "price", stated[0][0]
        codes = (_currency(offer) for offer in [stated[0][1], *offers])
        if code := next((code for code in codes if code), ""):
            yield "currency", code
        high = amount_of(text_of(stated[0][1].get("highPrice")))
        if high and high != stated[0][0] and stated[0][1].get("lowPrice"):
            yield "high_price", high
    states = [state for offer in offers if (state := state_of(text_of(offer.get("availability"))))]
    if states:
        yield "availability", next((state for state in states if state == STATES["instock"]), states[0])


def _offers(plain: Item, by_id: dict[str, Item]) -> list[Json]:
    """Return an item's offers, those inside other offers too, or its own price as one."""
    pending: deque[Json] = deque([plain.get("offers") or plain.get("offer"), plain.get("has_variant")])
    found: list[Json] = []
    for _ in range(_OFFERS * 4):
        if not pending or len(found) >= _OFFERS:
            break
        value = pending.popleft()
        if isinstance(value, list):
            pending.extend(value[:_OFFERS])
        elif isinstance(value, dict):
            if len(value) == 1 and (known := by_id.get(id_of(value))) is not None:
                value = known
            found.append(value)
            if not (_amount(value)) and len(found) < _OFFERS:
                pending.extend(value.get(name) for name in ("offers", "itemOffered") if value.get(name))
    own = {"price": plain.get("price"), "availability": plain.get("availability")}
    return found if found else [own | {"priceCurrency": plain.get("price_currency")}]


def _amount(offer: Item) -> str:
    for name in ("price", "lowPrice"):
        if amount := amount_of(_scalar(offer.get(name))):
            return amount
    specification = offer.get("priceSpecification")
    for one in (specification if isinstance(specification, list) else [specification])[:_VALUES]:
        if isinstance(one, dict) and (amount := amount_of(_scalar(one.get("price") or one.get("minPrice")))):
            return amount
    return ""


def _scalar(value: Json) -> Json:
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, (str, int, float)) else None


def _currency(offer: Item) -> str:
    specification = offer.get("priceSpecification")
    specification = specification[0] if isinstance(specification, list) and specification else specification
    inner = specification.get("priceCurrency") if isinstance(specification, dict) else None
    text = text_of(offer.get("priceCurrency") or inner or offer.get("currency")).upper()
    if re.fullmatch("[A-Z]{3}", text):
        return {"RUR": "RUB"}.get(text, text)
    return currency_of(text) or currency_of(re.sub(r"[\d.,\s]", "", text_of(offer.get("price"))[:40]))


Pair = tuple[str, str]

_PROPERTIES = 500  # of one item
_VALUES = 20  # of one property
_LONGEST = 1_000  # characters of one value
_OTHERS = 40  # pairs without a canonical name
_CRUMBS = 12
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# what describes the page or other things, not the subject
_SKIPPED = frozenset(
    """
    url image images logo photo thumbnail thumbnail_url main_entity_of_page same_as review reviews potential_action
    offers aggregate_rating is_related_to is_similar_to breadcrumb has_variant additional_property geo has_map
    interaction_statistic is_part_of main_entity video associated_media comment price price_currency availability
    currency low_price high_price has_offer_catalog identifier contact_point nutrition recipe_instructions step
    opening_hours_specification additional_type text article_body review_body item_list_element
    """.split()
)
_DATES = frozenset("publication_date date_posted deadline start_date end_date born".split())


@dataclass(frozen=True, slots=True)
class Structured:
    """What structured data says of a page's subject."""

    pairs: tuple[Pair, ...] = ()  # canonical names first
    amounts: tuple[str, ...] = ()  # every price that its offers state, page order


def read_structured(page: Page) -> Structured:
    """Read the pairs of the page's subject from JSON-LD, microdata and RDFa, then what only the head says."""
    seen: dict[str, list[str]] = {}
    amounts: list[str] = []
    for items in item_sources(page):
        item = choose(items, page)
        found: dict[str, list[str]] = {}
        if item is not None and "price" not in seen:
            for name, value in _pairs_of(item, {id_of(other): other for other, _ in items if id_of(other)}, amounts):
                found.setdefault(name, []).append(value)
        if "breadcrumb" not in seen and (crumbs := _breadcrumb([one for one, _ in items])):
            found["breadcrumb"] = [crumbs]
        seen = found | seen
    for name, value in _head_pairs(page):
        seen.setdefault(name, [value])
    pairs = tuple((name, value) for name, values in seen.items() for value in dict.fromkeys(values))
    return Structured(pairs, tuple(dict.fromkeys(amounts)))


def _breadcrumb(items: list[Item]) -> str:
    """Return the way from the start of the site to the page, as its names from the outermost to the innermost."""
    for item in items:
        elements = item.get("itemListElement")
        if "breadcrumblist" in types_of(item) and isinstance(elements, list):
            crumbs = [one for one in elements[:_CRUMBS] if isinstance(one, dict)]
            names = [text_of(one.get("name")) or text_of(one.get("item")) for one in crumbs]
            return " > ".join(name for name in names if name and "://" not in name)[:_LONGEST]
    return ""


@lru_cache(maxsize=5_000)
def plain_name(name: str) -> str:
    """Return a property's name in words: `datePublished` is `date_published`."""
    return _HUMP.sub("_", name[:100].rpartition("/")[2].rpartition(":")[2]).lower().replace("-", "_").replace(" ", "_")


@lru_cache(maxsize=1)
def _properties() -> list[tuple[str, list[str]]]:
    return table_lines("properties")


def _pairs_of(item: Item, by_id: dict[str, Item], amounts: list[str]) -> Iterator[Pair]:
    """Yield canonical pairs, then further properties as they are named."""
    plain = {plain_name(name): value for name, value in list(item.items())[:_PROPERTIES] if not name.startswith("@")}
    used: set[str] = set()
    for name, paths in _properties():
        for path in paths:
            outer, _, inner = path.partition(".")
            if plain.get(outer) is None:
                continue
            values = [_typed(name, one) for one in _texts(plain.get(outer), inner, by_id)]
            if values := [value for value in values if value]:
                used.update(one.partition(".")[0] for one in paths)
                yield name, ", ".join(dict.fromkeys(values))[:_LONGEST]
                break
        if name == "name":
            yield from offer_pairs(plain, by_id, amounts)
    yield from _further(plain, used)


def _typed(name: str, text: str) -> str:
    """Return the text in the form that values of this name have."""
    if name == "gtin":
        return gtin_of(text)
    if name == "isbn":
        return isbn_of(text) or text
    if name in ("rating_value", "rating_best"):
        return rating_of(text)
    if name in ("rating_count", "review_count"):
        return count_of(text)
    if name in _DATES:
        return to_iso(text) or text
    if name == "condition":
        return text.rpartition("/")[2].removesuffix("Condition")
    if name == "sku":
        return text.removeprefix("sku:")
    return text


def _texts(value: Json, inner: str, by_id: dict[str, Item]) -> Iterator[str]:
    for one in (value if isinstance(value, list) else [value])[:_VALUES]:
        if isinstance(one, dict) and len(one) == 1 and (known := by_id.get(id_of(one))) is not None:
            one = known
        if inner:
            one = next((v for k, v in one.items() if plain_name(k) == inner), None) if isinstance(one, dict) else None
        if isinstance(one, dict) and (address := _address(one)):
            yield address
        elif text := _measure(one) or text_of(one):
            yield text


def _address(item: Item) -> str:
    """Return a postal address, or the one of a place, on one line."""
    place = item.get("address")
    if isinstance(place, list) and place:
        place = place[0]
    if isinstance(place, dict):
        item = place
    elif isinstance(place, str):
        return text_of(place)
    names = ("streetAddress", "addressLocality", "addressRegion", "postalCode", "addressCountry")
    parts = [text for name in names if (text := text_of(item.get(name)))]
    return ", ".join(dict.fromkeys(parts))


def _measure(value: Json) -> str:
    """Return a quantity with its unit, or a salary."""
    if not isinstance(value, dict):
        return ""
    inner = value.get("value")
    amount = inner if isinstance(inner, dict) else value
    number = text_of(amount.get("value"))
    if not number and (low := text_of(amount.get("minValue"))):
        number = f"{low} - {text_of(amount.get('maxValue'))}".strip(" -")
    if not number:
        return ""
    unit = text_of(value.get("currency")) or text_of(amount.get("unitText")) or text_of(amount.get("unitCode"))
    return f"{number} {unit}".strip()


def _further(plain: Item, used: set[str]) -> Iterator[Pair]:
    """Yield further plain properties, and those that the item lists by name."""
    count = 0
    properties = plain.get("additional_property")
    for one in (properties if isinstance(properties, list) else [properties])[:200]:
        if isinstance(one, dict) and (name := text_of(one.get("name"))[:100]):
            if stated := _measure(one) or text_of(one.get("value")):
                yield name, stated
    for name, value in plain.items():
        if count >= _OTHERS:
            return
        if name in used or name in _SKIPPED or name.startswith("@"):
            continue
        if (text := text_of(value)) and not text.startswith(("http://", "https://")):
            count += 1
            yield name, text


_HEAD = {
    "price": ("product:sale_price:amount", "product:price:amount", "og:price:amount", "product:price", "twitter:data1"),
    "currency": ("product:sale_price:currency", "product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id", "product:sku", "og:sku"),
    "gtin": ("product:ean", "product:gtin", "product:upc"),
    "mpn": ("product:mfr_part_no",),
    "isbn": ("book:isbn", "books:isbn"),
    "condition": ("product:condition",),
    "author": ("book:author",),
    "address": ("business:contact_data:street_address", "og:street-address"),
    "phone": ("business:contact_data:phone_number", "og:phone_number"),
}


def _head_pairs(page: Page) -> Iterator[Pair]:
    """Yield what OpenGraph and product tags in the head say."""
    named: dict[str, str] = {}
    for name, content in page.head.properties:
        named.setdefault(name, content.strip()[:_LONGEST])
    for name, keys in _HEAD.items():
        for key in keys:
            value = named.get(key, "")
            if not value:
                continue
            if name == "price":
                value = amount_of(value) if key != "twitter:data1" else ""
                value = value if value.strip("0.") else ""
            elif name == "availability":
                value = state_of(value)
            elif name == "currency":
                value = value if re.fullmatch("[A-Z]{3}", value) else currency_of(value)
            else:
                value = _typed(name, value)
            if value:
                yield name, value
                break
