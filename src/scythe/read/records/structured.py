"""Read what a page's structured data says of its subject: a page comes in, the subject's typed pairs go out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from scythe.page import Page
from scythe.page.dates import to_iso
from scythe.page.jsonld import Json, types_of
from scythe.read.records.money import amount_of, currency_of
from scythe.read.records.stated import offer_pairs
from scythe.read.records.subject import Item, choose, id_of, item_sources, text_of
from scythe.read.records.typed import count_of, gtin_of, isbn_of, rating_of, state_of, table_lines

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
